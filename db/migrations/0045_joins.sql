-- Memoir no longer joins two agents or separates them. A memory directory that is a link still
-- counts as its target's agent.

-- +goose Up
DROP TABLE joins;
DELETE FROM activity WHERE kind IN ('joined', 'parted');
ALTER TABLE activity DROP CONSTRAINT activity_kind_check;
ALTER TABLE activity ADD CONSTRAINT activity_kind_check
    CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                    'cleared', 'purged', 'blocked', 'allowed', 'discarded'));
