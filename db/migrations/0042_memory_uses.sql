-- Counts what agents did with each memory.

-- +goose Up
CREATE TABLE memory_uses (
    memory_id           uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    reads               integer NOT NULL DEFAULT 0, -- how often an agent has read a file of the memory
    last_read_at        timestamptz,
    loads               integer NOT NULL DEFAULT 0, -- conversations that loaded its line of MEMORY.md
    last_loaded_at      timestamptz,
    last_loaded_session text -- so that a conversation counts once
);
