package gate

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func wrong() bool { return false }
func right() bool { return true }

func addressOf(i int) netip.Prefix {
	return networkOf(netip.MustParseAddr(fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)))
}

// flood guesses tokens from n addresses, with atATime parallel requests each, for the given time.
// It returns the number of checked tokens.
func flood(t *testing.T, g *guesses, n, atATime int, lasts time.Duration, addressOf func(int) netip.Prefix) int64 {
	t.Helper()
	var checked atomic.Int64
	var all sync.WaitGroup
	until := time.Now().Add(lasts)
	for i := range n * atATime {
		all.Go(func() {
			for time.Now().Before(until) {
				_, err := g.check(t.Context(), addressOf(i%n), func() bool { checked.Add(1); return false })
				if many := (*tooManyGuesses)(nil); errors.As(err, &many) {
					time.Sleep(100 * time.Millisecond) // a client that ignores Retry-After
				}
			}
		})
	}
	all.Wait()
	return checked.Load()
}

func TestGuesses_SlowPerAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses()
		if got := flood(t, g, 1, 500, time.Minute, addressOf); got < 120 || got > 130 {
			t.Errorf("%d tokens were checked in a minute, want about 2 a second", got)
		}
		if known, err := g.check(t.Context(), addressOf(0), right); err != nil && !errors.As(err, new(*tooManyGuesses)) || known {
			t.Logf("right after it: %v, %v", known, err)
		}
		begun := time.Now()
		if known, err := g.check(t.Context(), addressOf(1), right); !known || err != nil || time.Since(begun) > maxGuessWait {
			t.Errorf("a right token from another address: %v, %v after %s", known, err, time.Since(begun))
		}
		time.Sleep(time.Minute)
		if known, err := g.check(t.Context(), addressOf(0), right); !known || err != nil {
			t.Errorf("a right token a minute later: %v, %v", known, err)
		}
	})
}

func TestGuesses_SlowInTotal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses()
		if known, err := g.check(t.Context(), addressOf(70_000), right); !known || err != nil {
			t.Fatalf("the first right token: %v, %v", known, err)
		}
		attack := make(chan int64)
		go func() { attack <- flood(t, g, 500, 1, time.Minute, addressOf) }()
		time.Sleep(30 * time.Second)
		begun := time.Now()
		if known, err := g.check(t.Context(), addressOf(70_000), right); !known || err != nil || time.Since(begun) != 0 {
			t.Errorf("a familiar address during the attack: %v, %v after %s", known, err, time.Since(begun))
		}
		if got := <-attack; got > 1350 {
			t.Errorf("%d tokens were checked in a minute, want at most about 20 a second", got)
		}
	})
}

func TestGuesses_RightTokenAtSharedAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses()
		done := make(chan int64)
		go func() { done <- flood(t, g, 1, 50, 10*time.Second, func(int) netip.Prefix { return thisMachine }) }()
		time.Sleep(5 * time.Second)
		begun := time.Now()
		if known, err := g.check(t.Context(), thisMachine, right); !known || err != nil || time.Since(begun) != 0 {
			t.Errorf("a right token beside guesses: %v, %v after %s", known, err, time.Since(begun))
		}
		<-done
	})
}

func TestGuesses_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses()
		for i := range 3 * maxAddresses {
			_, _ = g.check(t.Context(), addressOf(i), wrong)
			g.familiar.Add(addressOf(i), time.Now())
		}
		if g.failing.Len() > maxAddresses || g.familiar.Len() > maxAddresses {
			t.Errorf("%d addresses with wrong tokens are remembered, and %d familiar ones", g.failing.Len(), g.familiar.Len())
		}
	})
}

func TestClientOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		peer, forwarded string
		proxied         bool
		want            string
	}{
		{"192.0.2.1:5", "", false, "192.0.2.1/32"},
		{"192.0.2.1:5", "198.51.100.7", true, "192.0.2.1/32"}, // not from this machine
		{"127.0.0.1:5", "198.51.100.7", false, "127.0.0.0/8"},
		{"127.0.0.1:5", "", true, "127.0.0.0/8"},
		{"127.0.0.1:5", "198.51.100.7", true, "198.51.100.7/32"},
		// the client forged the first element
		{"[::1]:5", "203.0.113.9, 198.51.100.7", true, "198.51.100.7/32"},
		{"127.0.0.1:5", "2001:db8:1:2:3:4:5:6", true, "2001:db8:1:2::/64"},
		{"127.0.0.1:5", "nonsense", true, "127.0.0.0/8"},
		{"127.9.9.9:5", "", false, "127.0.0.0/8"},
		{"[::ffff:192.0.2.1]:5", "", false, "192.0.2.1/32"},
		{"[fe80::1%eth0]:5", "", false, "fe80::/64"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := clientOf(r, c.proxied).String(); got != c.want {
			t.Errorf("clientOf(%s, %q, %t) = %s, want %s", c.peer, c.forwarded, c.proxied, got, c.want)
		}
	}
}
