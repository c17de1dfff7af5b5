-- Bytes that Memoir itself is about to write into a file whose content is to be no newer for it are on record before: a crash between
-- the file and its row would make an old session's content the newest.

-- +goose Up
ALTER TABLE files ADD COLUMN promised text;
