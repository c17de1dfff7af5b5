-- Plans for tidying an agent's memories up, and what became of their steps. schema.sql says how.

-- +goose Up
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
