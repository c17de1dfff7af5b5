package pages

import (
	"context"
	"errors"
	"net/http"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// maxDeletionLines is the maximum number of lines of each diff in a preview. Most memories are
// shorter.
const maxDeletionLines = 300

// deletion shows the changes that a memory's deletion would make on disk. It changes nothing. If
// the memory is in the trash already, it redirects to the memory's page.
func (s *site) deletion(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
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

// changeOf returns the view of a deletion preview: the diffs of CLAUDE.md and of the indexes, and
// the files to remove.
func changeOf(agent records.Agent, change engine.DeletionPreview) templates.Change {
	before, after := change.ClaudeMDBefore, change.ClaudeMDAfter
	v := templates.Change{ClaudeMD: templates.ClaudeMDChange{
		Published: published(agent), Problem: after.Problem, CharsBefore: before.Chars, CharsAfter: after.Chars,
		Diff: maskedDiff(text(before.Text), text(after.Text), maxDeletionLines),
	}}
	for _, f := range change.Files {
		f.ModifiedAt = local(f.ModifiedAt)
		v.Files = append(v.Files, f)
	}
	for _, index := range change.Indexes {
		v.Indexes = append(v.Indexes, templates.IndexChange{
			Path: index.Path, Diff: maskedDiff(text(index.Before), text(index.After), maxDeletionLines),
		})
	}
	return v
}

// deletionOfMany shows the changes that the deletion of all selected memories would make on disk.
// It changes nothing. It ignores purged memories and memories in the trash. If no others are
// selected, it redirects to the Memory tab with a notice. It is a POST because hundreds of ids do
// not fit into an address.
func (s *site) deletionOfMany(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	var ids []string
	for _, seen := range selectedIn(r) {
		ids = append(ids, seen.ID)
	}
	change, err := s.engine.PreviewDeletion(r.Context(), agent.Slug, ids...)
	if errors.Is(err, memories.ErrNotFound) {
		if ids, err = s.known(r.Context(), agent, ids); err == nil {
			change, err = s.engine.PreviewDeletion(r.Context(), agent.Slug, ids...)
		}
	}
	if err != nil {
		return err
	}
	if len(change.Memories) == 0 {
		return s.nothingSelected(w, r)
	}
	v := templates.ManyDeletion{
		Agent: agentView(agent), Rows: rowsOf(change.Memories), Back: back(r, templates.MemoriesPath(agent.Slug)),
		Change: changeOf(agent, change),
	}
	return show(w, r, http.StatusOK, templates.ManyDeletionPage(v))
}

// known returns those of ids whose memories exist, in the same order. Memories in the trash exist;
// purged ones do not.
func (s *site) known(ctx context.Context, agent records.Agent, ids []string) ([]string, error) {
	var known []string
	for _, id := range ids {
		_, err := s.store.Memory(ctx, agent, id)
		switch {
		case err == nil:
			known = append(known, id)
		case !errors.Is(err, memories.ErrNotFound):
			return nil, err
		}
	}
	return known, nil
}

// nothingSelected redirects to the Memory tab with a notice that nothing was selected. It always
// returns nil.
func (s *site) nothingSelected(w http.ResponseWriter, r *http.Request) error {
	return redirect(w, r, templates.MemoriesPath(slugOf(r)), doneNothing, "")
}
