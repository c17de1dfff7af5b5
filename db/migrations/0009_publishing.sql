-- By what a server knows that the memories it has kept for CLAUDE.md are still what they were. schema.sql says how.

-- +goose Up
ALTER TABLE agents ADD COLUMN memories_version bigint NOT NULL DEFAULT 0;
