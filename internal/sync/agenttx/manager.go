package agenttx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"runtime/debug"
	"sync"
	"syscall"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// ManagerOptions configures a Manager.
type Options struct {
	Store *postgres.Store
	Disk  Disk
	Guard *files.Guard
	Queue *watch.Queue
	Log   *slog.Logger
	// Emit sends events to the subscribers on every server.
	Emit func(all ...events.Event)
	// Term returns the number of the lease term in which this server holds the agent's lease, and 0
	// if it does not hold it.
	Term func(agentID int64) uint64
	// LinkTarget returns the slug of the agent to whose directory a's leads by a link. It is empty
	// if a's directory is its own.
	LinkTarget func(a agents.Agent) string
}

// Manager gives callers exclusive use of agents. Its methods are safe for concurrent use.
type Manager struct {
	o        Options
	replaced replacedFiles

	mu     sync.Mutex
	states map[string]*State // by slug
}

// NewManager returns a Manager that knows no agent.
func NewManager(o Options) *Manager {
	return &Manager{o: o, states: map[string]*State{}}
}

// Close closes the replaced files that are still open.
func (m *Manager) Close() { m.replaced.close() }

// withAgent runs do while nobody else, in this process or another, works on the agent. It fails with
// memories.ErrNotFound for an unknown slug, with errNotHolder where another server holds the lease of the agent, and with errPanic where do
// panics.
func (m *Manager) Do(ctx context.Context, slug string, do func(*Tx) error) (err error) {
	a, err := m.Load(ctx, slug)
	if err != nil {
		return err
	}
	if err := a.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(a)
	defer func() {
		if cause := recover(); cause != nil {
			a.ResetScanState() // nobody knows how far that came
			err = m.panicError(slug, cause)
		}
	}()
	return m.o.Store.WithAgent(ctx, a.ID, func(w *postgres.Writer) error {
		tx := &Tx{
			Agent: a.OnDisk, Actor: ActorOf(ctx), DB: w, Disk: m.o.Disk, State: a, Log: m.o.Log,
			guard: m.o.Guard, queue: m.o.Queue, emit: m.o.Emit, replaced: &m.replaced,
		}
		if err := m.begin(ctx, tx); err != nil {
			return err
		}
		if other := m.o.LinkTarget(tx.Agent); other != "" {
			tx.Closed = &joinedError{tx.Agent.Slug, other}
			return do(tx)
		}
		root, err := files.OpenRoot(tx.Agent.Dir)
		switch {
		case err == nil:
			defer root.Close() //nolint:errcheck // nothing is written through the handle itself
			tx.Root = root
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			tx.Closed = err
		}
		return do(tx)
	})
}

// begin makes ready for an operation on the agent. What this server believed of it under another term is stale: somebody else
// may have changed everything since. An agent that nobody looks after is dealt with by whoever is asked; that nobody does is
// certain as long as the agent is held, because its next server begins with a scan of all of it.
func (m *Manager) begin(ctx context.Context, tx *Tx) error {
	term := m.o.Term(tx.State.ID)
	if term == 0 {
		holder, err := m.o.Store.Holder(ctx, tx.State.ID)
		if err != nil {
			return err
		}
		if holder != 0 {
			return ErrNotHolder
		}
		row, err := tx.DB.Agent(ctx)
		if errors.Is(err, memories.ErrNotFound) {
			m.Drop(tx.Agent.Slug) // forgotten; there may be another one of that slug now
		}
		if err != nil {
			return err
		}
		tx.Agent = OnDisk(row)
		tx.State.OnDisk, tx.State.Present = tx.Agent, row.Present
	}
	tx.State.Begin(term)
	return nil
}

// agent returns a known agent; one that another server has made known since is read from the database.
func (m *Manager) Load(ctx context.Context, slug string) (*State, error) {
	if a := m.Known(slug); a != nil {
		return a, nil
	}
	row, err := m.o.Store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a := m.states[slug]; a != nil {
		return a, nil
	}
	a := NewState(row.ID)
	a.OnDisk, a.Present = OnDisk(row), row.Present
	m.states[slug] = a
	return a, nil
}

func (m *Manager) Known(slug string) *State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.states[slug]
}

// byID returns the slug of a known agent; empty: it is not known.
func (m *Manager) SlugOf(id int64) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for slug, a := range m.states {
		if a.ID == id {
			return slug
		}
	}
	return ""
}

// drop forgets an agent that is known no more.
func (m *Manager) Drop(slug string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.states, slug)
}

// KnownAgent is an agent that this process knows.
type KnownAgent struct {
	Slug  string
	ID    int64
	Files int // memory files, as its last scans counted them
}

// list returns the agents that this process knows, in no order.
func (m *Manager) List() []KnownAgent {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]KnownAgent, 0, len(m.states))
	for slug, a := range m.states {
		all = append(all, KnownAgent{slug, a.ID, int(a.FileCounter.Files.Load())})
	}
	return all
}

// slugs returns the slugs of the agents that this process knows, in no order.
func (m *Manager) Slugs() []string {
	var slugs []string
	for _, a := range m.List() {
		slugs = append(slugs, a.Slug)
	}
	return slugs
}

// keep drops the agents that are not in ids, by slug.
func (m *Manager) Keep(ids map[string]int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.states, func(slug string, a *State) bool { return ids[slug] != a.ID })
}

// agentOfRow returns what this process knows of an agent; nothing yet, where it is another one than it knew of that slug.
func (m *Manager) Ensure(slug string, id int64) *State {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.states[slug]
	if a == nil || a.ID != id {
		a = NewState(id)
		m.states[slug] = a
	}
	return a
}

// unlock lets the next one work on the agent.
func (m *Manager) Unlock(a *State) {
	a.inUse.Release(1)
	if a.skipped.Swap(false) {
		m.o.Queue.AddNow("", ".")
	}
}

// errPanic means that Memoir itself has a fault, which one agent has met with. That ends what was being done with the agent, and nothing
// else: what is mirrored for all others must not depend on what one of them has on disk.
var ErrPanic = errors.New("internal error, see the server's log")

// panicError is the error of a panic while somebody worked on an agent.
func (m *Manager) panicError(slug string, cause any) error {
	m.o.Log.Error("panic during work on an agent, will retry at the next scan",
		"agent", slug, "panic", cause, "stack", string(debug.Stack()))
	return ErrPanic
}

func OnDisk(row records.Agent) agents.Agent {
	return agents.Agent{Slug: row.Slug, Layout: agents.Layout(row.Layout), Dir: row.Dir, DisplayName: row.DisplayName, JoinedTo: row.JoinedTo}
}

// errNotHolder means that another server holds the lease of the agent. It is for that one to carry out what is asked.
var ErrNotHolder = fmt.Errorf("another server holds the agent's lease: %w", memories.ErrUnavailable)
