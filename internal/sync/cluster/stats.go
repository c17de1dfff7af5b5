package cluster

import (
	"context"
	"maps"

	"memoir/internal/postgres/lease"
	"memoir/internal/records"
)

// peerStats are the stats that this server has sent to the other servers. Only LeaseLoop uses them.
type peerStats struct {
	link  *lease.Conn                  // connection; over another one, all are sent again
	stats map[int64]records.AgentStats // by agent
}

// agentStats returns the stats of the agents whose leases this server holds, by ID.
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

// AllAgentStats returns the stats of every agent that has a directory of its own, by ID, as its
// lease holder last sent them. Pending is 0 if no server holds the lease.
func (n *Node) AllAgentStats(ctx context.Context) (map[int64]records.AgentStats, error) {
	all, err := n.o.Store.AgentStats(ctx)
	if err != nil {
		return nil, err
	}
	own := n.agentStats()
	for id, stats := range own {
		if _, ok := all[id]; ok {
			all[id] = stats
		}
	}
	var waiting []int64
	for id, stats := range all {
		if _, isOwn := own[id]; !isOwn && stats.Pending > 0 {
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

// sendStats stores the stats that have changed since the last call, for the other servers.
func (n *Node) sendStats() error {
	link := n.conn.Load()
	if n.sentStats.link != link {
		n.sentStats = peerStats{link: link}
	}
	now := n.agentStats()
	changed := maps.Clone(now)
	maps.DeleteFunc(changed, func(id int64, stats records.AgentStats) bool {
		sent, ok := n.sentStats.stats[id]
		return ok && sent == stats
	})
	if len(changed) > 0 {
		if err := link.SaveAgentStats(changed); err != nil {
			return err
		}
	}
	n.sentStats.stats = now
	return nil
}
