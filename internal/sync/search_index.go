package sync

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"memoir/internal/postgres"
	"memoir/internal/sync/scan"
)

// searchFiller fills the search index with the memories that large scans have left out of it.
type searchFiller struct {
	store *postgres.Store
	log   *slog.Logger
	scans *scan.Tracker
	// tellPeers sends to the other servers whether this one is filling the index.
	tellPeers func(busy bool)
	// unindexed contains at most one ID. From this ID on, in their order, memories may be missing
	// in the index.
	unindexed chan uuid.UUID
	indexing  atomic.Bool // this server is filling the index, or will be soon
	// peerIndexingAt is when another server last reported that it is filling the index, in
	// nanoseconds since 1970. It is 0 if no server does.
	peerIndexingAt atomic.Int64
}

func newSearchFiller(store *postgres.Store, log *slog.Logger, scans *scan.Tracker, tellPeers func(busy bool)) *searchFiller {
	f := &searchFiller{store: store, log: log, scans: scans, tellPeers: tellPeers, unindexed: make(chan uuid.UUID, 1)}
	f.indexing.Store(true) // until the index is checked for gaps after a crash
	return f
}

// setPeerIndexing records that another server is filling the search index now, or has ended that.
// Without a further call, the former is valid for indexingTimeout.
func (f *searchFiller) setPeerIndexing(busy bool) {
	f.peerIndexingAt.Store(0)
	if busy {
		f.peerIndexingAt.Store(time.Now().UnixNano())
	}
}

// searchIndexRetry is the wait before filling the search index is tried again. Arbitrary.
const searchIndexRetry = 2 * time.Second

// fillSearchIndex fills the search index whenever indexLater requests it, and then tells the other
// servers that it has ended. It returns when ctx ends.
func (f *searchFiller) fillSearchIndex(ctx context.Context) {
	for {
		var first uuid.UUID
		select {
		case <-ctx.Done():
			return
		case first = <-f.unindexed:
		}
		f.indexing.Store(true)
		f.indexFrom(ctx, first)
		f.indexing.Store(false)
		if first == uuid.Nil {
			f.peerIndexingAt.Store(0) // all memories are indexed, also those of the other server
		}
		f.tellPeers(false)
	}
}

const (
	// indexingInterval is the time between two messages that this server is filling the index.
	// Arbitrary.
	indexingInterval = 5 * time.Second
	// indexingTimeout is how long such a message of another server is valid. Arbitrary.
	indexingTimeout = 20 * time.Second
)

// Searchable reports whether a search finds all memories. It is false after the start, and after
// many new memories at once, until this server or another one has filled the search index.
func (e *Engine) Searchable() bool {
	peerIndexingAt := time.Unix(0, e.search.peerIndexingAt.Load())
	return !e.search.indexing.Load() && time.Since(peerIndexingAt) > indexingTimeout
}

// indexFrom adds the missing memories to the search index, from the ID first on, in the order of
// IDs. Every indexingInterval, it tells the other servers that it is doing so. It logs an error and
// retries, until ctx ends.
func (f *searchFiller) indexFrom(ctx context.Context, first uuid.UUID) {
	var sentAt time.Time
	for ctx.Err() == nil {
		err := f.store.Index(ctx, first, func() {
			if time.Since(sentAt) > indexingInterval {
				sentAt = time.Now()
				f.tellPeers(true)
			}
		})
		if err == nil || errors.Is(err, context.Canceled) {
			return
		}
		f.log.Warn("search index not filled, will retry", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(searchIndexRetry):
		}
	}
}

// indexLater requests that the search index is filled from the ID first on, and does not wait. IDs
// are in the order of creation, so new memories are found without reading all others. It does
// nothing before the first full scan is done: becomeReady then requests all memories.
func (f *searchFiller) indexLater(first uuid.UUID) {
	if !f.scans.IsReady() {
		return
	}
	f.indexing.Store(true)
	for {
		select {
		case f.unindexed <- first:
			return
		case waiting := <-f.unindexed:
			if bytes.Compare(waiting[:], first[:]) < 0 {
				first = waiting
			}
		}
	}
}
