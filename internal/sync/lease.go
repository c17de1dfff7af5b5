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

// errElsewhere says that another server looks after the agent. It is for that one to carry out what is asked.
var errElsewhere = fmt.Errorf("another server looks after the agent now: %w", memories.ErrUnavailable)

// absence is how long an agent that another server looked after, and nobody does any more, is still taken for that server's:
// it may only be starting again. Then a server that does not see the directory says that it is gone.
const absence = 5 * time.Minute

// term numbers the time for which this server looks after an agent, as postgres.Link does.
func (e *Engine) term(agent int64) uint64 { return e.link.Load().Term(agent) }

// looksAfter says whether an agent is this server's to look after.
func (e *Engine) looksAfter(slug string) bool {
	a := e.known(slug)
	return a != nil && e.term(a.id) != 0
}

// lookedAfter returns the slugs of the agents that this server looks after.
func (e *Engine) lookedAfter() []string {
	link := e.link.Load()
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

// want takes the leases of agents whose directories are on this server's disk, as far as no other server has them, and lets go
// of all others.
func (e *Engine) want(ids map[string]int64) error {
	e.mu.Lock()
	var gone []int64
	wanted := make(map[int64]struct{}, len(ids))
	for _, id := range ids {
		wanted[id] = struct{}{}
	}
	for id := range e.wanted {
		if _, still := wanted[id]; !still {
			gone = append(gone, id)
		}
	}
	e.wanted = wanted
	e.mu.Unlock()
	if err := e.link.Load().Release(gone); err != nil {
		return err
	}
	_, err := e.take()
	return err
}

func (e *Engine) wantedIDs() []int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return keys(e.wanted)
}

// take takes the wanted leases that are free, and returns how many those were.
func (e *Engine) take() (int, error) {
	taken, err := e.link.Load().Take(e.wantedIDs())
	if errors.Is(err, postgres.ErrNoRoom) {
		if !e.noRoom.Swap(true) {
			e.log.Warn(err.Error())
		}
		err = nil
	}
	return len(taken), err
}

// takeWanted takes what another server has let go, and has it looked at.
func (e *Engine) takeWanted() error {
	taken, err := e.take()
	if err != nil || taken == 0 {
		return err
	}
	e.log.Info("this server looks after more agents from now on", "agents", taken)
	e.queue.AddNow("", ".")
	e.indexLater(uuid.Nil) // the other one may have left something out
	return nil
}

// sees says whether the directory of an agent that another server may look after is on this server's disk too.
func (e *Engine) sees(ctx context.Context, slug string) bool {
	a := e.known(slug)
	if a == nil || a.lock(ctx) != nil {
		return false
	}
	defer e.unlock(a)
	info, err := os.Stat(a.onDisk.Dir)
	return err == nil && info.IsDir()
}

// elsewhere returns which of the agents another server looks after, or did a moment ago. The caller holds e.discovering.
func (e *Engine) elsewhere(ctx context.Context, rows []records.Agent) (map[int64]bool, error) {
	var others []int64
	for _, row := range rows {
		if e.term(row.ID) != 0 {
			delete(e.left, row.ID)
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
		left, was := e.left[id]
		switch {
		case holders[id] != 0:
			e.left[id] = time.Time{}
		case was && left.IsZero():
			left = time.Now()
			e.left[id] = left
		}
		elsewhere[id] = holders[id] != 0 || was && time.Since(left) < absence
	}
	return elsewhere, nil
}

// begin makes ready for an operation on the agent. What this server believed of it under another term is stale: somebody else
// may have changed everything since. An agent that nobody looks after is dealt with by whoever is asked; that nobody does is
// certain as long as the agent is held, because its next server begins with a look at all of it.
func (h *hold) begin(ctx context.Context) error {
	term := h.Engine.term(h.id)
	if term == 0 {
		holder, err := h.store.Holder(ctx, h.id)
		if err != nil {
			return err
		}
		if holder != 0 {
			return errElsewhere
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
		a.forgetLooks()
	}
	a.term = term
}

// forgetLooks forgets what was seen in the directory.
func (a *agent) forgetLooks() {
	a.looked, a.recovered, a.links, a.indexes, a.facts, a.seenLogs = false, false, nil, nil, nil, seenLogs{}
}
