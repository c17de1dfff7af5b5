package gate

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"memoir/internal/access"
)

// Principals finds people and programs with tokens of their own. Its methods return the zero
// Principal for an unknown, expired or revoked one, and an error if that is unknown. They are safe
// for concurrent use. directory.Directory implements it.
type Principals interface {
	ByToken(ctx context.Context, token string) (access.Principal, error)
	ByID(ctx context.Context, id string) (access.Principal, error)
	ByLogin(ctx context.Context, login string) (access.Principal, error)
}

// caller is who makes a request. The zero caller may do nothing.
type caller struct {
	access.Grant
	principal string    // its id; empty for the owner and the tokens of the settings
	signedIn  bool      // it was recognised by a token or a sign-in
	until     time.Time // when its sign-in ends; zero without one
}

func (c caller) isKnown() bool { return c.Scope != "" }

// recheckInterval is the time until the principal of a running request is checked again, and between
// two checks (arbitrary).
const recheckInterval = 2 * time.Second

// authenticate returns a handler that calls next with the grant of the caller in the context, and
// for the paths of isOpen without a check. It refuses callers whose scope is too small with 403. It
// asks unknown browsers to sign in, and answers 401 to unknown programs. With OnlyOwner, it answers
// 403 to both.
func (g *Gate) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		login := g.takeLogin(r)
		if isOpen(r) {
			next.ServeHTTP(w, r)
			return
		}
		who, err := g.callerOf(r, login)
		switch {
		case who.isKnown():
			g.serveCaller(w, r, who, next)
		case errors.Is(err, errWrongToken):
			g.askToSignIn(w, r)
		case login != "" && err == nil:
			g.refuse(w, r, http.StatusForbidden, unknownUser(login))
		case err != nil:
			g.refuseUnchecked(w, r, err)
		case g.owner != nil:
			g.refuseStranger(w, r)
		default:
			g.askToSignIn(w, r)
		}
	})
}

// serveCaller calls next as the caller if the scope suffices, else it answers 403. If the principal
// is revoked meanwhile, the context of a long request ends within seconds.
func (g *Gate) serveCaller(w http.ResponseWriter, r *http.Request, who caller, next http.Handler) {
	ctx := access.With(r.Context(), who.Grant)
	if who.signedIn {
		ctx = context.WithValue(ctx, withToken{}, true)
	}
	if who.principal != "" {
		valid, cancel := context.WithCancel(ctx)
		defer cancel()
		defer time.AfterFunc(recheckInterval, func() { g.endIfInvalid(valid, cancel, who) }).Stop()
		ctx = valid
	}
	r = r.WithContext(ctx)
	if needed := g.needs(r); !who.Scope.Allows(needed) {
		g.refuse(w, r, http.StatusForbidden, who.Refusal(needed))
		return
	}
	if g.options.NeedsAllAgents != nil && g.options.NeedsAllAgents(r) && !who.SeesAll() {
		g.refuse(w, r, http.StatusForbidden, who.RefusalOfServer())
		return
	}
	next.ServeHTTP(w, r)
}

func (g *Gate) needs(r *http.Request) access.Scope {
	switch {
	case g.options.Needs != nil:
		return g.options.Needs(r)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		return access.Read
	}
	return access.Write
}

// endIfInvalid calls cancel when the principal or the sign-in is no longer valid. It returns when ctx
// ends. Only a request that takes longer than recheckInterval has a goroutine for it.
func (g *Gate) endIfInvalid(ctx context.Context, cancel func(), who caller) {
	ticker := time.NewTicker(recheckInterval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		p, err := g.options.Principals.ByID(ctx, who.principal)
		if err == nil && p.ID == "" || !who.until.IsZero() && time.Now().After(who.until) {
			cancel()
			return
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// errWrongToken means that the request has a token of a principal that is not valid.
var errWrongToken = errors.New("wrong token")

// takeLogin returns the user that a proxy names, or "". It removes the header, so that no handler
// trusts it.
func (g *Gate) takeLogin(r *http.Request) string {
	if g.options.UserHeader == "" {
		return ""
	}
	named := r.Header.Values(g.options.UserHeader)
	r.Header.Del(g.options.UserHeader)
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	isProxy := slices.ContainsFunc(g.options.Proxies, func(n netip.Prefix) bool { return n.Contains(peer.Addr().Unmap()) })
	if err != nil || !isProxy || len(named) != 1 {
		return "" // a client may have added the second one
	}
	return strings.TrimSpace(named[0])
}

// callerOf returns the caller of a request. It is the one of the sign-in cookie or of the bearer
// token, whichever may do more; else the principal with the login that a proxy named; else the owner,
// whom the kernel identifies. A login without a principal gives no access, also not the owner's. The
// token is not checked if the cookie grants everything. It returns the zero caller if none is valid,
// with an error if one could not be checked, or if a token of a principal is wrong. Without any
// protection, every caller is the owner.
func (g *Gate) callerOf(r *http.Request, login string) (caller, error) {
	who, unread := g.bySignIn(r)
	if shown := g.shownToken(r); shown != "" && who.Scope != access.Admin {
		_, byToken, err := g.match(r, shown)
		if byToken.Scope.Allows(who.Scope) || !who.isKnown() {
			who = byToken
		}
		switch {
		case who.isKnown():
			return who, nil
		case err != nil:
			return who, errors.Join(unread, err)
		case g.asksKernel(): // a program with a revoked token is not the owner
			return who, errWrongToken
		}
	}
	switch {
	case who.isKnown():
		return who, nil
	case login != "" && g.options.Principals != nil:
		who, err := known(g.options.Principals.ByLogin(r.Context(), login))
		who.signedIn = false // signing out is the proxy's
		return who, errors.Join(unread, err)
	case g.asksKernel():
		ok, err := g.isOwner(r)
		if ok {
			return caller{Grant: access.Owner}, nil
		}
		return caller{}, errors.Join(unread, err)
	case g.options.Token == "":
		return caller{Grant: access.Owner}, nil
	}
	return caller{}, unread
}

// shownToken returns the bearer token of a request. If the settings have no token, it returns only
// one that can be a principal's.
func (g *Gate) shownToken(r *http.Request) string {
	shown := bearerToken(r)
	if g.options.Token == "" && (g.options.Principals == nil || !strings.HasPrefix(shown, access.TokenPrefix)) {
		return ""
	}
	return shown
}

// match returns the caller with the token shown. For a token of the settings, it also returns that.
// It returns the zero caller if no token is equal. After too many wrong tokens it waits; if the wait
// is too long, it returns *tooManyGuesses at once.
func (g *Gate) match(r *http.Request, shown string) (token, caller, error) {
	var found token
	var who caller
	var failed error
	_, err := g.guesses.check(r.Context(), clientOf(r, g.options.PublicURL.Host != ""), func() bool {
		if found = g.tokens.match(shown); found.text != "" {
			who = caller{Grant: found.grants, signedIn: true}
			return true
		}
		if g.options.Principals != nil && strings.HasPrefix(shown, access.TokenPrefix) {
			who, failed = known(g.options.Principals.ByToken(r.Context(), shown))
		}
		return who.isKnown()
	})
	return found, who, errors.Join(err, failed)
}

// known returns the caller for a principal, or the zero caller for the zero Principal.
func known(p access.Principal, err error) (caller, error) {
	if err != nil || p.ID == "" {
		return caller{}, err
	}
	return caller{Grant: p.Grant(), principal: p.ID, signedIn: true}, nil
}

// bySignIn returns the caller that the browser's sign-in cookies name, of several the one that may
// do most, or the zero caller without a valid cookie. If a cookie could not be checked, it also
// returns an error.
func (g *Gate) bySignIn(r *http.Request) (caller, error) {
	var who caller
	var failed error
	if !g.hasSignIn() {
		return who, nil
	}
	for _, cookie := range r.CookiesNamed(g.tokens.cookie) {
		if len(cookie.Value) != signInLength {
			continue
		}
		in, err := g.signIns.SignIn(r.Context(), idOf(cookie.Value))
		if err != nil {
			failed = err
		}
		var found caller
		if in.Principal == "" {
			found = caller{Grant: g.tokens.sealedBy(in.Seal, cookie.Value).grants, signedIn: true}
		} else if g.options.Principals != nil && g.tokens.isValidFor(in, cookie.Value) {
			if found, err = known(g.options.Principals.ByID(r.Context(), in.Principal)); err != nil {
				failed = err
			}
		}
		found.until = in.ExpiresAt
		if found.isKnown() && (!who.isKnown() || found.Scope.Allows(who.Scope)) {
			who = found
		}
	}
	return who, failed
}

// hasSignIn reports whether a browser can sign in.
func (g *Gate) hasSignIn() bool {
	return g.options.SignIns != nil && (g.options.Token != "" || g.options.Principals != nil)
}
