-- Names are compared in Unicode's form NFC. A memory whose name has another form is renamed. Where several memories of an agent have
-- the same name in different forms, the one that lives and has the newest content gets the name, and the files of the others are read
-- again: they carry that memory then. A database with another encoding than UTF-8 cannot normalise, and its names stay.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    twin record;
    holder uuid;
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RETURN;
    END IF;
    CREATE TEMPORARY TABLE twins ON COMMIT DROP AS
    SELECT m.id, m.agent_id, m.team, m.name, normalize(m.name, NFC) AS nfc,
           row_number() OVER (PARTITION BY m.agent_id, m.team, normalize(m.name, NFC)
                              ORDER BY m.state <> 'deleted' DESC, m.content_at DESC, m.name IS NFC NORMALIZED DESC, m.id) AS rank
    FROM memories m
    WHERE m.readable AND EXISTS (
        SELECT FROM memories o
        WHERE o.agent_id = m.agent_id AND o.team = m.team AND o.readable AND o.name IS NOT NFC NORMALIZED
          AND normalize(o.name, NFC) = normalize(m.name, NFC));
    FOR twin IN SELECT * FROM twins WHERE rank = 1 AND name <> nfc LOOP
        SELECT id INTO holder FROM memories
        WHERE agent_id = twin.agent_id AND team = twin.team AND name = twin.nfc AND readable;
        -- The two change names; no two may have one name in between.
        UPDATE memories SET name = twin.name || ' ' || id WHERE id = holder;
        UPDATE memories SET name = twin.nfc WHERE id = twin.id;
        UPDATE memories SET name = twin.name WHERE id = holder;
        DELETE FROM memory_search WHERE memory_id IN (twin.id, holder);
    END LOOP;
    UPDATE files SET signature = NULL, fingerprint = decode(repeat('00', 32), 'hex')
    WHERE present AND memory_id IN (SELECT id FROM twins WHERE rank > 1);
    UPDATE agents SET claude_md_in_step = NULL, memories_version = memories_version + 1
    WHERE id IN (SELECT agent_id FROM twins);

    INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
    SELECT agent_id, normalize(name, NFC), fingerprint, deleted_at, team FROM tombstones WHERE name IS NOT NFC NORMALIZED
    ON CONFLICT DO NOTHING;
    DELETE FROM tombstones WHERE name IS NOT NFC NORMALIZED;
    UPDATE blocked SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
    UPDATE activity SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
END
$$;
-- +goose StatementEnd
