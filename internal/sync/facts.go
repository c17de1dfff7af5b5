package sync

import (
	"context"
	"errors"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
)

// mirrorFacts saves the facts of the primary indexes that have changed, and removes those of indexes that were removed. An
// index that cannot be read keeps its facts; one over 1 MiB has none. away reports whether the primary directory is another.
func (h *hold) mirrorFacts(ctx context.Context, listing agents.Listing, away bool) error {
	if h.facts == nil {
		paths, err := h.w.IndexFactPaths(ctx)
		if err != nil {
			return err
		}
		h.facts = map[string]fileStamp{}
		for _, path := range paths {
			h.facts[path] = fileStamp{}
		}
	}
	for _, index := range listing.Indexes {
		if _, primary := h.onDisk.SessionOf(index); !primary || away {
			continue
		}
		stamp := h.stampOf(index)
		if stamp == h.facts[index] && stamp != (fileStamp{}) {
			continue
		}
		raw, err := readAll(h.root, index, memories.MaxFileSize)
		if files.IsExhausted(err) {
			return scanError(err)
		}
		if err != nil && !errors.Is(err, errTooLarge) {
			continue
		}
		if err := h.saveFacts(ctx, index, memorymd.Facts(raw), stamp.modTime); err != nil {
			return err
		}
		if time.Since(stamp.modTime).Abs() < agents.TimestampSlack {
			stamp = fileStamp{} // a later write can leave the same times
		}
		h.facts[index] = stamp
	}
	if away || !listing.HasPrimary {
		return nil
	}
	for index := range h.facts {
		if slices.Contains(listing.Indexes, index) || !listing.Covers(index) {
			continue
		}
		if err := h.saveFacts(ctx, index, nil, time.Time{}); err != nil {
			return err
		}
		delete(h.facts, index)
	}
	return nil
}

func (h *hold) saveFacts(ctx context.Context, index string, facts []memorymd.Fact, modified time.Time) error {
	if now := records.Now(); modified.After(now) {
		modified = now
	}
	return h.w.SaveIndexFacts(ctx, records.IndexFacts{
		Slug: h.onDisk.Slug, Path: index, Team: h.onDisk.InTeam(index), Facts: facts, ModifiedAt: modified,
	})
}
