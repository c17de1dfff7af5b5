-- +goose Up
ALTER TABLE review_decisions ADD COLUMN memory_ids uuid[];
CREATE INDEX review_decisions_agent_id_kind_idx ON review_decisions (agent_id, kind) WHERE memory_ids IS NOT NULL;
