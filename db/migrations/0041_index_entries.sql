-- Adds the entries of MEMORY.md. The first full scan fills the table.

-- +goose Up
CREATE TABLE index_entries (
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path       text COLLATE "C" NOT NULL, -- of the listed file, relative to the agent's directory
    index_path text COLLATE "C" NOT NULL, -- of the index
    -- The index is the one that the agent loads, and it loads the entry.
    loaded     boolean NOT NULL,
    PRIMARY KEY (agent_id, path, index_path)
);
