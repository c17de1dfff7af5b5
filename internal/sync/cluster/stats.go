package cluster

import (
	"context"
	"maps"

	"memoir/internal/postgres"
	"memoir/internal/records"
)

// peerStats are those that the other servers have been told, of the agents that this server looks after. Only leaseLoop
// uses them.
type peerStats struct {
	link  *postgres.Link // that they were told over
	stats map[int64]records.AgentStats
}

// stats returns how this server stands with the agents that it looks after.
func (n *Node) agentStats() map[int64]records.AgentStats {
	conn := n.conn.Load()
	stats := map[int64]records.AgentStats{}
	for _, a := range n.o.Agents.List() {
		if conn.Term(a.ID) != 0 {
			stats[a.ID] = records.AgentStats{Files: a.Files, Pending: n.o.Queue.PendingOf(a.Slug)}
		}
	}
	return stats
}

// allAgentStats returns how each agent that has a directory stands with it, as the server that holds the lease of it says. Where none does any
// more, nothing waits to be scanned, whatever was said last.
func (n *Node) AllAgentStats(ctx context.Context) (map[int64]records.AgentStats, error) {
	all, err := n.o.Store.Figures(ctx)
	if err != nil {
		return nil, err
	}
	own := n.agentStats()
	for id, f := range own {
		if _, there := all[id]; there {
			all[id] = f
		}
	}
	var waiting []int64
	for id, f := range all {
		if _, here := own[id]; !here && f.Pending > 0 {
			waiting = append(waiting, id)
		}
	}
	if len(waiting) == 0 {
		return all, nil
	}
	holders, err := n.o.Store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range waiting {
		if holders[id] == 0 {
			all[id] = records.AgentStats{Files: all[id].Files}
		}
	}
	return all, nil
}

// sendStats tells the other servers which stats have changed since they were told last.
func (n *Node) sendStats() error {
	link := n.conn.Load()
	if n.sentStats.link != link {
		n.sentStats = peerStats{link: link}
	}
	now := n.agentStats()
	changed := maps.Clone(now)
	maps.DeleteFunc(changed, func(id int64, f records.AgentStats) bool {
		told, was := n.sentStats.stats[id]
		return was && told == f
	})
	if len(changed) > 0 {
		if err := link.SetFigures(changed); err != nil {
			return err
		}
	}
	n.sentStats.stats = now
	return nil
}
