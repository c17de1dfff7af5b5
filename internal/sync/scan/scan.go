// Package scan mirrors an agent's directory into the database: it walks the requested paths, compares
// them with the known rows, reads the files that differ, and commits what package reconcile decides.
//
// It neither publishes CLAUDE.md nor decides which content counts. The Engine calls it after events
// and in full scans, package ops after it has written a file.
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
	"memoir/internal/sync/events"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/watch"
)

// indexedAtOnce is the number of new contents up to which a scan brings them into the search index itself. Those of the first scan
// leave it for afterwards, all together: a server that starts over 3,000 files of 20 agents is ready in half the time.
const indexedAtOnce = 200

// farPastLimit is from how many times the limit of CLAUDE.md on new memories leave no doubt that most are past it.
const farPastLimit = 4

// ScanRequest is what a scan is about.
type Request struct {
	// Paths are relative to the agent's directory; "." is all of it.
	Paths []string
	// Saved is the path of a file that a user has just asked to be written: its content is the newest.
	Saved string
	// Origin is why there is something to scan. The zero value is a change on disk.
	Origin reconcile.Origin
	// Wait collects the files that the scan leaves to their writers. It is nil if no caller waits for
	// them; then a later scan reads them.
	Wait *EmptyFileWait
}

// ScanResult says what a scan found.
type Result struct {
	// Memories are the memories that have changed, each as often as its agent's version was raised.
	Memories []uuid.UUID `json:"-"`

	Scanned        int // memory files on disk
	Added          int // memories
	Updated        int
	Removed        int
	NeedsAttention int
	Took           time.Duration
	// Changed says that a file was found new, changed, back or gone, whatever that meant for the memories.
	Changed bool
}

func (s *Result) Add(other Result) {
	s.Scanned += other.Scanned
	s.Added += other.Added
	s.Updated += other.Updated
	s.Removed += other.Removed
	s.NeedsAttention += other.NeedsAttention
}

// look compares the scope with what is known of it, saves what has changed, and tells those who listen.
func (s *Scanner) Run(ctx context.Context, tx *agenttx.Tx, r Request) (Result, error) {
	paths := r.Paths
	s.recordClosed(tx)
	if tx.Root == nil {
		return Result{}, agenttx.OutOfFiles(tx.Closed) // nothing is concluded from a directory that is not there
	}
	at := records.Now()
	logDirs, err := s.scanLogs(ctx, tx, paths, at)
	if err != nil || isLogsOnly(tx, paths) {
		return Result{}, err
	}
	var dirs []string
	listing := agents.Walk(tx.Root, tx.Agent, paths, func(within string) {
		s.watchBelow(tx, within)
		dirs = append(dirs, within)
	})
	if listing.Exhausted != nil {
		return Result{}, agenttx.ScanError(listing.Exhausted)
	}
	targets, err := s.watchTargets(tx, listing, dirs)
	if err != nil {
		return Result{}, err
	}
	if agenttx.IsFullScan(paths) {
		s.watchOnly(tx, slices.Concat(dirs, logDirs, targets))
	}
	uncleared, err := clearLeftovers(tx, slices.Concat(dirs, logDirs, targets), agenttx.IsFullScan(paths))
	if err != nil {
		return Result{}, err
	}
	recordLinks(tx, listing, paths)
	s.recordBlocked(tx, listing, paths)
	away, newDir, err := recordPrimaryDir(ctx, tx, listing, agenttx.IsFullScan(paths))
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
	removed, err := removedFiles(tx, listing, diff.known, away)
	if err != nil {
		return Result{}, err
	}
	notHere := len(removed)
	removed = slices.DeleteFunc(removed, func(f records.File) bool {
		return slices.Contains(uncleared, path.Dir(f.Path)) // it may be among the leftovers
	})
	o := reconcile.Observed{At: at, Removed: removed, PrimaryAway: away, PrimaryReplaced: newDir.isReplacement, Origin: r.Origin}
	if listing.HasPrimary {
		o.PrimaryID = &records.DirectoryID{Device: listing.PrimaryDevice, Inode: listing.PrimaryInode}
	}
	result, err := s.commitBatches(ctx, tx, r, o, &diff)
	if err != nil {
		return Result{}, err
	}
	// Only now: to a scan that came after a crash before this one was decided on, what is not in the directory would have been removed.
	if newDir.id != nil && len(removed) == notHere {
		if err := tx.DB.SetPrimaryDir(ctx, *newDir.id); err != nil {
			return Result{}, err
		}
	}
	if slices.ContainsFunc(removed, func(f records.File) bool { return f.Status == records.Removing }) {
		// Somebody else has removed it. What is left to do is done now: a later entry of that path is about another file.
		if err := removal.Resume(ctx, tx); err != nil {
			return Result{}, err
		}
	}
	result.Scanned = len(listing.Files)
	if err := mirrorFacts(ctx, tx, listing, away); err != nil {
		return Result{}, err
	}
	indexfile.RecordIndexes(tx, listing)
	tx.State.FileCounter.Update(paths, len(listing.Files)-diff.deferred, diff.presentBefore, diff.unseen(listing, removed))
	return result, recordScan(ctx, tx, listing, paths)
}

// commitBatches reads what may be otherwise, and saves and tells what is, batch by batch.
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
		if !o.PrimaryAway && o.PrimaryID != nil && !isPrimaryDir(tx, *o.PrimaryID) {
			o.PrimaryAway = true // it was put in the place of the other one since that was walked: what was read says nothing about that
			tx.Rescan(".")
		}
		if i == 0 && (len(batches) > 1 || o.MaxRemovals() > reconcile.MassRemoval) {
			if o.PrimaryCount, err = tx.DB.CountPrimary(ctx); err != nil {
				return result, err
			}
		}
		decided, err := s.commitScan(ctx, tx, o)
		if err != nil {
			return result, err
		}
		EmitChanges(tx, decided.Changes)
		result.Memories = append(result.Memories, decided.ChangeSet.Memories()...)
		result.Added += decided.Added
		result.Updated += decided.Updated
		result.Removed += decided.Removed
		result.Changed = result.Changed || slices.ContainsFunc(o.Scanned, reconcile.ScannedFile.HasNewContent)
	}
	return result, nil
}

// commitScan reconciles a scan with what is known and commits the outcome.
func (s *Scanner) commitScan(ctx context.Context, tx *agenttx.Tx, o reconcile.Observed) (reconcile.Result, error) {
	if len(o.Scanned)+len(o.Removed) == 0 {
		return reconcile.Result{}, nil
	}
	known, err := loadKnownState(ctx, tx, o)
	if err != nil {
		return reconcile.Result{}, err
	}
	if to := o.Origin.Rename; to != nil {
		content := records.Tombstone{Key: to.To, Fingerprint: to.Content}
		if o.ContainsKey(to.To, known.Tombstones, content) {
			delete(known.Tombstones, content)
		} else {
			o.Origin.Rename = nil // somebody has put something else there: the old name stays
		}
	}
	result := reconcile.Run(o, known)
	s.presetCosts(tx, result.ChangeSet.NewHeads)
	var later []records.SearchText
	if len(result.ChangeSet.Words) > indexedAtOnce || !s.Scans.IsReady() {
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

// presetCosts notes with many new memories that they will be entries of one line in CLAUDE.md, as all but the first of them will.
// The publisher, which writes what it finds otherwise, would have to write each of these rows once more: for 10,000 that is
// as much work as to save them was.
func (s *Scanner) presetCosts(tx *agenttx.Tx, fresh []records.MemoryRow) {
	limit := int64(s.ClaudeMDLimit)
	size := int64(0)
	for _, head := range fresh {
		size += head.Size
	}
	if limit <= 0 || size < farPastLimit*limit {
		return
	}
	for i := range fresh {
		m := &fresh[i]
		if m.Type != "" {
			cost := claudemd.EntryCost(claudemd.Summary{Name: m.Name, Type: m.Type, Description: m.Description})
			m.ClaudeMDChars, m.ClaudeMDListed = cost.Chars, cost.Listed
		}
	}
}

// clearLeftovers clears what a crash has left in the directories that may be written in, until it has been all of them once in this term: the
// first scan may be at a part, to finish what the crash has cut short. It returns the directories in which something may be left, and fails
// where that is only because nothing more could be opened.
func clearLeftovers(tx *agenttx.Tx, dirs []string, isFull bool) (uncleared []string, err error) {
	if tx.State.Recovered {
		return nil, nil
	}
	// A CLAUDE.md that is a link is written where it leads.
	if place, err := files.Resolve(tx.Root, tx.Agent.ClaudeMDPath(tx.Root)); err == nil {
		dirs = append(dirs, path.Dir(place))
	}
	back, err := tx.Disk.Recover(tx.Root, dirs)
	for _, path := range back {
		tx.Rescan(path)
	}
	if err := agenttx.OutOfFiles(err); err != nil {
		return nil, err
	}
	if err != nil {
		uncleared = dirs
		if some := (*files.UnclearedError)(nil); errors.As(err, &some) {
			uncleared = some.Dirs
		}
		tx.Log.Warn("leftovers of an earlier run not cleared, will retry at the next scan", "agent", tx.Agent.Slug, "error", err)
	}
	tx.State.Recovered = isFull && err == nil
	return uncleared, nil
}

// removedFiles returns the files that were there and that a complete look did not find any more. Of the primary directory there is none while it
// is away.
func removedFiles(tx *agenttx.Tx, listing agents.Listing, known map[string]*records.File, away bool) ([]records.File, error) {
	var candidates []string
	for path, f := range known {
		if f.Present && (!f.IsPrimary() || listing.HasPrimary && !away) {
			candidates = append(candidates, path)
		}
	}
	slices.Sort(candidates)
	paths, err := listing.Gone(tx.Root, candidates)
	if err != nil {
		return nil, agenttx.ScanError(err)
	}
	var removed []records.File
	for _, path := range paths {
		removed = append(removed, *known[path])
	}
	return removed, nil
}

// recordScan keeps what a scan of all of the agent found of it as a whole.
func recordScan(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, paths []string) error {
	if !agenttx.IsFullScan(paths) {
		return nil
	}
	tx.State.FullyScanned = true
	return tx.DB.SetLook(ctx, max(0, listing.Sessions))
}

func EmitChanges(tx *agenttx.Tx, changes []reconcile.Change) {
	all := make([]events.Event, len(changes))
	for i, c := range changes {
		all[i] = events.Event{Agent: tx.Agent.Slug, Kind: c.Kind, Name: c.Name}
	}
	tx.EmitAll(all)
}

// Scanner compares the agents' directories with what the database knows, and commits the
// differences.
type Scanner struct {
	// claudeMDLimit is the length of a CLAUDE.md above which memories become one-line entries.
	ClaudeMDLimit int
	// writerPause is how long a program may pause while it writes an unfinished file.
	WriterPause time.Duration
	Watcher     *watch.Watcher
	Scans       *Tracker
	// linkTarget is that of ManagerOptions.
	LinkTarget func(agents.Agent) string
	// indexLater fills the search index from the given memory on.
	IndexLater func(first uuid.UUID)
}
