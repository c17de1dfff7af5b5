-- Team memory: what is below team/ of a memory directory is a memory of its own, whatever private one has its name.

-- +goose Up
ALTER TABLE memories ADD COLUMN team boolean NOT NULL DEFAULT false;
DROP INDEX memories_by_name;
CREATE UNIQUE INDEX memories_by_name ON memories (agent_id, name, team) WHERE readable;
CREATE INDEX memories_in_team ON memories (agent_id) WHERE team AND state <> 'deleted';

ALTER TABLE tombstones ADD COLUMN team boolean NOT NULL DEFAULT false;
ALTER TABLE tombstones DROP CONSTRAINT tombstones_pkey;
ALTER TABLE tombstones ADD PRIMARY KEY (agent_id, name, team, fingerprint);

ALTER TABLE blocked ADD COLUMN team boolean NOT NULL DEFAULT false;

CREATE TEMPORARY TABLE team_files ON COMMIT DROP AS
SELECT f.agent_id, f.path, f.memory_id, f.present AND f.status <> 'removing' AS there
FROM files f JOIN agents a ON a.id = f.agent_id
WHERE f.path ~ CASE a.layout WHEN 'hive' THEN '^(memory|sessions/[^/]+/memory)/team/' ELSE '^team/' END;

-- An entry for a file that could not be read is where that is. A memory is the team's when every file that carries it is in
-- team memory; one without a file where its content came from there.
UPDATE memories m SET team = true
FROM agents a
WHERE a.id = m.agent_id
  AND m.path ~ CASE a.layout WHEN 'hive' THEN '^(memory|sessions/[^/]+/memory)/team/' ELSE '^team/' END
  AND NOT (m.readable AND EXISTS (
      SELECT FROM files f
      WHERE f.memory_id = m.id AND f.present AND f.status IN ('carries', 'unreadable')
        AND NOT EXISTS (SELECT FROM team_files t WHERE t.agent_id = f.agent_id AND t.path = f.path)));
UPDATE memories m SET team = true
WHERE m.readable AND NOT m.team AND m.state <> 'deleted'
  AND EXISTS (SELECT FROM team_files t WHERE t.memory_id = m.id AND t.there)
  AND NOT EXISTS (
      SELECT FROM files f
      WHERE f.memory_id = m.id AND f.present AND f.status IN ('carries', 'unreadable')
        AND NOT EXISTS (SELECT FROM team_files t WHERE t.agent_id = f.agent_id AND t.path = f.path));

UPDATE blocked b SET team = true FROM team_files t WHERE t.agent_id = b.agent_id AND t.path = b.path;

-- What was deleted under a name that files of team memory have had comes back neither as the one nor as the other.
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT t.agent_id, t.name, t.fingerprint, t.deleted_at, true
FROM tombstones t
WHERE EXISTS (SELECT FROM team_files f WHERE f.agent_id = t.agent_id);

-- Of a memory that private files carry as well, those of team memory take their leave. The next look finds them as if they had
-- come back: a memory of the team's.
UPDATE files f SET memory_id = NULL, present = false, status = 'carries', signature = NULL, problem = NULL
FROM team_files t JOIN memories m ON m.id = t.memory_id
WHERE f.agent_id = t.agent_id AND f.path = t.path AND t.there AND m.readable AND NOT m.team;
DELETE FROM blocked b
USING team_files t JOIN memories m ON m.id = t.memory_id
WHERE b.agent_id = t.agent_id AND b.path = t.path AND t.there AND m.readable AND NOT m.team;

-- Where such a memory has its content from team memory, its newest private file is taken for changed by the next look, and has
-- its say again.
UPDATE files f SET hash = '', signature = NULL
FROM memories m
WHERE f.memory_id = m.id AND m.readable AND NOT m.team AND m.state <> 'deleted'
  AND EXISTS (SELECT FROM team_files t WHERE t.agent_id = m.agent_id AND t.path = m.path)
  AND f.path = (SELECT n.path FROM files n
                WHERE n.memory_id = m.id AND n.present AND n.status = 'carries' ORDER BY n.content_at DESC, n.path LIMIT 1);

-- The mark of team memory stands in CLAUDE.md, too.
UPDATE agents SET claude_md_in_step = NULL, memories_version = memories_version + 1
WHERE id IN (SELECT agent_id FROM team_files);
