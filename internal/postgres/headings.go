package postgres

import (
	"container/list"
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Sections returns what goes into CLAUDE.md of the agent as it has been read in this hold, while which nobody else changes it. Where the headings of an earlier publication are kept, it reads those alone that have changed since.
func (w *Writer) Sections(ctx context.Context, agent Agent) (Sections, error) {
	own, err := w.ownSections(ctx, agent)
	if err != nil {
		return Sections{}, err
	}
	shared, err := w.shared.read(ctx, w.q, agent.Shared)
	return own.with(shared), err
}

func (w *Writer) ownSections(ctx context.Context, agent Agent) (Sections, error) {
	version := agent.ClaudeMD.Version
	if w.kept == nil || w.kept.version != version {
		w.kept = nil
		sections, err := sectionsOf(ctx, w.q, w.agentID)
		sections.MemoryOff = agent.MemoryOff
		if err == nil && len(sections.Headings) <= mostBriefly {
			w.kept = &keptHeadings{version: version, headings: sections.Headings}
			for i, m := range sections.Headings {
				sections.Headings[i] = m.WithEntry()
			}
		}
		return sections, err
	}
	if len(w.kept.changed) > 0 {
		var rows []queries.HeadingsOfRow
		err := w.asked(ctx, "read what to compile", func(q *queries.Queries) error { return q.KeepPlans(ctx) }, func(q *queries.Queries) (err error) {
			rows, err = q.HeadingsOf(ctx, queries.HeadingsOfParams{AgentID: w.agentID, Ids: w.kept.changed})
			return err
		})
		if err != nil {
			return Sections{}, err
		}
		w.kept.renew(rows)
	}
	return Sections{Headings: w.kept.headings, MemoryOff: agent.MemoryOff, q: w.q}, nil
}

// keptHeadings are what an agent's CLAUDE.md was compiled of. They count as long as the agent's version is theirs: whatever
// changes something raises that, and what this server itself has changed is known. Nil keeps nothing.
type keptHeadings struct {
	version  int64
	headings []memories.Heading // in the order of the block
	changed  []uuid.UUID        // memories that are not what they were
}

// raise follows a transaction that raises the agent's version and changes those memories, before it is committed.
func (k *keptHeadings) raise(changed ...uuid.UUID) {
	if k == nil {
		return
	}
	k.version++
	k.changed = append(k.changed, changed...)
}

// raiseWithout follows a transaction that raises the agent's version and deletes a memory, before it is committed.
func (k *keptHeadings) raiseWithout(deleted uuid.UUID) {
	if k == nil {
		return
	}
	k.version++
	id := deleted.String()
	for i := range k.headings {
		if k.headings[i].ID == id {
			k.headings = slices.Delete(k.headings, i, i+1)
			return
		}
	}
}

// renew takes what has become of the memories that have changed. Those that are not among the rows are in no CLAUDE.md any more.
func (k *keptHeadings) renew(rows []queries.HeadingsOfRow) {
	changed := make(map[string]struct{}, len(k.changed))
	for _, id := range k.changed {
		changed[id.String()] = struct{}{}
	}
	k.headings = slices.DeleteFunc(k.headings, func(m memories.Heading) bool {
		_, is := changed[m.ID]
		return is
	})
	renewed := make([]memories.Heading, len(rows))
	for i, row := range rows {
		renewed[i] = headingOf(queries.HeadingsRow(row)).WithEntry()
	}
	k.headings = memories.Merged(k.headings, memories.Sorted(renewed))
	k.changed = nil
}

// record takes what has been recorded that memories take in CLAUDE.md; the costs are in the order of the headings.
func (k *keptHeadings) record(costs []memories.Cost) {
	if k == nil {
		return
	}
	for i := range k.headings {
		if len(costs) > 0 && costs[0].ID == k.headings[i].ID {
			k.headings[i].Recorded, costs = costs[0], costs[1:]
		}
	}
}

const (
	// mostHeadings bounds what is kept over all agents. A heading was measured to take 1 KB of the server's resident memory, and
	// with 100,000 memories that is to stay below 80 MB.
	mostHeadings = 12_000
	// mostBriefly bounds what is kept besides of one agent with more of them, for briefly after it was worked on. To read them takes as
	// much memory as to keep them, and where somebody tidies up, the next memory is deleted soon: among 30,000 in a fifth of the time.
	mostBriefly = 150_000
	briefly     = 3 * time.Second
	// mostChanges is how many changed memories of an agent are kept in mind: of more, all headings are as soon read.
	mostChanges = 1_000
)

// headingCache keeps the headings of the agents that were worked on last. It is safe for concurrent use.
type headingCache struct {
	mu      sync.Mutex
	byAgent map[int64]*list.Element
	oldest  list.List // of agentHeadings, in the order in which they were put here
	n       int       // headings in these
	// many are those of an agent with more than all of these may have, up to letGo.
	many  agentHeadings
	letGo *time.Timer
}

type agentHeadings struct {
	agentID int64
	*keptHeadings
}

// take returns what is kept of the agent and keeps it no more: whoever works on the agent gives back what it is then.
func (c *headingCache) take(agentID int64) *keptHeadings {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.many.agentID == agentID {
		defer func() { c.many = agentHeadings{} }()
		return c.many.keptHeadings
	}
	at, ok := c.byAgent[agentID]
	if !ok {
		return nil
	}
	return c.drop(at)
}

func (c *headingCache) put(agentID int64, k *keptHeadings) {
	if k == nil || len(k.changed) > mostChanges {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, ok := c.byAgent[agentID]; ok {
		c.drop(before)
	}
	if k.room() > mostHeadings {
		c.keepBriefly(agentHeadings{agentID, k})
		return
	}
	if c.byAgent == nil {
		c.byAgent = map[int64]*list.Element{}
	}
	c.byAgent[agentID] = c.oldest.PushBack(agentHeadings{agentID, k})
	for c.n += k.room(); c.n > mostHeadings; {
		c.drop(c.oldest.Front())
	}
}

func (c *headingCache) keepBriefly(many agentHeadings) {
	c.many = many
	if c.letGo == nil {
		c.letGo = time.AfterFunc(briefly, c.letGoOfMany)
	}
	c.letGo.Reset(briefly)
}

// letGoOfMany gives their memory back as well: an idle server would keep it for minutes.
func (c *headingCache) letGoOfMany() {
	c.mu.Lock()
	kept := c.many.keptHeadings != nil
	c.many = agentHeadings{}
	c.mu.Unlock()
	if kept {
		debug.FreeOSMemory()
	}
}

// ForgetHeadings lets go of what is kept for publishing: the next publication of each agent reads it again.
func (s *Store) ForgetHeadings() {
	s.headings.mu.Lock()
	defer s.headings.mu.Unlock()
	for at := s.headings.oldest.Front(); at != nil; at = s.headings.oldest.Front() {
		s.headings.drop(at)
	}
	s.headings.many = agentHeadings{}
}

func (c *headingCache) drop(at *list.Element) *keptHeadings {
	dropped := c.oldest.Remove(at).(agentHeadings)
	delete(c.byAgent, dropped.agentID)
	c.n -= dropped.room()
	return dropped.keptHeadings
}

// room is what the headings of an agent take of what is kept; an agent without memories takes some as well.
func (k *keptHeadings) room() int { return len(k.headings) + 1 }
