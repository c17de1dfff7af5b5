-- From version 38, when 38 migrations led to the schema, to the first version that schema.sql makes. In this order: the
-- search index of its own goes, vectors are stored as any value (the next start fills the index again), joined agents
-- go, a call to another server is sent once, foreign keys replace triggers, and scans record conflicts.

-- +goose Up
DROP TRIGGER since_insert ON memory_search;
DROP TRIGGER since_update ON memory_search;
DROP TRIGGER since_delete ON memory_search;
DROP TRIGGER since_removal ON memories;
DROP TABLE concordance_since;
DROP TABLE concordance_words;
DROP TABLE concordance_parts;
DROP TABLE concordances;
DROP FUNCTION note_since();
DROP FUNCTION remove_concordance();

TRUNCATE memory_search;
ALTER TABLE memory_search DROP COLUMN blanks;
ALTER TABLE memory_search RESET (toast_tuple_target);
ALTER TABLE memory_search ALTER COLUMN words SET STORAGE EXTENDED;

DROP TABLE joins;
DELETE FROM activity WHERE kind IN ('joined', 'parted');
ALTER TABLE activity DROP CONSTRAINT activity_kind_check;
ALTER TABLE activity ADD CONSTRAINT activity_kind_check
    CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                    'cleared', 'purged', 'blocked', 'allowed', 'discarded'));

ALTER TABLE requests DROP COLUMN repeated;

DROP TRIGGER belong_insert ON memories;
DROP TRIGGER belong_insert ON revisions;
DROP TRIGGER belong_delete ON agents;
DROP TRIGGER belong_delete ON memories;
DROP FUNCTION belong_to_agents();
DROP FUNCTION belong_to_memories();
DROP FUNCTION go_with_agents();
DROP FUNCTION go_with_memories();
DROP TRIGGER tally_insert ON files;
DROP TRIGGER tally_update ON files;
DROP TRIGGER tally_delete ON files;
DROP FUNCTION tally_files();
DROP TABLE file_tallies;

DELETE FROM memories WHERE agent_id NOT IN (SELECT id FROM agents);
DELETE FROM revisions WHERE memory_id NOT IN (SELECT id FROM memories);
DELETE FROM files WHERE agent_id NOT IN (SELECT id FROM agents);
DELETE FROM tombstones WHERE agent_id NOT IN (SELECT id FROM agents);
DELETE FROM blocked WHERE agent_id NOT IN (SELECT id FROM agents);
DELETE FROM activity WHERE agent_id NOT IN (SELECT id FROM agents);
DELETE FROM growth WHERE agent_id NOT IN (SELECT id FROM agents);
DELETE FROM memory_tallies WHERE agent_id NOT IN (SELECT id FROM agents);
DELETE FROM recalled WHERE agent_id NOT IN (SELECT id FROM agents);

ALTER TABLE memories ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;
ALTER TABLE revisions ADD FOREIGN KEY (memory_id) REFERENCES memories (id) ON DELETE CASCADE;
ALTER TABLE files ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;
ALTER TABLE tombstones ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;
ALTER TABLE blocked ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;
ALTER TABLE activity ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;
ALTER TABLE growth ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;
ALTER TABLE memory_tallies ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;
ALTER TABLE recalled ADD FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE;

DROP TRIGGER disagreements_insert ON files;
DROP TRIGGER disagreements_update ON files;
DROP TRIGGER disagreements_delete ON files;
DROP FUNCTION note_disagreements();

ALTER TABLE memories ADD COLUMN conflict text CHECK (conflict IN ('session', 'primary'));
UPDATE memories m SET conflict = CASE WHEN (
    SELECT count(DISTINCT f.fingerprint) FROM files f
    WHERE f.memory_id = m.id AND f.present AND f.status = 'carries' AND f.session IS NULL) > 1 THEN 'primary' ELSE 'session' END
FROM disagreements d WHERE d.memory_id = m.id;
CREATE INDEX memories_conflict ON memories (agent_id) WHERE conflict IS NOT NULL;
DROP TABLE disagreements;
