package sync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
)

// errNotHolder means that another server holds the agent's lease. It is for that one to carry out what is asked.
var errNotHolder = fmt.Errorf("another server holds the agent's lease: %w", memories.ErrUnavailable)

// holderTimeout is how long an agent that another server looked after, and nobody does any more, is still taken for that server's:
// it may only be starting again. Then a server that does not see the directory says that it is gone.
const holderTimeout = 5 * time.Minute

// term numbers the time for which this server holds an agent's lease, as postgres.Link does.
func (e *Engine) term(agent int64) uint64 { return e.serverConn.Load().Term(agent) }

// holdsLease reports whether an agent is this server's to look after.
func (e *Engine) holdsLease(slug string) bool {
	a := e.known(slug)
	return a != nil && e.term(a.id) != 0
}

// leasedSlugs returns the slugs of the agents that this server looks after.
func (e *Engine) leasedSlugs() []string {
	link := e.serverConn.Load()
	e.mu.Lock()
	defer e.mu.Unlock()
	var slugs []string
	for slug, a := range e.agents {
		if link.Term(a.id) != 0 {
			slugs = append(slugs, slug)
		}
	}
	return slugs
}

// requestLeases takes the leases of agents whose directories are on this server's disk, as far as no other server has them, and lets go
// of all others.
func (e *Engine) requestLeases(ids map[string]int64) error {
	e.mu.Lock()
	var gone []int64
	wanted := make(map[int64]struct{}, len(ids))
	for _, id := range ids {
		wanted[id] = struct{}{}
	}
	for id := range e.requested {
		if _, still := wanted[id]; !still {
			gone = append(gone, id)
		}
	}
	e.requested = wanted
	e.mu.Unlock()
	if err := e.serverConn.Load().Release(gone); err != nil {
		return err
	}
	_, err := e.takeLeases()
	return err
}

func (e *Engine) requestedIDs() []int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return keys(e.requested)
}

// takeLeases takes the wanted leases that are free, and returns how many those were.
func (e *Engine) takeLeases() (int, error) {
	taken, err := e.serverConn.Load().Take(e.requestedIDs())
	if errors.Is(err, postgres.ErrNoRoom) {
		if !e.noRoom.Swap(true) {
			e.log.Warn("not all leases taken", "error", err)
		}
		err = nil
	}
	return len(taken), err
}

// takeFreeLeases takes what another server has let go, and has it looked at.
func (e *Engine) takeFreeLeases() error {
	taken, err := e.takeLeases()
	if err != nil || taken == 0 {
		return err
	}
	e.log.Info("leases taken over", "agents", taken)
	e.queue.AddNow("", ".")
	e.indexLater(uuid.Nil) // the other one may have left something out
	return nil
}

// hasDirectory reports whether the directory of an agent that another server may look after is on this server's disk too.
func (e *Engine) hasDirectory(ctx context.Context, slug string) bool {
	a := e.known(slug)
	if a == nil || a.lock(ctx) != nil {
		return false
	}
	defer e.unlock(a)
	info, err := os.Stat(a.onDisk.Dir)
	return err == nil && info.IsDir()
}

// heldByOthers returns which of the agents another server looks after, or did a moment ago. The caller holds e.discovering.
func (e *Engine) heldByOthers(ctx context.Context, rows []records.Agent) (map[int64]bool, error) {
	var others []int64
	for _, row := range rows {
		if e.term(row.ID) != 0 {
			delete(e.holderLostAt, row.ID)
		} else {
			others = append(others, row.ID)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	holders, err := e.store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	elsewhere := map[int64]bool{}
	for _, id := range others {
		left, was := e.holderLostAt[id]
		switch {
		case holders[id] != 0:
			e.holderLostAt[id] = time.Time{}
		case was && left.IsZero():
			left = time.Now()
			e.holderLostAt[id] = left
		}
		elsewhere[id] = holders[id] != 0 || was && time.Since(left) < holderTimeout
	}
	return elsewhere, nil
}

// begin makes ready for an operation on the agent. What this server believed of it under another term is stale: somebody else
// may have changed everything since. An agent that nobody looks after is dealt with by whoever is asked; that nobody does is
// certain as long as the agent is held, because its next server begins with a scan of all of it.
func (h *hold) begin(ctx context.Context) error {
	term := h.Engine.term(h.id)
	if term == 0 {
		holder, err := h.store.Holder(ctx, h.id)
		if err != nil {
			return err
		}
		if holder != 0 {
			return errNotHolder
		}
		row, err := h.w.Agent(ctx)
		if errors.Is(err, memories.ErrNotFound) {
			h.drop(h.onDisk.Slug) // forgotten; there may be another one of that slug now
		}
		if err != nil {
			return err
		}
		h.onDisk, h.present = onDisk(row), row.Present
	}
	h.agent.begin(term)
	return nil
}

// begin forgets what was believed under another term than this; 0 is none.
func (a *agent) begin(term uint64) {
	if term == 0 || term != a.term {
		a.resetScanState()
	}
	a.term = term
}

// resetScanState forgets what was seen in the directory.
func (a *agent) resetScanState() {
	a.fullyScanned, a.recovered, a.links, a.indexes, a.facts, a.lastLogs = false, false, nil, nil, nil, logState{}
}

// What reads an agent's surroundings in the background, outside of this package, is done by one server for each agent, and waits
// for what somebody waits for. These say when and where.

// HoldsLease reports whether this server, and no other, holds the agent's lease.
func (e *Engine) HoldsLease(slug string) bool { return e.holdsLease(slug) }

// HasDirectory reports whether the agent's directory is on this server's disk, whichever server holds its lease.
func (e *Engine) HasDirectory(ctx context.Context, slug string) bool {
	return e.hasDirectory(ctx, slug)
}
