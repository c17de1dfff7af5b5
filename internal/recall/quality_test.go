package recall_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/recall"
	"memoir/internal/recall/recalltest"
)

// shown lists the questions with poor answers: go test -run Quality -v ./internal/recall -wrong
var shown = flag.Bool("wrong", false, "tell which questions of the tuning half are not answered well")

// startSet starts an agent with the memories of a set, and their phrases by name.
func startSet(t *testing.T, set recalltest.Set, phrases map[string][]string) (m *memoirtest.Memoir, texts []memories.Memory) {
	t.Helper()
	files := memoirtest.Files{}
	for name, text := range set.Files(t) {
		files["ada/memory/"+name] = text
		parsed := frontmatter.Parse([]byte(text), name)
		texts = append(texts, memories.Memory{
			ID: name, Name: parsed.Name, Type: parsed.Type, Description: parsed.Description, Body: parsed.Body, AskedAs: phrases[parsed.Name], Path: "memory/" + name,
		})
	}
	m = memoirtest.Start(t, files)
	for name, all := range phrases {
		memory := m.Memory("ada", name)
		if _, err := m.Engine.Patch(t.Context(), "ada", memory.ID, "", memories.Patch{AskedAs: &all}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return m, texts
}

// least is what a set must reach at least, in percent.
type least struct {
	recall, precision, silent float64
	kinds                     map[string]float64
}

// judge judges a way to choose on a half of a set, and logs the result.
func judge(t *testing.T, set recalltest.Set, split recalltest.Split, choose func(recalltest.Question) []string, want least) {
	t.Helper()
	questions := set.Questions(t, split)
	v := recalltest.Judge(questions, choose)
	t.Logf("%s: recall %.1f, precision %.1f, silent %.1f", split, v.Recall, v.Precision, v.Silent)
	for _, k := range v.Kinds {
		t.Logf("    %-14s %3d: %.0f", k.Name, k.Questions, k.Right)
		if k.Right < want.kinds[k.Name] {
			t.Errorf("%s, %s: %.0f %% are right, want %.0f", split, k.Name, k.Right, want.kinds[k.Name])
		}
	}
	if v.Recall < want.recall || v.Precision < want.precision || v.Silent < want.silent {
		t.Errorf("%s: recall %.1f, precision %.1f, silent %.1f, want %+v", split, v.Recall, v.Precision, v.Silent, want)
	}
	if !*shown || split != recalltest.Tune {
		return
	}
	for _, q := range questions {
		got := choose(q)
		if len(got) != len(q.Relevant) || slices.ContainsFunc(q.Relevant, func(name string) bool { return !slices.Contains(got, name) }) {
			t.Logf("%s %.200q\n  is to give %q\n  gives      %q", q.ID, q.Query, q.Relevant, got)
		}
	}
}

// bySession returns the way of a hook: each question in a session of its own, after the one before it.
func bySession(t *testing.T, m *memoirtest.Memoir) func(recalltest.Question) []string {
	n := 0
	return func(q recalltest.Question) []string {
		n++
		session := fmt.Sprintf("session-%d", n)
		if q.Before != "" {
			ask(t, m.Recaller, recall.Request{Query: q.Before, Session: session})
			agent, err := m.Store.Agent(t.Context(), "ada")
			if err == nil {
				err = m.Recaller.Refresh(t.Context(), agent.ID, session) // what it gave may be relevant again
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return names(ask(t, m.Recaller, recall.Request{Query: q.Query, Session: session}))
	}
}

// The minimums are below the measured quality, so that they only find mistakes.
func TestRecall_Quality(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		phrases bool
		want    least
	}{
		"files alone":  {false, least{recall: 73, precision: 58, silent: 50}},
		"with phrases": {true, least{recall: 80, precision: 62, silent: 55}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			phrases := map[string][]string{}
			if c.phrases {
				phrases = recalltest.Quality.AskedAs(t)
			}
			m, texts := startSet(t, recalltest.Quality, phrases)
			alone := func(q recalltest.Question) (all []string) {
				for _, choice := range recall.RankTexts(q.Query, texts, m.Memory("ada", "answer-first").ModifiedAt) {
					if !choice.Weak {
						all = append(all, choice.Name)
					}
				}
				return all
			}
			asHook := bySession(t, m)
			for _, split := range []recalltest.Split{recalltest.Tune, recalltest.HeldOut} {
				judge(t, recalltest.Quality, split, asHook, c.want)
				judge(t, recalltest.Quality, split, alone, c.want)
			}
		})
	}
}

func TestRecall_Abilities(t *testing.T) {
	t.Parallel()
	m, _ := startSet(t, recalltest.Abilities, nil)
	asHook := bySession(t, m)
	for _, split := range []recalltest.Split{recalltest.Tune, recalltest.HeldOut} {
		judge(t, recalltest.Abilities, split, asHook, least{kinds: map[string]float64{
			"followup": 85, "language": 60, "negation": 60, "nothing": 65, "paste": 75, "script": 75, "several": 70, "slips": 90, "superseded": 85,
		}})
	}
}
