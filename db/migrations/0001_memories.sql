-- The tables of the first version. schema.sql says what they are for.

-- +goose Up
CREATE TABLE agents (
    id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug                   text COLLATE "C" NOT NULL UNIQUE,
    layout                 text NOT NULL CHECK (layout IN ('hive', 'claude', 'directory')),
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
    updated_at             timestamptz NOT NULL
);

CREATE TABLE memories (
    id              uuid PRIMARY KEY,
    agent_id        bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
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
    CHECK ((state = 'deleted') = (deleted_at IS NOT NULL))
);

CREATE UNIQUE INDEX memories_by_name ON memories (agent_id, name) WHERE readable;
CREATE UNIQUE INDEX memories_by_unreadable_path ON memories (agent_id, path) WHERE NOT readable AND state <> 'deleted';
CREATE INDEX memories_in_order_of_update ON memories (agent_id, updated_at DESC, id);
CREATE INDEX memories_in_order_of_name ON memories (agent_id, name, id);
CREATE INDEX memories_in_order_of_age ON memories (agent_id, modified_at, id);

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
    seen_order  bigint GENERATED ALWAYS AS IDENTITY
);

CREATE UNIQUE INDEX revisions_by_content ON revisions (memory_id, fingerprint);

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
    inode       bigint NOT NULL,
    mtime_ns    bigint NOT NULL,
    ctime_ns    bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    content_at  timestamptz NOT NULL,
    problem     text,
    PRIMARY KEY (agent_id, path)
);

CREATE INDEX files_by_memory ON files (memory_id) WHERE present;
CREATE INDEX files_to_remove ON files (agent_id) WHERE status = 'removing';

CREATE TABLE tombstones (
    agent_id    bigint NOT NULL,
    name        text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    deleted_at  timestamptz NOT NULL,
    PRIMARY KEY (agent_id, name, fingerprint)
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
    UNIQUE (agent_id, path)
);

CREATE TABLE memory_search (
    memory_id   uuid PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    revision_id uuid NOT NULL,
    words       tsvector NOT NULL
);

CREATE INDEX memory_search_by_word ON memory_search USING gin (words);
