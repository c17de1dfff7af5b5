-- A call to another server is sent once only.

-- +goose Up
ALTER TABLE requests DROP COLUMN repeated;
