-- A scan records which memories have files that disagree; a trigger did so before.

-- +goose Up
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
