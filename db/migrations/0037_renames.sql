-- A renamed memory keeps its row, and with that its history. The journal has one entry for it, and tells the team's memories from
-- the private ones, because a memory may have been moved since. The trash names the same actor as the journal.

-- +goose Up
ALTER TABLE activity DROP CONSTRAINT activity_kind_check;
ALTER TABLE activity ADD CONSTRAINT activity_kind_check
    CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                    'cleared', 'purged', 'blocked', 'allowed', 'discarded', 'joined', 'parted'));
ALTER TABLE activity ADD COLUMN team boolean NOT NULL DEFAULT false;
UPDATE activity a SET team = true FROM memories m WHERE m.id = a.memory_id AND m.team;

ALTER TABLE memories ADD COLUMN deleted_actor text
    CHECK (deleted_actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction'));
UPDATE memories m SET deleted_actor = coalesce(
    (SELECT a.actor FROM activity a WHERE a.memory_id = m.id AND a.kind = 'deleted' ORDER BY a.at DESC, a.id DESC LIMIT 1),
    CASE m.deleted_by WHEN 'person' THEN 'browser' ELSE 'disk' END)
WHERE m.state = 'deleted';
