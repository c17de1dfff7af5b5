// Package reconcile decides what a scan means for an agent's memories. It chooses the newest
// content, blocks contents with a tombstone, and finds missing memories and conflicts.
//
//	result := reconcile.Run(observed, known)
//
// It does no I/O and keeps no state. Except for the IDs of new rows, the result depends only on the
// arguments.
package reconcile

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// MassRemoval is the number of memories that one scan may remove without suspicion of an accident.
// If it removes more, and more than half of the primary directory's memories, they become missing.
// Arbitrary.
const MassRemoval = 10

// Run compares a scan with the known state, and returns the changes to save and the events to send.
// It saves and sends nothing. It sorts o.Scanned in place, and may set ContentAt of its files. It
// removes a tombstone from known if a rename allows its content.
func Run(o Observed, known KnownState) Result {
	o.advanceTime(append(slices.Clone(known.Heads), known.Unreadable...))
	r := newReconciler(o, known)
	for _, f := range o.Removed {
		r.applyRemoved(f)
	}
	r.renameToSlugs(o)
	slices.SortFunc(o.Scanned, func(a, b ScannedFile) int {
		return cmp.Or(a.ContentAt.Compare(b.ContentAt), cmp.Compare(a.ModTime, b.ModTime),
			compareBool(a.isPrimary(), b.isPrimary()), strings.Compare(b.Path, a.Path))
	})
	for _, s := range o.Scanned {
		r.applyScanned(s)
	}
	// Blocked files come second: another file of this scan may have created their memory.
	for _, b := range r.blocked {
		r.block(b.file, b.row)
	}
	// Contents come third: isCopy needs all files of a memory.
	for _, s := range r.contents {
		r.resolveFile(s)
	}
	r.removeOrphans(o.PrimaryCount)
	r.updateStates()
	r.journalChanged()
	return r.finish()
}

// reconciler is the working state of one Run.
type reconciler struct {
	at              time.Time
	origin          Origin
	primaryAway     bool
	primaryReplaced bool
	isNote          func(path string) bool // can be nil
	tombstones      map[records.Tombstone]bool

	byID       map[uuid.UUID]*memoryState
	byKey      map[memories.Key]*memoryState // readable memories, also deleted ones
	unreadable map[string]*memoryState       // entries for unreadable files, by path
	sources    map[string]ScannedFile        // primary files that can become the source, by path
	contents   []ScannedFile                 // scanned files that mirror a memory, oldest first
	blocked    []blockedFile                 // scanned files with blocked content, oldest first
	// lostPrimary are memories that a primary file no longer mirrors. It may repeat a memory.
	lostPrimary []*memoryState
	// lostNotes are memories whose note has ended.
	lostNotes []*memoryState
	// renamedInPlace are memories whose content was only the beginning of a file. The file is
	// longer now and states another name.
	renamedInPlace []*memoryState
	// successors are new memories, by the memory that their file mirrored before.
	successors map[uuid.UUID]*memoryState

	out Result
}

// blockedFile is a scanned file with blocked content, and its row.
type blockedFile struct {
	file ScannedFile
	row  records.File
}

// memoryState is the working state of one memory.
type memoryState struct {
	row    records.MemoryRow
	before records.MemoryRow       // row before the scan; zero if isNew
	files  map[string]records.File // its files on disk, by path
	// formerContents are contents of primary files that no longer mirror the memory.
	formerContents []memories.Fingerprint
	revisions      []records.Revision // to save
	source         *ScannedFile       // the file that gave the memory its content; nil if unchanged
	changedBy      *ScannedFile       // the file that changed the memory; nil if none did
	kind           events.Kind        // of the event to send; empty for no event

	isNew   bool
	dropped bool // the row is removed
	merged  bool // a renamed memory has taken over the key and the history
	touched bool // the row may have to be saved

	countKey     records.CountKey // of a new memory, after its last journal entry
	createdIndex int              // of a new memory: the index of its first entry in Activity
}

func newReconciler(o Observed, known KnownState) *reconciler {
	r := &reconciler{
		at: o.At, origin: o.Origin, primaryAway: o.PrimaryAway, primaryReplaced: o.PrimaryReplaced, isNote: o.IsNote, tombstones: known.Tombstones,
		byID: map[uuid.UUID]*memoryState{}, byKey: map[memories.Key]*memoryState{}, unreadable: map[string]*memoryState{},
		sources: map[string]ScannedFile{}, successors: map[uuid.UUID]*memoryState{},
	}
	for _, s := range known.Sources {
		r.sources[s.Path] = s
	}
	for _, row := range known.Heads {
		m := r.addKnown(row)
		if row.Readable {
			r.byKey[row.Key()] = m
		}
	}
	for _, row := range known.Unreadable {
		r.unreadable[row.Path] = r.addKnown(row)
	}
	for _, f := range known.Files {
		if m := r.byID[f.MemoryID]; m != nil && f.Status != records.Removing {
			m.files[f.Path] = f
		}
	}
	return r
}

func (r *reconciler) addKnown(row records.MemoryRow) *memoryState {
	m := &memoryState{row: row, before: row, files: map[string]records.File{}}
	r.byID[row.UUID] = m
	return m
}

// knownTime returns t, or the time of the scan if t is too early to be the time of a change.
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

// compareBool returns -1 if only b is true, 1 if only a is true, and 0 if they are equal.
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

// ordered returns the memories in the order of their ids, so that the result depends only on the
// arguments of Run.
func (r *reconciler) ordered() []*memoryState {
	return slices.SortedFunc(maps.Values(r.byID), func(a, b *memoryState) int {
		return bytes.Compare(a.row.UUID[:], b.row.UUID[:])
	})
}
