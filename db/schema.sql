-- The tables of a new database. db/migrations brings earlier databases to the same schema; a test
-- compares the two.
--
-- Text from files is sanitised, because Postgres refuses NUL and invalid UTF-8. The exact bytes are
-- stored next to it as bytea. Names, paths and slugs sort by their bytes, hence COLLATE "C". A row
-- is deleted with its agent or memory. memories.revision_id, files.memory_id and the ids in
-- activity have no foreign key, because their values may outlive the row.

CREATE TABLE agents (
    id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug                   text COLLATE "C" NOT NULL UNIQUE,
    -- shared: every other agent receives this agent's memories in addition to its own.
    layout                 text NOT NULL CHECK (layout IN ('hive', 'claude', 'directory', 'shared',
                                                          'qwen', 'gemini', 'codex', 'openclaw', 'memory-bank', 'letta')),
    dir                    text NOT NULL,
    display_name           text NOT NULL,
    present                boolean NOT NULL DEFAULT true,
    sessions               integer NOT NULL DEFAULT 0,
    -- Device of the primary directory at the last full scan. Another device means a mount or
    -- unmount; another inode on the same device means another directory. NULL if the directory was
    -- absent.
    primary_device         bigint,
    claude_md_path         text,
    claude_md_published_at timestamptz,
    claude_md_chars        integer NOT NULL DEFAULT 0,
    claude_md_problem      text,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL,
    -- Identifies the CLAUDE.md that has the current memories. Each change of a memory clears it in
    -- the same transaction. CLAUDE.md is compiled again only if it is NULL or does not match the
    -- file.
    claude_md_publish_key  text,
    -- Raised in each transaction that changes the input of CLAUDE.md. A server compares it to check
    -- its cache.
    memories_version       bigint NOT NULL DEFAULT 0,
    -- A person has switched the memory off: CLAUDE.md does not ask the agent to save, and
    -- extraction and consolidation skip it. Existing memories stay.
    memory_off             boolean NOT NULL DEFAULT false,
    -- The agent that owns the directory, if this agent's directory is a link to it. The directory
    -- is scanned as the owner's.
    joined_to              text COLLATE "C" REFERENCES agents (slug) ON DELETE SET NULL,
    primary_inode          bigint,
    -- The version of the rules by which all memories were examined for secrets and injections. If
    -- it is older than the server's, the next full scan examines them again.
    examined_version       integer NOT NULL DEFAULT 0
);
-- Used when an agent is deleted.
CREATE INDEX agents_joined_to_idx ON agents (joined_to) WHERE joined_to IS NOT NULL;

-- Finds the few shared agents, for each publication and recall.
CREATE INDEX agents_id_shared_idx ON agents (id) WHERE layout = 'shared';

CREATE TABLE memories (
    id              uuid PRIMARY KEY,
    agent_id        bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    name            text COLLATE "C" NOT NULL,
    readable        boolean NOT NULL,
    state           text NOT NULL CHECK (state IN ('active', 'needs_attention', 'missing', 'deleted')),
    type            text CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    -- The revision that is the current content. No foreign key: the two tables are filled side by
    -- side.
    revision_id     uuid NOT NULL,
    fingerprint     bytea NOT NULL,
    hash            text NOT NULL,
    size            bigint NOT NULL,
    path            text COLLATE "C" NOT NULL,
    session         text,
    modified_at     timestamptz NOT NULL,
    -- When the content became new. The file with the newest content wins.
    content_at      timestamptz NOT NULL,
    problems        jsonb NOT NULL DEFAULT '[]',
    claude_md_chars integer NOT NULL DEFAULT 0,
    claude_md_listed boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    deleted_at      timestamptz,
    deleted_by      text CHECK (deleted_by IN ('person', 'disk')),
    -- The lines that the deletion removed from MEMORY.md. A restore puts them back.
    index_lines     jsonb,
    -- A restore has begun. It is repeated until it completes.
    restoring       boolean NOT NULL DEFAULT false,
    -- Copy of the revision's description, so that lists need not read revisions.
    description     text NOT NULL,
    -- In team memory. A private memory may have the same name.
    team            boolean NOT NULL DEFAULT false,
    -- Who deleted it, as in activity.actor.
    deleted_actor   text CHECK (deleted_actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    -- Conflict between the files on disk; NULL if there is none. primary: two primary files have
    -- different contents. session: a session's file is newer than all primary files, and differs
    -- from another file.
    conflict        text CHECK (conflict IN ('session', 'primary')),
    -- It has a secret or an order to the agent, and no person has let it in. Agents do not receive
    -- it.
    quarantined     boolean NOT NULL GENERATED ALWAYS AS (problems @> '[{"code": "secret"}]' OR problems @> '[{"code": "injection"}]') STORED,
    -- The browser of deleted_actor, as activity.browser.
    deleted_browser text COLLATE "C",
    -- The person of deleted_actor, as activity.person.
    deleted_person  text COLLATE "C",
    CHECK ((state = 'deleted') = (deleted_at IS NOT NULL))
);

-- Counts the conflicts of an agent, for every page.
CREATE INDEX memories_agent_id_conflict_idx ON memories (agent_id) WHERE conflict IS NOT NULL;

-- An agent has at most one private and one team memory of a name. An unreadable file is identified
-- by its path.
CREATE UNIQUE INDEX memories_agent_id_name_team_idx ON memories (agent_id, name, team) WHERE readable;
CREATE UNIQUE INDEX memories_agent_id_path_unreadable_idx ON memories (agent_id, path) WHERE NOT readable AND state <> 'deleted';
-- One index for each order of a list.
CREATE INDEX memories_agent_id_updated_at_idx ON memories (agent_id, updated_at DESC, id);
CREATE INDEX memories_agent_id_name_idx ON memories (agent_id, name, id);
CREATE INDEX memories_agent_id_modified_at_idx ON memories (agent_id, modified_at, id);

-- For lists of a rare state or type.
CREATE INDEX memories_agent_id_state_type_idx ON memories (agent_id, state, type);
-- Searches exclude the trash.
CREATE INDEX memories_agent_id_deleted_idx ON memories (agent_id, id) WHERE state = 'deleted';

-- For lists of team memories.
CREATE INDEX memories_agent_id_team_idx ON memories (agent_id) WHERE team AND state <> 'deleted';

-- Finds unfinished restores at each scan.
CREATE INDEX memories_agent_id_restoring_idx ON memories (agent_id) WHERE restoring;

CREATE TABLE revisions (
    id          uuid PRIMARY KEY,
    memory_id   uuid NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    fingerprint bytea NOT NULL,
    hash        text NOT NULL,
    type        text,
    description text NOT NULL,
    body        text NOT NULL,
    raw         bytea,
    path        text NOT NULL,
    session     text,
    seen_at     timestamptz NOT NULL,
    -- Orders revisions of one scan with the same seen_at.
    sequence    bigint GENERATED ALWAYS AS IDENTITY
);

-- A memory has one revision per distinct content.
CREATE UNIQUE INDEX revisions_memory_id_fingerprint_idx ON revisions (memory_id, fingerprint);

-- No query filters by these columns, and their statistics are expensive to collect.
ALTER TABLE revisions ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE revisions ALTER COLUMN raw SET STATISTICS 0;

CREATE TABLE files (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path        text COLLATE "C" NOT NULL,
    session     text,
    memory_id   uuid,
    -- mirrored: a file of memory_id. blocked: its content was deleted before. unreadable: memory_id
    -- is from the last time it could be read. removing: a deletion must remove it.
    status      text NOT NULL CHECK (status IN ('mirrored', 'blocked', 'unreadable', 'removing')),
    -- On disk. The row of a removed file is kept, so that the file is not new if it returns.
    present     boolean NOT NULL,
    fingerprint bytea NOT NULL,
    hash        text NOT NULL,
    size        bigint NOT NULL,
    mtime_ns    bigint NOT NULL,
    -- metadata.modified, else the modification time. The age counts from it.
    modified_at timestamptz NOT NULL,
    content_at  timestamptz NOT NULL,
    problem     text,
    -- Hash of the path and of the file's metadata at the last read. The upper 8 bits depend on the
    -- path only; bit_xor over such a part detects any change without reading rows. NULL makes the
    -- next scan read the file: it was read too soon after a change, or its meaning may change while
    -- the file does not. The CHECK allows no signature on a file that is absent, blocked or to be
    -- removed.
    signature   bigint,
    -- Hash of the bytes that Memoir is about to write. They do not make the content newer.
    expected_hash text,
    -- The flaws (memories.Flaw) of the accepted content; NULL if none.
    flaws       text,
    -- The flaws that make the file unfinished; NULL if it is finished. fingerprint, content_at and
    -- modified_at of an unfinished file are from its last good content.
    unfinished  text,
    PRIMARY KEY (agent_id, path),
    CHECK (signature IS NULL OR present AND status IN ('mirrored', 'unreadable'))
);

CREATE INDEX files_memory_id_present_idx ON files (memory_id) WHERE present;
-- Finds the former paths of a memory, for a restore.
CREATE INDEX files_memory_id_absent_idx ON files (memory_id) WHERE NOT present;
CREATE INDEX files_agent_id_removing_idx ON files (agent_id) WHERE status = 'removing';

-- Deleted contents. A file with such a content is blocked.
CREATE TABLE tombstones (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    name        text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    deleted_at  timestamptz NOT NULL,
    -- The tombstone applies to team memory only, else to private memory only.
    team        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent_id, name, team, fingerprint)
);

-- Files on disk whose content has a tombstone.
CREATE TABLE blocked_contents (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
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

-- Memories that one machine has deleted and another one has changed. A person decides in the review.
-- A row of a memory that has changed since is out of date.
CREATE TABLE deletion_conflicts (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    deleted     boolean NOT NULL,    -- deleted here and changed there, else the reverse
    fingerprint bytea NOT NULL,      -- content of the memory to decide about
    other_at    timestamptz NOT NULL -- of the deletion or the change on the other machine
);

CREATE INDEX deletion_conflicts_agent_id_idx ON deletion_conflicts (agent_id);

-- The journal: one row per change of a memory, written in the transaction of the change. The
-- content of a row is a revision. A purged memory keeps its rows, without revisions.
CREATE TABLE activity (
    -- Orders entries with the same time.
    id          bigint GENERATED ALWAYS AS IDENTITY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    -- Time of the change. For a content that was first seen in a file: the file's modification
    -- time.
    at          timestamptz NOT NULL,
    memory_id   uuid,
    name        text COLLATE "C" NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                                              'cleared', 'purged', 'blocked', 'allowed', 'discarded', 'revealed', 'kept')),
    actor       text NOT NULL CHECK (actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    path        text COLLATE "C" NOT NULL,
    session     text,
    -- State of the memory after the change. NULL for entries about blocked contents, whose type is
    -- then the content's, and for reveals.
    state       text CHECK (state IN ('active', 'needs_attention', 'missing', 'deleted')),
    type        text CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    revision_id uuid,
    -- memories.modified_at after the change.
    modified_at timestamptz,
    -- renamed: the old name; the same name if the memory moved between private and team memory. If
    -- a file changed its name: the new name in the entry deleted, and the old name in the entry
    -- learned.
    other_name  text,
    -- In team memory after the change.
    team        boolean NOT NULL DEFAULT false,
    -- Id of the request that made the change. Changes with the same id can be undone together. NULL
    -- for changes on disk.
    action      text COLLATE "C",
    -- Random id of the browser that made the request. NULL for others.
    browser     text COLLATE "C",
    -- Name of the principal that made the request. NULL for the owner, and for the tokens of the
    -- settings.
    person      text COLLATE "C",
    -- The order of the activity page. One index serves this order and the deletion of an agent.
    PRIMARY KEY (agent_id, at, id)
);

-- For the activity of one memory, and its state at a past time.
CREATE INDEX activity_memory_id_at_idx ON activity (memory_id, at, id);
-- Counts deletions by day without reading the other entries of the journal.
CREATE INDEX activity_agent_id_at_deleted_idx ON activity (agent_id, at) WHERE kind = 'deleted';
-- Finds the changes of one request.
CREATE INDEX activity_action_idx ON activity (action) WHERE action IS NOT NULL;

-- Names that people gave to the persons and channels of an agent's sessions.
CREATE TABLE session_names (
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    id       text COLLATE "C" NOT NULL, -- a user or channel, as in the name of the session's directory
    name     text NOT NULL,
    PRIMARY KEY (agent_id, id)
);

-- Daily change (UTC) of the number of memories that are not deleted: the sum of the journal, for
-- charts.
CREATE TABLE memory_growth (
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    day      date NOT NULL,
    type     text NOT NULL CHECK (type IN ('', 'feedback', 'user', 'project', 'reference')),
    delta    integer NOT NULL,
    PRIMARY KEY (agent_id, day, type)
);

-- Number of memories by state and type. A trigger updates it with each statement, because counting
-- 100,000 rows takes longer than the rest of a request. Rows are per agent, so writers of different
-- agents do not block each other.
CREATE TABLE memory_tallies (
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    state    text NOT NULL,
    type     text NOT NULL, -- empty: none
    n        integer NOT NULL,
    PRIMARY KEY (agent_id, state, type)
);

CREATE FUNCTION tally_memories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO memory_tallies AS t
        SELECT agent_id, state, coalesce(type, ''), count(*) FROM new_rows GROUP BY 1, 2, 3
        ON CONFLICT (agent_id, state, type) DO UPDATE SET n = t.n + excluded.n;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO memory_tallies AS t
        SELECT agent_id, state, type, sum(n)
        FROM (SELECT agent_id, state, coalesce(type, '') AS type, 1 AS n FROM new_rows
              UNION ALL SELECT agent_id, state, coalesce(type, ''), -1 FROM old_rows) changes
        GROUP BY agent_id, state, type
        HAVING sum(n) <> 0
        ON CONFLICT (agent_id, state, type) DO UPDATE SET n = t.n + excluded.n;
    ELSE -- The cascade may have deleted the rows of a deleted agent already.
        UPDATE memory_tallies t SET n = t.n - gone.n
        FROM (SELECT agent_id, state, coalesce(type, '') AS type, count(*) AS n FROM old_rows GROUP BY 1, 2, 3) gone
        WHERE (t.agent_id, t.state, t.type) = (gone.agent_id, gone.state, gone.type);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER memories_insert_trg AFTER INSERT ON memories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER memories_update_trg AFTER UPDATE ON memories REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER memories_delete_trg AFTER DELETE ON memories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();

-- The search index. A large scan fills it later, because it costs more than the rest of the first
-- scan. A row with another revision than its memory is out of date. A vector has the words of the
-- text, the words of the name and description again with the prefix ^, and the agent's id with the
-- prefix @.
CREATE TABLE memory_search (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    revision_id uuid NOT NULL,
    words       tsvector NOT NULL
);

-- Searches use the index without statistics (DisableSeqScan).
ALTER TABLE memory_search ALTER COLUMN words SET STATISTICS 0;

CREATE INDEX memory_search_words_idx ON memory_search USING gin (words);

-- The questions that memories answer, in other words than their texts. Recall finds memories by them;
-- lists and the search do not, because their readers do not see the phrases. They are in no file.
CREATE TABLE asked_as (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    -- The content for which they were written. If the memory has another one, they are stale, and
    -- stay in use until new ones are written.
    fingerprint bytea NOT NULL,
    phrases     text[] NOT NULL, -- empty: the model found none, or a person wants none
    -- The model never replaces the phrases of a person.
    written_by  text NOT NULL CHECK (written_by IN ('model', 'agent', 'person')),
    written_at  timestamptz NOT NULL,
    words       tsvector         -- as memory_search.words; NULL: to be indexed
);

-- Recall uses the index without statistics (DisableSeqScan).
ALTER TABLE asked_as ALTER COLUMN words SET STATISTICS 0;

-- Finds phrases for the same text of another memory.
CREATE INDEX asked_as_fingerprint_idx ON asked_as (fingerprint);
-- Phrases are written a few at a time, so that no pending list is needed, which each recall would read.
CREATE INDEX asked_as_words_idx ON asked_as USING gin (words) WITH (fastupdate = off);
CREATE INDEX asked_as_memory_id_unindexed_idx ON asked_as (memory_id) WHERE words IS NULL;

-- The distinct words of all memories, for fuzzy search. A word may outlive its last content, but
-- not a purge.
CREATE TABLE search_words (
    word text COLLATE "C" PRIMARY KEY
);

-- If the extension cannot be created, search works without fuzzy matches. Each start tries to
-- create the extension and the index, so no migration has these two.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX search_words_word_idx ON search_words USING gin (word gin_trgm_ops);

-- Calls of one server to the holder of an agent's lease. UNLOGGED, because a call is meaningless
-- after a crash.
CREATE UNLOGGED TABLE server_requests (
    id           uuid PRIMARY KEY,
    agent_id     bigint NOT NULL,
    call         text NOT NULL,
    -- JSON as bytes: jsonb refuses NUL, which an invalid field may contain.
    arguments    bytea NOT NULL,
    -- The actor for the journal.
    actor        text NOT NULL,
    -- The caller extends it while it waits. An expired request is not started.
    expires_at   timestamptz NOT NULL,
    claimed      boolean NOT NULL DEFAULT false,
    response     bytea,
    -- As in activity. Empty: none.
    action       text NOT NULL DEFAULT '',
    browser      text NOT NULL DEFAULT '',
    person       text NOT NULL DEFAULT ''
);

-- Statistics of an agent's directory from the holder of its lease, for the pages of other servers.
CREATE UNLOGGED TABLE agent_stats (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    -- Number of memory files at the last scan.
    files    integer NOT NULL,
    -- Number of paths that wait for a scan.
    pending  integer NOT NULL
);

-- One row per recall, also if no memory was chosen. Old rows are deleted. Commits do not wait for
-- the disk, so a crash may lose the last rows.
CREATE TABLE recalls (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    at          timestamptz NOT NULL,
    session     text COLLATE "C",
    asked_by    text NOT NULL CHECK (asked_by IN ('script', 'hook', 'mcp')),
    -- The first part of the query.
    query       text NOT NULL,
    -- pending: being chosen; settled: chosen, not yet fetched; handed_out: delivered to the caller.
    state       text NOT NULL CHECK (state IN ('pending', 'settled', 'handed_out')),
    selected_by text CHECK (selected_by IN ('model', 'keyword')),
    -- Reason if no memory was considered.
    skipped     text,
    -- Reason if another selector was used than requested.
    note        text,
    candidates  integer NOT NULL DEFAULT 0,
    took_us     bigint NOT NULL DEFAULT 0,
    -- The chosen memories with reasons, best first. recall_items has the delivered ones.
    chosen      jsonb NOT NULL DEFAULT '[]',
    -- Number of delivered memories.
    delivered_count integer NOT NULL DEFAULT 0
);

-- For lists, and for statistics by an index-only scan.
CREATE INDEX recalls_agent_id_at_idx ON recalls (agent_id, at, id) INCLUDE (asked_by, selected_by, candidates, delivered_count, took_us);
-- For the recalls of a session, and for late results that go with its next prompt.
CREATE INDEX recalls_agent_id_session_at_idx ON recalls (agent_id, session, at, id) WHERE session IS NOT NULL;

-- Delivered memories. A session gets each memory once, within a limit of bytes.
CREATE TABLE recall_items (
    recall_id uuid NOT NULL REFERENCES recalls (id) ON DELETE CASCADE,
    position  integer NOT NULL,
    agent_id  bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session   text COLLATE "C",
    at        timestamptz NOT NULL,
    memory_id uuid NOT NULL,
    name      text COLLATE "C" NOT NULL,
    bytes     integer NOT NULL,
    why       jsonb NOT NULL,
    PRIMARY KEY (recall_id, position)
);

CREATE INDEX recall_items_agent_id_session_at_idx ON recall_items (agent_id, session, at) WHERE session IS NOT NULL;
-- For the memories that are delivered most often, and never.
CREATE INDEX recall_items_agent_id_memory_id_at_idx ON recall_items (agent_id, memory_id, at);

-- Locked during a delivery, so that two concurrent recalls do not deliver a memory twice.
CREATE TABLE recall_sessions (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session     text COLLATE "C" NOT NULL,
    at          timestamptz NOT NULL,
    -- Start of the current context. Deliveries before it were lost when the conversation was
    -- compacted.
    fresh_since timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (agent_id, session)
);
-- Results of the search for a memory's citations (files, functions, flags) in the agent's project.
-- A memory without a row was not checked yet, or its agent has no project. The table is logged: a
-- citation counts as dead only if it was found before.
CREATE TABLE verifications (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    agent_id    bigint NOT NULL,
    -- The revision that was checked. If it is not the memory's current one, the row does not count.
    revision_id uuid NOT NULL,
    checked_at  timestamptz NOT NULL,
    -- The searched directory, absolute.
    project     text NOT NULL,
    -- Number of dead citations.
    gone        integer NOT NULL,
    -- A list of memories.CheckedCitation.
    citations   jsonb NOT NULL
);

-- Used when an agent's project is removed.
CREATE INDEX verifications_agent_id_idx ON verifications (agent_id);
-- For the review, and for its count on every page.
CREATE INDEX verifications_agent_id_gone_idx ON verifications (agent_id) WHERE gone > 0;

-- The tables of River's queue (github.com/riverqueue/river), as River's own migrations create them;
-- a test compares the two. They are part of this schema, so that one version number covers all
-- tables, and servers in different schemas of a database have separate queues.
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

-- One row per job. args are those of package jobs: agent (id), slug, key and work. metadata has
-- output, the result, and again: when to run once more after the current run, in microseconds since
-- 1970.
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
-- For the jobs of one agent.
CREATE INDEX river_job_args_index ON river_job USING GIN (args);
CREATE INDEX river_job_metadata_index ON river_job USING GIN (metadata);
-- At most one unfinished job per kind, agent and key.
CREATE UNIQUE INDEX river_job_unique_idx ON river_job (unique_key)
    WHERE unique_key IS NOT NULL AND unique_states IS NOT NULL AND river_job_state_in_bitmask(unique_states, state);

-- Which server moves jobs along whose time has come, and removes old ones.
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

-- Heartbeats of the servers that run jobs. The jobs of a silent server are started again by
-- another. UNLOGGED, because rows are meaningless after a crash.
CREATE UNLOGGED TABLE job_servers (
    id      text PRIMARY KEY,
    -- Start of the current run of heartbeats. A server that had a gap itself does not judge others.
    since   timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);

-- Read position of each conversation. It advances in the transaction that saves the findings, so
-- each part is read once.
CREATE TABLE conversations (
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    -- A hash of the text if a script gave no name.
    session    text COLLATE "C" NOT NULL,
    -- Path of the file. NULL if the messages come from a script and wait in conversation_texts.
    transcript text,
    -- Activity after read_at means that there is more to read. read_at is NULL before the first
    -- read.
    last_activity_at timestamptz NOT NULL,
    read_at    timestamptz,
    -- Id of the last message that was read. It also identifies a transcript that continues this
    -- one.
    last_id    text NOT NULL DEFAULT '',
    -- Number of bytes read, and a hash of the last of them, which detects another file at the path.
    read_offset bigint NOT NULL DEFAULT 0,
    tail_hash  bytea NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, session)
);

-- Messages from scripts that were not read yet. They are deleted in the transaction that saves the
-- findings.
CREATE TABLE conversation_texts (
    id       uuid PRIMARY KEY,
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session  text COLLATE "C" NOT NULL,
    messages jsonb NOT NULL,
    given_at timestamptz NOT NULL
);

CREATE INDEX conversation_texts_agent_id_session_given_at_idx ON conversation_texts (agent_id, session, given_at);

-- Memories found in conversations. Refused rows are kept, so that they are not proposed again.
CREATE TABLE proposals (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    state       text NOT NULL CHECK (state IN ('waiting', 'accepting', 'accepted', 'refused')),
    name        text COLLATE "C" NOT NULL,
    type        text NOT NULL CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    description text NOT NULL,
    body        text NOT NULL,
    -- Hash of the proposal including its name, before any edit.
    fingerprint bytea NOT NULL,
    -- The quoted source.
    quote       text NOT NULL,
    quoted_at   timestamptz,
    session     text NOT NULL,
    proposed_at timestamptz NOT NULL,
    decided_at  timestamptz,
    decided_by  text CHECK (decided_by IN ('browser', 'script', 'extraction')),
    -- Target of the acceptance: the memory to update (NULL: a new one), and the ETag that the user
    -- saw. A crash during the acceptance is completed with them.
    target_memory_id uuid,
    base_etag   text NOT NULL DEFAULT '',
    -- The memory that was created or updated.
    memory_id   uuid,
    CHECK ((state = 'waiting') = (decided_at IS NULL))
);

CREATE UNIQUE INDEX proposals_agent_id_fingerprint_idx ON proposals (agent_id, fingerprint);
CREATE INDEX proposals_agent_id_state_proposed_at_idx ON proposals (agent_id, state, proposed_at DESC, id);
CREATE INDEX proposals_decided_at_accepting_idx ON proposals (decided_at) WHERE state = 'accepting';

-- The log files of long-lived agents, one row per file on disk. Logs are not memories.
CREATE TABLE logs (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    -- Slash-separated, relative to the agent's directory.
    path        text COLLATE "C" NOT NULL,
    -- The day in its path, else the day of its last change.
    day         date NOT NULL,
    -- Empty for the log of a whole day.
    title       text NOT NULL,
    -- The last MiB of the file, valid UTF-8 without NUL; empty if it could not be read.
    text        text NOT NULL,
    -- Number of bullets.
    entries     integer NOT NULL,
    -- Codes of package logs.
    problems    text[] NOT NULL,
    -- SHA-256 of the bytes that were read, in hexadecimal; empty if it could not be read.
    hash        text NOT NULL,
    size        bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    -- As files.signature; 0 if the file was read too soon after a change.
    signature   bigint NOT NULL,
    -- As memory_search.words.
    words       tsvector NOT NULL,
    PRIMARY KEY (agent_id, path)
);

-- For the list of days, newest first, and for ranges of days.
CREATE INDEX logs_agent_id_day_path_idx ON logs (agent_id, day, path);
CREATE INDEX logs_words_idx ON logs USING gin (words);

-- Consolidation plans: proposed merges, updates and deletions. A person applies them.
CREATE TABLE consolidations (
    id            uuid PRIMARY KEY,
    agent_id      bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    made_at       timestamptz NOT NULL,
    made_by       text NOT NULL CHECK (made_by IN ('browser', 'script', 'memoir')),
    closed_at     timestamptz, -- discarded or replaced; NULL: the current plan
    memories      integer NOT NULL, -- number of memories examined
    model         text, -- the model that was used; NULL: none
    note          text NOT NULL, -- result of the model call, for people
    input_tokens  integer NOT NULL,
    output_tokens integer NOT NULL,
    -- Length of CLAUDE.md in Unicode characters, before and after all steps.
    chars_before  integer NOT NULL,
    chars_after   integer NOT NULL,
    findings      jsonb NOT NULL -- findings without a step, for a person to decide
);

-- An agent has one plan.
CREATE UNIQUE INDEX consolidations_agent_id_open_idx ON consolidations (agent_id) WHERE closed_at IS NULL;
CREATE INDEX consolidations_agent_id_made_at_idx ON consolidations (agent_id, made_at);

-- Steps of plans. Applied steps are kept after their plan, so that they can be undone.
CREATE TABLE consolidation_steps (
    id           uuid PRIMARY KEY,
    plan_id      uuid NOT NULL REFERENCES consolidations (id) ON DELETE CASCADE,
    agent_id     bigint NOT NULL,
    place        integer NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('merge', 'update', 'delete', 'reindex')),
    source       text NOT NULL CHECK (source IN ('found', 'model')),
    title        text NOT NULL,
    reason       text NOT NULL,
    -- chosen and undoing are in progress. After a crash another server completes them.
    state        text NOT NULL CHECK (state IN ('proposed', 'chosen', 'applied', 'refused', 'undoing', 'undone')),
    problem      text NOT NULL, -- why it was not applied or undone; empty if there is no problem
    -- The changes of memories, in order, with the former contents and the progress.
    changes      jsonb NOT NULL,
    chars_before integer NOT NULL,
    chars_after  integer NOT NULL,
    actor        text NOT NULL CHECK (actor IN ('', 'browser', 'script', 'memoir')), -- who chose it
    applied_at   timestamptz,
    undone_at    timestamptz
);

CREATE UNIQUE INDEX consolidation_steps_plan_id_place_idx ON consolidation_steps (plan_id, place);
-- Finds unfinished steps after a crash.
CREATE INDEX consolidation_steps_agent_id_unfinished_idx ON consolidation_steps (agent_id) WHERE state IN ('chosen', 'undoing');
CREATE INDEX consolidation_steps_agent_id_applied_at_idx ON consolidation_steps (agent_id, applied_at) WHERE applied_at IS NOT NULL;

-- Time of the last check whether a consolidation is due. It prevents concurrent checks by two
-- servers.
CREATE TABLE consolidation_checks (
    agent_id  bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    checked_at timestamptz NOT NULL
);

-- People and programs that may use Memoir besides the owner. Revoked ones stay, for the names in
-- the journal.
CREATE TABLE principals (
    id           uuid PRIMARY KEY,
    name         text COLLATE "C" NOT NULL,
    scope        text NOT NULL CHECK (scope IN ('read', 'agent', 'write', 'admin')),
    agents       text[] COLLATE "C" NOT NULL, -- slugs, or patterns with *
    -- SHA-256 of the token, which is not stored. NULL: known by login.
    token_hash   bytea UNIQUE,
    -- The user's name at a proxy or a provider. NULL: has a token.
    login        text COLLATE "C",
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz, -- NULL: never
    last_used_at timestamptz, -- to the minute
    revoked_at   timestamptz,
    CHECK ((token_hash IS NULL) <> (login IS NULL))
);
CREATE UNIQUE INDEX principals_name_idx ON principals (name) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX principals_login_idx ON principals (login) WHERE revoked_at IS NULL;

-- Signed-in browsers. Signing out deletes the row, which invalidates the cookie on every server.
CREATE TABLE sign_ins (
    id           bytea PRIMARY KEY, -- SHA-256 of the cookie, which is not stored
    -- Keyed hash of the cookie under the token of the settings, or under the provider at which the
    -- principal has signed in. Another token or provider invalidates it. Empty for a principal with a token.
    seal         bytea NOT NULL,
    expires_at   timestamptz NOT NULL,
    principal_id uuid REFERENCES principals (id) ON DELETE CASCADE
);

-- Facts in MEMORY.md itself, outside of memory files. A scan replaces the facts of a changed index.
CREATE TABLE index_facts (
    id          uuid PRIMARY KEY, -- derived from slug, path and text, so the same text keeps its id
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path        text NOT NULL,    -- of the index, relative to the agent's directory
    line        integer NOT NULL, -- of the file, from 1
    team        boolean NOT NULL, -- the index is the team's
    heading     text NOT NULL,    -- the heading above it; empty: none
    body        text NOT NULL,
    words       tsvector NOT NULL, -- as memory_search.words, with the heading as description
    modified_at timestamptz NOT NULL, -- of the index, when the fact was first seen
    seen_at     timestamptz NOT NULL  -- when the fact was first seen
);

CREATE INDEX index_facts_agent_id_path_idx ON index_facts (agent_id, path);
CREATE INDEX index_facts_words_idx ON index_facts USING gin (words);

-- The files to which the links of each MEMORY.md lead. A scan replaces the entries of a changed index.
CREATE TABLE index_entries (
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path       text COLLATE "C" NOT NULL, -- of the listed file, relative to the agent's directory
    index_path text COLLATE "C" NOT NULL, -- of the index
    -- The index is the one that the agent loads, and it loads the entry.
    loaded     boolean NOT NULL,
    PRIMARY KEY (agent_id, path, index_path)
);

-- The size of the MEMORY.md that each agent loads. A scan replaces it with the entries.
CREATE TABLE loaded_indexes (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    path     text COLLATE "C" NOT NULL, -- relative to the agent's directory
    chars    integer NOT NULL           -- Unicode characters that the agent loads, with the warning of a cut
);

-- What agents did with each memory, as the hooks of Claude Code report it. Deliveries by recall are in
-- recall_items.
CREATE TABLE memory_uses (
    memory_id           uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    reads               integer NOT NULL DEFAULT 0, -- how often an agent has read a file of the memory
    last_read_at        timestamptz,
    loads               integer NOT NULL DEFAULT 0, -- conversations that loaded its line of MEMORY.md
    last_loaded_at      timestamptz,
    last_loaded_session text -- so that a conversation counts once
);

-- What people decided about findings of the review. A decision holds until the contents change: the
-- id of an item contains their hash. One with memory_ids holds for all contents.
CREATE TABLE review_decisions (
    item_id    text COLLATE "C" PRIMARY KEY, -- kind and hash of the agent, the names and the contents
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    decision   text NOT NULL,
    decided_at timestamptz NOT NULL,
    decided_by text NOT NULL CHECK (decided_by IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    until      timestamptz, -- when it stops to hold, for a change of memories decided_at; NULL: never
    undo       jsonb,       -- what takes the decision back, besides deleting it; NULL: nothing
    memory_ids uuid[]       -- items of the kind about these memories alone are hidden; empty: about none; NULL: the item
);

CREATE INDEX review_decisions_agent_id_idx ON review_decisions (agent_id);
CREATE INDEX review_decisions_agent_id_kind_idx ON review_decisions (agent_id, kind) WHERE memory_ids IS NOT NULL;

-- What waits for a person: the items that the last examination of an agent has found, without those
-- that a decision has settled. A change of a memory deletes its items in the same transaction.
CREATE TABLE review_items (
    id         text COLLATE "C" PRIMARY KEY, -- as review_decisions.item_id
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    rank       integer NOT NULL, -- place of the kind in the queue
    weight     real NOT NULL,    -- within a kind, the heaviest first
    memory_ids uuid[] NOT NULL,
    memories   jsonb NOT NULL,   -- records.ReviewMemory of each
    search     text NOT NULL,    -- names and reason in lower case, for the filter
    reason     text NOT NULL,
    evidence   jsonb NOT NULL,   -- a list of records.Evidence
    keep       text NOT NULL,    -- id of the recommended memory; empty: none
    merge      jsonb,            -- records.MergedText that the model proposes; NULL: none
    subject    text NOT NULL,    -- id of what is decided, if that is no memory: a proposal, a step, a blocked content
    found_at   timestamptz NOT NULL
);

CREATE INDEX review_items_rank_weight_id_idx ON review_items (rank, weight DESC, id);
CREATE INDEX review_items_agent_id_rank_weight_id_idx ON review_items (agent_id, rank, weight DESC, id);
CREATE INDEX review_items_memory_ids_idx ON review_items USING gin (memory_ids);

-- The last examination of each agent.
CREATE TABLE review_runs (
    agent_id         bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    examined_at      timestamptz NOT NULL,
    memories_version bigint NOT NULL -- agents.memories_version at its start; -1: a decision was taken back at examined_at
);

-- What the background model has said about pairs of memories, and about single ones, and what it is
-- to be asked. The id contains a hash of the contents, so that each is asked once.
CREATE TABLE review_verdicts (
    id         text COLLATE "C" PRIMARY KEY,
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    kind       text NOT NULL,    -- pair, expired or junk
    memory_ids uuid[] NOT NULL,  -- of a pair, in order
    score      real NOT NULL,    -- similarity of a pair; the highest is asked first
    asked      integer NOT NULL DEFAULT 0, -- questions without a usable answer
    verdict    text,             -- NULL: none yet
    reason     text NOT NULL DEFAULT '',
    keep       uuid,             -- the memory that is to stay; NULL: neither
    merge      jsonb,            -- records.MergedText of a pair that says the same; NULL: none
    judged_at  timestamptz
);

CREATE INDEX review_verdicts_agent_id_idx ON review_verdicts (agent_id);

-- The models that have made vectors of texts, for recall by meaning. One that was not used for a week
-- is deleted with its vectors.
CREATE TABLE embedding_models (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text COLLATE "C" NOT NULL,
    text_version integer NOT NULL, -- of the rules that cut memories into texts
    -- The vector of a fixed text. If the endpoint answers with another one, it has another model.
    probe        bytea NOT NULL,
    used_at      timestamptz NOT NULL,
    UNIQUE (name, text_version)
);

-- Vectors of texts, one signed byte per dimension. Memories with the same text share one.
CREATE TABLE embeddings (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model_id  bigint NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,
    text_hash bytea NOT NULL, -- SHA-256 of the text that was sent
    vector    bytea NOT NULL,
    UNIQUE (model_id, text_hash)
);

-- Vectors are not searched in the database, and their statistics are large.
ALTER TABLE embeddings ALTER COLUMN vector SET STATISTICS 0;

-- The texts of each memory. A memory whose content or name differs from its rows is embedded again.
CREATE TABLE memory_embeddings (
    memory_id    uuid NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    model_id     bigint NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,
    position     integer NOT NULL, -- in the memory, from 0
    revision_id  uuid NOT NULL,
    name         text COLLATE "C" NOT NULL,
    -- NULL: the text has a secret, so it was not sent.
    embedding_id bigint REFERENCES embeddings (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, model_id, position)
);

CREATE INDEX memory_embeddings_model_id_idx ON memory_embeddings (model_id);
CREATE INDEX memory_embeddings_embedding_id_idx ON memory_embeddings (embedding_id);

-- Raised when vectors of an agent's memories are saved. A server compares it to check its copy.
CREATE TABLE embedding_versions (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    version  bigint NOT NULL
);

-- Input tokens by day (UTC), for the daily limit. Queries are not counted.
CREATE TABLE embedding_tokens (
    day    date PRIMARY KEY,
    tokens bigint NOT NULL
);

-- The files besides CLAUDE.md into which agents are published. A person chooses them.
CREATE TABLE publish_targets (
    agent_id     bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    target       text NOT NULL, -- name of an agents.Target
    dir          text NOT NULL, -- absolute directory of the project; empty: the agent's own
    wanted       boolean NOT NULL DEFAULT true, -- false: the block is still to be removed
    added        text NOT NULL DEFAULT '', -- line ends that Memoir put before the block
    created      text NOT NULL DEFAULT '', -- topmost path that Memoir created; empty: the file existed
    same_as      text NOT NULL DEFAULT '', -- path of the file that this one is a link to or from
    bytes        integer NOT NULL DEFAULT 0, -- of the whole file
    problem      text NOT NULL DEFAULT '',
    publish_key  text NOT NULL DEFAULT '',
    published_at timestamptz,
    PRIMARY KEY (agent_id, target)
);
