package lease_test

import (
	"context"
	"testing"
	"time"

	"memoir/internal/postgres"
	"memoir/internal/postgres/lease"
	"memoir/internal/postgres/pgtest"
)

// linked opens a lease connection to the database at url, and closes it at the end of the test.
// hear receives the messages of other connections.
func linked(t *testing.T, url string, hear func(string)) *lease.Conn {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	link, err := store.OpenLeaseConn(t.Context(), hear)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Close)
	return link
}

func TestConn_LeasePassesOn(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	told := make(chan string, 1)
	first := linked(t, url, func(string) { t.Error("a server hears what it tells itself") })
	second := linked(t, url, func(payload string) { told <- payload })
	agents := make([]int64, 1200) // more than one statement takes
	for i := range agents {
		agents[i] = int64(i + 1)
	}
	for range 2 { // what it has already it does not take again, so that to let go once is enough
		if _, err := first.Take(agents); err != nil {
			t.Fatal(err)
		}
	}
	if taken, err := second.Take(agents); err != nil || len(taken) != 0 {
		t.Errorf("a second server took %d leases that the first one has: %v", len(taken), err)
	}
	if err := first.Release(agents[:1]); err != nil || first.Term(1) != 0 {
		t.Errorf("a lease that was let go: %v", err)
	}
	if taken, err := second.Take(agents); err != nil || len(taken) != 1 || taken[0] != 1 || second.Term(1) == 0 {
		t.Errorf("the lease that was let go was not all that was taken: %v, %v", taken, err)
	}
	if err := first.Notify([]string{"something"}); err != nil {
		t.Fatal(err)
	}
	if payload := <-told; payload != "something" {
		t.Errorf("told %q", payload)
	}
	first.Close()
	if err := first.Notify([]string{"something else"}); err == nil || first.Term(2) != 0 {
		t.Errorf("a link that is closed tells (%v), or has a lease", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	held := 1
	for held < len(agents) && ctx.Err() == nil {
		taken, err := second.Take(agents) // Postgres ends the first one's session in its own time
		if err != nil {
			t.Fatal(err)
		}
		held += len(taken)
	}
	if held != len(agents) {
		t.Errorf("the second server has %d leases", held)
	}
}
