package sync

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/claudemd"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// indexedAtOnce is the number of new contents up to which a scan brings them into the search index itself. Those of the first scan
// leave it for afterwards, all together: a server that starts over 3,000 files of 20 agents is ready in half the time.
const indexedAtOnce = 200

// farPastLimit is from how many times the limit of CLAUDE.md on new memories leave no doubt that most are past it.
const farPastLimit = 4

// ScanResult says what a scan found.
type ScanResult struct {
	Scanned        int // memory files on disk
	Added          int // memories
	Updated        int
	Removed        int
	NeedsAttention int
	Took           time.Duration
	// Changed says that a file was found new, changed, back or gone, whatever that meant for the memories.
	Changed bool
}

func (s *ScanResult) add(other ScanResult) {
	s.Scanned += other.Scanned
	s.Added += other.Added
	s.Updated += other.Updated
	s.Removed += other.Removed
	s.NeedsAttention += other.NeedsAttention
}

// Scan scans of all of an agent's directory and answers when the database and CLAUDE.md agree with it. It fails with
// memories.ErrNotFound and ErrStopping.
func (e *Engine) Scan(ctx context.Context, slug string) (ScanResult, error) {
	return callScan.do(ctx, e, slug, scanOp{})
}

func (e *Engine) scanLocal(ctx context.Context, slug string, op scanOp) (ScanResult, error) {
	scan := e.discoverAndScan
	if op.Discovered {
		scan = e.scanAndWait
	}
	return e.withScanContext(ctx, func(ctx context.Context) (ScanResult, error) { return scan(ctx, slug) })
}

// discoverAndScan scans an agent, which is looked for first where its directory was gone.
func (e *Engine) discoverAndScan(ctx context.Context, slug string) (ScanResult, error) {
	if a := e.known(slug); a != nil {
		upToDate, err := e.isUpToDate(ctx, a)
		if err == nil && !upToDate {
			_, err = e.discover(ctx)
		}
		if err != nil {
			return ScanResult{}, err
		}
	}
	return e.scanAndWait(ctx, slug)
}

// scan scans of all of an agent's directory, and leaves it to later looks to take in what is being written.
func (e *Engine) scan(ctx context.Context, slug string) (ScanResult, error) {
	started := time.Now()
	result, err := e.scanOnce(ctx, slug, nil)
	if err != nil {
		return ScanResult{}, err
	}
	result.Took = time.Since(started)
	e.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
	return result, nil
}

// scanOnce is scan for one who waits for what is left to its writers; nil: nobody does.
func (e *Engine) scanOnce(ctx context.Context, slug string, empty *emptyFileWait) (result ScanResult, err error) {
	err = e.withAgent(ctx, slug, func(h *hold) error {
		if empty != nil {
			empty.agent, h.emptyFileWait = h.agent, empty
		}
		if err := h.finishDeletions(ctx); err != nil {
			return err
		}
		if err := h.finishRestores(ctx); err != nil {
			return err
		}
		h.recoverLateWrites()
		if h.present { // else discovery has to see first that it is back
			if result, err = h.runScan(ctx, []string{"."}, scanOrigin{}); err != nil {
				return err
			}
			if err := h.publish(ctx); err != nil {
				return err
			}
		}
		result.NeedsAttention, err = h.w.NeedsAttention(ctx)
		return err
	})
	if err == nil {
		e.scans.succeed(slug, true)
	}
	return result, err
}

// scanPaths looks at a part of an agent's directory.
func (e *Engine) scanPaths(ctx context.Context, slug string, paths []string) error {
	return e.withAgent(ctx, slug, func(h *hold) error {
		if !h.present {
			return nil
		}
		h.recoverLateWrites()
		result, err := h.runScan(ctx, paths, scanOrigin{})
		if err != nil {
			return err
		}
		if result.Changed {
			h.queueLinks(paths)
			if result.Added+result.Updated+result.Removed == 0 {
				// A content that is blocked, or a copy, is no change of a memory, and is on the pages all the same.
				h.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
			}
		}
		if h.watcher.TakeDirChanges(slug) {
			h.scheduleFullScan()
		}
		return h.publish(ctx)
	})
}

// runScan compares the scope with what is known of it, saves what has changed, and tells those who listen.
func (h *hold) runScan(ctx context.Context, paths []string, origin scanOrigin) (ScanResult, error) {
	h.recordClosed()
	if h.root == nil {
		return ScanResult{}, outOfFiles(h.closed) // nothing is concluded from a directory that is not there
	}
	at := records.Now()
	logDirs, err := h.scanLogs(ctx, paths, at)
	if err != nil || h.isLogsOnly(paths) {
		return ScanResult{}, err
	}
	var dirs []string
	listing := agents.Walk(h.root, h.onDisk, paths, func(within string) {
		h.watchBelow(within)
		dirs = append(dirs, within)
	})
	if listing.Exhausted != nil {
		return ScanResult{}, scanError(listing.Exhausted)
	}
	targets, err := h.watchTargets(listing, dirs)
	if err != nil {
		return ScanResult{}, err
	}
	if isFullScan(paths) {
		h.watchOnly(slices.Concat(dirs, logDirs, targets))
	}
	uncleared, err := h.clearLeftovers(slices.Concat(dirs, logDirs, targets), isFullScan(paths))
	if err != nil {
		return ScanResult{}, err
	}
	h.recordLinks(listing, paths)
	h.recordBlocked(listing, paths)
	away, newDir, err := h.recordPrimaryDir(ctx, listing, isFullScan(paths))
	if err != nil {
		return ScanResult{}, err
	}
	if err := h.listOthers(&listing, paths); err != nil {
		return ScanResult{}, err
	}
	diff, err := h.diff(ctx, listing, paths)
	if err != nil {
		return ScanResult{}, err
	}
	removed, err := h.removedFiles(listing, diff.known, away)
	if err != nil {
		return ScanResult{}, err
	}
	notHere := len(removed)
	removed = slices.DeleteFunc(removed, func(f records.File) bool {
		return slices.Contains(uncleared, path.Dir(f.Path)) // it may be among the leftovers
	})
	o := observed{at: at, removed: removed, primaryAway: away, primaryReplaced: newDir.isReplacement, origin: origin}
	if listing.HasPrimary {
		o.primaryID = &records.DirectoryID{Device: listing.PrimaryDevice, Inode: listing.PrimaryInode}
	}
	result, err := h.commitBatches(ctx, o, &diff)
	if err != nil {
		return ScanResult{}, err
	}
	// Only now: to a scan that came after a crash before this one was decided on, what is not in the directory would have been removed.
	if newDir.id != nil && len(removed) == notHere {
		if err := h.w.SetPrimaryDir(ctx, *newDir.id); err != nil {
			return ScanResult{}, err
		}
	}
	if slices.ContainsFunc(removed, func(f records.File) bool { return f.Status == records.Removing }) {
		// Somebody else has removed it. What is left to do is done now: a later entry of that path is about another file.
		if err := h.finishDeletions(ctx); err != nil {
			return ScanResult{}, err
		}
	}
	result.Scanned = len(listing.Files)
	if err := h.mirrorFacts(ctx, listing, away); err != nil {
		return ScanResult{}, err
	}
	h.recordIndexes(listing)
	h.fileCounter.update(paths, len(listing.Files)-diff.deferred, diff.presentBefore, diff.unseen(listing, removed))
	return result, h.recordScan(ctx, listing, paths)
}

// commitBatches reads what may be otherwise, and saves and tells what is, batch by batch.
func (h *hold) commitBatches(ctx context.Context, o observed, diff *scanDiff) (ScanResult, error) {
	batches, err := h.batches(ctx, o, diff)
	if err != nil {
		return ScanResult{}, err
	}
	result := ScanResult{Changed: len(o.removed) > 0}
	for i, b := range batches {
		o.removed = b.removed
		if o.scanned, err = h.readChanged(ctx, o.at, b, diff); err != nil {
			return result, err
		}
		if !o.primaryAway && o.primaryID != nil && !h.isPrimaryDir(*o.primaryID) {
			o.primaryAway = true // it was put in the place of the other one since that was walked: what was read says nothing about that
			h.queue.Add(h.onDisk.Slug, ".")
		}
		if i == 0 && (len(batches) > 1 || o.maxRemovals() > massRemoval) {
			if o.primaryCount, err = h.w.CountPrimary(ctx); err != nil {
				return result, err
			}
		}
		decided, err := h.commitScan(ctx, o)
		if err != nil {
			return result, err
		}
		h.emitChanges(decided.changes)
		result.Added += decided.added
		result.Updated += decided.updated
		result.Removed += decided.removed
		result.Changed = result.Changed || slices.ContainsFunc(o.scanned, scannedFile.hasNewContent)
	}
	return result, nil
}

// commitScan reconciles a scan with what is known and commits the outcome.
func (h *hold) commitScan(ctx context.Context, o observed) (reconcileResult, error) {
	if len(o.scanned)+len(o.removed) == 0 {
		return reconcileResult{}, nil
	}
	known, err := h.loadKnownState(ctx, o)
	if err != nil {
		return reconcileResult{}, err
	}
	if to := o.origin.rename; to != nil {
		content := records.Tombstone{Key: to.To, Fingerprint: to.Content}
		if o.containsKey(to.To, known.Tombstones, content) {
			delete(known.Tombstones, content)
		} else {
			o.origin.rename = nil // somebody has put something else there: the old name stays
		}
	}
	result := reconcile(o, known)
	h.presetCosts(result.changeSet.NewHeads)
	var later []records.SearchText
	if len(result.changeSet.Words) > indexedAtOnce || !h.Ready() {
		later, result.changeSet.Words = result.changeSet.Words, nil
	}
	if err := h.w.Apply(ctx, &result.changeSet); err != nil {
		return reconcileResult{}, err
	}
	h.changedIDs = append(h.changedIDs, result.changeSet.Memories()...)
	if len(later) > 0 {
		h.indexLater(slices.MinFunc(later, func(a, b records.SearchText) int { return bytes.Compare(a.MemoryID[:], b.MemoryID[:]) }).MemoryID)
	}
	return result, nil
}

// presetCosts notes with many new memories that they will be entries of one line in CLAUDE.md, as all but the first of them will.
// The publisher, which writes what it finds otherwise, would have to write each of these rows once more: for 10,000 that is
// as much work as to save them was.
func (h *hold) presetCosts(fresh []records.MemoryRow) {
	limit := int64(h.options.ClaudeMDLimit)
	size := int64(0)
	for _, row := range fresh {
		size += row.Size
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
func (h *hold) clearLeftovers(dirs []string, isFull bool) (uncleared []string, err error) {
	if h.recovered {
		return nil, nil
	}
	// A CLAUDE.md that is a link is written where it leads.
	if relPath, err := files.Resolve(h.root, h.onDisk.ClaudeMDPath(h.root)); err == nil {
		dirs = append(dirs, path.Dir(relPath))
	}
	back, err := h.disk.Recover(h.root, dirs)
	for _, path := range back {
		h.queue.Add(h.onDisk.Slug, path)
	}
	if err := outOfFiles(err); err != nil {
		return nil, err
	}
	if err != nil {
		uncleared = dirs
		if some := (*files.UnclearedError)(nil); errors.As(err, &some) {
			uncleared = some.Dirs
		}
		h.log.Warn("leftovers of an earlier run not cleared, will retry at the next scan", "agent", h.onDisk.Slug, "error", err)
	}
	h.recovered = isFull && err == nil
	return uncleared, nil
}

// removedFiles returns the files that were there and that a complete look did not find any more. Of the primary directory there is none while it
// is away.
func (h *hold) removedFiles(listing agents.Listing, known map[string]*records.File, away bool) ([]records.File, error) {
	var candidates []string
	for path, f := range known {
		if f.Present && (!f.IsPrimary() || listing.HasPrimary && !away) {
			candidates = append(candidates, path)
		}
	}
	slices.Sort(candidates)
	paths, err := listing.Gone(h.root, candidates)
	if err != nil {
		return nil, scanError(err)
	}
	var removed []records.File
	for _, path := range paths {
		removed = append(removed, *known[path])
	}
	return removed, nil
}

// recordScan keeps what a scan of all of the agent found of it as a whole.
func (h *hold) recordScan(ctx context.Context, listing agents.Listing, paths []string) error {
	if !isFullScan(paths) {
		return nil
	}
	h.fullyScanned = true
	return h.w.SetLook(ctx, max(0, listing.Sessions))
}

// stem is what stands in for the name of a memory whose file states none.
func stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// loadKnownState returns the past of everything that the look touches.
func (h *hold) loadKnownState(ctx context.Context, o observed) (knownState, error) {
	names := map[string]struct{}{}
	ids := map[uuid.UUID]struct{}{}
	of := records.KnownQuery{Paths: make([]string, 0, len(o.scanned)+len(o.removed))}
	for _, s := range o.scanned {
		names[s.file.Name] = struct{}{}
		of.Paths = append(of.Paths, s.path)
		if s.known != nil && s.known.MemoryID != uuid.Nil {
			ids[s.known.MemoryID] = struct{}{}
		}
	}
	for _, f := range o.removed {
		of.Paths = append(of.Paths, f.Path)
		if f.MemoryID != uuid.Nil {
			ids[f.MemoryID] = struct{}{}
		}
	}
	if to := o.origin.rename; to != nil {
		ids[to.ID] = struct{}{}
	}
	of.Names, of.Memories = keys(names), keys(ids)
	known, err := h.w.Past(ctx, of)
	if err != nil {
		return knownState{}, err
	}
	sources, err := h.primarySources(ctx, known)
	return knownState{known, sources}, err
}

func keys[K comparable](m map[K]struct{}) []K {
	list := make([]K, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	return list
}

func (h *hold) emitChanges(changes []change) {
	all := make([]events.Event, len(changes))
	for i, c := range changes {
		all[i] = events.Event{Agent: h.onDisk.Slug, Kind: c.kind, Name: c.name}
	}
	h.hub.Emit(all...)
}
