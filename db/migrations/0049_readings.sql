-- Empties the search index, which is filled again at the start: it also has the Latin readings of
-- Chinese, Cyrillic and Greek words now.

-- +goose Up
TRUNCATE memory_search;
