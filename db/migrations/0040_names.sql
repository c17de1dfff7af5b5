-- Gives tables, columns, indexes and triggers the names that the rest of Memoir uses. No row changes, except that the
-- status of a mirrored file has another name.

-- +goose Up
ALTER TABLE agents RENAME COLUMN durable_device TO primary_device;
ALTER TABLE agents RENAME COLUMN durable_inode TO primary_inode;
ALTER TABLE agents RENAME COLUMN claude_md_in_step TO claude_md_publish_key;

ALTER TABLE files RENAME COLUMN promised TO expected_hash;
ALTER TABLE files DROP CONSTRAINT files_status_check;
ALTER TABLE files DROP CONSTRAINT files_check;
UPDATE files SET status = 'mirrored' WHERE status = 'carries';
ALTER TABLE files ADD CONSTRAINT files_status_check CHECK (status IN ('mirrored', 'blocked', 'unreadable', 'removing'));
ALTER TABLE files ADD CONSTRAINT files_check CHECK (signature IS NULL OR present AND status IN ('mirrored', 'unreadable'));

ALTER TABLE revisions RENAME COLUMN seen_order TO sequence;
ALTER SEQUENCE revisions_seen_order_seq RENAME TO revisions_sequence_seq;
ALTER TABLE activity RENAME COLUMN renamed TO other_name;

ALTER TABLE blocked RENAME TO blocked_contents;
ALTER TABLE blocked_contents RENAME CONSTRAINT blocked_pkey TO blocked_contents_pkey;
ALTER TABLE blocked_contents RENAME CONSTRAINT blocked_agent_id_fkey TO blocked_contents_agent_id_fkey;
ALTER TABLE blocked_contents RENAME CONSTRAINT blocked_agent_id_path_key TO blocked_contents_agent_id_path_key;

ALTER TABLE growth RENAME TO memory_growth;
ALTER TABLE memory_growth RENAME COLUMN alive TO delta;
ALTER TABLE memory_growth RENAME CONSTRAINT growth_pkey TO memory_growth_pkey;
ALTER TABLE memory_growth RENAME CONSTRAINT growth_agent_id_fkey TO memory_growth_agent_id_fkey;
ALTER TABLE memory_growth RENAME CONSTRAINT growth_type_check TO memory_growth_type_check;

ALTER TABLE figures RENAME TO agent_stats;
ALTER TABLE agent_stats RENAME CONSTRAINT figures_pkey TO agent_stats_pkey;
ALTER TABLE agent_stats RENAME CONSTRAINT figures_agent_id_fkey TO agent_stats_agent_id_fkey;

ALTER TABLE requests RENAME TO server_requests;
ALTER TABLE server_requests RENAME COLUMN wanted_until TO expires_at;
ALTER TABLE server_requests RENAME COLUMN taken TO claimed;
ALTER TABLE server_requests RENAME COLUMN answer TO response;
ALTER TABLE server_requests RENAME CONSTRAINT requests_pkey TO server_requests_pkey;

ALTER TABLE recalls RENAME COLUMN given TO delivered_count;
ALTER TABLE recalled RENAME TO recall_items;
ALTER TABLE recall_items RENAME COLUMN place TO position;
ALTER TABLE recall_items RENAME CONSTRAINT recalled_pkey TO recall_items_pkey;
ALTER TABLE recall_items_pkey RENAME COLUMN place TO position;
ALTER TABLE recall_items RENAME CONSTRAINT recalled_agent_id_fkey TO recall_items_agent_id_fkey;
ALTER TABLE recall_items RENAME CONSTRAINT recalled_recall_id_fkey TO recall_items_recall_id_fkey;

ALTER TABLE conversations RENAME COLUMN heard_at TO last_activity_at;
ALTER TABLE conversations RENAME COLUMN mark TO tail_hash;
ALTER TABLE conversations RENAME COLUMN read_to TO read_offset;
ALTER TABLE proposals RENAME COLUMN updates TO target_memory_id;
ALTER TABLE proposals RENAME COLUMN match TO base_etag;

ALTER TABLE consolidation_looks RENAME TO consolidation_checks;
ALTER TABLE consolidation_checks RENAME COLUMN looked_at TO checked_at;
ALTER TABLE consolidation_checks RENAME CONSTRAINT consolidation_looks_pkey TO consolidation_checks_pkey;
ALTER TABLE consolidation_checks RENAME CONSTRAINT consolidation_looks_agent_id_fkey TO consolidation_checks_agent_id_fkey;

ALTER INDEX agents_joined RENAME TO agents_joined_to_idx;
ALTER INDEX agents_shared RENAME TO agents_id_shared_idx;
ALTER INDEX memories_conflict RENAME TO memories_agent_id_conflict_idx;
ALTER INDEX memories_by_name RENAME TO memories_agent_id_name_team_idx;
ALTER INDEX memories_by_unreadable_path RENAME TO memories_agent_id_path_unreadable_idx;
ALTER INDEX memories_in_order_of_update RENAME TO memories_agent_id_updated_at_idx;
ALTER INDEX memories_in_order_of_name RENAME TO memories_agent_id_name_idx;
ALTER INDEX memories_in_order_of_age RENAME TO memories_agent_id_modified_at_idx;
ALTER INDEX memories_by_state RENAME TO memories_agent_id_state_type_idx;
ALTER INDEX memories_in_trash RENAME TO memories_agent_id_deleted_idx;
ALTER INDEX memories_in_team RENAME TO memories_agent_id_team_idx;
ALTER INDEX memories_to_restore RENAME TO memories_agent_id_restoring_idx;
ALTER INDEX revisions_by_content RENAME TO revisions_memory_id_fingerprint_idx;
ALTER INDEX files_by_memory RENAME TO files_memory_id_present_idx;
ALTER INDEX files_gone_by_memory RENAME TO files_memory_id_absent_idx;
ALTER INDEX files_to_remove RENAME TO files_agent_id_removing_idx;
ALTER INDEX activity_by_memory RENAME TO activity_memory_id_at_idx;
ALTER INDEX memory_search_by_word RENAME TO memory_search_words_idx;
ALTER INDEX IF EXISTS search_words_by_trigram RENAME TO search_words_word_idx;
ALTER INDEX recalls_by_time RENAME TO recalls_agent_id_at_idx;
ALTER TABLE recalls_agent_id_at_idx RENAME COLUMN given TO delivered_count;
ALTER INDEX recalls_in_session RENAME TO recalls_agent_id_session_at_idx;
ALTER INDEX recalled_in_session RENAME TO recall_items_agent_id_session_at_idx;
ALTER INDEX recalled_by_memory RENAME TO recall_items_agent_id_memory_id_at_idx;
ALTER INDEX verifications_by_agent RENAME TO verifications_agent_id_idx;
ALTER INDEX verifications_with_gone RENAME TO verifications_agent_id_gone_idx;
ALTER INDEX conversation_texts_by_session RENAME TO conversation_texts_agent_id_session_given_at_idx;
ALTER INDEX proposals_once RENAME TO proposals_agent_id_fingerprint_idx;
ALTER INDEX proposals_in_order RENAME TO proposals_agent_id_state_proposed_at_idx;
ALTER INDEX proposals_to_finish RENAME TO proposals_decided_at_accepting_idx;
ALTER INDEX logs_by_day RENAME TO logs_agent_id_day_path_idx;
ALTER INDEX logs_by_word RENAME TO logs_words_idx;
ALTER INDEX consolidations_open RENAME TO consolidations_agent_id_open_idx;
ALTER INDEX consolidations_by_agent RENAME TO consolidations_agent_id_made_at_idx;
ALTER INDEX consolidation_steps_in_order RENAME TO consolidation_steps_plan_id_place_idx;
ALTER INDEX consolidation_steps_unfinished RENAME TO consolidation_steps_agent_id_unfinished_idx;
ALTER INDEX consolidation_steps_applied RENAME TO consolidation_steps_agent_id_applied_at_idx;
ALTER INDEX index_facts_by_agent RENAME TO index_facts_agent_id_path_idx;
ALTER INDEX index_facts_by_word RENAME TO index_facts_words_idx;

DROP TRIGGER tally_insert ON memories;
DROP TRIGGER tally_update ON memories;
DROP TRIGGER tally_delete ON memories;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_memories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO memory_tallies AS t
        SELECT agent_id, state, coalesce(type, ''), count(*) FROM new_rows GROUP BY 1, 2, 3
        ON CONFLICT (agent_id, state, type) DO UPDATE SET n = t.n + excluded.n;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO memory_tallies AS t
        SELECT agent_id, state, type, sum(n)
        FROM (SELECT agent_id, state, coalesce(type, '') AS type, 1 AS n FROM new_rows
              UNION ALL SELECT agent_id, state, coalesce(type, ''), -1 FROM old_rows) changes
        GROUP BY agent_id, state, type
        HAVING sum(n) <> 0
        ON CONFLICT (agent_id, state, type) DO UPDATE SET n = t.n + excluded.n;
    ELSE -- The cascade may have deleted the rows of a deleted agent already.
        UPDATE memory_tallies t SET n = t.n - gone.n
        FROM (SELECT agent_id, state, coalesce(type, '') AS type, count(*) AS n FROM old_rows GROUP BY 1, 2, 3) gone
        WHERE (t.agent_id, t.state, t.type) = (gone.agent_id, gone.state, gone.type);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER memories_insert_trg AFTER INSERT ON memories REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER memories_update_trg AFTER UPDATE ON memories REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();
CREATE TRIGGER memories_delete_trg AFTER DELETE ON memories REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tally_memories();

-- From version 18 on, Postgres names constraints NOT NULL after their table and column.
-- +goose StatementBegin
DO $$
DECLARE
    c record;
BEGIN
    FOR c IN
        SELECT n.conrelid::regclass AS relation, n.conname, r.relname || '_' || a.attname || '_not_null' AS name
        FROM pg_constraint n
        JOIN pg_class r ON r.oid = n.conrelid AND r.relnamespace = current_schema()::regnamespace
        JOIN pg_attribute a ON a.attrelid = n.conrelid AND a.attnum = n.conkey[1]
        WHERE n.contype = 'n' AND r.relname IN ('agents', 'files', 'revisions', 'activity', 'blocked_contents', 'memory_growth', 'agent_stats',
            'server_requests', 'recalls', 'recall_items', 'conversations', 'proposals', 'consolidation_checks')
    LOOP
        IF c.conname <> c.name THEN
            EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', c.relation, c.conname, c.name);
        END IF;
    END LOOP;
END
$$;
-- +goose StatementEnd
