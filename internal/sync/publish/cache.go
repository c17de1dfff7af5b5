package publish

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"memoir/internal/memories/claudemd"
)

const (
	// maxCached is the size of the cache: the number of summaries and KB of sections, of all agents
	// together. A summary takes about 1 KB of resident memory (measured).
	maxCached = 12_000
	// maxChanged is the number of changed memories above which all memories of an agent are read.
	// Arbitrary.
	maxChanged = 1_000
)

// Reader reads one agent's memories. A *postgres.AgentRows implements it.
type Reader interface {
	// Summaries returns the memories that go into CLAUDE.md, in the order of Memoir's block.
	Summaries(ctx context.Context) ([]claudemd.Summary, error)
	// SummariesOf returns the memories with these ids that go into CLAUDE.md, in the order of Memoir's
	// block.
	SummariesOf(ctx context.Context, ids []uuid.UUID) ([]claudemd.Summary, error)
}

// Cache keeps the Sources of the agents whose CLAUDE.md was compiled last. Its methods are safe for
// concurrent use. Only one goroutine may use the Sources of an agent.
type Cache struct {
	mu     sync.Mutex
	agents *simplelru.LRU[int64, *Sources] // by agent id
	size   int                             // sum of Sources.size; at most maxCached
}

// NewCache returns an empty Cache.
func NewCache() *Cache {
	agents, err := simplelru.NewLRU[int64, *Sources](math.MaxInt, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &Cache{agents: agents}
}

// Take removes the Sources of an agent from the cache and returns them, updated to this version of
// the agent. changed are the memories that the caller has changed since Put, each once per increase
// of the version; Take reads only these again. If the cache lacks the agent, or other changes have
// increased the version too, it reads all memories. Errors are those of r; the cache then lacks the
// agent.
func (c *Cache) Take(ctx context.Context, r Reader, agentID, version int64, changed []uuid.UUID) (*Sources, error) {
	s := c.remove(agentID)
	if s != nil && s.version+int64(len(changed)) == version && len(changed) <= maxChanged {
		return s, s.refresh(ctx, r, changed)
	}
	summaries, err := r.Summaries(ctx)
	return &Sources{Summaries: summaries}, err
}

// Put adds the Sources from which the CLAUDE.md of an agent was compiled. version is the agent's
// version after that. costs are the sizes in CLAUDE.md that were saved with it. Put removes the
// agents that were added longest ago until the cache is within maxCached.
func (c *Cache) Put(agentID, version int64, s *Sources, costs []claudemd.Cost) {
	s.record(costs)
	s.version, s.sections, s.used = version, s.used, nil
	c.remove(agentID)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agents.Add(agentID, s)
	for c.size += s.size(); c.size > maxCached; {
		_, oldest, _ := c.agents.RemoveOldest()
		c.size -= oldest.size()
	}
}

// remove removes the Sources of an agent from the cache and returns them. It returns nil if the
// cache does not have them.
func (c *Cache) remove(agentID int64) *Sources {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.agents.Peek(agentID)
	if !ok {
		return nil
	}
	c.agents.Remove(agentID)
	c.size -= s.size()
	return s
}

// Sources are the memories from which an agent's CLAUDE.md is compiled. The zero Sources have no
// memory; their Text works.
type Sources struct {
	// Summaries are the agent's own memories, in the order of the block.
	Summaries []claudemd.Summary
	version   int64 // version of the agent after the publication
	// sections are the full sections of the last publication, and used the ones of this publication.
	sections, used map[sectionKey]string
	// bodies are the bodies that Text has read and not used yet, by revision.
	bodies map[[16]byte]string
}

// sectionKey identifies a section. Name and team are part of it, because a memory that is renamed
// or moved keeps its revision.
type sectionKey struct {
	revision [16]byte
	name     string
	team     bool
}

func keyOf(m claudemd.Summary) sectionKey { return sectionKey{m.Revision, m.Name, m.Team} }

// refresh reads the changed memories again and replaces their summaries. It removes the changed
// memories that do not go into CLAUDE.md now. Errors are those of r; s is then unchanged.
func (s *Sources) refresh(ctx context.Context, r Reader, changed []uuid.UUID) error {
	if len(changed) == 0 {
		return nil
	}
	renewed, err := r.SummariesOf(ctx, changed)
	if err != nil {
		return err
	}
	ids := make(map[string]bool, len(changed))
	for _, id := range changed {
		ids[id.String()] = true
	}
	unchanged := slices.DeleteFunc(s.Summaries, func(m claudemd.Summary) bool { return ids[m.ID] })
	s.Summaries = slices.Concat(unchanged, renewed)
	claudemd.Sort(s.Summaries)
	return nil
}

// record stores costs, which were saved in the database, in the summaries of their memories. costs
// are in the order of the summaries. A summary without a cost stays as it is.
func (s *Sources) record(costs []claudemd.Cost) {
	for i := range s.Summaries {
		if m := &s.Summaries[i]; len(costs) > 0 && costs[0].ID == m.ID {
			m.Recorded, costs = costs[0], costs[1:]
		}
	}
}

// size returns the size of s in the unit of maxCached: 1, plus the number of summaries, plus the KB
// of sections and bodies.
func (s *Sources) size() int {
	const overhead = 80 // bytes of a map entry without its text; estimated
	bytes := 0
	for _, text := range s.sections {
		bytes += overhead + len(text)
	}
	for _, body := range s.bodies {
		bytes += overhead + len(body)
	}
	return 1 + len(s.Summaries) + bytes>>10
}

// Text returns the full section of next[0] in CLAUDE.md. It uses the section of this or the last
// compilation if there is one. Otherwise it calls bodies with all of next that have no section,
// makes the section, and keeps the other bodies for later calls. It fails with the errors of bodies
// and ctx, and if bodies does not return the body of next[0].
func (s *Sources) Text(ctx context.Context, next []claudemd.Summary, bodies func(context.Context, []claudemd.Summary) (map[[16]byte]string, error)) (string, error) {
	if s.used == nil {
		s.used = map[sectionKey]string{}
	}
	if text, ok := s.find(next[0]); ok {
		return text, nil
	}
	first := next[0]
	body, ok := s.bodies[first.Revision]
	if !ok {
		missing := slices.DeleteFunc(slices.Clone(next), func(m claudemd.Summary) bool {
			_, ok := s.find(m)
			return ok
		})
		var err error
		if s.bodies, err = bodies(ctx, missing); err != nil {
			return "", err
		}
		if body, ok = s.bodies[first.Revision]; !ok {
			return "", fmt.Errorf("memory %q has no content on record", first.ID)
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	delete(s.bodies, first.Revision)
	text := claudemd.FullSection(first, body)
	s.used[keyOf(first)] = text
	return text, nil
}

// find returns the section of a memory from this or the last compilation, and marks it as used, so
// that Put keeps it. If there is no section, it returns "" and false.
func (s *Sources) find(m claudemd.Summary) (text string, ok bool) {
	key := keyOf(m)
	if text, ok = s.used[key]; ok {
		return text, true
	}
	if text, ok = s.sections[key]; ok {
		s.used[key] = text
	}
	return text, ok
}
