-- A database of version 38, the last one before schema.sql made new databases itself: made by Memoir
-- 4c78a41 over a few agents, with rows added to the tables that stayed empty, and written by pg_dump.
SELECT set_config('check_function_bodies', 'off', false);
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE TYPE public.river_job_state AS ENUM (
    'available',
    'cancelled',
    'completed',
    'discarded',
    'pending',
    'retryable',
    'running',
    'scheduled'
);
CREATE FUNCTION public.belong_to_agents() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
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
CREATE FUNCTION public.belong_to_memories() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
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
CREATE FUNCTION public.go_with_agents() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
    DELETE FROM memories WHERE agent_id = ANY(ARRAY(SELECT id FROM went));
    RETURN NULL;
END
$$;
CREATE FUNCTION public.go_with_memories() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
    DELETE FROM revisions WHERE memory_id = ANY(ARRAY(SELECT id FROM went));
    RETURN NULL;
END
$$;
CREATE FUNCTION public.note_disagreements() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.note_since() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.remove_concordance() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM concordance_parts WHERE concordance_id = OLD.id;
    DELETE FROM concordance_words WHERE concordance_id = OLD.id;
    DELETE FROM concordance_since WHERE concordance_id = OLD.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.river_job_state_in_bitmask(bitmask bit, state public.river_job_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
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
CREATE FUNCTION public.tally_files() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.tally_memories() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE TABLE public.activity (
    id bigint NOT NULL,
    agent_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    memory_id uuid,
    name text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    actor text NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    session text,
    state text,
    type text,
    revision_id uuid,
    modified_at timestamp with time zone,
    renamed text,
    team boolean DEFAULT false NOT NULL,
    CONSTRAINT activity_actor_check CHECK ((actor = ANY (ARRAY['session'::text, 'disk'::text, 'browser'::text, 'script'::text, 'memoir'::text, 'extraction'::text]))),
    CONSTRAINT activity_kind_check CHECK ((kind = ANY (ARRAY['learned'::text, 'changed'::text, 'renamed'::text, 'verified'::text, 'deleted'::text, 'restored'::text, 'missing'::text, 'returned'::text, 'cleared'::text, 'purged'::text, 'blocked'::text, 'allowed'::text, 'discarded'::text, 'joined'::text, 'parted'::text]))),
    CONSTRAINT activity_state_check CHECK ((state = ANY (ARRAY['active'::text, 'needs_attention'::text, 'missing'::text, 'deleted'::text]))),
    CONSTRAINT activity_type_check CHECK ((type = ANY (ARRAY['feedback'::text, 'user'::text, 'project'::text, 'reference'::text])))
);
ALTER TABLE public.activity ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.activity_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.agents (
    id bigint NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    layout text NOT NULL,
    dir text NOT NULL,
    display_name text NOT NULL,
    present boolean DEFAULT true NOT NULL,
    sessions integer DEFAULT 0 NOT NULL,
    durable_device bigint,
    claude_md_path text,
    claude_md_published_at timestamp with time zone,
    claude_md_chars integer DEFAULT 0 NOT NULL,
    claude_md_problem text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    claude_md_in_step text,
    memories_version bigint DEFAULT 0 NOT NULL,
    memory_off boolean DEFAULT false NOT NULL,
    joined_to text COLLATE pg_catalog."C",
    durable_inode bigint,
    CONSTRAINT agents_layout_check CHECK ((layout = ANY (ARRAY['hive'::text, 'claude'::text, 'directory'::text, 'shared'::text])))
);
ALTER TABLE public.agents ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.agents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.blocked (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    session text,
    name text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    hash text NOT NULL,
    type text,
    description text NOT NULL,
    body text NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    team boolean DEFAULT false NOT NULL
);
CREATE UNLOGGED TABLE public.concordance_parts (
    concordance_id bigint NOT NULL,
    part integer NOT NULL,
    ids bytea NOT NULL
);
ALTER TABLE ONLY public.concordance_parts ALTER COLUMN ids SET STORAGE EXTERNAL;
CREATE UNLOGGED TABLE public.concordance_since (
    concordance_id bigint NOT NULL,
    memory_id uuid NOT NULL
);
CREATE UNLOGGED TABLE public.concordance_words (
    concordance_id bigint NOT NULL,
    part integer NOT NULL,
    word text NOT NULL COLLATE pg_catalog."C",
    numbers bytea NOT NULL
);
CREATE UNLOGGED TABLE public.concordances (
    id bigint NOT NULL,
    agent_id bigint NOT NULL,
    state text DEFAULT 'begun'::text NOT NULL,
    memories integer DEFAULT 0 NOT NULL,
    CONSTRAINT concordances_state_check CHECK ((state = ANY (ARRAY['begun'::text, 'complete'::text, 'void'::text])))
);
CREATE TABLE public.consolidation_looks (
    agent_id bigint NOT NULL,
    looked_at timestamp with time zone NOT NULL
);
CREATE TABLE public.consolidation_steps (
    id uuid NOT NULL,
    plan_id uuid NOT NULL,
    agent_id bigint NOT NULL,
    place integer NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    title text NOT NULL,
    reason text NOT NULL,
    state text NOT NULL,
    problem text NOT NULL,
    changes jsonb NOT NULL,
    chars_before integer NOT NULL,
    chars_after integer NOT NULL,
    actor text NOT NULL,
    applied_at timestamp with time zone,
    undone_at timestamp with time zone,
    CONSTRAINT consolidation_steps_actor_check CHECK ((actor = ANY (ARRAY[''::text, 'browser'::text, 'script'::text, 'memoir'::text]))),
    CONSTRAINT consolidation_steps_kind_check CHECK ((kind = ANY (ARRAY['merge'::text, 'update'::text, 'delete'::text, 'reindex'::text]))),
    CONSTRAINT consolidation_steps_source_check CHECK ((source = ANY (ARRAY['found'::text, 'model'::text]))),
    CONSTRAINT consolidation_steps_state_check CHECK ((state = ANY (ARRAY['proposed'::text, 'chosen'::text, 'applied'::text, 'refused'::text, 'undoing'::text, 'undone'::text])))
);
CREATE TABLE public.consolidations (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    made_at timestamp with time zone NOT NULL,
    made_by text NOT NULL,
    closed_at timestamp with time zone,
    memories integer NOT NULL,
    model text,
    note text NOT NULL,
    input_tokens integer NOT NULL,
    output_tokens integer NOT NULL,
    chars_before integer NOT NULL,
    chars_after integer NOT NULL,
    findings jsonb NOT NULL,
    CONSTRAINT consolidations_made_by_check CHECK ((made_by = ANY (ARRAY['browser'::text, 'script'::text, 'memoir'::text])))
);
CREATE TABLE public.conversation_texts (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    messages jsonb NOT NULL,
    given_at timestamp with time zone NOT NULL
);
CREATE TABLE public.conversations (
    agent_id bigint NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    transcript text,
    heard_at timestamp with time zone NOT NULL,
    read_at timestamp with time zone,
    last_id text DEFAULT ''::text NOT NULL,
    read_to bigint DEFAULT 0 NOT NULL,
    mark bytea DEFAULT '\x'::bytea NOT NULL
);
CREATE TABLE public.disagreements (
    memory_id uuid NOT NULL,
    agent_id bigint NOT NULL
);
CREATE UNLOGGED TABLE public.figures (
    agent_id bigint NOT NULL,
    files integer NOT NULL,
    pending integer NOT NULL
);
CREATE TABLE public.file_tallies (
    agent_id bigint NOT NULL,
    present integer NOT NULL
);
CREATE TABLE public.files (
    agent_id bigint NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    session text,
    memory_id uuid,
    status text NOT NULL,
    present boolean NOT NULL,
    fingerprint bytea NOT NULL,
    hash text NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    content_at timestamp with time zone NOT NULL,
    problem text,
    signature bigint,
    promised text,
    flaws text,
    unfinished text,
    CONSTRAINT files_check CHECK (((signature IS NULL) OR (present AND (status = ANY (ARRAY['carries'::text, 'unreadable'::text]))))),
    CONSTRAINT files_status_check CHECK ((status = ANY (ARRAY['carries'::text, 'blocked'::text, 'unreadable'::text, 'removing'::text])))
);
CREATE TABLE public.growth (
    agent_id bigint NOT NULL,
    day date NOT NULL,
    type text NOT NULL,
    alive integer NOT NULL,
    CONSTRAINT growth_type_check CHECK ((type = ANY (ARRAY[''::text, 'feedback'::text, 'user'::text, 'project'::text, 'reference'::text])))
);
CREATE TABLE public.index_facts (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    path text NOT NULL,
    line integer NOT NULL,
    team boolean NOT NULL,
    heading text NOT NULL,
    body text NOT NULL,
    words tsvector NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
CREATE UNLOGGED TABLE public.job_servers (
    id text NOT NULL,
    since timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
CREATE TABLE public.joins (
    agent_id bigint NOT NULL,
    into_id bigint NOT NULL,
    doing text NOT NULL,
    beside text NOT NULL,
    actor text NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    CONSTRAINT joins_doing_check CHECK ((doing = ANY (ARRAY['join'::text, 'part'::text])))
);
CREATE TABLE public.logs (
    agent_id bigint NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    entries integer NOT NULL,
    problems text[] NOT NULL,
    hash text NOT NULL,
    size bigint NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    signature bigint NOT NULL,
    words tsvector NOT NULL
);
CREATE TABLE public.memoir_migrations (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.memoir_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.memoir_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.memories (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    readable boolean NOT NULL,
    state text NOT NULL,
    type text,
    revision_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    hash text NOT NULL,
    size bigint NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    session text,
    modified_at timestamp with time zone NOT NULL,
    content_at timestamp with time zone NOT NULL,
    problems jsonb DEFAULT '[]'::jsonb NOT NULL,
    claude_md_chars integer DEFAULT 0 NOT NULL,
    claude_md_listed boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    deleted_by text,
    index_lines jsonb,
    restoring boolean DEFAULT false NOT NULL,
    description text NOT NULL,
    team boolean DEFAULT false NOT NULL,
    deleted_actor text,
    CONSTRAINT memories_check CHECK (((state = 'deleted'::text) = (deleted_at IS NOT NULL))),
    CONSTRAINT memories_deleted_actor_check CHECK ((deleted_actor = ANY (ARRAY['session'::text, 'disk'::text, 'browser'::text, 'script'::text, 'memoir'::text, 'extraction'::text]))),
    CONSTRAINT memories_deleted_by_check CHECK ((deleted_by = ANY (ARRAY['person'::text, 'disk'::text]))),
    CONSTRAINT memories_state_check CHECK ((state = ANY (ARRAY['active'::text, 'needs_attention'::text, 'missing'::text, 'deleted'::text]))),
    CONSTRAINT memories_type_check CHECK ((type = ANY (ARRAY['feedback'::text, 'user'::text, 'project'::text, 'reference'::text])))
);
CREATE TABLE public.memory_search (
    memory_id uuid NOT NULL,
    revision_id uuid NOT NULL,
    words tsvector NOT NULL,
    blanks text DEFAULT repeat(' '::text, 2048) NOT NULL
)
WITH (toast_tuple_target='128');
ALTER TABLE ONLY public.memory_search ALTER COLUMN words SET STATISTICS 0;
ALTER TABLE ONLY public.memory_search ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.memory_search ALTER COLUMN blanks SET STORAGE MAIN;
CREATE TABLE public.memory_tallies (
    agent_id bigint NOT NULL,
    state text NOT NULL,
    type text NOT NULL,
    n integer NOT NULL
);
CREATE TABLE public.proposals (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    state text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    description text NOT NULL,
    body text NOT NULL,
    fingerprint bytea NOT NULL,
    quote text NOT NULL,
    quoted_at timestamp with time zone,
    session text NOT NULL,
    proposed_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    decided_by text,
    updates uuid,
    match text DEFAULT ''::text NOT NULL,
    memory_id uuid,
    CONSTRAINT proposals_check CHECK (((state = 'waiting'::text) = (decided_at IS NULL))),
    CONSTRAINT proposals_decided_by_check CHECK ((decided_by = ANY (ARRAY['browser'::text, 'script'::text, 'extraction'::text]))),
    CONSTRAINT proposals_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'accepting'::text, 'accepted'::text, 'refused'::text]))),
    CONSTRAINT proposals_type_check CHECK ((type = ANY (ARRAY['feedback'::text, 'user'::text, 'project'::text, 'reference'::text])))
);
CREATE TABLE public.recall_sessions (
    agent_id bigint NOT NULL,
    session text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    fresh_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
);
CREATE TABLE public.recalled (
    recall_id uuid NOT NULL,
    place integer NOT NULL,
    agent_id bigint NOT NULL,
    session text COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    memory_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    bytes integer NOT NULL,
    why jsonb NOT NULL
);
CREATE TABLE public.recalls (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    session text COLLATE pg_catalog."C",
    asked_by text NOT NULL,
    query text NOT NULL,
    state text NOT NULL,
    selected_by text,
    skipped text,
    note text,
    candidates integer DEFAULT 0 NOT NULL,
    took_us bigint DEFAULT 0 NOT NULL,
    chosen jsonb DEFAULT '[]'::jsonb NOT NULL,
    given integer DEFAULT 0 NOT NULL,
    CONSTRAINT recalls_asked_by_check CHECK ((asked_by = ANY (ARRAY['script'::text, 'hook'::text, 'mcp'::text]))),
    CONSTRAINT recalls_selected_by_check CHECK ((selected_by = ANY (ARRAY['model'::text, 'keyword'::text]))),
    CONSTRAINT recalls_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'settled'::text, 'handed_out'::text])))
);
CREATE UNLOGGED TABLE public.requests (
    id uuid NOT NULL,
    agent_id bigint NOT NULL,
    call text NOT NULL,
    arguments bytea NOT NULL,
    actor text NOT NULL,
    repeated boolean NOT NULL,
    wanted_until timestamp with time zone NOT NULL,
    taken boolean DEFAULT false NOT NULL,
    answer bytea
);
CREATE TABLE public.revisions (
    id uuid NOT NULL,
    memory_id uuid NOT NULL,
    fingerprint bytea NOT NULL,
    hash text NOT NULL,
    type text,
    description text NOT NULL,
    body text NOT NULL,
    raw bytea,
    path text NOT NULL,
    session text,
    seen_at timestamp with time zone NOT NULL,
    seen_order bigint NOT NULL
);
ALTER TABLE ONLY public.revisions ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE ONLY public.revisions ALTER COLUMN raw SET STATISTICS 0;
ALTER TABLE public.revisions ALTER COLUMN seen_order ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.revisions_seen_order_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.river_job (
    id bigint NOT NULL,
    state public.river_job_state DEFAULT 'available'::public.river_job_state NOT NULL,
    attempt smallint DEFAULT 0 NOT NULL,
    max_attempts smallint DEFAULT 25 NOT NULL,
    attempted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finalized_at timestamp with time zone,
    scheduled_at timestamp with time zone DEFAULT now() NOT NULL,
    priority smallint DEFAULT 1 NOT NULL,
    args jsonb NOT NULL,
    attempted_by text[],
    errors jsonb[],
    kind text NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    queue text DEFAULT 'default'::text NOT NULL,
    tags character varying(255)[] DEFAULT '{}'::character varying[] NOT NULL,
    unique_key bytea,
    unique_states bit(8),
    CONSTRAINT finalized_or_finalized_at_null CHECK ((((finalized_at IS NULL) AND (state <> ALL (ARRAY['cancelled'::public.river_job_state, 'completed'::public.river_job_state, 'discarded'::public.river_job_state]))) OR ((finalized_at IS NOT NULL) AND (state = ANY (ARRAY['cancelled'::public.river_job_state, 'completed'::public.river_job_state, 'discarded'::public.river_job_state]))))),
    CONSTRAINT kind_length CHECK (((char_length(kind) > 0) AND (char_length(kind) < 128))),
    CONSTRAINT max_attempts_is_positive CHECK ((max_attempts > 0)),
    CONSTRAINT priority_in_range CHECK (((priority >= 1) AND (priority <= 4))),
    CONSTRAINT queue_length CHECK (((char_length(queue) > 0) AND (char_length(queue) < 128)))
);
CREATE SEQUENCE public.river_job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.river_job_id_seq OWNED BY public.river_job.id;
CREATE UNLOGGED TABLE public.river_leader (
    elected_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    leader_id text NOT NULL,
    name text DEFAULT 'default'::text NOT NULL,
    CONSTRAINT leader_id_length CHECK (((char_length(leader_id) > 0) AND (char_length(leader_id) < 128))),
    CONSTRAINT name_length CHECK ((name = 'default'::text))
);
CREATE TABLE public.river_notification (
    id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    payload text NOT NULL,
    topic text NOT NULL,
    CONSTRAINT topic_length CHECK (((length(topic) > 0) AND (length(topic) < 128)))
);
CREATE SEQUENCE public.river_notification_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.river_notification_id_seq OWNED BY public.river_notification.id;
CREATE TABLE public.river_queue (
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    paused_at timestamp with time zone,
    updated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE public.search_words (
    word text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sign_ins (
    id bytea NOT NULL,
    seal bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.tombstones (
    agent_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    fingerprint bytea NOT NULL,
    deleted_at timestamp with time zone NOT NULL,
    team boolean DEFAULT false NOT NULL
);
CREATE TABLE public.verifications (
    memory_id uuid NOT NULL,
    agent_id bigint NOT NULL,
    revision_id uuid NOT NULL,
    checked_at timestamp with time zone NOT NULL,
    project text NOT NULL,
    gone integer NOT NULL,
    citations jsonb NOT NULL
);
ALTER TABLE ONLY public.river_job ALTER COLUMN id SET DEFAULT nextval('public.river_job_id_seq'::regclass);
ALTER TABLE ONLY public.river_notification ALTER COLUMN id SET DEFAULT nextval('public.river_notification_id_seq'::regclass);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (1, 2, '2026-11-25 16:40:09.881091+00', '01a21394-3ee3-727f-9408-60d7be2ee114', 'Bob 0', 'learned', 'disk', 'memory/m00.md', NULL, 'active', 'user', '01a21394-3ee3-73ce-84f1-2769c16a95dc', '2026-11-25 16:40:09.881091+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (2, 2, '2026-11-25 16:40:09.881316+00', '01a21394-3ee3-7292-a00a-8944c1e5906e', 'Bob 1', 'learned', 'disk', 'memory/m01.md', NULL, 'active', 'project', '01a21394-3ee3-73d9-851c-3b9986bb895f', '2026-11-25 16:40:09.881316+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (3, 2, '2026-11-25 16:40:09.882168+00', '01a21394-3ee3-7299-9c61-f95ba44b3bf2', 'Bob 2', 'learned', 'disk', 'memory/m02.md', NULL, 'active', 'feedback', '01a21394-3ee3-73dc-9276-803a7c1cea52', '2026-11-25 16:40:09.882168+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (4, 2, '2026-11-25 16:40:09.882228+00', '01a21394-3ee3-72fb-a8f3-33e41c19f8ac', 'Bob 3', 'learned', 'disk', 'memory/m03.md', NULL, 'active', 'reference', '01a21394-3ee3-73df-bcaa-bd85f0e9eb87', '2026-11-25 16:40:09.882228+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (5, 2, '2026-11-25 16:40:09.882263+00', '01a21394-3ee3-730c-8786-146b2b7d2434', 'Bob 4', 'learned', 'disk', 'memory/m04.md', NULL, 'active', 'user', '01a21394-3ee3-73e0-824f-6ba06b9e25c3', '2026-11-25 16:40:09.882263+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (6, 2, '2026-11-25 16:40:09.882297+00', '01a21394-3ee3-7323-b7a0-8c5eb1b5b0d9', 'Bob 5', 'learned', 'disk', 'memory/m05.md', NULL, 'active', 'project', '01a21394-3ee3-73e2-9989-82ee53711341', '2026-11-25 16:40:09.882297+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (7, 2, '2026-11-25 16:40:09.88233+00', '01a21394-3ee3-7325-8a89-19921e1d82c5', 'Bob 6', 'learned', 'disk', 'memory/m06.md', NULL, 'active', 'feedback', '01a21394-3ee3-73e4-bb08-185d5a2c1677', '2026-11-25 16:40:09.88233+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (8, 2, '2026-11-25 16:40:09.882369+00', '01a21394-3ee3-732f-9448-2eed7b504c82', 'Bob 7', 'learned', 'disk', 'memory/m07.md', NULL, 'active', 'reference', '01a21394-3ee3-73e5-a3a1-2e2b74c8d8ed', '2026-11-25 16:40:09.882369+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (9, 2, '2026-11-25 16:40:09.882402+00', '01a21394-3ee3-7331-baa1-ed1f62ae14a2', 'Bob 8', 'learned', 'disk', 'memory/m08.md', NULL, 'active', 'user', '01a21394-3ee3-73e6-b452-56eaea70a5bd', '2026-11-25 16:40:09.882402+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (10, 2, '2026-11-25 16:40:09.882434+00', '01a21394-3ee3-7341-91ff-f393dcd1a902', 'Bob 9', 'learned', 'disk', 'memory/m09.md', NULL, 'active', 'project', '01a21394-3ee3-73f7-84b5-c249e5e42c15', '2026-11-25 16:40:09.882434+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (11, 2, '2026-11-25 16:40:09.882467+00', '01a21394-3ee3-734a-aaeb-1ce57fa24a53', 'Bob 10', 'learned', 'disk', 'memory/m10.md', NULL, 'active', 'feedback', '01a21394-3ee3-73f9-a635-c7d30f1ece68', '2026-11-25 16:40:09.882467+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (12, 2, '2026-11-25 16:40:09.882498+00', '01a21394-3ee3-73b7-9dc7-57405ec46d3d', 'Bob 11', 'learned', 'disk', 'memory/m11.md', NULL, 'active', 'reference', '01a21394-3ee3-73fa-8007-80ab3f2706dd', '2026-11-25 16:40:09.882498+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (13, 1, '2026-11-25 16:40:09.880474+00', '01a21394-3ef5-7282-ab5a-803fd407a29a', 'Tabs', 'learned', 'disk', 'memory/tabs.md', NULL, 'active', 'feedback', '01a21394-3ef5-7343-a3a0-d9ea81afdaa0', '2026-11-25 16:40:09.880474+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (14, 1, '2026-11-25 16:40:09.880529+00', '01a21394-3ef5-7294-97d3-e9bb7bb0469d', 'Gone', 'learned', 'disk', 'memory/gone.md', NULL, 'active', 'project', '01a21394-3ef5-734d-9158-d0f398a5e1a0', '2026-11-25 16:40:09.880529+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (15, 1, '2026-11-25 16:40:09.880565+00', '01a21394-3ef5-729b-a89a-1338ad64c7a5', 'Purged', 'learned', 'disk', 'memory/purged.md', NULL, 'active', 'project', '01a21394-3ef5-7351-8129-48ee1c14eefc', '2026-11-25 16:40:09.880565+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (16, 1, '2026-11-25 16:40:09.880599+00', '01a21394-3ef5-72b3-a42d-f30c57f2b4f5', 'From disk', 'learned', 'disk', 'memory/disk.md', NULL, 'active', 'user', '01a21394-3ef5-7353-8505-050be4131ae4', '2026-11-25 16:40:09.880599+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (17, 1, '2026-11-25 16:40:09.880632+00', '01a21394-3ef5-72b6-bcfd-c15de6229147', 'Old name', 'learned', 'disk', 'memory/old.md', NULL, 'active', 'reference', '01a21394-3ef5-7354-a350-df893ff5ae80', '2026-11-25 16:40:09.880632+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (18, 1, '2026-11-25 16:40:09.880667+00', '01a21394-3ef5-72c3-88ba-14a301713eb3', 'Returns', 'learned', 'disk', 'memory/returns.md', NULL, 'active', 'user', '01a21394-3ef5-7357-bef9-c6274fd7f6bf', '2026-11-25 16:40:09.880667+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (19, 1, '2026-11-25 16:40:09.880698+00', '01a21394-3ef5-72c9-a64f-e7442d7e812e', 'Restored', 'learned', 'disk', 'memory/restored.md', NULL, 'active', 'user', '01a21394-3ef5-7366-85e0-0adad5f4b643', '2026-11-25 16:40:09.880698+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (20, 1, '2026-11-25 16:40:09.880735+00', '01a21394-3ef5-72d3-853a-f55ba9f81401', 'Two files', 'learned', 'disk', 'memory/two.md', NULL, 'active', 'project', '01a21394-3ef5-7367-8ef8-a8a912890491', '2026-11-25 16:40:09.880735+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (21, 1, '2026-11-25 16:40:09.880799+00', '01a21394-3ef5-72fe-87d8-e563ab3658b1', 'Rival', 'learned', 'disk', 'memory/rival.md', NULL, 'active', 'project', '01a21394-3ef5-739a-bb4f-f37cd8bc4bee', '2026-11-25 16:40:09.880799+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (22, 1, '2026-11-25 16:40:09.880835+00', '01a21394-3ef5-7308-ab82-1de517cd11c4', 'Wiki', 'learned', 'disk', 'memory/team/wiki.md', NULL, 'active', 'reference', '01a21394-3ef5-73a4-8031-758074630c99', '2026-11-25 16:40:09.880835+00', NULL, true);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (23, 1, '2026-11-25 16:40:09.880861+00', '01a21394-3ef5-7337-809f-e3f67e309f67', 'odd', 'learned', 'disk', 'memory/odd.md', NULL, 'needs_attention', NULL, '01a21394-3ef5-73a7-b01f-0d6b0368e0b9', '2026-11-25 16:40:09.880861+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (24, 1, '2026-11-25 16:40:09.880892+00', '01a21394-3ef5-7339-bf63-7a81f94fbce0', 'broken', 'learned', 'disk', 'memory/broken.md', NULL, 'needs_attention', NULL, '01a21394-3ef5-73a8-8f28-ed8a27d9b2f7', '2026-11-25 16:40:09.880892+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (25, 1, '2026-11-25 16:40:09.880922+00', '01a21394-3ef5-733d-b630-916bcde13c0a', 'No type', 'learned', 'disk', 'memory/typeless.md', NULL, 'needs_attention', NULL, '01a21394-3ef5-73b7-a814-cae41161dadb', '2026-11-25 16:40:09.880922+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (26, 1, '2026-11-25 16:40:12.359257+00', '01a21394-3f49-7a28-bb94-162fe0ce9a8b', 'Only in session', 'learned', 'session', 'sessions/U2-C1-1712349999.000200/memory/only.md', 'U2-C1-1712349999.000200', 'active', 'user', '01a21394-3f49-7a7a-b61e-47115af64e43', '2026-11-25 16:40:12.359257+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (27, 1, '2026-11-25 16:40:12.360236+00', '01a21394-3ef5-72fe-87d8-e563ab3658b1', 'Rival', 'changed', 'session', 'sessions/U1-C1-1712345678.000100/memory/rival.md', 'U1-C1-1712345678.000100', 'active', 'project', '01a21394-3f49-7a76-bce7-bd7305af1e4e', '2026-11-25 16:40:12.359164+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (28, 1, '2026-11-25 16:40:12.397941+00', '01a21394-3ef5-7294-97d3-e9bb7bb0469d', 'Gone', 'deleted', 'script', 'memory/gone.md', NULL, 'deleted', 'project', '01a21394-3ef5-734d-9158-d0f398a5e1a0', '2026-11-25 16:40:09.880529+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (29, 1, '2026-11-25 16:40:12.428812+00', '01a21394-3ef5-729b-a89a-1338ad64c7a5', 'Purged', 'deleted', 'script', 'memory/purged.md', NULL, 'deleted', 'project', '01a21394-3ef5-7351-8129-48ee1c14eefc', '2026-11-25 16:40:09.880565+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (30, 1, '2026-11-25 16:40:12.449031+00', '01a21394-3ef5-72c3-88ba-14a301713eb3', 'Returns', 'deleted', 'script', 'memory/returns.md', NULL, 'deleted', 'user', '01a21394-3ef5-7357-bef9-c6274fd7f6bf', '2026-11-25 16:40:09.880667+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (31, 1, '2026-11-25 16:40:12.477543+00', '01a21394-3ef5-72c9-a64f-e7442d7e812e', 'Restored', 'deleted', 'script', 'memory/restored.md', NULL, 'deleted', 'user', '01a21394-3ef5-7366-85e0-0adad5f4b643', '2026-11-25 16:40:09.880698+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (32, 1, '2026-11-25 16:40:12.521375+00', '01a21394-3ef5-72c9-a64f-e7442d7e812e', 'Restored', 'restored', 'script', 'memory/restored.md', NULL, 'active', 'user', '01a21394-3ef5-7366-85e0-0adad5f4b643', '2026-11-25 16:40:09.880698+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (33, 1, '2026-11-25 16:40:12.54509+00', '01a21394-3ef5-729b-a89a-1338ad64c7a5', 'Purged', 'purged', 'script', 'memory/purged.md', NULL, 'deleted', 'project', NULL, '2026-11-25 16:40:09.880565+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (34, 1, '2026-11-25 16:40:12.566681+00', '01a21394-3ef5-72b6-bcfd-c15de6229147', 'New name', 'renamed', 'script', 'memory/reference_new_name.md', NULL, 'active', 'reference', '01a21394-3ef5-7354-a350-df893ff5ae80', '2026-11-25 16:40:12.563912+00', 'Old name', false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (35, 1, '2026-11-25 16:40:12.629224+00', '01a21394-3ef5-7282-ab5a-803fd407a29a', 'Tabs', 'changed', 'script', 'memory/tabs.md', NULL, 'active', 'feedback', '01a21394-4059-7856-98b3-844f92684eea', '2026-11-25 16:40:12.623912+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (36, 1, '2026-11-25 16:40:12.686847+00', '01a21394-3ef5-7308-ab82-1de517cd11c4', 'Wiki', 'verified', 'script', 'memory/team/wiki.md', NULL, 'active', 'reference', '01a21394-3ef5-73a4-8031-758074630c99', '2026-11-25 16:40:12.686847+00', NULL, true);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (37, 1, '2026-11-25 16:40:12.69554+00', '01a21394-3ef5-72c3-88ba-14a301713eb3', 'Returns', 'blocked', 'disk', 'memory/returns.md', NULL, NULL, 'user', NULL, NULL, NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (38, 1, '2026-11-25 16:40:12.69554+00', '01a21394-3ef5-72b3-a42d-f30c57f2b4f5', 'From disk', 'deleted', 'disk', 'memory/disk.md', NULL, 'deleted', 'user', '01a21394-3ef5-7353-8505-050be4131ae4', '2026-11-25 16:40:09.880599+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (39, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-727f-9408-60d7be2ee114', 'Bob 0', 'missing', 'disk', 'memory/m00.md', NULL, 'missing', 'user', '01a21394-3ee3-73ce-84f1-2769c16a95dc', '2026-11-25 16:40:09.881091+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (40, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-7292-a00a-8944c1e5906e', 'Bob 1', 'missing', 'disk', 'memory/m01.md', NULL, 'missing', 'project', '01a21394-3ee3-73d9-851c-3b9986bb895f', '2026-11-25 16:40:09.881316+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (41, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-734a-aaeb-1ce57fa24a53', 'Bob 10', 'missing', 'disk', 'memory/m10.md', NULL, 'missing', 'feedback', '01a21394-3ee3-73f9-a635-c7d30f1ece68', '2026-11-25 16:40:09.882467+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (42, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-7299-9c61-f95ba44b3bf2', 'Bob 2', 'missing', 'disk', 'memory/m02.md', NULL, 'missing', 'feedback', '01a21394-3ee3-73dc-9276-803a7c1cea52', '2026-11-25 16:40:09.882168+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (43, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-72fb-a8f3-33e41c19f8ac', 'Bob 3', 'missing', 'disk', 'memory/m03.md', NULL, 'missing', 'reference', '01a21394-3ee3-73df-bcaa-bd85f0e9eb87', '2026-11-25 16:40:09.882228+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (44, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-730c-8786-146b2b7d2434', 'Bob 4', 'missing', 'disk', 'memory/m04.md', NULL, 'missing', 'user', '01a21394-3ee3-73e0-824f-6ba06b9e25c3', '2026-11-25 16:40:09.882263+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (45, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-7323-b7a0-8c5eb1b5b0d9', 'Bob 5', 'missing', 'disk', 'memory/m05.md', NULL, 'missing', 'project', '01a21394-3ee3-73e2-9989-82ee53711341', '2026-11-25 16:40:09.882297+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (46, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-7325-8a89-19921e1d82c5', 'Bob 6', 'missing', 'disk', 'memory/m06.md', NULL, 'missing', 'feedback', '01a21394-3ee3-73e4-bb08-185d5a2c1677', '2026-11-25 16:40:09.88233+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (47, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-732f-9448-2eed7b504c82', 'Bob 7', 'missing', 'disk', 'memory/m07.md', NULL, 'missing', 'reference', '01a21394-3ee3-73e5-a3a1-2e2b74c8d8ed', '2026-11-25 16:40:09.882369+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (48, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-7331-baa1-ed1f62ae14a2', 'Bob 8', 'missing', 'disk', 'memory/m08.md', NULL, 'missing', 'user', '01a21394-3ee3-73e6-b452-56eaea70a5bd', '2026-11-25 16:40:09.882402+00', NULL, false);
INSERT INTO public.activity OVERRIDING SYSTEM VALUE VALUES (49, 2, '2026-11-25 16:40:12.750069+00', '01a21394-3ee3-7341-91ff-f393dcd1a902', 'Bob 9', 'missing', 'disk', 'memory/m09.md', NULL, 'missing', 'project', '01a21394-3ee3-73f7-84b5-c249e5e42c15', '2026-11-25 16:40:09.882434+00', NULL, false);
INSERT INTO public.agents OVERRIDING SYSTEM VALUE VALUES (1, 'ada', 'hive', '/srv/agents/ada', 'ada', true, 2, 65024, 'CLAUDE.md', '2026-11-25 16:40:12.742025+00', 3326, NULL, '2026-11-25 16:40:12.196125+00', '2026-11-25 16:40:12.74203+00', '5/40000 4c7a2957aba9000254ebd4c2fbe828b239a2d349678e00de9fb1b2cb8a87ab23  ', 23, false, NULL, 11036104);
INSERT INTO public.agents OVERRIDING SYSTEM VALUE VALUES (2, 'bob', 'hive', '/srv/agents/bob', 'bob', true, 0, 65024, 'CLAUDE.md', '2026-11-25 16:40:12.293755+00', 2851, NULL, '2026-11-25 16:40:12.203864+00', '2026-11-25 16:40:12.293764+00', '5/40000 fd439502313c4cac78f525a6e4dbe89a31541957705493edb39b6b658b19be19  ', 4, false, NULL, 11036145);
INSERT INTO public.blocked VALUES ('01a21394-40b5-7b52-a45e-1194a21e59ea', 1, 'memory/returns.md', NULL, 'Returns', '\x4f10e41c290d583b9143af78fb90e75cb898176e7c4b41a6d14b11aedd169cd7', '44995e08fdf406b58595fbc5152500bb35c4e58f84cc3aaa913b92ef6825f371', 'user', 'About it', 'Deleted, then written again.', '2026-11-25 16:40:12.948332+00', false);
INSERT INTO public.consolidation_looks VALUES (1, '2026-11-25 16:40:43.064208+00');
INSERT INTO public.consolidation_looks VALUES (2, '2026-11-25 16:40:43.064208+00');
INSERT INTO public.consolidation_steps VALUES ('e12730f3-caed-46cd-b535-7736ea9815c8', 'b2ae10a5-5521-42d8-8781-98270755fbc9', 1, 0, 'reindex', 'found', 'Bring MEMORY.md in step with the memory files', '9 memory files have no line.', 'proposed', '', '[{"op": "index", "done": false, "name": "MEMORY.md", "seen": "2099dac56fd5d358e03521a5772c2f88e8b1111fe49eac695bb975329c3add5b", "after": {"body": "# Index\n\n- [Tabs](tabs.md) — use tabs\n- [Restored](restored.md) — About it\n- [Rival](rival.md) — About it\n- [Two files](two-b.md) — About it\n- [Two files](two.md) — About it\n- [New name](reference_new_name.md) — About it\n- [Wiki](team/wiki.md) — About it\n- [No type](typeless.md)\n- [broken](broken.md)\n- [odd](odd.md)\n\n## Facts\n\n- The office closes at six.\n"}, "before": {"body": "# Index\n\n- [Tabs](tabs.md) — use tabs\n\n## Facts\n\n- The office closes at six.\n"}}]', 3326, 3326, '', NULL, NULL);
INSERT INTO public.consolidations VALUES ('b2ae10a5-5521-42d8-8781-98270755fbc9', 1, '2026-11-25 16:40:12.833914+00', 'script', NULL, 6, NULL, '', 0, 0, 3326, 3326, '[{"name": "Rival", "text": "Its files say 2 different things. Keep the one that holds.", "memory": "01a21394-3ef5-72fe-87d8-e563ab3658b1"}, {"name": "Two files", "text": "Its files say 2 different things. Keep the one that holds.", "memory": "01a21394-3ef5-72d3-853a-f55ba9f81401"}]');
INSERT INTO public.conversation_texts VALUES ('b30fe6db-a746-4e17-a29d-04df1faa3056', 1, 's2', '[]', '2026-11-25 16:40:43.035052+00');
INSERT INTO public.conversations VALUES (1, 's1', '/srv/transcripts/s1.jsonl', '2026-11-25 16:40:43.024225+00', '2026-11-25 16:40:43.024225+00', '', 0, '\x');
INSERT INTO public.disagreements VALUES ('01a21394-3ef5-72d3-853a-f55ba9f81401', 1);
INSERT INTO public.disagreements VALUES ('01a21394-3ef5-72fe-87d8-e563ab3658b1', 1);
INSERT INTO public.figures VALUES (1, 13, 0);
INSERT INTO public.figures VALUES (2, 1, 0);
INSERT INTO public.file_tallies VALUES (1, 13);
INSERT INTO public.file_tallies VALUES (2, 1);
INSERT INTO public.files VALUES (2, 'memory/m11.md', NULL, '01a21394-3ee3-73b7-9dc7-57405ec46d3d', 'carries', true, '\x0b58ef1a560b329200338ff41b8a634644939ddd5bcb85b5192c23ff699daa04', '7495393687308a834d6ee5de1b0dd70643ce4176324a94c5bd1eeea76d81606c', 69, 1795624809882498947, '2026-11-25 16:40:09.882498+00', '2026-11-25 16:40:09.882498+00', NULL, -3276490848410667289, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/two.md', NULL, '01a21394-3ef5-72d3-853a-f55ba9f81401', 'carries', true, '\xcc4ad5581e45fab94a99b48e3b9541d1064b7252a6e4694fc677cf8c7cc56857', '40c1bac9c5896cd36a5e2d6e9b7ff8eda5d2a586703dfd84b536c829be3ca3d1', 68, 1795624809880735078, '2026-11-25 16:40:09.880735+00', '2026-11-25 16:40:09.880735+00', NULL, -434561392192968815, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/two-b.md', NULL, '01a21394-3ef5-72d3-853a-f55ba9f81401', 'carries', true, '\xb76d7125fb0e3754a0e08b85bbc94fb9351beba2b1a45191ac0ffe4eea85bdcd', 'a6fd3585d8529cb2d65b32b87547dc100c1ae415f7138693e5113ae24666486f', 69, 1795624809880768058, '2026-11-25 16:40:09.880768+00', '2026-11-25 16:40:09.880768+00', NULL, 4264482596581639542, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/rival.md', NULL, '01a21394-3ef5-72fe-87d8-e563ab3658b1', 'carries', true, '\x741eea3df693a1a1ba97b42a3d69579aa127e8958ca07a6003bfcff25beb4fc2', '8c2461f622cf487608dc10f98a5285539204d4ff282e7b2af0d670abaa52246a', 66, 1795624809880799715, '2026-11-25 16:40:09.880799+00', '2026-11-25 16:40:09.880799+00', NULL, 519013098878819396, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/odd.md', NULL, '01a21394-3ef5-7337-809f-e3f67e309f67', 'carries', true, '\xf3bcd095a52faf39a95b85990997f8816d705ba5c749b84d8965bf15e09b25ef', '2b410131e054f3fca20c05f8a62eb691c261abd31156d81822e997b1c3a34c98', 16, 1795624809880861899, '2026-11-25 16:40:09.880861+00', '2026-11-25 16:40:09.880861+00', NULL, -977270803995538659, NULL, 'nameless', NULL);
INSERT INTO public.files VALUES (1, 'memory/broken.md', NULL, '01a21394-3ef5-7339-bf63-7a81f94fbce0', 'carries', true, '\x7c7745a5ef749b1deee13d6966f69d263009d4f374cc3577bd426452c8821d27', 'd2ad9277baaee14856d20ec2b21f87a0cb8a7f86c6ef090fd5a082b1e85135ac', 4, 1795624809880892625, '2026-11-25 16:40:09.880892+00', '2026-11-25 16:40:09.880892+00', NULL, -6039944800113199562, NULL, 'nameless', NULL);
INSERT INTO public.files VALUES (1, 'memory/typeless.md', NULL, '01a21394-3ef5-733d-b630-916bcde13c0a', 'carries', true, '\x5245dc16f8f98936e6015dc509ab707de7dcdeaf6bfce4cb343d5391954bf8ff', '5e651e15239001c43c35d70b43928a64320f981271fe9cebc855aebe1cfbb227', 29, 1795624809880922760, '2026-11-25 16:40:09.880922+00', '2026-11-25 16:40:09.880922+00', NULL, -6562599084551565592, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'sessions/U1-C1-1712345678.000100/memory/rival.md', 'U1-C1-1712345678.000100', '01a21394-3ef5-72fe-87d8-e563ab3658b1', 'carries', true, '\x90deca374f30272357e84e7b5c831d9f14fb152ce541f905c25b044d9d7526e9', 'cb14c52aec13e2b9726e2d39b76c6666b871548a6eabe461f799c4752cb89233', 83, 1795624812359164408, '2026-11-25 16:40:12.359164+00', '2026-11-25 16:40:12.359164+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'sessions/U2-C1-1712349999.000200/memory/only.md', 'U2-C1-1712349999.000200', '01a21394-3f49-7a28-bb94-162fe0ce9a8b', 'carries', true, '\xbbbf52b04b4954c7260e108b6b58c468822a4a3fc258f2d86ea99ab629f2ed71', '2fadec49ce37471861a2d39c9cf0829637ee6ffa9b870872c9753dafed2e6897', 78, 1795624812359257878, '2026-11-25 16:40:12.359257+00', '2026-11-25 16:40:12.359257+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/gone.md', NULL, '01a21394-3ef5-7294-97d3-e9bb7bb0469d', 'carries', false, '\x6861b35c6930b57fc31854db2eab4bec665b05116d887d8ca7372af8352b7e60', '541446c984ec371f4100267bd321af920a3781f3e527a617e2948099abba4c14', 66, 1795624809880529119, '2026-11-25 16:40:09.880529+00', '2026-11-25 16:40:09.880529+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/purged.md', NULL, '01a21394-3ef5-729b-a89a-1338ad64c7a5', 'carries', false, '\x8493cc8bd3a87443f4b51ba8b244e2b7c6399637d60af869726f07fadd732f42', '056b1d8350a34c45e35f529f37b71b0421531f2e05dbf530fff55e143ebb6dab', 66, 1795624809880565524, '2026-11-25 16:40:09.880565+00', '2026-11-25 16:40:09.880565+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/restored.md', NULL, '01a21394-3ef5-72c9-a64f-e7442d7e812e', 'carries', true, '\xc6a6eb242b2926db357d20ef05439457802725e456b627a8c28521bbd4d5b316', 'fc7439eb7ba7ab0980ffa8eb0511081cca5d3c5c59499f7cc166f853d1c1f5d7', 79, 1795624809880698000, '2026-11-25 16:40:09.880698+00', '2026-11-25 16:40:09.880698+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/reference_new_name.md', NULL, '01a21394-3ef5-72b6-bcfd-c15de6229147', 'carries', true, '\xcd4eb400b0a553ff13bba80ee52bed1623a15cc3b1e985456cfab5bc0cdf04b7', '990b8e0a2497b24746e41b457ef7b05bfa0ae31dfabf67d45285c14e216ae556', 71, 1795624812563912826, '2026-11-25 16:40:12.563912+00', '2026-11-25 16:40:12.566681+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/old.md', NULL, '01a21394-3ef5-72b6-bcfd-c15de6229147', 'carries', false, '\xcd4eb400b0a553ff13bba80ee52bed1623a15cc3b1e985456cfab5bc0cdf04b7', 'c1c343255550a845b98f15512e2b3f516ed5fddf8723d20c09e224de561e890b', 71, 1795624809880632534, '2026-11-25 16:40:09.880632+00', '2026-11-25 16:40:09.880632+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/tabs.md', NULL, '01a21394-3ef5-7282-ab5a-803fd407a29a', 'carries', true, '\xcc04c2b6a051250073718f30a54719f38c412a5a66e9c1d7e2663eecabc0692f', '6cec6189ad3ef5d3bdabc0bb3fb782acb750d50b7004a6c70dfea903c8d730b9', 75, 1795624812623912826, '2026-11-25 16:40:12.623912+00', '2026-11-25 16:40:12.629224+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/team/wiki.md', NULL, '01a21394-3ef5-7308-ab82-1de517cd11c4', 'carries', true, '\xb9885fd18ff2a956e7c8fddce572f59d81954c046e964ff551d27cef25434255', '7663f4fa3b69ea932b95e6abb5c0c098ea23cf885eeea534483f33871e5a36ba', 75, 1795624812686847000, '2026-11-25 16:40:12.686847+00', '2026-11-25 16:40:09.880835+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/disk.md', NULL, '01a21394-3ef5-72b3-a42d-f30c57f2b4f5', 'carries', false, '\xda6b4cce146232874c9f9ec1a000f20d5f008ec68dff8124476a92a24dd6e21d', 'a7d80337b972820e21433d85f61825e38edb24a2cddba77c0c4eb9f969921253', 75, 1795624809880599054, '2026-11-25 16:40:09.880599+00', '2026-11-25 16:40:09.880599+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m00.md', NULL, '01a21394-3ee3-727f-9408-60d7be2ee114', 'carries', false, '\x9018db2e37670e507a07d71f26f421229fe1a61be332f75cc0b850e485dd8c81', '00b80352723b3024323fb74dbe3c66a785ecd6a9983c664bdf34f43211944849', 62, 1795624809881091513, '2026-11-25 16:40:09.881091+00', '2026-11-25 16:40:09.881091+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m01.md', NULL, '01a21394-3ee3-7292-a00a-8944c1e5906e', 'carries', false, '\x601488ccfee7dbf676b8aa3032ab4066b89c1aa8037f63d316b92f1bc8101db3', 'c03b8e676f9c3587acb2f5d212ff0b299f770e1b53f04dec2148e4092ffbbcb5', 65, 1795624809881316862, '2026-11-25 16:40:09.881316+00', '2026-11-25 16:40:09.881316+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m02.md', NULL, '01a21394-3ee3-7299-9c61-f95ba44b3bf2', 'carries', false, '\x0c3334c330328fcef9f5fe80e2add123277013523752206b026f28042bfd6147', '041b9a7623f7365f26b3398e4716ae09e3de5bed7e9aa58fab7bd6b6a5f4e55f', 66, 1795624809882168190, '2026-11-25 16:40:09.882168+00', '2026-11-25 16:40:09.882168+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m03.md', NULL, '01a21394-3ee3-72fb-a8f3-33e41c19f8ac', 'carries', false, '\x7cb6554d60e6a3395e743c234754a291e7228cc117199209365a954e5e71e783', 'f2f4372a0e3e96f71186a73af5deb1196c679ddc167c8f8bf014bbe227b431c6', 67, 1795624809882228080, '2026-11-25 16:40:09.882228+00', '2026-11-25 16:40:09.882228+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m04.md', NULL, '01a21394-3ee3-730c-8786-146b2b7d2434', 'carries', false, '\xe4ebb5f7ecdbb1d1d3b73835dae74edd4b313be9ce8aa84d521b9724e28fb06e', '87ba78a3c1cbbdf88571ee60ed0bf8e935278c6bea5de94cb0ade3d125ea424f', 62, 1795624809882263794, '2026-11-25 16:40:09.882263+00', '2026-11-25 16:40:09.882263+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m05.md', NULL, '01a21394-3ee3-7323-b7a0-8c5eb1b5b0d9', 'carries', false, '\xa0e2d331636d2c5a77872aa76c88bf1d7d7fb120747ab16102775568083de868', '5ffbdac321b3dc33d657d7be3bffd937da4bc40ae01c0803de05e528690a0cbd', 65, 1795624809882297004, '2026-11-25 16:40:09.882297+00', '2026-11-25 16:40:09.882297+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (1, 'memory/returns.md', NULL, '01a21394-3ef5-72c3-88ba-14a301713eb3', 'blocked', true, '\x4f10e41c290d583b9143af78fb90e75cb898176e7c4b41a6d14b11aedd169cd7', '44995e08fdf406b58595fbc5152500bb35c4e58f84cc3aaa913b92ef6825f371', 85, 1795624812554448653, '2026-11-25 16:40:12.554448+00', '2026-11-25 16:40:09.880667+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m06.md', NULL, '01a21394-3ee3-7325-8a89-19921e1d82c5', 'carries', false, '\xa089040d171152b8491b28ec2a6d89124daafe8b409af8ad3fc9a8ebd5106778', 'ffded809b972d4f181175ab4c337698dfa34a4e19f196416975b03408c6b79f1', 66, 1795624809882330274, '2026-11-25 16:40:09.88233+00', '2026-11-25 16:40:09.88233+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m07.md', NULL, '01a21394-3ee3-732f-9448-2eed7b504c82', 'carries', false, '\x65b3982c8d7d27e1b860e1920af162fb91563c509057c9956cd959e980586f0f', '7cc183c5f4b204df34668cd9fcbc0adf1af084d9f11f282dc42c538ae67d2bdd', 67, 1795624809882369983, '2026-11-25 16:40:09.882369+00', '2026-11-25 16:40:09.882369+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m08.md', NULL, '01a21394-3ee3-7331-baa1-ed1f62ae14a2', 'carries', false, '\x3608b14df71ffd7eef0bea8ef56251d3a3c2272eed9a5585b9902e782762d695', '9923b5bb7b6e9ef2388b7e5f88628ddd0786a1de48881a95081e31a02e41ab1a', 62, 1795624809882402171, '2026-11-25 16:40:09.882402+00', '2026-11-25 16:40:09.882402+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m09.md', NULL, '01a21394-3ee3-7341-91ff-f393dcd1a902', 'carries', false, '\x962fc5383c7805cf1873b268bc71911afc5fc473f70ff200907a35ea24b8f3d7', 'c484eca66224c93cda21d5455564d9a217f35c8974795bdb327b400e795afa6b', 65, 1795624809882434550, '2026-11-25 16:40:09.882434+00', '2026-11-25 16:40:09.882434+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.files VALUES (2, 'memory/m10.md', NULL, '01a21394-3ee3-734a-aaeb-1ce57fa24a53', 'carries', false, '\x4582a3da9c388b79ab4516a844c83d90462da8a901074a721f14c78b5ba11c40', '349c59fbda1581b7aa390c657c6d21aad5e50f8021a18c00ef4f8516f3b51a9d', 68, 1795624809882467590, '2026-11-25 16:40:09.882467+00', '2026-11-25 16:40:09.882467+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.growth VALUES (2, '2026-11-25', 'feedback', 3);
INSERT INTO public.growth VALUES (2, '2026-11-25', 'project', 3);
INSERT INTO public.growth VALUES (2, '2026-11-25', 'reference', 3);
INSERT INTO public.growth VALUES (2, '2026-11-25', 'user', 3);
INSERT INTO public.growth VALUES (1, '2026-11-25', '', 3);
INSERT INTO public.growth VALUES (1, '2026-11-25', 'feedback', 1);
INSERT INTO public.growth VALUES (1, '2026-11-25', 'reference', 2);
INSERT INTO public.growth VALUES (1, '2026-11-25', 'project', 2);
INSERT INTO public.growth VALUES (1, '2026-11-25', 'user', 2);
INSERT INTO public.index_facts VALUES ('7595cca9-55cc-5b64-990f-c0c64a021fbb', 1, 'memory/MEMORY.md', 7, false, 'Facts', 'The office closes at six.', '''@1'' ''^facts'' ''at'':5C ''closes'':4C ''facts'':1B ''office'':3C ''six'':6C ''the'':2C', '2026-11-25 16:40:09.880949+00', '2026-11-25 16:40:12.310004+00');
INSERT INTO public.job_servers VALUES ('3d08b4a3-1049-4055-9b21-5a3f853c146d', '2026-11-25 16:40:12.404532+00', '2026-11-25 16:40:42.410085+00');
INSERT INTO public.logs VALUES (1, 'logs/2026/11/2026-11-25.md', '2026-11-25', '', '- Did a thing
- Did another
', 2, '{}', '5f55484f5244930c784e376de93b1e93c10ccfb2b018b097845d35ae7fb092c4', 28, '2026-11-25 16:40:09.881048+00', -7324160118523242353, '''11'':2B ''2026'':1B ''25'':3B ''@1'' ''^11'' ''^2026'' ''^25'' ''a'':5C ''another'':8C ''did'':4C,7C ''thing'':6C');
INSERT INTO public.memoir_migrations VALUES (1, 0, true, '2026-11-25 16:40:11.719372');
INSERT INTO public.memoir_migrations VALUES (2, 1, true, '2026-11-25 16:40:11.729116');
INSERT INTO public.memoir_migrations VALUES (3, 2, true, '2026-11-25 16:40:11.752589');
INSERT INTO public.memoir_migrations VALUES (4, 3, true, '2026-11-25 16:40:11.764253');
INSERT INTO public.memoir_migrations VALUES (5, 4, true, '2026-11-25 16:40:11.779133');
INSERT INTO public.memoir_migrations VALUES (6, 5, true, '2026-11-25 16:40:11.781951');
INSERT INTO public.memoir_migrations VALUES (7, 6, true, '2026-11-25 16:40:11.783774');
INSERT INTO public.memoir_migrations VALUES (8, 7, true, '2026-11-25 16:40:11.79679');
INSERT INTO public.memoir_migrations VALUES (9, 8, true, '2026-11-25 16:40:11.820688');
INSERT INTO public.memoir_migrations VALUES (10, 9, true, '2026-11-25 16:40:11.87245');
INSERT INTO public.memoir_migrations VALUES (11, 10, true, '2026-11-25 16:40:11.900223');
INSERT INTO public.memoir_migrations VALUES (12, 11, true, '2026-11-25 16:40:11.914943');
INSERT INTO public.memoir_migrations VALUES (13, 12, true, '2026-11-25 16:40:11.919068');
INSERT INTO public.memoir_migrations VALUES (14, 13, true, '2026-11-25 16:40:11.939696');
INSERT INTO public.memoir_migrations VALUES (15, 14, true, '2026-11-25 16:40:11.950081');
INSERT INTO public.memoir_migrations VALUES (16, 15, true, '2026-11-25 16:40:11.997328');
INSERT INTO public.memoir_migrations VALUES (17, 16, true, '2026-11-25 16:40:12.007054');
INSERT INTO public.memoir_migrations VALUES (18, 17, true, '2026-11-25 16:40:12.030004');
INSERT INTO public.memoir_migrations VALUES (19, 18, true, '2026-11-25 16:40:12.03218');
INSERT INTO public.memoir_migrations VALUES (20, 19, true, '2026-11-25 16:40:12.033643');
INSERT INTO public.memoir_migrations VALUES (21, 20, true, '2026-11-25 16:40:12.048442');
INSERT INTO public.memoir_migrations VALUES (22, 21, true, '2026-11-25 16:40:12.051458');
INSERT INTO public.memoir_migrations VALUES (23, 22, true, '2026-11-25 16:40:12.054786');
INSERT INTO public.memoir_migrations VALUES (24, 23, true, '2026-11-25 16:40:12.055727');
INSERT INTO public.memoir_migrations VALUES (25, 24, true, '2026-11-25 16:40:12.080042');
INSERT INTO public.memoir_migrations VALUES (26, 25, true, '2026-11-25 16:40:12.08352');
INSERT INTO public.memoir_migrations VALUES (27, 26, true, '2026-11-25 16:40:12.098894');
INSERT INTO public.memoir_migrations VALUES (28, 27, true, '2026-11-25 16:40:12.110521');
INSERT INTO public.memoir_migrations VALUES (29, 28, true, '2026-11-25 16:40:12.111173');
INSERT INTO public.memoir_migrations VALUES (30, 29, true, '2026-11-25 16:40:12.120205');
INSERT INTO public.memoir_migrations VALUES (31, 32, true, '2026-11-25 16:40:12.120841');
INSERT INTO public.memoir_migrations VALUES (32, 35, true, '2026-11-25 16:40:12.132227');
INSERT INTO public.memoir_migrations VALUES (33, 36, true, '2026-11-25 16:40:12.135548');
INSERT INTO public.memoir_migrations VALUES (34, 37, true, '2026-11-25 16:40:12.147079');
INSERT INTO public.memoir_migrations VALUES (35, 38, true, '2026-11-25 16:40:12.160344');
INSERT INTO public.memories VALUES ('01a21394-3ef5-733d-b630-916bcde13c0a', 1, 'No type', true, 'needs_attention', NULL, '01a21394-3ef5-73b7-a814-cae41161dadb', '\x5245dc16f8f98936e6015dc509ab707de7dcdeaf6bfce4cb343d5391954bf8ff', '5e651e15239001c43c35d70b43928a64320f981271fe9cebc855aebe1cfbb227', 29, 'memory/typeless.md', NULL, '2026-11-25 16:40:09.880922+00', '2026-11-25 16:40:09.880922+00', '[{"code": "type_missing", "message": "The memory has no type, so agents do not receive it. Choose feedback, user, project or reference."}]', 0, false, '2026-11-25 16:40:09.880922+00', '2026-11-25 16:40:09.880922+00', NULL, NULL, NULL, false, '', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-7337-809f-e3f67e309f67', 1, 'odd', true, 'needs_attention', NULL, '01a21394-3ef5-73a7-b01f-0d6b0368e0b9', '\xf3bcd095a52faf39a95b85990997f8816d705ba5c749b84d8965bf15e09b25ef', '2b410131e054f3fca20c05f8a62eb691c261abd31156d81822e997b1c3a34c98', 16, 'memory/odd.md', NULL, '2026-11-25 16:40:09.880861+00', '2026-11-25 16:40:09.880861+00', '[{"code": "no_frontmatter", "message": "The file has no frontmatter, so its whole text is the memory and its name comes from the file. Choose a type to complete it."}]', 0, false, '2026-11-25 16:40:09.880861+00', '2026-11-25 16:40:09.880861+00', NULL, NULL, NULL, false, '', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-7339-bf63-7a81f94fbce0', 1, 'broken', true, 'needs_attention', NULL, '01a21394-3ef5-73a8-8f28-ed8a27d9b2f7', '\x7c7745a5ef749b1deee13d6966f69d263009d4f374cc3577bd426452c8821d27', 'd2ad9277baaee14856d20ec2b21f87a0cb8a7f86c6ef090fd5a082b1e85135ac', 4, 'memory/broken.md', NULL, '2026-11-25 16:40:09.880892+00', '2026-11-25 16:40:09.880892+00', '[{"code": "nul", "message": "The file holds NUL characters, which are left out here. The file is unchanged. Saving the text again removes them."}, {"code": "invalid_utf8", "message": "Parts of the text are not UTF-8, shown as �. The file is unchanged. Saving the text again replaces them."}, {"code": "no_frontmatter", "message": "The file has no frontmatter, so its whole text is the memory and its name comes from the file. Choose a type to complete it."}]', 0, false, '2026-11-25 16:40:09.880892+00', '2026-11-25 16:40:09.880892+00', NULL, NULL, NULL, false, '', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-72b6-bcfd-c15de6229147', 1, 'New name', true, 'active', 'reference', '01a21394-3ef5-7354-a350-df893ff5ae80', '\xcd4eb400b0a553ff13bba80ee52bed1623a15cc3b1e985456cfab5bc0cdf04b7', '990b8e0a2497b24746e41b457ef7b05bfa0ae31dfabf67d45285c14e216ae556', 71, 'memory/reference_new_name.md', NULL, '2026-11-25 16:40:12.563912+00', '2026-11-25 16:40:12.566681+00', '[]', 24, false, '2026-11-25 16:40:09.880632+00', '2026-11-25 16:40:12.566681+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-72d3-853a-f55ba9f81401', 1, 'Two files', true, 'active', 'project', '01a21394-3ef5-7367-8ef8-a8a912890491', '\xcc4ad5581e45fab94a99b48e3b9541d1064b7252a6e4694fc677cf8c7cc56857', '40c1bac9c5896cd36a5e2d6e9b7ff8eda5d2a586703dfd84b536c829be3ca3d1', 68, 'memory/two.md', NULL, '2026-11-25 16:40:09.880735+00', '2026-11-25 16:40:09.880735+00', '[{"code": "duplicate_name", "message": "memory/two-b.md and memory/two.md have the same name in one directory. The newest content counts. Rename one of them, or remove it."}]', 23, false, '2026-11-25 16:40:09.880735+00', '2026-11-25 16:40:09.880735+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-72fe-87d8-e563ab3658b1', 1, 'Rival', true, 'active', 'project', '01a21394-3f49-7a76-bce7-bd7305af1e4e', '\x90deca374f30272357e84e7b5c831d9f14fb152ce541f905c25b044d9d7526e9', 'cb14c52aec13e2b9726e2d39b76c6666b871548a6eabe461f799c4752cb89233', 83, 'sessions/U1-C1-1712345678.000100/memory/rival.md', 'U1-C1-1712345678.000100', '2026-11-25 16:40:12.359164+00', '2026-11-25 16:40:12.359164+00', '[]', 38, false, '2026-11-25 16:40:09.880799+00', '2026-11-25 16:40:12.360236+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-7294-97d3-e9bb7bb0469d', 1, 'Gone', true, 'deleted', 'project', '01a21394-3ef5-734d-9158-d0f398a5e1a0', '\x6861b35c6930b57fc31854db2eab4bec665b05116d887d8ca7372af8352b7e60', '541446c984ec371f4100267bd321af920a3781f3e527a617e2948099abba4c14', 66, 'memory/gone.md', NULL, '2026-11-25 16:40:09.880529+00', '2026-11-25 16:40:09.880529+00', '[]', 21, false, '2026-11-25 16:40:09.880529+00', '2026-11-25 16:40:12.397941+00', '2026-11-25 16:40:12.397941+00', 'person', '{"memory/MEMORY.md": [{"end": "\n", "line": 4, "rest": "", "text": "- [Gone](gone.md)", "above": {"text": "- [Tabs](tabs.md) — use tabs", "blank": 0}, "below": {"text": "## Facts", "blank": 1}, "entry": "", "before": "- [Tabs](tabs.md) — use tabs"}]}', false, 'About it', false, 'script');
INSERT INTO public.memories VALUES ('01a21394-3ef5-72c9-a64f-e7442d7e812e', 1, 'Restored', true, 'active', 'user', '01a21394-3ef5-7366-85e0-0adad5f4b643', '\xc6a6eb242b2926db357d20ef05439457802725e456b627a8c28521bbd4d5b316', 'fc7439eb7ba7ab0980ffa8eb0511081cca5d3c5c59499f7cc166f853d1c1f5d7', 79, 'memory/restored.md', NULL, '2026-11-25 16:40:09.880698+00', '2026-11-25 16:40:09.880698+00', '[]', 37, false, '2026-11-25 16:40:09.880698+00', '2026-11-25 16:40:12.521375+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-7282-ab5a-803fd407a29a', 1, 'Tabs', true, 'active', 'feedback', '01a21394-4059-7856-98b3-844f92684eea', '\xcc04c2b6a051250073718f30a54719f38c412a5a66e9c1d7e2663eecabc0692f', '6cec6189ad3ef5d3bdabc0bb3fb782acb750d50b7004a6c70dfea903c8d730b9', 75, 'memory/tabs.md', NULL, '2026-11-25 16:40:12.623912+00', '2026-11-25 16:40:12.629224+00', '[]', 29, false, '2026-11-25 16:40:09.880474+00', '2026-11-25 16:40:12.629224+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-7308-ab82-1de517cd11c4', 1, 'Wiki', true, 'active', 'reference', '01a21394-3ef5-73a4-8031-758074630c99', '\xb9885fd18ff2a956e7c8fddce572f59d81954c046e964ff551d27cef25434255', '7663f4fa3b69ea932b95e6abb5c0c098ea23cf885eeea534483f33871e5a36ba', 75, 'memory/team/wiki.md', NULL, '2026-11-25 16:40:12.686847+00', '2026-11-25 16:40:09.880835+00', '[]', 35, false, '2026-11-25 16:40:09.880835+00', '2026-11-25 16:40:09.880835+00', NULL, NULL, NULL, false, 'About it', true, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ef5-72b3-a42d-f30c57f2b4f5', 1, 'From disk', true, 'deleted', 'user', '01a21394-3ef5-7353-8505-050be4131ae4', '\xda6b4cce146232874c9f9ec1a000f20d5f008ec68dff8124476a92a24dd6e21d', 'a7d80337b972820e21433d85f61825e38edb24a2cddba77c0c4eb9f969921253', 75, 'memory/disk.md', NULL, '2026-11-25 16:40:09.880599+00', '2026-11-25 16:40:09.880599+00', '[]', 33, false, '2026-11-25 16:40:09.880599+00', '2026-11-25 16:40:12.69554+00', '2026-11-25 16:40:12.69554+00', 'disk', NULL, false, 'About it', false, 'disk');
INSERT INTO public.memories VALUES ('01a21394-3ef5-72c3-88ba-14a301713eb3', 1, 'Returns', true, 'deleted', 'user', '01a21394-3ef5-7357-bef9-c6274fd7f6bf', '\x4f10e41c290d583b9143af78fb90e75cb898176e7c4b41a6d14b11aedd169cd7', '44995e08fdf406b58595fbc5152500bb35c4e58f84cc3aaa913b92ef6825f371', 85, 'memory/returns.md', NULL, '2026-11-25 16:40:09.880667+00', '2026-11-25 16:40:09.880667+00', '[]', 43, false, '2026-11-25 16:40:09.880667+00', '2026-11-25 16:40:12.449031+00', '2026-11-25 16:40:12.449031+00', 'person', '{}', false, 'About it', false, 'script');
INSERT INTO public.memories VALUES ('01a21394-3ee3-73b7-9dc7-57405ec46d3d', 2, 'Bob 11', true, 'active', 'reference', '01a21394-3ee3-73fa-8007-80ab3f2706dd', '\x0b58ef1a560b329200338ff41b8a634644939ddd5bcb85b5192c23ff699daa04', '7495393687308a834d6ee5de1b0dd70643ce4176324a94c5bd1eeea76d81606c', 69, 'memory/m11.md', NULL, '2026-11-25 16:40:09.882498+00', '2026-11-25 16:40:09.882498+00', '[]', 22, false, '2026-11-25 16:40:09.882498+00', '2026-11-25 16:40:09.882498+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3f49-7a28-bb94-162fe0ce9a8b', 1, 'Only in session', true, 'active', 'user', '01a21394-3f49-7a7a-b61e-47115af64e43', '\xbbbf52b04b4954c7260e108b6b58c468822a4a3fc258f2d86ea99ab629f2ed71', '2fadec49ce37471861a2d39c9cf0829637ee6ffa9b870872c9753dafed2e6897', 78, 'sessions/U2-C1-1712349999.000200/memory/only.md', 'U2-C1-1712349999.000200', '2026-11-25 16:40:12.359257+00', '2026-11-25 16:40:12.359257+00', '[]', 36, false, '2026-11-25 16:40:12.359257+00', '2026-11-25 16:40:12.359257+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-7323-b7a0-8c5eb1b5b0d9', 2, 'Bob 5', true, 'missing', 'project', '01a21394-3ee3-73e2-9989-82ee53711341', '\xa0e2d331636d2c5a77872aa76c88bf1d7d7fb120747ab16102775568083de868', '5ffbdac321b3dc33d657d7be3bffd937da4bc40ae01c0803de05e528690a0cbd', 65, 'memory/m05.md', NULL, '2026-11-25 16:40:09.882297+00', '2026-11-25 16:40:09.882297+00', '[]', 20, false, '2026-11-25 16:40:09.882297+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-7341-91ff-f393dcd1a902', 2, 'Bob 9', true, 'missing', 'project', '01a21394-3ee3-73f7-84b5-c249e5e42c15', '\x962fc5383c7805cf1873b268bc71911afc5fc473f70ff200907a35ea24b8f3d7', 'c484eca66224c93cda21d5455564d9a217f35c8974795bdb327b400e795afa6b', 65, 'memory/m09.md', NULL, '2026-11-25 16:40:09.882434+00', '2026-11-25 16:40:09.882434+00', '[]', 20, false, '2026-11-25 16:40:09.882434+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-7325-8a89-19921e1d82c5', 2, 'Bob 6', true, 'missing', 'feedback', '01a21394-3ee3-73e4-bb08-185d5a2c1677', '\xa089040d171152b8491b28ec2a6d89124daafe8b409af8ad3fc9a8ebd5106778', 'ffded809b972d4f181175ab4c337698dfa34a4e19f196416975b03408c6b79f1', 66, 'memory/m06.md', NULL, '2026-11-25 16:40:09.88233+00', '2026-11-25 16:40:09.88233+00', '[]', 20, false, '2026-11-25 16:40:09.88233+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-7299-9c61-f95ba44b3bf2', 2, 'Bob 2', true, 'missing', 'feedback', '01a21394-3ee3-73dc-9276-803a7c1cea52', '\x0c3334c330328fcef9f5fe80e2add123277013523752206b026f28042bfd6147', '041b9a7623f7365f26b3398e4716ae09e3de5bed7e9aa58fab7bd6b6a5f4e55f', 66, 'memory/m02.md', NULL, '2026-11-25 16:40:09.882168+00', '2026-11-25 16:40:09.882168+00', '[]', 20, false, '2026-11-25 16:40:09.882168+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-730c-8786-146b2b7d2434', 2, 'Bob 4', true, 'missing', 'user', '01a21394-3ee3-73e0-824f-6ba06b9e25c3', '\xe4ebb5f7ecdbb1d1d3b73835dae74edd4b313be9ce8aa84d521b9724e28fb06e', '87ba78a3c1cbbdf88571ee60ed0bf8e935278c6bea5de94cb0ade3d125ea424f', 62, 'memory/m04.md', NULL, '2026-11-25 16:40:09.882263+00', '2026-11-25 16:40:09.882263+00', '[]', 20, false, '2026-11-25 16:40:09.882263+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-7292-a00a-8944c1e5906e', 2, 'Bob 1', true, 'missing', 'project', '01a21394-3ee3-73d9-851c-3b9986bb895f', '\x601488ccfee7dbf676b8aa3032ab4066b89c1aa8037f63d316b92f1bc8101db3', 'c03b8e676f9c3587acb2f5d212ff0b299f770e1b53f04dec2148e4092ffbbcb5', 65, 'memory/m01.md', NULL, '2026-11-25 16:40:09.881316+00', '2026-11-25 16:40:09.881316+00', '[]', 20, false, '2026-11-25 16:40:09.881316+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-727f-9408-60d7be2ee114', 2, 'Bob 0', true, 'missing', 'user', '01a21394-3ee3-73ce-84f1-2769c16a95dc', '\x9018db2e37670e507a07d71f26f421229fe1a61be332f75cc0b850e485dd8c81', '00b80352723b3024323fb74dbe3c66a785ecd6a9983c664bdf34f43211944849', 62, 'memory/m00.md', NULL, '2026-11-25 16:40:09.881091+00', '2026-11-25 16:40:09.881091+00', '[]', 20, false, '2026-11-25 16:40:09.881091+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-7331-baa1-ed1f62ae14a2', 2, 'Bob 8', true, 'missing', 'user', '01a21394-3ee3-73e6-b452-56eaea70a5bd', '\x3608b14df71ffd7eef0bea8ef56251d3a3c2272eed9a5585b9902e782762d695', '9923b5bb7b6e9ef2388b7e5f88628ddd0786a1de48881a95081e31a02e41ab1a', 62, 'memory/m08.md', NULL, '2026-11-25 16:40:09.882402+00', '2026-11-25 16:40:09.882402+00', '[]', 20, false, '2026-11-25 16:40:09.882402+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-72fb-a8f3-33e41c19f8ac', 2, 'Bob 3', true, 'missing', 'reference', '01a21394-3ee3-73df-bcaa-bd85f0e9eb87', '\x7cb6554d60e6a3395e743c234754a291e7228cc117199209365a954e5e71e783', 'f2f4372a0e3e96f71186a73af5deb1196c679ddc167c8f8bf014bbe227b431c6', 67, 'memory/m03.md', NULL, '2026-11-25 16:40:09.882228+00', '2026-11-25 16:40:09.882228+00', '[]', 20, false, '2026-11-25 16:40:09.882228+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-732f-9448-2eed7b504c82', 2, 'Bob 7', true, 'missing', 'reference', '01a21394-3ee3-73e5-a3a1-2e2b74c8d8ed', '\x65b3982c8d7d27e1b860e1920af162fb91563c509057c9956cd959e980586f0f', '7cc183c5f4b204df34668cd9fcbc0adf1af084d9f11f282dc42c538ae67d2bdd', 67, 'memory/m07.md', NULL, '2026-11-25 16:40:09.882369+00', '2026-11-25 16:40:09.882369+00', '[]', 20, false, '2026-11-25 16:40:09.882369+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memories VALUES ('01a21394-3ee3-734a-aaeb-1ce57fa24a53', 2, 'Bob 10', true, 'missing', 'feedback', '01a21394-3ee3-73f9-a635-c7d30f1ece68', '\x4582a3da9c388b79ab4516a844c83d90462da8a901074a721f14c78b5ba11c40', '349c59fbda1581b7aa390c657c6d21aad5e50f8021a18c00ef4f8516f3b51a9d', 68, 'memory/m10.md', NULL, '2026-11-25 16:40:09.882467+00', '2026-11-25 16:40:09.882467+00', '[]', 22, false, '2026-11-25 16:40:09.882467+00', '2026-11-25 16:40:12.750069+00', NULL, NULL, NULL, false, 'About it', false, NULL);
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-733d-b630-916bcde13c0a', '01a21394-3ef5-73b7-a814-cae41161dadb', '''@1'' ''^no'' ''^type'' ''no'':1A ''text'':3C ''type'':2A', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-7337-809f-e3f67e309f67', '01a21394-3ef5-73a7-b01f-0d6b0368e0b9', '''@1'' ''^odd'' ''frontmatter'':3C ''no'':2C ''odd'':1A', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-7339-bf63-7a81f94fbce0', '01a21394-3ef5-73a8-8f28-ed8a27d9b2f7', '''@1'' ''^broken'' ''broken'':1A', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-72b3-a42d-f30c57f2b4f5', '01a21394-3ef5-7353-8505-050be4131ae4', '''#user'' ''@1'' ''^about'' ''^disk'' ''^from'' ''^it'' ''about'':3B ''disk'':2A,7C ''from'':1A ''it'':4B ''on'':6C ''removed'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-72c9-a64f-e7442d7e812e', '01a21394-3ef5-7366-85e0-0adad5f4b643', '''#user'' ''@1'' ''^about'' ''^it'' ''^restored'' ''about'':2B ''and'':5C ''deleted'':4C ''it'':3B ''restored'':1A,6C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-7294-97d3-e9bb7bb0469d', '01a21394-3ef5-734d-9158-d0f398a5e1a0', '''#project'' ''@1'' ''^about'' ''^gone'' ''^it'' ''about'':2B ''gone'':1A ''it'':3B ''news'':5C ''old'':4C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-72d3-853a-f55ba9f81401', '01a21394-3ef5-7367-8ef8-a8a912890491', '''#project'' ''@1'' ''^about'' ''^files'' ''^it'' ''^two'' ''about'':3B ''files'':2A ''first'':5C ''it'':4B ''two'':1A', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-7308-ab82-1de517cd11c4', '01a21394-3ef5-73a4-8031-758074630c99', '''#reference'' ''@1'' ''^about'' ''^it'' ''^wiki'' ''about'':2B ''example'':5C ''it'':3B ''org'':6C ''wiki'':1A,4C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-72c3-88ba-14a301713eb3', '01a21394-3ef5-7357-bef9-c6274fd7f6bf', '''#user'' ''@1'' ''^about'' ''^it'' ''^returns'' ''about'':2B ''again'':7C ''deleted'':4C ''it'':3B ''returns'':1A ''then'':5C ''written'':6C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-734a-aaeb-1ce57fa24a53', '01a21394-3ee3-73f9-a635-c7d30f1ece68', '''#feedback'' ''10'':2A,6C ''@2'' ''^10'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-7299-9c61-f95ba44b3bf2', '01a21394-3ee3-73dc-9276-803a7c1cea52', '''#feedback'' ''2'':2A,6C ''@2'' ''^2'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-7325-8a89-19921e1d82c5', '01a21394-3ee3-73e4-bb08-185d5a2c1677', '''#feedback'' ''6'':2A,6C ''@2'' ''^6'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-727f-9408-60d7be2ee114', '01a21394-3ee3-73ce-84f1-2769c16a95dc', '''#user'' ''0'':2A,6C ''@2'' ''^0'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-730c-8786-146b2b7d2434', '01a21394-3ee3-73e0-824f-6ba06b9e25c3', '''#user'' ''4'':2A,6C ''@2'' ''^4'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-7331-baa1-ed1f62ae14a2', '01a21394-3ee3-73e6-b452-56eaea70a5bd', '''#user'' ''8'':2A,6C ''@2'' ''^8'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-7292-a00a-8944c1e5906e', '01a21394-3ee3-73d9-851c-3b9986bb895f', '''#project'' ''1'':2A,6C ''@2'' ''^1'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-7323-b7a0-8c5eb1b5b0d9', '01a21394-3ee3-73e2-9989-82ee53711341', '''#project'' ''5'':2A,6C ''@2'' ''^5'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-7341-91ff-f393dcd1a902', '01a21394-3ee3-73f7-84b5-c249e5e42c15', '''#project'' ''9'':2A,6C ''@2'' ''^9'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-73b7-9dc7-57405ec46d3d', '01a21394-3ee3-73fa-8007-80ab3f2706dd', '''#reference'' ''11'':2A,6C ''@2'' ''^11'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-72fb-a8f3-33e41c19f8ac', '01a21394-3ee3-73df-bcaa-bd85f0e9eb87', '''#reference'' ''3'':2A,6C ''@2'' ''^3'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ee3-732f-9448-2eed7b504c82', '01a21394-3ee3-73e5-a3a1-2e2b74c8d8ed', '''#reference'' ''7'':2A,6C ''@2'' ''^7'' ''^about'' ''^bob'' ''^it'' ''about'':3B ''bob'':1A ''it'':4B ''note'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-72fe-87d8-e563ab3658b1', '01a21394-3f49-7a76-bce7-bd7305af1e4e', '''#project'' ''@1'' ''^about'' ''^it'' ''^rival'' ''a'':4C ''about'':2B ''it'':3B ''otherwise'':7C ''rival'':1A ''says'':6C ''session'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3f49-7a28-bb94-162fe0ce9a8b', '01a21394-3f49-7a7a-b61e-47115af64e43', '''#user'' ''@1'' ''^about'' ''^in'' ''^it'' ''^only'' ''^session'' ''about'':4B ''in'':2A ''it'':5B ''only'':1A ''session'':3A,6C ''text'':7C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-72b6-bcfd-c15de6229147', '01a21394-3ef5-7354-a350-df893ff5ae80', '''#reference'' ''@1'' ''^about'' ''^it'' ''^name'' ''^new'' ''about'':3B ''it'':4B ''name'':2A ''new'':1A ''renamed'':5C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_search VALUES ('01a21394-3ef5-7282-ab5a-803fd407a29a', '01a21394-4059-7856-98b3-844f92684eea', '''#feedback'' ''@1'' ''^about'' ''^it'' ''^tabs'' ''about'':2B ''always'':6C ''it'':3B ''tabs'':1A,5C ''use'':4C', '                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                ');
INSERT INTO public.memory_tallies VALUES (1, 'needs_attention', '', 3);
INSERT INTO public.memory_tallies VALUES (1, 'active', 'reference', 2);
INSERT INTO public.memory_tallies VALUES (1, 'active', 'feedback', 1);
INSERT INTO public.memory_tallies VALUES (1, 'active', 'project', 2);
INSERT INTO public.memory_tallies VALUES (1, 'deleted', 'project', 1);
INSERT INTO public.memory_tallies VALUES (1, 'active', 'user', 2);
INSERT INTO public.memory_tallies VALUES (1, 'deleted', 'user', 2);
INSERT INTO public.memory_tallies VALUES (2, 'missing', 'project', 3);
INSERT INTO public.memory_tallies VALUES (2, 'active', 'feedback', 0);
INSERT INTO public.memory_tallies VALUES (2, 'active', 'reference', 1);
INSERT INTO public.memory_tallies VALUES (2, 'missing', 'reference', 2);
INSERT INTO public.memory_tallies VALUES (2, 'active', 'user', 0);
INSERT INTO public.memory_tallies VALUES (2, 'missing', 'user', 3);
INSERT INTO public.memory_tallies VALUES (2, 'active', 'project', 0);
INSERT INTO public.memory_tallies VALUES (2, 'missing', 'feedback', 3);
INSERT INTO public.proposals VALUES ('1cf5ef17-7734-42a0-8e80-e66da47ed540', 1, 'waiting', 'Proposed', 'user', 'About it', 'Text.', '\x01', 'I said so', NULL, 's1', '2026-11-25 16:40:43.040177+00', NULL, NULL, NULL, '', NULL);
INSERT INTO public.recall_sessions VALUES (1, 's1', '2026-11-25 16:40:12.768369+00', '-infinity');
INSERT INTO public.recalled VALUES ('01a21394-40e0-75a1-afec-f52685259b40', 1, 1, 's1', '2026-11-25 16:40:12.768369+00', '01a21394-3ef5-7282-ab5a-803fd407a29a', 'Tabs', 74, '["“tabs” is in its name", "“tabs” is in its name, for “indent”", "“tabs” is in its name, for “spaces”"]');
INSERT INTO public.recalled VALUES ('01a21394-40e0-75a1-afec-f52685259b40', 99, 9999, NULL, '2026-11-25 16:40:12.768369+00', '01a21394-3ef5-7282-ab5a-803fd407a29a', 'Tabs', 74, '["“tabs” is in its name", "“tabs” is in its name, for “indent”", "“tabs” is in its name, for “spaces”"]');
INSERT INTO public.recalls VALUES ('01a21394-40e0-75a1-afec-f52685259b40', 1, '2026-11-25 16:40:12.768369+00', 's1', 'script', 'how do I indent, tabs or spaces?', 'handed_out', 'keyword', NULL, NULL, 1, 4655, '[{"id": "01a21394-3ef5-7282-ab5a-803fd407a29a", "why": ["“tabs” is in its name", "“tabs” is in its name, for “indent”", "“tabs” is in its name, for “spaces”"]}]', 1);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73dc-9276-803a7c1cea52', '01a21394-3ee3-7299-9c61-f95ba44b3bf2', '\x0c3334c330328fcef9f5fe80e2add123277013523752206b026f28042bfd6147', '041b9a7623f7365f26b3398e4716ae09e3de5bed7e9aa58fab7bd6b6a5f4e55f', 'feedback', 'About it', 'Note 2.', '\x2d2d2d0a6e616d653a20426f6220320a6465736372697074696f6e3a2041626f75742069740a747970653a20666565646261636b0a2d2d2d0a0a4e6f746520322e0a', 'memory/m02.md', NULL, '2026-11-25 16:40:09.882168+00', 1);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73e0-824f-6ba06b9e25c3', '01a21394-3ee3-730c-8786-146b2b7d2434', '\xe4ebb5f7ecdbb1d1d3b73835dae74edd4b313be9ce8aa84d521b9724e28fb06e', '87ba78a3c1cbbdf88571ee60ed0bf8e935278c6bea5de94cb0ade3d125ea424f', 'user', 'About it', 'Note 4.', '\x2d2d2d0a6e616d653a20426f6220340a6465736372697074696f6e3a2041626f75742069740a747970653a20757365720a2d2d2d0a0a4e6f746520342e0a', 'memory/m04.md', NULL, '2026-11-25 16:40:09.882263+00', 2);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73e5-a3a1-2e2b74c8d8ed', '01a21394-3ee3-732f-9448-2eed7b504c82', '\x65b3982c8d7d27e1b860e1920af162fb91563c509057c9956cd959e980586f0f', '7cc183c5f4b204df34668cd9fcbc0adf1af084d9f11f282dc42c538ae67d2bdd', 'reference', 'About it', 'Note 7.', '\x2d2d2d0a6e616d653a20426f6220370a6465736372697074696f6e3a2041626f75742069740a747970653a207265666572656e63650a2d2d2d0a0a4e6f746520372e0a', 'memory/m07.md', NULL, '2026-11-25 16:40:09.882369+00', 3);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73e6-b452-56eaea70a5bd', '01a21394-3ee3-7331-baa1-ed1f62ae14a2', '\x3608b14df71ffd7eef0bea8ef56251d3a3c2272eed9a5585b9902e782762d695', '9923b5bb7b6e9ef2388b7e5f88628ddd0786a1de48881a95081e31a02e41ab1a', 'user', 'About it', 'Note 8.', '\x2d2d2d0a6e616d653a20426f6220380a6465736372697074696f6e3a2041626f75742069740a747970653a20757365720a2d2d2d0a0a4e6f746520382e0a', 'memory/m08.md', NULL, '2026-11-25 16:40:09.882402+00', 4);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73f7-84b5-c249e5e42c15', '01a21394-3ee3-7341-91ff-f393dcd1a902', '\x962fc5383c7805cf1873b268bc71911afc5fc473f70ff200907a35ea24b8f3d7', 'c484eca66224c93cda21d5455564d9a217f35c8974795bdb327b400e795afa6b', 'project', 'About it', 'Note 9.', '\x2d2d2d0a6e616d653a20426f6220390a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a4e6f746520392e0a', 'memory/m09.md', NULL, '2026-11-25 16:40:09.882434+00', 5);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73f9-a635-c7d30f1ece68', '01a21394-3ee3-734a-aaeb-1ce57fa24a53', '\x4582a3da9c388b79ab4516a844c83d90462da8a901074a721f14c78b5ba11c40', '349c59fbda1581b7aa390c657c6d21aad5e50f8021a18c00ef4f8516f3b51a9d', 'feedback', 'About it', 'Note 10.', '\x2d2d2d0a6e616d653a20426f622031300a6465736372697074696f6e3a2041626f75742069740a747970653a20666565646261636b0a2d2d2d0a0a4e6f74652031302e0a', 'memory/m10.md', NULL, '2026-11-25 16:40:09.882467+00', 6);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73df-bcaa-bd85f0e9eb87', '01a21394-3ee3-72fb-a8f3-33e41c19f8ac', '\x7cb6554d60e6a3395e743c234754a291e7228cc117199209365a954e5e71e783', 'f2f4372a0e3e96f71186a73af5deb1196c679ddc167c8f8bf014bbe227b431c6', 'reference', 'About it', 'Note 3.', '\x2d2d2d0a6e616d653a20426f6220330a6465736372697074696f6e3a2041626f75742069740a747970653a207265666572656e63650a2d2d2d0a0a4e6f746520332e0a', 'memory/m03.md', NULL, '2026-11-25 16:40:09.882228+00', 7);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73e2-9989-82ee53711341', '01a21394-3ee3-7323-b7a0-8c5eb1b5b0d9', '\xa0e2d331636d2c5a77872aa76c88bf1d7d7fb120747ab16102775568083de868', '5ffbdac321b3dc33d657d7be3bffd937da4bc40ae01c0803de05e528690a0cbd', 'project', 'About it', 'Note 5.', '\x2d2d2d0a6e616d653a20426f6220350a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a4e6f746520352e0a', 'memory/m05.md', NULL, '2026-11-25 16:40:09.882297+00', 8);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73e4-bb08-185d5a2c1677', '01a21394-3ee3-7325-8a89-19921e1d82c5', '\xa089040d171152b8491b28ec2a6d89124daafe8b409af8ad3fc9a8ebd5106778', 'ffded809b972d4f181175ab4c337698dfa34a4e19f196416975b03408c6b79f1', 'feedback', 'About it', 'Note 6.', '\x2d2d2d0a6e616d653a20426f6220360a6465736372697074696f6e3a2041626f75742069740a747970653a20666565646261636b0a2d2d2d0a0a4e6f746520362e0a', 'memory/m06.md', NULL, '2026-11-25 16:40:09.88233+00', 9);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73fa-8007-80ab3f2706dd', '01a21394-3ee3-73b7-9dc7-57405ec46d3d', '\x0b58ef1a560b329200338ff41b8a634644939ddd5bcb85b5192c23ff699daa04', '7495393687308a834d6ee5de1b0dd70643ce4176324a94c5bd1eeea76d81606c', 'reference', 'About it', 'Note 11.', '\x2d2d2d0a6e616d653a20426f622031310a6465736372697074696f6e3a2041626f75742069740a747970653a207265666572656e63650a2d2d2d0a0a4e6f74652031312e0a', 'memory/m11.md', NULL, '2026-11-25 16:40:09.882498+00', 10);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73ce-84f1-2769c16a95dc', '01a21394-3ee3-727f-9408-60d7be2ee114', '\x9018db2e37670e507a07d71f26f421229fe1a61be332f75cc0b850e485dd8c81', '00b80352723b3024323fb74dbe3c66a785ecd6a9983c664bdf34f43211944849', 'user', 'About it', 'Note 0.', '\x2d2d2d0a6e616d653a20426f6220300a6465736372697074696f6e3a2041626f75742069740a747970653a20757365720a2d2d2d0a0a4e6f746520302e0a', 'memory/m00.md', NULL, '2026-11-25 16:40:09.881091+00', 11);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ee3-73d9-851c-3b9986bb895f', '01a21394-3ee3-7292-a00a-8944c1e5906e', '\x601488ccfee7dbf676b8aa3032ab4066b89c1aa8037f63d316b92f1bc8101db3', 'c03b8e676f9c3587acb2f5d212ff0b299f770e1b53f04dec2148e4092ffbbcb5', 'project', 'About it', 'Note 1.', '\x2d2d2d0a6e616d653a20426f6220310a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a4e6f746520312e0a', 'memory/m01.md', NULL, '2026-11-25 16:40:09.881316+00', 12);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-7367-8ef8-a8a912890491', '01a21394-3ef5-72d3-853a-f55ba9f81401', '\xcc4ad5581e45fab94a99b48e3b9541d1064b7252a6e4694fc677cf8c7cc56857', '40c1bac9c5896cd36a5e2d6e9b7ff8eda5d2a586703dfd84b536c829be3ca3d1', 'project', 'About it', 'First.', '\x2d2d2d0a6e616d653a2054776f2066696c65730a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a46697273742e0a', 'memory/two.md', NULL, '2026-11-25 16:40:09.880735+00', 13);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-7394-957b-b239610590db', '01a21394-3ef5-72d3-853a-f55ba9f81401', '\xb76d7125fb0e3754a0e08b85bbc94fb9351beba2b1a45191ac0ffe4eea85bdcd', 'a6fd3585d8529cb2d65b32b87547dc100c1ae415f7138693e5113ae24666486f', 'project', 'About it', 'Second.', '\x2d2d2d0a6e616d653a2054776f2066696c65730a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a5365636f6e642e0a', 'memory/two-b.md', NULL, '2026-11-25 16:40:09.880768+00', 14);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-73b7-a814-cae41161dadb', '01a21394-3ef5-733d-b630-916bcde13c0a', '\x5245dc16f8f98936e6015dc509ab707de7dcdeaf6bfce4cb343d5391954bf8ff', '5e651e15239001c43c35d70b43928a64320f981271fe9cebc855aebe1cfbb227', NULL, '', 'Text.', '\x2d2d2d0a6e616d653a204e6f20747970650a2d2d2d0a0a546578742e0a', 'memory/typeless.md', NULL, '2026-11-25 16:40:09.880922+00', 15);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-7343-a3a0-d9ea81afdaa0', '01a21394-3ef5-7282-ab5a-803fd407a29a', '\xcf1ec365ee0bdcb290c086b47598fdaffa9b7d9d1f75350f1cec1ff33b5a2afc', '219a4056583bba0678d116aee8a241c75018cda115db55062f97183758c6760d', 'feedback', 'About it', 'Use tabs.', '\x2d2d2d0a6e616d653a20546162730a6465736372697074696f6e3a2041626f75742069740a747970653a20666565646261636b0a2d2d2d0a0a55736520746162732e0a', 'memory/tabs.md', NULL, '2026-11-25 16:40:09.880474+00', 16);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-7366-85e0-0adad5f4b643', '01a21394-3ef5-72c9-a64f-e7442d7e812e', '\xc6a6eb242b2926db357d20ef05439457802725e456b627a8c28521bbd4d5b316', 'fc7439eb7ba7ab0980ffa8eb0511081cca5d3c5c59499f7cc166f853d1c1f5d7', 'user', 'About it', 'Deleted and restored.', '\x2d2d2d0a6e616d653a20526573746f7265640a6465736372697074696f6e3a2041626f75742069740a747970653a20757365720a2d2d2d0a0a44656c6574656420616e6420726573746f7265642e0a', 'memory/restored.md', NULL, '2026-11-25 16:40:09.880698+00', 17);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-739a-bb4f-f37cd8bc4bee', '01a21394-3ef5-72fe-87d8-e563ab3658b1', '\x741eea3df693a1a1ba97b42a3d69579aa127e8958ca07a6003bfcff25beb4fc2', '8c2461f622cf487608dc10f98a5285539204d4ff282e7b2af0d670abaa52246a', 'project', 'About it', 'Primary.', '\x2d2d2d0a6e616d653a20526976616c0a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a5072696d6172792e0a', 'memory/rival.md', NULL, '2026-11-25 16:40:09.880799+00', 18);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-73a4-8031-758074630c99', '01a21394-3ef5-7308-ab82-1de517cd11c4', '\xb9885fd18ff2a956e7c8fddce572f59d81954c046e964ff551d27cef25434255', '7663f4fa3b69ea932b95e6abb5c0c098ea23cf885eeea534483f33871e5a36ba', 'reference', 'About it', 'wiki.example.org', '\x2d2d2d0a6e616d653a2057696b690a6465736372697074696f6e3a2041626f75742069740a747970653a207265666572656e63650a2d2d2d0a0a77696b692e6578616d706c652e6f72670a', 'memory/team/wiki.md', NULL, '2026-11-25 16:40:09.880835+00', 19);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-73a7-b01f-0d6b0368e0b9', '01a21394-3ef5-7337-809f-e3f67e309f67', '\xf3bcd095a52faf39a95b85990997f8816d705ba5c749b84d8965bf15e09b25ef', '2b410131e054f3fca20c05f8a62eb691c261abd31156d81822e997b1c3a34c98', NULL, '', 'No frontmatter.', '\x4e6f2066726f6e746d61747465722e0a', 'memory/odd.md', NULL, '2026-11-25 16:40:09.880861+00', 20);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-73a8-8f28-ed8a27d9b2f7', '01a21394-3ef5-7339-bf63-7a81f94fbce0', '\x7c7745a5ef749b1deee13d6966f69d263009d4f374cc3577bd426452c8821d27', 'd2ad9277baaee14856d20ec2b21f87a0cb8a7f86c6ef090fd5a082b1e85135ac', NULL, '', '��', '\xfffe0001', 'memory/broken.md', NULL, '2026-11-25 16:40:09.880892+00', 21);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-734d-9158-d0f398a5e1a0', '01a21394-3ef5-7294-97d3-e9bb7bb0469d', '\x6861b35c6930b57fc31854db2eab4bec665b05116d887d8ca7372af8352b7e60', '541446c984ec371f4100267bd321af920a3781f3e527a617e2948099abba4c14', 'project', 'About it', 'Old news.', '\x2d2d2d0a6e616d653a20476f6e650a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a4f6c64206e6577732e0a', 'memory/gone.md', NULL, '2026-11-25 16:40:09.880529+00', 22);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-7353-8505-050be4131ae4', '01a21394-3ef5-72b3-a42d-f30c57f2b4f5', '\xda6b4cce146232874c9f9ec1a000f20d5f008ec68dff8124476a92a24dd6e21d', 'a7d80337b972820e21433d85f61825e38edb24a2cddba77c0c4eb9f969921253', 'user', 'About it', 'Removed on disk.', '\x2d2d2d0a6e616d653a2046726f6d206469736b0a6465736372697074696f6e3a2041626f75742069740a747970653a20757365720a2d2d2d0a0a52656d6f766564206f6e206469736b2e0a', 'memory/disk.md', NULL, '2026-11-25 16:40:09.880599+00', 24);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-7357-bef9-c6274fd7f6bf', '01a21394-3ef5-72c3-88ba-14a301713eb3', '\x4f10e41c290d583b9143af78fb90e75cb898176e7c4b41a6d14b11aedd169cd7', '44995e08fdf406b58595fbc5152500bb35c4e58f84cc3aaa913b92ef6825f371', 'user', 'About it', 'Deleted, then written again.', '\x2d2d2d0a6e616d653a2052657475726e730a6465736372697074696f6e3a2041626f75742069740a747970653a20757365720a2d2d2d0a0a44656c657465642c207468656e207772697474656e20616761696e2e0a', 'memory/returns.md', NULL, '2026-11-25 16:40:09.880667+00', 26);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3f49-7a7a-b61e-47115af64e43', '01a21394-3f49-7a28-bb94-162fe0ce9a8b', '\xbbbf52b04b4954c7260e108b6b58c468822a4a3fc258f2d86ea99ab629f2ed71', '2fadec49ce37471861a2d39c9cf0829637ee6ffa9b870872c9753dafed2e6897', 'user', 'About it', 'Session text.', '\x2d2d2d0a6e616d653a204f6e6c7920696e2073657373696f6e0a6465736372697074696f6e3a2041626f75742069740a747970653a20757365720a2d2d2d0a0a53657373696f6e20746578742e0a', 'sessions/U2-C1-1712349999.000200/memory/only.md', 'U2-C1-1712349999.000200', '2026-11-25 16:40:12.359257+00', 27);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3ef5-7354-a350-df893ff5ae80', '01a21394-3ef5-72b6-bcfd-c15de6229147', '\xcd4eb400b0a553ff13bba80ee52bed1623a15cc3b1e985456cfab5bc0cdf04b7', '990b8e0a2497b24746e41b457ef7b05bfa0ae31dfabf67d45285c14e216ae556', 'reference', 'About it', 'Renamed.', '\x2d2d2d0a6e616d653a204e6577206e616d650a6465736372697074696f6e3a2041626f75742069740a747970653a207265666572656e63650a2d2d2d0a0a52656e616d65642e0a', 'memory/reference_new_name.md', NULL, '2026-11-25 16:40:09.880632+00', 25);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-3f49-7a76-bce7-bd7305af1e4e', '01a21394-3ef5-72fe-87d8-e563ab3658b1', '\x90deca374f30272357e84e7b5c831d9f14fb152ce541f905c25b044d9d7526e9', 'cb14c52aec13e2b9726e2d39b76c6666b871548a6eabe461f799c4752cb89233', 'project', 'About it', 'A session says otherwise.', '\x2d2d2d0a6e616d653a20526976616c0a6465736372697074696f6e3a2041626f75742069740a747970653a2070726f6a6563740a2d2d2d0a0a412073657373696f6e2073617973206f74686572776973652e0a', 'sessions/U1-C1-1712345678.000100/memory/rival.md', 'U1-C1-1712345678.000100', '2026-11-25 16:40:12.359164+00', 28);
INSERT INTO public.revisions OVERRIDING SYSTEM VALUE VALUES ('01a21394-4059-7856-98b3-844f92684eea', '01a21394-3ef5-7282-ab5a-803fd407a29a', '\xcc04c2b6a051250073718f30a54719f38c412a5a66e9c1d7e2663eecabc0692f', '6cec6189ad3ef5d3bdabc0bb3fb782acb750d50b7004a6c70dfea903c8d730b9', 'feedback', 'About it', 'Use tabs, always.', '\x2d2d2d0a6e616d653a20546162730a6465736372697074696f6e3a2041626f75742069740a747970653a20666565646261636b0a2d2d2d0a0a55736520746162732c20616c776179732e0a', 'memory/tabs.md', NULL, '2026-11-25 16:40:12.629224+00', 30);
INSERT INTO public.river_job VALUES (1, 'completed', 1, 8, '2026-11-25 16:40:12.795391+00', '2026-11-25 16:40:12.785613+00', '2026-11-25 16:40:12.839418+00', '2026-11-25 16:40:12.785613+00', 1, '{"key": "plan", "slug": "ada", "work": {"by": "script", "due": false}, "agent": 1}', '{3d08b4a3-1049-4055-9b21-5a3f853c146d}', NULL, 'consolidation', '{"output": {"said": "A plan with 1 step, of 6 memories."}}', 'default', '{}', '\x1dcb07e663aae40e59e69b8a32a645539da4823c83cddc24d842cfd2e66f832c', B'11110001');
INSERT INTO public.river_leader VALUES ('2026-11-25 16:40:12.400833+00', '2026-11-25 16:40:57.437644+00', '3d08b4a3-1049-4055-9b21-5a3f853c146d', 'default');
INSERT INTO public.river_queue VALUES ('default', '2026-11-25 16:40:12.400361+00', '{}', NULL, '2026-11-25 16:40:12.400361+00');
INSERT INTO public.search_words VALUES ('closes');
INSERT INTO public.search_words VALUES ('facts');
INSERT INTO public.search_words VALUES ('office');
INSERT INTO public.search_words VALUES ('six');
INSERT INTO public.search_words VALUES ('the');
INSERT INTO public.search_words VALUES ('about');
INSERT INTO public.search_words VALUES ('again');
INSERT INTO public.search_words VALUES ('and');
INSERT INTO public.search_words VALUES ('bob');
INSERT INTO public.search_words VALUES ('broken');
INSERT INTO public.search_words VALUES ('deleted');
INSERT INTO public.search_words VALUES ('disk');
INSERT INTO public.search_words VALUES ('example');
INSERT INTO public.search_words VALUES ('files');
INSERT INTO public.search_words VALUES ('first');
INSERT INTO public.search_words VALUES ('from');
INSERT INTO public.search_words VALUES ('frontmatter');
INSERT INTO public.search_words VALUES ('gone');
INSERT INTO public.search_words VALUES ('name');
INSERT INTO public.search_words VALUES ('news');
INSERT INTO public.search_words VALUES ('note');
INSERT INTO public.search_words VALUES ('odd');
INSERT INTO public.search_words VALUES ('old');
INSERT INTO public.search_words VALUES ('org');
INSERT INTO public.search_words VALUES ('primary');
INSERT INTO public.search_words VALUES ('removed');
INSERT INTO public.search_words VALUES ('renamed');
INSERT INTO public.search_words VALUES ('restored');
INSERT INTO public.search_words VALUES ('returns');
INSERT INTO public.search_words VALUES ('rival');
INSERT INTO public.search_words VALUES ('tabs');
INSERT INTO public.search_words VALUES ('text');
INSERT INTO public.search_words VALUES ('then');
INSERT INTO public.search_words VALUES ('two');
INSERT INTO public.search_words VALUES ('type');
INSERT INTO public.search_words VALUES ('use');
INSERT INTO public.search_words VALUES ('wiki');
INSERT INTO public.search_words VALUES ('written');
INSERT INTO public.search_words VALUES ('only');
INSERT INTO public.search_words VALUES ('otherwise');
INSERT INTO public.search_words VALUES ('says');
INSERT INTO public.search_words VALUES ('session');
INSERT INTO public.search_words VALUES ('new');
INSERT INTO public.search_words VALUES ('always');
INSERT INTO public.sign_ins VALUES ('\x01', '\x02', '2100-01-01 00:00:00+00');
INSERT INTO public.tombstones VALUES (1, 'Gone', '\x6861b35c6930b57fc31854db2eab4bec665b05116d887d8ca7372af8352b7e60', '2026-11-25 16:40:12.397941+00', false);
INSERT INTO public.tombstones VALUES (1, 'Purged', '\x8493cc8bd3a87443f4b51ba8b244e2b7c6399637d60af869726f07fadd732f42', '2026-11-25 16:40:12.428812+00', false);
INSERT INTO public.tombstones VALUES (1, 'Returns', '\x4f10e41c290d583b9143af78fb90e75cb898176e7c4b41a6d14b11aedd169cd7', '2026-11-25 16:40:12.449031+00', false);
INSERT INTO public.tombstones VALUES (1, 'Old name', '\xcd4eb400b0a553ff13bba80ee52bed1623a15cc3b1e985456cfab5bc0cdf04b7', '2026-11-25 16:40:12.566681+00', false);
INSERT INTO public.tombstones VALUES (9999, 'Orphan', '\x01', '2026-11-25 16:40:43.066464+00', false);
INSERT INTO public.verifications VALUES ('01a21394-3ef5-7282-ab5a-803fd407a29a', 1, '01a21394-4059-7856-98b3-844f92684eea', '2026-11-25 16:40:43.007001+00', '/srv/project', 1, '[{"kind": "file", "text": "main.go", "status": "gone"}]');
SELECT pg_catalog.setval('public.activity_id_seq', 49, true);
SELECT pg_catalog.setval('public.agents_id_seq', 2, true);
SELECT pg_catalog.setval('public.memoir_migrations_id_seq', 35, true);
SELECT pg_catalog.setval('public.revisions_seen_order_seq', 30, true);
SELECT pg_catalog.setval('public.river_job_id_seq', 1, true);
SELECT pg_catalog.setval('public.river_notification_id_seq', 1, false);
ALTER TABLE ONLY public.activity
    ADD CONSTRAINT activity_pkey PRIMARY KEY (agent_id, at, id);
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.blocked
    ADD CONSTRAINT blocked_agent_id_path_key UNIQUE (agent_id, path);
ALTER TABLE ONLY public.blocked
    ADD CONSTRAINT blocked_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.concordance_parts
    ADD CONSTRAINT concordance_parts_pkey PRIMARY KEY (concordance_id, part);
ALTER TABLE ONLY public.concordance_since
    ADD CONSTRAINT concordance_since_pkey PRIMARY KEY (concordance_id, memory_id);
ALTER TABLE ONLY public.concordance_words
    ADD CONSTRAINT concordance_words_pkey PRIMARY KEY (concordance_id, word, part);
ALTER TABLE ONLY public.concordances
    ADD CONSTRAINT concordances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.consolidation_looks
    ADD CONSTRAINT consolidation_looks_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY public.consolidation_steps
    ADD CONSTRAINT consolidation_steps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.consolidations
    ADD CONSTRAINT consolidations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conversation_texts
    ADD CONSTRAINT conversation_texts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (agent_id, session);
ALTER TABLE ONLY public.disagreements
    ADD CONSTRAINT disagreements_pkey PRIMARY KEY (memory_id, agent_id);
ALTER TABLE ONLY public.figures
    ADD CONSTRAINT figures_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY public.file_tallies
    ADD CONSTRAINT file_tallies_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (agent_id, path);
ALTER TABLE ONLY public.growth
    ADD CONSTRAINT growth_pkey PRIMARY KEY (agent_id, day, type);
ALTER TABLE ONLY public.index_facts
    ADD CONSTRAINT index_facts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.job_servers
    ADD CONSTRAINT job_servers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.joins
    ADD CONSTRAINT joins_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (agent_id, path);
ALTER TABLE ONLY public.memoir_migrations
    ADD CONSTRAINT memoir_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_search
    ADD CONSTRAINT memory_search_pkey PRIMARY KEY (memory_id);
ALTER TABLE ONLY public.memory_tallies
    ADD CONSTRAINT memory_tallies_pkey PRIMARY KEY (agent_id, state, type);
ALTER TABLE ONLY public.proposals
    ADD CONSTRAINT proposals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.recall_sessions
    ADD CONSTRAINT recall_sessions_pkey PRIMARY KEY (agent_id, session);
ALTER TABLE ONLY public.recalled
    ADD CONSTRAINT recalled_pkey PRIMARY KEY (recall_id, place);
ALTER TABLE ONLY public.recalls
    ADD CONSTRAINT recalls_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.river_job
    ADD CONSTRAINT river_job_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.river_leader
    ADD CONSTRAINT river_leader_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.river_notification
    ADD CONSTRAINT river_notification_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.river_queue
    ADD CONSTRAINT river_queue_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.search_words
    ADD CONSTRAINT search_words_pkey PRIMARY KEY (word);
ALTER TABLE ONLY public.sign_ins
    ADD CONSTRAINT sign_ins_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tombstones
    ADD CONSTRAINT tombstones_pkey PRIMARY KEY (agent_id, name, team, fingerprint);
ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (memory_id);
CREATE INDEX activity_by_memory ON public.activity USING btree (memory_id, at, id);
CREATE INDEX agents_joined ON public.agents USING btree (joined_to) WHERE (joined_to IS NOT NULL);
CREATE INDEX agents_shared ON public.agents USING btree (id) WHERE (layout = 'shared'::text);
CREATE INDEX concordances_of_agent ON public.concordances USING btree (agent_id);
CREATE INDEX consolidation_steps_applied ON public.consolidation_steps USING btree (agent_id, applied_at) WHERE (applied_at IS NOT NULL);
CREATE UNIQUE INDEX consolidation_steps_in_order ON public.consolidation_steps USING btree (plan_id, place);
CREATE INDEX consolidation_steps_unfinished ON public.consolidation_steps USING btree (agent_id) WHERE (state = ANY (ARRAY['chosen'::text, 'undoing'::text]));
CREATE INDEX consolidations_by_agent ON public.consolidations USING btree (agent_id, made_at);
CREATE UNIQUE INDEX consolidations_open ON public.consolidations USING btree (agent_id) WHERE (closed_at IS NULL);
CREATE INDEX conversation_texts_by_session ON public.conversation_texts USING btree (agent_id, session, given_at);
CREATE INDEX disagreements_of_agent ON public.disagreements USING btree (agent_id);
CREATE INDEX files_by_memory ON public.files USING btree (memory_id) WHERE present;
CREATE INDEX files_gone_by_memory ON public.files USING btree (memory_id) WHERE (NOT present);
CREATE INDEX files_to_remove ON public.files USING btree (agent_id) WHERE (status = 'removing'::text);
CREATE INDEX index_facts_by_agent ON public.index_facts USING btree (agent_id, path);
CREATE INDEX index_facts_by_word ON public.index_facts USING gin (words);
CREATE INDEX joins_into ON public.joins USING btree (into_id);
CREATE INDEX logs_by_day ON public.logs USING btree (agent_id, day, path);
CREATE INDEX logs_by_word ON public.logs USING gin (words);
CREATE UNIQUE INDEX memories_by_name ON public.memories USING btree (agent_id, name, team) WHERE readable;
CREATE INDEX memories_by_state ON public.memories USING btree (agent_id, state, type);
CREATE UNIQUE INDEX memories_by_unreadable_path ON public.memories USING btree (agent_id, path) WHERE ((NOT readable) AND (state <> 'deleted'::text));
CREATE INDEX memories_in_order_of_age ON public.memories USING btree (agent_id, modified_at, id);
CREATE INDEX memories_in_order_of_name ON public.memories USING btree (agent_id, name, id);
CREATE INDEX memories_in_order_of_update ON public.memories USING btree (agent_id, updated_at DESC, id);
CREATE INDEX memories_in_team ON public.memories USING btree (agent_id) WHERE (team AND (state <> 'deleted'::text));
CREATE INDEX memories_in_trash ON public.memories USING btree (agent_id, id) WHERE (state = 'deleted'::text);
CREATE INDEX memories_to_restore ON public.memories USING btree (agent_id) WHERE restoring;
CREATE INDEX memory_search_by_word ON public.memory_search USING gin (words);
CREATE INDEX proposals_in_order ON public.proposals USING btree (agent_id, state, proposed_at DESC, id);
CREATE UNIQUE INDEX proposals_once ON public.proposals USING btree (agent_id, fingerprint);
CREATE INDEX proposals_to_finish ON public.proposals USING btree (decided_at) WHERE (state = 'accepting'::text);
CREATE INDEX recalled_by_memory ON public.recalled USING btree (agent_id, memory_id, at);
CREATE INDEX recalled_in_session ON public.recalled USING btree (agent_id, session, at) WHERE (session IS NOT NULL);
CREATE INDEX recalls_by_time ON public.recalls USING btree (agent_id, at, id) INCLUDE (asked_by, selected_by, candidates, given, took_us);
CREATE INDEX recalls_in_session ON public.recalls USING btree (agent_id, session, at, id) WHERE (session IS NOT NULL);
CREATE UNIQUE INDEX revisions_by_content ON public.revisions USING btree (memory_id, fingerprint);
CREATE INDEX river_job_args_index ON public.river_job USING gin (args);
CREATE INDEX river_job_kind ON public.river_job USING btree (kind);
CREATE INDEX river_job_metadata_index ON public.river_job USING gin (metadata);
CREATE INDEX river_job_prioritized_fetching_index ON public.river_job USING btree (state, queue, priority, scheduled_at, id);
CREATE INDEX river_job_state_and_finalized_at_index ON public.river_job USING btree (state, finalized_at) WHERE (finalized_at IS NOT NULL);
CREATE UNIQUE INDEX river_job_unique_idx ON public.river_job USING btree (unique_key) WHERE ((unique_key IS NOT NULL) AND (unique_states IS NOT NULL) AND public.river_job_state_in_bitmask(unique_states, state));
CREATE INDEX river_notification_created_at_idx ON public.river_notification USING btree (created_at);
CREATE INDEX river_notification_topic_id_idx ON public.river_notification USING btree (topic, id);
CREATE INDEX search_words_by_trigram ON public.search_words USING gin (word public.gin_trgm_ops);
CREATE INDEX verifications_by_agent ON public.verifications USING btree (agent_id);
CREATE INDEX verifications_with_gone ON public.verifications USING btree (agent_id) WHERE (gone > 0);
CREATE TRIGGER belong_delete AFTER DELETE ON public.agents REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.go_with_agents();
CREATE TRIGGER belong_delete AFTER DELETE ON public.memories REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.go_with_memories();
CREATE TRIGGER belong_insert AFTER INSERT ON public.memories REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.belong_to_agents();
CREATE TRIGGER belong_insert AFTER INSERT ON public.revisions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.belong_to_memories();
CREATE TRIGGER disagreements_delete AFTER DELETE ON public.files REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.note_disagreements();
CREATE TRIGGER disagreements_insert AFTER INSERT ON public.files REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.note_disagreements();
CREATE TRIGGER disagreements_update AFTER UPDATE ON public.files REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.note_disagreements();
CREATE TRIGGER removal AFTER DELETE ON public.concordances FOR EACH ROW EXECUTE FUNCTION public.remove_concordance();
CREATE TRIGGER since_delete AFTER DELETE ON public.memory_search REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.note_since();
CREATE TRIGGER since_insert AFTER INSERT ON public.memory_search REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.note_since();
CREATE TRIGGER since_removal AFTER DELETE ON public.memories REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.note_since();
CREATE TRIGGER since_update AFTER UPDATE ON public.memory_search REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.note_since();
CREATE TRIGGER tally_delete AFTER DELETE ON public.files REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.tally_files();
CREATE TRIGGER tally_delete AFTER DELETE ON public.memories REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.tally_memories();
CREATE TRIGGER tally_insert AFTER INSERT ON public.files REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.tally_files();
CREATE TRIGGER tally_insert AFTER INSERT ON public.memories REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.tally_memories();
CREATE TRIGGER tally_update AFTER UPDATE ON public.files REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.tally_files();
CREATE TRIGGER tally_update AFTER UPDATE ON public.memories REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.tally_memories();
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_joined_to_fkey FOREIGN KEY (joined_to) REFERENCES public.agents(slug) ON DELETE SET NULL;
ALTER TABLE ONLY public.concordances
    ADD CONSTRAINT concordances_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.consolidation_looks
    ADD CONSTRAINT consolidation_looks_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.consolidation_steps
    ADD CONSTRAINT consolidation_steps_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES public.consolidations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.consolidations
    ADD CONSTRAINT consolidations_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.conversation_texts
    ADD CONSTRAINT conversation_texts_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.figures
    ADD CONSTRAINT figures_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.index_facts
    ADD CONSTRAINT index_facts_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.joins
    ADD CONSTRAINT joins_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.joins
    ADD CONSTRAINT joins_into_id_fkey FOREIGN KEY (into_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.memory_search
    ADD CONSTRAINT memory_search_memory_id_fkey FOREIGN KEY (memory_id) REFERENCES public.memories(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.proposals
    ADD CONSTRAINT proposals_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recall_sessions
    ADD CONSTRAINT recall_sessions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recalled
    ADD CONSTRAINT recalled_recall_id_fkey FOREIGN KEY (recall_id) REFERENCES public.recalls(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recalls
    ADD CONSTRAINT recalls_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_memory_id_fkey FOREIGN KEY (memory_id) REFERENCES public.memories(id) ON DELETE CASCADE;
