-- Names for the ids in session names, and the deletions of the timeline's chart.

-- +goose Up
-- Names that people gave to the persons and channels of an agent's sessions.
CREATE TABLE session_names (
    agent_id bigint NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    id       text COLLATE "C" NOT NULL, -- a user or channel, as in the name of the session's directory
    name     text NOT NULL,
    PRIMARY KEY (agent_id, id)
);

-- Counts deletions by day without reading the other entries of the journal.
CREATE INDEX activity_agent_id_at_deleted_idx ON activity (agent_id, at) WHERE kind = 'deleted';
