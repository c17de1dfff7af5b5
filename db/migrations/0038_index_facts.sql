-- Facts that stand in an index itself, MEMORY.md, and not in a memory file. schema.sql describes the columns.

-- +goose Up
CREATE TABLE index_facts (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path        text NOT NULL,
    line        integer NOT NULL,
    team        boolean NOT NULL,
    heading     text NOT NULL,
    body        text NOT NULL,
    words       tsvector NOT NULL,
    modified_at timestamptz NOT NULL,
    seen_at     timestamptz NOT NULL
);

CREATE INDEX index_facts_by_agent ON index_facts (agent_id, path);
CREATE INDEX index_facts_by_word ON index_facts USING gin (words);
