-- Which memories files disagree about is noted as files change, in place of looking for them at each request. schema.sql says more.

-- +goose Up
CREATE TABLE disagreements (
    memory_id uuid NOT NULL,
    agent_id  bigint NOT NULL,
    PRIMARY KEY (memory_id, agent_id)
);

CREATE INDEX disagreements_of_agent ON disagreements (agent_id);

INSERT INTO disagreements
SELECT DISTINCT f.memory_id, f.agent_id
FROM files f
WHERE f.session IS NOT NULL AND f.present AND f.status = 'carries'
  AND EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                    AND o.fingerprint <> f.fingerprint)
  AND NOT EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                        AND o.session IS NULL AND o.content_at >= f.content_at);

-- +goose StatementBegin
CREATE FUNCTION note_disagreements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    touched uuid[];
BEGIN
    -- Hardly any file has to be looked at closer: of those that are new, what says the same as all others of its memory leaves nothing to
    -- note, and of those that change, what no session has a file of.
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(DISTINCT c.memory_id) INTO touched FROM came c
        WHERE EXISTS (SELECT FROM files o WHERE o.memory_id = c.memory_id AND o.present AND o.fingerprint <> c.fingerprint);
    ELSIF TG_OP = 'UPDATE' THEN
        SELECT array_agg(DISTINCT changed.memory_id) INTO touched
        FROM (SELECT memory_id, session FROM came UNION ALL SELECT memory_id, session FROM went) changed
        WHERE changed.session IS NOT NULL
           OR EXISTS (SELECT FROM files s WHERE s.memory_id = changed.memory_id AND s.present AND s.session IS NOT NULL);
    ELSE
        SELECT array_agg(DISTINCT w.memory_id) INTO touched FROM went w
        WHERE w.session IS NOT NULL OR EXISTS (SELECT FROM files s WHERE s.memory_id = w.memory_id AND s.present AND s.session IS NOT NULL);
    END IF;
    IF touched IS NULL THEN
        RETURN NULL;
    END IF;
    DELETE FROM disagreements WHERE memory_id = ANY(touched);
    INSERT INTO disagreements
    SELECT DISTINCT f.memory_id, f.agent_id
    FROM files f
    WHERE f.memory_id = ANY(touched) AND f.session IS NOT NULL AND f.present AND f.status = 'carries'
      AND EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                        AND o.fingerprint <> f.fingerprint)
      AND NOT EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                            AND o.session IS NULL AND o.content_at >= f.content_at);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER disagreements_insert AFTER INSERT ON files REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION note_disagreements();
CREATE TRIGGER disagreements_update AFTER UPDATE ON files REFERENCING NEW TABLE AS came OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION note_disagreements();
CREATE TRIGGER disagreements_delete AFTER DELETE ON files REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION note_disagreements();
