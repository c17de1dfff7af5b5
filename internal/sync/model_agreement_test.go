package sync_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/postgres"
	"memoir/internal/records"
)

func hashOf(text string) string { return files.Hash([]byte(text)) }

func (w *world) memories(state memories.State) []memories.Memory {
	agent, err := w.b.store.Agent(context.Background(), w.slug)
	w.must(err)
	page, err := w.b.store.Memories(context.Background(), agent, memories.Filter{State: state, Sort: memories.ByName}, memories.PageRequest{Limit: records.MaxLimit})
	w.must(err)
	return page.Memories
}

// revisions returns the contents that the memory has had. It returns none for an unknown memory.
func (w *world) revisions(m memories.Memory) map[memories.Fingerprint]bool {
	found := map[memories.Fingerprint]bool{}
	if m.ID == "" {
		return found
	}
	agent, err := w.b.store.Agent(context.Background(), w.slug)
	w.must(err)
	revisions, err := w.b.store.Revisions(context.Background(), agent, m.ID, records.RevisionList{Limit: records.MaxLimit})
	if w.rules == nil && errors.Is(err, memories.ErrNotFound) {
		return found // the engine looks by itself, and has dropped the entry of a file that is gone
	}
	w.must(err)
	for _, r := range revisions.Revisions {
		found[memories.FingerprintOf(r.Type, r.Description, r.Body)] = true
	}
	return found
}

func (w *world) blocked() []memories.Blocked {
	agent, err := w.b.store.Agent(context.Background(), w.slug)
	w.must(err)
	blocked, err := w.b.store.Blocked(context.Background(), agent.ID)
	w.must(err)
	slices.SortFunc(blocked, func(a, b memories.Blocked) int { return strings.Compare(a.Path, b.Path) })
	return blocked
}

// mustRefuse reports whether the memory may not be deleted, because a file is not what was seen.
func (w *world) mustRefuse(m memories.Memory) bool {
	return slices.ContainsFunc(w.rules.carriers(m), w.hasChanged)
}

// mayRefuseWriting reports whether a primary file of that key is not what was seen, so that it may
// not be overwritten.
func (w *world) mayRefuseWriting(key string) bool {
	if w.rules == nil || w.memoryIsAway() {
		return true
	}
	for relPath, f := range w.rules.files {
		if !primaryDir(relPath) || !f.there || f.carries != key {
			continue
		}
		if _, err := w.readThrough(relPath); isGone(err) || w.hasChanged(relPath) || w.leavesTeam(relPath) {
			return true
		}
	}
	return false
}

// leavesTeam reports whether a file of team memory is a link, which leads to the text outside of
// it.
func (w *world) leavesTeam(relPath string) bool {
	info, err := os.Lstat(w.path(relPath))
	return err == nil && keyAt(relPath, "") != "" && info.Mode().Type() == fs.ModeSymlink
}

// memoryIsAway reports whether the primary directory is missing and files are known in it, so that
// nothing may be written.
func (w *world) memoryIsAway() bool {
	info, err := os.Stat(w.path("memory"))
	return err != nil || !info.IsDir()
}

// hasChanged reports whether there is something at the place, and that it is not what the rules
// know.
func (w *world) hasChanged(relPath string) bool {
	known := w.rules.files[relPath]
	d, err := w.readThrough(relPath)
	switch {
	case os.IsNotExist(err):
		return false
	case known.bad && known.text == "":
		return true
	case err != nil:
		return true
	}
	return d != known.text
}

// isNoFile reports whether there is something at the place that is no file. Whether that may be
// removed is no matter of the model.
func (w *world) isNoFile(relPath string) bool {
	info, err := os.Lstat(w.path(relPath))
	return !w.isKnown(relPath) || err == nil && !info.Mode().IsRegular()
}

// snapshot is all that is known of an agent, in the database and on disk.
type snapshot struct {
	disk       map[string]diskFile
	rows       map[string]records.File
	alive      map[string]memories.Memory // by key
	unreadable map[string]memories.Memory // by path
	byID       map[string]memories.Memory
	blocked    map[string]memories.Blocked
	tombstones map[records.Tombstone]bool
	agent      records.Agent
}

func (w *world) snapshot() snapshot {
	ctx := context.Background()
	s := snapshot{
		disk: w.disk(), alive: map[string]memories.Memory{}, unreadable: map[string]memories.Memory{},
		byID: map[string]memories.Memory{}, blocked: map[string]memories.Blocked{},
	}
	var err error
	s.agent, err = w.b.store.Agent(ctx, w.slug)
	w.must(err)
	names := map[string]bool{}
	for relPath, f := range s.disk {
		names[frontmatter.Parse([]byte(f.text), stemOf(relPath)).Name] = true
		names[stemOf(relPath)] = true
	}
	s.rows = w.rows(s.agent)
	w.must(w.b.store.WithAgent(ctx, s.agent.ID, func(writer *postgres.Writer) (err error) {
		s.tombstones, err = writer.Rows.Tombstones(ctx, slices.Collect(maps.Keys(names)))
		return err
	}))
	for _, m := range w.memories("") {
		s.byID[m.ID] = m
		if m.Readable {
			s.alive[keyOf(m)] = m
		} else {
			s.unreadable[m.Path] = m
		}
	}
	for _, b := range w.blocked() {
		s.blocked[b.Path] = b
	}
	return s
}

// rows are what is known of the agent's files, by path.
func (w *world) rows(agent records.Agent) map[string]records.File {
	rows := map[string]records.File{}
	w.must(w.b.store.WithAgent(context.Background(), agent.ID, func(writer *postgres.Writer) error {
		all, err := writer.Rows.FilesUnder(context.Background(), []string{"."})
		for _, row := range all {
			rows[row.Path] = row
		}
		return err
	}))
	return rows
}

// disagreements says, a sentence each, where files, rows and CLAUDE.md do not agree.
func (w *world) disagreements() []string {
	s := w.snapshot()
	var found complaints
	for _, relPath := range slices.Sorted(maps.Keys(s.disk)) {
		found.add(s.ofFile(relPath))
	}
	for _, relPath := range slices.Sorted(maps.Keys(s.rows)) {
		row := s.rows[relPath]
		if _, there := s.disk[relPath]; row.Present && !there && w.isKnown(relPath) {
			found.addf("%s is listed as present and is not there", relPath)
		}
		if row.Status == records.Removing && w.isKnown(relPath) {
			found.addf("%s still waits to be removed", relPath)
		}
	}
	for relPath := range s.blocked {
		if row := s.rows[relPath]; !row.Present || row.Status != records.Blocked {
			found.addf("%s is listed as blocked, and its row says %q, present: %t", relPath, row.Status, row.Present)
		}
	}
	for relPath := range s.unreadable {
		if row := s.rows[relPath]; w.isKnown(relPath) && (!row.Present || row.Status != records.Unreadable) {
			found.addf("%s is listed as unreadable, and its row says %q, present: %t", relPath, row.Status, row.Present)
		}
	}
	for _, m := range s.alive {
		found.add(w.ofMemory(s, m))
	}
	found.add(w.ofMeter(s))
	found.add(w.ofClaudeMD(s))
	found = append(found, w.ofIndexes()...)
	found = append(found, w.leftovers()...)
	found = append(found, w.journal()...)
	found = append(found, w.tallies()...)
	return found
}

type complaints []string

func (c *complaints) add(complaint string) {
	if complaint != "" {
		*c = append(*c, complaint)
	}
}

func (c *complaints) addf(format string, args ...any) { c.add(fmt.Sprintf(format, args...)) }

// ofFile: every file on disk is known with its very bytes, and carries the memory of its name, or
// is blocked, or is listed as unreadable.
func (s snapshot) ofFile(relPath string) string {
	d, row := s.disk[relPath], s.rows[relPath]
	if !row.Present {
		return relPath + " is on disk and not known"
	}
	parsed := frontmatter.Parse([]byte(d.text), stemOf(relPath))
	readable := !d.bad && !parsed.Unreadable
	switch {
	case !d.bad && row.Hash != hashOf(d.text):
		return fmt.Sprintf("%s is known with other bytes than %q", relPath, d.text)
	case readable && row.Unfinished != 0:
		if m := s.byID[row.MemoryID.String()]; !primaryDir(relPath) || row.Status != records.Mirrored || !m.Readable || flawsOf(d.text) == (flaws{}) {
			return fmt.Sprintf("%s says %q, is unfinished, and carries %q", relPath, d.text, m.Name)
		}
	case readable && s.tombstones[records.Tombstone{Key: memories.Key{Name: parsed.Name, Team: keyAt(relPath, "") != ""}, Fingerprint: parsed.Fingerprint(nil)}],
		!readable && row.Status == records.Blocked && !d.bad: // the bytes of a deleted unreadable file
		if row.Status != records.Blocked || s.blocked[relPath].Hash != row.Hash {
			return fmt.Sprintf("%s says what was deleted, is %s, and blocked with %+v", relPath, row.Status, s.blocked[relPath])
		}
	case !readable:
		m, listed := s.unreadable[relPath]
		if row.Status != records.Unreadable || !listed || m.State != memories.NeedsAttention {
			return fmt.Sprintf("%s cannot be read, is %s, and listed: %t", relPath, row.Status, listed)
		}
	case row.Status != records.Mirrored || keyOf(s.byID[row.MemoryID.String()]) != keyAt(relPath, parsed.Name) || !s.byID[row.MemoryID.String()].Readable:
		return fmt.Sprintf("%s says %q, is %s, and carries %q", relPath, keyAt(relPath, parsed.Name), row.Status, keyOf(s.byID[row.MemoryID.String()]))
	}
	return ""
}

// ofMemory checks that a memory has a content that was written, and not a deleted one.
func (w *world) ofMemory(s snapshot, m memories.Memory) string {
	content := memories.FingerprintOf(m.Type, m.Description, m.Body)
	state := memories.Active
	if m.Type == "" {
		state = memories.NeedsAttention
	}
	switch {
	case content != m.Fingerprint:
		return fmt.Sprintf("%q has the fingerprint of another content", m.Name)
	case !w.ever[keyOf(m)][content]:
		return fmt.Sprintf("%q says %q, which nobody ever wrote under that name", m.Name, m.Body)
	case w.ended[keyOf(m)][content]:
		return fmt.Sprintf("%q says %q, which was deleted", m.Name, m.Body)
	case !w.revisions(m)[content]:
		return fmt.Sprintf("what %q says is none of its revisions", m.Name)
	case m.State != state && m.State != memories.Missing:
		return fmt.Sprintf("%q of type %q is %s", m.Name, m.Type, m.State)
	}
	for _, f := range m.Files {
		if row := s.rows[f.Path]; f.Path == m.Path && f.Hash != m.Hash {
			return fmt.Sprintf("%q is said to be at %s, whose hash %s is not its own %s; the row says %s", m.Name, m.Path, f.Hash, m.Hash, row.Status)
		}
	}
	return ""
}

// ofMeter: the meter counts each file once. What it says of an agent that another server looks
// after is a moment old.
func (w *world) ofMeter(s snapshot) string {
	if m := w.b.statusOf(w.slug); m.FilesOnDisk != len(s.disk) && !m.Elsewhere {
		return fmt.Sprintf("%d files are on disk, and the meter says %d", len(s.disk), m.FilesOnDisk)
	}
	return ""
}

func (w *world) leftovers() []string {
	var found complaints
	w.must(filepath.WalkDir(w.path("."), func(p string, entry fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		if strings.HasPrefix(entry.Name(), ".memoir-") {
			found.addf("%s is left over", p)
		}
		return nil
	}))
	return found
}
