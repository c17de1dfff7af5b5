package gate

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// The limits of token guessing (arbitrary; docs/SECURITY.md has the reasons).
const (
	guessEvery      = 500 * time.Millisecond // per address, after guessBurst
	guessBurst      = 5
	allGuessesEvery = 50 * time.Millisecond // for all addresses, after allGuessesBurst
	allGuessesBurst = 50
	// maxGuessWait is the maximum delay of a response to a wrong token. A longer delay becomes a
	// 429.
	maxGuessWait = 2 * time.Second
	// familiarFor is how long an address stays familiar after a valid token.
	familiarFor = 24 * time.Hour
	// maxAddresses is the maximum number of addresses with wrong tokens, and of familiar ones. It
	// limits the memory to about 1 MB. The address not seen for longest is dropped first.
	maxAddresses = 4096
)

// guesses limits how fast tokens can be guessed. It is safe for concurrent use.
//
// A token from a familiar address is checked at once, so that others behind the same proxy cannot
// lock its owner out. Other addresses have to wait as the limits require.
type guesses struct {
	// reserving makes a reservation and its cancellation one step. A limiter does not give back the
	// time of a reservation that is cancelled after a later one was made.
	reserving sync.Mutex

	all      *rate.Limiter
	failing  *lru.Cache[netip.Prefix, *rate.Limiter]
	familiar *lru.Cache[netip.Prefix, time.Time] // time of the last valid token
}

func newGuesses() *guesses {
	return &guesses{
		all:      rate.NewLimiter(rate.Every(allGuessesEvery), allGuessesBurst),
		failing:  newCache[*rate.Limiter](),
		familiar: newCache[time.Time](),
	}
}

func newCache[V any]() *lru.Cache[netip.Prefix, V] {
	cache, err := lru.New[netip.Prefix, V](maxAddresses)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return cache
}

// tooManyGuesses means that a token was not checked because of too many wrong ones. The field after
// is the time until the next try.
type tooManyGuesses struct{ after time.Duration }

func (e *tooManyGuesses) Error() string {
	return fmt.Sprintf("too many wrong tokens, try again in %s", e.after)
}

// seconds returns the time until the next try in whole seconds, rounded up, and at least 1.
func (e *tooManyGuesses) seconds() int { return int(math.Ceil(max(e.after.Seconds(), 1))) }

// check reports whether isRight, which it calls at most once, returns true. A right token from a
// familiar address passes at once. Any other token waits if there were too many wrong ones. If the
// wait would exceed maxGuessWait, check returns *tooManyGuesses at once; if ctx ends during the
// wait, it returns the error of ctx. A right token makes the address familiar.
func (g *guesses) check(ctx context.Context, from netip.Prefix, isRight func() bool) (bool, error) {
	familiar := g.isFamiliar(from)
	if familiar && isRight() {
		g.familiar.Add(from, time.Now())
		return true, nil
	}
	wait := g.reserve(from, familiar)
	if wait > maxGuessWait {
		return false, &tooManyGuesses{wait}
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if familiar || !isRight() {
		return false, nil
	}
	g.failing.Remove(from)
	g.familiar.Add(from, time.Now())
	return true, nil
}

// reserve takes the next time at which a token from the address may be checked, and returns how long
// that is from now. If it is more than maxGuessWait, nothing is taken.
func (g *guesses) reserve(from netip.Prefix, familiar bool) time.Duration {
	g.reserving.Lock()
	defer g.reserving.Unlock()
	own := g.limiterOf(from).Reserve()
	wait := own.Delay()
	if !familiar && wait <= maxGuessWait {
		all := g.all.Reserve()
		if wait = max(wait, all.Delay()); wait > maxGuessWait {
			all.Cancel()
		}
	}
	if wait > maxGuessWait {
		own.Cancel()
	}
	return wait
}

// isFamiliar reports whether the address has sent a valid token within familiarFor. This machine is
// always familiar, because its commands and hooks may be first to send a token.
func (g *guesses) isFamiliar(from netip.Prefix) bool {
	shown, known := g.familiar.Get(from)
	return from == thisMachine || known && time.Since(shown) < familiarFor
}

func (g *guesses) limiterOf(from netip.Prefix) *rate.Limiter {
	fresh := rate.NewLimiter(rate.Every(guessEvery), guessBurst)
	if known, found := g.failing.Get(from); found {
		return known
	}
	if known, found, _ := g.failing.PeekOrAdd(from, fresh); found {
		return known
	}
	return fresh
}

var thisMachine = netip.MustParsePrefix("127.0.0.0/8")

// clientOf returns the address of the client: an IPv4 address, an IPv6 /64 network, or thisMachine
// for any loopback address. If proxied is true and the peer is on this machine, it uses the last
// element of X-Forwarded-For, which the proxy added. It returns the zero Prefix if r has no remote
// address.
func clientOf(r *http.Request, proxied bool) netip.Prefix {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	peer, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{} // a test's recorder
	}
	from := networkOf(peer)
	if !proxied || from != thisMachine {
		return from
	}
	lines := r.Header.Values("X-Forwarded-For")
	if len(lines) == 0 {
		return from
	}
	hops := strings.Split(lines[len(lines)-1], ",")
	client, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1]))
	if err != nil {
		return from
	}
	return networkOf(client)
}

func networkOf(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := 32
	switch {
	case address.IsLoopback():
		return thisMachine
	case address.Is6():
		bits = 64
	}
	return netip.PrefixFrom(address, bits).Masked()
}
