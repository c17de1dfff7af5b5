package pages

import (
	"net/http"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// deletionLines is how many lines of each document are shown that a deletion changes: more than most memories have.
const deletionLines = 300

// deletion shows what the deletion of a memory would change, while nothing has changed yet.
func (s *site) deletion(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	if m.State == memories.Deleted {
		http.Redirect(w, r, templates.MemoryPath(agent.Slug, m.ID), http.StatusSeeOther)
		return nil
	}
	before, after, err := s.withAndWithout(r, m)
	if err != nil {
		return err
	}
	carriers := carriersOf(m)
	v := templates.Deletion{
		Frame: templates.Frame{Live: liveOf(agent)}, Agent: agentView(agent), MemoryRow: rowOf(m, time.Now()),
		ClaudeMD: templates.ClaudeMDChange{
			Published: published(agent), Problem: after.Problem, CharsBefore: before.Chars, CharsAfter: after.Chars,
			Diff: diff.Texts(text(before.Text), text(after.Text), deletionLines),
		},
	}
	for _, f := range carriers {
		v.Files = append(v.Files, templates.MemoryFile{Path: f.Path, Session: f.Session, ModifiedAt: local(f.ModifiedAt)})
	}
	for _, index := range indexesWithout(agent, carriers) {
		v.Indexes = append(v.Indexes, templates.IndexChange{
			Path: index.path, Diff: diff.Texts(text(index.before), text(index.after), deletionLines),
		})
	}
	return show(w, r, http.StatusOK, templates.DeletionPage(v))
}

// withAndWithout compiles the CLAUDE.md of the memory's agent as it is and as it would be.
func (s *site) withAndWithout(r *http.Request, m memories.Memory) (with, without sync.Preview, err error) {
	if with, err = s.engine.Preview(r.Context(), m.Agent, ""); err != nil {
		return with, without, err
	}
	without, err = s.engine.Preview(r.Context(), m.Agent, m.ID)
	return with, without, err
}

// carriersOf returns the files that a deletion removes: those that carry the memory, or the one that it stands for
// because it could not be read.
func carriersOf(m memories.Memory) []memories.Carrier {
	if !m.Readable {
		return []memories.Carrier{{Path: m.Path, Session: m.Session, ModifiedAt: m.ModifiedAt}}
	}
	return m.Files
}
