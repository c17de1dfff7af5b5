package sync

import (
	"bytes"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"memoir/internal/postgres"
	"memoir/internal/sync/scan"

	"github.com/google/uuid"
)

// searchFiller fills the search index with the memories that large scans have left out of it.
type searchFiller struct {
	store *postgres.Store
	log   *slog.Logger
	scans *scan.Tracker
	// tellPeers tells the other servers whether this one is filling the index.
	tellPeers func(busy bool)
	// unindexed holds the first memory, in the order of ids, that the index may lack.
	unindexed chan uuid.UUID
	indexing  atomic.Bool // this server fills the index, or is about to
	// peerIndexingAt is when another server last said that it fills the index, in nanoseconds since
	// 1970. It is 0 if none does.
	peerIndexingAt atomic.Int64
}

func newSearchFiller(store *postgres.Store, log *slog.Logger, scans *scan.Tracker, tellPeers func(busy bool)) *searchFiller {
	f := &searchFiller{store: store, log: log, scans: scans, tellPeers: tellPeers, unindexed: make(chan uuid.UUID, 1)}
	f.indexing.Store(true) // until the index was checked for what a crash has left out
	return f
}

// setPeerIndexing records whether another server fills the index.
func (f *searchFiller) setPeerIndexing(busy bool) {
	f.peerIndexingAt.Store(0)
	if busy {
		f.peerIndexingAt.Store(time.Now().UnixNano())
	}
}

// searchIndexRetry is how long filling the search index waits after it has failed.
const searchIndexRetry = 2 * time.Second

// fillSearchIndex brings into the index what large looks have left out of it.
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
			f.peerIndexingAt.Store(0) // whatever there was to do is done
		}
		f.tellPeers(false)
	}
}

const (
	// indexingInterval is how often a server that fills the search index says so.
	indexingInterval = 5 * time.Second
	// indexingTimeout is how long that holds when it does not say so any more.
	indexingTimeout = 20 * time.Second
)

// isComplete reports whether a search finds everything that is listed: after the start, and after many memories have come
// at once, the search index is filled last.
func (f *searchFiller) isComplete() bool {
	elsewhere := time.Unix(0, f.peerIndexingAt.Load())
	return !f.indexing.Load() && time.Since(elsewhere) > indexingTimeout
}

// indexFrom brings into the index what it lacks of the memories from the given one on, in the order of their ids.
func (f *searchFiller) indexFrom(ctx context.Context, first uuid.UUID) {
	var told time.Time
	for ctx.Err() == nil {
		err := f.store.Index(ctx, first, func() {
			if time.Since(told) > indexingInterval {
				told = time.Now()
				f.tellPeers(true)
			}
		})
		if ignoreCanceled(err) == nil {
			return
		}
		f.log.Warn("search index not filled, will retry", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(searchIndexRetry):
		}
	}
}

// indexLater has the search index filled from the given memory on, in the order of ids. That is the order in which memories
// were made: what has just come in large numbers is found without going over all the others. Before the first scan is done
// the disk comes first; what it leaves out, and what a crash has left out, is brought in after it.
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
