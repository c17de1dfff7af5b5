-- The journal of what happened to memories. schema.sql says what the columns are for.

-- +goose Up
CREATE TABLE activity (
    id          bigint GENERATED ALWAYS AS IDENTITY,
    agent_id    bigint NOT NULL,
    at          timestamptz NOT NULL,
    memory_id   uuid,
    name        text COLLATE "C" NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('learned', 'changed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                                              'cleared', 'purged', 'blocked', 'allowed', 'discarded')),
    actor       text NOT NULL CHECK (actor IN ('session', 'disk', 'browser', 'script', 'memoir')),
    path        text COLLATE "C" NOT NULL,
    session     text,
    state       text CHECK (state IN ('active', 'needs_attention', 'missing', 'deleted')),
    type        text CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    revision_id uuid,
    modified_at timestamptz,
    renamed     text,
    PRIMARY KEY (agent_id, at, id)
);

CREATE TABLE growth (
    agent_id bigint NOT NULL,
    day      date NOT NULL,
    type     text NOT NULL CHECK (type IN ('', 'feedback', 'user', 'project', 'reference')),
    alive    integer NOT NULL,
    PRIMARY KEY (agent_id, day, type)
);

-- What is known of the time before there was a journal: when each memory came, and whether and when it went.
INSERT INTO activity (agent_id, at, memory_id, name, kind, actor, path, session, state, type, revision_id, modified_at)
SELECT agent_id, created_at, id, name, 'learned', CASE WHEN session IS NULL THEN 'disk' ELSE 'session' END, path, session,
       CASE WHEN type IS NULL OR NOT readable THEN 'needs_attention' ELSE 'active' END, type, revision_id, modified_at
FROM memories
ORDER BY created_at, id;

-- Who deleted a memory in the trash is known only as a person, and people deleted in a browser first of all.
INSERT INTO activity (agent_id, at, memory_id, name, kind, actor, path, session, state, type, revision_id, modified_at)
SELECT agent_id, greatest(coalesce(deleted_at, updated_at), created_at), id, name, CASE state WHEN 'missing' THEN 'missing' ELSE 'deleted' END,
       CASE WHEN deleted_by = 'person' THEN 'browser' ELSE 'disk' END, path, session, state, type, revision_id, modified_at
FROM memories
WHERE state IN ('missing', 'deleted')
ORDER BY coalesce(deleted_at, updated_at), id;

INSERT INTO growth (agent_id, day, type, alive)
SELECT agent_id, day, type, sum(alive)
FROM (SELECT agent_id, (at AT TIME ZONE 'UTC')::date AS day, coalesce(type, '') AS type,
             CASE kind WHEN 'learned' THEN 1 WHEN 'deleted' THEN -1 ELSE 0 END AS alive
      FROM activity) changes
WHERE alive <> 0
GROUP BY agent_id, day, type
HAVING sum(alive) <> 0;

-- Last, over rows that are all there.
CREATE INDEX activity_by_memory ON activity (memory_id, at, id);
