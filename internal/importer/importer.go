// Package importer brings memories from elsewhere into agents: from an archive, from files of other
// programs, or from another machine. It compares them with the agents' own, and changes what
// exchange.Decide decides. Each memory is changed as a whole, so an interrupted import can be
// repeated.
package importer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/exchange"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Store reads the agents' memories. Nothing in it is masked.
type Store interface {
	AgentUncounted(ctx context.Context, slug string) (records.Agent, error)
	Memory(ctx context.Context, agent records.Agent, id string) (memories.Memory, error)
	ExchangeState(ctx context.Context, agentID int64) (map[exchange.Key]exchange.Known, error)
	UnreadableFiles(ctx context.Context, agentID int64) (map[uuid.UUID]string, error)
}

// Importer plans and applies imports. It is safe for concurrent use.
type Importer struct {
	engine *engine.Engine
	store  Store
	log    *slog.Logger
}

// New returns an Importer.
func New(e *engine.Engine, store Store, log *slog.Logger) *Importer { return &Importer{e, store, log} }

// Request is what to import, and where to.
type Request struct {
	Agents []exchange.Agent
	// Into is the slug of the agent that gets all memories. Empty means the agents of the same slugs.
	Into string
	// Map gives other slugs here, by the slugs there.
	Map map[string]string
	// Apply makes the changes. Without it, the report says what would change.
	Apply bool
}

// Report is what an import changes or has changed.
type Report struct {
	Applied bool
	Agents  []AgentReport
}

// AgentReport is the part of a Report about one agent.
type AgentReport struct {
	From, Slug string
	Creates    bool   // the agent is new here
	Problem    string // why nothing of the agent is imported; empty if it is
	Counts     map[exchange.Outcome]int
	// History is the number of memories that stay and get earlier contents.
	History int
	Items   []Item // all but those that stay the same, by name
}

// Item is one memory of an import.
type Item struct {
	Name    string
	Team    bool
	Outcome exchange.Outcome
	Reason  string // for people; can be empty
}

// Import compares the agents of the request with those here, and applies the changes if the request
// says so. It fails with *memories.InvalidError for an unknown Into. A memory that cannot be
// imported is in the report, and does not stop the others.
func (im *Importer) Import(ctx context.Context, r Request) (Report, error) {
	report := Report{Applied: r.Apply, Agents: []AgentReport{}}
	for _, from := range r.Agents {
		one, err := im.importAgent(ctx, r, from)
		if err != nil {
			return report, err
		}
		report.Agents = append(report.Agents, one)
	}
	return report, nil
}

// work is the import of one agent.
type work struct {
	im     *Importer
	from   exchange.Agent
	row    records.Agent // zero if it is not created yet
	agent  agents.Agent
	report AgentReport
	mine   map[exchange.Key]exchange.Known
	theirs map[exchange.Key]exchange.Known
	// outcomes are by the ids of memories there.
	outcomes map[uuid.UUID]exchange.Outcome
	ids      map[uuid.UUID]uuid.UUID // of memories here, by those there
	isFresh  bool
	skipped  map[exchange.Key]bool // names about which a person has to decide first
}

func (im *Importer) importAgent(ctx context.Context, r Request, from exchange.Agent) (AgentReport, error) {
	slug := from.Slug
	if to, ok := r.Map[slug]; ok {
		slug = to
	} else if r.Into != "" {
		slug = r.Into
	}
	w := &work{
		im: im, from: from, report: AgentReport{From: from.Slug, Slug: slug, Counts: map[exchange.Outcome]int{}, Items: []Item{}},
		outcomes: map[uuid.UUID]exchange.Outcome{}, ids: map[uuid.UUID]uuid.UUID{}, skipped: map[exchange.Key]bool{},
	}
	row, err := im.store.AgentUncounted(ctx, slug)
	switch {
	case errors.Is(err, memories.ErrNotFound) && slug == "":
		w.report.Problem = "The source names no agent. Say which agent gets the memories (into)."
		return w.report, nil
	case slug == exchange.NoAgent:
		w.report.Problem = "The agent of this slug here is another project. Say which agent gets the memories (map)."
		return w.report, nil
	case errors.Is(err, memories.ErrNotFound) && (from.Layout != string(agents.Hive) || !agents.IsSlug(slug)):
		w.report.Problem = fmt.Sprintf("Agent %s is unknown here. Say which agent gets its memories (into or map).", slug)
		return w.report, nil
	case errors.Is(err, memories.ErrNotFound):
		w.report.Creates = true
		row = records.Agent{Slug: slug, Layout: string(agents.Hive)}
	case err != nil:
		return w.report, err
	}
	if w.report.Creates && r.Apply {
		if err := im.engine.MakeAgent(ctx, slug); err != nil {
			w.report.Problem = reasonOf(err)
			return w.report, nil
		}
		if row, err = im.store.AgentUncounted(ctx, slug); err != nil {
			return w.report, err
		}
	}
	w.row, w.agent = row, agents.Agent{Slug: slug, Layout: agents.Layout(row.Layout), Dir: row.Dir}
	if err := w.decide(ctx); err != nil {
		return w.report, err
	}
	if keeper := w.agent.Rules().Keeper; keeper != "" && len(w.report.Items) > 0 {
		// Notes for a client are for single changes. Its memory is often written anew.
		w.report.Problem = keeper + " Say which other agent gets the memories (into or map)."
		w.report.Counts, w.report.Items = map[exchange.Outcome]int{}, []Item{}
		return w.report, nil
	}
	if r.Apply {
		if err := w.apply(ctx); err != nil {
			return w.report, err
		}
	}
	w.finishReport()
	return w.report, nil
}

// decide compares the memories with the agent's own.
func (w *work) decide(ctx context.Context) error {
	w.mine = map[exchange.Key]exchange.Known{}
	unreadable := map[uuid.UUID]string{}
	if w.row.ID != 0 {
		var err error
		if w.mine, err = w.im.store.ExchangeState(ctx, w.row.ID); err != nil {
			return err
		}
		if unreadable, err = w.im.store.UnreadableFiles(ctx, w.row.ID); err != nil {
			return err
		}
	}
	if w.agent.Layout == agents.Shared { // it has team memories only
		w.from = inTeam(w.from)
	}
	w.theirs = exchange.KnownOf(w.from)
	w.isFresh = len(w.mine)+len(unreadable) == 0
	for i, m := range w.from.Memories {
		if !m.Readable {
			at := path.Join(w.agent.PrimaryDir(), m.Path)
			_, isKnown := unreadable[m.ID]
			for _, p := range unreadable {
				isKnown = isKnown || p == at && m.Deleted == nil
			}
			w.set(&w.from.Memories[i], exchange.New, "")
			if isKnown {
				w.set(&w.from.Memories[i], exchange.Same, "")
			}
			continue
		}
		outcome, conflict := exchange.Decide(w.mine[m.Key()], w.theirs[m.Key()])
		w.set(&w.from.Memories[i], outcome, string(conflict))
	}
	// Memories that were purged there have no row, but tombstones.
	for _, key := range sortedKeys(w.theirs) {
		theirs, mine := w.theirs[key], w.mine[key]
		if theirs.ID != uuid.Nil || mine.ID == uuid.Nil {
			continue
		}
		outcome, conflict := exchange.Decide(mine, theirs)
		if outcome != exchange.Same && outcome != exchange.Newer {
			w.report.Counts[outcome]++
			w.report.Items = append(w.report.Items, Item{key.Name, key.Team, outcome, string(conflict)})
		}
		w.skipped[key] = outcome == exchange.Conflict || outcome == exchange.Pending
	}
	return nil
}

// inTeam returns the agent with all its memories as team memories.
func inTeam(a exchange.Agent) exchange.Agent {
	a.Memories, a.Tombstones = slices.Clone(a.Memories), slices.Clone(a.Tombstones)
	for i := range a.Memories {
		a.Memories[i].Team = true
	}
	for i := range a.Tombstones {
		a.Tombstones[i].Team = true
	}
	return a
}

func sortedKeys(all map[exchange.Key]exchange.Known) []exchange.Key {
	var keys []exchange.Key
	for key := range all {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b exchange.Key) int {
		if a.Name != b.Name {
			return strings.Compare(a.Name, b.Name)
		}
		if a.Team {
			return 1
		}
		return -1
	})
	return keys
}

// set records the outcome of a memory, in place of an earlier one.
func (w *work) set(m *exchange.Memory, outcome exchange.Outcome, reason string) {
	if before, ok := w.outcomes[m.ID]; ok {
		w.report.Counts[before]--
		w.report.Items = slices.DeleteFunc(w.report.Items, func(i Item) bool { return i.Name == m.Name && i.Team == m.Team && i.Outcome == before })
	}
	w.outcomes[m.ID] = outcome
	w.report.Counts[outcome]++
	if outcome != exchange.Same && outcome != exchange.Newer {
		w.report.Items = append(w.report.Items, Item{m.Name, m.Team, outcome, reason})
	}
	mine := w.mine[m.Key()]
	if m.Readable && mine.ID != uuid.Nil {
		w.ids[m.ID] = mine.ID
	}
	w.skipped[m.Key()] = outcome == exchange.Conflict || outcome == exchange.Pending
}

func (w *work) finishReport() {
	for _, m := range w.from.Memories {
		if mine := w.mine[m.Key()]; w.addsHistory(m) && len(missing(m, mine)) > 0 {
			w.report.History++
		}
	}
	for outcome, n := range w.report.Counts {
		if n == 0 {
			delete(w.report.Counts, outcome)
		}
	}
	slices.SortStableFunc(w.report.Items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
}

// addsHistory reports whether a memory here gets earlier contents of m.
func (w *work) addsHistory(m exchange.Memory) bool {
	switch w.outcomes[m.ID] {
	case exchange.Same, exchange.Newer, exchange.Tombstoned:
		return m.Readable && w.mine[m.Key()].ID != uuid.Nil
	}
	return false
}

// missing returns the contents of m that the memory here never had.
func missing(m exchange.Memory, mine exchange.Known) []exchange.Revision {
	return slices.DeleteFunc(slices.Clone(m.Revisions), func(r exchange.Revision) bool { return slices.Contains(mine.History, r.Content) })
}

// reasonOf returns the text of an error for people.
func reasonOf(err error) string {
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &conflict):
		return conflict.Reason
	case errors.As(err, &invalid):
		return invalid.Field + " " + invalid.Reason
	case errors.Is(err, memories.ErrChanged), errors.Is(err, memories.ErrNotFound):
		return "It has changed during the import. Repeat the import."
	}
	return ""
}

// draftOf returns the current content of a memory.
func draftOf(m exchange.Memory) memories.Draft {
	f := frontmatter.Parse(m.Content().Raw, "")
	return memories.Draft{Name: m.Name, Team: m.Team, Type: m.Type, Description: f.Description, Body: f.Body}
}
