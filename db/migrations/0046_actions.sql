-- Adds to the journal which request made a change, by which browser, and who revealed a secret.

-- +goose Up
ALTER TABLE activity ADD COLUMN action text COLLATE "C", ADD COLUMN browser text COLLATE "C";
ALTER TABLE activity DROP CONSTRAINT activity_kind_check;
ALTER TABLE activity ADD CONSTRAINT activity_kind_check
    CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                    'cleared', 'purged', 'blocked', 'allowed', 'discarded', 'revealed'));
CREATE INDEX activity_action_idx ON activity (action) WHERE action IS NOT NULL;
ALTER TABLE server_requests ADD COLUMN action text NOT NULL DEFAULT '', ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN deleted_browser text COLLATE "C";
