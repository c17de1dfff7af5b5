// Package scan mirrors an agent's directory into the database. It walks the requested paths,
// compares them with the known rows, and reads the files that differ. It commits what package
// reconcile decides.
//
// It does not publish CLAUDE.md, and it does not decide which content counts. The Engine calls it
// after events and in full scans. Package ops calls it after it has written a file.
package scan

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/claudemd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/watch"
)

const (
	// maxIndexedInScan is the largest number of new contents that a scan adds to the search index
	// itself. Arbitrary. Larger scans leave that to IndexLater, and so do all scans before the
	// first full scan is done. With 3,000 files of 20 agents, the server is then ready in half the
	// time.
	maxIndexedInScan = 200
	// farPastLimit is the factor of ClaudeMDLimit from which presetCosts applies. Arbitrary: most
	// of so many memories become one-line entries.
	farPastLimit = 4
)

// Scanner compares the agents' directories with the database and commits the differences. Its
// methods are safe for concurrent use for different agents.
type Scanner struct {
	// ClaudeMDLimit is the length of a CLAUDE.md, in Unicode characters, from which memories become
	// one-line entries. 0 means that they never do.
	ClaudeMDLimit int
	// WriterPause is how long a program may pause while it writes an unfinished file.
	WriterPause time.Duration
	Watcher     *watch.Watcher // watches the directories that scans visit
	Scans       *Tracker       // records the unreadable directories
	// LinkTarget is the same as agenttx.Options.LinkTarget.
	LinkTarget func(agents.Agent) string
	// IndexLater requests that the search index is filled from the memory with this id on, in the
	// order of ids.
	IndexLater func(first uuid.UUID)
}

// Request configures one scan of an agent.
type Request struct {
	// Paths are the paths to scan, with everything below them, relative to the agent's directory.
	// "." is the whole directory.
	Paths []string
	// Saved is the path of a file that Memoir has just written for a user. Its content counts as
	// the newest. Empty means no file.
	Saved string
	// Origin is the cause of the changes. The zero value means that another program made them.
	Origin reconcile.Origin
	// Deferred collects the files that the scan did not read because a program is writing them. The
	// caller then scans them again. It is nil if no caller does; then requested scans read them.
	Deferred *DeferredFiles
}

// Result describes the findings of a scan.
type Result struct {
	// Memories are the ids of the memories whose rows have changed. An id occurs again if a later
	// batch changed the row again.
	Memories []uuid.UUID `json:"-"`

	Scanned        int           // memory files on disk, at the scanned paths
	Added          int           // memories
	Updated        int           // memories
	Removed        int           // memories
	NeedsAttention int           // memories in the state NeedsAttention; set by the Engine, not by Run
	Took           time.Duration // set by the Engine, not by Run
	// Changed means that a file was new, changed, back or missing, also if no memory has changed.
	Changed bool
}

// Add adds the five counts of other to those of s. It leaves Memories, Took and Changed as they
// are.
func (s *Result) Add(other Result) {
	s.Scanned += other.Scanned
	s.Added += other.Added
	s.Updated += other.Updated
	s.Removed += other.Removed
	s.NeedsAttention += other.NeedsAttention
}

// Run scans r.Paths of the agent. It commits the differences between disk and rows in batches,
// emits an event for each change, and watches the directories that it visits. It does not write
// CLAUDE.md. It fails with memories.ErrOutOfFiles if too many files are open. If the agent's
// directory is missing or cannot be opened for another reason, it changes nothing and returns a
// zero Result and nil. After an error, the Result may be zero although some batches are committed.
func (s *Scanner) Run(ctx context.Context, tx *agenttx.Tx, r Request) (Result, error) {
	paths, isFullScan := r.Paths, agenttx.IsFullScan(r.Paths)
	s.recordClosed(tx)
	if tx.Root == nil {
		return Result{}, agenttx.OutOfFiles(tx.Closed) // the files may still exist
	}
	at := records.Now()
	logDirs, err := s.scanLogs(ctx, tx, paths, at)
	if err != nil || isLogsOnly(tx, paths) {
		return Result{}, err
	}
	var dirs []string
	listing := agents.Walk(tx.Root, tx.Agent, paths, func(dir string) {
		s.watchDir(tx, dir)
		dirs = append(dirs, dir)
	})
	if listing.Exhausted != nil {
		return Result{}, agenttx.OutOfFiles(listing.Exhausted)
	}
	targets, err := s.watchTargets(tx, listing, dirs)
	if err != nil {
		return Result{}, err
	}
	visited := slices.Concat(dirs, logDirs, targets)
	if isFullScan {
		s.watchOnly(tx, visited)
	}
	uncleared, err := clearLeftovers(tx, visited, isFullScan)
	if err != nil {
		return Result{}, err
	}
	recordLinks(tx, listing, paths)
	s.recordBlocked(tx, listing, paths)
	primaryAway, newDir, err := recordPrimaryDir(ctx, tx, listing, isFullScan)
	if err != nil {
		return Result{}, err
	}
	if err := listOthers(tx, &listing, paths); err != nil {
		return Result{}, err
	}
	diff, err := compare(ctx, tx, listing, r)
	if err != nil {
		return Result{}, err
	}
	removed, err := removedFiles(tx, listing, diff.known, primaryAway)
	if err != nil {
		return Result{}, err
	}
	missing := len(removed)
	removed = slices.DeleteFunc(removed, func(f records.File) bool {
		return slices.Contains(uncleared, path.Dir(f.Path)) // a leftover may be this file
	})
	o := reconcile.Observed{At: at, Removed: removed, PrimaryAway: primaryAway, PrimaryReplaced: newDir.isReplacement, Origin: r.Origin}
	if tx.Agent.Rules().TakesNotes() {
		o.IsNote = tx.Agent.IsNote
	}
	if listing.HasPrimary {
		o.PrimaryID = &records.DirectoryID{Device: listing.PrimaryDevice, Inode: listing.PrimaryInode}
	}
	// Before the files are read: these are examined as they are read.
	if isFullScan {
		if err := examineAll(ctx, tx); err != nil {
			return Result{}, err
		}
	}
	result, err := s.commitBatches(ctx, tx, r, o, &diff)
	if err != nil {
		return Result{}, err
	}
	// Not before the commit: after a crash in between, the next scan would take the new directory
	// for the known one. It would count the files that are not in it as removed.
	if newDir.id != nil && len(removed) == missing {
		if err := tx.DB.SetPrimaryDir(ctx, *newDir.id); err != nil {
			return Result{}, err
		}
	}
	if slices.ContainsFunc(removed, func(f records.File) bool { return f.Status == records.Removing }) {
		// Another program has removed a file that was marked for removal. Its index entries are
		// removed now, because a later entry with that path would be for another file.
		if err := removal.Resume(ctx, tx); err != nil {
			return Result{}, err
		}
	}
	result.Scanned = len(listing.Files)
	if err := mirrorIndexes(ctx, tx, listing, primaryAway); err != nil {
		return Result{}, err
	}
	indexfile.RecordIndexes(tx, listing)
	tx.State.FileCounter.Update(paths, len(listing.Files)-diff.deferred, diff.presentBefore, diff.unseen(listing, removed))
	if err := flagForgotten(ctx, tx); err != nil || !isFullScan {
		return result, err
	}
	tx.State.FullyScanned = true
	return result, tx.DB.SetSessionCount(ctx, max(0, listing.Sessions))
}

// commitBatches divides the files of diff into batches. For each batch, it reads the files, commits
// the changes, and emits their events. After an error the earlier batches stay committed, and the
// result describes them.
func (s *Scanner) commitBatches(ctx context.Context, tx *agenttx.Tx, r Request, o reconcile.Observed, diff *scanDiff) (Result, error) {
	batches, err := s.makeBatches(ctx, tx, r, o, diff)
	if err != nil {
		return Result{}, err
	}
	result := Result{Changed: len(o.Removed) > 0}
	for i, b := range batches {
		o.Removed = b.removed
		if o.Scanned, err = s.readChanged(ctx, tx, r, o.At, b, diff); err != nil {
			return result, err
		}
		if err := letIn(ctx, tx, o.Scanned); err != nil {
			return result, err
		}
		if !o.PrimaryAway && o.PrimaryID != nil && !isPrimaryDir(tx, *o.PrimaryID) {
			o.PrimaryAway = true // it was replaced after the walk, so its files mean nothing
			tx.Rescan(".")
		}
		if i == 0 && (len(batches) > 1 || o.MaxRemovals() > reconcile.MassRemoval) {
			if o.PrimaryCount, err = tx.Rows.CountPrimary(ctx); err != nil {
				return result, err
			}
		}
		committed, err := s.commitScan(ctx, tx, o)
		if err != nil {
			return result, err
		}
		EmitChanges(tx, committed.Changes)
		result.Memories = append(result.Memories, committed.ChangeSet.Memories()...)
		result.Added += committed.Added
		result.Updated += committed.Updated
		result.Removed += committed.Removed
		result.Changed = result.Changed || slices.ContainsFunc(o.Scanned, reconcile.ScannedFile.HasNewContent)
	}
	return result, nil
}

// commitScan decides with reconcile.Run what the scanned and removed files of o mean, commits the
// changes of rows, and returns them. It returns a zero Result for no files. It ignores the rename
// of o if no scanned file has the new name with an allowed content. If there are many new contents,
// or the first full scan is not done, it leaves the search index to IndexLater.
func (s *Scanner) commitScan(ctx context.Context, tx *agenttx.Tx, o reconcile.Observed) (reconcile.Result, error) {
	if len(o.Scanned)+len(o.Removed) == 0 {
		return reconcile.Result{}, nil
	}
	known, err := loadKnownState(ctx, tx, o)
	if err != nil {
		return reconcile.Result{}, err
	}
	if rename := o.Origin.Rename; rename != nil {
		content := records.Tombstone{Key: rename.To, Fingerprint: rename.Content}
		if o.ContainsKey(rename.To, known.Tombstones, content) {
			delete(known.Tombstones, content)
		} else {
			o.Origin.Rename = nil // another program has replaced the new file: the old name stays
		}
	}
	result := reconcile.Run(o, known)
	s.presetCosts(result.ChangeSet.NewHeads)
	var later []records.SearchText
	if len(result.ChangeSet.Words) > maxIndexedInScan || !s.Scans.IsReady() {
		later, result.ChangeSet.Words = result.ChangeSet.Words, nil
	}
	if err := tx.DB.Apply(ctx, &result.ChangeSet); err != nil {
		return reconcile.Result{}, err
	}
	if len(later) > 0 {
		s.IndexLater(slices.MinFunc(later, func(a, b records.SearchText) int { return bytes.Compare(a.MemoryID[:], b.MemoryID[:]) }).MemoryID)
	}
	return result, nil
}

// presetCosts sets ClaudeMDChars and ClaudeMDListed of new memories with a type to those of
// one-line entries. It does so only if the Size of all newRows together is at least farPastLimit
// times ClaudeMDLimit. The publisher then need not write these rows again, which takes as long as
// saving them.
func (s *Scanner) presetCosts(newRows []records.MemoryRow) {
	limit := int64(s.ClaudeMDLimit)
	size := int64(0)
	for _, row := range newRows {
		size += row.Size
	}
	if limit <= 0 || size < farPastLimit*limit {
		return
	}
	for i := range newRows {
		m := &newRows[i]
		if m.Type != "" {
			cost := claudemd.EntryCost(claudemd.Summary{Name: m.Name, Type: m.Type, Description: m.Description})
			m.ClaudeMDChars, m.ClaudeMDListed = cost.Chars, cost.Listed
		}
	}
}

// clearLeftovers removes the leftovers of a crash from dirs and from the directory of CLAUDE.md,
// and requests scans of the files that this restores. uncleared are the directories that may still
// have leftovers; that failure is only logged. It does nothing after a full scan of this lease term
// has cleared all directories. It fails only with memories.ErrOutOfFiles.
func clearLeftovers(tx *agenttx.Tx, dirs []string, isFullScan bool) (uncleared []string, err error) {
	if tx.State.Recovered {
		return nil, nil
	}
	// If CLAUDE.md is a link, Memoir writes its target.
	if target, err := files.Resolve(tx.Root, tx.Agent.ClaudeMDPath(tx.Root)); err == nil {
		dirs = append(dirs, path.Dir(target))
	}
	restored, err := tx.Disk.Recover(tx.Root, dirs)
	for _, path := range restored {
		tx.Rescan(path)
	}
	if err := agenttx.OutOfFiles(err); err != nil {
		return nil, err
	}
	if err != nil {
		uncleared = dirs
		if partial := (*files.UnclearedError)(nil); errors.As(err, &partial) {
			uncleared = partial.Dirs
		}
		tx.Log.Warn("leftovers of an earlier run not cleared, will retry", "agent", tx.Agent.Slug, "error", err)
	}
	tx.State.Recovered = isFullScan && err == nil
	return uncleared, nil
}

// removedFiles returns the files in known that the rows had on disk and that are missing now,
// sorted by path. While the primary directory is away or unreadable, it omits all primary files. It
// fails only with memories.ErrOutOfFiles.
func removedFiles(tx *agenttx.Tx, listing agents.Listing, known map[string]*records.File, primaryAway bool) ([]records.File, error) {
	var candidates []string
	for path, f := range known {
		if f.Present && (!f.IsPrimary() || listing.HasPrimary && !primaryAway) {
			candidates = append(candidates, path)
		}
	}
	slices.Sort(candidates)
	paths, err := listing.Gone(tx.Root, candidates)
	if err != nil {
		return nil, agenttx.OutOfFiles(err)
	}
	var removed []records.File
	for _, path := range paths {
		removed = append(removed, *known[path])
	}
	return removed, nil
}

// EmitChanges sends an event for each change of a memory to the subscribers on every server.
func EmitChanges(tx *agenttx.Tx, changes []reconcile.Change) {
	for _, c := range changes {
		tx.Emit(c.Kind, c.Name)
	}
}
