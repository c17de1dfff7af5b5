// Package homeview makes the view of the first page from what is stored: one row per agent, the
// figures of all agents, and the news of a week.
package homeview

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/pages/xray"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// pageRows is the number of agents on a page (arbitrary). Twice as many would make the document
// larger than 150 KB.
const pageRows = templates.HomeRows

// Data is what is stored about all agents.
type Data struct {
	Agents  []records.Agent
	Changes map[int64]records.ChangeCounts // of the last week, by agent id
	Newest  map[int64]time.Time            // last change of a memory, by agent id
	Carried map[int64]records.Carried      // by agent id
	Failing map[string]bool                // slugs of agents that cannot be scanned
	Limit   int                            // of CLAUDE.md, in characters; 0 for none
	HomeDir string
}

// Rows returns the row of each agent, in the order of Agents.
func (d Data) Rows() []templates.HomeRow {
	labels := Labels(d.Agents, d.HomeDir)
	rows := make([]templates.HomeRow, len(d.Agents))
	for i, a := range d.Agents {
		rows[i] = templates.HomeRow{
			Slug: a.Slug, Name: labels[i].Name, Parent: cmp.Or(labels[i].Parent, kindOf(a)), Memories: a.Counts.Total,
			ByType: map[memories.Type]int{}, Learned: d.Changes[a.ID].Learned, Review: a.Counts.Review, Changed: d.Newest[a.ID].Local(),
			Tokens: xray.Tokens(a, d.Carried[a.ID]), Problem: d.problem(a),
		}
		for _, t := range memories.Types() {
			rows[i].ByType[t] = a.Counts.ByType[t] + a.Counts.MissingByType[t]
		}
		if agents.Layout(a.Layout).Published() {
			rows[i].Limited, rows[i].Limit = claudemd.ApproximateTokens(a.ClaudeMD.Chars), claudemd.ApproximateTokens(max(d.Limit, 0))
		} else {
			rows[i].Limited, rows[i].Limit = claudemd.ApproximateTokens(d.Carried[a.ID].IndexChars), claudemd.ApproximateTokens(memorymd.IndexUnitCap)
		}
	}
	return rows
}

// Labels returns the labels of the agents, in their order.
func Labels(all []records.Agent, homeDir string) []agents.Label {
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.DisplayName
	}
	return agents.Labels(names, homeDir)
}

// kindOf says what an agent is whose name has no directory.
func kindOf(a records.Agent) string {
	switch agents.Layout(a.Layout) {
	case agents.Hive:
		return "agent"
	case agents.Shared:
		return "shared"
	default:
		return cmp.Or(agents.Layout(a.Layout).Rules().Client, "memory")
	}
}

func (d Data) problem(a records.Agent) string {
	switch {
	case d.Failing[a.Slug]:
		return "Not scanned"
	case !a.Present:
		return "Directory not found"
	case a.JoinedTo != "":
		return "Joined to " + a.JoinedTo
	case a.ClaudeMD.Problem != "":
		return "CLAUDE.md not written"
	default:
		return ""
	}
}

// Request is what a reader wants to see of the rows.
type Request struct {
	Query string
	Sort  templates.AgentSort
	All   bool
	From  int // place of the first row, counted from 1; a page begins there or before
}

// Selection is one page of the rows that a reader wants to see.
type Selection struct {
	Rows  []templates.HomeRow
	First int // place of the first row, counted from 1
	Found int // rows of all pages
	Empty int // agents without memories that no page has
}

// Select returns a page of the rows in their order. Without a query and Request.All, agents without
// memories are left out, unless there are no others.
func Select(rows []templates.HomeRow, req Request) Selection {
	var shown []templates.HomeRow
	var s Selection
	typed := strings.ToLower(strings.TrimSpace(req.Query))
	hidesEmpty := typed == "" && !req.All && slices.ContainsFunc(rows, func(r templates.HomeRow) bool { return r.Memories > 0 })
	for _, r := range rows {
		switch {
		case hidesEmpty && r.Memories == 0:
			s.Empty++
		case matches(r, typed):
			shown = append(shown, r)
		}
	}
	slices.SortStableFunc(shown, func(a, b templates.HomeRow) int {
		return cmp.Or(compare(a, b, req.Sort), cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Slug, b.Slug))
	})
	s.Found = len(shown)
	from := min(max(req.From, 1), max(s.Found, 1)) - 1
	from -= from % pageRows
	s.First, s.Rows = from+1, shown[from:min(from+pageRows, s.Found)]
	return s
}

func matches(r templates.HomeRow, typed string) bool {
	text := strings.ToLower(r.Parent + "/" + r.Name + "\n" + r.Name + "\n" + r.Slug)
	for word := range strings.FieldsSeq(typed) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func compare(a, b templates.HomeRow, by templates.AgentSort) int {
	switch by {
	case templates.ByChange:
		return b.Changed.Compare(a.Changed)
	case templates.ByMemories:
		return cmp.Compare(b.Memories, a.Memories)
	case templates.ByContext:
		return cmp.Compare(b.Tokens, a.Tokens)
	case templates.ByReview:
		return cmp.Compare(b.Review, a.Review)
	default:
		return 0
	}
}

// Context returns the median context of the agents with memories, and how many agents are over
// their limit.
func Context(rows []templates.HomeRow) templates.ContextFigures {
	var f templates.ContextFigures
	var tokens []int
	for _, r := range rows {
		if r.IsOver() {
			f.Over++
		}
		if r.Memories > 0 && r.Tokens > 0 {
			tokens = append(tokens, r.Tokens)
		}
	}
	if slices.Sort(tokens); len(tokens) > 0 {
		f.Median = (tokens[(len(tokens)-1)/2] + tokens[len(tokens)/2]) / 2
	}
	return f
}

// waitingWords are the groups of the review in a sentence, with their tones.
var waitingWords = map[review.Group]struct {
	label string
	tone  ui.Tone
}{
	review.Safety: {"safety", ui.Danger}, review.Wrong: {"wrong or unclear", ui.Warning},
	review.TidyUp: {"to tidy up", ui.Quiet}, review.Suggestions: {"suggestions", ui.Good},
}

// fieldGroup is the parameter of the review's address with a group.
const fieldGroup = "group"

// Waiting returns what waits for a decision. counts are the numbers of items by kind, and pace is the
// usual time for a decision.
func Waiting(counts map[findings.Kind]int, pace time.Duration) templates.Waiting {
	var w templates.Waiting
	byGroup := map[review.Group]int{}
	for kind, n := range counts {
		byGroup[review.GroupOf(kind)] += n
	}
	for _, group := range []review.Group{review.Safety, review.Wrong, review.TidyUp, review.Suggestions} {
		n := byGroup[group]
		if n == 0 {
			continue
		}
		label := waitingWords[group].label
		if n == 1 {
			label = strings.TrimSuffix(label, "s")
		}
		w.Items += n
		w.Groups = append(w.Groups, templates.WaitingGroup{
			Label: label, Count: n, Tone: waitingWords[group].tone, Href: address.WithQuery(address.ReviewPath, map[string]string{fieldGroup: string(group)}),
		})
	}
	w.Minutes = reviewcards.Minutes(w.Items, pace)
	return w
}

// Week returns the sum of the changes of all agents, and their number of memories on each day
// (UTC), up to the day of now. days is the number of days before.
func Week(d Data, growth []records.DayGrowth, now time.Time, days int) templates.Week {
	var w templates.Week
	for _, c := range d.Changes {
		w.Learned, w.Changed, w.Deleted = w.Learned+c.Learned, w.Changed+c.Changed, w.Deleted+c.Deleted
	}
	total := 0
	for _, a := range d.Agents {
		if a.JoinedTo == "" {
			total += a.Counts.Total
		}
	}
	deltas := map[time.Time]int{}
	for _, g := range growth {
		deltas[g.Day.UTC()] += g.Delta
	}
	w.Totals = make([]int, days+1)
	day := now.UTC().Truncate(24 * time.Hour)
	for i := days; i >= 0; i-- {
		w.Totals[i] = max(total, 0)
		total -= deltas[day]
		day = day.AddDate(0, 0, -1)
	}
	return w
}

// News returns the sentences that agents have learned, newest first, at most limit. Memories with
// the same sentence are one. names are the names of agents by slug.
func News(all []records.News, names map[string]string, limit int) []templates.News {
	var folded []templates.News
	index := map[string]int{}
	for _, n := range all {
		text := cmp.Or(strings.Join(strings.Fields(n.Description), " "), n.Name)
		key := strings.ToLower(strings.TrimRight(text, ".!… "))
		name := cmp.Or(names[n.Agent], n.Agent)
		i, known := index[key]
		if !known {
			i = len(folded)
			index[key] = i
			folded = append(folded, templates.News{Text: text, Type: n.Type, Href: address.MemoryPath(n.Agent, n.ID), At: n.At})
		}
		folded[i].Count++
		if !slices.Contains(folded[i].Agents, name) {
			folded[i].Agents = append(folded[i].Agents, name)
		}
	}
	return folded[:min(limit, len(folded))]
}

// Markdown returns the news as a Markdown list under a heading.
func Markdown(news []templates.News, since, until time.Time) string {
	const day = "2 January 2006"
	var b strings.Builder
	b.WriteString("# What’s new, " + since.Format(day) + " to " + until.Format(day) + "\n\n")
	for _, n := range news {
		b.WriteString("- " + escaper.Replace(n.Text) + " (" + escaper.Replace(strings.Join(n.Agents, ", ")) + ")\n")
	}
	if len(news) == 0 {
		b.WriteString("Nothing new.\n")
	}
	return b.String()
}

// escaper escapes what Markdown would read as markup within a line.
var escaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "\n", " ", "\r", " ")

// Places returns the directories that Memoir searches for agents by its settings: AgentsDir,
// projects and agent-memory below ClaudeDir, each of MemoryDirs, and TeamDir. It omits empty
// settings.
func Places(s agents.Settings) []string {
	var places []string
	if s.AgentsDir != "" {
		places = append(places, s.AgentsDir)
	}
	if s.ClaudeDir != "" {
		places = append(places, filepath.Join(s.ClaudeDir, "projects"), filepath.Join(s.ClaudeDir, "agent-memory"))
	}
	for _, named := range s.MemoryDirs {
		places = append(places, named.Path)
	}
	if s.TeamDir != "" {
		places = append(places, s.TeamDir)
	}
	return places
}
