// Package gate protects the server. It owns limits, request ids, the access log, security headers
// and compression. It also owns the checks of Host and Origin, tokens and the browsers' sign-in. It
// never reads memories. It adds the grant of the caller to the request (see package access), and
// refuses a request that needs a larger scope. Command server builds it; handlers ask it for the
// request's id.
//
// Without a token, the server is on a loopback address and admits its own user and root. It asks
// the kernel who connects. If the kernel cannot identify users, the server generates a token, which
// the user's programs read from a file. With a token, every request needs it as a bearer token or
// the cookie of a sign-in. A second token allows reading only. In both cases, people and programs
// with tokens of their own are admitted too, and people whom a proxy or an OpenID Connect provider
// names. All of them are principals, whose rights are checked in one place.
package gate

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"memoir/internal/access"
	"memoir/internal/access/oidc"
	"memoir/internal/problem"
)

// Options configures a Gate.
type Options struct {
	// Addr is the server's listening address, as host:port.
	Addr string
	// AllowedHosts are additional names of the server, without port. Loopback names and the host of
	// Addr are always allowed.
	AllowedHosts []string
	// PublicURL is the server's address through a proxy. It is zero without a proxy.
	PublicURL PublicURL
	// Token is the token that requests need. If it is empty, they need none.
	Token string
	// OnlyOwner admits only the user that runs this server, and root, from this machine only.
	// Without a Token, the kernel identifies the user (see CanIdentifyPeers). With a Token, only
	// the owner can read it, in TokenFile.
	OnlyOwner bool
	// TokenFile is the file with the owner's Token, for messages. It is empty if the Token was
	// given as an option.
	TokenFile string
	// SignInCode can be exchanged once for a session, at SignInPath?code=. If it is empty, this is
	// disabled.
	SignInCode string
	// ReadToken is a token that allows reading only. If it is empty, there is no such token.
	ReadToken string
	// Needs returns the scope that a request needs. If it is nil, GET and HEAD need access.Read, and
	// other methods access.Write.
	Needs func(r *http.Request) access.Scope
	// NeedsAllAgents reports whether a request needs a caller who sees every agent. If it is nil, none
	// does.
	NeedsAllAgents func(r *http.Request) bool
	// Principals are the people and programs with tokens of their own. If it is nil, there are none.
	Principals Principals
	// UserHeader is the header in which a proxy of Proxies names its user, who is the principal with
	// that login. It is ignored and removed in requests of other peers. If it is empty, there is none.
	UserHeader string
	Proxies    []netip.Prefix
	// OIDC signs people in, who are the principals with the logins that it names. It needs a PublicURL,
	// Principals and SignIns. If it is nil, there is none.
	OIDC *oidc.Provider
	// SignIn renders the sign-in page. After a wrong token the status has already been sent. It is
	// required with a Token or Principals.
	SignIn func(w http.ResponseWriter, r *http.Request, form SignInForm)
	// SignIns stores the sign-ins of browsers. It is required with a Token or Principals.
	SignIns SignIns
	// Refusal renders the page for a refused or panicked request outside the API. detail explains
	// the cause and the way out. If it is nil, the page is plain.
	Refusal func(w http.ResponseWriter, r *http.Request, status int, detail string)
	// Limits are the limits of connections and requests. Zero fields mean the defaults.
	Limits Limits
	Log    *slog.Logger
}

// Gate authenticates and limits requests. Create it with New.
type Gate struct {
	options  Options
	hosts    map[string]bool
	tokens   *tokens
	attempts attempts
	owner    *owner // nil if all users of this machine may connect
	code     signInCode
	signIns  *cachedSignIns
	guesses  *guesses
	refusals refusals
}

// ErrNeedsToken means that a server on a network would have no token, or a short one.
var ErrNeedsToken = errors.New("anyone on the network could read and delete memories")

// MinNetworkToken is the minimum length of a token on a network, in bytes (arbitrary).
const MinNetworkToken = 16

// New returns a gate. If other machines can reach the server, Token is required, and each token
// needs MinNetworkToken bytes; otherwise it returns an error that wraps ErrNeedsToken. It also
// returns an error if the address or an allowed host is malformed, if ReadToken equals Token, or if
// it is set without Token.
func New(options Options) (*Gate, error) {
	host, port, err := net.SplitHostPort(options.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr %q must be host:port, such as 127.0.0.1:8080", options.Addr)
	}
	isLocal := isLoopback(canonicalHost(host)) && (options.PublicURL.Host == "" || options.PublicURL.IsLocal())
	for name, token := range map[string]string{"token": options.Token, "read-token": options.ReadToken} {
		if isMissing := token == "" && name == "token"; !isLocal && (isMissing || token != "" && len(token) < MinNetworkToken) {
			return nil, fmt.Errorf("--%s has fewer than %d characters, and other machines can reach this server: %w", name, MinNetworkToken, ErrNeedsToken)
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
			return nil, fmt.Errorf("--allowed-host %q must be a host name, such as memoir.example.org", allowed)
		}
		g.hosts[name] = true
	}
	if name, ok := hostOf(options.PublicURL.Host); ok {
		g.hosts[name] = true
	}
	g.signIns, g.guesses = newCachedSignIns(options.SignIns), newGuesses()
	provider := ""
	if options.OIDC != nil {
		provider = options.OIDC.Identity()
	}
	g.tokens, g.attempts = newTokens(options.Token, options.ReadToken, provider, port), attempts{"memoir_oidc_" + port}
	if options.OnlyOwner {
		g.owner = newOwner()
	}
	g.code.set(options.SignInCode)
	return g, nil
}

// Around returns a handler that calls next for admitted requests. It refuses foreign hosts,
// cross-origin writes, and requests without a valid token or sign-in, and serves the sign-in and
// sign-out. It also limits slow clients, logs requests, recovers panics, sets headers, and
// compresses responses. The caller must wrap every handler of the server.
func (g *Gate) Around(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	if origin := g.options.PublicURL.Origin(); origin != "" {
		if err := crossOrigin.AddTrustedOrigin(origin); err != nil {
			// checked by ParsePublicURL
			panic("gate: a public URL without an origin: " + err.Error())
		}
	}
	crossOrigin.SetDenyHandler(http.HandlerFunc(g.refuseCrossOrigin))
	// A sign-in is a write, so it also needs the check for cross-origin writes.
	inside := g.checkHost(crossOrigin.Handler(g.serveSignIn(g.authenticate(next))))
	return g.limitPace(identify(g.logRequests(setHeaders(g.refuseSurplus(compress(inside))))))
}

// refuse answers with the status and detail. A path for programs gets a problem; others get the
// page of Options.Refusal, or a plain page if that is nil. For 421, the page is plain, because at
// an unknown host the browser could not load the style sheet.
func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	if isProgramPath(r) || g.options.Refusal == nil || status == http.StatusMisdirectedRequest {
		refusePlainly(w, r, status, http.StatusText(status), detail)
		return
	}
	g.options.Refusal(w, r, status, detail)
}

// refusePlainly answers with the status and detail. A path for programs gets a problem, without
// title; others get a page that has the title and needs no style sheet.
func refusePlainly(w http.ResponseWriter, r *http.Request, status int, title, detail string) {
	if isProgramPath(r) {
		problem.New(status, detail).Request(RequestID(r.Context())).Write(w)
		return
	}
	page(w, status, title, detail)
}

// isProgramPath reports whether the path is for programs: the API, MCP, hooks, metrics or a health check.
func isProgramPath(r *http.Request) bool {
	path := r.URL.Path
	switch path {
	case "/api", "/mcp", "/metrics", "/healthz", "/readyz":
		return true
	}
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/hooks/")
}

// isLoopback reports whether a canonical host is a loopback name or address of this machine.
func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
