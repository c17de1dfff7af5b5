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
	// Refusal renders the page for a request that is refused outside the API, or that broke; nil is a plain one.
	Refusal func(w http.ResponseWriter, r *http.Request, status int)
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
	refusals refusals
}

// ErrNeedsToken says that a server that others can reach was to start without a lock.
var ErrNeedsToken = errors.New("anybody on the network could read and delete memories")

// New returns a gate. It fails with ErrNeedsToken when the address is not a loopback one and there is no token, and where a
// token for readers would not keep anybody from writing.
func New(options Options) (*Gate, error) {
	host, port, err := net.SplitHostPort(options.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr %q is not of the form host:port, such as 127.0.0.1:8080", options.Addr)
	}
	if options.Token == "" && !isLoopback(canonicalHost(host)) {
		return nil, fmt.Errorf("--addr %s is not a loopback address and there is no --token: %w; set a token, or listen on 127.0.0.1", options.Addr, ErrNeedsToken)
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
	crossOrigin.SetDenyHandler(http.HandlerFunc(g.refuseCrossOrigin))
	// The sign-in is a write too: it stands behind the check of where a write comes from.
	inside := g.checkHost(crossOrigin.Handler(g.signingIn(g.authenticate(next))))
	return g.paced(identify(g.logged(secured(g.turnAway(compressed(inside))))))
}

func (g *Gate) refuseCrossOrigin(w http.ResponseWriter, r *http.Request) {
	g.refuse(w, r, http.StatusForbidden, "This write comes from another site than Memoir's own pages. Nothing was changed. Do it from Memoir itself, or from a script.")
}

// refuse answers programs with a problem document and browsers with a page. Under a name that is not ours the page is
// plain: there a browser would be refused its stylesheet as well.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	switch {
	case forPrograms(r):
		problem.New(status, detail).Request(RequestID(r.Context())).Write(w)
	case g.options.Refusal != nil && status != http.StatusMisdirectedRequest:
		g.options.Refusal(w, r, status)
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
