-- A durable directory is told from another one in its place by its inode number too, not by its device alone. Which one it was is not known
-- yet of any: the next look takes the one that is there.

-- +goose Up
ALTER TABLE agents ADD COLUMN durable_inode bigint;
