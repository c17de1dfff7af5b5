-- Two memory directories can be joined to one by hand, and parted again. schema.sql says what that means.

-- +goose Up
ALTER TABLE agents ADD COLUMN joined_to text COLLATE "C" REFERENCES agents (slug) ON DELETE SET NULL;
CREATE INDEX agents_joined ON agents (joined_to) WHERE joined_to IS NOT NULL;

CREATE TABLE joins (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    into_id  bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    doing    text NOT NULL CHECK (doing IN ('join', 'part')),
    beside   text NOT NULL,
    actor    text NOT NULL,
    begun_at timestamptz NOT NULL
);
CREATE INDEX joins_into ON joins (into_id);

ALTER TABLE activity DROP CONSTRAINT activity_kind_check;
ALTER TABLE activity ADD CONSTRAINT activity_kind_check CHECK (kind IN ('learned', 'changed', 'verified', 'deleted', 'restored', 'missing',
    'returned', 'cleared', 'purged', 'blocked', 'allowed', 'discarded', 'joined', 'parted'));
