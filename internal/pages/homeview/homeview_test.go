package homeview_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/pages/homeview"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/ui"
)

var noon = time.Date(2026, time.March, 9, 12, 0, 0, 0, time.UTC)

func agent(id int64, slug, layout, name string, memoriesOfIt int) records.Agent {
	return records.Agent{
		ID: id, Slug: slug, Layout: layout, DisplayName: name, Present: true,
		Counts: records.Counts{Total: memoriesOfIt, ByType: map[memories.Type]int{memories.Project: memoriesOfIt}},
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	over := agent(1, "ada", "hive", "ada", 3)
	over.ClaudeMD.Path, over.ClaudeMD.Chars = "/agents/ada/CLAUDE.md", 48_000
	joined := agent(4, "twin", "hive", "twin", 0)
	joined.JoinedTo = "ada"
	absent := agent(5, "lost", "hive", "lost", 1)
	absent.Present = false
	rows := homeview.Data{
		Agents:  []records.Agent{over, agent(2, "-home-mira-code-web", "claude", "/home/mira/code/web", 2), agent(3, "house", "shared", "house", 0), joined, absent},
		Changes: map[int64]records.ChangeCounts{1: {Learned: 2, Changed: 9}}, Newest: map[int64]time.Time{1: noon},
		Carried: map[int64]records.Carried{1: {RecalledBytes: 800}, 2: {IndexChars: 25_000, RecalledBytes: 400}}, Failing: map[string]bool{"house": true}, Limit: 40_000, HomeDir: "/home/mira",
	}.Rows()
	if r := rows[0]; r.Name != "ada" || r.Parent != "agent" || r.Tokens != 12_200 || r.Limited != 12_000 || r.Limit != 10_000 || !r.IsOver() || r.Learned != 2 || !r.Changed.Equal(noon) {
		t.Errorf("an agent over its limit: %+v", r)
	}
	if r := rows[1]; r.Name != "web" || r.Parent != "~/code" || r.Tokens != 6350 || r.Limited != 6250 || r.Limit != 6250 || r.IsOver() {
		t.Errorf("an agent that loads MEMORY.md: %+v", r)
	}
	for i, want := range []string{"", "", "Not scanned", "Joined to ada", "Directory not found"} {
		if got := rows[i].Problem; got != want {
			t.Errorf("%s: Problem = %q, want %q", rows[i].Slug, got, want)
		}
	}
	if got := homeview.Context(rows); got != (templates.ContextFigures{Median: 9275, Over: 1}) {
		t.Errorf("Context() = %+v", got)
	}
	if got := homeview.Context(nil); got != (templates.ContextFigures{}) {
		t.Errorf("Context(nil) = %+v", got)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	rows := []templates.HomeRow{
		{Slug: "web", Name: "Web", Parent: "~/code", Memories: 3, Tokens: 9, Changed: noon},
		{Slug: "api", Name: "api", Parent: "~/code", Memories: 9, Tokens: 5, Review: 4, Changed: noon.Add(-time.Hour)},
		{Slug: "infra", Name: "infra", Parent: "~/work", Memories: 4, Tokens: 7, Review: 2, Changed: noon.Add(time.Hour)},
		{Slug: "old", Name: "old", Parent: "agent"},
	}
	for name, c := range map[string]struct {
		request homeview.Request
		want    string
		empty   int
	}{
		"by change":         {homeview.Request{Sort: templates.ByChange}, "infra web api", 1},
		"by name":           {homeview.Request{Sort: templates.ByAgentName}, "api infra web", 1},
		"by memories":       {homeview.Request{Sort: templates.ByMemories}, "api infra web", 1},
		"by context":        {homeview.Request{Sort: templates.ByContext}, "web infra api", 1},
		"by review":         {homeview.Request{Sort: templates.ByReview}, "api infra web", 1},
		"all":               {homeview.Request{Sort: templates.ByAgentName, All: true}, "api infra old web", 0},
		"a name":            {homeview.Request{Query: " INF "}, "infra", 0},
		"a directory":       {homeview.Request{Query: "code", Sort: templates.ByAgentName}, "api web", 0},
		"directory/name":    {homeview.Request{Query: "code/web"}, "web", 0},
		"two words":         {homeview.Request{Query: "work inf"}, "infra", 0},
		"an empty agent":    {homeview.Request{Query: "old"}, "old", 0},
		"nothing like that": {homeview.Request{Query: "zzz"}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := homeview.Select(rows, c.request)
			if got := slugs(s.Rows); got != c.want || s.First != 1 || s.Found != len(s.Rows) || s.Empty != c.empty {
				t.Errorf("Select() = %q, %+v, want %q and %d empty", got, s, c.want, c.empty)
			}
		})
	}
	if s := homeview.Select(rows[3:], homeview.Request{}); len(s.Rows) != 1 || s.Empty != 0 {
		t.Errorf("empty agents alone: %+v", s)
	}
}

func slugs(rows []templates.HomeRow) string {
	var all []string
	for _, r := range rows {
		all = append(all, r.Slug)
	}
	return strings.Join(all, " ")
}

func TestSelect_Many(t *testing.T) {
	t.Parallel()
	var rows []templates.HomeRow
	for i := range 1000 {
		rows = append(rows, templates.HomeRow{Slug: fmt.Sprint(i), Name: fmt.Sprint(i), Memories: i % 5})
	}
	for name, c := range map[string]struct {
		request      homeview.Request
		first, shown int
		found, empty int
	}{
		"the first page":   {homeview.Request{}, 1, 100, 800, 200},
		"the last page":    {homeview.Request{From: 701}, 701, 100, 800, 200},
		"within a page":    {homeview.Request{From: 750}, 701, 100, 800, 200},
		"past the end":     {homeview.Request{From: 9000}, 701, 100, 800, 200},
		"before the start": {homeview.Request{From: -1}, 1, 100, 800, 200},
		"all":              {homeview.Request{All: true, From: 901}, 901, 100, 1000, 0},
		"with a query":     {homeview.Request{Query: "1"}, 1, 100, 271, 0},
		"its last page":    {homeview.Request{Query: "1", From: 201}, 201, 71, 271, 0},
		"no match":         {homeview.Request{Query: "zzz"}, 1, 0, 0, 0},
	} {
		s := homeview.Select(rows, c.request)
		if s.First != c.first || len(s.Rows) != c.shown || s.Found != c.found || s.Empty != c.empty {
			t.Errorf("%s: %d rows from %d of %d, %d empty, want %+v", name, len(s.Rows), s.First, s.Found, s.Empty, c)
		}
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	w := homeview.Waiting(map[findings.Kind]int{findings.Secret: 1, findings.Injection: 2, findings.Suggestion: 1, findings.Junk: 4}, 20*time.Second)
	want := []templates.WaitingGroup{
		{Label: "safety", Count: 3, Href: "/review?group=safety", Tone: ui.Danger}, {Label: "to tidy up", Count: 4, Href: "/review?group=tidy_up"},
		{Label: "suggestion", Count: 1, Href: "/review?group=suggestions", Tone: ui.Good},
	}
	if w.Items != 8 || w.Minutes != 3 || !slices.Equal(w.Groups, want) {
		t.Errorf("Waiting() = %+v", w)
	}
	if w := homeview.Waiting(nil, time.Minute); w.Items != 0 || w.Minutes != 0 || w.Groups != nil {
		t.Errorf("Waiting(nil) = %+v", w)
	}
}

func TestWeek(t *testing.T) {
	t.Parallel()
	joined := agent(2, "twin", "hive", "twin", 40)
	joined.JoinedTo = "ada"
	day := noon.Truncate(24 * time.Hour)
	w := homeview.Week(homeview.Data{
		Agents:  []records.Agent{agent(1, "ada", "hive", "ada", 10), joined},
		Changes: map[int64]records.ChangeCounts{1: {Learned: 3, Changed: 2}, 5: {Learned: 1, Deleted: 7}},
	}, []records.DayGrowth{{Day: day.AddDate(0, 0, -1), Delta: 5}, {Day: day, Delta: -1}}, noon, 3)
	if w.Learned != 4 || w.Changed != 2 || w.Deleted != 7 || !slices.Equal(w.Totals, []int{6, 6, 11, 10}) {
		t.Errorf("Week() = %+v", w)
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	all := []records.News{
		{Agent: "ada", ID: "1", Name: "rollback", Type: memories.Feedback, Description: "Asks for a  plan.", At: noon},
		{Agent: "web", ID: "2", Name: "plan", Type: memories.Project, Description: "asks for a plan", At: noon.Add(-time.Hour)},
		{Agent: "ada", ID: "3", Name: "again", Description: "Asks for a plan!", At: noon.Add(-2 * time.Hour)},
		{Agent: "web", ID: "4", Name: "only_a_name", At: noon.Add(-3 * time.Hour)},
	}
	news := homeview.News(all, map[string]string{"ada": "Ada"}, 9)
	if len(news) != 2 || news[0].Text != "Asks for a plan." || news[0].Count != 3 || !slices.Equal(news[0].Agents, []string{"Ada", "web"}) ||
		news[0].Href != "/agents/ada/memory/1" || news[1].Text != "only_a_name" {
		t.Errorf("News() = %+v", news)
	}
	if got := homeview.News(all, nil, 1); len(got) != 1 {
		t.Errorf("at most one: %+v", got)
	}
	want := "# What’s new, 2 March 2026 to 9 March 2026\n\n- Asks for a plan. (Ada, web)\n- only\\_a\\_name (web)\n"
	if got := homeview.Markdown(news, noon.AddDate(0, 0, -7), noon); got != want {
		t.Errorf("Markdown() = %q, want %q", got, want)
	}
}
