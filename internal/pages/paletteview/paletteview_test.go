package paletteview_test

import (
	"strings"
	"testing"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/pages/paletteview"
	"memoir/internal/records"
	"memoir/web/templates/ui"
)

func data(query string) paletteview.Data {
	noon := time.Date(2026, time.March, 9, 12, 0, 0, 0, time.UTC)
	agent := func(id int64, slug, name string) records.Agent {
		return records.Agent{ID: id, Slug: slug, DisplayName: name, Present: true, Layout: "claude"}
	}
	return paletteview.Data{
		Query: query, Typed: query, HomeDir: "/home/mira", CanWrite: true,
		Agents: []records.Agent{agent(1, "t", "/home/mira/work/infra/terraform"), agent(2, "s", "/home/mira/work/search-infra"), agent(3, "i", "/home/mira/infra"), agent(4, "w", "/home/mira/winfrad")},
		Newest: map[int64]time.Time{1: noon, 2: noon.Add(time.Hour)},
	}
}

// shown returns the names of the items of a group.
func shown(p ui.Palette, label string) string {
	var names []string
	for _, g := range p.Groups {
		if g.Label != label {
			continue
		}
		for _, item := range g.Items {
			name := ""
			for _, part := range item.Name {
				name += part.Text
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func TestPalette_RanksAgents(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"inf":        "infra, search-infra, winfrad, terraform",
		"INFRA":      "infra, search-infra, winfrad, terraform",
		"search":     "search-infra",
		"work terra": "terraform",
		"":           "search-infra, terraform, infra, winfrad",
		"nothing":    "",
	} {
		if got := shown(data(query).Palette(), "Agents"); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

func TestPalette_Actions(t *testing.T) {
	t.Parallel()
	d := data("review")
	d.Waiting = map[findings.Kind]int{findings.Secret: 3, findings.Contradiction: 1}
	if got := shown(d.Palette(), "Actions"); got != "Review secrets, Review contradictions, New memory “review”" {
		t.Errorf("with a query: %q", got)
	}
	d.Query, d.Typed, d.Current = "", "", "i"
	p := d.Palette()
	if got := shown(p, "Actions"); got != "New memory, Scan now, Review secrets, Theme: light, Theme: dark" {
		t.Errorf("without a query: %q", got)
	}
	if got := p.Groups[1].Items[0]; got.Note != "in infra" || got.Keys != "n" || got.Href != "/agents/i/memory/new" {
		t.Errorf("a new memory: %+v", got)
	}
	d.CanWrite = false
	if got := shown(d.Palette(), "Actions"); got != "Review secrets, Theme: light, Theme: dark" {
		t.Errorf("of a reader: %q", got)
	}
	d = data("zzz")
	d.CanWrite = false
	if p := d.Palette(); !p.IsEmpty || len(p.Groups) != 0 {
		t.Errorf("nothing is found, and shown is %+v", p)
	}
}

func TestPalette_Memories(t *testing.T) {
	t.Parallel()
	d := data("plan")
	d.Memories, d.Total = []memories.Memory{{Agent: "s", ID: "1", Name: "Rollback plan", Type: memories.Feedback, Description: "In each note"}, {Agent: "i", ID: "2", Line: 3, Name: "planned"}}, 11
	p := d.Palette()
	if got := p.Groups[0].Items[0]; got.Note != "In each note · search-infra" || got.Href != "/agents/s/memory/1" || !got.Name[1].Hit {
		t.Errorf("a memory: %+v", got)
	}
	if got := p.Groups[0].Items[1].Href; got != "/agents/i/context/facts/2" {
		t.Errorf("a fact leads to %q", got)
	}
	last := p.Groups[1].Items[1]
	if last.Note != "11 memories" || last.Href != "/search?q=plan" {
		t.Errorf("all results: %+v", last)
	}
}

func TestAgentOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][2]string{
		"/agents/ada": {"ada", ""}, "/agents/ada/memory": {"ada", ""}, "/agents/ada/memory/7": {"ada", "7"}, "/agents/a%2Fb/context": {"a/b", ""},
		"/agents/ada/memory/new": {"ada", ""}, "/agents/ada/memory/7/edit": {"ada", ""}, "/review": {"", ""}, "x": {"", ""}, "/agents/%zz": {"", ""},
	} {
		if slug, memory := paletteview.AgentOf(path); slug != want[0] || memory != want[1] {
			t.Errorf("AgentOf(%q) = %q, %q", path, slug, memory)
		}
	}
}
