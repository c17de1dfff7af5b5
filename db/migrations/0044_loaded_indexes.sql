-- Adds the size of the MEMORY.md that each agent loads. The first full scan fills the table.

-- +goose Up
CREATE TABLE loaded_indexes (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    path     text COLLATE "C" NOT NULL, -- relative to the agent's directory
    chars    integer NOT NULL           -- Unicode characters that the agent loads, with the warning of a cut
);
