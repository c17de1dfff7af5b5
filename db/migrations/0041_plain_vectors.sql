-- Vectors are stored as Postgres stores any value. The next start fills the search index again.

-- +goose Up
TRUNCATE memory_search;
ALTER TABLE memory_search DROP COLUMN blanks;
ALTER TABLE memory_search RESET (toast_tuple_target);
ALTER TABLE memory_search ALTER COLUMN words SET STORAGE EXTENDED;
