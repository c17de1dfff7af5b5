-- A durable directory is told from another one in its place by its inode number too, not by its device alone. Which one it was is not known
-- yet of any: the next look takes the one that is there, and concludes nothing from what is not in it.

-- +goose Up
ALTER TABLE agents RENAME COLUMN durable_device TO durable_identity;
UPDATE agents SET durable_identity = NULL;
