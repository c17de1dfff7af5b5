-- The search uses one GIN index alone.

-- +goose Up
DROP TRIGGER since_insert ON memory_search;
DROP TRIGGER since_update ON memory_search;
DROP TRIGGER since_delete ON memory_search;
DROP TRIGGER since_removal ON memories;
DROP TABLE concordance_since;
DROP TABLE concordance_words;
DROP TABLE concordance_parts;
DROP TABLE concordances;
DROP FUNCTION note_since();
DROP FUNCTION remove_concordance();
