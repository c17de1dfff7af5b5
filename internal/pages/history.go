package pages

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

const (
	// maxRevisions is the maximum number of revisions on a page (arbitrary).
	maxRevisions = 10
	// maxHistoryBytes is the maximum size of their bodies together, in bytes (arbitrary).
	maxHistoryBytes = 2 << 20
	// maxRevisionLines is the maximum number of lines shown of one revision (arbitrary).
	maxRevisionLines = 100
)

// history shows one page of a memory's revisions, newest first, each as a diff to the previous one.
// The page begins with the revision that the cursor names, else with the newest.
func (s *site) history(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	page, err := s.historyFrom(r, agent, m)
	if err != nil {
		return err
	}
	path := templates.MemoryPath(agent.Slug, m.ID, "history")
	notice, err := s.noticeOf(r, agent, path)
	if err != nil {
		return err
	}
	v := templates.History{
		Frame: templates.Frame{Live: liveOf(agent), Notice: notice}, Agent: agentView(agent), MemoryRow: rowOf(m, time.Now()),
		Total: page.Total,
	}
	if page.Skipped > 0 {
		v.FirstHref = path
	}
	shown := comparedRevisions(page.Revisions)
	for i, revision := range shown {
		if err := r.Context().Err(); err != nil {
			return err
		}
		var before *memories.Revision
		if i+1 < len(page.Revisions) {
			before = &page.Revisions[i+1]
		}
		v.Revisions = append(v.Revisions, revisionView(m, revision, before))
	}
	if len(shown) < len(page.Revisions) {
		v.MoreHref = templates.WithQuery(path, map[string]string{templates.FieldCursor: page.Revisions[len(shown)].ID})
	}
	return show(w, r, http.StatusOK, templates.HistoryPage(v))
}

// comparedRevisions returns the first elements of revisions: at most maxRevisions, and only as many
// as have maxHistoryBytes of body together. The first one is always included. Diffs of more text
// would be slow.
func comparedRevisions(revisions []memories.Revision) []memories.Revision {
	size := 0
	for i, revision := range revisions {
		if size += len(revision.Body); i == maxRevisions || i > 0 && size > maxHistoryBytes {
			return revisions[:i]
		}
	}
	return revisions
}

// historyFrom returns at most maxRevisions+1 revisions, newest first. The first is the one that the
// cursor in the address names by its id or by the hash of its bytes. If there is no cursor, or no
// such revision, the first is the newest.
func (s *site) historyFrom(r *http.Request, agent records.Agent, m memories.Memory) (records.RevisionPage, error) {
	list := records.RevisionList{From: r.URL.Query().Get(templates.FieldCursor), Limit: maxRevisions + 1}
	page, err := s.store.Revisions(r.Context(), agent, m.ID, list)
	if errors.Is(err, records.ErrCursor) {
		list.From = ""
		page, err = s.store.Revisions(r.Context(), agent, m.ID, list)
	}
	return page, err
}

// revisionView returns the view of a revision with its diff to before, the previous one. If before
// is nil, the revision is the first, and the diff shows the whole text as added. Restorable is
// false for the current content, and if the memory is deleted or unreadable.
func revisionView(m memories.Memory, revision memories.Revision, before *memories.Revision) templates.Revision {
	revision.SeenAt = local(revision.SeenAt)
	v := templates.Revision{
		Revision: revision, Agent: m.Agent, MemoryID: m.ID, ETag: engine.ETag(m),
		First: before == nil, Current: revision.ID == hex.EncodeToString(m.Fingerprint[:]), Readable: m.Readable,
	}
	v.Restorable = m.Readable && m.State != memories.Deleted && !v.Current
	if before == nil {
		before = &memories.Revision{Type: revision.Type}
	}
	v.TypeBefore = before.Type
	v.Description = maskedDiff(before.Description, revision.Description, maxRevisionLines)
	v.Body = maskedDiff(before.Body, revision.Body, maxRevisionLines)
	return v
}

// text returns raw as valid UTF-8. Invalid bytes become U+FFFD.
func text[T string | []byte](raw T) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }

// restoreRevision gives a memory the type, description and body of the revision in the address. The
// name stays. It redirects to the page of the form, by default the history. It returns
// memories.ErrNotFound if the revision does not exist. After a conflict it shows the reason and the
// current memory.
func (s *site) restoreRevision(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	id := chi.URLParam(r, "revision")
	page, err := s.store.Revisions(r.Context(), agent, m.ID, records.RevisionList{From: id, Limit: 1})
	if errors.Is(err, records.ErrCursor) {
		return memories.ErrNotFound
	}
	if err != nil {
		return err
	}
	then := page.Revisions[0]
	patch := engine.Patch{Type: &then.Type, Description: &then.Description, Body: &then.Body}
	if _, err := s.engine.Patch(r.Context(), agent.Slug, m.ID, r.PostFormValue(templates.FieldETag), patch); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(agent.Slug, m.ID, "history")), doneReverted, m.ID)
}
