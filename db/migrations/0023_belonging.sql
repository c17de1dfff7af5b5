-- Whether new memories have their agent, and new revisions their memory, is asked once for each statement in place of once for each row:
-- of what Postgres does to save a thousand memories that was a fifth. And no statistics are kept of texts. schema.sql says more.

-- +goose Up
ALTER TABLE memories DROP CONSTRAINT memories_agent_id_fkey;
ALTER TABLE revisions DROP CONSTRAINT revisions_memory_id_fkey;

-- +goose StatementBegin
CREATE FUNCTION belong_to_agents() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    owners bigint[];
BEGIN
    SELECT array_agg(DISTINCT agent_id) INTO owners FROM came;
    PERFORM FROM agents WHERE id = ANY(owners) FOR KEY SHARE;
    IF EXISTS (SELECT FROM unnest(owners) AS owner WHERE owner NOT IN (SELECT id FROM agents)) THEN
        RAISE foreign_key_violation USING MESSAGE = 'there is no such agent', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION belong_to_memories() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    owners uuid[];
BEGIN
    SELECT array_agg(DISTINCT memory_id) INTO owners FROM came;
    PERFORM FROM agents WHERE id = ANY(ARRAY(SELECT DISTINCT agent_id FROM memories WHERE id = ANY(owners))) FOR KEY SHARE;
    IF (SELECT count(*) FROM memories WHERE id = ANY(owners)) < cardinality(owners) THEN
        RAISE foreign_key_violation USING MESSAGE = 'there is no such memory', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION go_with_agents() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM memories WHERE agent_id = ANY(ARRAY(SELECT id FROM went));
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION go_with_memories() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM revisions WHERE memory_id = ANY(ARRAY(SELECT id FROM went));
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER belong_insert AFTER INSERT ON memories REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION belong_to_agents();
CREATE TRIGGER belong_insert AFTER INSERT ON revisions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION belong_to_memories();
CREATE TRIGGER belong_delete AFTER DELETE ON agents REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION go_with_agents();
CREATE TRIGGER belong_delete AFTER DELETE ON memories REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION go_with_memories();

ALTER TABLE revisions ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE revisions ALTER COLUMN raw SET STATISTICS 0;
ALTER TABLE memory_search ALTER COLUMN words SET STATISTICS 0;
