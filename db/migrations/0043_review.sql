-- Holds back memories with secrets and with orders to the agent, until a person lets them in.

-- +goose Up
-- A scan finds them by the rules of a version; it examines all memories again when that is older.
ALTER TABLE agents ADD COLUMN examined_version integer NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN quarantined boolean NOT NULL
    GENERATED ALWAYS AS (problems @> '[{"code": "secret"}]' OR problems @> '[{"code": "injection"}]') STORED;

-- What people decided about findings of the review. A decision holds until the contents change: the
-- id of an item contains their hash.
CREATE TABLE review_decisions (
    item_id    text COLLATE "C" PRIMARY KEY, -- kind and hash of the agent, the names and the contents
    agent_id   bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    decision   text NOT NULL,
    decided_at timestamptz NOT NULL,
    decided_by text NOT NULL CHECK (decided_by IN ('session', 'disk', 'browser', 'script', 'memoir', 'extraction')),
    until      timestamptz, -- of a snoozed item; NULL: for good
    undo       jsonb        -- what takes the decision back, besides deleting it; NULL: nothing
);

CREATE INDEX review_decisions_agent_id_idx ON review_decisions (agent_id);

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
    memories_version bigint NOT NULL -- agents.memories_version at its start
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
