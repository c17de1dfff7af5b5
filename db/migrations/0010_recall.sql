-- What agents were given for what they were asked. schema.sql says how.

-- +goose Up
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
