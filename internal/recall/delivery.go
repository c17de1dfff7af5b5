package recall

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/records"
)

// RecordDelivered returns a handler that calls next, and then records the memories that recalls of
// the request have returned as delivered. It does so only if the response was written without an
// error and the client is still connected. Otherwise the session may receive the memories again.
func RecordDelivered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		waiting := &deliveries{}
		defer waiting.drop()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), deliveriesKey{}, waiting)))
		if waiting.isEmpty() || r.Method == http.MethodHead { // the response to HEAD has no body
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), recordTimeout)
		defer cancel()
		waiting.record(ctx)
	})
}

// recordTimeout limits how long the end of a response waits until its deliveries are recorded
// (arbitrary). It normally takes some milliseconds.
const recordTimeout = 2 * time.Second

// deliveriesKey is the context key of the deliveries of a request.
type deliveriesKey struct{}

// deliveries are the recalls of one request whose delivery is not recorded yet.
type deliveries struct {
	mu      sync.Mutex
	all     []*delivery
	dropped bool
}

// add adds deliveries. After drop, it gives them up.
func (d *deliveries) add(more []*delivery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dropped {
		dropAll(more)
		return
	}
	d.all = append(d.all, more...)
}

func (d *deliveries) isEmpty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.all) == 0
}

// record records the deliveries, unless ctx has ended. It logs errors.
func (d *deliveries) record(ctx context.Context) {
	d.mu.Lock()
	all := d.all
	d.mu.Unlock()
	for _, each := range all {
		if err := each.save(ctx); err != nil {
			each.recaller.options.Log.WarnContext(ctx, "delivery of memories not recorded, they may be given again", "error", err)
		}
	}
}

// drop gives up the deliveries that were not recorded. A call of a disconnected client may add more
// afterwards.
func (d *deliveries) drop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropped = true
	dropAll(d.all)
}

func dropAll(all []*delivery) {
	for _, each := range all {
		each.drop()
	}
}

// delivery is a recall that was answered, and whose delivery is not recorded yet. Until save or
// drop, no other recall of the session chooses its memories. save and drop must not be called at
// the same time.
type delivery struct {
	recaller *Recaller
	record   records.Recall
	items    []records.DeliveredMemory
	key      flightKey
	flight   *flight // nil after save or drop
}

// save records the delivery in one transaction. It leaves out memories that another server has
// delivered to the session. After an error, nothing is recorded. Further calls do nothing.
func (d *delivery) save(ctx context.Context) error {
	if d.flight == nil {
		return nil
	}
	defer d.drop()
	if err := d.flight.lock(ctx); err != nil {
		return err
	}
	defer d.flight.unlock()
	return d.recaller.store.Deliver(ctx, d.record, func(given records.SessionDelivery) ([]records.DeliveredMemory, error) {
		var items []records.DeliveredMemory
		for _, item := range d.items {
			if !given.Memories[item.ID] {
				items = append(items, item)
			}
		}
		return items, nil
	})
}

// drop makes the memories available to other recalls again. Further calls do nothing.
func (d *delivery) drop() {
	if d.flight != nil {
		d.recaller.flights.release(d.key, d.flight, d)
		d.flight = nil
	}
}

// hand registers deliveries with the request of ctx, so that RecordDelivered records them. Without
// such a request it records them now, and returns an error if one cannot be recorded.
func hand(ctx context.Context, all []*delivery) error {
	if waiting, ok := ctx.Value(deliveriesKey{}).(*deliveries); ok {
		waiting.add(all)
		return nil
	}
	var errs []error
	for _, each := range all {
		errs = append(errs, each.save(ctx))
	}
	return errors.Join(errs...)
}

// flightKey identifies what one flight is about: a session of an agent, or without a session a
// recall.
type flightKey struct {
	agentID int64
	session string
	recall  uuid.UUID
}

func flightKeyOf(record records.Recall) flightKey {
	key := flightKey{agentID: record.AgentID, session: record.Session}
	if record.Session == "" {
		key.recall = record.ID
	}
	return key
}

// flights are the unrecorded deliveries of this process, by session.
type flights struct {
	mu sync.Mutex
	by map[flightKey]*flight
}

// flight is a set of unrecorded deliveries of one session. The fields below turn belong to the
// caller that has the turn, users to flights.
type flight struct {
	users int           // callers and deliveries
	turn  chan struct{} // of capacity 1

	mu  sync.Mutex
	all map[*delivery]bool
}

// acquire returns the flight of a session, which the caller must release.
func (f *flights) acquire(key flightKey) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by == nil {
		f.by = map[flightKey]*flight{}
	}
	of := f.by[key]
	if of == nil {
		of = &flight{turn: make(chan struct{}, 1), all: map[*delivery]bool{}}
		f.by[key] = of
	}
	of.users++
	return of
}

// release removes the delivery d, which may be nil, and forgets the flight after its last user.
func (f *flights) release(key flightKey, of *flight, d *delivery) {
	of.mu.Lock()
	delete(of.all, d)
	of.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if of.users--; of.users == 0 {
		delete(f.by, key)
	}
}

// lock waits until no other caller chooses or records for the session. It returns ctx.Err() if ctx
// ends before.
func (of *flight) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case of.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (of *flight) unlock() { <-of.turn }

// add adds a delivery, which becomes a user.
func (f *flights) add(of *flight, d *delivery) {
	f.mu.Lock()
	of.users++
	f.mu.Unlock()
	of.mu.Lock()
	of.all[d] = true
	of.mu.Unlock()
}

// with returns given and the memories in unrecorded deliveries. has reports whether the recall
// itself is among these.
func (of *flight) with(given records.SessionDelivery, recall uuid.UUID) (all records.SessionDelivery, has bool) {
	of.mu.Lock()
	defer of.mu.Unlock()
	all = records.SessionDelivery{Memories: map[uuid.UUID]bool{}, Bytes: given.Bytes}
	maps.Copy(all.Memories, given.Memories)
	for d := range of.all {
		has = has || d.record.ID == recall
		for _, item := range d.items {
			if !all.Memories[item.ID] {
				all.Memories[item.ID] = true
				all.Bytes += item.Bytes
			}
		}
	}
	return all, has
}
