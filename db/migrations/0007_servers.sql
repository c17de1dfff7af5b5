-- What several servers on one database say to each other. schema.sql says what for.

-- +goose Up
CREATE UNLOGGED TABLE requests (
    id           uuid PRIMARY KEY,
    agent_id     bigint NOT NULL,
    call         text NOT NULL,
    arguments    bytea NOT NULL,
    actor        text NOT NULL,
    repeated     boolean NOT NULL,
    wanted_until timestamptz NOT NULL,
    taken        boolean NOT NULL DEFAULT false,
    answer       bytea
);

CREATE UNLOGGED TABLE figures (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    files    integer NOT NULL,
    pending  integer NOT NULL
);
