// Package verification checks whether the files, lines, functions, flags and memories that an
// agent's memories cite still exist in the agent's project. It owns the parsing of citations, the
// search for them, and the schedule of checks.
//
// It only reads, and only inside the project's directory, through an [os.Root], with limits of
// time, bytes and files. It reports a citation as dead only if that is certain. It never changes a
// memory; it stores results in the database for lists and pages. Command server starts it; the API
// and the pages request checks.
package verification

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"memoir/internal/agents"
	"memoir/internal/background"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Options configures a Checker. Zero fields mean the defaults.
type Options struct {
	// Every is the time after which an unchanged memory is checked again, because its project may
	// have changed. The default is 1 hour.
	Every time.Duration
	// Fresh is the minimum age of a check that is repeated when a user opens the memory. The
	// default is 10 minutes.
	Fresh time.Duration
	// Settle is how long changes are collected before a check. The default is 2 s.
	Settle time.Duration
	// Limits are the limits of a check. The default is DefaultLimits.
	Limits Limits
	Log    *slog.Logger
}

const (
	defaultEvery  = time.Hour
	defaultFresh  = 10 * time.Minute
	defaultSettle = 2 * time.Second
	// share limits background checks to 1/share of the time (arbitrary).
	share = 10
	// maxTogether is the maximum number of citations in one walk, which limits the memory
	// (arbitrary).
	maxTogether = 20_000
)

// Checker checks the citations of memories in the background: after a change, when a user opens a
// memory, and periodically. It runs one check at a time, for agents of this server only. Its
// methods are safe for concurrent use.
type Checker struct {
	engine  *engine.Engine
	store   Store
	options Options
	turn    chan struct{} // held by the running check
	worker  *background.Worker

	mu sync.Mutex
	// due are the agents to check, by slug. The value is the time of the oldest acceptable check.
	due map[string]time.Time
}

// Start returns a Checker and starts its background checks. They check all agents when the engine
// is ready and every Options.Every, and an agent after a change. The caller must call Close before
// closing the engine.
func Start(e *engine.Engine, store Store, options Options) *Checker {
	options.Every = cmp.Or(options.Every, defaultEvery)
	options.Fresh = cmp.Or(options.Fresh, defaultFresh)
	options.Settle = cmp.Or(options.Settle, defaultSettle)
	options.Limits = cmp.Or(options.Limits, DefaultLimits())
	c := &Checker{engine: e, store: store, options: options, turn: make(chan struct{}, 1), due: map[string]time.Time{}}
	c.worker = background.New(background.Work{
		Engine: e, Settle: options.Settle, Every: options.Every, Do: c.checkDue, Log: options.Log, Failed: "citation check failed, will retry",
		Changed: func(slug string) { c.request(slug, time.Time{}) },
		Round:   func() { c.request("", time.Now().Add(-options.Every/2)) }, // also those checked late in the last round
	})
	c.request("", time.Now().Add(-options.Every))
	c.worker.Start()
	return c
}

// Close cancels the running background check, without storing its results, and waits for its end.
func (c *Checker) Close() {
	c.worker.Close()
}

// Ask requests a background check of the agent's memories that have changed or were last checked
// longer ago than Options.Fresh. It does not wait. If this server does not hold the agent's lease,
// the request has no effect.
func (c *Checker) Ask(slug string) { c.request(slug, time.Now().Add(-c.options.Fresh)) }

// request makes an agent due for a background check, or all agents if slug is empty, and wakes the
// worker. Changed memories and those last checked before since are checked. With the zero time
// these are only the changed ones. Of several requests, the latest since counts.
func (c *Checker) request(slug string, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, waits := c.due[slug]; !waits || since.After(before) {
		c.due[slug] = since
	}
	c.worker.Wake()
}

// checkDue checks the memories of the agents that are due and whose lease this server holds. It
// drops due agents of other servers, because those servers check them. After each agent it pauses
// for nine times the duration of the check. An agent whose check fails becomes due again, and the
// last such error is returned. If ctx ends, it stops and returns nil.
func (c *Checker) checkDue(ctx context.Context) error {
	c.mu.Lock()
	due := c.due
	c.due = map[string]time.Time{}
	c.mu.Unlock()
	var failed error
	if since, all := due[""]; all {
		delete(due, "")
		if failed = c.round(ctx, due, since); failed != nil {
			c.request("", since)
		}
	}
	for slug, since := range due {
		if ctx.Err() != nil {
			return nil
		}
		if !c.engine.HoldsLease(slug) {
			continue // the agent's server receives the same event
		}
		started := time.Now()
		if err := c.checkAgent(ctx, slug, since); err != nil {
			failed = err
			c.request(slug, since)
		}
		background.Pause(ctx, (share-1)*time.Since(started)) // limits the load of an agent that changes permanently
	}
	return failed
}

// round adds every agent with a project to due, with the time since, unless it has a later one. It
// deletes the stored results of this server's agents without a project, and emits an event for
// each. It returns the joined errors of these deletions.
func (c *Checker) round(ctx context.Context, due map[string]time.Time, since time.Time) error {
	all, err := c.store.AgentsUncounted(ctx)
	if err != nil {
		return err
	}
	verifiedIDs, err := c.store.VerifiedAgents(ctx)
	if err != nil {
		return err
	}
	for _, agent := range all {
		if projectOf(agent) != "" {
			if !due[agent.Slug].After(since) {
				due[agent.Slug] = since
			}
		} else if slices.Contains(verifiedIDs, agent.ID) && c.engine.HoldsLease(agent.Slug) {
			err = errors.Join(err, c.store.DeleteVerifications(ctx, agent.ID))
			c.engine.EmitScanned(agent.Slug)
		}
	}
	return err
}

// projectOf returns the directory of the agent's project, or "" if it has none.
func projectOf(agent records.Agent) string {
	return agents.ProjectDir(agents.Agent{
		Slug: agent.Slug, Layout: agents.Layout(agent.Layout), Dir: agent.Dir, DisplayName: agent.DisplayName,
	})
}

// checkAgent checks the agent's memories that have changed or were last checked before since, in
// several walks if they are many. If the agent no longer exists or ctx ends, it returns nil.
func (c *Checker) checkAgent(ctx context.Context, slug string, since time.Time) error {
	agent, err := c.store.AgentUncounted(ctx, slug)
	switch {
	case errors.Is(err, memories.ErrNotFound):
		return nil // forgotten
	case err != nil:
		return err
	}
	for more := true; more && ctx.Err() == nil; {
		if more, err = c.check(ctx, agent, "", since); err != nil {
			return err
		}
	}
	return nil
}

// CheckNow checks the citations of one memory and returns after storing the result. It does
// nothing and returns nil if the agent has no project, its directory is not on this server, or the
// memory does not exist. It returns memories.ErrNotFound for a malformed id.
func (c *Checker) CheckNow(ctx context.Context, agent records.Agent, id string) error {
	if projectOf(agent) == "" || !c.engine.HasDirectory(ctx, agent.Slug) {
		return nil
	}
	_, err := c.check(ctx, agent, id, time.Now())
	return err
}

// check waits for its turn, checks the memories that gather returns, and stores the results. If
// dead citations have changed, it emits an event. more reports whether memories remain. It does
// nothing and returns nil if the agent has no project or the directory cannot be opened. If ctx
// ends, it stores nothing and returns ctx.Err().
func (c *Checker) check(ctx context.Context, agent records.Agent, id string, since time.Time) (more bool, err error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-c.turn }()
	dir := projectOf(agent)
	if dir == "" {
		return false, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, nil // the directory cannot be opened; earlier results stay
	}
	defer root.Close()
	b, err := c.gather(ctx, agent, dir, id, since)
	if err != nil || len(b.memories) == 0 {
		return false, err
	}
	project := Project{Root: root, Own: agent.Dir}
	if project.HasMemory, project.HadMemory, err = c.memoriesOf(ctx, agent, b.citations); err != nil {
		return false, err
	}
	at := records.Now()
	verified := b.verified(Check(ctx, project, b.citations, c.options.Limits))
	if ctx.Err() != nil {
		return false, ctx.Err() // an interrupted check proves nothing
	}
	if err := c.store.SaveVerifications(ctx, agent, dir, at, verified); err != nil {
		return false, err
	}
	if b.differs(verified) {
		c.engine.EmitScanned(agent.Slug)
	}
	return b.more, nil
}

// Store is the database of a Checker. *postgres.Store implements and documents it.
type Store interface {
	records.Agents

	NamesOf(ctx context.Context, agent records.Agent, each func(name, path string)) error
	ForgottenNames(ctx context.Context, agentID int64) (map[string]string, error)
	Unverified(ctx context.Context, agent records.Agent, project, id string, since time.Time, each func(records.UnverifiedMemory) bool) error
	VerifiedAgents(ctx context.Context) ([]int64, error)

	SaveVerifications(ctx context.Context, agent records.Agent, project string, at time.Time, verified []records.VerifiedMemory) error
	DeleteVerifications(ctx context.Context, agentID int64) error
}
