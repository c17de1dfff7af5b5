-- Files that are unfinished keep their last good content, and primary files of one name that say different things are a conflict.
-- schema.sql says more.

-- +goose Up
ALTER TABLE files ADD COLUMN flaws text;
ALTER TABLE files ADD COLUMN unfinished text;

-- Until now a file was taken whatever it was like. So what a file lacks already does not make it unfinished.
UPDATE files f SET flaws = CASE WHEN m.problems @> '[{"code": "no_frontmatter"}]' THEN 'unclosed,nameless' ELSE 'nameless' END
FROM memories m
WHERE m.id = f.memory_id AND f.present AND f.status = 'carries' AND f.session IS NULL
  AND (m.problems @> '[{"code": "no_frontmatter"}]' OR m.problems @> '[{"code": "name_missing"}]' OR m.problems @> '[{"code": "name_not_text"}]');

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_disagreements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    touched uuid[];
BEGIN
    -- Few files have to be examined: of those that are new, the ones that differ from another file of their memory, and of those that
    -- change, the ones whose memory has another file. Postgres keeps the plan of the first change of a connection, which may have been
    -- one of thousands: EXISTS would read all files for that, and then for each one that changes. A subquery that gives a value always
    -- uses the index.
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(DISTINCT c.memory_id) INTO touched FROM came c
        WHERE EXISTS (SELECT FROM files o WHERE o.memory_id = c.memory_id AND o.present AND o.fingerprint <> c.fingerprint);
    ELSIF TG_OP = 'UPDATE' THEN
        SELECT array_agg(DISTINCT changed.memory_id) INTO touched
        FROM (SELECT memory_id, path FROM came UNION ALL SELECT memory_id, path FROM went) changed
        WHERE (SELECT true FROM files o WHERE o.memory_id = changed.memory_id AND o.present AND o.path <> changed.path LIMIT 1)
           OR (SELECT true FROM disagreements d WHERE d.memory_id = changed.memory_id LIMIT 1);
    ELSE
        SELECT array_agg(DISTINCT w.memory_id) INTO touched FROM went w
        WHERE (SELECT true FROM files o WHERE o.memory_id = w.memory_id AND o.present LIMIT 1)
           OR (SELECT true FROM disagreements d WHERE d.memory_id = w.memory_id LIMIT 1);
    END IF;
    IF touched IS NULL THEN
        RETURN NULL;
    END IF;
    DELETE FROM disagreements WHERE memory_id = ANY(touched);
    INSERT INTO disagreements
    SELECT DISTINCT f.memory_id, f.agent_id
    FROM files f
    WHERE f.memory_id = ANY(touched) AND f.present AND f.status = 'carries'
      AND EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                        AND o.fingerprint <> f.fingerprint AND (f.session IS NOT NULL OR o.session IS NULL))
      AND (f.session IS NULL
           OR NOT EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                                AND o.session IS NULL AND o.content_at >= f.content_at));
    RETURN NULL;
END
$$;
-- +goose StatementEnd

INSERT INTO disagreements
SELECT f.memory_id, f.agent_id
FROM files f
WHERE f.memory_id IS NOT NULL AND f.session IS NULL AND f.present AND f.status = 'carries'
GROUP BY f.memory_id, f.agent_id
HAVING count(DISTINCT f.fingerprint) > 1
ON CONFLICT DO NOTHING;
