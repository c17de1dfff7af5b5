package recall_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"

	"memoir/internal/memoirtest"
	"memoir/internal/recall"
)

// question is one of the quality set; testdata/quality/README.md says how it was made.
type question struct {
	ID       string   `yaml:"id"`
	Query    string   `yaml:"query"`
	Relevant []string `yaml:"relevant"`
	Kind     string   `yaml:"kind"`
	Split    string   `yaml:"split"`
}

func questions(t testing.TB) []question {
	t.Helper()
	raw, err := os.ReadFile("testdata/quality/queries.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []question
	if err := yaml.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// qualityFiles are the memories of the quality set, as files of one agent.
func qualityFiles(t testing.TB) memoirtest.Files {
	t.Helper()
	paths, err := filepath.Glob("testdata/quality/memories/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatal("the quality set has no memories", err)
	}
	files := memoirtest.Files{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files["team/memory/"+filepath.Base(path)] = string(raw)
	}
	return files
}

// quality is how well a way to choose did.
type quality struct {
	questions int
	recall    float64 // of what is relevant, the share that was among the five; over questions that have anything relevant
	precision float64 // of what was chosen, the share that is relevant
	first     float64 // the share of those questions whose first choice was relevant
	silent    float64 // of questions without anything relevant, the share for which nothing was chosen
}

func measure(all []question, choose func(query string) []string) quality {
	var q quality
	chosen, right, answerable, unanswerable := 0, 0, 0, 0
	for _, each := range all {
		q.questions++
		got := choose(each.Query)
		chosen += len(got)
		hits := 0
		for _, name := range got {
			if slices.Contains(each.Relevant, name) {
				hits++
			}
		}
		right += hits
		if len(each.Relevant) == 0 {
			unanswerable++
			if len(got) == 0 {
				q.silent++
			}
			continue
		}
		answerable++
		q.recall += float64(hits) / float64(min(len(each.Relevant), recall.MostChosen))
		if len(got) > 0 && slices.Contains(each.Relevant, got[0]) {
			q.first++
		}
	}
	share := func(sum float64, of int) float64 { return sum / float64(max(of, 1)) }
	q.recall, q.first, q.silent = share(q.recall, answerable), share(q.first, answerable), share(q.silent, unanswerable)
	q.precision = share(float64(right), chosen)
	return q
}

func TestQ(t *testing.T) {
	m := memoirtest.Start(t, qualityFiles(t))
	r := recall.New(m.Store, recall.Options{Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	cache := map[string][]string{}
	choose := func(query string) []string {
		if got, ok := cache[query]; ok {
			return got
		}
		result, err := r.Recall(context.Background(), recall.Request{Agent: "team", Query: query, From: recall.FromScript})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range result.Memories {
			names = append(names, m.Name)
		}
		cache[query] = names
		return names
	}
	all := questions(t)
	var kinds []string
	for _, q := range all {
		if !slices.Contains(kinds, q.Kind) {
			kinds = append(kinds, q.Kind)
		}
	}
	split := os.Getenv("SPLIT")
	var mine []question
	for _, q := range all {
		if q.Split == split {
			mine = append(mine, q)
		}
	}
	show := func(name string, q quality) {
		t.Logf("%-14s n=%3d recall@5 %.2f precision %.2f first %.2f silent %.2f", name, q.questions, q.recall, q.precision, q.first, q.silent)
	}
	for _, kind := range kinds {
		var some []question
		for _, q := range mine {
			if q.Kind == kind {
				some = append(some, q)
			}
		}
		show(kind, measure(some, choose))
	}
	show("ALL", measure(mine, choose))
	if os.Getenv("SHOW") != "" {
		for _, q := range mine {
			got := choose(q.Query)
			ok := len(got) == 0
			for _, g := range got {
				ok = ok || slices.Contains(q.Relevant, g)
			}
			for _, g := range q.Relevant {
				ok = ok && slices.Contains(got, g)
			}
			if len(q.Relevant) == 0 {
				ok = len(got) == 0
			}
			if !ok {
				t.Logf("%s %q\n   want %v\n   got  %v", q.ID, q.Query, q.Relevant, got)
			}
		}
	}
}
