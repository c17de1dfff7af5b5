package cluster

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"memoir/internal/postgres/lease"
	"memoir/internal/records"
)

// holderTimeout is how long HeldByOthers still counts a lease that another server has lost, because
// that server may be restarting. Arbitrary.
const holderTimeout = 5 * time.Minute

// Term returns the number of this server's present lease term for the agent, by ID. It is 0 if this
// server does not hold the lease. A lease that was lost and taken again has another term.
func (n *Node) Term(agent int64) uint64 { return n.conn.Load().Term(agent) }

// HoldsLease reports whether this server holds the agent's lease. It is false for an agent that
// this process does not know. It never waits.
func (n *Node) HoldsLease(slug string) bool {
	a := n.o.Agents.Known(slug)
	return a != nil && n.Term(a.ID) != 0
}

// LeasedSlugs returns the slugs of the agents whose leases this server holds, in no order.
func (n *Node) LeasedSlugs() []string {
	conn := n.conn.Load()
	var slugs []string
	for _, a := range n.o.Agents.List() {
		if conn.Term(a.ID) != 0 {
			slugs = append(slugs, a.Slug)
		}
	}
	return slugs
}

// RequestLeases replaces the set of agents whose leases this server wants. ids are agent IDs by
// slug. It releases the leases that it no longer wants, and takes those in ids that are free.
// LeaseLoop takes the rest as soon as they are free. A lack of room in Postgres is logged, not
// returned.
func (n *Node) RequestLeases(ids map[string]int64) error {
	wanted := map[int64]struct{}{}
	for _, id := range ids {
		wanted[id] = struct{}{}
	}
	n.mu.Lock()
	unwanted := n.requested
	n.requested = wanted
	n.mu.Unlock()
	maps.DeleteFunc(unwanted, func(id int64, _ struct{}) bool {
		_, isWanted := wanted[id]
		return isWanted
	})
	if err := n.conn.Load().Release(slices.Collect(maps.Keys(unwanted))); err != nil {
		return err
	}
	_, err := n.takeLeases()
	return err
}

func (n *Node) requestedIDs() []int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Collect(maps.Keys(n.requested))
}

// takeLeases takes the wanted leases that are free, and returns the number of those newly taken. If
// Postgres has no room for all, it logs that once and keeps the ones taken; that is not an error.
func (n *Node) takeLeases() (int, error) {
	taken, err := n.conn.Load().Take(n.requestedIDs())
	if errors.Is(err, lease.ErrNoRoom) {
		if !n.noRoom.Swap(true) {
			n.o.Log.Warn("some agents have no lease", "error", err)
		}
		err = nil
	}
	return len(taken), err
}

// takeFreeLeases takes the wanted leases that are free. If it has taken any, it logs that and calls
// Options.LeasesTaken.
func (n *Node) takeFreeLeases() error {
	taken, err := n.takeLeases()
	if err != nil || taken == 0 {
		return err
	}
	n.o.Log.Info("leases taken over", "agents", taken)
	n.o.LeasesTaken()
	return nil
}

// HasDirectory reports whether the agent's directory is on this server's disk, also if another
// server holds the lease. It waits for the agent's lock, and reports false if ctx ends first. It is
// false for an agent that this process does not know.
func (n *Node) HasDirectory(ctx context.Context, slug string) bool {
	a := n.o.Agents.Known(slug)
	if a == nil || a.Lock(ctx) != nil {
		return false
	}
	defer n.o.Agents.Unlock(a)
	info, err := os.Stat(a.Agent.Dir)
	return err == nil && info.IsDir()
}

// HeldByOthers returns for the agents of rows, by ID, whether another server holds the lease or has
// lost it less than holderTimeout ago. Agents whose leases this server holds have no entry. It must
// not be called concurrently, because it remembers when leases were lost.
func (n *Node) HeldByOthers(ctx context.Context, rows []records.Agent) (map[int64]bool, error) {
	holders, err := n.o.Store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	elsewhere := map[int64]bool{}
	for _, row := range rows {
		lostAt, wasHeld := n.holderLostAt[row.ID]
		switch {
		case n.Term(row.ID) != 0:
			delete(n.holderLostAt, row.ID)
			continue
		case holders[row.ID] != 0:
			n.holderLostAt[row.ID] = time.Time{}
		case wasHeld && lostAt.IsZero():
			lostAt = time.Now()
			n.holderLostAt[row.ID] = lostAt
		}
		elsewhere[row.ID] = holders[row.ID] != 0 || wasHeld && time.Since(lostAt) < holderTimeout
	}
	return elsewhere, nil
}
