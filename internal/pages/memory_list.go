package pages

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// pageRows is how many rows a page of another list shows (arbitrary).
const pageRows = 100

// memories shows the list in the address, and next to it the first memory.
func (s *site) memories(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v, err := s.memoryList(r, agent, "")
	if err != nil {
		return err
	}
	if v.Frame, err = s.memoriesFrame(r, agent, v.View.List()); err != nil {
		return err
	}
	if err := s.openFirst(r, agent, &v); err != nil {
		return err
	}
	return kit.Show(w, r, http.StatusOK, templates.MemoriesPage(v))
}

// memoryList returns the list that the address of r requests: the first rows of each group, or one
// page of a single group. It adds shared memories, and matching facts for a search. If the memory
// open is further below, its group has the rows around it instead.
func (s *site) memoryList(r *http.Request, agent records.Agent, open string) (templates.Memories, error) {
	v := templates.Memories{Agent: agentView(agent)}
	var list records.MemoryList
	var err error
	if v.View, list, err = viewOf(r, agent); err != nil {
		return v, err
	}
	var page records.MemoryListPage
	var counts records.MemoryViewCounts
	reading, ctx := errgroup.WithContext(r.Context())
	reading.Go(func() (err error) {
		page, err = s.store.MemoryList(ctx, agent, list, listview.Window(v.View, list, open, r.Header.Get(templates.RowsHeader)))
		return err
	})
	reading.Go(func() (err error) {
		counts, err = s.store.MemoryViewCounts(ctx, agent)
		return err
	})
	if err := reading.Wait(); err != nil {
		return v, err
	}
	v.Groups, v.Near = listview.Groups(v.View, list, page, time.Now()), page.Near
	loaded := 0
	for _, g := range v.Groups {
		v.Found, loaded = v.Found+g.Total, loaded+len(g.Rows)
	}
	v.Selection = selectionOf(agent, v.View)
	if v.Found > loaded {
		v.Selection.Total, v.Selection.All = v.Found, listview.Mark(v.Found, page.ChangedAt)
	}
	for _, view := range records.MemoryViews() {
		if view != records.TeamView || counts[view] > 0 && !agent.SharesMemories() || v.View.Name == address.TeamView {
			v.Views = append(v.Views, templates.ViewCount{Name: string(view), Count: counts[view]})
		}
	}
	if list.Query != "" && list.View == "" && list.Part == 0 && list.State == "" && list.Session == "" {
		if v.Facts, v.FactsFound, err = s.factsFound(r.Context(), agent, list.Query); err != nil {
			return v, err
		}
	}
	v.Shared, err = s.sharedGroups(r.Context(), agent, list, v.View)
	for _, g := range v.Shared {
		v.Found += g.Total
	}
	return v, err
}

// sharedGroups returns a group for each agent whose shared memories the agent receives, with the
// first rows of the list. It returns nil for a view, a state or a session, and on further pages.
func (s *site) sharedGroups(ctx context.Context, agent records.Agent, list records.MemoryList, v address.View) ([]templates.SharedGroup, error) {
	if list.View != "" || list.State != "" || list.Part == records.AttentionPart || list.Session != "" || v.After != "" || v.Before != "" {
		return nil, nil
	}
	from, err := s.store.Shared(ctx, agent)
	if err != nil {
		return nil, err
	}
	if list.Order == records.ByTypeOrder {
		list.Order = records.NewestOrder
	}
	var groups []templates.SharedGroup
	for _, giver := range from {
		page, err := s.store.MemoryList(ctx, giver, list, records.MemoryWindow{Default: listview.GroupRows})
		if err != nil {
			return nil, err
		}
		for _, g := range listview.Groups(v, list, page, time.Now()) {
			groups = append(groups, templates.SharedGroup{Slug: giver.Slug, Rows: g.Rows, Total: g.Total})
		}
	}
	return groups, nil
}

// memoriesFrame returns the frame of the agent's Memory tab: the frame of all tabs, and banners for
// missing memories and for blocked contents. path is the tab's address, to return to after an undo.
func (s *site) memoriesFrame(r *http.Request, agent records.Agent, path string) (ui.Frame, error) {
	frame, err := s.frame(r, agent, path)
	if err != nil {
		return frame, err
	}
	if agent.Counts.Missing > 0 {
		banner, err := s.missingBanner(r.Context(), agent)
		if err != nil {
			return frame, err
		}
		frame.Banners = append(frame.Banners, banner)
	}
	if agent.Counts.Blocked > 0 {
		frame.Banners = append(frame.Banners, templates.BlockedReturns(agent.Slug, agent.Counts.Blocked))
	}
	return frame, nil
}

// trash redirects the earlier address of the trash.
func (s *site) trash(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	http.Redirect(w, r, address.TrashPath(agent.Slug), http.StatusMovedPermanently)
	return nil
}

// purge deletes a memory and its history permanently, and redirects to the page of the form, by
// default the trash. If the memory has changed since the form was shown, or cannot be deleted, it
// shows the reason and the current memory.
func (s *site) purge(w http.ResponseWriter, r *http.Request) error {
	slug := kit.Slug(r)
	if _, err := s.engine.Purge(r.Context(), slug, idOf(r), r.PostFormValue(address.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return kit.Redirect(w, r, kit.Back(r, address.TrashPath(slug)), donePurged, "")
}

func rowOf(m memories.Memory, now time.Time) templates.MemoryRow {
	return templates.MemoryRow{Memory: m, ETag: engine.ETag(m), Age: ageView(m.Age(now))}
}

func ageView(age memories.Age) templates.Age {
	return templates.Age{Text: age.String(), Stale: age.Stale, Warning: age.Warning()}
}

// all returns every memory of a list. It reads as many pages as necessary.
func (s *site) all(ctx context.Context, agent records.Agent, list memories.Filter) ([]memories.Memory, error) {
	request := memories.PageRequest{Limit: records.MaxLimit}
	var all []memories.Memory
	for {
		page, err := s.store.Memories(ctx, agent, list, request)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Memories...)
		if page.NextCursor == "" {
			return all, nil
		}
		request.Cursor = page.NextCursor
	}
}
