package reconcile_test

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/reconcile"
)

// scanMinute is when the scan of a case runs. Times in a case are minutes since base.
const scanMinute = 60

var base = time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)

func minute(n int) time.Time { return base.Add(time.Duration(n) * time.Minute) }

// fixture is the input of one Run.
type fixture struct {
	observed reconcile.Observed
	known    reconcile.KnownState
	files    []records.File // all rows of files; known has those on disk
}

// step adds rows to the known state, or files to the scan.
type step func(*fixture)

func newFixture(known, scan []step) *fixture {
	f := &fixture{observed: reconcile.Observed{At: minute(scanMinute)}}
	f.known.Tombstones = map[records.Tombstone]bool{}
	for _, apply := range slices.Concat(known, scan) {
		apply(f)
	}
	for i, file := range f.files {
		if !file.Present {
			continue
		}
		f.known.Files = append(f.known.Files, file)
		if !file.IsPrimary() || file.Status != records.Mirrored {
			continue
		}
		if row := f.row(file.MemoryID); row != nil && row.Fingerprint != file.Fingerprint {
			name, content, _ := strings.Cut(file.Hash, "=")
			s := fileOf(file.Path, name, content, 0)
			s.Known, s.ContentAt = &f.files[i], file.ContentAt
			f.known.Sources = append(f.known.Sources, s)
		}
	}
	return f
}

func (f *fixture) row(id uuid.UUID) *records.MemoryRow {
	for i := range f.known.Heads {
		if f.known.Heads[i].UUID == id {
			return &f.known.Heads[i]
		}
	}
	return nil
}

func (f *fixture) file(path string) *records.File {
	for i := range f.files {
		if f.files[i].Path == path {
			return &f.files[i]
		}
	}
	return nil
}

// Known state.

// memory adds a memory whose source is a file on disk.
func memory(path, name, content string, at int) step {
	return func(f *fixture) {
		addRow(f, path, name, content, at)
		file(path, name, content, at)(f)
	}
}

// lost adds a memory in the given state, whose source is no longer on disk.
func lost(state memories.State, path, name, content string, at int) step {
	return func(f *fixture) {
		memory(path, name, content, at)(f)
		f.file(path).Present = false
		row := f.row(idOf(name))
		row.State = state
		if state == memories.Deleted {
			row.DeletedAt, row.DeletedBy = minute(at+1), records.ByDisk
		}
	}
}

// file adds a file of a memory that has its content from another file.
func file(path, name, content string, at int) step {
	return func(f *fixture) {
		s := fileOf(path, name, content, at)
		f.files = append(f.files, records.File{
			Path: path, Session: s.Session, MemoryID: idOf(name), Status: records.Mirrored, Present: true, Fingerprint: s.Fingerprint,
			Hash: s.Hash, Size: s.Size, ModTime: s.ModTime, ModifiedAt: minute(at), ContentAt: minute(at),
		})
	}
}

// status changes the status of a known file.
func status(path string, status records.FileStatus) step {
	return func(f *fixture) { f.file(path).Status = status }
}

// unfinished makes a known file one whose last good content is in use.
func unfinished(path string) step {
	return func(f *fixture) {
		f.file(path).Unfinished, f.file(path).Hash = memories.FlawEmpty, "empty"
		row := f.row(f.file(path).MemoryID)
		row.Hash = "empty"
		row.Problems = []memories.Problem{memories.LastGood(path, memories.FlawEmpty)}
	}
}

// unreadableEntry adds the entry for an unreadable file.
func unreadableEntry(path string) step {
	return func(f *fixture) {
		id := uuid.NewSHA1(uuid.Nil, []byte(path))
		f.known.Unreadable = append(f.known.Unreadable, records.MemoryRow{UUID: id, Memory: memories.Memory{
			ID: id.String(), Name: stemOf(path), Path: path, State: memories.NeedsAttention,
		}})
	}
}

// tombstone adds the tombstone of a content.
func tombstone(name, content string) step {
	return func(f *fixture) {
		f.known.Tombstones[records.Tombstone{Key: memories.Key{Name: name}, Fingerprint: fingerprint(content)}] = true
	}
}

// Scan.

// reads adds a file that the scan has read. It was modified at the given minute.
func reads(path, name, content string, modified int) step {
	return func(f *fixture) { f.add(fileOf(path, name, content, modified)) }
}

// saves adds a file that Memoir has just written for a user.
func saves(path, name, content string) step {
	return func(f *fixture) {
		s := fileOf(path, name, content, scanMinute)
		s.Saved = true
		f.add(s)
	}
}

// empties adds a file that the scan has found without bytes.
func empties(path string) step {
	return func(f *fixture) { f.add(parsed(path, "", "empty", scanMinute)) }
}

// readsTypeless adds a file that states a name only.
func readsTypeless(path, name string, modified int) step {
	return func(f *fixture) { f.add(parsed(path, "---\nname: "+name+"\n---\n", name+"=unknown", modified)) }
}

// cannotRead adds a file that the scan could not read.
func cannotRead(path string) step {
	return func(f *fixture) {
		s := parsed(path, "", "", scanMinute)
		s.File = frontmatter.UnreadableFile(stemOf(path), memories.ProblemOf(memories.CodeUnreadable))
		s.Flaws, s.Fingerprint = 0, s.File.Fingerprint(nil)
		f.add(s)
	}
}

// removes adds known files that the scan has found absent.
func removes(paths ...string) step {
	return func(f *fixture) {
		for _, path := range paths {
			f.observed.Removed = append(f.observed.Removed, *f.file(path))
		}
	}
}

func primaryAway(f *fixture) { f.observed.PrimaryAway = true }

func primaryReplaced(f *fixture) { f.observed.PrimaryReplaced = true }

// renames makes the scan one that a rename has requested.
func renames(from, to, content string) step {
	return func(f *fixture) {
		f.observed.Origin = reconcile.Origin{Actor: memories.ByBrowser, Rename: &records.Rename{
			ID: idOf(from), To: memories.Key{Name: to}, Content: fingerprint(content),
		}}
	}
}

func (f *fixture) add(s reconcile.ScannedFile) {
	s.Known = f.file(s.Path)
	s.ApplyExpectedHash()
	s.Date(f.observed.At)
	f.observed.Scanned = append(f.observed.Scanned, s)
}

// Values.

func addRow(f *fixture, path, name, content string, at int) {
	s := fileOf(path, name, content, at)
	f.known.Heads = append(f.known.Heads, records.MemoryRow{
		UUID: idOf(name), RevisionID: uuid.NewSHA1(idOf(name), []byte(content)),
		Memory: memories.Memory{
			ID: idOf(name).String(), Name: name, Readable: true, Type: memories.User, Description: "d", State: memories.Active,
			Path: path, Session: s.Session, Hash: s.Hash, Size: s.Size, Fingerprint: s.Fingerprint,
			ModifiedAt: minute(at), ContentAt: minute(at), CreatedAt: minute(at), UpdatedAt: minute(at),
		},
	})
}

// fileOf returns a file as a scan reads it. Its hash is "name=content".
func fileOf(path, name, content string, modified int) reconcile.ScannedFile {
	raw := "---\nname: " + name + "\ndescription: d\ntype: user\n---\n" + content + "\n"
	return parsed(path, raw, name+"="+content, modified)
}

func parsed(path, raw, hash string, modified int) reconcile.ScannedFile {
	s := reconcile.ScannedFile{
		Path: path, Team: strings.HasPrefix(path, "memory/team/"), Size: int64(len(raw)), ModTime: minute(modified).UnixNano(),
		Raw: []byte(raw), Hash: hash, File: frontmatter.Parse([]byte(raw), stemOf(path)),
	}
	if rest, ok := strings.CutPrefix(path, "sessions/"); ok {
		s.Session, _, _ = strings.Cut(rest, "/")
	}
	s.Flaws, s.Fingerprint = frontmatter.FlawsOf(s.Raw, s.File), s.File.Fingerprint(s.Raw)
	return s
}

func fingerprint(content string) memories.Fingerprint {
	return memories.FingerprintOf(memories.User, "d", content)
}

func stemOf(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// idOf returns the id of a known memory.
func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.Nil, []byte(name)) }

// Result.

// list is a list of lines.
type list = []string

// want is the effect of one Run.
type want struct {
	// memories are all memories afterwards, as "name state content@minute path [flags]". Flags are
	// the conflict and the codes of the problems. The hash is added if the file has other bytes
	// than the content.
	memories  list
	revisions list // as "current content" or "past content"
	// files are blocked and unblocked files, dropped entries, files that have lost their memory, and
	// renames.
	files   list
	journal list // as "kind name by actor (other name)", by time, name and kind
	events  list // as "kind name"

	added, updated, removed int
}

// effectOf returns the effect of a result on the known state.
func effectOf(f *fixture, result reconcile.Result) want {
	b := result.ChangeSet
	w := want{added: result.Added, updated: result.Updated, removed: result.Removed}
	rows := map[uuid.UUID]records.MemoryRow{}
	for _, row := range slices.Concat(f.known.Heads, f.known.Unreadable, b.Heads, b.NewHeads) {
		rows[row.UUID] = row
	}
	for _, id := range b.DropHeads {
		w.files = append(w.files, "drops "+rows[id].Path)
		delete(rows, id)
	}
	for _, r := range b.Renames {
		w.files = append(w.files, fmt.Sprintf("renames %s to %s", r.From.Name, r.To.Name))
		delete(rows, r.Deleted)
	}
	for _, file := range b.Block {
		w.files = append(w.files, "blocks "+file.Path)
	}
	for _, path := range b.Unblock {
		w.files = append(w.files, "unblocks "+path)
	}
	for _, file := range b.Files {
		if known := f.file(file.Path); file.Present && known.Present && file.MemoryID == uuid.Nil && known.MemoryID != uuid.Nil {
			w.files = append(w.files, "frees "+file.Path)
		}
	}
	for _, row := range rows {
		w.memories = append(w.memories, line(row))
	}
	slices.Sort(w.memories)
	for _, r := range slices.Concat(b.NewRevisions, b.Revisions) {
		kind := "past "
		if r.Current {
			kind = "current "
		}
		w.revisions = append(w.revisions, strings.TrimSpace(kind+strings.TrimSpace(r.Body)))
	}
	slices.SortStableFunc(b.Activity, func(a, b records.JournalEntry) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Name, b.Name), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	for _, entry := range b.Activity {
		text := fmt.Sprintf("%s %s by %s", entry.Kind, entry.Name, entry.Actor)
		if entry.OtherName != "" {
			text += " (" + entry.OtherName + ")"
		}
		w.journal = append(w.journal, text)
	}
	for _, c := range result.Changes {
		w.events = append(w.events, fmt.Sprintf("%s %s", c.Kind, c.Name))
	}
	return w
}

func line(row records.MemoryRow) string {
	name := row.Name
	if row.Team {
		name += "(team)"
	}
	content := "unknown"
	for _, c := range []string{"one", "two", "three", "old", "other"} {
		if row.Fingerprint == fingerprint(c) {
			content = c
		}
	}
	text := fmt.Sprintf("%s %s %s@%d %s", name, row.State, content, int(row.ContentAt.Sub(base)/time.Minute), row.Path)
	if row.Readable && row.Hash != row.Name+"="+content {
		text += " (hash " + row.Hash + ")"
	}
	flags := map[string]bool{}
	if row.Conflict != memories.NoConflict {
		flags[string(row.Conflict)+"_conflict"] = true
	}
	for _, p := range row.Problems {
		flags[p.Code] = true
	}
	if len(flags) > 0 {
		text += " " + fmt.Sprint(slices.Sorted(maps.Keys(flags)))
	}
	return text
}

// compareLines compares one field of an effect.
func compareLines(t *testing.T, field string, got, want list) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s =\n\t%s\nwant\n\t%s", field, join(got), join(want))
	}
}

func join(lines list) string { return cmp.Or(strings.Join(lines, "\n\t"), "(none)") }
