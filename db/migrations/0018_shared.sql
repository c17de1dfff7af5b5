-- One directory of memories that all agents share is an agent of its own.

-- +goose Up
ALTER TABLE agents DROP CONSTRAINT agents_layout_check;
ALTER TABLE agents ADD CONSTRAINT agents_layout_check CHECK (layout IN ('hive', 'claude', 'directory', 'shared'));
CREATE INDEX agents_shared ON agents (id) WHERE layout = 'shared';
