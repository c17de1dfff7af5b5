-- Browsers that are signed in, so that signing out ends that on every server. schema.sql describes the columns.

-- +goose Up
CREATE TABLE sign_ins (
    id         bytea PRIMARY KEY,
    seal       bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
