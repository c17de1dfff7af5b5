-- Adds people and programs with tokens of their own, and their names to the journal.

-- +goose Up
CREATE TABLE principals (
    id           uuid PRIMARY KEY,
    name         text COLLATE "C" NOT NULL,
    scope        text NOT NULL CHECK (scope IN ('read', 'agent', 'write', 'admin')),
    agents       text[] COLLATE "C" NOT NULL,
    token_hash   bytea UNIQUE,
    login        text COLLATE "C",
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    CHECK ((token_hash IS NULL) <> (login IS NULL))
);
CREATE UNIQUE INDEX principals_name_idx ON principals (name) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX principals_login_idx ON principals (login) WHERE revoked_at IS NULL;
ALTER TABLE sign_ins ADD COLUMN principal_id uuid REFERENCES principals (id) ON DELETE CASCADE;
ALTER TABLE activity ADD COLUMN person text COLLATE "C";
ALTER TABLE memories ADD COLUMN deleted_person text COLLATE "C";
ALTER TABLE server_requests ADD COLUMN person text NOT NULL DEFAULT '';
