package pages

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/errgroup"

	"memoir/internal/agents"
	"memoir/internal/findings"
	"memoir/internal/findings/quarantine"
	"memoir/internal/gate"
	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/memorypane"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// memory shows a tab of the memory in the address next to the list that it was opened from. For the id
// of a fact in MEMORY.md it redirects to the fact's page. For a memory that another agent shares with
// this one it redirects to the owner's page. For any other id, and for an unknown tab, it returns
// memories.ErrNotFound.
func (s *site) memory(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if errors.Is(err, memories.ErrNotFound) {
		return s.otherThanMemory(w, r, agent)
	}
	if err != nil {
		return err
	}
	return s.showMemory(w, r, http.StatusOK, agent, m, opening{})
}

// otherThanMemory takes the id in the address. It redirects to the fact in MEMORY.md with that id,
// or to the memory that another agent shares with this one. It returns memories.ErrNotFound if
// neither exists.
func (s *site) otherThanMemory(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	fact, err := s.store.IndexFact(r.Context(), agent, idOf(r))
	switch {
	case err == nil:
		http.Redirect(w, r, address.FactPath(agent.Slug, fact.ID), http.StatusSeeOther)
		return nil
	case !errors.Is(err, memories.ErrNotFound):
		return err
	}
	return s.sharedMemory(w, r, agent)
}

// ofMemory returns a handler that calls handle with the memory that the address names, and with its
// agent. If either does not exist, the handler returns memories.ErrNotFound and does not call
// handle.
func (s *site) ofMemory(handle func(http.ResponseWriter, *http.Request, records.Agent, memories.Memory) error) kit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		agent, m, err := s.requestedMemory(r)
		if err != nil {
			return err
		}
		return handle(w, r, agent, m)
	}
}

// requestedMemory returns the memory that the address names, also a deleted one, and its agent. It
// returns memories.ErrNotFound if either does not exist. If only the memory does not exist, it
// returns the agent with the error.
func (s *site) requestedMemory(r *http.Request) (records.Agent, memories.Memory, error) {
	agent, err := s.kit.Agent(r)
	if err != nil {
		return agent, memories.Memory{}, err
	}
	m, err := s.store.Memory(r.Context(), agent, idOf(r))
	return agent, m, err
}

func idOf(r *http.Request) string { return chi.URLParam(r, "id") }

// opening says how a memory is shown in the pane.
type opening struct {
	revealed bool        // m has no masks
	banners  []ui.Banner // above the page
	noNotice bool        // the answer to a refused action has no notice about an earlier one
}

// showMemory shows the memory in the pane, next to its list. A request for the pane gets only that.
func (s *site) showMemory(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, m memories.Memory, how opening) error {
	view, _, err := viewOf(r, agent)
	if err != nil {
		return err
	}
	if kit.WantsPane(r) {
		v := templates.Memories{Agent: agentView(agent), View: view}
		if v.Open, err = s.openMemory(r, agent, m, view); err != nil {
			return err
		}
		v.Open.Revealed = how.revealed
		return showPane(w, r, status, v)
	}
	var v templates.Memories
	var open *templates.Memory
	var reading errgroup.Group
	reading.Go(func() (err error) {
		v, err = s.memoryList(r, agent, m.ID)
		return err
	})
	reading.Go(func() (err error) {
		open, err = s.openMemory(r, agent, m, view)
		return err
	})
	if err := reading.Wait(); err != nil {
		return err
	}
	if how.noNotice {
		v.Frame.Banners = how.banners
	} else if v.Frame, err = s.memoriesFrame(r, agent, v.View.Memory(m.ID)); err != nil {
		return err
	}
	v.Open = open
	v.Open.Revealed, v.Open.Next = how.revealed, v.Neighbour()
	return kit.Show(w, r, status, templates.MemoriesPage(v))
}

// showPane answers with the pane only. Caches must not use it for the page.
func showPane(w http.ResponseWriter, r *http.Request, status int, v templates.Memories) error {
	w.Header().Set("Vary", "HX-Request-Type, HX-Target")
	return kit.Show(w, r, status, templates.PanePart(v))
}

// openFirst opens the first memory of the list, because the address names none.
func (s *site) openFirst(r *http.Request, agent records.Agent, v *templates.Memories) error {
	if len(v.Groups) == 0 {
		return nil
	}
	m, err := s.store.Memory(r.Context(), agent, v.Groups[0].Rows[0].ID)
	if errors.Is(err, memories.ErrNotFound) { // it was purged just now
		return nil
	}
	if err != nil {
		return err
	}
	if v.Open, err = s.openMemory(r, agent, m, v.View); err != nil {
		return err
	}
	v.Arrived, v.Open.Next = true, v.Neighbour()
	return nil
}

// openMemory returns the view of a memory with the tab that the address names. It returns
// memories.ErrNotFound for an unknown tab.
func (s *site) openMemory(r *http.Request, agent records.Agent, m memories.Memory, view address.View) (*templates.Memory, error) {
	ctx := r.Context()
	tab, ok := address.ParsePaneTab(r.URL.Query().Get(address.FieldTab))
	if !ok {
		return nil, memories.ErrNotFound
	}
	if r.Method == http.MethodPost {
		tab = address.TextTab
	}
	m.CreatedAt, m.UpdatedAt, m.DeletedAt = shown.Local(m.CreatedAt), shown.Local(m.UpdatedAt), shown.Local(m.DeletedAt)
	for i := range m.Files {
		m.Files[i].ModifiedAt = shown.Local(m.Files[i].ModifiedAt)
	}
	v := &templates.Memory{Agent: agentView(agent), View: view, MemoryRow: rowOf(m, time.Now()), Tab: tab, CanWrite: gate.CanWrite(ctx)}
	if rules := agents.Layout(agent.Layout).Rules(); rules.Keeper != "" {
		v.CanWrite, v.Index = v.CanWrite && !rules.IsReadOnly(), "" // no index lists it
	}
	var err error
	if v.Revisions, err = memorypane.CountRevisions(ctx, s.store, agent, m); err != nil {
		return nil, err
	}
	if v.Recalls, err = s.recallsOf(ctx, m); err != nil {
		return nil, err
	}
	from, err := s.store.Shared(ctx, agent)
	if err != nil {
		return nil, err
	}
	v.SharedWithAll = len(from) > 0 || s.engine.CanShare()
	links := memorypane.LinksOf(ctx, s.store, agent)
	links.Href = view.Memory
	if v.Twins, err = s.twinsOf(ctx, agent, from, m, links); err != nil {
		return nil, err
	}
	if v.Citations, err = s.citationsOf(ctx, agent, m); err != nil {
		return nil, err
	}
	switch tab {
	case address.HistoryTab:
		page, err := memorypane.History(ctx, s.store, agent, m, r.URL.Query().Get(address.FieldRevision))
		v.History = &page
		return v, err
	case address.CostTab:
		return v, s.addCost(ctx, agent, m, v)
	case address.FileTab:
		return v, s.addFile(ctx, agent, m, v)
	}
	if v.Notes, err = memorypane.Notes(ctx, s.store, m); err != nil {
		return nil, err
	}
	conflict, err := s.disagreementAbout(ctx, agent, m)
	if err != nil {
		return nil, err
	}
	if conflict != nil && !slices.ContainsFunc(v.Notes, func(n templates.MemoryNote) bool { return n.Kind == string(findings.Conflict) }) {
		v.Notes = append(v.Notes, templates.ConflictNote(*conflict))
	}
	if v.Asked, err = s.store.AskedAs(ctx, m.ID); err != nil {
		return nil, err
	}
	v.Asks = v.CanWrite && r.Method == http.MethodGet && r.URL.Query().Get(address.FieldAsk) != ""
	if v.LinkedFrom, err = memorypane.LinkedFrom(ctx, s.store, agent, m, view); err != nil {
		return nil, err
	}
	v.Body, err = links.Render(m.Body)
	return v, err
}

// addCost adds the entry of the memory in MEMORY.md and its recalls. An index that cannot be read has
// no entry.
func (s *site) addCost(ctx context.Context, agent records.Agent, m memories.Memory, v *templates.Memory) error {
	index, err := s.engine.IndexText(ctx, agent.Slug)
	var conflict *memories.ConflictError
	if err != nil && !errors.As(err, &conflict) {
		return err
	}
	v.Entry = memorypane.Entry(index, m.Path)
	v.Given, err = memorypane.Recalls(ctx, s.store, m)
	return err
}

// addFile adds the fixes of the memory's problems, and the agents to which it can be moved.
func (s *site) addFile(ctx context.Context, agent records.Agent, m memories.Memory, v *templates.Memory) error {
	flawed, err := s.engine.ProposeFixes(ctx, agent.Slug, m.ID)
	if err != nil {
		return err
	}
	if len(flawed)+len(m.Problems) > 0 && m.State != memories.Deleted {
		fixes := memorypane.FixesOf(v.MemoryRow, flawed, address.MemoryFilePath(agent.Slug, m.ID))
		v.Fixes = &fixes
	}
	v.MoveTargets, err = s.moveTargets(ctx, agent, m)
	return err
}

// oldTab returns a handler that redirects for good to a tab of the memory in the address.
func oldTab(tab address.PaneTab) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		target := address.WithQuery(address.MemoryPath(kit.Slug(r), idOf(r)), map[string]string{
			address.FieldTab: string(tab), address.FieldRevision: r.URL.Query().Get(address.FieldCursor),
		})
		http.Redirect(w, r, target, http.StatusMovedPermanently)
	}
}

// reveal shows the memory in the address without masks, in this answer only, and records that. It
// returns memories.ErrNotFound for an unknown memory.
func (s *site) reveal(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	if m, err = s.revealed(r.Context(), agent, m.ID); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return s.showMemory(w, r, http.StatusOK, agent, m, opening{revealed: true})
}

// revealed returns a memory without masks. The journal records that, unless nothing was masked.
func (s *site) revealed(ctx context.Context, agent records.Agent, id string) (memories.Memory, error) {
	m, err := s.store.Revealed(ctx, agent, id)
	if err == nil && m.IsQuarantined() {
		err = s.store.AddReveal(ctx, agent.ID, id, memories.ByBrowser)
	}
	return m, err
}

// links adds the method render to memorypane.Links.
type links struct{ *memorypane.Links }

func (s *site) linksOf(ctx context.Context, agent records.Agent) links {
	return links{memorypane.LinksOf(ctx, s.store, agent)}
}

func (l links) render(text string) (markdown.HTML, error) { return l.Render(text) }

// raw answers with the exact bytes of the memory's source file as plain text, masked for readers, with headers that
// stop a browser from running or loading anything. If the bytes are not stored, it answers 404 and
// returns nil.
func (s *site) raw(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	raw, err := s.store.Raw(r.Context(), agent, m.ID)
	if err != nil {
		return err
	}
	if raw == nil {
		f := templates.FailureOf(http.StatusNotFound)
		f.Title = "File content not stored"
		f.Text = "The file is unreadable or too large. It is unchanged: " + m.Path + "."
		f.BackHref, f.BackLabel = address.MemoryPath(agent.Slug, m.ID), "Back to memory"
		s.kit.ShowFailure(w, r, f)
		return nil
	}
	if !gate.CanWrite(r.Context()) {
		raw = []byte(quarantine.MaskSecrets(string(raw)))
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(raw)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = w.Write(raw) // the client may have disconnected
	return nil
}
