-- What CLAUDE.md lists of a memory without its text, and when CLAUDE.md need not be compiled at all. schema.sql says what for.

-- +goose Up
ALTER TABLE memories ADD COLUMN description text NOT NULL DEFAULT '';
UPDATE memories m SET description = r.description FROM revisions r WHERE r.id = m.revision_id AND r.description <> '';
ALTER TABLE memories ALTER COLUMN description DROP DEFAULT;

ALTER TABLE agents ADD COLUMN claude_md_in_step text;
