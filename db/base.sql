-- The tables of version 38, the oldest that db/migrations upgrades. A backup of an earlier version is
-- restored into them and their migrations. schema.sql describes the tables of today.
CREATE TABLE agents (
    id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug                   text COLLATE "C" NOT NULL UNIQUE,
    layout                 text NOT NULL CHECK (layout IN ('hive', 'claude', 'directory', 'shared')),
    dir                    text NOT NULL,
    display_name           text NOT NULL,
    present                boolean NOT NULL DEFAULT true,
    sessions               integer NOT NULL DEFAULT 0,
    durable_device         bigint,
    claude_md_path         text,
    claude_md_published_at timestamptz,
    claude_md_chars        integer NOT NULL DEFAULT 0,
    claude_md_problem      text,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL,
    claude_md_in_step      text,
    memories_version       bigint NOT NULL DEFAULT 0,
    memory_off             boolean NOT NULL DEFAULT false,
    joined_to              text COLLATE "C" REFERENCES agents (slug) ON DELETE SET NULL,
    durable_inode          bigint
);
CREATE INDEX agents_joined ON agents (joined_to) WHERE joined_to IS NOT NULL;
CREATE TABLE joins (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    into_id  bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    doing    text NOT NULL CHECK (doing IN ('join', 'part')),
    beside   text NOT NULL,
    actor    text NOT NULL,
    begun_at timestamptz NOT NULL
);
CREATE INDEX joins_into ON joins (into_id);
CREATE INDEX agents_shared ON agents (id) WHERE layout = 'shared';
CREATE TABLE memories (
    id              uuid PRIMARY KEY,
    agent_id        bigint NOT NULL,
    name            text COLLATE "C" NOT NULL,
    readable        boolean NOT NULL,
    state           text NOT NULL CHECK (state IN ('active', 'needs_attention', 'missing', 'deleted')),
    type            text CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    revision_id     uuid NOT NULL,
    fingerprint     bytea NOT NULL,
    hash            text NOT NULL,
    size            bigint NOT NULL,
    path            text COLLATE "C" NOT NULL,
    session         text,
    modified_at     timestamptz NOT NULL,
    content_at      timestamptz NOT NULL,
    problems        jsonb NOT NULL DEFAULT '[]',
    claude_md_chars integer NOT NULL DEFAULT 0,
    claude_md_listed boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    deleted_at      timestamptz,
    deleted_by      text CHECK (deleted_by IN ('person', 'disk')),
    index_lines     jsonb,
    restoring       boolean NOT NULL DEFAULT false,
    description     text NOT NULL,
    team            boolean NOT NULL DEFAULT false,
    deleted_actor   text CHECK (deleted_actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    CHECK ((state = 'deleted') = (deleted_at IS NOT NULL))
);
CREATE UNIQUE INDEX memories_by_name ON memories (agent_id, name, team) WHERE readable;
CREATE UNIQUE INDEX memories_by_unreadable_path ON memories (agent_id, path) WHERE NOT readable AND state <> 'deleted';
CREATE INDEX memories_in_order_of_update ON memories (agent_id, updated_at DESC, id);
CREATE INDEX memories_in_order_of_name ON memories (agent_id, name, id);
CREATE INDEX memories_in_order_of_age ON memories (agent_id, modified_at, id);
CREATE INDEX memories_by_state ON memories (agent_id, state, type);
CREATE INDEX memories_in_trash ON memories (agent_id, id) WHERE state = 'deleted';
CREATE INDEX memories_in_team ON memories (agent_id) WHERE team AND state <> 'deleted';
CREATE INDEX memories_to_restore ON memories (agent_id) WHERE restoring;
CREATE TABLE revisions (
    id          uuid PRIMARY KEY,
    memory_id   uuid NOT NULL,
    fingerprint bytea NOT NULL,
    hash        text NOT NULL,
    type        text,
    description text NOT NULL,
    body        text NOT NULL,
    raw         bytea,
    path        text NOT NULL,
    session     text,
    seen_at     timestamptz NOT NULL,
    seen_order  bigint GENERATED ALWAYS AS IDENTITY
);
CREATE UNIQUE INDEX revisions_by_content ON revisions (memory_id, fingerprint);
ALTER TABLE revisions ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE revisions ALTER COLUMN raw SET STATISTICS 0;
CREATE FUNCTION belong_to_agents() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    owners bigint[];
    held bigint;
BEGIN
    SELECT array_agg(DISTINCT agent_id) INTO owners FROM came;
    PERFORM FROM agents WHERE id = ANY(owners) FOR KEY SHARE;
    GET DIAGNOSTICS held = ROW_COUNT;
    IF held < cardinality(owners) THEN
        RAISE foreign_key_violation USING MESSAGE = 'there is no such agent', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END
$$;
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
CREATE FUNCTION go_with_agents() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM memories WHERE agent_id = ANY(ARRAY(SELECT id FROM went));
    RETURN NULL;
END
$$;
CREATE FUNCTION go_with_memories() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM revisions WHERE memory_id = ANY(ARRAY(SELECT id FROM went));
    RETURN NULL;
END
$$;
CREATE TRIGGER belong_insert AFTER INSERT ON memories REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION belong_to_agents();
CREATE TRIGGER belong_insert AFTER INSERT ON revisions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION belong_to_memories();
CREATE TRIGGER belong_delete AFTER DELETE ON agents REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION go_with_agents();
CREATE TRIGGER belong_delete AFTER DELETE ON memories REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION go_with_memories();
CREATE TABLE files (
    agent_id    bigint NOT NULL,
    path        text COLLATE "C" NOT NULL,
    session     text,
    memory_id   uuid,
    status      text NOT NULL CHECK (status IN ('carries', 'blocked', 'unreadable', 'removing')),
    present     boolean NOT NULL,
    fingerprint bytea NOT NULL,
    hash        text NOT NULL,
    size        bigint NOT NULL,
    mtime_ns    bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    content_at  timestamptz NOT NULL,
    problem     text,
    signature   bigint,
    promised    text,
    flaws       text,
    unfinished  text,
    PRIMARY KEY (agent_id, path),
    CHECK (signature IS NULL OR present AND status IN ('carries', 'unreadable'))
);
CREATE INDEX files_by_memory ON files (memory_id) WHERE present;
CREATE INDEX files_gone_by_memory ON files (memory_id) WHERE NOT present;
CREATE INDEX files_to_remove ON files (agent_id) WHERE status = 'removing';
CREATE TABLE tombstones (
    agent_id    bigint NOT NULL,
    name        text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    deleted_at  timestamptz NOT NULL,
    team        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent_id, name, team, fingerprint)
);
CREATE TABLE blocked (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL,
    path        text COLLATE "C" NOT NULL,
    session     text,
    name        text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    hash        text NOT NULL,
    type        text,
    description text NOT NULL,
    body        text NOT NULL,
    seen_at     timestamptz NOT NULL,
    team        boolean NOT NULL DEFAULT false,
    UNIQUE (agent_id, path)
);
CREATE TABLE activity (
    id          bigint GENERATED ALWAYS AS IDENTITY,
    agent_id    bigint NOT NULL,
    at          timestamptz NOT NULL,
    memory_id   uuid,
    name        text COLLATE "C" NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                                              'cleared', 'purged', 'blocked', 'allowed', 'discarded', 'joined', 'parted')),
    actor       text NOT NULL CHECK (actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    path        text COLLATE "C" NOT NULL,
    session     text,
    state       text CHECK (state IN ('active', 'needs_attention', 'missing', 'deleted')),
    type        text CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    revision_id uuid,
    modified_at timestamptz,
    renamed     text,
    team        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent_id, at, id)
);
CREATE INDEX activity_by_memory ON activity (memory_id, at, id);
CREATE TABLE growth (
    agent_id bigint NOT NULL,
    day      date NOT NULL,
    type     text NOT NULL CHECK (type IN ('', 'feedback', 'user', 'project', 'reference')),
    alive    integer NOT NULL,
    PRIMARY KEY (agent_id, day, type)
);
CREATE TABLE memory_tallies (
    agent_id bigint NOT NULL,
    state    text NOT NULL,
    type     text NOT NULL,
    n        integer NOT NULL,
    PRIMARY KEY (agent_id, state, type)
);
CREATE TABLE file_tallies (
    agent_id bigint PRIMARY KEY,
    present  integer NOT NULL
);
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
    ELSE
        UPDATE memory_tallies t SET n = t.n - gone.n
        FROM (SELECT agent_id, state, coalesce(type, '') AS type, count(*) AS n FROM went GROUP BY 1, 2, 3) gone
        WHERE (t.agent_id, t.state, t.type) = (gone.agent_id, gone.state, gone.type);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER tally_insert AFTER INSERT ON memories REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER tally_update AFTER UPDATE ON memories REFERENCING NEW TABLE AS came OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER tally_delete AFTER DELETE ON memories REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
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
CREATE TRIGGER tally_insert AFTER INSERT ON files REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_files();
CREATE TRIGGER tally_update AFTER UPDATE ON files REFERENCING NEW TABLE AS came OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION tally_files();
CREATE TRIGGER tally_delete AFTER DELETE ON files REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION tally_files();
CREATE TABLE disagreements (
    memory_id uuid NOT NULL,
    agent_id  bigint NOT NULL,
    PRIMARY KEY (memory_id, agent_id)
);
CREATE INDEX disagreements_of_agent ON disagreements (agent_id);
CREATE FUNCTION note_disagreements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    touched uuid[];
BEGIN
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
CREATE TRIGGER disagreements_insert AFTER INSERT ON files REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION note_disagreements();
CREATE TRIGGER disagreements_update AFTER UPDATE ON files REFERENCING NEW TABLE AS came OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION note_disagreements();
CREATE TRIGGER disagreements_delete AFTER DELETE ON files REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION note_disagreements();
CREATE TABLE memory_search (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    revision_id uuid NOT NULL,
    words       tsvector NOT NULL,
    blanks      text NOT NULL DEFAULT repeat(' ', 2048)
) WITH (toast_tuple_target = 128);
ALTER TABLE memory_search ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE memory_search ALTER COLUMN words SET STATISTICS 0;
ALTER TABLE memory_search ALTER COLUMN blanks SET STORAGE MAIN;
CREATE INDEX memory_search_by_word ON memory_search USING gin (words);
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
    PRIMARY KEY (concordance_id, word, part)
);
CREATE UNLOGGED TABLE concordance_since (
    concordance_id bigint,
    memory_id      uuid,
    PRIMARY KEY (concordance_id, memory_id)
);
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
CREATE FUNCTION remove_concordance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM concordance_parts WHERE concordance_id = OLD.id;
    DELETE FROM concordance_words WHERE concordance_id = OLD.id;
    DELETE FROM concordance_since WHERE concordance_id = OLD.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER since_insert AFTER INSERT ON memory_search REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER since_update AFTER UPDATE ON memory_search REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER since_delete AFTER DELETE ON memory_search REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER since_removal AFTER DELETE ON memories REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_since();
CREATE TRIGGER removal AFTER DELETE ON concordances FOR EACH ROW EXECUTE FUNCTION remove_concordance();
CREATE TABLE search_words (
    word text COLLATE "C" PRIMARY KEY
);
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX search_words_by_trigram ON search_words USING gin (word gin_trgm_ops);
CREATE UNLOGGED TABLE requests (
    id           uuid PRIMARY KEY,
    agent_id     bigint NOT NULL,
    call         text NOT NULL,
    arguments    bytea NOT NULL,
    actor        text NOT NULL,
    repeated     boolean NOT NULL,
    wanted_until timestamptz NOT NULL,
    taken        boolean NOT NULL DEFAULT false,
    answer       bytea
);
CREATE UNLOGGED TABLE figures (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    files    integer NOT NULL,
    pending  integer NOT NULL
);
CREATE TABLE recalls (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    at          timestamptz NOT NULL,
    session     text COLLATE "C",
    asked_by    text NOT NULL CHECK (asked_by IN ('script', 'hook', 'mcp')),
    query       text NOT NULL,
    state       text NOT NULL CHECK (state IN ('pending', 'settled', 'handed_out')),
    selected_by text CHECK (selected_by IN ('model', 'keyword')),
    skipped     text,
    note        text,
    candidates  integer NOT NULL DEFAULT 0,
    took_us     bigint NOT NULL DEFAULT 0,
    chosen      jsonb NOT NULL DEFAULT '[]',
    given       integer NOT NULL DEFAULT 0
);
CREATE INDEX recalls_by_time ON recalls (agent_id, at, id) INCLUDE (asked_by, selected_by, candidates, given, took_us);
CREATE INDEX recalls_in_session ON recalls (agent_id, session, at, id) WHERE session IS NOT NULL;
CREATE TABLE recalled (
    recall_id uuid NOT NULL REFERENCES recalls (id) ON DELETE CASCADE,
    place     integer NOT NULL,
    agent_id  bigint NOT NULL,
    session   text COLLATE "C",
    at        timestamptz NOT NULL,
    memory_id uuid NOT NULL,
    name      text COLLATE "C" NOT NULL,
    bytes     integer NOT NULL,
    why       jsonb NOT NULL,
    PRIMARY KEY (recall_id, place)
);
CREATE INDEX recalled_in_session ON recalled (agent_id, session, at) WHERE session IS NOT NULL;
CREATE INDEX recalled_by_memory ON recalled (agent_id, memory_id, at);
CREATE TABLE recall_sessions (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session     text COLLATE "C" NOT NULL,
    at          timestamptz NOT NULL,
    fresh_since timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (agent_id, session)
);
CREATE TABLE verifications (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    agent_id    bigint NOT NULL,
    revision_id uuid NOT NULL,
    checked_at  timestamptz NOT NULL,
    project     text NOT NULL,
    gone        integer NOT NULL,
    citations   jsonb NOT NULL
);
CREATE INDEX verifications_by_agent ON verifications (agent_id);
CREATE INDEX verifications_with_gone ON verifications (agent_id) WHERE gone > 0;
CREATE TYPE river_job_state AS ENUM (
    'available',
    'cancelled',
    'completed',
    'discarded',
    'pending',
    'retryable',
    'running',
    'scheduled'
);
CREATE TABLE river_job (
    id            bigserial PRIMARY KEY,
    state         river_job_state NOT NULL DEFAULT 'available',
    attempt       smallint NOT NULL DEFAULT 0,
    max_attempts  smallint NOT NULL DEFAULT 25,
    attempted_at  timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    finalized_at  timestamptz,
    scheduled_at  timestamptz NOT NULL DEFAULT now(),
    priority      smallint NOT NULL DEFAULT 1,
    args          jsonb NOT NULL,
    attempted_by  text[],
    errors        jsonb[],
    kind          text NOT NULL,
    metadata      jsonb NOT NULL DEFAULT '{}',
    queue         text NOT NULL DEFAULT 'default',
    tags          varchar(255)[] NOT NULL DEFAULT '{}',
    unique_key    bytea,
    unique_states bit(8),
    CONSTRAINT finalized_or_finalized_at_null CHECK (
        (finalized_at IS NULL AND state NOT IN ('cancelled', 'completed', 'discarded')) OR
        (finalized_at IS NOT NULL AND state IN ('cancelled', 'completed', 'discarded'))
    ),
    CONSTRAINT max_attempts_is_positive CHECK (max_attempts > 0),
    CONSTRAINT priority_in_range CHECK (priority >= 1 AND priority <= 4),
    CONSTRAINT queue_length CHECK (char_length(queue) > 0 AND char_length(queue) < 128),
    CONSTRAINT kind_length CHECK (char_length(kind) > 0 AND char_length(kind) < 128)
);
CREATE FUNCTION river_job_state_in_bitmask(bitmask bit(8), state river_job_state)
RETURNS boolean
LANGUAGE SQL
IMMUTABLE
AS $$
    SELECT CASE state
        WHEN 'available' THEN get_bit(bitmask, 7)
        WHEN 'cancelled' THEN get_bit(bitmask, 6)
        WHEN 'completed' THEN get_bit(bitmask, 5)
        WHEN 'discarded' THEN get_bit(bitmask, 4)
        WHEN 'pending'   THEN get_bit(bitmask, 3)
        WHEN 'retryable' THEN get_bit(bitmask, 2)
        WHEN 'running'   THEN get_bit(bitmask, 1)
        WHEN 'scheduled' THEN get_bit(bitmask, 0)
        ELSE 0
    END = 1;
$$;
CREATE INDEX river_job_kind ON river_job (kind);
CREATE INDEX river_job_state_and_finalized_at_index ON river_job (state, finalized_at) WHERE finalized_at IS NOT NULL;
CREATE INDEX river_job_prioritized_fetching_index ON river_job (state, queue, priority, scheduled_at, id);
CREATE INDEX river_job_args_index ON river_job USING GIN (args);
CREATE INDEX river_job_metadata_index ON river_job USING GIN (metadata);
CREATE UNIQUE INDEX river_job_unique_idx ON river_job (unique_key)
    WHERE unique_key IS NOT NULL AND unique_states IS NOT NULL AND river_job_state_in_bitmask(unique_states, state);
CREATE UNLOGGED TABLE river_leader (
    elected_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    leader_id  text NOT NULL,
    name       text PRIMARY KEY DEFAULT 'default',
    CONSTRAINT name_length CHECK (name = 'default'),
    CONSTRAINT leader_id_length CHECK (char_length(leader_id) > 0 AND char_length(leader_id) < 128)
);
CREATE TABLE river_queue (
    name       text PRIMARY KEY NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    metadata   jsonb NOT NULL DEFAULT '{}',
    paused_at  timestamptz,
    updated_at timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE river_notification (
    id         bigserial PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    payload    text NOT NULL,
    topic      text NOT NULL,
    CONSTRAINT topic_length CHECK (length(topic) > 0 AND length(topic) < 128)
);
CREATE INDEX river_notification_created_at_idx ON river_notification (created_at);
CREATE INDEX river_notification_topic_id_idx ON river_notification (topic, id);
CREATE UNLOGGED TABLE job_servers (
    id      text PRIMARY KEY,
    since   timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE TABLE conversations (
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session    text COLLATE "C" NOT NULL,
    transcript text,
    heard_at   timestamptz NOT NULL,
    read_at    timestamptz,
    last_id    text NOT NULL DEFAULT '',
    read_to    bigint NOT NULL DEFAULT 0,
    mark       bytea NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, session)
);
CREATE TABLE conversation_texts (
    id       uuid PRIMARY KEY,
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session  text COLLATE "C" NOT NULL,
    messages jsonb NOT NULL,
    given_at timestamptz NOT NULL
);
CREATE INDEX conversation_texts_by_session ON conversation_texts (agent_id, session, given_at);
CREATE TABLE proposals (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    state       text NOT NULL CHECK (state IN ('waiting', 'accepting', 'accepted', 'refused')),
    name        text COLLATE "C" NOT NULL,
    type        text NOT NULL CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    description text NOT NULL,
    body        text NOT NULL,
    fingerprint bytea NOT NULL,
    quote       text NOT NULL,
    quoted_at   timestamptz,
    session     text NOT NULL,
    proposed_at timestamptz NOT NULL,
    decided_at  timestamptz,
    decided_by  text CHECK (decided_by IN ('browser', 'script', 'extraction')),
    updates     uuid,
    match       text NOT NULL DEFAULT '',
    memory_id   uuid,
    CHECK ((state = 'waiting') = (decided_at IS NULL))
);
CREATE UNIQUE INDEX proposals_once ON proposals (agent_id, fingerprint);
CREATE INDEX proposals_in_order ON proposals (agent_id, state, proposed_at DESC, id);
CREATE INDEX proposals_to_finish ON proposals (decided_at) WHERE state = 'accepting';
CREATE TABLE logs (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path        text COLLATE "C" NOT NULL,
    day         date NOT NULL,
    title       text NOT NULL,
    text        text NOT NULL,
    entries     integer NOT NULL,
    problems    text[] NOT NULL,
    hash        text NOT NULL,
    size        bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    signature   bigint NOT NULL,
    words       tsvector NOT NULL,
    PRIMARY KEY (agent_id, path)
);
CREATE INDEX logs_by_day ON logs (agent_id, day, path);
CREATE INDEX logs_by_word ON logs USING gin (words);
CREATE TABLE consolidations (
    id            uuid PRIMARY KEY,
    agent_id      bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    made_at       timestamptz NOT NULL,
    made_by       text NOT NULL CHECK (made_by IN ('browser', 'script', 'memoir')),
    closed_at     timestamptz,
    memories      integer NOT NULL,
    model         text,
    note          text NOT NULL,
    input_tokens  integer NOT NULL,
    output_tokens integer NOT NULL,
    chars_before  integer NOT NULL,
    chars_after   integer NOT NULL,
    findings      jsonb NOT NULL
);
CREATE UNIQUE INDEX consolidations_open ON consolidations (agent_id) WHERE closed_at IS NULL;
CREATE INDEX consolidations_by_agent ON consolidations (agent_id, made_at);
CREATE TABLE consolidation_steps (
    id           uuid PRIMARY KEY,
    plan_id      uuid NOT NULL REFERENCES consolidations (id) ON DELETE CASCADE,
    agent_id     bigint NOT NULL,
    place        integer NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('merge', 'update', 'delete', 'reindex')),
    source       text NOT NULL CHECK (source IN ('found', 'model')),
    title        text NOT NULL,
    reason       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('proposed', 'chosen', 'applied', 'refused', 'undoing', 'undone')),
    problem      text NOT NULL,
    changes      jsonb NOT NULL,
    chars_before integer NOT NULL,
    chars_after  integer NOT NULL,
    actor        text NOT NULL CHECK (actor IN ('', 'browser', 'script', 'memoir')),
    applied_at   timestamptz,
    undone_at    timestamptz
);
CREATE UNIQUE INDEX consolidation_steps_in_order ON consolidation_steps (plan_id, place);
CREATE INDEX consolidation_steps_unfinished ON consolidation_steps (agent_id) WHERE state IN ('chosen', 'undoing');
CREATE INDEX consolidation_steps_applied ON consolidation_steps (agent_id, applied_at) WHERE applied_at IS NOT NULL;
CREATE TABLE consolidation_looks (
    agent_id  bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    looked_at timestamptz NOT NULL
);
CREATE TABLE sign_ins (
    id         bytea PRIMARY KEY,
    seal       bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE TABLE index_facts (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path        text NOT NULL,
    line        integer NOT NULL,
    team        boolean NOT NULL,
    heading     text NOT NULL,
    body        text NOT NULL,
    words       tsvector NOT NULL,
    modified_at timestamptz NOT NULL,
    seen_at     timestamptz NOT NULL
);
CREATE INDEX index_facts_by_agent ON index_facts (agent_id, path);
CREATE INDEX index_facts_by_word ON index_facts USING gin (words);
