-- Adds the files besides CLAUDE.md into which agents are published.

-- +goose Up
CREATE TABLE publish_targets (
    agent_id     bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    target       text NOT NULL,
    dir          text NOT NULL,
    wanted       boolean NOT NULL DEFAULT true,
    added        text NOT NULL DEFAULT '',
    created      text NOT NULL DEFAULT '',
    same_as      text NOT NULL DEFAULT '',
    bytes        integer NOT NULL DEFAULT 0,
    problem      text NOT NULL DEFAULT '',
    publish_key  text NOT NULL DEFAULT '',
    published_at timestamptz,
    PRIMARY KEY (agent_id, target)
);
