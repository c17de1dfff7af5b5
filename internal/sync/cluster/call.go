package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

const (
	// responsePollInterval is how often a server that waits for an answer looks whether it has been overheard, and says that it still waits.
	// A request of which nobody says so for three times as long is not begun.
	responsePollInterval = time.Second
	// claimTimeout is how long the server that holds the lease of an agent may take to begin with a request.
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
	Error *Failure        `json:"error"`
}

// Call is an operation on an agent with a result. The server that holds the agent's lease runs it.
type Call[Op, R any] struct {
	node *Node
	name string
	run  func(ctx context.Context, slug string, op Op) (R, error)
}

// Handle registers run as the call whose name is that of the operation's type. It panics if the
// node has a call of that name.
func Handle[Op, R any](n *Node, run func(ctx context.Context, slug string, op Op) (R, error)) Call[Op, R] {
	c := Call[Op, R]{n, reflect.TypeFor[Op]().Name(), run}
	if n.handlers[c.name] != nil {
		panic("two calls have the name " + c.name)
	}
	n.handlers[c.name] = c.serve
	return c
}

// Do runs the call on the server that holds the agent's lease: this one, or another. If none does,
// because none sees the agent's directory, it runs here, as far as that is possible without the
// directory. If the holder changes before the call has begun, the next one is asked. If it changes
// later, Do fails with memories.ErrInterrupted.
func (c Call[Op, R]) Do(ctx context.Context, slug string, op Op) (R, error) {
	var none R
	for {
		a, err := c.node.o.FindAgent(ctx, slug)
		if err != nil {
			return none, err
		}
		holder := records.LeaseHolder(0)
		if c.node.Term(a.ID) == 0 {
			if holder, err = c.node.o.Store.Holder(ctx, a.ID); err != nil {
				return none, err
			}
		}
		var result R
		if holder == 0 {
			result, err = c.run(ctx, slug, op)
		} else {
			result, err = c.send(ctx, a.ID, holder, op)
		}
		if !errors.Is(err, errHolderChanged) && !errors.Is(err, agenttx.ErrNotHolder) {
			return result, err
		}
	}
}

// Read runs the call on this server if it can see the agent's directory, and like Do if not.
func (c Call[Op, R]) Read(ctx context.Context, slug string, op Op) (R, error) {
	if c.node.HoldsLease(slug) || c.node.HasDirectory(ctx, slug) {
		return c.run(ctx, slug, op)
	}
	return c.Do(ctx, slug, op)
}

// send runs the call on the server that holds the lease.
func (c Call[Op, R]) send(ctx context.Context, agent int64, holder records.LeaseHolder, op Op) (R, error) {
	var result R
	arguments, err := json.Marshal(op)
	if err != nil {
		return result, fmt.Errorf("encode %s for another server: %w", c.name, err)
	}
	raw, err := c.node.sendRequest(ctx, holder, records.ServerRequest{
		ID: uuid.New(), AgentID: agent, Call: c.name, Arguments: arguments, Actor: agenttx.ActorOf(ctx),
	})
	if err != nil {
		return result, err
	}
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		return result, fmt.Errorf("decode another server's response to %s: %w", c.name, err)
	}
	if r.Out != nil {
		err = json.Unmarshal(r.Out, &result)
	}
	return result, errors.Join(r.Error.Err(), err)
}

// serve runs the call for another server.
func (c Call[Op, R]) serve(ctx context.Context, slug string, arguments []byte) (result any, err error) {
	var op Op
	if err := json.Unmarshal(arguments, &op); err != nil {
		return nil, fmt.Errorf("decode %s of another server: %w", c.name, err)
	}
	return c.run(ctx, slug, op)
}

// sendRequest sends a request to the holder of the agent's lease and returns its answer. It fails with
// errHolderChanged if the holder has changed before it began, and with memories.ErrInterrupted if it began
// and has not answered. A request without an asker is withdrawn. If that is not possible, no server
// begins with it after three seconds.
func (n *Node) sendRequest(ctx context.Context, holder records.LeaseHolder, r records.ServerRequest) ([]byte, error) {
	arrived := n.responses.expect(r.ID.String())
	defer n.responses.forget(r.ID.String())
	if err := n.o.Store.Ask(ctx, r, message{Request: r.ID.String(), Agent: r.AgentID}.payload()); err != nil {
		return nil, err
	}
	raw, err := n.awaitResponse(ctx, holder, r, arrived)
	taken, late, withdrawing := n.o.Store.Withdraw(context.WithoutCancel(ctx), r.ID)
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
func (n *Node) awaitResponse(ctx context.Context, holder records.LeaseHolder, r records.ServerRequest, arrived <-chan struct{}) (raw []byte, err error) {
	again := time.NewTicker(responsePollInterval)
	defer again.Stop()
	for started := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-arrived:
		case <-again.C:
		}
		taken, found, err := n.o.Store.StillWanted(ctx, r.ID)
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
		now, err := n.o.Store.Holder(ctx, r.AgentID)
		if err != nil {
			return nil, err
		}
		if now != holder {
			return nil, errHolderChanged
		}
	}
}

// serveRequests carries out what other servers ask for, a few requests at a time. What it has begun it ends.
func (n *Node) ServeRequests(ctx context.Context) {
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
		case id := <-n.requests:
			work.Go(func() {
				defer func() { <-slots }()
				n.serveRequest(context.WithoutCancel(ctx), id)
			})
		}
	}
}

// serveRequest carries out one request of another server.
func (n *Node) serveRequest(ctx context.Context, id string) {
	request, err := uuid.Parse(id)
	if err != nil {
		return
	}
	r, err := n.o.Store.TakeRequest(ctx, request)
	if errors.Is(err, memories.ErrNotFound) {
		return // withdrawn
	}
	if err == nil {
		err = n.o.Store.Answer(ctx, request, n.responseTo(ctx, r), message{Response: id}.payload())
	}
	if err != nil {
		n.o.Log.Warn("response to another server failed", "call", r.Call, "error", err)
	}
}

func (n *Node) responseTo(ctx context.Context, r records.ServerRequest) []byte {
	out, err := n.runCall(agenttx.As(ctx, r.Actor), r)
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
func (n *Node) runCall(ctx context.Context, r records.ServerRequest) (any, error) {
	run := n.handlers[r.Call]
	if run == nil {
		return nil, fmt.Errorf("unknown call %s of another server, versions may differ", r.Call)
	}
	a := n.o.Agents.SlugOf(r.AgentID)
	if a == "" {
		return nil, agenttx.ErrNotHolder
	}
	return run(ctx, a, r.Arguments)
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

// nothing is the result of a call without one.
type Nothing struct{}
