-- An agent's memory can be switched off. schema.sql says what that means.

-- +goose Up
ALTER TABLE agents ADD COLUMN memory_off boolean NOT NULL DEFAULT false;
