package pairs_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/findings"
	"memoir/internal/findings/pairs"
)

// examplesFile has pairs of memories. Each begins with === and the expected kind, or none. Each memory begins with --- and its name, type, day and description.
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

// A memory that changes, or is added later, is compared as in a run over all.
func TestPairs_OnlyChanged(t *testing.T) {
	t.Parallel()
	var memories []findings.Memory
	all, step := pairs.NewIndex(), pairs.NewIndex()
	for _, e := range examples(t) {
		memories = append(memories, e.a, e.b)
	}
	for i, m := range memories {
		all.Add(m)
		other := memories[len(memories)-1-i]
		step.Add(findings.Memory{ID: other.ID, Text: findings.Text{Body: "Something else for now."}})
	}
	if _, err := step.Pairs(t.Context(), loader(nil)); err != nil {
		t.Fatal(err)
	}
	for _, m := range memories {
		step.Add(m)
	}
	want, err := all.Pairs(t.Context(), loader(memories))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]findings.Pair{}
	for _, m := range memories {
		found, err := step.Pairs(t.Context(), loader(memories), m.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.A != m.ID && p.B != m.ID {
				t.Errorf("the pair %s, %s is not of %s", p.A, p.B, m.ID)
			}
			got[p.A+p.B] = p
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d pairs, want %d", len(got), len(want))
	}
	for _, p := range want {
		if !reflect.DeepEqual(got[p.A+p.B], p) {
			t.Errorf("got %+v, want %+v", got[p.A+p.B], p)
		}
	}
}

func TestPairs_Removed(t *testing.T) {
	t.Parallel()
	e := examples(t)[0]
	x := pairs.NewIndex()
	x.Add(e.a)
	x.Add(e.b)
	x.Remove(e.b.ID)
	x.Remove("unknown")
	found, err := x.Pairs(t.Context(), loader([]findings.Memory{e.a, e.b}))
	if err != nil || len(found) > 0 || x.Len() != 1 {
		t.Errorf("found %+v among %d memories: %v", found, x.Len(), err)
	}
	if near := x.Nearest(e.a.ID, 3); len(near) > 0 {
		t.Errorf("the nearest are %v", near)
	}
	x.Add(e.b)
	if found, err = x.Pairs(t.Context(), loader([]findings.Memory{e.a})); err != nil || len(found) > 0 {
		t.Errorf("found %+v with a memory that cannot be loaded: %v", found, err)
	}
	failure := errors.New("no database")
	if _, err = x.Pairs(t.Context(), func(context.Context, []string) ([]findings.Memory, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Errorf("got %v, want the error of the loader", err)
	}
}

// Copies of a text are found by their text, however many there are, and are no neighbours.
func TestPairs_Copies(t *testing.T) {
	t.Parallel()
	x := pairs.NewIndex()
	var memories []findings.Memory
	for i := range 40 {
		m := findings.Memory{ID: fmt.Sprintf("copy%02d", i), Text: findings.Text{
			Name: fmt.Sprint("handover ", i), Body: "Handovers are written before lunch\n\nand read aloud.",
		}}
		memories = append(memories, m)
	}
	memories = append(memories,
		findings.Memory{ID: "reworded", Text: findings.Text{Name: "handover", Body: "Write handovers before lunch, they are read aloud."}},
		findings.Memory{ID: "short1", Text: findings.Text{Body: "To do"}}, findings.Memory{ID: "short2", Text: findings.Text{Body: "To do"}})
	for _, m := range memories {
		x.Add(m)
	}
	found, err := x.Pairs(t.Context(), loader(memories))
	if err != nil {
		t.Fatal(err)
	}
	same, others := 0, []findings.Pair(nil)
	for _, p := range found {
		if p.Reason == "Same text" && p.A == "copy00" {
			same++
		} else {
			others = append(others, p)
		}
	}
	if same != 39 || len(others) != 1 || others[0].A != "copy00" || others[0].B != "reworded" {
		t.Errorf("%d pairs are the same, the others are %+v", same, others)
	}
}

func TestSuperseded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text findings.Text
		want string // the statement, or "" if the text is in force
	}{
		{findings.Text{Body: "**Deprecated:** charts are drawn with Plotter."}, "Deprecated"},
		{findings.Text{Body: "Charts are drawn with Plotter. No longer true since May."}, "No longer true"},
		{findings.Text{Body: "~~Charts are drawn with Plotter.~~ Ask Priya."}, "Charts are drawn with Plotter"},
		{findings.Text{Body: "This note is no longer valid, the portal has moved."}, "This note is no longer valid"},
		{findings.Text{Description: "Charts of the dashboards (obsolete)", Body: "Drawn with Plotter."}, "obsolete"},
		{findings.Text{Body: "Charts: see [[vega]] instead."}, "see [[vega]] instead"},
		{findings.Text{Body: "> VERALTET: Diagramme kommen aus Plotter."}, "VERALTET"},
		{findings.Text{Body: "Obsoleto: los gráficos se hacen con Plotter."}, "Obsoleto"},
		{findings.Text{Body: "Remplacé par `vega`. Les graphiques sont faits avec Plotter."}, "Remplacé par"},
		{findings.Text{Body: "Устарело: графики строятся в Plotter."}, "Устарело"},
		{findings.Text{Body: "【廃止】グラフは Plotter で描く。"}, "廃止"},
		{findings.Text{Body: "廃止：グラフは Plotter で描く。"}, "廃止"},
		{findings.Text{Body: "已废弃：图表用 Plotter 画。"}, "已废弃"},
		{findings.Text{Body: "图表用 Plotter 画。已被 [[vega]] 取代。"}, "[[vega]] 取代"},
		{findings.Text{Body: "Wurde durch [[vega]] ersetzt. Diagramme kommen aus Plotter."}, "[[vega]] ersetzt"},
		{findings.Text{Body: "先写结论，见 [[report-style]]。"}, ""},
		{findings.Text{Body: "When a flag is deprecated, name the flag that it is replaced by."}, ""},
		{findings.Text{Body: "The old parser was replaced by goldmark in 2025; use goldmark's AST."}, ""},
		{findings.Text{Body: "Feature branches are merged into `main` by squash; old logs are moved to `archive/`."}, ""},
		{findings.Text{Body: "`parseOld` was replaced by `parse`, see `parse.go` instead."}, ""},
		{findings.Text{Body: "We no longer use ESLint. Run Biome before each push."}, ""},
		{findings.Text{Body: "Invoices are archived after 10 years.\n\nNo longer than 30 days for drafts."}, ""},
		{findings.Text{Body: "Mark obsolete pages with a banner."}, ""},
		{findings.Text{Body: "Retired hosts stay in DNS for 30 days."}, ""},
		{findings.Text{Body: "Deprecated endpoints answer with a Sunset header."}, ""},
		{findings.Text{Body: "Old invoices are moved to the archive after 90 days."}, ""},
		{findings.Text{Body: "Veraltete Einträge werden monatlich gelöscht."}, ""},
	} {
		m, ok := pairs.Superseded(c.text)
		got := ""
		if ok {
			got = strings.Join(quoted(findings.Memory{Text: c.text}, m.Spans), "|")
		}
		if got != c.want || ok && (m.Kind != findings.Contradiction || len(strings.Fields(m.Reason)) > 8) {
			t.Errorf("%q: got %q, want %q (%+v)", c.text, got, c.want, m)
		}
	}
}

// Spans lie inside the texts, are sorted, and do not overlap.
func FuzzPairs(f *testing.F) {
	f.Add("port", "The billing service listens on port 8081.", "billing", "The billing service listens on port 8082, not 8081.")
	f.Add("部署", "部署之前必须先在运维群里通知值班同事。", "部署通知", "部署开始前不要在运维群通知值班同事，v1.2")
	f.Add("x-1.2.3_y", "# t\n\n~~Old [[a]]~~ see `b` instead: 10:00–12:00 `~/x/y.go` https://a.example/b\xff", "2026-01-02-a", "é́ a/b://c 1,2.3% // -- @a #b\n**Why:** no")
	f.Fuzz(func(t *testing.T, nameA, bodyA, nameB, bodyB string) {
		a := findings.Memory{ID: "a", Text: findings.Text{Name: nameA, Description: nameB, Body: bodyA}, Changed: time.Unix(0, 0)}
		b := findings.Memory{ID: "b", Text: findings.Text{Name: nameB, Description: nameA, Body: bodyB}, Changed: time.Unix(1e6, 0)}
		x := pairs.NewIndex()
		x.Add(a)
		x.Add(b)
		found, err := x.Pairs(t.Context(), loader([]findings.Memory{a, b}))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			checkSpans(t, a.Text, p.Spans[0])
			checkSpans(t, b.Text, p.Spans[1])
		}
		if m, ok := pairs.Superseded(a.Text); ok {
			checkSpans(t, a.Text, m.Spans)
		}
	})
}

func checkSpans(t *testing.T, of findings.Text, spans []findings.Span) {
	t.Helper()
	end := map[findings.Field]int{}
	for _, s := range spans {
		content := map[findings.Field]string{findings.Name: of.Name, findings.Description: of.Description, findings.Body: of.Body}[s.Field]
		if s.Start < end[s.Field] || s.End <= s.Start || s.End > len(content) {
			t.Errorf("the span %+v is not in %q after %d", s, content, end[s.Field])
		}
		end[s.Field] = s.End
	}
}

// The differing words are marked in both texts, and the newer or fuller side is kept.
func TestPairs_Evidence(t *testing.T) {
	t.Parallel()
	byTitle := map[string]example{}
	for _, e := range examples(t) {
		byTitle[e.title] = e
	}
	for _, c := range []struct{ title, reason, a, b, keep string }{
		{"numbers", "Different numbers", "320|320", "480|480", "b"},
		{"dates", "Different dates", "2026-07-14", "2026-08-04", "b"},
		{"owner", "Different names", "Priya", "Anselm", "b"},
		{"negation", "One says not", "", "not|not", "b"},
		{"choice", "Opposite choices", "tabs|tabs", "spaces|spaces", "b"},
		{"version", "Different versions", "20", "22", "b"},
		{"Chinese number", "Different numbers", "20", "50", "b"},
		{"Japanese", "Different dates", "火曜|火曜", "木曜|木曜", "b"},
		{"says so with a link", "Replaced by chart-library-vega", "Superseded by [[chart-library-vega]]", "", "b"},
		{"one text adds detail", "Same fact, other words", "fails|random|slow", "Rerun|looking|not|skip", "b"},
		{"frontmatter and blank lines differ", "Same text", "", "", "b"},
	} {
		e, ok := byTitle[c.title]
		if !ok {
			t.Fatalf("no example %q", c.title)
		}
		x := pairs.NewIndex()
		x.Add(e.a)
		x.Add(e.b)
		found, err := x.Pairs(t.Context(), loader([]findings.Memory{e.a, e.b}))
		if err != nil || len(found) != 1 {
			t.Errorf("%q: found %+v: %v", c.title, found, err)
			continue
		}
		p := found[0]
		a, b := strings.Join(quoted(e.a, p.Spans[0]), "|"), strings.Join(quoted(e.b, p.Spans[1]), "|")
		if p.Reason != c.reason || a != c.a || b != c.b || p.Keep[2:] != c.keep {
			t.Errorf("%q: got %q, %q, %q, keep %q, want %+v", c.title, p.Reason, a, b, p.Keep, c)
		}
	}

	// Without dates, neither side of a contradiction is recommended.
	e := byTitle["numbers"]
	e.a.Changed, e.b.Changed = time.Time{}, time.Time{}
	x := pairs.NewIndex()
	x.Add(e.a)
	x.Add(e.b)
	found, err := x.Pairs(t.Context(), loader([]findings.Memory{e.a, e.b}))
	if err != nil || len(found) != 1 || found[0].Keep != "" {
		t.Errorf("found %+v: %v", found, err)
	}
}

func TestPairs_Links(t *testing.T) {
	t.Parallel()
	older := findings.Memory{ID: "1", File: "notes/queue_old.md", Text: findings.Text{Name: "Jobs", Body: "Background jobs are pushed to a Redis list by the web process."}}
	for _, c := range []struct{ body, want string }{
		{"Rows of `river_job`. Replaces [the old note](queue_old.md).", "Replaced by River"},
		{"Rows of `river_job`. This supersedes [[queue-old]].", "Replaced by River"},
		{"Background jobs are pushed to a Redis list by the web process, see [[Jobs]] for its name.", ""},
		{"Rows of `river_job`. See also [[queue-old]].", ""},
		{"表 `river_job` 的行，见 [[queue-old]]。", ""},
	} {
		m := findings.Memory{ID: "2", Text: findings.Text{Name: "River", Body: c.body}}
		x := pairs.NewIndex()
		x.Add(m)
		x.Add(older)
		for _, ids := range [][]string{nil, {"1"}, {"2"}} {
			found, err := x.Pairs(t.Context(), loader([]findings.Memory{m, older}), ids...)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(found) == 1 {
				got = found[0].Reason
			}
			if got != c.want || got != "" && found[0].Keep != "2" {
				t.Errorf("%q for %v: got %+v, want %q", c.body, ids, found, c.want)
			}
		}
	}
}
