-- A restore looks for where a memory was without reading all files of the agent.

-- +goose Up
CREATE INDEX files_gone_by_memory ON files (memory_id) WHERE NOT present;
