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

// agentStats returns the current stats of the agents whose leases this server holds, by ID.
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

// AllAgentStats returns the stats of every agent that has a directory of its own, by ID. They are
// current for agents of this server, and otherwise as the lease holder last saved them. If no
// server holds the lease, Pending is 0.
func (n *Node) AllAgentStats(ctx context.Context) (map[int64]records.AgentStats, error) {
	all, err := n.o.Store.AgentStats(ctx)
	if err != nil {
		return nil, err
	}
	holders, err := n.o.Store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	own := n.agentStats()
	for id, stats := range all {
		if current, isOwn := own[id]; isOwn {
			all[id] = current
		} else if holders[id] == 0 {
			all[id] = records.AgentStats{Files: stats.Files}
		}
	}
	return all, nil
}

// sendStats saves the stats of this server's agents in the database, where the other servers read
// them. It saves only the stats that have changed since the last call, or all after a reconnect.
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
