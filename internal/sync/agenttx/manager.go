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

// Close closes the replaced files that are still open.
func (m *Manager) Close() { m.replaced.close() }

// Do calls do with exclusive use of the agent, in this process and among all servers, and
// returns its error. It opens the agent's directory for the call. It fails with
// memories.ErrNotFound for an unknown slug, and with memories.ErrNotHolder if another server
// holds the agent's lease. It fails with ErrPanic if do panics, and with the error of ctx if ctx
// ends while Do waits. A call of Do inside do for the same agent deadlocks.
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

// Do calls do with exclusive use of the agent, by m.Do, and returns its result and error. It fails
// with memories.ErrNotFound for an unknown slug, with memories.ErrNotHolder if another server holds
// the agent's lease, and with ErrPanic if do panics.
func Do[R any](ctx context.Context, m *Manager, slug string, do func(*Tx) (R, error)) (R, error) {
	var result R
	err := m.Do(ctx, slug, func(tx *Tx) (err error) {
		result, err = do(tx)
		return err
	})
	return result, err
}

// begin prepares tx for the current lease term. If another server holds the lease, it returns
// memories.ErrNotHolder. If none does, this server may work on the agent, and begin reads the
// agent's row again. It returns memories.ErrNotFound if the row no longer exists.
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

// Load returns the State of an agent. If this process does not know the agent, Load reads its row.
// It fails with memories.ErrNotFound if no agent has that slug.
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

// Known returns the State of an agent, or nil if this process does not know the agent.
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

// Drop makes this process forget an agent. It changes nothing in the database or on disk.
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

// Ensure returns the State of the agent with that slug and id. It creates a new State if this
// process does not know the agent, or knows another agent by that slug.
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

// Unlock releases the lock of an agent. If LockOrSkip gave up on the agent, Unlock requests a
// discovery.
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
