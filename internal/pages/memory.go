package pages

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/findings/quarantine"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// memory shows the memory in the address next to the list that it was opened from. For the id of a
// fact in MEMORY.md it redirects to the fact's page. For a memory that another agent shares with
// this one it redirects to the owner's page. For any other id it returns memories.ErrNotFound.
func (s *site) memory(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if errors.Is(err, memories.ErrNotFound) {
		return s.otherThanMemory(w, r, agent)
	}
	if err != nil {
		return err
	}
	view, _, err := viewOf(r, agent)
	if err != nil {
		return err
	}
	frame, err := s.memoriesFrame(r, agent, view.Memory(m.ID))
	if err != nil {
		return err
	}
	return s.showMemory(w, r, http.StatusOK, agent, m, frame)
}

// otherThanMemory takes the id in the address. It redirects to the fact in MEMORY.md with that id,
// or to the memory that another agent shares with this one. It returns memories.ErrNotFound if
// neither exists.
func (s *site) otherThanMemory(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	fact, err := s.store.IndexFact(r.Context(), agent, idOf(r))
	switch {
	case err == nil:
		http.Redirect(w, r, templates.FactPath(agent.Slug, fact.ID), http.StatusSeeOther)
		return nil
	case !errors.Is(err, memories.ErrNotFound):
		return err
	}
	return s.sharedMemory(w, r, agent)
}

// ofMemory returns a handler that calls handle with the memory that the address names, and with its
// agent. If either does not exist, the handler returns memories.ErrNotFound and does not call
// handle.
func (s *site) ofMemory(handle func(http.ResponseWriter, *http.Request, records.Agent, memories.Memory) error) handler {
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
	agent, err := s.requestedAgent(r)
	if err != nil {
		return agent, memories.Memory{}, err
	}
	m, err := s.store.Memory(r.Context(), agent, idOf(r))
	return agent, m, err
}

func idOf(r *http.Request) string { return chi.URLParam(r, "id") }

func (s *site) showMemory(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, m memories.Memory, frame templates.Frame) error {
	v, err := s.memoryList(r, agent, m.ID)
	if err != nil {
		return err
	}
	v.Frame = frame
	if v.Open, err = s.openMemory(r, agent, m, v.View); err != nil {
		return err
	}
	return show(w, r, status, templates.MemoriesPage(v))
}

// openMemory returns the view of a memory next to the list view.
func (s *site) openMemory(r *http.Request, agent records.Agent, m memories.Memory, view templates.View) (*templates.Memory, error) {
	links := s.linksOf(r.Context(), agent)
	links.href = view.Memory
	body, err := links.render(m.Body)
	if err != nil {
		return nil, err
	}
	m.CreatedAt, m.UpdatedAt, m.DeletedAt = local(m.CreatedAt), local(m.UpdatedAt), local(m.DeletedAt)
	for i := range m.Files {
		m.Files[i].ModifiedAt = local(m.Files[i].ModifiedAt)
	}
	open := templates.Memory{Agent: agentView(agent), View: view, MemoryRow: rowOf(m, time.Now()), Body: body}
	if open.LinkedFrom, err = s.linkedFrom(r.Context(), agent, m, view); err != nil {
		return nil, err
	}
	if open.Disagreement, err = s.disagreementAbout(r.Context(), agent, m); err != nil {
		return nil, err
	}
	if open.Recalls, err = s.recallsOf(r.Context(), m); err != nil {
		return nil, err
	}
	if open.Citations, err = s.citationsOf(r.Context(), agent, m); err != nil {
		return nil, err
	}
	from, err := s.store.Shared(r.Context(), agent)
	if err != nil {
		return nil, err
	}
	open.SharedWithAll = len(from) > 0
	if open.Twins, err = s.twinsOf(r.Context(), agent, from, m, links); err != nil {
		return nil, err
	}
	if open.MoveTargets, err = s.moveTargets(r.Context(), agent, m); err != nil {
		return nil, err
	}
	return &open, nil
}

// local returns t in the server's time zone. The zero time stays zero.
func local(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Local()
}

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
		f.Title = "Its bytes are not kept here"
		f.Text = "The file could not be read, or is too large for a memory, so it was left where it is: " + m.Path + "."
		f.BackHref, f.BackLabel = templates.MemoryPath(agent.Slug, m.ID), "Back to the memory"
		s.showFailure(w, r, f)
		return nil
	}
	if gate.ReadOnly(r.Context()) {
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
