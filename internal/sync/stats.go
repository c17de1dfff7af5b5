package sync

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

// agentStats returns how this server stands with the agents that it looks after.
func (e *Engine) agentStats() map[int64]records.AgentStats {
	link := e.serverConn.Load()
	e.mu.Lock()
	defer e.mu.Unlock()
	figures := map[int64]records.AgentStats{}
	for slug, a := range e.agents {
		if link.Term(a.id) != 0 {
			figures[a.id] = records.AgentStats{Files: int(a.fileCounter.files.Load()), Pending: e.queue.PendingOf(slug)}
		}
	}
	return figures
}

// allAgentStats returns how each agent that has a directory stands with it, as the server that holds its lease says. Where none does any
// more, nothing waits to be scanned, whatever was said last.
func (e *Engine) allAgentStats(ctx context.Context) (map[int64]records.AgentStats, error) {
	all, err := e.store.Figures(ctx)
	if err != nil {
		return nil, err
	}
	own := e.agentStats()
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
	holders, err := e.store.Holders(ctx)
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
func (e *Engine) sendStats() error {
	link := e.serverConn.Load()
	if e.sentStats.link != link {
		e.sentStats = peerStats{link: link}
	}
	now := e.agentStats()
	changed := maps.Clone(now)
	maps.DeleteFunc(changed, func(id int64, f records.AgentStats) bool {
		told, was := e.sentStats.stats[id]
		return was && told == f
	})
	if len(changed) > 0 {
		if err := link.SetFigures(changed); err != nil {
			return err
		}
	}
	e.sentStats.stats = now
	return nil
}
