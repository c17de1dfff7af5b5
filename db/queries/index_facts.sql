-- name: IndexPaths :many
-- Returns the paths of the agent's indexes that have facts, entries or a size, in any order.
SELECT f.path FROM index_facts f WHERE f.agent_id = @agent_id
UNION
SELECT e.index_path FROM index_entries e WHERE e.agent_id = @agent_id
UNION
SELECT l.path FROM loaded_indexes l WHERE l.agent_id = @agent_id;

-- name: SaveLoadedIndex :exec
-- Saves the size of the index that the agent loads.
INSERT INTO loaded_indexes (agent_id, path, chars) VALUES (@agent_id, @path, @chars)
ON CONFLICT (agent_id) DO UPDATE SET path = excluded.path, chars = excluded.chars;

-- name: DeleteLoadedIndex :exec
-- Deletes the size of an index that the agent does not load any longer.
DELETE FROM loaded_indexes WHERE agent_id = @agent_id AND path = @path;

-- name: SaveIndexEntries :exec
-- Makes the entries of an index those to the given paths. Rows that do not change stay. NOT IN makes
-- Postgres hash the paths; NOT EXISTS would compare each row with each path.
WITH wanted AS (
    SELECT unnest(@paths::text[]) AS path, unnest(@loaded::boolean[]) AS loaded
), removed AS (
    DELETE FROM index_entries e
    WHERE e.agent_id = @agent_id AND e.index_path = @index_path AND e.path NOT IN (SELECT w.path FROM wanted w)
)
INSERT INTO index_entries (agent_id, path, index_path, loaded)
SELECT @agent_id, w.path, @index_path, w.loaded FROM wanted w
ON CONFLICT (agent_id, path, index_path) DO UPDATE SET loaded = excluded.loaded WHERE index_entries.loaded <> excluded.loaded;

-- name: IndexFactsAt :many
-- Returns the saved facts of one index, in any order.
SELECT id, line, heading, body FROM index_facts WHERE agent_id = @agent_id AND path = @path;

-- name: RemoveIndexFacts :exec
DELETE FROM index_facts WHERE agent_id = @agent_id AND id = ANY(@ids::uuid[]);

-- name: SaveIndexFacts :exec
-- Inserts facts of an index, or updates line, heading and words of known ones. A known fact keeps
-- its times.
INSERT INTO index_facts (id, agent_id, path, line, team, heading, body, words, modified_at, seen_at)
SELECT i.id, @agent_id, @path, i.line, @team, i.heading, i.body, i.words::tsvector, @modified_at, @seen_at
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@lines::integer[]) AS line, unnest(@headings::text[]) AS heading,
             unnest(@bodies::text[]) AS body, unnest(@words::text[]) AS words) i
ON CONFLICT (id) DO UPDATE SET line = excluded.line, heading = excluded.heading, words = excluded.words;

-- name: IndexFactByID :one
-- Returns a fact of an agent whose directory is present.
SELECT sqlc.embed(f), a.slug
FROM index_facts f JOIN agents a ON a.id = f.agent_id
WHERE f.id = @id AND f.agent_id = @agent_id AND a.present;

-- name: CountIndexFacts :one
-- Counts the facts that match the query and contain the phrases; agent_id 0 means all agents.
-- Agents without a directory are left out.
SELECT count(*)
FROM index_facts f JOIN agents a ON a.id = f.agent_id
WHERE f.words @@ @match::tsquery AND a.present AND a.joined_to IS NULL AND (@agent_id::bigint = 0 OR f.agent_id = @agent_id)
  AND NOT EXISTS (SELECT FROM unnest(@phrases::text[]) AS p (phrase)
                  WHERE position(p.phrase IN normalize(f.heading || E'\n' || f.body, NFKC)) = 0);

-- name: SearchIndexFacts :many
-- Returns a page of the facts that match the query and contain the phrases, best first; agent_id 0
-- means all agents. Agents without a directory are left out.
SELECT sqlc.embed(f), a.slug
FROM index_facts f JOIN agents a ON a.id = f.agent_id
WHERE f.words @@ @match::tsquery AND a.present AND a.joined_to IS NULL AND (@agent_id::bigint = 0 OR f.agent_id = @agent_id)
  AND NOT EXISTS (SELECT FROM unnest(@phrases::text[]) AS p (phrase)
                  WHERE position(p.phrase IN normalize(f.heading || E'\n' || f.body, NFKC)) = 0)
ORDER BY ts_rank(f.words, @match::tsquery) DESC, f.agent_id, f.path, f.line, f.id
LIMIT @most::integer OFFSET @skip::integer;

-- name: FactsToRecall :many
-- Returns the facts among ids that belong to the agents, in any order. Agents without a directory
-- are left out.
SELECT sqlc.embed(f), a.slug
FROM index_facts f JOIN agents a ON a.id = f.agent_id
WHERE f.id = ANY(@ids::uuid[]) AND f.agent_id = ANY(@agent_ids::bigint[]) AND a.present;

-- name: NewestFactsToRecall :many
-- Returns the agents' newest facts, except those in besides, newest first. Agents without a
-- directory are left out.
SELECT sqlc.embed(f), a.slug
FROM index_facts f JOIN agents a ON a.id = f.agent_id
WHERE f.agent_id = ANY(@agent_ids::bigint[]) AND a.present AND NOT f.id = ANY(@besides::uuid[])
ORDER BY f.modified_at DESC, f.path, f.line, f.id
LIMIT @most::integer;
