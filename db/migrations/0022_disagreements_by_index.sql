-- A change of one file goes over that file's memory alone, whatever the connection has changed before. schema.sql says more.

-- +goose Up
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_disagreements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    touched uuid[];
BEGIN
    -- Hardly any file has to be looked at closer: of those that are new, what says the same as all others of its memory leaves nothing to
    -- note, and of those that change, what no session has a file of. Postgres keeps the plan that it has made for the first change of a
    -- connection, which may have been one of thousands: EXISTS would go over all files for that, and then for each one that changes. A
    -- subquery that gives a value goes by the index whenever.
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(DISTINCT c.memory_id) INTO touched FROM came c
        WHERE EXISTS (SELECT FROM files o WHERE o.memory_id = c.memory_id AND o.present AND o.fingerprint <> c.fingerprint);
    ELSIF TG_OP = 'UPDATE' THEN
        SELECT array_agg(DISTINCT changed.memory_id) INTO touched
        FROM (SELECT memory_id, session FROM came UNION ALL SELECT memory_id, session FROM went) changed
        WHERE changed.session IS NOT NULL
           OR (SELECT true FROM files s WHERE s.memory_id = changed.memory_id AND s.present AND s.session IS NOT NULL LIMIT 1);
    ELSE
        SELECT array_agg(DISTINCT w.memory_id) INTO touched FROM went w
        WHERE w.session IS NOT NULL
           OR (SELECT true FROM files s WHERE s.memory_id = w.memory_id AND s.present AND s.session IS NOT NULL LIMIT 1);
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
