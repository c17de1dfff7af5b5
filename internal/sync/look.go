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
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// indexedAtOnce is the number of new contents up to which a look brings them into the search index itself. Those of the first scan
// leave it for afterwards, all together: a server that starts over 3,000 files of 20 agents is ready in half the time.
const indexedAtOnce = 200

// muchAtOnce is the number of files from which on what reading them took of memory, some 10 KB each, is worth giving back to
// the system.
const muchAtOnce = 2000

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
// memories.ErrNotFound.
func (e *Engine) Scan(ctx context.Context, slug string) (Scan, error) {
	return callScan.carryOut(ctx, e, slug, nothing{})
}

func (e *Engine) scanHere(ctx context.Context, slug string, _ nothing) (Scan, error) {
	if a := e.known(slug); a != nil {
		present, err := e.isPresent(ctx, a)
		if err == nil && !present {
			_, err = e.discover(ctx)
		}
		if err != nil {
			return Scan{}, err
		}
	}
	if err := e.goOnJoining(ctx); err != nil {
		return Scan{}, err
	}
	return e.rescanHere(ctx, slug, nothing{})
}

// rescanHere is Scan for an agent that has just been looked for.
func (e *Engine) rescanHere(ctx context.Context, slug string, _ nothing) (Scan, error) {
	scan, err := e.scan(ctx, slug)
	e.giveBackAfter(scan)
	return scan, err
}

func (e *Engine) scan(ctx context.Context, slug string) (Scan, error) {
	started := time.Now()
	var scan Scan
	err := e.withAgent(ctx, slug, func(h *hold) error {
		if err := h.finishDeletions(ctx); err != nil {
			return err
		}
		if err := h.finishRestores(ctx); err != nil {
			return err
		}
		h.takeOverLateWrites()
		var err error
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
	if err != nil {
		return Scan{}, err
	}
	scan.Took = time.Since(started)
	e.hub.publish(Event{Agent: slug, Kind: KindScanned})
	return scan, nil
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
				h.hub.publish(Event{Agent: slug, Kind: KindScanned})
			}
			h.letThemSee(ctx)
		}
		if h.watcher.takeUnsettled(slug) {
			h.settle()
		}
		return h.publish(ctx)
	})
}

// look compares the scope with what is known of it, saves what has changed, and tells those who listen.
func (h *hold) look(ctx context.Context, scope []string, why cause) (Scan, error) {
	if h.root == nil {
		return Scan{}, exhaustion(h.closed) // nothing is concluded from a directory that is not there
	}
	at := postgres.Now()
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
		h.watchOnly(slices.Concat(dirs, logDirs), targets)
	}
	uncleared, err := h.recover(dirs, isWhole(scope))
	if err != nil {
		return Scan{}, err
	}
	h.rememberLinks(listing, scope)
	found, err := h.differences(ctx, listing, scope)
	if err != nil {
		return Scan{}, err
	}
	if h.ahead {
		h.leaveKnown(&found, listing)
	}
	row, err := h.w.Agent(ctx)
	if err != nil {
		return Scan{}, err
	}
	gone, device, err := h.gone(listing, found.known, row.DurableDevice)
	if err != nil {
		return Scan{}, err
	}
	gone = slices.DeleteFunc(gone, func(f postgres.File) bool {
		return slices.Contains(uncleared, path.Dir(f.Path)) // it may be among the leftovers
	})
	scan, err := h.decide(ctx, look{at: at, gone: gone, cause: why}, &found)
	if err != nil {
		return Scan{}, err
	}
	if slices.ContainsFunc(gone, func(f postgres.File) bool { return f.Status == postgres.Removing }) {
		// Somebody else has removed it. What is left to do is done now: a later entry of that path is about another file.
		if err := h.finishDeletions(ctx); err != nil {
			return Scan{}, err
		}
	}
	scan.Scanned = len(listing.Files)
	h.noteIndexes(listing)
	h.tally.count(scope, len(listing.Files)-found.later, found.before, append(found.unseen, found.notSeen(listing, gone)...))
	return scan, h.rememberLook(ctx, listing, scope, device)
}

// decide reads what may be otherwise, and saves and tells what is, portion by portion.
func (h *hold) decide(ctx context.Context, l look, found *differences) (Scan, error) {
	if len(found.toRead) > indexedAtOnce {
		h.foreground.begin()
		defer h.foreground.end()
	}
	if len(found.toRead) > muchAtOnce {
		defer h.muchRead.Store(true)
	}
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
	out := reconcile(l, p)
	out.batch.Deletion = l.cause.renames
	h.foreseeCosts(out.batch.NewHeads)
	var later []postgres.Words
	if len(out.batch.Words) > indexedAtOnce || !h.Ready() {
		later, out.batch.Words = out.batch.Words, nil
	}
	if err := h.w.Apply(ctx, &out.batch); err != nil {
		return outcome{}, err
	}
	if len(later) > 0 {
		h.indexLater(slices.MinFunc(later, func(a, b postgres.Words) int { return bytes.Compare(a.MemoryID[:], b.MemoryID[:]) }).MemoryID)
	}
	return out, nil
}

// foreseeCosts notes with many new memories that they will be entries of one line in CLAUDE.md, as all but the first of them will.
// The publisher, which writes what it finds otherwise, would have to write each of these rows once more: for 10,000 that is
// as much work as to save them was.
func (h *hold) foreseeCosts(fresh []postgres.Head) {
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
			cost := memories.EntryCost(memories.Heading{Name: m.Name, Type: m.Type, Description: m.Description})
			m.ClaudeMDChars, m.ClaudeMDListed = cost.Chars, cost.Listed
		}
	}
}

// recover clears what a crash has left in the directories, until it has been all of them once in this term: the first look
// may be at a part, to finish what the crash has cut short. It returns the directories in which something may be left, and fails where
// that is only because nothing more could be opened.
func (h *hold) recover(dirs []string, whole bool) (uncleared []string, err error) {
	if h.recovered {
		return nil, nil
	}
	// A CLAUDE.md that is a link is written where it leads.
	if place, err := files.Resolve(h.root, h.onDisk.ClaudeMDPath()); err == nil {
		dirs = append(dirs, path.Dir(place))
	}
	back, err := h.disk.Recover(h.root, dirs)
	for _, path := range back {
		h.queue.add(h.onDisk.Slug, path)
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

// gone returns the files that were there and that a complete look did not find any more, and the device to remember of
// the durable directory. When that is on another device than before and files are missing, something was unmounted:
// nothing is concluded, and the old device is kept, until the files are back.
func (h *hold) gone(listing agents.Listing, known map[string]*postgres.File, device *uint64) ([]postgres.File, *uint64, error) {
	var candidates []string
	for path, f := range known {
		if f.Present && (!f.Durable() || listing.DurableThere) {
			candidates = append(candidates, path)
		}
	}
	slices.Sort(candidates)
	paths, err := listing.Gone(h.root, candidates)
	if err != nil {
		return nil, nil, lookFailed(err)
	}
	var gone []postgres.File
	for _, path := range paths {
		gone = append(gone, *known[path])
	}
	if !listing.DurableThere {
		return gone, device, nil
	}
	if remounted := device != nil && *device != listing.DurableDevice; remounted && slices.ContainsFunc(gone, postgres.File.Durable) {
		return slices.DeleteFunc(gone, postgres.File.Durable), device, nil
	}
	return gone, &listing.DurableDevice, nil
}

// rememberLook keeps what a look at all of the agent found of it as a whole.
func (h *hold) rememberLook(ctx context.Context, listing agents.Listing, scope []string, device *uint64) error {
	if !isWhole(scope) {
		return nil
	}
	h.looked = true
	return h.w.SetLook(ctx, max(0, listing.Sessions), device)
}

// stem is what stands in for the name of a memory whose file states none.
func stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// past reads what is known of everything that the look touches.
func (h *hold) past(ctx context.Context, l look) (postgres.Past, error) {
	names := map[string]struct{}{}
	ids := map[uuid.UUID]struct{}{}
	of := postgres.Touched{Paths: make([]string, 0, len(l.seen)+len(l.gone))}
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
	of.Names, of.Memories = keys(names), keys(ids)
	return h.w.Past(ctx, of)
}

func keys[K comparable](m map[K]struct{}) []K {
	list := make([]K, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	return list
}

func (h *hold) tell(changes []change) {
	events := make([]Event, len(changes))
	for i, c := range changes {
		events[i] = Event{Agent: h.onDisk.Slug, Kind: c.kind, Name: c.name}
	}
	h.hub.publish(events...)
}
