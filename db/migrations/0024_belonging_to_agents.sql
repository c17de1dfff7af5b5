-- Whether new memories have their agent is asked of these agents alone: it went over all there are, each time.

-- +goose Up
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION belong_to_agents() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    owners bigint[];
    held bigint;
BEGIN
    SELECT array_agg(DISTINCT agent_id) INTO owners FROM came;
    PERFORM FROM agents WHERE id = ANY(owners) FOR KEY SHARE;
    GET DIAGNOSTICS held = ROW_COUNT;
    IF held < cardinality(owners) THEN
        RAISE foreign_key_violation USING MESSAGE = 'there is no such agent', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
