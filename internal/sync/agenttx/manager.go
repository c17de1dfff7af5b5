package agenttx

import (
	"context"
	"errors"
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

// Options configures a Manager.
type Options struct {
	Store *postgres.Store
	Disk  Disk         // makes all changes on disk
	Guard *files.Guard // checks who owns files
	Queue *watch.Queue // receives the requests for scans and discoveries
	Log   *slog.Logger
	// Emit sends events to the subscribers on every server.
	Emit func(all ...events.Event)
	// Term returns the number of the current lease term of an agent, or 0 if this server does not
	// hold its lease. A lost lease that returns has another number.
	Term func(agentID int64) uint64
	// LinkTarget returns the slug of another agent, if a's directory is a link to that agent's. It
	// returns "" if a has its own directory.
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

// Close closes the replaced files that Overwrite has kept open. It does not wait for calls of Do.
func (m *Manager) Close() { m.replaced.close() }

// Do calls do with exclusive use of the agent on all servers, and returns its error. The Root of
// do's Tx is nil if the agent's directory is missing, cannot be opened, or is a link to another
// agent's. Do fails with memories.ErrNotFound for an unknown slug, memories.ErrNotHolder if another
// server holds the lease, and ErrPanic if do panics. It fails with the error of ctx or
// memories.ErrUnavailable if it cannot start do. A call of Do inside do for the same agent
// deadlocks.
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
			a.ResetScanState() // it may be half changed
			m.o.Log.Error("panic during work on an agent, will retry at the next scan",
				"agent", slug, "panic", cause, "stack", string(debug.Stack()))
			err = ErrPanic
		}
	}()
	return m.o.Store.WithAgent(ctx, a.ID, func(w *postgres.Writer) error {
		tx := &Tx{
			Agent: a.Agent, Actor: ActorOf(ctx), DB: w, Rows: w.Rows, Disk: m.o.Disk, State: a, Log: m.o.Log,
			guard: m.o.Guard, queue: m.o.Queue, emit: m.o.Emit, replaced: &m.replaced,
		}
		if err := m.begin(ctx, tx); err != nil {
			return err
		}
		if tx.Agent.IsRestricted() {
			tx.Disk = layoutDisk{tx.Disk, tx}
		}
		if other := m.o.LinkTarget(tx.Agent); other != "" {
			tx.Closed = &joinedError{tx.Agent.Slug, other}
			return do(tx)
		}
		defer func() {
			if tx.Root != nil {
				tx.Root.Close() //nolint:errcheck // nothing is written through the handle itself
			}
		}()
		root, err := files.OpenRoot(tx.Agent.Dir)
		switch {
		case err == nil:
			tx.Root = root
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			tx.Closed = err
		}
		return do(tx)
	})
}

// Do is Manager.Do for a function with a result: it calls do with exclusive use of the agent, and
// returns its result and error. It fails with memories.ErrNotFound for an unknown slug, with
// memories.ErrNotHolder if another server holds the lease, and with ErrPanic if do panics. It fails
// with the error of ctx or memories.ErrUnavailable if it cannot start do.
func Do[R any](ctx context.Context, m *Manager, slug string, do func(*Tx) (R, error)) (R, error) {
	var result R
	err := m.Do(ctx, slug, func(tx *Tx) (err error) {
		result, err = do(tx)
		return err
	})
	return result, err
}

// begin prepares tx for the current lease term, and resets the scan state if the term is new. It
// returns memories.ErrNotHolder if another server holds the lease. If no server does, this one may
// work on the agent, and begin reads the agent's row again. If the row no longer exists, it drops
// the agent and returns memories.ErrNotFound.
func (m *Manager) begin(ctx context.Context, tx *Tx) error {
	term := m.o.Term(tx.State.ID)
	if term == 0 {
		holder, err := m.o.Store.Holder(ctx, tx.State.ID)
		if err != nil {
			return err
		}
		if holder != 0 {
			return memories.ErrNotHolder
		}
		// A server that gets the lease from now on first scans the whole agent, and must wait for
		// tx.
		row, err := tx.Rows.Agent(ctx)
		if errors.Is(err, memories.ErrNotFound) {
			m.Drop(tx.Agent.Slug) // another agent may have the slug now
		}
		if err != nil {
			return err
		}
		tx.Agent = AgentOf(row)
		tx.State.Agent, tx.State.Present = tx.Agent, row.Present
	}
	tx.State.Begin(term)
	return nil
}

// Load returns the State of an agent, unlocked. If this process does not know the agent, Load reads
// its row and remembers it. It fails with memories.ErrNotFound if no agent has that slug.
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
	a.Agent, a.Present = AgentOf(row), row.Present
	m.states[slug] = a
	return a, nil
}

// Known returns the State of an agent, unlocked, or nil if this process does not know the agent. It
// does not ask the database.
func (m *Manager) Known(slug string) *State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.states[slug]
}

// SlugOf returns the slug of the agent with that id, or "" if this process does not know it.
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

// Drop makes this process forget an agent; it does nothing for an unknown slug. It changes nothing
// in the database or on disk. Running calls of Do continue.
func (m *Manager) Drop(slug string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.states, slug)
}

// KnownAgent is an agent that this process knows.
type KnownAgent struct {
	Slug  string
	ID    int64 // in the database
	Files int   // number of memory files on disk at the last scans
}

// List returns the agents that this process knows, in no order.
func (m *Manager) List() []KnownAgent {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]KnownAgent, 0, len(m.states))
	for slug, a := range m.states {
		all = append(all, KnownAgent{slug, a.ID, int(a.FileCounter.Files.Load())})
	}
	return all
}

// Slugs returns the slugs of the agents that this process knows, in no order.
func (m *Manager) Slugs() []string {
	var slugs []string
	for _, a := range m.List() {
		slugs = append(slugs, a.Slug)
	}
	return slugs
}

// Keep makes this process forget all agents except those in ids, which maps slugs to ids. It also
// forgets an agent whose id is not the one that ids has for its slug.
func (m *Manager) Keep(ids map[string]int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.states, func(slug string, a *State) bool { return ids[slug] != a.ID })
}

// Ensure returns the State of the agent with that slug and id. If this process does not know the
// agent, or knows another agent by that slug, it stores a new State with only the id set.
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

// Unlock releases the lock of an agent, which the caller must hold. If LockOrSkip has given up on
// the agent since the last Unlock, it also queues a discovery.
func (m *Manager) Unlock(a *State) {
	a.inUse.Release(1)
	if a.skipped.Swap(false) {
		m.o.Queue.AddNow("", ".")
	}
}

// AgentOf returns the agent that a row describes, without reading the disk.
func AgentOf(row records.Agent) agents.Agent {
	return agents.Agent{Slug: row.Slug, Layout: agents.Layout(row.Layout), Dir: row.Dir, DisplayName: row.DisplayName, JoinedTo: row.JoinedTo}
}
