-- name: LogSignatures :many
-- Returns the paths and signatures of the agent's log files at and below the paths.
SELECT DISTINCT l.path, l.signature
FROM unnest(@places::text[]) AS p (place)
JOIN logs l ON l.agent_id = @agent_id AND (l.path = p.place OR starts_with(l.path, p.place || '/'));

-- name: SaveLogs :exec
INSERT INTO logs (agent_id, path, day, title, text, entries, problems, hash, size, modified_at, signature, words)
SELECT @agent_id, l.path, l.day::date, l.title, l.text, l.entries, string_to_array(l.problems, ' '), l.hash, l.size, l.modified_at,
       l.signature, l.words::tsvector
FROM (SELECT unnest(@paths::text[]) AS path, unnest(@days::text[]) AS day, unnest(@titles::text[]) AS title, unnest(@texts::text[]) AS text,
             unnest(@entries::integer[]) AS entries, unnest(@problems::text[]) AS problems, unnest(@hashes::text[]) AS hash,
             unnest(@sizes::bigint[]) AS size, unnest(@modified::timestamptz[]) AS modified_at, unnest(@signatures::bigint[]) AS signature,
             unnest(@words::text[]) AS words) l
ON CONFLICT (agent_id, path) DO UPDATE SET day = excluded.day, title = excluded.title, text = excluded.text, entries = excluded.entries,
    problems = excluded.problems, hash = excluded.hash, size = excluded.size, modified_at = excluded.modified_at,
    signature = excluded.signature, words = excluded.words;

-- name: DeleteLogs :exec
DELETE FROM logs WHERE agent_id = @agent_id AND path = ANY(@paths::text[]);

-- name: LogDays :many
-- Returns the days with logs in a range, newest first, with totals of each.
SELECT day, count(*) AS files, sum(entries)::bigint AS entries, sum(size)::bigint AS size, max(modified_at)::timestamptz AS modified_at,
       count(*) FILTER (WHERE problems <> '{}') AS odd
FROM logs
WHERE agent_id = @agent_id AND day BETWEEN @first::date AND @last::date
GROUP BY day ORDER BY day DESC
LIMIT @most::integer;

-- name: LogMonths :many
-- Returns the months with logs, newest first, with the number of days.
SELECT date_trunc('month', day)::date AS month, count(DISTINCT day) AS days
FROM logs WHERE agent_id = @agent_id
GROUP BY 1 ORDER BY 1 DESC;

-- name: LogsBetween :many
-- Returns the logs of a range of days, oldest day first; a day's own log precedes those with a
-- title. The limits omit the oldest files, and the texts of the oldest days.
SELECT l.path, l.day, l.title, l.entries, l.problems, l.hash, l.size, l.modified_at, (l.upto > @most_bytes::bigint)::boolean AS left_out,
       (CASE WHEN l.upto > @most_bytes::bigint THEN '' ELSE l.text END)::text AS text
FROM (SELECT f.path, f.day, f.title, f.text, f.entries, f.problems, f.hash, f.size, f.modified_at,
             row_number() OVER newest AS place, sum(octet_length(f.text)) OVER newest AS upto
      FROM logs f WHERE f.agent_id = @agent_id AND f.day BETWEEN @first::date AND @last::date
      WINDOW newest AS (ORDER BY f.day DESC, f.title <> '', f.path ROWS UNBOUNDED PRECEDING)) l
WHERE l.place <= @most::bigint
ORDER BY l.day, l.title <> '', l.path;

-- name: LogsAround :one
-- Returns the last day with logs before a day, and the first one after it, each NULL if there is
-- none.
SELECT (SELECT max(b.day) FROM logs b WHERE b.agent_id = @agent_id AND b.day < @day::date)::date AS before,
       (SELECT min(a.day) FROM logs a WHERE a.agent_id = @agent_id AND a.day > @day::date)::date AS after;

-- name: SearchLogs :many
-- Returns the logs before a place that have all words, newest first. In scripts without spaces, the
-- text must contain the phrases.
SELECT l.path, l.day, l.title, l.text, l.modified_at
FROM (SELECT sqlc.arg(match)::text AS match) q
JOIN logs l ON l.words @@ q.match::tsquery
WHERE l.agent_id = @agent_id
  AND (l.day, l.path) < (@before::date, @before_path::text)
  AND NOT EXISTS (SELECT FROM unnest(@phrases::text[]) AS p (phrase)
                  WHERE position(p.phrase IN normalize(l.title || E'\n' || l.text, NFKC)) = 0)
ORDER BY l.day DESC, l.path DESC
LIMIT @most::integer;
