-- Counts that are kept as rows change, in place of counting them at each request, and a search index whose rows are short.
-- schema.sql says what for.

-- +goose Up
CREATE TABLE memory_tallies (
    agent_id bigint NOT NULL,
    state    text NOT NULL,
    type     text NOT NULL, -- empty: none
    n        integer NOT NULL,
    PRIMARY KEY (agent_id, state, type)
);

CREATE TABLE file_tallies (
    agent_id bigint PRIMARY KEY,
    present  integer NOT NULL
);

INSERT INTO memory_tallies SELECT agent_id, state, coalesce(type, ''), count(*) FROM memories GROUP BY 1, 2, 3;
INSERT INTO file_tallies SELECT agent_id, count(*) FROM files WHERE present GROUP BY agent_id;

-- +goose StatementBegin
CREATE FUNCTION tally_memories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO memory_tallies AS t
        SELECT agent_id, state, coalesce(type, ''), count(*) FROM came GROUP BY 1, 2, 3
        ON CONFLICT (agent_id, state, type) DO UPDATE SET n = t.n + excluded.n;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO memory_tallies AS t
        SELECT agent_id, state, type, sum(n)
        FROM (SELECT agent_id, state, coalesce(type, '') AS type, 1 AS n FROM came
              UNION ALL SELECT agent_id, state, coalesce(type, ''), -1 FROM went) changes
        GROUP BY agent_id, state, type
        HAVING sum(n) <> 0
        ON CONFLICT (agent_id, state, type) DO UPDATE SET n = t.n + excluded.n;
    ELSE -- Of an agent that is forgotten the tallies may be gone already.
        UPDATE memory_tallies t SET n = t.n - gone.n
        FROM (SELECT agent_id, state, coalesce(type, '') AS type, count(*) AS n FROM went GROUP BY 1, 2, 3) gone
        WHERE (t.agent_id, t.state, t.type) = (gone.agent_id, gone.state, gone.type);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER tally_insert AFTER INSERT ON memories REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER tally_update AFTER UPDATE ON memories REFERENCING NEW TABLE AS came OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER tally_delete AFTER DELETE ON memories REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();

-- +goose StatementBegin
CREATE FUNCTION tally_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO file_tallies AS t
        SELECT agent_id, count(*) FROM came WHERE present GROUP BY agent_id
        ON CONFLICT (agent_id) DO UPDATE SET present = t.present + excluded.present;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO file_tallies AS t
        SELECT agent_id, sum(n)
        FROM (SELECT agent_id, 1 AS n FROM came WHERE present UNION ALL SELECT agent_id, -1 FROM went WHERE present) changes
        GROUP BY agent_id
        HAVING sum(n) <> 0
        ON CONFLICT (agent_id) DO UPDATE SET present = t.present + excluded.present;
    ELSE
        UPDATE file_tallies t SET present = t.present - gone.n
        FROM (SELECT agent_id, count(*) AS n FROM went WHERE present GROUP BY agent_id) gone
        WHERE t.agent_id = gone.agent_id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER tally_insert AFTER INSERT ON files REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_files();
CREATE TRIGGER tally_update AFTER UPDATE ON files REFERENCING NEW TABLE AS came OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION tally_files();
CREATE TRIGGER tally_delete AFTER DELETE ON files REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION tally_files();

-- The rows are another shape from now on. The next start fills them anew.
TRUNCATE memory_search;
ALTER TABLE memory_search ADD COLUMN blanks text NOT NULL DEFAULT repeat(' ', 2048);
ALTER TABLE memory_search ALTER COLUMN blanks SET STORAGE MAIN;
