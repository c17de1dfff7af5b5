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
	// responsePollInterval is how often a server that waits for an answer looks whether it has been overheard, and says that it still waits.
	// A request of which nobody says so for three times as long is not begun.
	responsePollInterval = time.Second
	// claimTimeout is how long the server that holds an agent's lease may take to begin with a request.
	claimTimeout = 15 * time.Second
	// maxServed is how many requests of other servers are carried out at the same time, and maxQueuedRequests how many wait for that.
	maxServed         = 16
	maxQueuedRequests = 1024
)

// errHolderChanged means that another server holds the agent's lease, or none does. The call has not begun.
var errHolderChanged = errors.New("lease holder changed before the call began")

// errHolderLost means that the holder of the agent's lease has lost it during the call. The call may
// have been done.
var errHolderLost = fmt.Errorf("lease holder lost during the call: %w", memories.ErrUnavailable)

// response is what comes back of a call.
type response struct {
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
			out, err = c.local(e, ctx, slug, op)
		} else {
			out, err = c.there(ctx, e, a.id, holder, op)
		}
		if !errors.Is(err, errHolderChanged) && !errors.Is(err, errNotHolder) {
			return out, err
		}
	}
}

// read runs the call on this server if it can see the agent's directory, and as do does if not.
func (c call[Op, R]) read(ctx context.Context, e *Engine, slug string, op Op) (R, error) {
	if e.holdsLease(slug) || e.hasDirectory(ctx, slug) {
		return c.local(e, ctx, slug, op)
	}
	return c.do(ctx, e, slug, op)
}

// there asks the server that holds the lease.
func (c call[Op, R]) there(ctx context.Context, e *Engine, agent int64, holder records.LeaseHolder, op Op) (R, error) {
	var out R
	arguments, err := json.Marshal(op)
	if err != nil {
		return out, fmt.Errorf("encode call %s: %w", c.name, err)
	}
	raw, err := e.sendRequest(ctx, holder, records.ServerRequest{
		ID: uuid.New(), AgentID: agent, Call: c.name, Arguments: arguments, Actor: actorOf(ctx),
	})
	if err != nil {
		return out, err
	}
	var back response
	if err := json.Unmarshal(raw, &back); err != nil {
		return out, fmt.Errorf("read response to %s: %w", c.name, err)
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
		return nil, fmt.Errorf("read call of another server: %w", err)
	}
	return c.local(e, ctx, slug, op)
}

// sendRequest sends a request to the holder of the agent's lease and returns its answer. It fails with
// errHolderChanged if the holder has changed before it began, and with memories.ErrInterrupted if it began
// and has not answered. A request without an asker is withdrawn. If that is not possible, no server
// begins with it after three seconds.
func (e *Engine) sendRequest(ctx context.Context, holder records.LeaseHolder, r records.ServerRequest) ([]byte, error) {
	arrived := e.responses.expect(r.ID.String())
	defer e.responses.forget(r.ID.String())
	if err := e.store.Ask(ctx, r, message{Request: r.ID.String(), Agent: r.AgentID}.payload()); err != nil {
		return nil, err
	}
	raw, err := e.awaitResponse(ctx, holder, r, arrived)
	taken, late, withdrawing := e.store.Withdraw(context.WithoutCancel(ctx), r.ID)
	switch {
	case raw != nil:
		return raw, nil
	case late != nil:
		return late, nil
	case errors.Is(err, errHolderChanged) && (taken || withdrawing != nil):
		return nil, postgres.Interrupted(errHolderLost)
	}
	return nil, err
}

// awaitResponse waits for the answer for as long as the holder of the lease is the one that was asked.
func (e *Engine) awaitResponse(ctx context.Context, holder records.LeaseHolder, r records.ServerRequest, arrived <-chan struct{}) (raw []byte, err error) {
	again := time.NewTicker(responsePollInterval)
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
			return nil, errHolderChanged // Postgres has been down, and every lease with it
		case err != nil:
			return nil, err
		case !taken && time.Since(started) > claimTimeout:
			return nil, fmt.Errorf("lease holder does not respond, nothing was changed: %w", memories.ErrUnavailable)
		}
		now, err := e.store.Holder(ctx, r.AgentID)
		if err != nil {
			return nil, err
		}
		if now != holder {
			return nil, errHolderChanged
		}
	}
}

// serveRequests carries out what other servers ask for, a few requests at a time. What it has begun it ends.
func (e *Engine) serveRequests(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	slots := make(chan struct{}, maxServed)
	for {
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		select {
		case <-ctx.Done():
			return
		case id := <-e.requests:
			work.Go(func() {
				defer func() { <-slots }()
				e.serveRequest(context.WithoutCancel(ctx), id)
			})
		}
	}
}

// serveRequest carries out one request of another server.
func (e *Engine) serveRequest(ctx context.Context, id string) {
	request, err := uuid.Parse(id)
	if err != nil {
		return
	}
	r, err := e.store.TakeRequest(ctx, request)
	if errors.Is(err, memories.ErrNotFound) {
		return // withdrawn
	}
	if err == nil {
		err = e.store.Answer(ctx, request, e.responseTo(ctx, r), message{Response: id}.payload())
	}
	if err != nil {
		e.log.Warn("response to another server failed", "call", r.Call, "error", err)
	}
}

func (e *Engine) responseTo(ctx context.Context, r records.ServerRequest) []byte {
	out, err := e.runCall(As(ctx, r.Actor), r)
	back := response{Error: failureOf(err)}
	if back.Out, err = json.Marshal(out); err != nil {
		back = response{Error: failureOf(err)}
	}
	raw, err := json.Marshal(back)
	if err != nil {
		panic(err) // JSON in JSON
	}
	return raw
}

// runCall carries out a call by its name.
func (e *Engine) runCall(ctx context.Context, r records.ServerRequest) (any, error) {
	carry := calls[r.Call]
	if carry == nil {
		return nil, fmt.Errorf("unknown call %s of another server, versions may differ", r.Call)
	}
	a := e.byID(r.AgentID)
	if a == "" {
		return nil, errNotHolder
	}
	return carry(ctx, e, a, r.Arguments)
}

// pendingResponses are the requests of this server that wait for their answer, by id.
type pendingResponses struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func newPendingResponses() *pendingResponses {
	return &pendingResponses{waiting: map[string]chan struct{}{}}
}

func (p *pendingResponses) expect(id string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	arrived := make(chan struct{}, 1)
	p.waiting[id] = arrived
	return arrived
}

func (p *pendingResponses) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

func (p *pendingResponses) arrived(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if waiting := p.waiting[id]; waiting != nil {
		signal(waiting)
	}
}
