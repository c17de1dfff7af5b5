// Package sync keeps the agents' directories, the database and the CLAUDE.md files up to date with
// each other. It is the one writer of Memoir.
//
// The Engine wires the packages below: watch and scan find changes on disk, reconcile decides what
// they mean, ops changes memories, publish writes CLAUDE.md, cluster shares the work with other
// servers. The Engine runs their loops and offers their operations, one short method each. The API,
// the pages and the features call it; it knows nothing of HTTP.
//
// The methods of Engine, by topic:
//
//   - life: Start, StopScans, Close; Hub, Emit, EmitScanned
//   - one memory: Save, Create, Patch, Delete, Restore, Purge, Verify; Move, Copy
//   - many memories: DeleteMany, RestoreMany, PurgeMany, VerifyMany
//   - problems: ProposeFixes, Fix, UndoFix; Keep for conflicts; Allow, RemoveBlocked
//   - CLAUDE.md: Preview, PreviewAsOf, PreviewEdits, PreviewDeletion
//   - MEMORY.md: Index, PreviewIndex, RepairIndex, AdoptFact
//   - agents: Agents, AgentsOf, IsOffInClaude, About, SwitchMemory, Forget
//   - servers: HoldsLease, HasDirectory
//   - files: ReadFile, ListFiles, CreateFile, ReplaceFile, RenameFile, RemoveFile, AppendLog
//   - sessions: SessionMemories, SessionMemory, ConversationsSince
//   - imports: MakeAgent, Seed, AddHistory, AddDeletionConflict, RefuseDeletion, Indexes
//   - consolidation: ConsolidationLock, BeginConsolidation, CheckConsolidation, EndConsolidation
//   - scans: Scan, ScanAll, RequestScan
//   - status: Ready, Searchable, Status, AgentStatuses, ScanProblems
//
// Methods fail with memories.ErrUnavailable if the database or the server with the agent's lease
// does not respond; a change may have been made then. Where a method takes an etag, it fails with
// memories.ErrChanged if the memory has another ETag. An empty etag and "*" accept any.
package sync

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/discover"
	"memoir/internal/sync/events"
	"memoir/internal/sync/imports"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/scan"
	"memoir/internal/sync/watch"
)

// Options configures an Engine.
type Options struct {
	// Places are the directories to search for agents.
	Places agents.Settings
	// Debounce is how long an agent's files must be unchanged before a change is scanned.
	Debounce time.Duration
	// WriterPause is how long a program may pause while it writes an unfinished file. 0 means
	// scan.WriterPause.
	WriterPause time.Duration
	// Rescan is the time between two full scans.
	Rescan time.Duration
	// ScanRetry is the wait before failed parts of a full scan are repeated. 0 means agenttx.Retry.
	ScanRetry time.Duration
	// Overdue is how long other agents wait for the scan of one agent. 0 means defaultOverdue.
	Overdue time.Duration
	// ShownAfter is how long watched scans of an agent must fail before the status shows it. 0
	// means scan.ShowAfter.
	ShownAfter time.Duration
	// ClaudeMDLimit is the length of a CLAUDE.md, in Unicode characters, above which memories
	// become one-line entries.
	ClaudeMDLimit int
	// AgeNotes adds a note to each stale memory in CLAUDE.md.
	AgeNotes bool
	// Poll disables the system's events. All directories are polled instead.
	Poll bool
	// Notify opens the source of events. nil means watch.OpenNotifier.
	Notify func() (watch.Notifier, error)
	// Disk makes all changes on disk. nil means the real disk.
	Disk agenttx.Disk
	Log  *slog.Logger
}

// Engine mirrors agents' directories into the database, writes their CLAUDE.md files, and changes
// memories. Its methods are safe for concurrent use. The package comment lists them by
// topic. An operation on an agent runs on the server that holds the agent's lease; a read runs on
// any server with the agent's directory. Both fail with memories.ErrNotFound for an unknown slug.
type Engine struct {
	store   *postgres.Store
	options Options
	log     *slog.Logger
	guard   *files.Guard
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
	imports    *imports.Service
	calls      calls
	stats      syncStats

	scanCtx   context.Context    // ends when scans must stop
	stopScans context.CancelFunc // ends scanCtx
	stop      context.CancelFunc // ends all loops, and scanCtx
	running   sync.WaitGroup     // loops, and scans of full scans
}

// Start starts the loops that watch, scan and publish, and returns the running engine. It does not
// wait for the first scan: Ready reports its end. The caller must close the engine. It fails with
// memories.ErrUnavailable if the database gives no connection.
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
	if err := e.node.OpenLeaseConn(ctx); err != nil {
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

// newEngine returns an engine that is not running. Its contexts are not set.
func newEngine(store *postgres.Store, options Options) *Engine {
	guard := files.NewGuard(agents.Roots(options.Places)...)
	if options.Disk == nil {
		options.Disk = agenttx.NewDisk(guard)
	}
	options.ScanRetry = cmp.Or(options.ScanRetry, agenttx.Retry)
	log := options.Log
	e := &Engine{
		store: store, options: options, log: log, guard: guard, queue: watch.NewQueue(options.Debounce),
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
			e.search.indexLater(uuid.Nil) // the other server may not have finished
		},
		PeerIndexing: func(busy bool) { e.search.setPeerIndexing(busy) },
	})
	e.hub = e.node.Hub
	e.watcher = watch.New(options.Notify, e.queue, e.queueFullScan, log)
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
		Store: store, Limit: options.ClaudeMDLimit, AgeNotes: options.AgeNotes, Agents: e.agents,
		Ready: e.scans.IsReady, Late: e.scans.Late, Overdue: e.scans.Overdue,
		HoldsLease: func(agentID int64) bool { return e.node.Term(agentID) != 0 },
		Cache:      publish.NewCache(),
		PublishAgent: func(ctx context.Context, slug string) (publish.Result, error) {
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
	e.imports = &imports.Service{Agents: e.agents, Ops: e.ops, Scanner: e.scanner, Publisher: e.publisher}
	e.calls = e.makeCalls()
	return e
}

// StopScans stops all scans, without waiting for them, and allows no further ones. Calls of Scan
// and ScanAll then fail with memories.ErrStopping. Changes of memories continue. The first scan
// after the next start reads the rest. The caller must still call Close.
func (e *Engine) StopScans() { e.stopScans() }

// withScanContext calls run with a context that also ends when scans are stopped, and returns its
// result and error. If run fails because scans are stopped, the error is memories.ErrStopping.
func (e *Engine) withScanContext(ctx context.Context, run func(context.Context) (scan.Result, error)) (scan.Result, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.scanCtx, cancel)()
	if e.scanCtx.Err() != nil {
		cancel() // AfterFunc calls it asynchronously
	}
	result, err := run(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = memories.ErrStopping
	}
	return result, err
}

// Close stops all loops and scans, closes every subscription, and releases this server's leases. It
// waits for scans and for started requests of other servers, and returns the error of closing the
// file watcher. The caller must wait for its own calls first.
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

// Emit sends an event of that kind about the whole agent to the subscribers on every server. It
// never waits. An empty slug means that any agent may have changed.
func (e *Engine) Emit(slug string, kind events.Kind) {
	e.hub.Emit(events.Event{Agent: slug, Kind: kind})
}

// EmitScanned sends a Scanned event to the subscribers on every server: anything of the agent may
// have changed. It scans nothing.
func (e *Engine) EmitScanned(slug string) { e.Emit(slug, events.Scanned) }

// Ready reports whether the first full scan is done on this server. Overdue and failing agents
// delay it; an agent whose scan panicked does not.
func (e *Engine) Ready() bool { return e.scans.IsReady() }
