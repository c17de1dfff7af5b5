-- Concordances, by which searches among very many memories are quick. schema.sql says how.

-- +goose Up
CREATE UNLOGGED TABLE concordances (
    id       bigint PRIMARY KEY,
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    state    text NOT NULL DEFAULT 'begun' CHECK (state IN ('begun', 'complete', 'void')),
    memories integer NOT NULL DEFAULT 0
);

CREATE INDEX concordances_of_agent ON concordances (agent_id);

CREATE UNLOGGED TABLE concordance_parts (
    concordance_id bigint,
    part           integer,
    ids            bytea NOT NULL,
    PRIMARY KEY (concordance_id, part)
);

ALTER TABLE concordance_parts ALTER COLUMN ids SET STORAGE EXTERNAL;

CREATE UNLOGGED TABLE concordance_words (
    concordance_id bigint,
    part           integer,
    word           text COLLATE "C",
    numbers        bytea NOT NULL,
    PRIMARY KEY (concordance_id, part, word)
);

CREATE UNLOGGED TABLE concordance_since (
    concordance_id bigint,
    memory_id      uuid,
    PRIMARY KEY (concordance_id, memory_id)
);

-- +goose StatementBegin
CREATE FUNCTION note_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM concordances) THEN
        RETURN NULL;
    END IF;
    IF TG_TABLE_NAME = 'memories' THEN
        INSERT INTO concordance_since (concordance_id, memory_id)
        SELECT c.id, m.id FROM changed m JOIN concordances c ON c.agent_id = m.agent_id
        ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO concordance_since (concordance_id, memory_id)
        SELECT c.id, m.id FROM changed s JOIN memories m ON m.id = s.memory_id JOIN concordances c ON c.agent_id = m.agent_id
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION remove_concordance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM concordance_parts WHERE concordance_id = OLD.id;
    DELETE FROM concordance_words WHERE concordance_id = OLD.id;
    DELETE FROM concordance_since WHERE concordance_id = OLD.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER since_insert AFTER INSERT ON memory_search REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER since_update AFTER UPDATE ON memory_search REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER since_delete AFTER DELETE ON memory_search REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER since_removal AFTER DELETE ON memories REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER removal AFTER DELETE ON concordances FOR EACH ROW EXECUTE FUNCTION remove_concordance();
