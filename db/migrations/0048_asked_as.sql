-- Adds the questions that memories answer, in other words than their texts.

-- +goose Up
CREATE TABLE asked_as (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    fingerprint bytea NOT NULL,
    phrases     text[] NOT NULL,
    written_by  text NOT NULL CHECK (written_by IN ('model', 'agent', 'person')),
    written_at  timestamptz NOT NULL,
    words       tsvector
);
ALTER TABLE asked_as ALTER COLUMN words SET STATISTICS 0;
CREATE INDEX asked_as_fingerprint_idx ON asked_as (fingerprint);
CREATE INDEX asked_as_words_idx ON asked_as USING gin (words) WITH (fastupdate = off);
CREATE INDEX asked_as_memory_id_unindexed_idx ON asked_as (memory_id) WHERE words IS NULL;
