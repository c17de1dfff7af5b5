-- What tells whether a file has changed, as one number that Postgres can sum up, and an index for what each scan asks
-- besides. schema.sql says more.

-- +goose Up
-- Without a signature the next look reads a file, which gives it one.
ALTER TABLE files
    DROP COLUMN inode,
    DROP COLUMN ctime_ns,
    ADD COLUMN signature bigint,
    ADD CHECK (signature IS NULL OR present AND status IN ('carries', 'unreadable'));

CREATE INDEX memories_to_restore ON memories (agent_id) WHERE restoring;
