-- The parts of a concordance that have a word are found at one place, in place of being asked one by one.

-- +goose Up
ALTER TABLE concordance_words DROP CONSTRAINT concordance_words_pkey;
ALTER TABLE concordance_words ADD PRIMARY KEY (concordance_id, word, part);
