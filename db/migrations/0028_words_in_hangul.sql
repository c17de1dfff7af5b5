-- What is written in Hangul is found wherever it stands, as Chinese is: each of its characters is a word. What has some of it is
-- indexed anew, by the next start and by its first look at logs; all else stays in the index.

-- +goose Up
DELETE FROM memory_search s
USING memories m, revisions r
WHERE m.id = s.memory_id AND r.id = m.revision_id
  AND concat_ws(' ', m.name, r.description, r.body) ~ '[\u1100-\u11ff\u302e\u302f\u3130-\u318f\u3200-\u321e\u3260-\u327e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc]';

-- As words they are in no text any more, so that no purge would take them along.
DELETE FROM search_words WHERE word ~ '[\u1100-\u11ff\u302e\u302f\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]';

-- A file without a signature is read again.
UPDATE logs SET signature = 0
WHERE concat_ws(' ', title, text) ~ '[\u1100-\u11ff\u302e\u302f\u3130-\u318f\u3200-\u321e\u3260-\u327e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc]';
