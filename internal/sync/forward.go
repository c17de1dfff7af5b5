package sync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
)

const (
	// asking is how often a server that waits for an answer looks whether it has been overheard, and says that it still waits.
	// A request of which nobody says so for three times as long is not begun.
	asking = time.Second
	// unheard is how long the server that looks after an agent may take to begin with a request.
	unheard = 15 * time.Second
	// atWork is how many requests of other servers are carried out at the same time, and maxAsked how many wait for that.
	atWork   = 16
	maxAsked = 1024
)

// errGone means that another server holds the agent's lease, or none does. The call has not begun.
var errGone = errors.New("the server that was asked has gone")

// errHolderGone means that the holder of the agent's lease has lost it during the call. The call may
// have been done.
var errHolderGone = fmt.Errorf("the server that looks after the agent has gone: %w", memories.ErrUnavailable)

// answer is what comes back of a call.
type answer struct {
	Out   json.RawMessage `json:"out"`
	Error *failure        `json:"error"`
}

// do runs the call on the server that holds the agent's lease: this one, or another. If none
// does, because none sees the agent's directory, it runs here, as far as that is possible without
// the directory. If the holder changes before the call has begun, the next one is asked. If it
// changes later, do fails with memories.ErrInterrupted.
func (c call[Op, R]) do(ctx context.Context, e *Engine, slug string, op Op) (R, error) {
	var none R
	for {
		a, err := e.agentOrNew(ctx, slug)
		if err != nil {
			return none, err
		}
		holder := records.LeaseHolder(0)
		if e.term(a.id) == 0 {
			if holder, err = e.store.Holder(ctx, a.id); err != nil {
				return none, err
			}
		}
		var out R
		if holder == 0 {
			out, err = c.here(e, ctx, slug, op)
		} else {
			out, err = c.there(ctx, e, a.id, holder, op)
		}
		if !errors.Is(err, errGone) && !errors.Is(err, errElsewhere) {
			return out, err
		}
	}
}

// read runs the call on this server if it can see the agent's directory, and as do does if not.
func (c call[Op, R]) read(ctx context.Context, e *Engine, slug string, op Op) (R, error) {
	if e.looksAfter(slug) || e.sees(ctx, slug) {
		return c.here(e, ctx, slug, op)
	}
	return c.do(ctx, e, slug, op)
}

// there asks the server that holds the lease.
func (c call[Op, R]) there(ctx context.Context, e *Engine, agent int64, holder records.LeaseHolder, op Op) (R, error) {
	var out R
	arguments, err := json.Marshal(op)
	if err != nil {
		return out, fmt.Errorf("ask another server to %s: %w", c.name, err)
	}
	raw, err := e.ask(ctx, holder, records.ServerRequest{
		ID: uuid.New(), AgentID: agent, Call: c.name, Arguments: arguments, Actor: actorOf(ctx),
	})
	if err != nil {
		return out, err
	}
	var back answer
	if err := json.Unmarshal(raw, &back); err != nil {
		return out, fmt.Errorf("read the answer of another server to %s: %w", c.name, err)
	}
	if back.Out != nil {
		err = json.Unmarshal(back.Out, &out)
	}
	return out, errors.Join(back.Error.err(), err)
}

// serve carries the call out for another server.
func (c call[Op, R]) serve(ctx context.Context, e *Engine, slug string, arguments []byte) (out any, err error) {
	var op Op
	if err := json.Unmarshal(arguments, &op); err != nil {
		return nil, fmt.Errorf("read what another server asks: %w", err)
	}
	return c.here(e, ctx, slug, op)
}

// ask sends a request to the holder of the agent's lease and returns its answer. It fails with
// errGone if the holder has changed before it began, and with memories.ErrInterrupted if it began
// and has not answered. A request without an asker is withdrawn. If that is not possible, no server
// begins with it after three seconds.
func (e *Engine) ask(ctx context.Context, holder records.LeaseHolder, r records.ServerRequest) ([]byte, error) {
	arrived := e.answers.expect(r.ID.String())
	defer e.answers.forget(r.ID.String())
	if err := e.store.Ask(ctx, r, message{Asked: r.ID.String(), Agent: r.AgentID}.payload()); err != nil {
		return nil, err
	}
	raw, err := e.await(ctx, holder, r, arrived)
	taken, late, withdrawing := e.store.Withdraw(context.WithoutCancel(ctx), r.ID)
	switch {
	case raw != nil:
		return raw, nil
	case late != nil:
		return late, nil
	case errors.Is(err, errGone) && (taken || withdrawing != nil):
		return nil, postgres.Interrupted(errHolderGone)
	}
	return nil, err
}

// await waits for the answer for as long as the holder of the lease is the one that was asked.
func (e *Engine) await(ctx context.Context, holder records.LeaseHolder, r records.ServerRequest, arrived <-chan struct{}) (raw []byte, err error) {
	again := time.NewTicker(asking)
	defer again.Stop()
	for started := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-arrived:
		case <-again.C:
		}
		taken, found, err := e.store.StillWanted(ctx, r.ID)
		switch {
		case found != nil:
			return found, nil
		case errors.Is(err, memories.ErrNotFound):
			return nil, errGone // Postgres has been down, and every lease with it
		case err != nil:
			return nil, err
		case !taken && time.Since(started) > unheard:
			return nil, fmt.Errorf("the server that looks after the agent does not answer; nothing was changed: %w", memories.ErrUnavailable)
		}
		now, err := e.store.Holder(ctx, r.AgentID)
		if err != nil {
			return nil, err
		}
		if now != holder {
			return nil, errGone
		}
	}
}

// serveOthers carries out what other servers ask for, a few requests at a time. What it has begun it ends.
func (e *Engine) serveOthers(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	places := make(chan struct{}, atWork)
	for {
		select {
		case <-ctx.Done():
			return
		case places <- struct{}{}:
		}
		select {
		case <-ctx.Done():
			return
		case id := <-e.asked:
			work.Go(func() {
				defer func() { <-places }()
				e.serve(context.WithoutCancel(ctx), id)
			})
		}
	}
}

// serve carries out one request of another server.
func (e *Engine) serve(ctx context.Context, id string) {
	request, err := uuid.Parse(id)
	if err != nil {
		return
	}
	r, err := e.store.TakeRequest(ctx, request)
	if errors.Is(err, memories.ErrNotFound) {
		return // withdrawn
	}
	if err == nil {
		err = e.store.Answer(ctx, request, e.answerTo(ctx, r), message{Answered: id}.payload())
	}
	if err != nil {
		e.log.Warn("what another server asked for could not be answered", "call", r.Call, "error", err)
	}
}

func (e *Engine) answerTo(ctx context.Context, r records.ServerRequest) []byte {
	out, err := e.called(As(ctx, r.Actor), r)
	back := answer{Error: failureOf(err)}
	if back.Out, err = json.Marshal(out); err != nil {
		back = answer{Error: failureOf(err)}
	}
	raw, err := json.Marshal(back)
	if err != nil {
		panic(err) // JSON in JSON
	}
	return raw
}

// called carries out a call by its name.
func (e *Engine) called(ctx context.Context, r records.ServerRequest) (any, error) {
	carry := calls[r.Call]
	if carry == nil {
		return nil, fmt.Errorf("another server asks to %s, which this one does not know; are they of one version?", r.Call)
	}
	a := e.byID(r.AgentID)
	if a == "" {
		return nil, errElsewhere
	}
	return carry(ctx, e, a, r.Arguments)
}

// answers are the requests of this server that wait for their answer, by id.
type answers struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func newAnswers() *answers { return &answers{waiting: map[string]chan struct{}{}} }

func (a *answers) expect(id string) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	arrived := make(chan struct{}, 1)
	a.waiting[id] = arrived
	return arrived
}

func (a *answers) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, id)
}

func (a *answers) arrived(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if waiting := a.waiting[id]; waiting != nil {
		signal(waiting)
	}
}
