// Package allmemories serves the page that lists the memories of all agents, of every client.
package allmemories

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/pages/homeview"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/records"
	"memoir/internal/words"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

const (
	// maxRows is how many memories a page lists. It is arbitrary.
	maxRows = 50
	// excerptLength is the length of an excerpt in bytes, about two lines of the page.
	excerptLength = 160
)

// Store is the database of the page. *postgres.Store implements and documents it.
type Store interface {
	AgentsUncounted(ctx context.Context) ([]records.Agent, error)
	MemoriesOf(ctx context.Context, some []records.Agent, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error)
}

// Page serves the list. HomeDir is the user's home directory, which names of agents abbreviate.
type Page struct {
	Store   Store
	HomeDir string
	// Notice returns the notice about an undo that led to the page of r, or nil.
	Notice func(r *http.Request) (*ui.Notice, error)
}

// ServePage shows the memories of the agents, the client, the type and the words that the address
// names.
func (p Page) ServePage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	v := templates.AllMemories{
		Frame: ui.Frame{Live: address.EventsPath}, Query: listview.CleanText(query.Get(address.FieldQuery)),
		Layout: query.Get(address.FieldLayout), Agent: query.Get(address.FieldAgent), Type: query.Get(address.FieldType),
		Cursor: query.Get(address.FieldCursor),
	}
	all, err := p.Store.AgentsUncounted(r.Context())
	if err != nil {
		return err
	}
	if v.Notice, err = p.Notice(r); err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(a records.Agent) bool { return a.JoinedTo != "" })
	names := map[string]string{}
	for i, label := range homeview.Labels(all, p.HomeDir) {
		names[all[i].Slug] = label.Name
		v.AddAgent(all[i].Slug, label.Name, all[i].Layout)
	}
	filter := memories.Filter{Query: v.Query, Near: true}
	filter.Type, _ = memories.ParseType(v.Type)
	if v.Query == "" {
		filter.Sort = memories.ByModification // as the rows' ages say
	}
	page, err := p.Store.MemoriesOf(r.Context(), records.AgentsOf(all, v.Layout, v.Agent), filter, memories.PageRequest{Limit: maxRows, Cursor: v.Cursor})
	if err != nil {
		return err
	}
	for _, a := range all {
		if title := agents.Layout(a.Layout).Title(); title != names[a.Slug] {
			names[a.Slug] += " · " + title
		}
	}
	search, now := words.For(v.Query), time.Now()
	if page.Near {
		search = search.Near()
	}
	v.Total, v.Next, v.Near = page.Total, page.NextCursor, page.Near
	for _, m := range page.Memories {
		age := m.Age(now)
		v.Rows = append(v.Rows, templates.SearchResult{
			Agent: m.Agent, AgentName: cmp.Or(names[m.Agent], m.Agent), ID: m.ID, Type: m.Type, State: m.State,
			Name: search.Mark(m.Name), Description: search.Mark(m.Description), Excerpt: search.Excerpt(m.Body, excerptLength),
			Age: templates.Age{Text: age.String(), Stale: age.Stale, Warning: age.Warning()},
		})
	}
	return kit.Show(w, r, http.StatusOK, templates.AllMemoriesPage(v))
}
