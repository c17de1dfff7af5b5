-- Adds vectors of memories, by which recall finds memories by meaning.

-- +goose Up
-- The models that have made vectors of texts, for recall by meaning. One that was not used for a week
-- is deleted with its vectors.
CREATE TABLE embedding_models (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text COLLATE "C" NOT NULL,
    text_version integer NOT NULL, -- of the rules that cut memories into texts
    -- The vector of a fixed text. If the endpoint answers with another one, it has another model.
    probe        bytea NOT NULL,
    used_at      timestamptz NOT NULL,
    UNIQUE (name, text_version)
);

-- Vectors of texts, one signed byte per dimension. Memories with the same text share one.
CREATE TABLE embeddings (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model_id  bigint NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,
    text_hash bytea NOT NULL, -- SHA-256 of the text that was sent
    vector    bytea NOT NULL,
    UNIQUE (model_id, text_hash)
);

-- Vectors are not searched in the database, and their statistics are large.
ALTER TABLE embeddings ALTER COLUMN vector SET STATISTICS 0;

-- The texts of each memory. A memory whose content or name differs from its rows is embedded again.
CREATE TABLE memory_embeddings (
    memory_id    uuid NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    model_id     bigint NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,
    position     integer NOT NULL, -- in the memory, from 0
    revision_id  uuid NOT NULL,
    name         text COLLATE "C" NOT NULL,
    -- NULL: the text has a secret, so it was not sent.
    embedding_id bigint REFERENCES embeddings (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, model_id, position)
);

CREATE INDEX memory_embeddings_model_id_idx ON memory_embeddings (model_id);
CREATE INDEX memory_embeddings_embedding_id_idx ON memory_embeddings (embedding_id);

-- Raised when vectors of an agent's memories are saved. A server compares it to check its copy.
CREATE TABLE embedding_versions (
    agent_id bigint PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    version  bigint NOT NULL
);

-- Input tokens by day (UTC), for the daily limit. Queries are not counted.
CREATE TABLE embedding_tokens (
    day    date PRIMARY KEY,
    tokens bigint NOT NULL
);
