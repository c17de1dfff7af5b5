package pages

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync"
	"memoir/web/templates"
)

const (
	// groupRows is how many rows of each group the Memory tab shows: enough for nearly every agent's whole memory, few
	// enough that an open page can fetch itself again at every change.
	groupRows = 100
	// pageRows is how many rows a page of one group shows.
	pageRows = 200
)

// memories shows an agent's Memory tab: the first rows of every group, or, of one group alone, page after page.
func (s *site) memories(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	v, err := wanted(r)
	if err != nil {
		return err
	}
	v.Agent = agentView(agent)
	if v.Type != "" || v.Attention {
		err = s.listGroup(r.Context(), agent, &v)
	} else {
		err = s.listGroups(r.Context(), agent, &v)
	}
	if err != nil {
		return err
	}
	if v.Frame, err = s.memoriesFrame(r, agent, v.Path()); err != nil {
		return err
	}
	v.Selection = selectionOf(agent, false, v.Path())
	return show(w, r, http.StatusOK, templates.MemoriesPage(v))
}

// wanted reads from the address which memories are wanted.
func wanted(r *http.Request) (templates.Memories, error) {
	query := r.URL.Query()
	v := templates.Memories{
		Query:  strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(query.Get(templates.FieldQuery)), "\uFFFD"), "\x00", ""),
		Cursor: query.Get(templates.FieldCursor),
	}
	if raw := query.Get(templates.FieldType); raw != "" {
		t, ok := memories.ParseType(raw)
		if !ok {
			return v, &badRequest{http.StatusBadRequest, "The types are feedback, user, project and reference."}
		}
		v.Type = t
	}
	switch memories.State(query.Get(templates.FieldState)) {
	case "":
	case memories.NeedsAttention:
		v.Attention = v.Type == ""
	default:
		return v, &badRequest{http.StatusBadRequest, "The only state that can be asked for here is needs_attention."}
	}
	return v, nil
}

// listGroup fills in one page of one group.
func (s *site) listGroup(ctx context.Context, agent postgres.Agent, v *templates.Memories) error {
	list := postgres.List{Type: v.Type, Search: v.Query, Cursor: v.Cursor, Limit: pageRows}
	if v.Attention {
		list.State = memories.NeedsAttention
	}
	page, err := s.store.Memories(ctx, agent, list)
	if err != nil {
		return err
	}
	v.Rows, v.Found = rowsOf(page.Memories), page.Total
	if page.NextCursor != "" {
		v.MoreHref = v.From(page.NextCursor)
	}
	return nil
}

// listGroups fills in the first rows of every group that has any. The groups are read side by side, so that the page
// waits for the slowest of them and not for their sum.
func (s *site) listGroups(ctx context.Context, agent postgres.Agent, v *templates.Memories) error {
	groups := groupsOf(agent)
	pages := make([]postgres.Page, len(groups))
	var typeless []memories.Memory
	reading, ctx := errgroup.WithContext(ctx)
	for i, g := range groups {
		g.Search, g.Limit = v.Query, groupRows
		reading.Go(func() (err error) {
			pages[i], err = s.store.Memories(ctx, agent, g)
			return err
		})
	}
	reading.Go(func() (err error) {
		typeless, err = s.missingWithoutType(ctx, agent, v.Query)
		return err
	})
	if err := reading.Wait(); err != nil {
		return err
	}
	v.Cursor, v.Cut = "", map[memories.Type]int{}
	var found []memories.Memory
	for i, page := range pages {
		if v.Query == "" {
			newestFirst(page.Memories)
		}
		found = append(found, page.Memories...)
		v.Found += page.Total
		if page.NextCursor != "" {
			v.Cut[groups[i].Type] = page.Total
		}
	}
	v.Rows = rowsOf(append(found, typeless...))
	v.Found += len(typeless)
	return nil
}

// groupsOf returns the lists that make up the tab: of each type the memories that are alive, missing ones among them,
// and what needs attention.
func groupsOf(agent postgres.Agent) []postgres.List {
	var groups []postgres.List
	for _, t := range memories.Types() {
		if agent.Counts.ByType[t]+agent.Counts.Missing > 0 {
			groups = append(groups, postgres.List{Type: t})
		}
	}
	if agent.Counts.NeedsAttention > 0 {
		groups = append(groups, postgres.List{State: memories.NeedsAttention})
	}
	return groups
}

// missingWithoutType returns what no other list has: memories that needed a type when their files went.
func (s *site) missingWithoutType(ctx context.Context, agent postgres.Agent, search string) ([]memories.Memory, error) {
	if agent.Counts.Missing == 0 {
		return nil, nil
	}
	all, err := s.all(ctx, agent, postgres.List{State: memories.Missing, Search: search})
	return slices.DeleteFunc(all, func(m memories.Memory) bool { return m.Type != "" }), err
}

// all returns every memory of a list.
func (s *site) all(ctx context.Context, agent postgres.Agent, list postgres.List) ([]memories.Memory, error) {
	list.Limit = postgres.MaxLimit
	var all []memories.Memory
	for {
		page, err := s.store.Memories(ctx, agent, list)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Memories...)
		if page.NextCursor == "" {
			return all, nil
		}
		list.Cursor = page.NextCursor
	}
}

// newestFirst puts what one look has found at the same time, such as the first of all, in the order of its age.
func newestFirst(found []memories.Memory) {
	slices.SortStableFunc(found, func(a, b memories.Memory) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), b.ModifiedAt.Compare(a.ModifiedAt), cmp.Compare(a.Name, b.Name))
	})
}

func rowsOf(found []memories.Memory) []templates.MemoryRow {
	now := time.Now()
	rows := make([]templates.MemoryRow, len(found))
	for i, m := range found {
		rows[i] = rowOf(m, now)
	}
	return rows
}

func rowOf(m memories.Memory, now time.Time) templates.MemoryRow {
	age := memories.AgeOf(m.ModifiedAt, now)
	return templates.NewMemoryRow(m, sync.ETag(m), templates.Age{Text: age.String(), Stale: age.Stale, Warning: age.Warning()})
}

// memoriesFrame adds to an agent's frame what waits for a decision.
func (s *site) memoriesFrame(r *http.Request, agent postgres.Agent, path string) (templates.Frame, error) {
	frame, err := s.frame(r.Context(), r, agent, path)
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
	blocked, err := s.store.Blocked(r.Context(), agent.ID)
	if err != nil {
		return frame, err
	}
	if len(blocked) > 0 {
		frame.Banners = append(frame.Banners, templates.BlockedReturns(agent.Slug, blocked))
	}
	return frame, nil
}
