package scan

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
)

// mirrorIndexes saves the facts and entries of each primary MEMORY.md in the listing that has
// changed since they were saved. A fact is text that is no entry for a file. It deletes those of
// removed files. A file that cannot be read keeps them; one larger than memories.MaxFileSize has
// none. If primaryAway, it changes nothing. It returns memories.ErrOutOfFiles if too many files are
// open.
func mirrorIndexes(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, primaryAway bool) error {
	if tx.State.Facts == nil {
		paths, err := tx.Rows.IndexPaths(ctx)
		if err != nil {
			return err
		}
		tx.State.Facts = map[string]agenttx.FileStamp{}
		for _, path := range paths {
			tx.State.Facts[path] = agenttx.FileStamp{}
		}
	}
	for _, index := range listing.Indexes {
		if _, isPrimary := tx.Agent.SessionOf(index); !isPrimary || primaryAway {
			continue
		}
		stamp := indexfile.StampOf(tx, index)
		if stamp == tx.State.Facts[index] && stamp != (agenttx.FileStamp{}) {
			continue
		}
		raw, err := agenttx.ReadAll(tx.Root, index, memories.MaxFileSize)
		if files.IsExhausted(err) {
			return agenttx.OutOfFiles(err)
		}
		if err != nil && !errors.Is(err, agenttx.ErrTooLarge) {
			continue
		}
		if err := saveIndex(ctx, tx, index, raw, stamp.ModTime); err != nil {
			return err
		}
		if time.Since(stamp.ModTime).Abs() < agents.TimestampSlack {
			stamp = agenttx.FileStamp{} // a later write can have the same times
		}
		tx.State.Facts[index] = stamp
	}
	if primaryAway || !listing.HasPrimary {
		return nil
	}
	for index := range tx.State.Facts {
		if slices.Contains(listing.Indexes, index) || !listing.Covers(index) {
			continue
		}
		if err := saveIndex(ctx, tx, index, nil, time.Time{}); err != nil {
			return err
		}
		delete(tx.State.Facts, index)
	}
	return nil
}

// saveIndex replaces the facts, entries and loaded size of the MEMORY.md file at index in the
// database by those of raw; nil deletes them. Facts that agents must not receive are left out. A modification time in the future counts as now.
func saveIndex(ctx context.Context, tx *agenttx.Tx, index string, raw []byte, modified time.Time) error {
	entries, isLoaded, err := indexfile.Entries(tx, index, raw)
	if err != nil {
		return err
	}
	chars := -1
	if isLoaded {
		chars = utf8.RuneCountInString(memorymd.Load(raw))
	}
	if err := tx.DB.SaveIndexEntries(ctx, index, entries, chars); err != nil {
		return err
	}
	if now := records.Now(); modified.After(now) {
		modified = now
	}
	return tx.DB.SaveIndexFacts(ctx, records.IndexFacts{
		Slug: tx.Agent.Slug, Path: index, Team: tx.Agent.InTeam(index), Facts: slices.DeleteFunc(memorymd.Facts(raw), isQuarantinedFact), ModifiedAt: modified,
	})
}

// isQuarantinedFact reports whether agents must not receive a fact.
func isQuarantinedFact(f memorymd.Fact) bool {
	return len(QuarantineProblems("", f.Heading, f.Text)) > 0
}
