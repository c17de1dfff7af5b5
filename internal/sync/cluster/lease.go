package cluster

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"memoir/internal/postgres"
	"memoir/internal/records"
)

// holderTimeout is how long an agent that another server looked after, and nobody does any more, is still taken for that server's:
// it may only be starting again. Then a server that does not see the directory says that it is gone.
const holderTimeout = 5 * time.Minute

// term numbers the time for which this server holds the lease of an agent, as postgres.Link does.
func (n *Node) Term(agent int64) uint64 { return n.conn.Load().Term(agent) }

// holdsLease reports whether an agent is this server's to look after.
func (n *Node) HoldsLease(slug string) bool {
	a := n.o.Agents.Known(slug)
	return a != nil && n.Term(a.ID) != 0
}

// leasedSlugs returns the slugs of the agents that this server looks after.
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

// requestLeases takes the leases of agents whose directories are on this server's disk, as far as no other server has them, and lets go
// of all others.
func (n *Node) RequestLeases(ids map[string]int64) error {
	n.mu.Lock()
	var gone []int64
	wanted := make(map[int64]struct{}, len(ids))
	for _, id := range ids {
		wanted[id] = struct{}{}
	}
	for id := range n.requested {
		if _, still := wanted[id]; !still {
			gone = append(gone, id)
		}
	}
	n.requested = wanted
	n.mu.Unlock()
	if err := n.conn.Load().Release(gone); err != nil {
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

// takeLeases takes the wanted leases that are free, and returns how many those were.
func (n *Node) takeLeases() (int, error) {
	taken, err := n.conn.Load().Take(n.requestedIDs())
	if errors.Is(err, postgres.ErrNoRoom) {
		if !n.noRoom.Swap(true) {
			n.o.Log.Warn(err.Error())
		}
		err = nil
	}
	return len(taken), err
}

// takeFreeLeases takes what another server has let go, and has it looked at.
func (n *Node) takeFreeLeases() error {
	taken, err := n.takeLeases()
	if err != nil || taken == 0 {
		return err
	}
	n.o.Log.Info("leases taken over", "agents", taken)
	n.o.LeasesTaken()
	return nil
}

// hasDirectory reports whether the directory of an agent that another server may look after is on this server's disk too.
func (n *Node) HasDirectory(ctx context.Context, slug string) bool {
	a := n.o.Agents.Known(slug)
	if a == nil || a.Lock(ctx) != nil {
		return false
	}
	defer n.o.Agents.Unlock(a)
	info, err := os.Stat(a.OnDisk.Dir)
	return err == nil && info.IsDir()
}

// heldByOthers returns which of the agents another server looks after, or did a moment ago. The caller holds e.discovering.
func (n *Node) HeldByOthers(ctx context.Context, rows []records.Agent) (map[int64]bool, error) {
	var others []int64
	for _, row := range rows {
		if n.Term(row.ID) != 0 {
			delete(n.holderLostAt, row.ID)
		} else {
			others = append(others, row.ID)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	holders, err := n.o.Store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	elsewhere := map[int64]bool{}
	for _, id := range others {
		left, was := n.holderLostAt[id]
		switch {
		case holders[id] != 0:
			n.holderLostAt[id] = time.Time{}
		case was && left.IsZero():
			left = time.Now()
			n.holderLostAt[id] = left
		}
		elsewhere[id] = holders[id] != 0 || was && time.Since(left) < holderTimeout
	}
	return elsewhere, nil
}

// What reads an agent's surroundings in the background, outside of this package, is done by one server for each agent, and waits
// for what somebody waits for. These say when and where.
