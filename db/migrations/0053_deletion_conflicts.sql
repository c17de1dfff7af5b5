-- Adds the memories that one machine has deleted and another one has changed, and the journal's entry
-- for one that a person keeps.

-- +goose Up
CREATE TABLE deletion_conflicts (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    deleted     boolean NOT NULL,
    fingerprint bytea NOT NULL,
    other_at    timestamptz NOT NULL
);

CREATE INDEX deletion_conflicts_agent_id_idx ON deletion_conflicts (agent_id);

ALTER TABLE activity DROP CONSTRAINT activity_kind_check;
ALTER TABLE activity ADD CONSTRAINT activity_kind_check
    CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                    'cleared', 'purged', 'blocked', 'allowed', 'discarded', 'revealed', 'kept'));
