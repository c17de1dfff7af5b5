package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// mend shows what is wrong with one memory, and what can be done about it.
func (s *site) mend(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	path := templates.MemoryPath(agent.Slug, m.ID, "fix")
	notice, err := s.noticeOf(r.Context(), r, agent, path)
	if err != nil {
		return err
	}
	flawed, err := s.engine.ProposeFixes(r.Context(), agent.Slug, m.ID)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.MendPage(templates.Mend{
		Frame: templates.Frame{Live: liveOf(agent), Notice: notice}, Agent: agentView(agent),
		Mending: mendingOf(m, flawed, path, time.Now()),
	}))
}

// fix mends one file of a memory, as the user saw it, and offers to take that back.
func (s *site) fix(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	file := r.PostFormValue(templates.FieldPath)
	result, err := s.engine.Fix(r.Context(), slug, id, r.PostFormValue(templates.FieldETag), file, r.PostFormValue(templates.FieldFix))
	if err != nil {
		return s.refuse(w, r, err)
	}
	to := back(r, templates.AttentionPath(slug))
	if result.Memory.ID == id {
		to = undoing(to, file, r.PostFormValue(templates.FieldHash))
	} else if to == templates.MemoryPath(slug, id, "fix") {
		to = templates.MemoryPath(slug, result.Memory.ID, "fix") // the file carries another memory now
	}
	return redirect(w, r, to, doneFixed, result.Memory.ID)
}

// undoing adds to an address which file was mended, and what it was: the page offers to take that back.
func undoing(path, file, hash string) string {
	target, err := url.Parse(path)
	if err != nil {
		return path
	}
	query := target.Query()
	query.Set(templates.FieldPath, file)
	query.Set(templates.FieldHash, hash)
	target.RawQuery = query.Encode()
	return target.String()
}

// undoFix writes back what a file said before it was mended.
func (s *site) undoFix(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	query := r.URL.Query()
	_, err := s.engine.UndoFix(r.Context(), slug, id, r.PostFormValue(templates.FieldETag), query.Get(templates.FieldPath), query.Get(templates.FieldHash))
	if err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.AttentionPath(slug)), doneUnfixed, id)
}

// canUndo says whether the history still has the bytes of that hash, and the memory the file, which says something else.
func (s *site) canUndo(ctx context.Context, agent records.Agent, m memories.Memory, file, hash string) (bool, error) {
	if !slices.ContainsFunc(m.Files, func(f memories.MemoryFile) bool { return f.Path == file && f.Hash != hash }) {
		return false, nil
	}
	raw, err := s.store.RawOfHash(ctx, agent, m.ID, hash)
	return raw != nil, err
}
