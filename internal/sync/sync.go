// Package sync keeps disk, database and CLAUDE.md in step. It is the one writer of Memoir: it watches and scans the
// agents' directories, mirrors what it finds, and carries out every save, deletion and restore, holding the agent
// meanwhile. What a scan of the disk means is decided by one pure function, reconcile. The API and the pages call it;
// it knows nothing of HTTP.
package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/watch"
)

// Options are the settings of an Engine.
type Options struct {
	Places agents.Settings
	// Debounce is the quiet time after a change before it is scanned.
	Debounce time.Duration
	// WriterPause is how long a writer may pause while it writes a file that was unfinished; 0 is 2.5 s.
	WriterPause time.Duration
	// Rescan is the time from one full scan to the next.
	Rescan time.Duration
	// ScanRetry is how long a full scan that failed waits before it is tried again; 0 is a second.
	ScanRetry time.Duration
	// Overdue is how long a scan of one agent goes on before the others wait for it no more; 0 is 30 s.
	Overdue time.Duration
	// ShownAfter is how long a watched scan fails before it is shown; 0 is 10 s.
	ShownAfter time.Duration
	// ClaudeMDLimit is the length of a CLAUDE.md, in Unicode characters, from which memories become one-line entries.
	ClaudeMDLimit int
	// AgeNotes has stale memories say so in CLAUDE.md.
	AgeNotes bool
	// Poll disables the system's events and polls all directories.
	Poll bool
	// Notify opens the source of events; the default is watch.OpenNotifier.
	Notify func() (watch.Notifier, error)
	// Disk is where changes on disk go; nil: to the real one.
	Disk Disk
	Log  *slog.Logger
}

// Engine is the running mirror. Its methods are safe for concurrent use.
type Engine struct {
	store   *postgres.Store
	options Options
	disk    Disk
	guard   *files.Guard
	log     *slog.Logger
	hub     *events.Hub
	queue   *watch.Queue
	watcher *watch.Watcher

	mu        sync.Mutex
	agents    map[string]*agent  // by slug
	requested map[int64]struct{} // agents that this server would look after if it could

	// serverConn is what leases hang on, and how other servers are told and heard. When it is lost, another one takes its place.
	serverConn     atomic.Pointer[postgres.Link]
	leasesReleased chan struct{} // another server has let go of leases
	noRoom         atomic.Bool   // Postgres had no room for every lease
	peerEvents     *peerEvents
	requests       chan string // requests of other servers
	responses      *pendingResponses
	sentStats      peerStats

	sharing      sharing
	published    *publish.Cache
	discovering  sync.Mutex
	unreadable   []string            // directories that the last discovery could not look into
	holderLostAt map[int64]time.Time // when nobody looked after an agent any more that another server had; zero: it still has
	ready        atomic.Bool
	// found is what the last discovery found.
	found atomic.Pointer[discoverySnapshot]
	// sources are what the last discovery went by, and nobody watches.
	sources     atomic.Pointer[map[string]agents.Stamp]
	transcripts agents.Transcripts
	stats       syncStats
	// scans are the scans that nobody waits for.
	scans *scanTracker
	// unindexed has the first memory, in the order of ids, that the search index may lack.
	unindexed chan uuid.UUID
	// replaced are files that were lately replaced.
	replaced replacedFiles
	// indexing says that the search index is being filled, or about to be.
	indexing atomic.Bool
	// peerIndexingAt is when another server said last that it is filling the index, in nanoseconds since 1970; 0: it is done.
	peerIndexingAt atomic.Int64

	// scanCtx ends when nothing is to be scanned any more, and with it every scan, but for those that a change begins.
	scanCtx   context.Context
	stopScans context.CancelFunc
	stop      context.CancelFunc
	running   sync.WaitGroup
}

// agent is one known agent in this process. Whoever works on it holds its lock.
type agent struct {
	inUse *semaphore.Weighted
	// skipped says that somebody has gone on without the lock, and agents are to be looked for again.
	skipped atomic.Bool
	id      int64
	// term is the time of looking after it, as Engine.term numbers them, that what follows was learned in.
	term    uint64
	onDisk  agents.Agent
	present bool
	// fullyScanned says that all of its directory has been scanned, and is watched, in this term.
	fullyScanned bool
	// fullScanTimer scans of everything once the events have gone quiet.
	fullScanTimer *time.Timer
	// links are the paths of links. They have to be scanned again whenever something else appears or goes: it may be
	// what they lead to.
	links map[string]struct{}
	// indexes are the MEMORY.md files as they were last scanned.
	indexes map[string]fileStamp
	// facts are the primary indexes as they were when their facts were saved; nil: the database knows which have any.
	facts map[string]fileStamp
	// recovered says that leftovers of a crash have been cleared in this term.
	recovered bool
	// emptied has files that had bytes and are seen without any, by path.
	emptied sync.Map
	// awaited are files without a byte that a scan waits for, by path.
	awaited     sync.Map
	fileCounter fileCounter
	// others are its files that are not Markdown.
	others otherFiles
	// lastLogs are its logs as all of them were last scanned.
	lastLogs logState
}

// isUpToDate reports whether the agent's directory was there when agents were last looked for, and nothing has changed since that what
// is known of it goes by.
func (e *Engine) isUpToDate(ctx context.Context, a *agent) (bool, error) {
	if err := a.lock(ctx); err != nil {
		return false, err
	}
	present, layout := a.present, a.onDisk.Layout
	e.unlock(a)
	return present && (layout != agents.Claude || !e.sourcesHaveChanged()), nil
}

// Start begins to watch and to scan. Close ends it. It fails with memories.ErrUnavailable where the database has no connection
// to give.
func Start(store *postgres.Store, options Options) (*Engine, error) {
	guard := files.NewGuard(agents.Roots(options.Places)...)
	if options.Disk == nil {
		options.Disk = realDisk{guard}
	}
	switch {
	case options.Poll:
		options.Notify = nil
	case options.Notify == nil:
		options.Notify = watch.OpenNotifier
	}
	q := watch.NewQueue(options.Debounce)
	peerEvents := newPeerEvents()
	ctx, stop := context.WithCancel(context.Background())
	looking, stopLooking := context.WithCancel(ctx)
	e := &Engine{
		store: store, options: options, disk: options.Disk, guard: guard, log: options.Log, hub: events.NewHub(peerEvents.add), queue: q, published: publish.NewCache(),
		agents: map[string]*agent{}, unindexed: make(chan uuid.UUID, 1), scanCtx: looking, stopScans: stopLooking, stop: stop,
		leasesReleased: make(chan struct{}, 1), peerEvents: peerEvents, requests: make(chan string, maxQueuedRequests), responses: newPendingResponses(), holderLostAt: map[int64]time.Time{},
		scans: newScanTracker(cmp.Or(options.ShownAfter, showAfter)),
	}
	if err := e.openServerConn(ctx); err != nil {
		stopLooking()
		stop()
		return nil, err
	}
	e.indexing.Store(true) // until it has been looked for what a crash has left out
	e.watcher = watch.New(watch.Options{Notify: options.Notify, Queue: q, ScanAll: e.queueFullScan, Log: options.Log})
	for _, run := range []func(context.Context){
		e.workLoop, e.scanLoop, e.watchRoots, e.pollLoop, e.fillSearchIndex,
	} {
		e.running.Go(func() { run(looking) })
	}
	for _, run := range []func(context.Context){e.leaseLoop, e.broadcastLoop, e.serveRequests} {
		e.running.Go(func() { run(ctx) })
	}
	return e, nil
}

// ErrStopping means that a scan was given up, or not begun, because Memoir is being stopped. What it had taken in is kept, and the next start
// goes on.
var ErrStopping = errors.New("server is stopping")

// StopScans has every scan stop where it can be gone on with later, those that somebody waits for too, and begins no other. What changes
// memories goes on: Close waits for none of it, and has to follow.
func (e *Engine) StopScans() { e.stopScans() }

// withScanContext calls a scan that somebody waits for, and gives it up when nothing is to be scanned any more; it fails with ErrStopping then.
func (e *Engine) withScanContext(ctx context.Context, look func(context.Context) (ScanResult, error)) (ScanResult, error) {
	limited, giveUp := context.WithCancel(ctx)
	defer giveUp()
	defer context.AfterFunc(e.scanCtx, giveUp)()
	if e.scanCtx.Err() != nil {
		giveUp() // at once, not in a moment
	}
	result, err := look(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = ErrStopping
	}
	return result, err
}

// Close ends watching and scanning, lets running writes finish, closes every subscription, and lets other servers look after
// what this one did.
func (e *Engine) Close() error {
	e.hub.Close()
	e.stop()
	err := e.watcher.Close()
	e.running.Wait()
	e.closeServerConn()
	e.replaced.close()
	return err
}

// Hub returns the hub that distributes the events of every server.
func (e *Engine) Hub() *events.Hub { return e.hub }

// Emit sends an event about the whole agent to the subscribers on every server.
func (e *Engine) Emit(slug string, kind events.Kind) {
	e.hub.Emit(events.Event{Agent: slug, Kind: kind})
}

// EmitScanned sends the event that anything of the agent may have changed.
func (e *Engine) EmitScanned(slug string) { e.Emit(slug, events.Scanned) }

// Ready reports whether the first full scan is done.
func (e *Engine) Ready() bool { return e.ready.Load() }

// hold is one operation's exclusive hold of an agent: its rows and its directory.
type hold struct {
	*Engine
	*agent
	w *postgres.Writer
	// root is opened anew for each operation: an os.Root stays with the directory that it was opened on, and after
	// that one is replaced everything would look deleted. Nil: the directory is not there, or cannot be opened.
	root *os.Root
	// closed says why a directory that is there cannot be opened.
	closed error
	// claudeMD is how CLAUDE.md stands since this hold has published it; nil: it has not.
	claudeMD *records.ClaudeMD
	// removed are files that a deletion has removed, and that are still marked for it.
	removed []records.File
	// syncing waits for the directories of these, by path.
	syncing map[string]func() error
	// changedIDs are the memories that this hold has changed and not published yet: one for each time that it has raised the version.
	changedIDs []uuid.UUID
	// savedPath is the file that somebody has just asked to be written: what it says is newest, whatever it said before.
	savedPath string
	// emptyFileWait takes up what a scan leaves to its writers and waits for; nil: nobody waits.
	emptyFileWait *emptyFileWait
}

// withAgent runs do while nobody else, in this process or another, works on the agent. It fails with
// memories.ErrNotFound for an unknown slug, with errNotHolder where another server holds the agent's lease, and with errPanic where do
// panics.
func (e *Engine) withAgent(ctx context.Context, slug string, do func(*hold) error) (err error) {
	a, err := e.agent(ctx, slug)
	if err != nil {
		return err
	}
	if err := a.lock(ctx); err != nil {
		return err
	}
	defer e.unlock(a)
	defer func() {
		if cause := recover(); cause != nil {
			a.resetScanState() // nobody knows how far that came
			err = e.panicError(slug, cause)
		}
	}()
	return e.store.WithAgent(ctx, a.id, func(w *postgres.Writer) error {
		h := &hold{Engine: e, agent: a, w: w}
		if err := h.begin(ctx); err != nil {
			return err
		}
		if other := e.joinedTo(a.onDisk); other != "" {
			h.closed = &joinedError{a.onDisk.Slug, other}
			return do(h)
		}
		root, err := files.OpenRoot(a.onDisk.Dir)
		switch {
		case err == nil:
			defer root.Close() //nolint:errcheck // nothing is written through the handle itself
			h.root = root
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			h.closed = err
		}
		return do(h)
	})
}

// agent returns a known agent; one that another server has made known since is read from the database.
func (e *Engine) agent(ctx context.Context, slug string) (*agent, error) {
	if a := e.known(slug); a != nil {
		return a, nil
	}
	row, err := e.store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.agents[slug]; a != nil {
		return a, nil
	}
	a := newAgent(row.ID)
	a.onDisk, a.present = onDisk(row), row.Present
	e.agents[slug] = a
	return a, nil
}

func (e *Engine) known(slug string) *agent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.agents[slug]
}

// byID returns the slug of a known agent; empty: it is not known.
func (e *Engine) byID(id int64) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for slug, a := range e.agents {
		if a.id == id {
			return slug
		}
	}
	return ""
}

// drop forgets an agent that is known no more.
func (e *Engine) drop(slug string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.agents, slug)
}

func (e *Engine) slugs() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	slugs := make([]string, 0, len(e.agents))
	for slug := range e.agents {
		slugs = append(slugs, slug)
	}
	return slugs
}

func onDisk(row records.Agent) agents.Agent {
	return agents.Agent{Slug: row.Slug, Layout: agents.Layout(row.Layout), Dir: row.Dir, DisplayName: row.DisplayName, JoinedTo: row.JoinedTo}
}

// errNoDirectory means that a write needs a directory that is not there.
func (h *hold) errNoDirectory() error {
	if h.closed != nil {
		return h.errClosed()
	}
	return &memories.ConflictError{Reason: "The agent's directory " + h.onDisk.Dir + " is not there, so nothing can be written. Nothing was changed."}
}

// errClosed means that nothing can be done with a directory that is there and cannot be opened.
func (h *hold) errClosed() error {
	var joined *joinedError
	if errors.As(h.closed, &joined) {
		return &memories.ConflictError{Reason: joined.Error() + " Nothing was changed. Do it there."}
	}
	if files.IsOwnership(h.closed) {
		return ownershipConflict(h.closed)
	}
	if files.IsExhausted(h.closed) {
		return &memories.ConflictError{Reason: fmt.Sprintf("The agent's directory %s cannot be opened (%v). Nothing was changed. Raise the number of files that may be open (ulimit -n), and try again.", h.onDisk.Dir, fsCause(h.closed))}
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("The agent's directory %s cannot be opened (%v). Nothing was changed. Let the user that Memoir runs as read it, and try again.", h.onDisk.Dir, fsCause(h.closed))}
}

// canWrite says with a conflict why nothing may be written into the agent's directory: it, or the primary directory that
// is known to hold memories, is not there. Writing would make a new one, in which everything else looks removed.
func (h *hold) canWrite(ctx context.Context) error {
	if h.root == nil {
		return h.errNoDirectory()
	}
	if err := h.checkWrite(); err != nil {
		return err
	}
	if info, err := files.Stat(h.root, h.onDisk.PrimaryDir()); err == nil && info.IsDir() {
		return nil
	}
	known, err := h.w.CountPrimary(ctx)
	if err != nil || known == 0 {
		return err
	}
	return &memories.ConflictError{Reason: "The agent's memory directory " + filepath.Join(h.onDisk.Dir, h.onDisk.PrimaryDir()) + " is not there, and it had memories in it. Nothing was changed. Put it back, or remove those memories, and try again."}
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
