package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/cli/memorystore"
	"memoir/internal/cli/remote"
	"memoir/internal/memories"
	"memoir/internal/recallbench"
	"memoir/internal/wire"
)

// benchSet is questions for one agent of a server.
type benchSet struct {
	store     memorystore.Served
	memories  []recallbench.Memory
	answers   map[string]string // by the memory's id: what questions expect
	questions []recallbench.Question
	shown     map[string]string // by answer: how misses name it; nil means as it is
}

// benchReport is the result of bench, which --json prints.
type benchReport struct {
	Results []*benchResult `json:"results"`
}

// benchResult is the figures of one file, or of one unit of LoCoMo.
type benchResult struct {
	File     string            `json:"file"`
	Unit     *recallbench.Unit `json:"unit"`  // of LoCoMo
	Agent    *string           `json:"agent"` // of own questions
	Asked    string            `json:"asked"` // askedByHook or askedDeliberately
	Memories int               `json:"memories"`
	MedianMS float64           `json:"median_ms"` // of one question
	P95MS    float64           `json:"p95_ms"`
	Groups   []benchGroup      `json:"groups"`

	misses []benchMiss
}

// The values of benchResult.Asked.
const (
	askedByHook       = "hook"
	askedDeliberately = "deliberate"
)

// benchGroup is the figures of a group of questions.
type benchGroup struct {
	Group     string              `json:"group"`
	Questions int                 `json:"questions"`
	Memoir    recallbench.Figures `json:"memoir"`
	BM25      recallbench.Figures `json:"bm25"`
}

// The groups of all questions. LoCoMo's kinds follow them.
const (
	answerable   = "answerable"
	unanswerable = "unanswerable"
)

// benchMiss is a question that went wrong.
type benchMiss struct {
	File     string            `json:"file"`
	Unit     *recallbench.Unit `json:"unit,omitempty"`
	Agent    string            `json:"agent"`
	Kind     string            `json:"kind,omitempty"`
	Prompt   string            `json:"prompt"`
	Expected []string          `json:"expected"`
	Given    []string          `json:"given"` // names of memories
}

// ownSet returns own questions for the agent that the file names, else --agent or the working
// directory. Unknown agents and memories are errors with their lines.
func (c *benchCall) ownSet(ctx context.Context, server remote.Server, f benchFile) (benchSet, error) {
	present, absent, err := server.Agents(ctx)
	if err != nil {
		return benchSet{}, err
	}
	slug := c.agent
	if f.own.Agent.Value != "" {
		slug = f.own.Agent.Value
	}
	all := present
	if slug != "" {
		all = slices.Concat(present, absent) // its memories can still be recalled
	}
	agent, err := chooseAgent(slug, all)
	if err != nil && f.own.Agent.Value != "" {
		return benchSet{}, f.mistaken([]recallbench.Mistake{{Line: f.own.Agent.Line, Reason: err.Error()}})
	}
	if err != nil {
		return benchSet{}, err
	}
	set := benchSet{store: memorystore.Served{Server: server, Slug: agent.Slug}, answers: map[string]string{}, shown: map[string]string{}}
	found, err := recallable(ctx, set.store, present)
	if err != nil {
		return benchSet{}, err
	}
	var mistakes []recallbench.Mistake
	for _, q := range f.own.Questions {
		question := recallbench.Question{Prompt: q.Prompt}
		for _, expected := range q.Expect {
			m, reason, err := set.expected(ctx, &found, expected.Value)
			switch {
			case err != nil:
				return benchSet{}, err
			case reason != "":
				mistakes = append(mistakes, recallbench.Mistake{Line: expected.Line, Reason: reason})
			case !slices.Contains(question.Expected, m.ID):
				question.Expected = append(question.Expected, m.ID)
			}
		}
		set.questions = append(set.questions, question)
	}
	for _, m := range found {
		set.add(m, m.ID)
		set.shown[m.ID] = m.Name
	}
	return set, f.mistaken(mistakes)
}

// recallable returns the memories that the agent of store can be given: its own, and those of the
// directory that all agents share.
func recallable(ctx context.Context, store memorystore.Served, all []agents.Agent) (found []wire.Memory, err error) {
	sources := []memorystore.Served{store}
	for _, a := range all {
		if a.Rules().IsShared && a.Slug != store.Slug {
			sources = append(sources, memorystore.Served{Server: store.Server, Slug: a.Slug})
		}
	}
	for _, source := range sources {
		list, err := source.List(ctx, memories.Filter{Sort: memories.ByName})
		if err != nil {
			return nil, err
		}
		found = append(found, list.Value.Memories...)
	}
	return found, nil
}

// expected returns the memory with an id or a name. Without exactly one, it returns the reason and
// what to do. A fact of MEMORY.md is in no list, so it is looked up by its id, and added to found.
func (s benchSet) expected(ctx context.Context, found *[]wire.Memory, idOrName string) (m wire.Memory, reason string, err error) {
	var named []wire.Memory
	for _, m := range *found {
		if m.ID == idOrName {
			return m, "", nil
		}
		if m.Name == idOrName {
			named = append(named, m)
		}
	}
	switch {
	case len(named) == 1:
		return named[0], "", nil
	case len(named) > 1:
		var ids []string
		for _, m := range named {
			ids = append(ids, m.ID+" ("+m.Path+")")
		}
		return m, fmt.Sprintf("%d memories have the name %q: use an id, %s", len(named), idOrName, strings.Join(ids, " or ")), nil
	}
	if _, err := uuid.Parse(idOrName); err == nil {
		fact, err := memorystore.Change[wire.Memory](ctx, s.store, http.MethodGet, "/memories/"+idOrName, nil)
		if err == nil && fact.Value.Line != nil {
			*found = append(*found, fact.Value)
			return fact.Value, "", nil
		}
	}
	if near := similarNames(idOrName, *found); near != "" {
		return m, fmt.Sprintf("unknown memory %q: similar are %s", idOrName, near), nil
	}
	return m, fmt.Sprintf("unknown memory %q: see memoir memory list --agent %s", idOrName, s.store.Slug), nil
}

// locomoSet returns the questions of LoCoMo about an agent of the sandbox.
func locomoSet(ctx context.Context, server remote.Server, from recallbench.Set) (benchSet, error) {
	set := benchSet{store: memorystore.Served{Server: server, Slug: from.Agent}, answers: map[string]string{}, questions: from.Questions}
	list, err := set.store.List(ctx, memories.Filter{Sort: memories.ByName})
	if err != nil {
		return set, err
	}
	answers := map[string]string{}
	for _, file := range from.Files {
		answers[file.Path] = file.Answer
	}
	for _, m := range list.Value.Memories {
		if answer, isOfFile := answers[m.Path]; isOfFile {
			set.add(m, answer)
		}
	}
	if len(set.memories) != len(from.Files) {
		return set, fmt.Errorf("agent %s has %d memories of %d files", from.Agent, len(set.memories), len(from.Files))
	}
	return set, nil
}

func (s *benchSet) add(m wire.Memory, answer string) {
	text := strings.Join([]string{m.Name, orNone(m.Description), orNone(m.Body)}, " ")
	s.memories = append(s.memories, recallbench.Memory{Name: m.Name, Answer: answer, Text: text})
	s.answers[m.ID] = answer
}

// ask returns the memories that recall gives to a prompt, best first. Nothing is recorded. With a
// session, as hooks ask, recall gives only what fits well.
func ask(ctx context.Context, s memorystore.Served, prompt string, isDeliberate bool) ([]memorystore.Chosen, error) {
	body := map[string]any{"query": prompt}
	if !isDeliberate {
		body["session"] = "bench-" + rand.Text() // a new one has received nothing
	}
	found, err := memorystore.Change[memorystore.Recalled](ctx, s, http.MethodPost, "/recall?dry_run=true", body)
	return found.Value.Memories, err
}

// measure asks the questions of the sets one after the other, and fills result.
func (c *benchCall) measure(ctx context.Context, result *benchResult, sets []benchSet) error {
	result.Asked = askedByHook
	if c.isDeliberate {
		result.Asked = askedDeliberately
	}
	counts := benchCounts{}
	var took []time.Duration
	for _, set := range sets {
		result.Memories += len(set.memories)
		bm25 := recallbench.NewBM25(set.memories)
		for _, q := range set.questions {
			start := time.Now()
			found, err := ask(ctx, set.store, q.Prompt, c.isDeliberate)
			if err != nil {
				return err
			}
			took = append(took, time.Since(start))
			given, names := set.given(found)
			counts.add(q, given, bm25.Recall(q.Prompt))
			if q.Kind != recallbench.Adversarial && recallbench.IsMiss(q.Expected, given) {
				result.misses = append(result.misses, benchMiss{
					File: result.File, Unit: result.Unit, Agent: set.store.Slug, Kind: q.Kind, Prompt: q.Prompt, Expected: set.show(q.Expected), Given: names,
				})
			}
		}
	}
	result.Groups = counts.groups()
	slices.Sort(took)
	if n := len(took); n > 0 {
		result.MedianMS, result.P95MS = milliseconds(took[n/2]), milliseconds(took[n*95/100])
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()/100) / 10 }

// given returns the answers and the names of recalled memories. The answer of a memory that is
// unknown, such as a fact of MEMORY.md, is its id.
func (s benchSet) given(found []memorystore.Chosen) (given recallbench.Given, names []string) {
	names = []string{}
	for _, m := range found {
		id := orNone(m.ID)
		answer, isKnown := s.answers[id]
		if !isKnown {
			answer = id
		}
		given, names = append(given, answer), append(names, m.Name)
	}
	return given, names
}

// show returns answers as misses name them.
func (s benchSet) show(answers []string) []string {
	shown := make([]string, len(answers))
	for i, answer := range answers {
		shown[i] = answer
		if name := s.shown[answer]; name != "" {
			shown[i] = name
		}
	}
	return shown
}

// benchCounts counts by group what Memoir and BM25 have given.
type benchCounts map[string]*struct{ memoir, bm25 recallbench.Count }

// add counts a question in all of its groups.
func (b benchCounts) add(q recallbench.Question, memoir, bm25 recallbench.Given) {
	var groups []string
	switch {
	case len(q.Expected) == 0:
		groups = []string{unanswerable}
	case q.Kind == "":
		groups = []string{answerable}
	case q.Kind == recallbench.Adversarial:
		groups = []string{q.Kind}
	default:
		groups = []string{answerable, q.Kind}
	}
	for _, group := range groups {
		if b[group] == nil {
			b[group] = &struct{ memoir, bm25 recallbench.Count }{}
		}
		b[group].memoir.Add(q.Expected, memoir)
		b[group].bm25.Add(q.Expected, bm25)
	}
}

// groups returns the figures of the groups with questions, in the order of the table.
func (b benchCounts) groups() []benchGroup {
	groups := []benchGroup{}
	for _, name := range append([]string{answerable, unanswerable}, recallbench.LoCoMoKinds()...) {
		if count := b[name]; count != nil {
			groups = append(groups, benchGroup{name, count.memoir.Questions(), count.memoir.Figures(), count.bm25.Figures()})
		}
	}
	return groups
}
