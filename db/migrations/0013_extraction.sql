-- What is found in conversations, and up to where they were read. schema.sql says how.

-- +goose Up
ALTER TABLE activity DROP CONSTRAINT activity_actor_check;
ALTER TABLE activity ADD CONSTRAINT activity_actor_check CHECK (actor IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction'));

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
