package pages

import (
	"net/http"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// maxDeletionLines is the maximum number of lines of each diff in a preview. Most memories are
// shorter.
const maxDeletionLines = 300

// deletion shows the changes that a memory's deletion would make on disk. It changes nothing. If
// the memory is in the trash already, it redirects to the memory's page.
func (s *site) deletion(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	if m.State == memories.Deleted {
		http.Redirect(w, r, address.MemoryPath(agent.Slug, m.ID), http.StatusSeeOther)
		return nil
	}
	change, err := s.engine.PreviewDeletion(r.Context(), agent.Slug, m.ID)
	if err != nil {
		return err
	}
	v := templates.Deletion{
		Frame: ui.Frame{Live: liveOf(agent)}, Agent: agentView(agent), MemoryRow: rowOf(m, time.Now()),
		Change: changeOf(agent, change),
	}
	return kit.Show(w, r, http.StatusOK, templates.DeletionPage(v))
}

// changeOf returns the view of a deletion preview: the diffs of CLAUDE.md and of the indexes, and
// the files to remove.
func changeOf(agent records.Agent, change engine.DeletionPreview) templates.Change {
	before, after := change.ClaudeMDBefore, change.ClaudeMDAfter
	v := templates.Change{ClaudeMD: templates.ClaudeMDChange{
		Published: agents.Layout(agent.Layout).Published(), Problem: after.Problem, CharsBefore: before.Chars, CharsAfter: after.Chars,
		Diff: shown.Diff(text(before.Text), text(after.Text), maxDeletionLines),
	}}
	for _, f := range change.Files {
		f.ModifiedAt = shown.Local(f.ModifiedAt)
		v.Files = append(v.Files, f)
	}
	for _, index := range change.Indexes {
		v.Indexes = append(v.Indexes, templates.IndexChange{
			Path: index.Path, Diff: shown.Diff(text(index.Before), text(index.After), maxDeletionLines),
		})
	}
	return v
}
