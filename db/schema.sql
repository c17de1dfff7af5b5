-- The tables of a new database. db/migrations brings earlier databases to the same, which a test compares.
--
-- Text that came from files is sanitised on its way in (Postgres text refuses NUL and invalid UTF-8); the exact bytes
-- are kept beside it as bytea. Names, paths and slugs sort by their bytes, hence COLLATE "C".
-- A row is deleted with the agent or the memory that it belongs to. memories.revision_id, files.memory_id and the ids
-- in activity have no foreign key: their values may outlive the row.

CREATE TABLE agents (
    id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug                   text COLLATE "C" NOT NULL UNIQUE,
    -- What an agent of the layout shared remembers, every other agent is given besides its own.
    layout                 text NOT NULL CHECK (layout IN ('hive', 'claude', 'directory', 'shared')),
    dir                    text NOT NULL,
    display_name           text NOT NULL,
    present                boolean NOT NULL DEFAULT true,
    sessions               integer NOT NULL DEFAULT 0,
    -- The device of the durable directory when everything was last looked at: another one means mounted or unmounted since. None: it was
    -- not there. Another inode on the same device means that another directory was put in its place.
    durable_device         bigint,
    claude_md_path         text,
    claude_md_published_at timestamptz,
    claude_md_chars        integer NOT NULL DEFAULT 0,
    claude_md_problem      text,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL,
    -- By what the publisher knows the CLAUDE.md that says what the memories say; it alone reads it. Whatever changes a memory
    -- empties it in the same transaction, and only then is CLAUDE.md compiled anew.
    claude_md_in_step      text,
    -- Raised in the same transaction as whatever changes what CLAUDE.md is compiled of: a server that has kept that in memory
    -- sees by it whether somebody else has changed something since.
    memories_version       bigint NOT NULL DEFAULT 0,
    -- Somebody has switched its memory off: CLAUDE.md does not ask it to save, and nothing is extracted or consolidated. What it
    -- remembers stays.
    memory_off             boolean NOT NULL DEFAULT false,
    -- The agent whose directory this one's is, by a link: it is looked at as that one's. What is known of this one stays.
    joined_to              text COLLATE "C" REFERENCES agents (slug) ON DELETE SET NULL,
    durable_inode          bigint
);
-- Few are. Whoever forgets an agent asks which.
CREATE INDEX agents_joined ON agents (joined_to) WHERE joined_to IS NOT NULL;

-- Of all agents there are one or two; whatever is compiled or recalled asks for them.
CREATE INDEX agents_shared ON agents (id) WHERE layout = 'shared';

CREATE TABLE memories (
    id              uuid PRIMARY KEY,
    agent_id        bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    name            text COLLATE "C" NOT NULL,
    readable        boolean NOT NULL,
    state           text NOT NULL CHECK (state IN ('active', 'needs_attention', 'missing', 'deleted')),
    type            text CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    -- The revision that is the current content. No foreign key: the two tables are filled side by side.
    revision_id     uuid NOT NULL,
    fingerprint     bytea NOT NULL,
    hash            text NOT NULL,
    size            bigint NOT NULL,
    path            text COLLATE "C" NOT NULL,
    session         text,
    modified_at     timestamptz NOT NULL,
    -- When the content became new: what a rival file must beat.
    content_at      timestamptz NOT NULL,
    problems        jsonb NOT NULL DEFAULT '[]',
    claude_md_chars integer NOT NULL DEFAULT 0,
    claude_md_listed boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    deleted_at      timestamptz,
    deleted_by      text CHECK (deleted_by IN ('person', 'disk')),
    -- What a deletion took out of MEMORY.md, so that a restore can put it back.
    index_lines     jsonb,
    -- A restore has begun and is repeated until it is done.
    restoring       boolean NOT NULL DEFAULT false,
    -- That of the revision, kept beside the name for whoever lists memories without reading what they say.
    description     text NOT NULL,
    -- It is in team memory, where another may have the name of a private one.
    team            boolean NOT NULL DEFAULT false,
    -- Who deleted it, as the journal has it.
    deleted_actor   text CHECK (deleted_actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    -- How the files on disk disagree about the content; NULL if they do not. primary: two primary files have different
    -- contents. session: a session's file is newer than all primary files, and differs from another file.
    conflict        text CHECK (conflict IN ('session', 'primary')),
    CHECK ((state = 'deleted') = (deleted_at IS NOT NULL))
);

-- Every page counts the conflicts of an agent, which are few.
CREATE INDEX memories_conflict ON memories (agent_id) WHERE conflict IS NOT NULL;

-- One private memory per name and agent, and one of its team; a file that could not be read is known by its path and never merges with a name.
CREATE UNIQUE INDEX memories_by_name ON memories (agent_id, name, team) WHERE readable;
CREATE UNIQUE INDEX memories_by_unreadable_path ON memories (agent_id, path) WHERE NOT readable AND state <> 'deleted';
-- One index for each order of a list.
CREATE INDEX memories_in_order_of_update ON memories (agent_id, updated_at DESC, id);
CREATE INDEX memories_in_order_of_name ON memories (agent_id, name, id);
CREATE INDEX memories_in_order_of_age ON memories (agent_id, modified_at, id);

-- For lists of what few memories are: a state such as missing, a rare type.
CREATE INDEX memories_by_state ON memories (agent_id, state, type);
-- A search leaves out what is in the trash.
CREATE INDEX memories_in_trash ON memories (agent_id, id) WHERE state = 'deleted';

-- For the team's memories, which are few beside the private ones.
CREATE INDEX memories_in_team ON memories (agent_id) WHERE team AND state <> 'deleted';

-- Each scan asks whether a restore was cut short; hardly ever was one.
CREATE INDEX memories_to_restore ON memories (agent_id) WHERE restoring;

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
    -- Orders revisions that one look has seen at the same time.
    seen_order  bigint GENERATED ALWAYS AS IDENTITY
);

-- One revision per distinct content of a memory.
CREATE UNIQUE INDEX revisions_by_content ON revisions (memory_id, fingerprint);

-- Nothing is looked for by what these say, and to read them for the planner costs more than all else that it is told.
ALTER TABLE revisions ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE revisions ALTER COLUMN raw SET STATISTICS 0;

CREATE TABLE files (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path        text COLLATE "C" NOT NULL,
    session     text,
    memory_id   uuid,
    -- carries: the memory's name is in it; blocked: with a content that was deleted; unreadable: the memory is the one
    -- that it carried when it could last be read; removing: a deletion is to remove it.
    status      text NOT NULL CHECK (status IN ('carries', 'blocked', 'unreadable', 'removing')),
    -- A file that is gone stays known: it is not new when it comes back.
    present     boolean NOT NULL,
    fingerprint bytea NOT NULL,
    hash        text NOT NULL,
    size        bigint NOT NULL,
    mtime_ns    bigint NOT NULL,
    -- What its content's age counts from: metadata.modified, else the modification time.
    modified_at timestamptz NOT NULL,
    content_at  timestamptz NOT NULL,
    problem     text,
    -- Of the path and all that the file system said of the file when it was last read. The upper 8 bits are of the path
    -- alone: over each of the 256 parts that they make, bit_xor tells without reading the rows whether a file in it has
    -- come, gone or changed. NULL: the next look reads the file, because it was read so soon after a change that a
    -- further one could hide, or because what it is may change without it. The constraint is there so that no statement
    -- takes a file out of sight and forgets that.
    signature   bigint,
    -- The hash of the bytes that Memoir is about to write there, and that make the content no newer than it is.
    promised    text,
    -- The flaws (memories.Flaw) with which its content was taken. NULL if it has none.
    flaws       text,
    -- The flaws for which the file does not count: fingerprint, content_at and modified_at are those of its last good content. NULL if
    -- the file counts as it is.
    unfinished  text,
    PRIMARY KEY (agent_id, path),
    CHECK (signature IS NULL OR present AND status IN ('carries', 'unreadable'))
);

CREATE INDEX files_by_memory ON files (memory_id) WHERE present;
-- Where a memory was, for who restores it.
CREATE INDEX files_gone_by_memory ON files (memory_id) WHERE NOT present;
CREATE INDEX files_to_remove ON files (agent_id) WHERE status = 'removing';

-- What each deletion leaves: contents that do not come back by themselves.
CREATE TABLE tombstones (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    name        text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    deleted_at  timestamptz NOT NULL,
    -- Of team memory: what was deleted there may be a private memory.
    team        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent_id, name, team, fingerprint)
);

-- The files on disk that a tombstone keeps out, with what they say.
CREATE TABLE blocked (
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

-- The journal: one row for each thing that happened to a memory, written in the transaction in which it happens. It needs
-- no other table to say when what held: the content of a row is a revision, and a purged memory keeps its rows without.
CREATE TABLE activity (
    -- Orders what happened at the same time.
    id          bigint GENERATED ALWAYS AS IDENTITY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    -- Of what was first seen in a file, that file's modification time; else when it happened.
    at          timestamptz NOT NULL,
    memory_id   uuid,
    name        text COLLATE "C" NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('learned', 'changed', 'renamed', 'verified', 'deleted', 'restored', 'missing', 'returned',
                                              'cleared', 'purged', 'blocked', 'allowed', 'discarded')),
    actor       text NOT NULL CHECK (actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    path        text COLLATE "C" NOT NULL,
    session     text,
    -- What the memory is from then on. No state: it is what it was, and the type is that of a content kept out or let in.
    state       text CHECK (state IN ('active', 'needs_attention', 'missing', 'deleted')),
    type        text CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    revision_id uuid,
    -- What its age counted from.
    modified_at timestamptz,
    -- The memory's name before it was renamed; the same name where it was moved between private and team memory. Entries of
    -- 'deleted' and 'learned' have it where a file carries another name: the new name and the old one.
    renamed     text,
    -- It was in team memory from then on.
    team        boolean NOT NULL DEFAULT false,
    -- The order in which people read it; a key that begins with the agent, so that one index does for that and for
    -- forgetting the agent. Over all agents it is read once for each.
    PRIMARY KEY (agent_id, at, id)
);

-- For what one memory was at some time, and for its own story.
CREATE INDEX activity_by_memory ON activity (memory_id, at, id);

-- By how many the memories that live have become more on a day, in UTC: the journal summed up as it is written, because
-- the pictures of many memories over a long time are drawn again and again.
CREATE TABLE growth (
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    day      date NOT NULL,
    type     text NOT NULL CHECK (type IN ('', 'feedback', 'user', 'project', 'reference')),
    alive    integer NOT NULL,
    PRIMARY KEY (agent_id, day, type)
);

-- How many memories there are, counted as they change: lists and cards need it at every request, and counting 100,000
-- rows takes longer than the rest of a request. A trigger counts each statement. Each agent has rows of its own, so that
-- writers of different agents never wait for each other.
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

CREATE TRIGGER tally_insert AFTER INSERT ON memories REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER tally_update AFTER UPDATE ON memories REFERENCING NEW TABLE AS came OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER tally_delete AFTER DELETE ON memories REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();

-- The search index, apart from the memories because it costs more than all else of a cold mirror: a large look fills
-- it afterwards. A row that names another revision than its memory does is out of date. Beside the words of the text a
-- vector has those of the name and description once more with a ^ before them, and the agent's id with an @: the one
-- index then finds the hits of one agent, and those in titles.
CREATE TABLE memory_search (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    revision_id uuid NOT NULL,
    words       tsvector NOT NULL
);

-- Searches go by the index whatever the planner knows (GoByIndexes).
ALTER TABLE memory_search ALTER COLUMN words SET STATISTICS 0;

CREATE INDEX memory_search_by_word ON memory_search USING gin (words);

-- The words of all memories, each once, to tell what somebody meant who mistyped one. A word may outlive the last
-- content that had it, but not a purge.
CREATE TABLE search_words (
    word text COLLATE "C" PRIMARY KEY
);

-- Where the database does not let itself be given the extension, searches go on without near-misses. Each start tries
-- again, which is why no migration has these two.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX search_words_by_trigram ON search_words USING gin (word gin_trgm_ops);

-- What one server asks of the one that looks after an agent, for as long as somebody waits for the answer. Like the figures
-- it says nothing that outlives the servers, so that it need not outlive a crash of Postgres either: nothing of it is logged,
-- and no commit of it waits for the disk.
CREATE UNLOGGED TABLE requests (
    id           uuid PRIMARY KEY,
    agent_id     bigint NOT NULL,
    call         text NOT NULL,
    -- JSON, but as bytes: jsonb refuses NUL, which a field that is about to be refused may hold.
    arguments    bytea NOT NULL,
    -- Who asks, for the journal.
    actor        text NOT NULL,
    -- The asker moves it on while it waits. A request past it is not begun.
    wanted_until timestamptz NOT NULL,
    taken        boolean NOT NULL DEFAULT false,
    answer       bytea
);

-- How the one server that looks after an agent stands with its directory, for the others to show.
CREATE UNLOGGED TABLE figures (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    -- Memory files that its last looks counted.
    files    integer NOT NULL,
    -- Paths that wait to be looked at.
    pending  integer NOT NULL
);

-- What agents were given for what they were asked: one row for each recall, also when nothing was chosen. They are kept for a
-- while, and written without waiting for the disk: what a crash takes of them is the last moment's.
CREATE TABLE recalls (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    at          timestamptz NOT NULL,
    session     text COLLATE "C",
    asked_by    text NOT NULL CHECK (asked_by IN ('script', 'hook', 'mcp')),
    -- The beginning of it.
    query       text NOT NULL,
    -- pending: it is being chosen; settled: it has been, and waits to be fetched; handed_out: whoever asked has it.
    state       text NOT NULL CHECK (state IN ('pending', 'settled', 'handed_out')),
    selected_by text CHECK (selected_by IN ('model', 'keyword')),
    -- Why nothing was looked at.
    skipped     text,
    -- Why another way was taken than was wanted.
    note        text,
    candidates  integer NOT NULL DEFAULT 0,
    took_us     bigint NOT NULL DEFAULT 0,
    -- What was chosen, the best first, with why. What of it was handed out is in recalled.
    chosen      jsonb NOT NULL DEFAULT '[]',
    -- How many memories were handed out.
    given       integer NOT NULL DEFAULT 0
);

-- For the newest, and for how often something was given: that is counted in the index alone.
CREATE INDEX recalls_by_time ON recalls (agent_id, at, id) INCLUDE (asked_by, selected_by, candidates, given, took_us);
-- For what a session was asked, and for its next prompt, which takes along what came too late for the one before.
CREATE INDEX recalls_in_session ON recalls (agent_id, session, at, id) WHERE session IS NOT NULL;

-- The memories that were handed out. A session is given each once, and only so many bytes in all.
CREATE TABLE recalled (
    recall_id uuid NOT NULL REFERENCES recalls (id) ON DELETE CASCADE,
    place     integer NOT NULL,
    agent_id  bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session   text COLLATE "C",
    at        timestamptz NOT NULL,
    memory_id uuid NOT NULL,
    name      text COLLATE "C" NOT NULL,
    bytes     integer NOT NULL,
    why       jsonb NOT NULL,
    PRIMARY KEY (recall_id, place)
);

CREATE INDEX recalled_in_session ON recalled (agent_id, session, at) WHERE session IS NOT NULL;
-- For what was never given, and what always.
CREATE INDEX recalled_by_memory ON recalled (agent_id, memory_id, at);

-- Locked while a session is given something, so that two recalls at once give it nothing twice.
CREATE TABLE recall_sessions (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session     text COLLATE "C" NOT NULL,
    at          timestamptz NOT NULL,
    -- What it was given before, it has no more: its conversation has been compacted since.
    fresh_since timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (agent_id, session)
);
-- What came of looking in an agent's project for what a memory cites: the files, functions and flags that its text names. A memory
-- without a row was not checked yet, or its agent has no project. It outlives a crash, for not all of it can be made again: that
-- something was found once is what tells for certain that it is gone now.
CREATE TABLE verifications (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    agent_id    bigint NOT NULL,
    -- The content that was checked. Of a memory that says something else by now the rest does not count.
    revision_id uuid NOT NULL,
    checked_at  timestamptz NOT NULL,
    -- The directory that was looked into, absolute.
    project     text NOT NULL,
    -- How many of the citations are gone.
    gone        integer NOT NULL,
    -- A list of memories.CheckedCitation.
    citations   jsonb NOT NULL
);

-- For what an agent leaves that has no project any more.
CREATE INDEX verifications_by_agent ON verifications (agent_id);
-- For the review, and its count on every page of the agent.
CREATE INDEX verifications_with_gone ON verifications (agent_id) WHERE gone > 0;

-- Background work. The tables whose names begin with river are those of River's queue (github.com/riverqueue/river), exactly as its own
-- migrations make them, which a test compares; they stand among ours so that one version number says all, nothing is needed that the other
-- tables do not need, and two Memoirs in two schemas of a database do not share their work.
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

-- One row per job. args are those of package jobs: agent (its id), slug, key and work. metadata holds output, what came of it,
-- and again: when it is to run once more after the run that is going on, in microseconds since 1970.
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
-- That of one kind, agent and key there is one at most that is not finished.
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

-- The servers that work at jobs, each of which says here that it lives. What one that is silent was at, another begins anew.
-- Nothing of it means anything after a crash.
CREATE UNLOGGED TABLE job_servers (
    id      text PRIMARY KEY,
    -- Since when it has said so without a gap: who has been away itself does not judge others.
    since   timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);

-- Up to where each conversation was read for what it has to remember, and when it was last heard of. It moves in the transaction
-- that keeps what was found, so that each stretch is read once.
CREATE TABLE conversations (
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    -- Of one that a script gave without a name: a hash of it.
    session    text COLLATE "C" NOT NULL,
    -- The file; NULL: the messages come from a script, and wait in conversation_texts.
    transcript text,
    -- There may be more to read since; NULL in read_at: nothing was read yet.
    heard_at   timestamptz NOT NULL,
    read_at    timestamptz,
    -- The id of the last message that was read, by which another transcript that goes on from this one is known too.
    last_id    text NOT NULL DEFAULT '',
    -- How many bytes of the file were read, and a hash of the last of them: another file in its place is known by that.
    read_to    bigint NOT NULL DEFAULT 0,
    mark       bytea NOT NULL DEFAULT '',
    PRIMARY KEY (agent_id, session)
);

-- What scripts have given to be read and was not yet. It goes in the transaction that keeps what was found.
CREATE TABLE conversation_texts (
    id       uuid PRIMARY KEY,
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session  text COLLATE "C" NOT NULL,
    messages jsonb NOT NULL,
    given_at timestamptz NOT NULL
);

CREATE INDEX conversation_texts_by_session ON conversation_texts (agent_id, session, given_at);

-- What was found in conversations. Refused ones stay, so that the same is not proposed again.
CREATE TABLE proposals (
    id          uuid PRIMARY KEY,
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    state       text NOT NULL CHECK (state IN ('waiting', 'accepting', 'accepted', 'refused')),
    name        text COLLATE "C" NOT NULL,
    type        text NOT NULL CHECK (type IN ('feedback', 'user', 'project', 'reference')),
    description text NOT NULL,
    body        text NOT NULL,
    -- Of what was proposed, the name too, however it was edited before it was accepted.
    fingerprint bytea NOT NULL,
    -- What somebody said, from which it comes.
    quote       text NOT NULL,
    quoted_at   timestamptz,
    session     text NOT NULL,
    proposed_at timestamptz NOT NULL,
    decided_at  timestamptz,
    decided_by  text CHECK (decided_by IN ('browser', 'script', 'extraction')),
    -- How it is being accepted: the memory that it becomes another content of (NULL: it is new), and the ETag of what was seen
    -- of that. A crash in between is finished by it.
    updates     uuid,
    match       text NOT NULL DEFAULT '',
    -- The memory that it has become.
    memory_id   uuid,
    CHECK ((state = 'waiting') = (decided_at IS NULL))
);

CREATE UNIQUE INDEX proposals_once ON proposals (agent_id, fingerprint);
CREATE INDEX proposals_in_order ON proposals (agent_id, state, proposed_at DESC, id);
CREATE INDEX proposals_to_finish ON proposals (decided_at) WHERE state = 'accepting';

-- The log files of long-lived agents, as they are on disk: one row for each. They are no memories. What is not there any more has no
-- row, once its directory was listed without it.
CREATE TABLE logs (
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    -- Slash-separated, relative to the agent's directory.
    path        text COLLATE "C" NOT NULL,
    -- That its path tells, else the one on which it was last changed.
    day         date NOT NULL,
    -- Empty for the log of a day as a whole.
    title       text NOT NULL,
    -- The last MiB of the file, valid UTF-8 without NUL; empty where it could not be read.
    text        text NOT NULL,
    -- Its bullets.
    entries     integer NOT NULL,
    -- Codes of package logs.
    problems    text[] NOT NULL,
    -- SHA-256 of the bytes that were read, in hexadecimal; empty where it could not be read.
    hash        text NOT NULL,
    size        bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    -- By which a file that has not changed is known without being read; 0: it was read too soon after a change to be sure.
    signature   bigint NOT NULL,
    -- As those of memory_search: with the sign of the agent.
    words       tsvector NOT NULL,
    PRIMARY KEY (agent_id, path)
);

-- For the days of an agent, newest first, and what a range of them says.
CREATE INDEX logs_by_day ON logs (agent_id, day, path);
CREATE INDEX logs_by_word ON logs USING gin (words);

-- A plan for tidying an agent's memories up: what could be merged, put right or deleted, for a person to apply or not.
CREATE TABLE consolidations (
    id            uuid PRIMARY KEY,
    agent_id      bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    made_at       timestamptz NOT NULL,
    made_by       text NOT NULL CHECK (made_by IN ('browser', 'script', 'memoir')),
    closed_at     timestamptz, -- discarded, or followed by another; NULL: it is the agent's plan
    memories      integer NOT NULL, -- how many were looked at
    model         text, -- that was asked; NULL: none
    note          text NOT NULL, -- what there is to say of the asking, for people
    input_tokens  integer NOT NULL,
    output_tokens integer NOT NULL,
    -- The whole CLAUDE.md, in Unicode characters, when the plan was made and with all of its steps.
    chars_before  integer NOT NULL,
    chars_after   integer NOT NULL,
    findings      jsonb NOT NULL -- what only a person can decide about
);

-- An agent has one plan.
CREATE UNIQUE INDEX consolidations_open ON consolidations (agent_id) WHERE closed_at IS NULL;
CREATE INDEX consolidations_by_agent ON consolidations (agent_id, made_at);

-- The steps of plans. Those that were applied outlive their plan, so that they can be undone.
CREATE TABLE consolidation_steps (
    id           uuid PRIMARY KEY,
    plan_id      uuid NOT NULL REFERENCES consolidations (id) ON DELETE CASCADE,
    agent_id     bigint NOT NULL,
    place        integer NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('merge', 'update', 'delete', 'reindex')),
    source       text NOT NULL CHECK (source IN ('found', 'model')),
    title        text NOT NULL,
    reason       text NOT NULL,
    -- chosen and undoing are decided, and carried out to their end by whichever server lives.
    state        text NOT NULL CHECK (state IN ('proposed', 'chosen', 'applied', 'refused', 'undoing', 'undone')),
    problem      text NOT NULL, -- why it was not applied or undone; empty: nothing was in the way
    -- What becomes of each memory, in order, with what it said and whether that is done.
    changes      jsonb NOT NULL,
    chars_before integer NOT NULL,
    chars_after  integer NOT NULL,
    actor        text NOT NULL CHECK (actor IN ('', 'browser', 'script', 'memoir')), -- who has chosen it
    applied_at   timestamptz,
    undone_at    timestamptz
);

CREATE UNIQUE INDEX consolidation_steps_in_order ON consolidation_steps (plan_id, place);
-- After a crash each server asks what was not ended; hardly ever there is anything.
CREATE INDEX consolidation_steps_unfinished ON consolidation_steps (agent_id) WHERE state IN ('chosen', 'undoing');
CREATE INDEX consolidation_steps_applied ON consolidation_steps (agent_id, applied_at) WHERE applied_at IS NOT NULL;

-- When somebody looked last whether an agent's memories are due, so that no two servers do so at once.
CREATE TABLE consolidation_looks (
    agent_id  bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    looked_at timestamptz NOT NULL
);

-- Browsers that are signed in. Signing out removes the row, so that the cookie ends on every server.
CREATE TABLE sign_ins (
    id         bytea PRIMARY KEY, -- SHA-256 of the cookie, which is not kept
    seal       bytea NOT NULL,    -- of the cookie, under the token that was shown: a new token ends it
    expires_at timestamptz NOT NULL
);

-- Facts that stand in an index itself, MEMORY.md, and not in a memory file. The scan replaces those of an index that has changed.
CREATE TABLE index_facts (
    id          uuid PRIMARY KEY, -- made of the agent's slug, the path and the text: the same text keeps it
    agent_id    bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    path        text NOT NULL,    -- of the index, relative to the agent's directory
    line        integer NOT NULL, -- of the file, from 1
    team        boolean NOT NULL, -- the index is the team's
    heading     text NOT NULL,    -- that it stands under; empty: none
    body        text NOT NULL,
    words       tsvector NOT NULL, -- as those of memory_search, with the heading as the description
    modified_at timestamptz NOT NULL, -- of the index, when the fact was first seen in it
    seen_at     timestamptz NOT NULL  -- when that was
);

CREATE INDEX index_facts_by_agent ON index_facts (agent_id, path);
CREATE INDEX index_facts_by_word ON index_facts USING gin (words);
