package sync

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// look is what one look at a part of an agent's directory found.
type look struct {
	at   time.Time
	seen []sighting
	gone []records.File // known to be there, and not there any more
	// durable is how many memories the durable directory carried before; 0 where no more than massRemoval can have left it.
	durable int
	// away says that the durable directory was not there when it was last looked for, or is another one and yet to be looked at as a whole:
	// what files of it carried before says nothing.
	away bool
	// replaced says that another directory has taken the place of the durable one: what is not in it is held as missing.
	replaced bool
	// from is the durable directory that was walked; nil: it was not there.
	from *records.DirectoryID
	// cause is why there is something to see, where that is not just somebody's writing a file.
	cause cause
}

// mayRemove is how many files may have left a memory.
func (l look) mayRemove() int {
	n := len(l.gone)
	for _, s := range l.seen {
		if s.wasThere() {
			n++
		}
	}
	return n
}

// brings says whether a file was seen that carries a key, with a content that is not kept out or is the one to be let in.
func (l look) brings(key memories.Key, out map[records.Tombstone]bool, but records.Tombstone) bool {
	return slices.ContainsFunc(l.seen, func(s sighting) bool {
		t := records.Tombstone{Key: s.key(), Fingerprint: s.fingerprint}
		return !s.file.Unreadable && t.Key == key && (t == but || !out[t])
	})
}

// change is one thing that happened to one memory.
type change struct {
	kind events.Kind
	name string
}

// massRemoval is the number of memories above which their going in one look may be an accident, when they are also
// more than half of the directory's.
const massRemoval = 10

// reconcile decides what a look means. It is the heart of the mirror and a pure function: the same look over the same
// past always has the same outcome.
func reconcile(l look, p past) outcome {
	l.comeAfter(append(slices.Clone(p.Heads), p.Unreadable...))
	d := newDesk(l, p)
	for _, f := range l.gone {
		d.fileGone(f)
	}
	d.renamedOnDisk(l)
	slices.SortFunc(l.seen, func(a, b sighting) int {
		return cmp.Or(a.contentAt.Compare(b.contentAt), cmp.Compare(a.modTime, b.modTime),
			compareBool(a.durable(), b.durable()), strings.Compare(b.path, a.path))
	})
	for _, s := range l.seen {
		d.fileSeen(s)
	}
	// Only when it is known which files carry a memory is it known which of them are copies of others.
	for _, s := range d.contents {
		d.contend(s)
	}
	d.removeWhatNoFileCarries(l.durable)
	d.settle()
	d.journal()
	return d.outcome()
}

// comeAfter lets what counts as now be newer than all that is known of the memories: the clock may have been set back since.
func (l *look) comeAfter(heads []records.MemoryRow) {
	at := l.at
	for _, h := range heads {
		at = h.After(at)
	}
	for i := range l.seen {
		if l.seen[i].contentAt.Equal(l.at) {
			l.seen[i].contentAt = at
		}
	}
	l.at = at
}

// desk is the working table of one reconcile: heads and files as they stand so far.
type desk struct {
	at         time.Time
	away       bool
	replaced   bool
	byKey      map[memories.Key]*page
	byID       map[uuid.UUID]*page
	unreadable map[string]*page // by path
	tombstones map[records.Tombstone]bool
	texts      map[string]sighting        // of primary files that can become the source, by path
	contents   []sighting                 // that carry a memory, in the order of their age
	suspects   []*page                    // a durable file of theirs is gone or carries another name
	outgrown   []*page                    // the file that they are from has been written further, and carries another name
	renamed    map[uuid.UUID]*page        // the new memory in the file of one that was there
	slugs      map[uuid.UUID]memories.Key // the new keys of memories that their files have renamed
	cause      cause
	out        outcome
}

// page is one memory on the desk.
type page struct {
	head      records.MemoryRow
	files     map[string]records.File // that carry it, by path
	left      []memories.Fingerprint  // contents of primary files that carry it no longer
	revisions []records.Revision
	text      *sighting // whose content became the memory's
	isNew     bool
	dropped   bool
	merged    bool // a renamed memory has its key and its history now
	touched   bool // something about it may have to be saved
	before    records.MemoryRow
	kind      events.Kind      // what to tell; empty: nothing
	by        *sighting        // the file that has changed the memory; nil: none has
	life      records.CountKey // of a new one, so far
	learned   int              // where the journal of this look says that a new one was
}

func newDesk(l look, p past) *desk {
	d := &desk{
		at: l.at, away: l.away, replaced: l.replaced, byKey: map[memories.Key]*page{}, byID: map[uuid.UUID]*page{}, unreadable: map[string]*page{}, tombstones: p.Tombstones,
		renamed: map[uuid.UUID]*page{}, cause: l.cause, texts: map[string]sighting{},
	}
	for _, s := range p.texts {
		d.texts[s.path] = s
	}
	for _, h := range p.Heads {
		pg := &page{head: h, before: h, files: map[string]records.File{}}
		d.byID[h.UUID] = pg
		if h.Readable {
			d.byKey[h.Key()] = pg
		}
	}
	for _, h := range p.Unreadable {
		pg := &page{head: h, before: h, files: map[string]records.File{}}
		d.byID[h.UUID] = pg
		d.unreadable[h.Path] = pg
	}
	for _, f := range p.Files {
		if pg := d.byID[f.MemoryID]; pg != nil && f.Status != records.Removing {
			pg.files[f.Path] = f
		}
	}
	return d
}

func (d *desk) fileGone(f records.File) {
	d.leave(f)
	d.dropUnreadable(f.Path)
	if f.Status == records.Blocked {
		d.out.batch.Unblock = append(d.out.batch.Unblock, f.Path)
	}
	f.Present, f.Signature, f.Flaws, f.Unfinished = false, 0, 0, 0
	if f.Status != records.Removing { // a deletion has more to do than to remove the file
		f.Status, f.Problem = records.Mirrored, ""
	}
	d.out.batch.Files = append(d.out.batch.Files, f)
}

// leave takes a file away from the memory that it carried.
func (d *desk) leave(f records.File) {
	pg := d.byID[f.MemoryID]
	if pg == nil || !f.Present {
		return
	}
	delete(pg.files, f.Path)
	pg.touched = true
	if f.Durable() && !d.away {
		d.suspects = append(d.suspects, pg)
		if f.Status == records.Mirrored {
			pg.left = append(pg.left, f.Fingerprint)
		}
	}
}

func (d *desk) fileSeen(s sighting) {
	if s.awaitsRemoval() {
		return
	}
	row := records.File{
		Path: s.path, Session: s.session, Status: records.Mirrored, Present: true, Fingerprint: s.fingerprint, Hash: s.hash,
		Size: s.size, ModTime: s.modTime, ModifiedAt: s.modifiedAt, ContentAt: s.contentAt, Signature: s.signature, Flaws: s.flaws,
	}
	if pg := d.unfinished(s); pg != nil {
		d.keepLastGood(pg, s, row)
		return
	}
	// A file whose bytes are not known says nothing that could have been deleted.
	blocked := s.hash != "" && d.wasDeleted(s) && d.slugFor(s) == nil
	if s.wasThere() && s.known.Status == records.Blocked && !(blocked && s.known.Fingerprint == s.fingerprint) {
		// The very content that was kept out keeps its id: somebody may be about to allow it.
		d.out.batch.Unblock = append(d.out.batch.Unblock, s.path)
	}
	switch {
	case blocked:
		d.block(s, &row)
	case s.file.Unreadable:
		d.seeUnreadable(s, &row)
	default:
		d.dropUnreadable(s.path)
		d.carry(s, &row)
	}
	if s.known == nil {
		d.out.batch.NewFiles = append(d.out.batch.NewFiles, row)
	} else {
		d.out.batch.Files = append(d.out.batch.Files, row)
	}
}

// wasDeleted reports whether the content of the file was deleted under the name that the file states.
func (d *desk) wasDeleted(s sighting) bool {
	return d.tombstones[records.Tombstone{Key: s.key(), Fingerprint: s.fingerprint}]
}

// block keeps out a content that was deleted. The file still carries its name, so it takes nothing from a memory that
// has been learned anew under it.
func (d *desk) block(s sighting, row *records.File) {
	d.dropUnreadable(s.path)
	row.Status, row.Signature = records.Blocked, 0 // what is kept out may be let in
	pg := d.byKey[s.key()]
	if s.file.Unreadable {
		pg = nil
	}
	d.leaveOther(s, pg)
	if pg != nil {
		row.MemoryID = pg.head.UUID
		pg.files[s.path] = *row
		pg.touched = true
	}
	d.out.batch.Block = append(d.out.batch.Block, records.BlockedFile{
		Blocked: memories.Blocked{
			Name: s.file.Name, Team: s.team, Type: s.file.Type, Description: s.file.Description, Body: s.file.Body, Path: s.path,
			Session: s.session, Hash: s.hash, SeenAt: d.at,
		},
		Fingerprint: s.fingerprint,
	})
	d.keptOut(s, *row)
}

// seeUnreadable lists the file by its path. What it carried when it could last be read stays as it is: nothing is
// ever concluded from a failed read.
func (d *desk) seeUnreadable(s sighting, row *records.File) {
	row.Status = records.Unreadable
	row.Problem = s.file.Problems[0].Code
	if s.wasThere() {
		row.MemoryID, row.Flaws = s.known.MemoryID, s.known.Flaws
	}
	if carried := d.byID[row.MemoryID]; carried != nil {
		carried.files[s.path] = *row
		carried.touched = true
	}
	pg := d.unreadable[s.path]
	if pg == nil {
		pg = d.create(s)
		d.unreadable[s.path] = pg
	}
	if pg.head.State == memories.Deleted {
		d.revive(pg, s)
	} else {
		d.adopt(pg, s)
	}
}

func (d *desk) dropUnreadable(path string) {
	if pg := d.unreadable[path]; pg != nil {
		pg.dropped, pg.touched = true, true
		delete(d.unreadable, path)
	}
}

// carry notes that the file carries the memory of its name, which is made if there is none.
func (d *desk) carry(s sighting, row *records.File) {
	pg := d.byKey[s.key()]
	if r := d.slugFor(s); r != nil {
		pg = d.rename(*r)
	}
	d.leaveOther(s, pg)
	if r := d.cause.renames; r != nil && r.To == s.key() {
		pg = d.rename(*r)
	}
	if pg == nil {
		pg = d.create(s)
		d.byKey[s.key()] = pg
		if s.known != nil && s.known.MemoryID != uuid.Nil {
			d.renamed[s.known.MemoryID] = pg
		}
	}
	row.MemoryID = pg.head.UUID
	pg.files[s.path] = *row
	pg.touched = true
	d.contents = append(d.contents, s)
	if s.durable() {
		d.texts[s.path] = s
	}
}

// contend decides whether the content of a file becomes that of the memory which the file carries.
func (d *desk) contend(s sighting) {
	pg := d.byKey[s.key()]
	switch {
	case pg.text == nil && (pg.isNew || pg.isRenamed()):
		d.adopt(pg, s)
	case pg.head.State == memories.Deleted:
		d.revive(pg, s)
	case pg.head.State == memories.Missing:
		d.takeBack(pg, s)
	default:
		d.compete(pg, s)
	}
}

// leaveOther takes the file away from the memory that it carried until now, if that is another one.
func (d *desk) leaveOther(s sighting, pg *page) {
	if !s.wasThere() || s.known.MemoryID == uuid.Nil || pg != nil && s.known.MemoryID == pg.head.UUID {
		return
	}
	d.leave(*s.known)
	if other := d.byID[s.known.MemoryID]; other != nil && other.head.Fingerprint == s.known.Fingerprint && s.goesOn() && s.known.Unfinished == 0 {
		d.outgrown = append(d.outgrown, other)
	}
}

func (d *desk) create(s sighting) *page {
	id := uuid.Must(uuid.NewV7())
	pg := &page{isNew: true, touched: true, kind: events.Saved, files: map[string]records.File{}, head: records.MemoryRow{
		UUID: id,
		Memory: memories.Memory{
			ID: id.String(), Name: s.file.Name, Team: s.team, Readable: !s.file.Unreadable, State: memories.Active,
			CreatedAt: d.knownTime(s.contentAt), UpdatedAt: d.knownTime(s.contentAt),
		},
	}}
	d.byID[id] = pg
	return pg
}

// revive brings a memory back from the trash with what the file says: the file is all the evidence there is.
func (d *desk) revive(pg *page, s sighting) {
	pg.head.State = memories.Active
	pg.head.DeletedAt, pg.head.DeletedBy, pg.head.DeletedActor = time.Time{}, "", ""
	pg.kind = events.Restored
	d.adopt(pg, s)
}

// takeBack ends that a memory is missing: a file carries it again.
func (d *desk) takeBack(pg *page, s sighting) {
	pg.head.State, pg.head.UpdatedAt = memories.Active, d.at
	pg.kind, pg.by = events.Restored, &s
	d.compete(pg, s)
}

// compete makes the file's content the memory's if it is newer. A copy of another file never wins. Neither does a file that has been
// seen with the same bytes, unless it could not be read until now, or is a primary file that is back: then it counts by the time at
// which its content was new.
func (d *desk) compete(pg *page, s sighting) {
	inThisLook := pg.text != nil
	newer := s.contentAt.After(pg.head.ContentAt) || inThisLook && s.contentAt.Equal(pg.head.ContentAt)
	isBack := s.durable() && !s.wasThere()
	// After a memory has come back with several files at once, the newest of them has its say again.
	seenBefore := s.unchanged() && s.known.Status != records.Unreadable && !isBack && pg.before.State != memories.Deleted
	switch {
	case s.isGoodAgain() && s.fingerprint == pg.head.Fingerprint && s.path == pg.head.Path:
		d.adopt(pg, s)
	case seenBefore || !newer || pg.isCopy(pg.files[s.path]):
		d.keepAsPast(pg, s)
	case s.fingerprint == pg.head.Fingerprint && s.path != pg.head.Path:
		pg.head.ContentAt = s.contentAt
	default:
		d.adopt(pg, s)
	}
}

// keepAsPast keeps a content that did not win, so that nothing that was ever learned is lost.
func (d *desk) keepAsPast(pg *page, s sighting) {
	known := s.unchanged() && s.known.Fingerprint == s.fingerprint
	if !known && s.fingerprint != pg.head.Fingerprint {
		d.addRevision(pg, s, false)
	}
}

// adopt makes the file's content the memory's.
func (d *desk) adopt(pg *page, s sighting) {
	h := &pg.head
	pg.touched = true
	if pg.isNew || h.Fingerprint != s.fingerprint || h.Hash != s.hash {
		d.addRevision(pg, s, true)
	}
	if !pg.isNew && (h.Fingerprint != s.fingerprint || pg.kind == events.Restored) {
		h.UpdatedAt = d.at
		if pg.kind == "" {
			pg.kind = events.Saved
		}
	}
	if pg.isNew {
		h.CreatedAt, h.UpdatedAt = earlier(h.CreatedAt, d.knownTime(s.contentAt)), d.knownTime(s.contentAt)
	}
	h.Type, h.Description, h.Fingerprint, h.Hash, h.Size = s.file.Type, s.file.Description, s.fingerprint, s.hash, s.size
	h.Path, h.Session, h.ModifiedAt, h.ContentAt = s.path, s.session, s.modifiedAt, s.contentAt
	h.Problems = s.file.Problems
	pg.text, pg.by = &s, &s
	if pg.isNew {
		d.learn(pg, s)
	}
}

func (d *desk) addRevision(pg *page, s sighting, current bool) {
	for i := range pg.revisions {
		if pg.revisions[i].Fingerprint == s.fingerprint {
			if current {
				pg.revisions[i].Current = true
				pg.head.RevisionID = pg.revisions[i].ID
			}
			return
		}
	}
	seenAt := s.contentAt
	if pg.isRenamed() && s.fingerprint == pg.before.Fingerprint {
		seenAt = pg.before.ContentAt // only the name is new
	}
	r := records.Revision{
		ID: uuid.Must(uuid.NewV7()), MemoryID: pg.head.UUID, Fingerprint: s.fingerprint, Hash: s.hash, Type: s.file.Type,
		Description: s.file.Description, Body: s.file.Body, Raw: s.raw, Path: s.path, Session: s.session,
		SeenAt: d.knownTime(seenAt), Current: current,
	}
	pg.revisions = append(pg.revisions, r)
	if current {
		pg.head.RevisionID = r.ID
	}
}

// knownTime returns a time at which something can have happened: the time of this look if the file's
// own time says nothing.
func (d *desk) knownTime(t time.Time) time.Time {
	if t.Before(memories.KnownSince) {
		return d.at
	}
	return t
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
