// Package reconcile decides what a scan means for an agent's memories: which content is the newest,
// what is blocked by a tombstone, what is missing, and which names conflict.
//
//	result := reconcile.Run(observed, known)
//
// It is pure: it does no I/O and reads no clock. It has no other state than its arguments.
package reconcile

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

// observed is what one scan of a part of an agent's directory found.
type Observed struct {
	At      time.Time
	Scanned []ScannedFile
	Removed []records.File // known to be there, and not there any more
	// primaryCount is how many memories the primary directory carried before; 0 where no more than massRemoval can have left it.
	PrimaryCount int
	// primaryAway says that the primary directory was not there when it was last looked for, or is another one and yet to be scanned as a whole:
	// what files of it carried before says nothing.
	PrimaryAway bool
	// primaryReplaced says that another directory has taken the place of the primary one: what is not in it is held as missing.
	PrimaryReplaced bool
	// primaryID is the primary directory that was walked; nil: it was not there.
	PrimaryID *records.DirectoryID
	// origin is why there is something to see, where that is not just somebody's writing a file.
	Origin Origin
}

// maxRemovals is how many files may have left a memory.
func (o Observed) MaxRemovals() int {
	n := len(o.Removed)
	for _, s := range o.Scanned {
		if s.wasPresent() {
			n++
		}
	}
	return n
}

// containsKey reports whether a file was seen that carries a key, with a content that is not kept out or is the one to be let in.
func (o Observed) ContainsKey(key memories.Key, out map[records.Tombstone]bool, but records.Tombstone) bool {
	return slices.ContainsFunc(o.Scanned, func(s ScannedFile) bool {
		t := records.Tombstone{Key: s.Key(), Fingerprint: s.Fingerprint}
		return !s.File.Unreadable && t.Key == key && (t == but || !out[t])
	})
}

// change is one thing that happened to one memory.
type Change struct {
	Kind events.Kind
	Name string
}

// massRemoval is the number of memories above which their going in one scan may be an accident, when they are also
// more than half of the directory's.
const MassRemoval = 10

// reconcile decides what a scan means. It is the heart of the mirror and a pure function: the same look over the same
// past always has the same outcome.
func Run(o Observed, known KnownState) Result {
	o.advanceTime(append(slices.Clone(known.Heads), known.Unreadable...))
	r := newReconciler(o, known)
	for _, f := range o.Removed {
		r.applyRemoved(f)
	}
	r.renamedOnDisk(o)
	slices.SortFunc(o.Scanned, func(a, b ScannedFile) int {
		return cmp.Or(a.ContentAt.Compare(b.ContentAt), cmp.Compare(a.ModTime, b.ModTime),
			compareBool(a.isPrimary(), b.isPrimary()), strings.Compare(b.Path, a.Path))
	})
	for _, s := range o.Scanned {
		r.applyScanned(s)
	}
	// Only when it is known which files carry a memory is it known which of them are copies of others.
	for _, s := range r.contents {
		r.resolveFile(s)
	}
	r.removeOrphans(o.PrimaryCount)
	r.updateStates()
	r.journalChanged()
	return r.finish()
}

// advanceTime lets what counts as now be newer than all that is known of the memories: the clock may have been set back since.
func (o *Observed) advanceTime(heads []records.MemoryRow) {
	at := o.At
	for _, h := range heads {
		at = h.After(at)
	}
	for i := range o.Scanned {
		if o.Scanned[i].ContentAt.Equal(o.At) {
			o.Scanned[i].ContentAt = at
		}
	}
	o.At = at
}

// reconciler is the working table of one reconcile: heads and files as they stand so far.
type reconciler struct {
	at              time.Time
	primaryAway     bool
	primaryReplaced bool
	byKey           map[memories.Key]*memoryState
	byID            map[uuid.UUID]*memoryState
	unreadable      map[string]*memoryState // by path
	tombstones      map[records.Tombstone]bool
	sources         map[string]ScannedFile     // of primary files that can become the source, by path
	contents        []ScannedFile              // that carry a memory, in the order of their age
	lostPrimary     []*memoryState             // a primary file of theirs is gone or carries another name
	renamedInPlace  []*memoryState             // the file that they are from has been written further, and carries another name
	renamed         map[uuid.UUID]*memoryState // the new memory in the file of one that was there
	newKeys         map[uuid.UUID]memories.Key // the new keys of memories that their files have renamed
	origin          Origin
	out             Result
}

// memoryState is one memory on the desk.
type memoryState struct {
	row            records.MemoryRow
	files          map[string]records.File // that carry it, by path
	formerContents []memories.Fingerprint  // contents of primary files that carry it no longer
	revisions      []records.Revision
	source         *ScannedFile // whose content became the memory's
	isNew          bool
	dropped        bool
	merged         bool // a renamed memory has its key and its history now
	touched        bool // something about it may have to be saved
	before         records.MemoryRow
	kind           events.Kind      // what to tell; empty: nothing
	changedBy      *ScannedFile     // the file that has changed the memory; nil: none has
	countKey       records.CountKey // of a new one, so far
	createdIndex   int              // where the journal of this scan says that a new one was
}

func newReconciler(o Observed, known KnownState) *reconciler {
	r := &reconciler{
		at: o.At, primaryAway: o.PrimaryAway, primaryReplaced: o.PrimaryReplaced, byKey: map[memories.Key]*memoryState{}, byID: map[uuid.UUID]*memoryState{}, unreadable: map[string]*memoryState{}, tombstones: known.Tombstones,
		renamed: map[uuid.UUID]*memoryState{}, origin: o.Origin, sources: map[string]ScannedFile{},
	}
	for _, s := range known.Sources {
		r.sources[s.Path] = s
	}
	for _, h := range known.Heads {
		m := &memoryState{row: h, before: h, files: map[string]records.File{}}
		r.byID[h.UUID] = m
		if h.Readable {
			r.byKey[h.Key()] = m
		}
	}
	for _, h := range known.Unreadable {
		m := &memoryState{row: h, before: h, files: map[string]records.File{}}
		r.byID[h.UUID] = m
		r.unreadable[h.Path] = m
	}
	for _, f := range known.Files {
		if m := r.byID[f.MemoryID]; m != nil && f.Status != records.Removing {
			m.files[f.Path] = f
		}
	}
	return r
}

func (r *reconciler) applyRemoved(f records.File) {
	r.detach(f)
	r.dropUnreadable(f.Path)
	if f.Status == records.Blocked {
		r.out.ChangeSet.Unblock = append(r.out.ChangeSet.Unblock, f.Path)
	}
	f.Present, f.Signature, f.Flaws, f.Unfinished = false, 0, 0, 0
	if f.Status != records.Removing { // a deletion has more to do than to remove the file
		f.Status, f.Problem = records.Mirrored, ""
	}
	r.out.ChangeSet.Files = append(r.out.ChangeSet.Files, f)
}

// detach takes a file away from the memory that it carried.
func (r *reconciler) detach(f records.File) {
	m := r.byID[f.MemoryID]
	if m == nil || !f.Present {
		return
	}
	delete(m.files, f.Path)
	m.touched = true
	if f.IsPrimary() && !r.primaryAway {
		r.lostPrimary = append(r.lostPrimary, m)
		if f.Status == records.Mirrored {
			m.formerContents = append(m.formerContents, f.Fingerprint)
		}
	}
}

func (r *reconciler) applyScanned(s ScannedFile) {
	if s.AwaitsRemoval() {
		return
	}
	row := records.File{
		Path: s.Path, Session: s.Session, Status: records.Mirrored, Present: true, Fingerprint: s.Fingerprint, Hash: s.Hash,
		Size: s.Size, ModTime: s.ModTime, ModifiedAt: s.ModifiedAt, ContentAt: s.ContentAt, Signature: s.Signature, Flaws: s.Flaws,
	}
	if m := r.unfinished(s); m != nil {
		r.keepLastGood(m, s, row)
		return
	}
	// A file whose bytes are not known says nothing that could have been deleted.
	blocked := s.Hash != "" && r.wasDeleted(s) && r.slugRename(s) == nil
	if s.wasPresent() && s.Known.Status == records.Blocked && !(blocked && s.Known.Fingerprint == s.Fingerprint) {
		// The very content that was blocked keeps its id: somebody may be about to allow it.
		r.out.ChangeSet.Unblock = append(r.out.ChangeSet.Unblock, s.Path)
	}
	switch {
	case blocked:
		r.block(s, &row)
	case s.File.Unreadable:
		r.applyUnreadable(s, &row)
	default:
		r.dropUnreadable(s.Path)
		r.attach(s, &row)
	}
	if s.Known == nil {
		r.out.ChangeSet.NewFiles = append(r.out.ChangeSet.NewFiles, row)
	} else {
		r.out.ChangeSet.Files = append(r.out.ChangeSet.Files, row)
	}
}

// wasDeleted reports whether the content of the file was deleted under the name that the file states.
func (r *reconciler) wasDeleted(s ScannedFile) bool {
	return r.tombstones[records.Tombstone{Key: s.Key(), Fingerprint: s.Fingerprint}]
}

// block blocks a content that was deleted. The file still carries its name, so it takes nothing from a memory that
// has been learned anew under it.
func (r *reconciler) block(s ScannedFile, row *records.File) {
	r.dropUnreadable(s.Path)
	row.Status, row.Signature = records.Blocked, 0 // what is blocked may be let in
	m := r.byKey[s.Key()]
	if s.File.Unreadable {
		m = nil
	}
	r.detachPrevious(s, m)
	if m != nil {
		row.MemoryID = m.row.UUID
		m.files[s.Path] = *row
		m.touched = true
	}
	r.out.ChangeSet.Block = append(r.out.ChangeSet.Block, records.BlockedFile{
		Blocked: memories.Blocked{
			Name: s.File.Name, Team: s.Team, Type: s.File.Type, Description: s.File.Description, Body: s.File.Body, Path: s.Path,
			Session: s.Session, Hash: s.Hash, SeenAt: r.at,
		},
		Fingerprint: s.Fingerprint,
	})
	r.journalBlocked(s, *row)
}

// applyUnreadable lists the file by its path. What it carried when it could last be read stays as it is: nothing is
// ever concluded from a failed read.
func (r *reconciler) applyUnreadable(s ScannedFile, row *records.File) {
	row.Status = records.Unreadable
	row.Problem = s.File.Problems[0].Code
	if s.wasPresent() {
		row.MemoryID, row.Flaws = s.Known.MemoryID, s.Known.Flaws
	}
	if carried := r.byID[row.MemoryID]; carried != nil {
		carried.files[s.Path] = *row
		carried.touched = true
	}
	m := r.unreadable[s.Path]
	if m == nil {
		m = r.create(s)
		r.unreadable[s.Path] = m
	}
	if m.row.State == memories.Deleted {
		r.undelete(m, s)
	} else {
		r.setContent(m, s)
	}
}

func (r *reconciler) dropUnreadable(path string) {
	if m := r.unreadable[path]; m != nil {
		m.dropped, m.touched = true, true
		delete(r.unreadable, path)
	}
}

// attach notes that the file carries the memory of its name, which is made if there is none.
func (r *reconciler) attach(s ScannedFile, row *records.File) {
	m := r.byKey[s.Key()]
	if renaming := r.slugRename(s); renaming != nil {
		m = r.rename(*renaming)
	}
	r.detachPrevious(s, m)
	if renaming := r.origin.Rename; renaming != nil && renaming.To == s.Key() {
		m = r.rename(*renaming)
	}
	if m == nil {
		m = r.create(s)
		r.byKey[s.Key()] = m
		if s.Known != nil && s.Known.MemoryID != uuid.Nil {
			r.renamed[s.Known.MemoryID] = m
		}
	}
	row.MemoryID = m.row.UUID
	m.files[s.Path] = *row
	m.touched = true
	r.contents = append(r.contents, s)
	if s.isPrimary() {
		r.sources[s.Path] = s
	}
}

// resolveFile decides whether the content of a file becomes that of the memory which the file carries.
func (r *reconciler) resolveFile(s ScannedFile) {
	m := r.byKey[s.Key()]
	switch {
	case m.source == nil && (m.isNew || m.isRenamed()):
		r.setContent(m, s)
	case m.row.State == memories.Deleted:
		r.undelete(m, s)
	case m.row.State == memories.Missing:
		r.markFound(m, s)
	default:
		r.resolveContent(m, s)
	}
}

// detachPrevious takes the file away from the memory that it carried until now, if that is another one.
func (r *reconciler) detachPrevious(s ScannedFile, m *memoryState) {
	if !s.wasPresent() || s.Known.MemoryID == uuid.Nil || m != nil && s.Known.MemoryID == m.row.UUID {
		return
	}
	r.detach(*s.Known)
	if other := r.byID[s.Known.MemoryID]; other != nil && other.row.Fingerprint == s.Known.Fingerprint && s.IsExtension && s.Known.Unfinished == 0 {
		r.renamedInPlace = append(r.renamedInPlace, other)
	}
}

func (r *reconciler) create(s ScannedFile) *memoryState {
	id := uuid.Must(uuid.NewV7())
	m := &memoryState{isNew: true, touched: true, kind: events.Saved, files: map[string]records.File{}, row: records.MemoryRow{
		UUID: id,
		Memory: memories.Memory{
			ID: id.String(), Name: s.File.Name, Team: s.Team, Readable: !s.File.Unreadable, State: memories.Active,
			CreatedAt: r.knownTime(s.ContentAt), UpdatedAt: r.knownTime(s.ContentAt),
		},
	}}
	r.byID[id] = m
	return m
}

// undelete brings a memory back from the trash with what the file says: the file is all the evidence there is.
func (r *reconciler) undelete(m *memoryState, s ScannedFile) {
	m.row.State = memories.Active
	m.row.DeletedAt, m.row.DeletedBy, m.row.DeletedActor = time.Time{}, "", ""
	m.kind = events.Restored
	r.setContent(m, s)
}

// markFound ends that a memory is missing: a file carries it again.
func (r *reconciler) markFound(m *memoryState, s ScannedFile) {
	m.row.State, m.row.UpdatedAt = memories.Active, r.at
	m.kind, m.changedBy = events.Restored, &s
	r.resolveContent(m, s)
}

// resolveContent makes the file's content the memory's if it is newer. A copy of another file never wins. Neither does a file that has been
// seen with the same bytes, unless it could not be read until now, or is a primary file that is back: then it counts by the time at
// which its content was new.
func (r *reconciler) resolveContent(m *memoryState, s ScannedFile) {
	inThisLook := m.source != nil
	newer := s.ContentAt.After(m.row.ContentAt) || inThisLook && s.ContentAt.Equal(m.row.ContentAt)
	isBack := s.isPrimary() && !s.wasPresent()
	// After a memory has come back with several files at once, the newest of them has its say again.
	seenBefore := s.hasKnownBytes() && s.Known.Status != records.Unreadable && !isBack && m.before.State != memories.Deleted
	switch {
	case s.IsFinished() && s.Fingerprint == m.row.Fingerprint && s.Path == m.row.Path:
		r.setContent(m, s)
	case seenBefore || !newer || m.isCopy(m.files[s.Path]):
		r.addPastRevision(m, s)
	case s.Fingerprint == m.row.Fingerprint && s.Path != m.row.Path:
		m.row.ContentAt = s.ContentAt
	default:
		r.setContent(m, s)
	}
}

// addPastRevision keeps a content that did not win, so that nothing that was ever learned is lost.
func (r *reconciler) addPastRevision(m *memoryState, s ScannedFile) {
	known := s.hasKnownBytes() && s.Known.Fingerprint == s.Fingerprint
	if !known && s.Fingerprint != m.row.Fingerprint {
		r.addRevision(m, s, false)
	}
}

// setContent makes the file's content the memory's.
func (r *reconciler) setContent(m *memoryState, s ScannedFile) {
	h := &m.row
	m.touched = true
	if m.isNew || h.Fingerprint != s.Fingerprint || h.Hash != s.Hash {
		r.addRevision(m, s, true)
	}
	if !m.isNew && (h.Fingerprint != s.Fingerprint || m.kind == events.Restored) {
		h.UpdatedAt = r.at
		if m.kind == "" {
			m.kind = events.Saved
		}
	}
	if m.isNew {
		h.CreatedAt, h.UpdatedAt = earlier(h.CreatedAt, r.knownTime(s.ContentAt)), r.knownTime(s.ContentAt)
	}
	h.Type, h.Description, h.Fingerprint, h.Hash, h.Size = s.File.Type, s.File.Description, s.Fingerprint, s.Hash, s.Size
	h.Path, h.Session, h.ModifiedAt, h.ContentAt = s.Path, s.Session, s.ModifiedAt, s.ContentAt
	h.Problems = s.File.Problems
	m.source, m.changedBy = &s, &s
	if m.isNew {
		r.journalCreated(m, s)
	}
}

func (r *reconciler) addRevision(m *memoryState, s ScannedFile, current bool) {
	for i := range m.revisions {
		if m.revisions[i].Fingerprint == s.Fingerprint {
			if current {
				m.revisions[i].Current = true
				m.row.RevisionID = m.revisions[i].ID
			}
			return
		}
	}
	seenAt := s.ContentAt
	if m.isRenamed() && s.Fingerprint == m.before.Fingerprint {
		seenAt = m.before.ContentAt // only the name is new
	}
	revision := records.Revision{
		ID: uuid.Must(uuid.NewV7()), MemoryID: m.row.UUID, Fingerprint: s.Fingerprint, Hash: s.Hash, Type: s.File.Type,
		Description: s.File.Description, Body: s.File.Body, Raw: s.Raw, Path: s.Path, Session: s.Session,
		SeenAt: r.knownTime(seenAt), Current: current,
	}
	m.revisions = append(m.revisions, revision)
	if current {
		m.row.RevisionID = revision.ID
	}
}

// knownTime returns a time at which something can have happened: the time of this look if the file's
// own time says nothing.
func (r *reconciler) knownTime(t time.Time) time.Time {
	if t.Before(memories.KnownSince) {
		return r.at
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
