-- Holds back memories with secrets and with orders to the agent, until a person lets them in.

-- +goose Up
-- A scan finds them by the rules of a version; it examines all memories again when that is older.
ALTER TABLE agents ADD COLUMN examined_version integer NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN quarantined boolean NOT NULL
    GENERATED ALWAYS AS (problems @> '[{"code": "secret"}]' OR problems @> '[{"code": "injection"}]') STORED;

-- What people decided about findings of the review. A decision holds until the contents change: the
-- id of an item contains their hash.
CREATE TABLE review_decisions (
    item_id    text COLLATE "C" PRIMARY KEY, -- kind and hash of the agent, the names and the contents
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    decision   text NOT NULL,
    decided_at timestamptz NOT NULL,
    decided_by text NOT NULL CHECK (decided_by IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    until      timestamptz -- of a snoozed item; NULL: for good
);

CREATE INDEX review_decisions_agent_id_idx ON review_decisions (agent_id);
