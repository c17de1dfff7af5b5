package pages

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/words"
	"memoir/web/templates"
)

const (
	// groupRows is how many rows of each group the Memory tab shows at first. It covers most
	// agents' whole memory and keeps the first view of a large one small.
	groupRows = 20
	// pageRows is how many rows of one group a page shows (arbitrary).
	pageRows = 100
	// maxGroupRows is the maximum number of rows that a group gets by scrolling. One query returns
	// that many, so an open page can reload itself at every change. More rows are on further pages.
	maxGroupRows = records.MaxLimit
)

func (s *site) memories(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v, err := s.memoryList(r, agent, nil)
	if err != nil {
		return err
	}
	if v.Frame, err = s.memoriesFrame(r, agent, v.View.List()); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.MemoriesPage(v))
}

// memoryList returns the list that the address of r requests: the first rows of each group, or one
// page of a single group. It adds shared memories, and matching facts for a search without filters.
// If open is not nil, the group of that memory has enough rows to include it, up to maxGroupRows.
// For an invalid filter it returns a *badRequest or *memories.InvalidError.
func (s *site) memoryList(r *http.Request, agent records.Agent, open *memories.Memory) (templates.Memories, error) {
	v := templates.Memories{Agent: agentView(agent)}
	var err error
	if v.View, err = viewOf(r, agent); err != nil {
		return v, err
	}
	v.Selection = selectionOf(agent, false, v.View.List())
	list := grouped{site: s, agent: agent, view: v.View, shown: shownRows(r), above: rowsAbove(r), open: open}
	if v.Groups, v.Near, err = list.read(r.Context()); err != nil {
		return v, err
	}
	for _, g := range v.Groups {
		v.Found += g.Total
	}
	if v.View.Query != "" && !v.View.Filtered() {
		if v.Facts, v.FactsFound, err = s.factsFound(r.Context(), agent, v.View.Query); err != nil {
			return v, err
		}
	}
	v.Shared, err = list.shared(r.Context())
	for _, g := range v.Shared {
		v.Found += g.Total
	}
	return v, err
}

// grouped reads the groups of a view.
type grouped struct {
	*site
	agent records.Agent
	view  templates.View
	shown map[string]int   // rows that the requesting page shows already, by templates.GroupKey
	above int              // rows above the requested ones on that page; 0 for a whole page
	open  *memories.Memory // the open memory; nil means none
}

// read returns the groups that have rows, in the order of the page. It runs their queries in
// parallel. near is true if at least one group has only memories with similar words, because no
// memory has all words of the search.
func (l grouped) read(ctx context.Context) (groups []templates.Group, near bool, err error) {
	lists := l.lists()
	pages := make([]records.MemoryPage, len(lists))
	var typeless []memories.Memory
	reading, withCtx := errgroup.WithContext(ctx) // withCtx is cancelled by Wait
	for i, list := range lists {
		reading.Go(func() (err error) {
			pages[i], err = l.page(withCtx, list)
			return err
		})
	}
	if !l.isOneList() {
		reading.Go(func() (err error) {
			typeless, err = l.missingWithoutType(withCtx)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, false, err
	}
	for i, page := range pages {
		if len(page.Memories) > 0 {
			groups, near = append(groups, l.group(ctx, lists[i], page)), near || page.Near
		}
	}
	if len(typeless) > 0 {
		groups = withTypeless(groups, l.rows(ctx, typeless, false))
	}
	return groups, near, nil
}

// lists returns the filter of each group, in the order of the page: each type with its missing
// memories, memories that need attention, team memory. It omits groups that the agent's counts show
// to be empty. If team memory has its own group, the others are private. A view of one group gives
// one filter.
func (l grouped) lists() []memories.Filter {
	list := l.view.Filter
	list.Near = true
	if l.isOneList() {
		return []memories.Filter{list}
	}
	separate := l.agent.Counts.Team > 0 && !l.agent.SharesMemories()
	if separate {
		list.Scope = memories.PrivateScope
	}
	var lists []memories.Filter
	for _, t := range memories.Types() {
		if l.agent.Counts.ByType[t]+l.agent.Counts.Missing > 0 {
			list.Type = t
			lists = append(lists, list)
		}
	}
	list.Type = ""
	if l.agent.Counts.NeedsAttention > 0 {
		broken := list
		broken.State = memories.NeedsAttention
		lists = append(lists, broken)
	}
	if separate && l.view.Scope == "" {
		list.Scope = memories.TeamScope
		lists = append(lists, list)
	}
	return lists
}

// isOneList reports whether the view shows one group only: one type, the memories that need
// attention, or team memory. Such a view is split into pages.
func (l grouped) isOneList() bool {
	return l.view.Type != "" || l.view.Attention() || l.view.Scope == memories.TeamScope
}

// page reads the first rows of one list: groupRows, or pageRows in a view of one group. It reads
// more, up to maxGroupRows, if the requesting page shows more already, or to include the open
// memory. Only a view of one group starts at its cursor.
func (l grouped) page(ctx context.Context, list memories.Filter) (records.MemoryPage, error) {
	request, least := memories.PageRequest{}, groupRows
	if l.isOneList() {
		request.Cursor, least = l.view.Cursor, pageRows
	}
	request.Limit = min(max(least, l.shown[templates.GroupKey(list.Type, list.Scope)]), maxGroupRows)
	page, err := l.store.Memories(ctx, l.agent, list, request)
	if err == nil && page.NextCursor != "" && l.missesOpen(page, list) {
		request.Limit = maxGroupRows
		page, err = l.store.Memories(ctx, l.agent, list, request)
	}
	return page, err
}

func (l grouped) group(ctx context.Context, list memories.Filter, page records.MemoryPage) templates.Group {
	if l.view.Query == "" && l.view.Sort == "" {
		newestFirst(page.Memories)
	}
	g := templates.Group{Type: list.Type, Team: list.Scope == memories.TeamScope && list.Type == "" && list.State == "", Rows: l.rows(ctx, page.Memories, page.Near), Total: page.Total}
	if page.NextCursor != "" {
		g.More = l.singleView(list).From(page.NextCursor).List()
		g.Above, g.Endless = l.above, l.above+len(g.Rows) < maxGroupRows
	}
	return g
}

// singleView returns the view that shows only the group of list, for the link to the group's next
// rows.
func (l grouped) singleView(list memories.Filter) templates.View {
	switch {
	case l.view.Type != "" || l.view.Attention():
		return l.view
	case list.Scope == memories.TeamScope:
		return l.view.OfTeam()
	case list.Scope == memories.PrivateScope:
		return l.view.Of(list.Type).Private()
	default:
		return l.view.Of(list.Type)
	}
}

// rows returns the rows of the memories, in the same order. In a search the hits are marked; near
// means that the memories only have similar words. If ctx ends, the remaining rows have no marks.
func (l grouped) rows(ctx context.Context, found []memories.Memory, near bool) []templates.MemoryRow {
	rows := rowsOf(found)
	if l.view.Query == "" {
		return rows
	}
	search := words.For(l.view.Query)
	if near {
		search = search.Near()
	}
	for i, m := range found {
		if ctx.Err() != nil {
			break
		}
		rows[i].Hits = templates.HitsOf(search, m)
	}
	return rows
}

// missesOpen reports whether the open memory belongs to the list and is not in page. It is false
// without an open memory, if that is deleted, and during a search.
func (l grouped) missesOpen(page records.MemoryPage, list memories.Filter) bool {
	return l.open != nil && l.open.State != memories.Deleted && (l.open.Type == list.Type || list.Scope == memories.TeamScope) &&
		(list.Scope == "" || list.Scope == l.open.Scope()) && l.view.Query == "" &&
		!slices.ContainsFunc(page.Memories, func(m memories.Memory) bool { return m.ID == l.open.ID })
}

// missingWithoutType returns the missing memories of the view that have no type, which the filters
// by type do not select. It returns nil if the agent has no missing memory.
func (l grouped) missingWithoutType(ctx context.Context) ([]memories.Memory, error) {
	if l.agent.Counts.Missing == 0 {
		return nil, nil
	}
	list := l.view.Filter
	list.State, list.Near = memories.Missing, true
	all, err := l.all(ctx, l.agent, list)
	return slices.DeleteFunc(all, func(m memories.Memory) bool { return m.Type != "" }), err
}

// withTypeless adds rows to the last group if that has no type, as the groups of memories that need
// attention and of team memory. Otherwise it appends a group for them.
func withTypeless(groups []templates.Group, rows []templates.MemoryRow) []templates.Group {
	if last := len(groups) - 1; last >= 0 && groups[last].Type == "" {
		groups[last].Rows = append(groups[last].Rows, rows...)
		groups[last].Total += len(rows)
		return groups
	}
	return append(groups, templates.Group{Rows: rows, Total: len(rows)})
}

func rowsOf(found []memories.Memory) []templates.MemoryRow {
	now := time.Now()
	rows := make([]templates.MemoryRow, len(found))
	for i, m := range found {
		rows[i] = rowOf(m, now)
	}
	return rows
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

// newestFirst sorts found in place by update time and then modification time, newest first, and
// then by name. Memories found by the same scan have the same update time.
func newestFirst(found []memories.Memory) {
	slices.SortStableFunc(found, func(a, b memories.Memory) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), b.ModifiedAt.Compare(a.ModifiedAt), cmp.Compare(a.Name, b.Name))
	})
}

func rowOf(m memories.Memory, now time.Time) templates.MemoryRow {
	return templates.MemoryRow{Memory: m, ETag: engine.ETag(m), Age: ageView(m.Age(now))}
}

func ageView(age memories.Age) templates.Age {
	return templates.Age{Text: age.String(), Stale: age.Stale, Warning: age.Warning()}
}

// shownRows returns the number of rows of each group that the requesting page shows already, by the
// key of the group, from the header RowsHeader. It skips malformed entries.
func shownRows(r *http.Request) map[string]int {
	shown := map[string]int{}
	for group := range strings.SplitSeq(r.Header.Get(templates.RowsHeader), ",") {
		name, count, _ := strings.Cut(strings.TrimSpace(group), "=")
		n, err := strconv.Atoi(count)
		if err != nil {
			continue
		}
		shown[name] = n
	}
	return shown
}

// rowsAbove returns the number of rows that the requesting page has above the requested ones. It is
// 0 if the parameter FieldAbove is absent or invalid.
func rowsAbove(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get(templates.FieldAbove))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// memoriesFrame returns the frame of the agent's Memory tab: the frame of all tabs, and banners for
// missing memories and for blocked contents. path is the tab's address, to return to after an undo.
func (s *site) memoriesFrame(r *http.Request, agent records.Agent, path string) (templates.Frame, error) {
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
