-- Foreign keys replace the triggers that repeated them; files are counted when they are asked for.

-- +goose Up
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
