package pages

import (
	"net/http"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// deletionLines is the maximum number of lines of each diff in a preview. Most memories are
// shorter.
const deletionLines = 300

// deletion shows a preview of a memory's deletion. It changes nothing.
func (s *site) deletion(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	if m.State == memories.Deleted {
		http.Redirect(w, r, templates.MemoryPath(agent.Slug, m.ID), http.StatusSeeOther)
		return nil
	}
	change, err := s.engine.PreviewDeletion(r.Context(), agent.Slug, m.ID)
	if err != nil {
		return err
	}
	v := templates.Deletion{
		Frame: templates.Frame{Live: liveOf(agent)}, Agent: agentView(agent), MemoryRow: rowOf(m, time.Now()),
		Change: changeOf(agent, change),
	}
	return show(w, r, http.StatusOK, templates.DeletionPage(v))
}

// changeOf returns the view of a deletion preview, for one memory or many.
func changeOf(agent records.Agent, change sync.DeletionPreview) templates.Change {
	before, after := change.ClaudeMDBefore, change.ClaudeMDAfter
	v := templates.Change{ClaudeMD: templates.ClaudeMDChange{
		Published: published(agent), Problem: after.Problem, CharsBefore: before.Chars, CharsAfter: after.Chars,
		Diff: diff.Texts(text(before.Text), text(after.Text), deletionLines),
	}}
	for _, f := range change.Files {
		v.Files = append(v.Files, templates.MemoryFile{Path: f.Path, Session: f.Session, ModifiedAt: local(f.ModifiedAt)})
	}
	for _, index := range change.Indexes {
		v.Indexes = append(v.Indexes, templates.IndexChange{
			Path: index.Path, Diff: diff.Texts(text(index.Before), text(index.After), deletionLines),
		})
	}
	return v
}
