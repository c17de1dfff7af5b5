-- Near-misses of the search, an index that finds the hits of one agent by itself, and counts that are read from one. schema.sql says what for.

-- +goose Up
CREATE TABLE search_words (
    word text COLLATE "C" PRIMARY KEY
);

-- The vectors have more in them from now on. The next start fills them anew.
TRUNCATE memory_search;
ALTER TABLE memory_search ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE memory_search SET (toast_tuple_target = 128);
-- An index takes the storage of its column from when it is made.
DROP INDEX memory_search_by_word;
CREATE INDEX memory_search_by_word ON memory_search USING gin (words);

CREATE INDEX memories_by_state ON memories (agent_id, state, type);
CREATE INDEX memories_in_trash ON memories (agent_id, id) WHERE state = 'deleted';
