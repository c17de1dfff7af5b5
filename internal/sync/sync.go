// Package sync keeps the agents' directories, the database and the CLAUDE.md files up to date with
// each other. It is the one writer of Memoir.
//
// The Engine wires the packages below: watch and scan find changes on disk, reconcile decides what
// they mean, ops changes memories, publish writes CLAUDE.md, cluster shares the work with other
// servers. The Engine runs their loops and has their public methods, one line each. The API, the
// pages and the features call it; it knows nothing of HTTP.
package sync

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/postgres"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/discover"
	"memoir/internal/sync/events"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/scan"
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
	Disk agenttx.Disk
	Log  *slog.Logger
}

// Engine is the running mirror. Its methods are safe for concurrent use.
type Engine struct {
	store   *postgres.Store
	options Options
	log     *slog.Logger
	hub     *events.Hub
	queue   *watch.Queue
	watcher *watch.Watcher

	agents     *agenttx.Manager
	node       *cluster.Node
	discoverer *discover.Discoverer
	scans      *scan.Tracker
	scanner    *scan.Scanner
	search     *searchFiller
	publisher  *publish.Publisher
	ops        *ops.Service
	dir        *agentdir.Directory
	index      *indexfile.Viewer
	calls      calls
	stats      syncStats

	scanCtx   context.Context // ends when no scan may begin or go on
	stopScans context.CancelFunc
	stop      context.CancelFunc
	running   sync.WaitGroup
}

// Start begins to watch and to scan. Close ends it. It fails with memories.ErrUnavailable where the database has no connection
// to give.
func Start(store *postgres.Store, options Options) (*Engine, error) {
	switch {
	case options.Poll:
		options.Notify = nil
	case options.Notify == nil:
		options.Notify = watch.OpenNotifier
	}
	ctx, stop := context.WithCancel(context.Background())
	scanCtx, stopScans := context.WithCancel(ctx)
	e := newEngine(store, options)
	e.scanCtx, e.stopScans, e.stop = scanCtx, stopScans, stop
	if err := e.node.OpenServerConn(ctx); err != nil {
		stopScans()
		stop()
		return nil, err
	}
	for _, run := range []func(context.Context){
		e.workLoop, e.scanLoop, e.discoverer.WatchRoots, e.discoverer.PollLoop, e.search.fillSearchIndex,
	} {
		e.running.Go(func() { run(scanCtx) })
	}
	for _, run := range []func(context.Context){e.node.LeaseLoop, e.node.BroadcastLoop, e.node.ServeRequests} {
		e.running.Go(func() { run(ctx) })
	}
	return e, nil
}

// newEngine wires the packages of the engine together.
func newEngine(store *postgres.Store, options Options) *Engine {
	guard := files.NewGuard(agents.Roots(options.Places)...)
	if options.Disk == nil {
		options.Disk = agenttx.NewDisk(guard)
	}
	log := options.Log
	e := &Engine{
		store: store, options: options, log: log, queue: watch.NewQueue(options.Debounce),
		scans: scan.NewTracker(cmp.Or(options.ShownAfter, scan.ShowAfter), cmp.Or(options.Overdue, defaultOverdue)),
	}
	linkTarget := func(a agents.Agent) string { return e.discoverer.JoinedTo(a) }
	e.agents = agenttx.NewManager(agenttx.Options{
		Store: store, Disk: options.Disk, Guard: guard, Queue: e.queue, Log: log, LinkTarget: linkTarget,
		Term: func(agentID int64) uint64 { return e.node.Term(agentID) },
		Emit: func(all ...events.Event) { e.hub.Emit(all...) },
	})
	e.node = cluster.New(cluster.Options{
		Store: store, Log: log, Queue: e.queue, Agents: e.agents,
		FindAgent: func(ctx context.Context, slug string) (*agenttx.State, error) { return e.discoverer.Find(ctx, slug) },
		LeasesTaken: func() {
			e.queue.AddNow("", ".")
			e.search.indexLater(uuid.Nil) // the other server may have left something out
		},
		PeerIndexing: func(busy bool) { e.search.setPeerIndexing(busy) },
	})
	e.hub = e.node.Hub
	e.watcher = watch.New(watch.Options{Notify: options.Notify, Queue: e.queue, ScanAll: e.queueFullScan, Log: log})
	e.discoverer = &discover.Discoverer{
		Store: store, Places: options.Places, Log: log, Queue: e.queue, Hub: e.hub, Agents: e.agents, Node: e.node,
		Watcher: e.watcher, Scans: e.scans,
	}
	e.search = newSearchFiller(store, log, e.scans, e.node.TellIndexing)
	e.scanner = &scan.Scanner{
		ClaudeMDLimit: options.ClaudeMDLimit, WriterPause: cmp.Or(options.WriterPause, scan.WriterPause), Watcher: e.watcher,
		Scans: e.scans, LinkTarget: linkTarget, IndexLater: e.search.indexLater,
	}
	e.publisher = &publish.Publisher{
		Store: store, Limit: options.ClaudeMDLimit, AgeNotes: options.AgeNotes, Log: log, Queue: e.queue, Agents: e.agents,
		Ready: e.scans.IsReady, Late: e.scans.Late, Overdue: e.scans.Overdue,
		HoldsLease: func(agentID int64) bool { return e.node.Term(agentID) != 0 },
		Cache:      publish.NewCache(),
		PublishAgent: func(ctx context.Context, slug string) (publish.PublishResult, error) {
			return e.calls.publish.Do(ctx, slug, publish.PublishOp{})
		},
	}
	e.index = &indexfile.Viewer{Store: store}
	e.ops = &ops.Service{
		Store: store, Log: log, Hub: e.hub, Agents: e.agents, Scanner: e.scanner, Publisher: e.publisher,
		Index: e.index, Node: e.node,
	}
	e.dir = &agentdir.Directory{
		Store: store, Places: options.Places, Agents: e.agents, Scanner: e.scanner, Publisher: e.publisher,
	}
	e.calls = e.makeCalls()
	return e
}

// StopScans has every scan stop where it can be gone on with later, those that somebody waits for too, and begins no other. What changes
// memories goes on: Close waits for none of it, and has to follow.
func (e *Engine) StopScans() { e.stopScans() }

// withScanContext calls a scan that somebody waits for, and gives it up when nothing is to be scanned any more; it fails with ErrStopping then.
func (e *Engine) withScanContext(ctx context.Context, look func(context.Context) (scan.Result, error)) (scan.Result, error) {
	limited, giveUp := context.WithCancel(ctx)
	defer giveUp()
	defer context.AfterFunc(e.scanCtx, giveUp)()
	if e.scanCtx.Err() != nil {
		giveUp() // at once, not in a moment
	}
	result, err := look(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = agenttx.ErrStopping
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
	e.node.CloseServerConn()
	e.agents.Close()
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
func (e *Engine) Ready() bool { return e.scans.IsReady() }

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Searchable reports whether a search finds everything that is listed. After the start, and after
// many new memories at once, the search index is filled last.
func (e *Engine) Searchable() bool { return e.search.isComplete() }
