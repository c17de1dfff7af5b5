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

// indexedAtOnce is the number of new contents up to which a look brings them into the search index itself. Those of the first scan
// leave it for afterwards, all together: a server that starts over 3,000 files of 20 agents is ready in half the time.
const indexedAtOnce = 200

// farPastLimit is from how many times the limit of CLAUDE.md on new memories leave no doubt that most are past it.
const farPastLimit = 4

// Scan says what a scan found.
type Scan struct {
	Scanned        int // memory files on disk
	Added          int // memories
	Updated        int
	Removed        int
	NeedsAttention int
	Took           time.Duration
	// Changed says that a file was found new, changed, back or gone, whatever that meant for the memories.
	Changed bool
}

func (s *Scan) add(other Scan) {
	s.Scanned += other.Scanned
	s.Added += other.Added
	s.Updated += other.Updated
	s.Removed += other.Removed
	s.NeedsAttention += other.NeedsAttention
}

// Scan looks at all of an agent's directory and answers when the database and CLAUDE.md agree with it. It fails with
// memories.ErrNotFound and ErrStopping.
func (e *Engine) Scan(ctx context.Context, slug string) (Scan, error) {
	return callScan.do(ctx, e, slug, scanOp{})
}

func (e *Engine) scanHere(ctx context.Context, slug string, op scanOp) (Scan, error) {
	scan := e.findAndScan
	if op.Discovered {
		scan = e.scanToTheEnd
	}
	return e.whileLooking(ctx, func(ctx context.Context) (Scan, error) { return scan(ctx, slug) })
}

// findAndScan scans an agent, which is looked for first where its directory was gone.
func (e *Engine) findAndScan(ctx context.Context, slug string) (Scan, error) {
	if a := e.known(slug); a != nil {
		upToDate, err := e.isUpToDate(ctx, a)
		if err == nil && !upToDate {
			_, err = e.discover(ctx)
		}
		if err != nil {
			return Scan{}, err
		}
	}
	return e.scanToTheEnd(ctx, slug)
}

// scan looks at all of an agent's directory, and leaves it to later looks to take in what is being written.
func (e *Engine) scan(ctx context.Context, slug string) (Scan, error) {
	started := time.Now()
	scan, err := e.scanLeaving(ctx, slug, nil)
	if err != nil {
		return Scan{}, err
	}
	scan.Took = time.Since(started)
	e.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
	return scan, nil
}

// scanLeaving is scan for one who waits for what is left to its writers; nil: nobody does.
func (e *Engine) scanLeaving(ctx context.Context, slug string, left *unwritten) (scan Scan, err error) {
	err = e.withAgent(ctx, slug, func(h *hold) error {
		if left != nil {
			left.agent, h.unwritten = h.agent, left
		}
		if err := h.finishDeletions(ctx); err != nil {
			return err
		}
		if err := h.finishRestores(ctx); err != nil {
			return err
		}
		h.takeOverLateWrites()
		if h.present { // else discovery has to see first that it is back
			if scan, err = h.look(ctx, []string{"."}, cause{}); err != nil {
				return err
			}
			if err := h.publish(ctx); err != nil {
				return err
			}
		}
		scan.NeedsAttention, err = h.w.NeedsAttention(ctx)
		return err
	})
	if err == nil {
		e.scanning.succeed(slug, true)
	}
	return scan, err
}

// lookAt looks at a part of an agent's directory.
func (e *Engine) lookAt(ctx context.Context, slug string, scope []string) error {
	return e.withAgent(ctx, slug, func(h *hold) error {
		if !h.present {
			return nil
		}
		h.takeOverLateWrites()
		scan, err := h.look(ctx, scope, cause{})
		if err != nil {
			return err
		}
		if scan.Changed {
			h.lookAtLinks(scope)
			if scan.Added+scan.Updated+scan.Removed == 0 {
				// A content that is kept out, or a copy, is no change of a memory, and is on the pages all the same.
				h.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
			}
		}
		if h.watcher.TakeDirChanges(slug) {
			h.settle()
		}
		return h.publish(ctx)
	})
}

// look compares the scope with what is known of it, saves what has changed, and tells those who listen.
func (h *hold) look(ctx context.Context, scope []string, why cause) (Scan, error) {
	h.noteClosed()
	if h.root == nil {
		return Scan{}, exhaustion(h.closed) // nothing is concluded from a directory that is not there
	}
	at := records.Now()
	logDirs, err := h.lookAtLogs(ctx, scope, at)
	if err != nil || h.isOfLogs(scope) {
		return Scan{}, err
	}
	var dirs []string
	listing := agents.Walk(h.root, h.onDisk, scope, func(within string) {
		h.watchBelow(within)
		dirs = append(dirs, within)
	})
	if listing.Exhausted != nil {
		return Scan{}, lookFailed(listing.Exhausted)
	}
	targets, err := h.watchTargets(listing, dirs)
	if err != nil {
		return Scan{}, err
	}
	if isWhole(scope) {
		h.watchOnly(slices.Concat(dirs, logDirs, targets))
	}
	uncleared, err := h.recover(slices.Concat(dirs, logDirs, targets), isWhole(scope))
	if err != nil {
		return Scan{}, err
	}
	h.rememberLinks(listing, scope)
	h.noteBlocked(listing, scope)
	away, another, err := h.noteDurable(ctx, listing, isWhole(scope))
	if err != nil {
		return Scan{}, err
	}
	if err := h.listOthers(&listing, scope); err != nil {
		return Scan{}, err
	}
	found, err := h.differences(ctx, listing, scope)
	if err != nil {
		return Scan{}, err
	}
	gone, err := h.gone(listing, found.known, away)
	if err != nil {
		return Scan{}, err
	}
	notHere := len(gone)
	gone = slices.DeleteFunc(gone, func(f records.File) bool {
		return slices.Contains(uncleared, path.Dir(f.Path)) // it may be among the leftovers
	})
	l := look{at: at, gone: gone, away: away, replaced: another.isReplacement, cause: why}
	if listing.DurableThere {
		l.from = &records.DirectoryID{Device: listing.DurableDevice, Inode: listing.DurableInode}
	}
	scan, err := h.decide(ctx, l, &found)
	if err != nil {
		return Scan{}, err
	}
	// Only now: to a look that came after a crash before this one was decided on, what is not in the directory would have been removed.
	if another.is != nil && len(gone) == notHere {
		if err := h.w.DurableIs(ctx, *another.is); err != nil {
			return Scan{}, err
		}
	}
	if slices.ContainsFunc(gone, func(f records.File) bool { return f.Status == records.Removing }) {
		// Somebody else has removed it. What is left to do is done now: a later entry of that path is about another file.
		if err := h.finishDeletions(ctx); err != nil {
			return Scan{}, err
		}
	}
	scan.Scanned = len(listing.Files)
	if err := h.mirrorFacts(ctx, listing, away); err != nil {
		return Scan{}, err
	}
	h.noteIndexes(listing)
	h.tally.count(scope, len(listing.Files)-found.later, found.before, found.notSeen(listing, gone))
	return scan, h.rememberLook(ctx, listing, scope)
}

// decide reads what may be otherwise, and saves and tells what is, portion by portion.
func (h *hold) decide(ctx context.Context, l look, found *differences) (Scan, error) {
	portions, err := h.portions(ctx, l, found)
	if err != nil {
		return Scan{}, err
	}
	scan := Scan{Changed: len(l.gone) > 0}
	for i, p := range portions {
		l.gone = p.gone
		if l.seen, err = h.read(ctx, l.at, p, found); err != nil {
			return scan, err
		}
		if !l.away && l.from != nil && !h.isDurable(*l.from) {
			l.away = true // it was put in the place of the other one since that was walked: what was read says nothing about that
			h.queue.Add(h.onDisk.Slug, ".")
		}
		if i == 0 && (len(portions) > 1 || l.mayRemove() > massRemoval) {
			if l.durable, err = h.w.DurableMemories(ctx); err != nil {
				return scan, err
			}
		}
		out, err := h.save(ctx, l)
		if err != nil {
			return scan, err
		}
		h.tell(out.changes)
		scan.Added += out.added
		scan.Updated += out.updated
		scan.Removed += out.removed
		scan.Changed = scan.Changed || slices.ContainsFunc(l.seen, sighting.isNews)
	}
	return scan, nil
}

// save reconciles a look with what is known and commits the outcome.
func (h *hold) save(ctx context.Context, l look) (outcome, error) {
	if len(l.seen)+len(l.gone) == 0 {
		return outcome{}, nil
	}
	p, err := h.past(ctx, l)
	if err != nil {
		return outcome{}, err
	}
	if to := l.cause.renames; to != nil {
		content := records.Tombstone{Key: to.To, Fingerprint: to.Content}
		if l.brings(to.To, p.Tombstones, content) {
			delete(p.Tombstones, content)
		} else {
			l.cause.renames = nil // somebody has put something else there: the old name stays
		}
	}
	out := reconcile(l, p)
	h.foreseeCosts(out.batch.NewHeads)
	var later []records.SearchText
	if len(out.batch.Words) > indexedAtOnce || !h.Ready() {
		later, out.batch.Words = out.batch.Words, nil
	}
	if err := h.w.Apply(ctx, &out.batch); err != nil {
		return outcome{}, err
	}
	h.changed = append(h.changed, out.batch.Memories()...)
	if len(later) > 0 {
		h.indexLater(slices.MinFunc(later, func(a, b records.SearchText) int { return bytes.Compare(a.MemoryID[:], b.MemoryID[:]) }).MemoryID)
	}
	return out, nil
}

// foreseeCosts notes with many new memories that they will be entries of one line in CLAUDE.md, as all but the first of them will.
// The publisher, which writes what it finds otherwise, would have to write each of these rows once more: for 10,000 that is
// as much work as to save them was.
func (h *hold) foreseeCosts(fresh []records.MemoryRow) {
	limit := int64(h.options.ClaudeMDLimit)
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

// recover clears what a crash has left in the directories that may be written in, until it has been all of them once in this term: the
// first look may be at a part, to finish what the crash has cut short. It returns the directories in which something may be left, and fails
// where that is only because nothing more could be opened.
func (h *hold) recover(dirs []string, whole bool) (uncleared []string, err error) {
	if h.recovered {
		return nil, nil
	}
	// A CLAUDE.md that is a link is written where it leads.
	if place, err := files.Resolve(h.root, h.onDisk.ClaudeMDPath(h.root)); err == nil {
		dirs = append(dirs, path.Dir(place))
	}
	back, err := h.disk.Recover(h.root, dirs)
	for _, path := range back {
		h.queue.Add(h.onDisk.Slug, path)
	}
	if err := exhaustion(err); err != nil {
		return nil, err
	}
	if err != nil {
		uncleared = dirs
		if some := (*files.UnclearedError)(nil); errors.As(err, &some) {
			uncleared = some.Dirs
		}
		h.log.Warn("leftovers of an earlier run could not be cleared, and are tried again at the next scan", "agent", h.onDisk.Slug, "error", err)
	}
	h.recovered = whole && err == nil
	return uncleared, nil
}

// gone returns the files that were there and that a complete look did not find any more. Of the durable directory there is none while it
// is away.
func (h *hold) gone(listing agents.Listing, known map[string]*records.File, away bool) ([]records.File, error) {
	var candidates []string
	for path, f := range known {
		if f.Present && (!f.Durable() || listing.DurableThere && !away) {
			candidates = append(candidates, path)
		}
	}
	slices.Sort(candidates)
	paths, err := listing.Gone(h.root, candidates)
	if err != nil {
		return nil, lookFailed(err)
	}
	var gone []records.File
	for _, path := range paths {
		gone = append(gone, *known[path])
	}
	return gone, nil
}

// rememberLook keeps what a look at all of the agent found of it as a whole.
func (h *hold) rememberLook(ctx context.Context, listing agents.Listing, scope []string) error {
	if !isWhole(scope) {
		return nil
	}
	h.looked = true
	return h.w.SetLook(ctx, max(0, listing.Sessions))
}

// stem is what stands in for the name of a memory whose file states none.
func stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// past returns the past of everything that the look touches.
func (h *hold) past(ctx context.Context, l look) (past, error) {
	names := map[string]struct{}{}
	ids := map[uuid.UUID]struct{}{}
	of := records.KnownQuery{Paths: make([]string, 0, len(l.seen)+len(l.gone))}
	for _, s := range l.seen {
		names[s.file.Name] = struct{}{}
		of.Paths = append(of.Paths, s.path)
		if s.known != nil && s.known.MemoryID != uuid.Nil {
			ids[s.known.MemoryID] = struct{}{}
		}
	}
	for _, f := range l.gone {
		of.Paths = append(of.Paths, f.Path)
		if f.MemoryID != uuid.Nil {
			ids[f.MemoryID] = struct{}{}
		}
	}
	if to := l.cause.renames; to != nil {
		ids[to.ID] = struct{}{}
	}
	of.Names, of.Memories = keys(names), keys(ids)
	known, err := h.w.Past(ctx, of)
	if err != nil {
		return past{}, err
	}
	texts, err := h.textsOf(ctx, known)
	return past{known, texts}, err
}

func keys[K comparable](m map[K]struct{}) []K {
	list := make([]K, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	return list
}

func (h *hold) tell(changes []change) {
	all := make([]events.Event, len(changes))
	for i, c := range changes {
		all[i] = events.Event{Agent: h.onDisk.Slug, Kind: c.kind, Name: c.name}
	}
	h.hub.Emit(all...)
}
