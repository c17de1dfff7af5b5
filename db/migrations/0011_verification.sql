-- What came of looking in an agent's project for what its memories cite. schema.sql says how.

-- +goose Up
CREATE TABLE verifications (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    agent_id    bigint NOT NULL,
    revision_id uuid NOT NULL,
    checked_at  timestamptz NOT NULL,
    project     text NOT NULL,
    gone        integer NOT NULL,
    citations   jsonb NOT NULL
);

CREATE INDEX verifications_by_agent ON verifications (agent_id);
CREATE INDEX verifications_with_gone ON verifications (agent_id) WHERE gone > 0;
