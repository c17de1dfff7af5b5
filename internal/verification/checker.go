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
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
)

// Options are the settings of a Checker. The zero value of each stands for what its comment says.
type Options struct {
	// Every is the time after which a memory is checked again although it has not changed, since its project may have; 1 hour.
	Every time.Duration
	// Fresh is the age from which on a check is made again when somebody looks at the memory; 10 minutes.
	Fresh time.Duration
	// Settle is how long changes are gathered before they are checked together; 2 s.
	Settle time.Duration
	// Limits bound each check; DefaultLimits.
	Limits Limits
	Log    *slog.Logger
}

const (
	defaultEvery  = time.Hour
	defaultFresh  = 10 * time.Minute
	defaultSettle = 2 * time.Second
	// retry is how long it waits after the database has failed.
	retry = 10 * time.Second
	// share is the part of the time that checks take in the background, one in so many.
	share = 10
	// maxTogether is how many citations are looked for in one walk, which is also what is in memory of an agent.
	maxTogether = 20_000
)

// Checker checks in the background what memories cite: after they have changed, when somebody looks at them, and from time to time. It
// checks one agent at a time, and those alone that this server looks after. Its methods are safe for concurrent use.
type Checker struct {
	engine  *engine.Engine
	store   Store
	options Options
	turn    chan struct{} // one place: one check at a time
	wake    chan struct{}

	mu sync.Mutex
	// due are the agents to check by their slugs, with the time since which none of their memories may be unchecked.
	due map[string]time.Time
	// without are agents that never have a project. They are not asked about again until the next round.
	without map[string]bool

	stop    context.CancelFunc
	running sync.WaitGroup
}

// Start begins to check. Close ends it, before the engine is closed.
func Start(e *engine.Engine, store Store, options Options) *Checker {
	options.Every = cmp.Or(options.Every, defaultEvery)
	options.Fresh = cmp.Or(options.Fresh, defaultFresh)
	options.Settle = cmp.Or(options.Settle, defaultSettle)
	options.Limits = cmp.Or(options.Limits, DefaultLimits())
	ctx, stop := context.WithCancel(context.Background())
	c := &Checker{
		engine: e, store: store, options: options, turn: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		due: map[string]time.Time{}, without: map[string]bool{}, stop: stop,
	}
	// Listening begins before Start returns, so that no change from here on is missed.
	news := e.Hub().Subscribe()
	c.running.Go(func() { c.listen(ctx, news) })
	c.running.Go(func() { c.work(ctx) })
	return c
}

// Close ends checking, and waits for a check that is going on.
func (c *Checker) Close() {
	c.stop()
	c.running.Wait()
}

// Ask has an agent checked soon, as far as it was not lately. It does not wait.
func (c *Checker) Ask(slug string) { c.want(slug, time.Now().Add(-c.options.Fresh)) }

// want makes an agent due. None of its memories may be unchecked since the given time; of the zero time only what has changed is.
func (c *Checker) want(slug string, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.without[slug] {
		return
	}
	if before, waits := c.due[slug]; !waits || since.After(before) {
		c.due[slug] = since
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// listen notes what may have changed.
func (c *Checker) listen(ctx context.Context, news *events.Subscription) {
	defer news.Close()
	rounds := time.NewTicker(c.options.Every)
	defer rounds.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-news.Events:
			if !open {
				return
			}
			if event.Kind != events.Published {
				c.want(event.Agent, time.Time{}) // an empty slug stands for all
			}
		case <-rounds.C:
			c.want("", time.Now().Add(-c.options.Every/2)) // what the round before has checked a little late is due too
		}
	}
}

// work checks what is due, one agent after the other.
func (c *Checker) work(ctx context.Context) {
	c.want("", time.Now().Add(-c.options.Every))
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		pause(ctx, c.options.Settle)
		if !c.engine.Ready() {
			c.want("", time.Time{}) // what the first scan finds is checked together
			continue
		}
		if err := c.checkDue(ctx); err != nil && ctx.Err() == nil {
			c.options.Log.Warn("what memories cite could not be checked; tried again", "error", err)
			pause(ctx, retry)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// checkDue checks the agents that are due. What fails is due again.
func (c *Checker) checkDue(ctx context.Context) error {
	c.mu.Lock()
	due := c.due
	c.due = map[string]time.Time{}
	c.mu.Unlock()
	var failed error
	if since, all := due[""]; all {
		delete(due, "")
		if failed = c.round(ctx, due, since); failed != nil {
			c.want("", since)
		}
	}
	for slug, since := range due {
		if ctx.Err() != nil {
			return nil
		}
		if !c.engine.LooksAfter(slug) {
			continue // its own server hears the same news
		}
		started := time.Now()
		if err := c.checkAgent(ctx, slug, since); err != nil {
			failed = err
			c.want(slug, since)
		}
		pause(ctx, (share-1)*time.Since(started)) // an agent that learns all the time would keep a core busy
	}
	return failed
}

// round makes every agent due that has a project, and forgets what is kept of those that have none any more.
func (c *Checker) round(ctx context.Context, due map[string]time.Time, since time.Time) error {
	all, err := c.store.AgentsUncounted(ctx)
	if err != nil {
		return err
	}
	kept, err := c.store.VerifiedAgents(ctx)
	if err != nil {
		return err
	}
	without := map[string]bool{}
	for _, agent := range all {
		switch {
		case projectOf(agent) != "":
			if !due[agent.Slug].After(since) {
				due[agent.Slug] = since
			}
			continue
		case !mayHaveProject(agent):
			without[agent.Slug] = true
		}
		if slices.Contains(kept, agent.ID) && c.engine.LooksAfter(agent.Slug) {
			err = errors.Join(err, c.store.ForgetVerifications(ctx, agent.ID))
			c.engine.EmitScanned(agent.Slug)
		}
	}
	c.mu.Lock()
	c.without = without
	c.mu.Unlock()
	return err
}

// mayHaveProject reports whether an agent is of a layout that has projects, without a look at the disk.
func mayHaveProject(agent records.Agent) bool { return agents.Layout(agent.Layout) != agents.Hive }

func projectOf(agent records.Agent) string {
	return agents.ProjectDir(agents.Agent{
		Slug: agent.Slug, Layout: agents.Layout(agent.Layout), Dir: agent.Dir, DisplayName: agent.DisplayName,
	})
}

// checkAgent checks the memories of an agent that were not since the given time.
func (c *Checker) checkAgent(ctx context.Context, slug string, since time.Time) error {
	agent, err := c.store.AgentUncounted(ctx, slug)
	switch {
	case errors.Is(err, memories.ErrNotFound):
		return nil // forgotten
	case err != nil:
		return err
	case !mayHaveProject(agent):
		c.mu.Lock()
		c.without[slug] = true
		c.mu.Unlock()
		return nil
	}
	for more := true; more && ctx.Err() == nil; {
		if more, err = c.check(ctx, agent, "", since); err != nil {
			return err
		}
	}
	return nil
}

// CheckNow checks one memory of an agent, and returns when what came of it is kept. Of an agent that has no project, or whose directory
// is not on this server's disk, nothing is checked. It fails with memories.ErrNotFound for an id that can be none, and as the store does.
func (c *Checker) CheckNow(ctx context.Context, agent records.Agent, id string) error {
	if !mayHaveProject(agent) || !c.engine.Sees(ctx, agent.Slug) {
		return nil
	}
	_, err := c.check(ctx, agent, id, time.Now())
	return err
}

// check checks the memories of an agent that were not since the given time, or the one with the id, as far as one walk goes. more says
// that some are left.
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
		return false, nil // there and closed: what was found before stands
	}
	defer root.Close()
	b, err := c.gather(ctx, agent, dir, id, since)
	if err != nil || len(b.memories) == 0 {
		return false, err
	}
	project := Project{Root: root, Own: agent.Dir}
	if project.HasMemory, err = c.memoriesOf(ctx, agent, b.citations); err != nil {
		return false, err
	}
	at := records.Now()
	verified := b.verified(Check(ctx, project, b.citations, c.options.Limits))
	if ctx.Err() != nil {
		return false, ctx.Err() // it was cut short, and proves nothing
	}
	if err := c.store.SaveVerifications(ctx, agent, dir, at, verified); err != nil {
		return false, err
	}
	if b.differs(verified) {
		c.engine.EmitScanned(agent.Slug)
	}
	return b.more, nil
}
