-- A time that a file states for itself counts as none where its year is not one from 1 to 9999: no answer can tell such a time, and a
-- list cannot go on behind it. What was taken in with one counts from the modification time of its file, as it would today.

-- +goose Up
UPDATE files SET modified_at = 'epoch'::timestamptz + mtime_ns / 1000 * interval '1 microsecond'
WHERE modified_at < '0001-01-01 00:00:00+00' OR modified_at >= '10000-01-01 00:00:00+00';

UPDATE memories m SET modified_at = coalesce(
    (SELECT f.modified_at FROM files f WHERE f.agent_id = m.agent_id AND f.path = m.path AND f.memory_id = m.id), m.content_at)
WHERE m.modified_at < '0001-01-01 00:00:00+00' OR m.modified_at >= '10000-01-01 00:00:00+00';
