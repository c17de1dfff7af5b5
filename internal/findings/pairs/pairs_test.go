package pairs_test

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/findings"
	"memoir/internal/findings/pairs"
)

// examplesFile has pairs of memories. Each begins with === and what is expected of the pair: none,
// or a kind. Each memory begins with --- and its name, type, day and description.
//
//go:embed testdata/examples.txt
var examplesFile string

type example struct {
	want, title string
	a, b        findings.Memory
}

// examples returns the pairs of the file. The IDs of a pair are its number and a or b.
func examples(t *testing.T) []example {
	t.Helper()
	var all []example
	for i, part := range strings.Split("\n"+examplesFile, "\n=== ")[1:] {
		head, rest, _ := strings.Cut(part, "\n")
		var e example
		e.want, e.title, _ = strings.Cut(head, ": ")
		sides := strings.Split("\n"+rest, "\n--- ")
		if len(sides) != 3 {
			t.Fatalf("example %q has %d memories", e.title, len(sides)-1)
		}
		for j, m := range []*findings.Memory{&e.a, &e.b} {
			head, body, _ := strings.Cut(sides[j+1], "\n")
			fields := strings.Split(head, " | ")
			changed, err := time.Parse(time.DateOnly, fields[2])
			if err != nil || len(fields) != 4 {
				t.Fatalf("example %q: %q: %v", e.title, head, err)
			}
			*m = findings.Memory{
				ID: fmt.Sprintf("%02d%c", i, 'a'+j), Type: fields[1], Changed: changed,
				Text: findings.Text{Name: fields[0], Description: fields[3], Body: strings.TrimSpace(body)},
			}
		}
		all = append(all, e)
	}
	return all
}

// loader returns a Loader for some memories.
func loader(of []findings.Memory) pairs.Loader {
	byID := map[string]findings.Memory{}
	for _, m := range of {
		byID[m.ID] = m
	}
	return func(_ context.Context, ids []string) ([]findings.Memory, error) {
		var found []findings.Memory
		for _, id := range ids {
			if m, ok := byID[id]; ok {
				found = append(found, m)
			}
		}
		return found, nil
	}
}

func kindOf(p findings.Pair) string {
	switch {
	case p.Reason == "Same text":
		return "duplicate"
	case p.Kind == findings.Duplicate:
		return "near"
	case strings.HasPrefix(p.Reason, "Replaced by "):
		return "superseded"
	}
	return string(p.Kind)
}

// All examples are memories of one agent, so a pair between two of them is wrong as well.
func TestPairs(t *testing.T) {
	t.Parallel()
	all := examples(t)
	var memories []findings.Memory
	index := pairs.NewIndex()
	for _, e := range all {
		memories = append(memories, e.a, e.b)
		index.Add(e.a)
		index.Add(e.b)
	}
	found, err := index.Pairs(t.Context(), loader(memories))
	if err != nil {
		t.Fatal(err)
	}
	byIDs := map[[2]string]findings.Pair{}
	for _, p := range found {
		byIDs[[2]string{p.A, p.B}] = p
	}
	for _, e := range all {
		p, ok := byIDs[[2]string{e.a.ID, e.b.ID}]
		delete(byIDs, [2]string{e.a.ID, e.b.ID})
		got := "none"
		if ok {
			got = kindOf(p)
		}
		if got != e.want {
			near := index.Nearest(e.a.ID, 1)
			t.Errorf("%s %q: got %s %q, want %s (nearest: %v)", e.a.ID, e.title, got, p.Reason, e.want, near)
			continue
		}
		if ok {
			t.Logf("%s %q: %s, score %.2f, keep %q, %q", e.a.ID, e.title, p.Reason, p.Score, p.Keep, [2][]string{quoted(e.a, p.Spans[0]), quoted(e.b, p.Spans[1])})
		}
		if n := len(strings.Fields(p.Reason)); n > 8 {
			t.Errorf("%q: the reason %q has %d words", e.title, p.Reason, n)
		}
	}
	for _, p := range byIDs {
		t.Errorf("unexpected pair %s, %s: %s, score %.2f", p.A, p.B, p.Reason, p.Score)
	}
	if !slices.IsSortedFunc(found, func(p, q findings.Pair) int { return strings.Compare(p.A+p.B, q.A+q.B) }) {
		t.Error("the pairs are not sorted")
	}
}

func quoted(m findings.Memory, spans []findings.Span) []string {
	var parts []string
	for _, s := range spans {
		content := map[findings.Field]string{findings.Name: m.Name, findings.Description: m.Description, findings.Body: m.Body}[s.Field]
		parts = append(parts, content[s.Start:s.End])
	}
	return parts
}
