// Package paletteview makes the results of the palette, the dialog that opens anything by its name,
// and of the search over all agents.
package paletteview

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/pages/homeview"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/internal/words"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

const (
	// MaxMemories is the number of memories in the palette.
	MaxMemories = 8
	// maxRecent is the number of pages that were open before.
	maxRecent = 6
	maxAgents = 5 // of a query; without one, maxFirstAgents
	// maxFirstAgents fills the palette of a window of 900 pixels (arbitrary).
	maxFirstAgents = 7
)

// Data is what the palette chooses from.
type Data struct {
	Typed    string // without its filters
	Query    string // as typed
	Agents   []records.Agent
	Newest   map[int64]time.Time // last change of a memory, by agent id
	HomeDir  string
	Current  string // slug of the current page's agent, or ""
	Recent   []Place
	Memories []memories.Memory // that match the query, best first
	Total    int               // number of all that match
	Near     bool              // they have similar words
	Waiting  map[findings.Kind]int
	CanWrite bool
	Theme    ui.Theme
}

// Place is a page that was open before: of a memory, or of an agent if Memory is nil.
type Place struct {
	Agent  string // slug
	Memory *memories.Memory
}

// AgentOf returns the slug of the agent that a path is about, and the id of its memory. Both are
// empty if there is none.
func AgentOf(path string) (slug, memory string) {
	parts := strings.Split(path, "/")
	if len(parts) < 3 || parts[0] != "" || parts[1] != "agents" {
		return "", ""
	}
	slug, err := url.PathUnescape(parts[2])
	if err != nil {
		return "", ""
	}
	if len(parts) == 5 && parts[3] == "memory" && parts[4] != "new" {
		memory = parts[4]
	}
	return slug, memory
}

// Palette returns the results: pages that were open before, then agents, memories, actions and
// pages. Without a query, it has the agents that changed last.
func (d Data) Palette() ui.Palette {
	p := ui.Palette{Query: d.Query}
	add := func(label string, items []ui.PaletteItem) {
		if len(items) > 0 {
			p.Groups = append(p.Groups, ui.PaletteGroup{Label: label, Items: items})
		}
	}
	found := d.found()
	labels := d.labels()
	if d.Query == "" {
		add("Recent", d.recent(labels))
	}
	ofAgents := d.agents(labels)
	ofMemories := d.memories(labels)
	actions, places := found(d.actions(labels)), found(d.pages())
	p.IsEmpty = d.Query != "" && len(ofAgents)+len(ofMemories)+len(actions)+len(places) == 0
	add("Agents", ofAgents)
	add("Memories", ofMemories)
	add("Actions", append(actions, d.queryActions(labels)...))
	add("Pages", places)
	return p
}

// found returns a function that returns the items whose name has the typed text, with it marked.
func (d Data) found() func([]ui.PaletteItem) []ui.PaletteItem {
	return func(items []ui.PaletteItem) []ui.PaletteItem {
		if d.Query == "" {
			return items
		}
		var found []ui.PaletteItem
		for _, item := range items {
			if marked, ok := mark(item.Name[0].Text, d.Typed); ok && d.Typed != "" {
				item.Name = marked
				found = append(found, item)
			}
		}
		return found
	}
}

func (d Data) labels() map[string]agents.Label {
	bySlug := make(map[string]agents.Label, len(d.Agents))
	for i, label := range homeview.Labels(d.Agents, d.HomeDir) {
		bySlug[d.Agents[i].Slug] = label
	}
	return bySlug
}

func (d Data) recent(labels map[string]agents.Label) []ui.PaletteItem {
	var items []ui.PaletteItem
	for _, place := range d.Recent {
		label, known := labels[place.Agent]
		switch {
		case !known:
		case place.Memory != nil:
			m := place.Memory
			items = append(items, ui.PaletteItem{
				Icon: iconOf(*m), Type: m.Type, Name: ui.PlainParts(m.Name), Note: note(m.Description, label.Name), Href: address.MemoryPath(place.Agent, m.ID),
			})
		default:
			items = append(items, agentItem(place.Agent, label.Parent, ui.PlainParts(label.Name)))
		}
	}
	return items
}

func agentItem(slug, parent string, name []words.Part) ui.PaletteItem {
	return ui.PaletteItem{Icon: "agents", Name: name, Note: parent, Href: address.MemoriesPath(slug)}
}

// foundAgents returns the agents whose name or directory has all typed words, best first, at most
// limit. Without a query, it returns those that changed last.
func (d Data) foundAgents(labels map[string]agents.Label, limit int) []records.Agent {
	scores := map[string]int{}
	var found []records.Agent
	for _, a := range d.Agents {
		if score, ok := matchAgent(labels[a.Slug], a.Slug, d.Typed); ok && (d.Query == "" || d.Typed != "") {
			scores[a.Slug] = score
			found = append(found, a)
		}
	}
	slices.SortStableFunc(found, func(a, b records.Agent) int {
		return cmp.Or(cmp.Compare(scores[a.Slug], scores[b.Slug]), d.Newest[b.ID].Compare(d.Newest[a.ID]), cmp.Compare(a.Slug, b.Slug))
	})
	return found[:min(limit, len(found))]
}

func (d Data) agents(labels map[string]agents.Label) []ui.PaletteItem {
	limit := maxAgents
	if d.Query == "" {
		limit = maxFirstAgents
	}
	var items []ui.PaletteItem
	for _, a := range d.foundAgents(labels, limit) {
		label := labels[a.Slug]
		name, _ := mark(label.Name, d.Typed)
		item := agentItem(a.Slug, label.Parent, name)
		item.Note = note(item.Note, wording.Count(a.Counts.Total, "memory", "memories"))
		items = append(items, item)
	}
	return items
}

// matchAgent returns how well an agent matches the typed words, the best being 0. It returns false
// if a word is in none of its names.
func matchAgent(label agents.Label, slug, typed string) (score int, ok bool) {
	name, all := strings.ToLower(label.Name), strings.ToLower(label.Parent+"/"+label.Name+"\n"+slug)
	for word := range strings.FieldsSeq(strings.ToLower(typed)) {
		at := strings.Index(name, word)
		switch {
		case name == word:
		case at == 0:
			score = max(score, 1)
		case at > 0 && isBoundary(name[at-1]):
			score = max(score, 2)
		case at > 0:
			score = max(score, 3)
		case strings.Contains(all, word):
			score = max(score, 4)
		default:
			return 0, false
		}
	}
	return score, true
}

func isBoundary(b byte) bool { return strings.IndexByte("-_./ ", b) >= 0 }

func (d Data) memories(labels map[string]agents.Label) []ui.PaletteItem {
	search := words.For(d.Typed)
	if d.Near {
		search = search.Near()
	}
	var items []ui.PaletteItem
	for _, m := range d.Memories {
		item := ui.PaletteItem{
			Icon: iconOf(m), Type: m.Type, Name: search.Mark(m.Name), Note: note(m.Description, labels[m.Agent].Name), Href: address.MemoryPath(m.Agent, m.ID),
		}
		if m.Line > 0 {
			item.Href = address.FactPath(m.Agent, m.ID)
		}
		items = append(items, item)
	}
	return items
}

func iconOf(m memories.Memory) string { return cmp.Or(string(m.Type), "page") }

// actions returns the actions that are found by their names.
func (d Data) actions(labels map[string]agents.Label) []ui.PaletteItem {
	var items []ui.PaletteItem
	if item, ok := d.newMemory(labels, ""); ok {
		items = append(items, item)
	}
	if d.CanWrite {
		items = append(items, ui.PaletteItem{Icon: "scan", Name: ui.PlainParts("Scan now"), Form: ui.PaletteScan})
	}
	for _, kind := range review.Kinds() {
		if n := d.Waiting[kind]; n > 0 && (d.Query != "" || kind == findings.Secret) {
			items = append(items, ui.PaletteItem{
				Icon: "review", Name: ui.PlainParts("Review " + kindWords[kind]), Note: wording.Count(n, "item", "items"),
				Href: address.WithQuery(address.ReviewPath, map[string]string{address.FieldKind: string(kind)}),
			})
		}
	}
	for _, theme := range []ui.Theme{ui.LightTheme, ui.DarkTheme, ui.AutoTheme} {
		if theme != d.Theme && (d.Query != "" || theme != ui.AutoTheme) {
			items = append(items, ui.PaletteItem{
				Icon: "theme-" + cmp.Or(string(theme), "auto"), Name: ui.PlainParts("Theme: " + cmp.Or(string(theme), "system")),
				Form: ui.PaletteTheme, Field: address.FieldTheme, Value: string(theme),
			})
		}
	}
	return items
}

// queryActions returns the actions that use the query.
func (d Data) queryActions(labels map[string]agents.Label) []ui.PaletteItem {
	if d.Query == "" {
		return nil
	}
	var items []ui.PaletteItem
	if item, ok := d.newMemory(labels, d.Typed); ok && d.Typed != "" {
		items = append(items, item)
	}
	if d.Total > 0 {
		items = append(items, ui.PaletteItem{
			Icon: "search", Name: ui.PlainParts("All results for “" + d.Query + "”"), Note: wording.Count(d.Total, "memory", "memories"),
			Href: address.WithQuery(address.SearchPath, map[string]string{address.FieldQuery: d.Query}),
		})
	}
	return items
}

// newMemory returns the action for a new memory, with a name or without. It belongs to the current
// agent, else to the one that changed last.
func (d Data) newMemory(labels map[string]agents.Label, name string) (ui.PaletteItem, bool) {
	var chosen *records.Agent
	for i, a := range d.Agents {
		switch {
		case !a.Present || a.JoinedTo != "":
		case a.Slug == d.Current, chosen == nil, chosen.Slug != d.Current && d.Newest[a.ID].After(d.Newest[chosen.ID]):
			chosen = &d.Agents[i]
		}
	}
	if chosen == nil || !d.CanWrite {
		return ui.PaletteItem{}, false
	}
	item := ui.PaletteItem{Icon: "add", Name: ui.PlainParts("New memory"), Note: "in " + labels[chosen.Slug].Name, Href: address.NewMemoryPath(chosen.Slug)}
	if chosen.Slug == d.Current {
		item.Keys = "n"
	}
	if name != "" {
		item.Name = ui.PlainParts("New memory “" + name + "”")
		item.Href = address.WithQuery(item.Href, map[string]string{address.FieldNewName: name})
	}
	return item, true
}

func (d Data) pages() []ui.PaletteItem {
	page := func(icon, name, keys, href string) ui.PaletteItem {
		return ui.PaletteItem{Icon: icon, Name: ui.PlainParts(name), Keys: keys, Href: href}
	}
	items := []ui.PaletteItem{
		page("home", "Home", "g h", address.HomePath), page("review", "Review", "g r", address.ReviewPath), page("timeline", "Timeline", "g t", address.TimelinePath),
	}
	if slug := d.Current; slug != "" && slices.ContainsFunc(d.Agents, func(a records.Agent) bool { return a.Slug == slug }) {
		items = append(items, page("page", "Memory", "g m", address.MemoriesPath(slug)), page("page", "Context", "g c", address.ContextPath(slug)),
			page("settings", "Settings", "g s", address.SettingsPath(slug)))
	}
	if d.Query != "" {
		items = append(items, page("scan", "Sync", "", address.SyncPath), page("search", "Search", "", address.SearchPath),
			page("keyboard", "Keyboard shortcuts", "?", address.KeysPath))
	}
	return items
}

// mark returns a text with the first place of the typed text marked, in any letter case. Without
// that place it returns the text and whether it has all typed words.
func mark(text, typed string) ([]words.Part, bool) {
	lower := strings.ToLower(text)
	typed = strings.ToLower(strings.TrimSpace(typed))
	at := strings.Index(lower, typed)
	if typed == "" || at < 0 || len(lower) != len(text) {
		for word := range strings.FieldsSeq(typed) {
			if !strings.Contains(lower, word) {
				return ui.PlainParts(text), false
			}
		}
		return ui.PlainParts(text), true
	}
	var parts []words.Part
	for _, p := range []words.Part{{Text: text[:at]}, {Text: text[at : at+len(typed)], Hit: true}, {Text: text[at+len(typed):]}} {
		if p.Text != "" {
			parts = append(parts, p)
		}
	}
	return parts, true
}

// note joins the texts that are not empty.
func note(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	return strings.Join(texts, " · ")
}

var kindWords = map[findings.Kind]string{
	findings.Secret: "secrets", findings.Injection: "injections", findings.Missing: "missing memories", findings.Unfinished: "unfinished files",
	findings.Contradiction: "contradictions", findings.Conflict: "conflicts", findings.Broken: "broken files", findings.Blocked: "blocked files", findings.Deletion: "deletions",
	findings.Expired: "expired memories", findings.Duplicate: "duplicates", findings.Junk: "junk", findings.Link: "dead links", findings.Index: "index lines",
	findings.Unchecked: "unchecked memories", findings.Suggestion: "suggestions", findings.Plan: "plan steps",
}
