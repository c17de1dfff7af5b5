-- The logs of long-lived agents. schema.sql says how.

-- +goose Up
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
