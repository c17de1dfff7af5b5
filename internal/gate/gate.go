// Package gate decides who may come in. It stands around everything that the server serves and owns what any answer
// has in common: the limits of connections and of time, the request's id, the access log, the security headers, the
// compression, the check of Host against DNS rebinding, the refusal of cross-origin writes, the token and the browser's
// sign-in. It knows nothing of memories, and
// what it lets through it does not change. cmd/server builds it; the rooms behind it ask it for the request's id, and whether
// whoever asks may only read.
//
// Without a token the server is for the user who runs it and root, on a loopback address. It asks the kernel who
// connects; where that does not tell, the owner's programs read a generated token from a file. Web pages are kept from
// reaching it in their visitor's name. With a token, every request needs it, as `Authorization: Bearer` or as the cookie that the
// sign-in leaves. A second token lets its holders read and nothing else.
package gate

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"memoir/internal/problem"
)

// Options are the settings of a Gate.
type Options struct {
	// Addr is where the server listens, as host:port.
	Addr string
	// AllowedHosts are the names, besides loopback's and Addr's, under which the server is reached; without port.
	AllowedHosts []string
	// PublicURL is where people reach the server through a proxy; zero if there is none.
	PublicURL PublicURL
	// Token is what everybody has to show; empty: nobody has to.
	Token string
	// OnlyOwner admits only the user that runs this server, and root, and only from this machine.
	// Without a Token, the kernel tells who connects (see CanIdentifyPeers). With a Token, that is
	// one that only the owner can read, from TokenFile.
	OnlyOwner bool
	// TokenFile is the file with the owner's Token, for messages; empty if the Token was given.
	TokenFile string
	// SignInCode is exchanged for a session once, at SignInPath?code=. Empty: there is none.
	SignInCode string
	// ReadToken may be shown in its place by those who may only read; empty: there are none.
	ReadToken string
	// OnlyReads says of a request that is neither GET nor HEAD that it changes nothing, or that its handler asks ReadOnly
	// before anything is changed; nil: none is of that kind.
	OnlyReads func(r *http.Request) bool
	// SignIn renders the sign-in page; nil is a plain one. After a wrong token the status is sent already.
	SignIn func(w http.ResponseWriter, r *http.Request, form SignInForm)
	// SignIns keeps the browsers that are signed in; nil keeps them in memory.
	SignIns SignIns
	// Refusal renders the page for a request that is refused outside the API, or that broke; nil is a plain one.
	// detail says what happened and what to do.
	Refusal func(w http.ResponseWriter, r *http.Request, status int, detail string)
	// Limits are those of the connections and of what goes over them.
	Limits Limits
	Log    *slog.Logger
}

// Gate lets requests in or refuses them.
type Gate struct {
	options  Options
	hosts    map[string]bool
	tokens   *tokens // nil: everybody may come in
	owner    *owner  // nil if others than the owner may be admitted
	code     signInCode
	signIns  *cachedSignIns
	guesses  *guesses
	refusals refusals
}

// ErrNeedsToken means that a server that others can reach would have no token, or one that can be guessed.
var ErrNeedsToken = errors.New("anybody on the network could read and delete memories")

// MinNetworkToken is how many characters a token has at least that is shown over a network.
const MinNetworkToken = 16

// New returns a gate. It returns ErrNeedsToken if others can reach the server and the token is
// missing or too short. It also fails if the token for readers would not keep them from writing.
func New(options Options) (*Gate, error) {
	host, port, err := net.SplitHostPort(options.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr %q is not of the form host:port, such as 127.0.0.1:8080", options.Addr)
	}
	isLocal := isLoopback(canonicalHost(host)) && (options.PublicURL.Host == "" || options.PublicURL.IsLocal())
	for name, token := range map[string]string{"token": options.Token, "read-token": options.ReadToken} {
		if isMissing := token == "" && name == "token"; !isLocal && (isMissing || token != "" && len(token) < MinNetworkToken) {
			return nil, fmt.Errorf("others can reach this server, and --%s has fewer than %d characters: %w", name, MinNetworkToken, ErrNeedsToken)
		}
	}
	if err := checkReadToken(options); err != nil {
		return nil, err
	}
	options.Limits = options.Limits.orDefaults()
	g := &Gate{options: options, hosts: map[string]bool{canonicalHost(host): true}}
	for _, allowed := range options.AllowedHosts {
		name, ok := hostOf(allowed)
		if !ok {
			return nil, fmt.Errorf("--allowed-host %q is not the name of a host, such as memoir.example.org", allowed)
		}
		g.hosts[name] = true
	}
	if name, ok := hostOf(options.PublicURL.Host); ok {
		g.hosts[name] = true
	}
	g.signIns, g.guesses = newCachedSignIns(options.SignIns), newGuesses()
	if options.Token != "" {
		g.tokens = newTokens(options.Token, options.ReadToken, port)
	}
	if options.OnlyOwner {
		g.owner = newOwner()
	}
	g.code.set(options.SignInCode)
	if g.options.SignIn == nil {
		g.options.SignIn = plainSignIn
	}
	return g, nil
}

// Around returns the handler behind the gate. Everything that the server serves has to be behind it.
func (g *Gate) Around(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	if origin := g.options.PublicURL.Origin(); origin != "" {
		if err := crossOrigin.AddTrustedOrigin(origin); err != nil {
			panic("gate: a public URL without an origin: " + err.Error()) // ParsePublicURL has checked it
		}
	}
	crossOrigin.SetDenyHandler(http.HandlerFunc(g.refuseCrossOrigin))
	// The sign-in is a write too: it stands behind the check of where a write comes from.
	inside := g.checkHost(crossOrigin.Handler(g.signingIn(g.authenticate(next))))
	return g.paced(identify(g.logged(secured(g.turnAway(compressed(inside))))))
}

// refuse answers programs with a problem document and browsers with a page. Under a name that is not ours the page is
// plain: there a browser would be refused its stylesheet as well.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	switch {
	case forPrograms(r):
		problem.New(status, detail).Request(RequestID(r.Context())).Write(w)
	case g.options.Refusal != nil && status != http.StatusMisdirectedRequest:
		g.options.Refusal(w, r, status, detail)
	default:
		page(w, status, http.StatusText(status), detail)
	}
}

// forPrograms says whether the address is one that scripts and agents call, and no page.
func forPrograms(r *http.Request) bool {
	path := r.URL.Path
	switch path {
	case "/api", "/mcp", "/healthz", "/readyz":
		return true
	}
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/hooks/")
}

// isLoopback takes a canonical host.
func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
