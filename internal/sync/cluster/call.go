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

	"memoir/internal/access"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/problem"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

const (
	// responsePollInterval is the time between two reads of a request that waits for its response.
	// The read also extends the request's life to 3 s from then (db/queries/servers.sql).
	responsePollInterval = time.Second
	// claimTimeout is how long the lease holder may take to start a request. Arbitrary.
	claimTimeout = 15 * time.Second
	// maxServed is the number of requests of other servers that run at the same time. Arbitrary.
	maxServed = 16
	// maxQueuedRequests is the number of requests that may wait to run. More are ignored.
	// Arbitrary.
	maxQueuedRequests = 1024
)

// errHolderChanged means that the server that was asked no longer holds the agent's lease.
var errHolderChanged = errors.New("lease holder changed before the call began")

// response is the response to a ServerRequest.
type response struct {
	Out   json.RawMessage  `json:"out"`   // the result of the call
	Error *problem.Failure `json:"error"` // null if the call succeeded
}

// Call runs operations of type Op on the server that holds the agent's lease, and returns results
// of type R. Both are sent as JSON. Handle creates a Call.
type Call[Op, R any] struct {
	node *Node
	name string
	run  func(ctx context.Context, slug string, op Op) (R, error)
}

// Handle returns the Call that executes run, and registers run for requests of other servers. The
// call's name is the name of type Op. Handle panics if the node already has a call of that name.
// All servers must register the same calls, before ServeRequests.
func Handle[Op, R any](n *Node, run func(ctx context.Context, slug string, op Op) (R, error)) Call[Op, R] {
	c := Call[Op, R]{n, reflect.TypeFor[Op]().Name(), run}
	if n.handlers[c.name] != nil {
		panic("two calls have the name " + c.name)
	}
	n.handlers[c.name] = c.serve
	return c
}

// Do runs the call on the server that holds the agent's lease, or here if no server does. If the
// holder changes before the call has started, Do asks the next one. It fails with
// memories.ErrInterrupted if the holder is lost later: the change may be done. It fails with
// memories.ErrNotFound for an unknown slug, memories.ErrUnavailable if the holder does not respond,
// and the call's own errors. If ctx ends, a started call continues on the other server.
//
// If the request of ctx may not see the agent, it fails with memories.ErrNotFound. The call itself
// sees all agents: publishing one also reads what all share.
func (c Call[Op, R]) Do(ctx context.Context, slug string, op Op) (R, error) {
	var none R
	if !access.Of(ctx).Sees(slug) {
		return none, memories.ErrNotFound
	}
	ctx = access.AsServer(ctx)
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
		if !errors.Is(err, errHolderChanged) && !errors.Is(err, memories.ErrNotHolder) {
			return result, err
		}
	}
}

// Read runs a call that only reads, and returns its result and error. The call runs here if this
// server holds the lease, or has the agent's directory on its disk. Otherwise Do runs it. It then
// also fails with memories.ErrNotFound for an unknown slug, and with memories.ErrUnavailable if the
// lease holder does not respond or is lost. If the request of ctx may not see the agent, Read fails
// with memories.ErrNotFound. Every request may read an agent whose memories all share.
func (c Call[Op, R]) Read(ctx context.Context, slug string, op Op) (R, error) {
	if a := c.node.o.Agents.Known(slug); !access.Of(ctx).Sees(slug) && (a == nil || !a.Agent.Rules().IsShared) {
		var none R
		return none, memories.ErrNotFound
	}
	ctx = access.AsServer(ctx)
	if c.node.HoldsLease(slug) || c.node.HasDirectory(ctx, slug) {
		return c.run(ctx, slug, op)
	}
	return c.Do(ctx, slug, op)
}

// send runs the call on holder, the other server that holds the agent's lease, and returns its
// result. It fails with errHolderChanged if the lease was lost before the call started, and with
// memories.ErrInterrupted if it was lost later. It fails with memories.ErrUnavailable if holder
// does not respond, and with the call's own error.
func (c Call[Op, R]) send(ctx context.Context, agent int64, holder records.LeaseHolder, op Op) (R, error) {
	var result R
	arguments, err := json.Marshal(op)
	if err != nil {
		return result, fmt.Errorf("encode %s for another server: %w", c.name, err)
	}
	raw, err := c.node.sendRequest(ctx, holder, records.ServerRequest{
		ID: uuid.New(), AgentID: agent, Call: c.name, Arguments: arguments, Actor: agenttx.ActorOf(ctx), Action: records.ActionOf(ctx),
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

// serve runs the call for another server and returns its result or error. arguments are the
// operation as JSON; serve fails if they cannot be decoded.
func (c Call[Op, R]) serve(ctx context.Context, slug string, arguments []byte) (result any, err error) {
	var op Op
	if err := json.Unmarshal(arguments, &op); err != nil {
		return nil, fmt.Errorf("decode %s of another server: %w", c.name, err)
	}
	return c.run(ctx, slug, op)
}

// sendRequest stores a request in the database, notifies the lease holder, and returns the holder's
// response as JSON, also if the call failed. It fails with errHolderChanged if the lease is lost
// before the request has started, and with memories.ErrInterrupted if it is lost later. It always
// deletes the request at the end; if that fails, no server starts the request after 3 s.
func (n *Node) sendRequest(ctx context.Context, holder records.LeaseHolder, r records.ServerRequest) ([]byte, error) {
	arrived := make(chan struct{}, 1)
	n.responses.Store(r.ID.String(), arrived)
	defer n.responses.Delete(r.ID.String())
	if err := n.o.Store.AddRequest(ctx, r, message{Request: r.ID.String(), Agent: r.AgentID}.payload()); err != nil {
		return nil, err
	}
	raw, err := n.awaitResponse(ctx, holder, r, arrived)
	taken, late, withdrawing := n.o.Store.DeleteRequest(context.WithoutCancel(ctx), r.ID)
	switch {
	case raw != nil:
		return raw, nil
	case late != nil:
		return late, nil
	case errors.Is(err, errHolderChanged) && (taken || withdrawing != nil):
		return nil, postgres.Interrupted(fmt.Errorf("lease holder lost during the call: %w", memories.ErrUnavailable))
	}
	return nil, err
}

// awaitResponse waits for the response to a request, and returns it as JSON. It reads the request
// when arrived receives, and every second, which also extends the request's life. It fails with
// errHolderChanged if holder loses the lease, or Postgres has lost the request, whether or not the
// call has started. It fails with memories.ErrUnavailable if the request has not started after
// claimTimeout.
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
		taken, found, err := n.o.Store.ExtendRequest(ctx, r.ID)
		switch {
		case found != nil:
			return found, nil
		case errors.Is(err, memories.ErrNotFound):
			return nil, errHolderChanged // a crash of Postgres also ends every lease
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

// ServeRequests runs the requests of other servers until ctx ends, at most maxServed at a time. It
// does not cancel the started ones, and returns when they are done.
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

// serveRequest claims the request with that ID, runs it, stores the response, and notifies the
// sender. It does nothing if the request has expired, was withdrawn or claimed, or the ID is
// invalid. An error of the database is only logged: the sender gets no response.
func (n *Node) serveRequest(ctx context.Context, id string) {
	request, err := uuid.Parse(id)
	if err != nil {
		return
	}
	r, err := n.o.Store.ClaimRequest(ctx, request)
	if errors.Is(err, memories.ErrNotFound) {
		return // withdrawn, expired or claimed
	}
	if err == nil {
		err = n.o.Store.SaveResponse(ctx, request, n.responseTo(ctx, r), message{Response: id}.payload())
	}
	if err != nil {
		n.o.Log.Warn("response to another server failed", "call", r.Call, "error", err)
	}
}

// responseTo runs the request and returns the response as JSON: the result of the call, its error,
// or both. The journal attributes changes to the request's actor and action.
func (n *Node) responseTo(ctx context.Context, r records.ServerRequest) []byte {
	out, err := n.runCall(records.InAction(agenttx.As(ctx, r.Actor), r.Action), r)
	result := response{Error: problem.Encode(err)}
	if result.Out, err = json.Marshal(out); err != nil {
		result = response{Error: problem.Encode(err)}
	}
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err) // strings and valid JSON can always be encoded
	}
	return raw
}

// runCall runs the call that the request names, and returns its result and error. It fails with
// memories.ErrNotHolder if this process does not know the agent, and with another error if the node
// has no call of that name.
func (n *Node) runCall(ctx context.Context, r records.ServerRequest) (any, error) {
	run := n.handlers[r.Call]
	if run == nil {
		return nil, fmt.Errorf("unknown call %s of another server, versions may differ", r.Call)
	}
	a := n.o.Agents.SlugOf(r.AgentID)
	if a == "" {
		return nil, memories.ErrNotHolder
	}
	return run(ctx, a, r.Arguments)
}

// Nothing is the result type of a call that returns only an error.
type Nothing struct{}
