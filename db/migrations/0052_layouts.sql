-- Layouts of further clients.

-- +goose Up
ALTER TABLE agents DROP CONSTRAINT agents_layout_check;
ALTER TABLE agents ADD CONSTRAINT agents_layout_check CHECK (layout IN ('hive', 'claude', 'directory', 'shared',
    'qwen', 'gemini', 'codex', 'openclaw', 'memory-bank', 'letta'));
