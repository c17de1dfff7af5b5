// Package oidc signs people in at an OpenID Connect provider, by the authorization code flow with
// PKCE. Its result is a login: who that is, and what they may do, is decided by package gate, as for
// the users that a proxy names.
package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// DefaultClaim is the claim that is the login by default. Its value counts only if the provider has
// verified it.
const DefaultClaim = "email"

// verifiedClaim is the claim that the provider has verified the address in DefaultClaim.
const verifiedClaim = "email_verified"

const (
	// requestTimeout is the timeout of a request to the provider. Arbitrary.
	requestTimeout = 10 * time.Second
	// maxDiscoveryAge is how long the addresses of a provider are used before they are read again.
	// Arbitrary.
	maxDiscoveryAge = time.Hour
	// clockSkew is how far this server's clock may be ahead of the provider's. Arbitrary; a token is
	// often valid for a few minutes only.
	clockSkew = time.Minute
	// maxLogged is the maximum length of a provider's text in the log, in bytes. Arbitrary.
	maxLogged = 500
)

// Options configures a Provider.
type Options struct {
	Issuer   string // as in the provider's discovery document
	ClientID string
	// ClientSecret is empty for a client without a secret, which PKCE protects.
	ClientSecret string
	// Claim is the claim that is the login, such as DefaultClaim.
	Claim string
	// RedirectURL is this server's address to which the provider sends the browser back.
	RedirectURL string
}

// Provider is an OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	options Options
	client  *http.Client

	known  atomic.Pointer[discovered] // nil before the first discovery
	asking singleflight.Group
}

// discovered is what the provider says about itself.
type discovered struct {
	*oidc.Provider
	oauth oauth2.Config // also remembers how the provider wants the client's secret
	at    time.Time
}

// New returns the provider. It makes no request: the provider may be down until a person signs in.
func New(options Options) *Provider {
	return &Provider{options: options, client: &http.Client{Timeout: requestTimeout}}
}

// Host returns the host of the issuer, for people.
func (p *Provider) Host() string {
	issuer, err := url.Parse(p.options.Issuer)
	if err != nil {
		return p.options.Issuer
	}
	return issuer.Host
}

// Identity identifies the source of logins: issuer, client and claim. A sign-in of another source is
// not valid.
func (p *Provider) Identity() string {
	return "oidc " + url.Values{"issuer": {p.options.Issuer}, "client": {p.options.ClientID}, "claim": {p.options.Claim}}.Encode()
}

// Error is a sign-in that failed.
type Error struct {
	// Text says what happened and what to do, for the person who signs in. It has no code and no token.
	Text string
	// Status is the HTTP status: 403 if the provider has refused the person, 502 if it does not work.
	Status int
	cause  error // for the log; may be nil
}

func (e *Error) Error() string {
	if e.cause == nil {
		return e.Text
	}
	text := e.cause.Error()
	if len(text) > maxLogged {
		text = text[:maxLogged] + "…"
	}
	return text
}

func (e *Error) Unwrap() error { return e.cause }

// failure returns an *Error because the provider, or its configuration here, does not work.
func failure(cause error, format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...), Status: http.StatusBadGateway, cause: cause}
}

// refusal returns an *Error because the person may not sign in.
func refusal(cause error, format string, args ...any) *Error {
	return &Error{Text: fmt.Sprintf(format, args...), Status: http.StatusForbidden, cause: cause}
}

// Check asks the provider who it is. It returns *Error if the provider cannot be reached, or is
// another one than that of the settings.
func (p *Provider) Check(ctx context.Context) error {
	_, err := p.ask(ctx)
	return err
}

// discover returns the provider's addresses. It asks the provider if they are unknown or old, also
// after an error. Requests at the same time share one question.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	if d := p.known.Load(); d != nil && time.Since(d.at) < maxDiscoveryAge {
		return d, nil
	}
	answer := p.asking.DoChan("", func() (any, error) { return p.ask(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return nil, p.unreachable(ctx.Err())
	case found := <-answer:
		d, _ := found.Val.(*discovered)
		return d, found.Err
	}
}

// ask reads the provider's addresses.
func (p *Provider) ask(ctx context.Context) (*discovered, error) {
	found, err := oidc.NewProvider(p.with(ctx), p.options.Issuer)
	var mismatch *oidc.IssuerMismatchError
	switch {
	case errors.As(err, &mismatch):
		return nil, failure(err, "%s calls itself %s, but --oidc-issuer is %s. Correct --oidc-issuer, or sign in with a token.", p.Host(), mismatch.Discovered, mismatch.Provided)
	case err != nil:
		return nil, p.unreachable(err)
	}
	d := &discovered{Provider: found, at: time.Now(), oauth: oauth2.Config{
		ClientID: p.options.ClientID, ClientSecret: p.options.ClientSecret, RedirectURL: p.options.RedirectURL,
		Endpoint: found.Endpoint(), Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile},
	}}
	if p.options.ClientSecret == "" {
		d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams // without a secret there is nothing to try
	}
	p.known.Store(d)
	return d, nil
}

func (p *Provider) with(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

func (p *Provider) unreachable(cause error) *Error {
	return failure(cause, "%s cannot be reached. Sign in with a token, or try again shortly.", p.Host())
}

func (p *Provider) invalid(cause error) *Error {
	return failure(cause, "The answer of %s is not valid here. The server's log has the reason.", p.Host())
}

// derive returns the value of a parameter that only the browser with that attempt can send again. It
// has the length and alphabet of a PKCE verifier, and does not reveal the attempt.
func derive(attempt, parameter string) string {
	sum := sha256.Sum256([]byte(parameter + " " + attempt))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// State returns the parameter state of an attempt, with which the provider's answer is found again.
func State(attempt string) string { return derive(attempt, "state") }

// AuthURL returns the address at the provider where the person signs in. attempt is a secret text
// that this browser alone keeps. It fails with *Error.
func (p *Provider) AuthURL(ctx context.Context, attempt string) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return d.oauth.AuthCodeURL(State(attempt), oidc.Nonce(derive(attempt, "nonce")), oauth2.S256ChallengeOption(derive(attempt, "verifier"))), nil
}

// Login returns the login of the person whom the provider's answer names. attempt is the one of
// AuthURL; the caller must have checked that the answer has its State. It fails with *Error.
func (p *Provider) Login(ctx context.Context, attempt string, answer url.Values) (string, error) {
	if answer.Get("code") == "" {
		return "", p.denied(answer.Get("error"))
	}
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	ctx = p.with(ctx)
	token, err := d.oauth.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(derive(attempt, "verifier")))
	if err != nil {
		return "", p.notExchanged(err)
	}
	claims, err := p.claimsOf(ctx, d, token, derive(attempt, "nonce"))
	if err != nil {
		return "", err
	}
	return p.loginOf(claims)
}

// claimsOf verifies the ID token and returns its claims, or those that the provider gives on
// request, because some leave them out of the token.
func (p *Provider) claimsOf(ctx context.Context, d *discovered, token *oauth2.Token, nonce string) (map[string]any, error) {
	raw, _ := token.Extra("id_token").(string)
	verifier := d.Verifier(&oidc.Config{ClientID: p.options.ClientID, Now: func() time.Time { return time.Now().Add(-clockSkew) }})
	id, err := verifier.Verify(ctx, raw)
	var expired *oidc.TokenExpiredError
	switch {
	case errors.As(err, &expired):
		return nil, failure(err, "The answer of %s has expired. Compare the clocks of both servers.", p.Host())
	case err != nil:
		return nil, p.invalid(err)
	case id.Nonce != nonce:
		return nil, failure(errors.New("nonce of another sign-in"), "The answer of %s belongs to another sign-in. Start again.", p.Host())
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return nil, p.invalid(err)
	}
	isComplete := claims[p.options.Claim] != nil && (p.options.Claim != DefaultClaim || claims[verifiedClaim] != nil)
	if isComplete || d.UserInfoEndpoint() == "" {
		return claims, nil
	}
	info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, p.unreachable(fmt.Errorf("user info: %w", err))
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil || info.Subject != id.Subject {
		return nil, p.invalid(errors.Join(err, errors.New("user info of another person")))
	}
	if more[p.options.Claim] != nil {
		return more, nil // an address and whether it is verified belong together
	}
	return claims, nil
}

// denied returns the *Error for the code of an error that the provider has sent instead of a person.
func (p *Provider) denied(code string) *Error {
	if code == "access_denied" {
		return refusal(nil, "%s did not let you in, or you did not agree. Start again, or sign in with a token.", p.Host())
	}
	return failure(nil, "%s refused the sign-in%s. Start again; if that fails, an admin checks the client there.", p.Host(), named(code))
}

// named returns a code of an error in brackets. It returns "" for any other text, because
// anyone can write one into an address.
func named(code string) string {
	if len(code) > 64 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" || code == "" {
		return ""
	}
	return " (" + code + ")"
}

// notExchanged returns the *Error for a code that the provider did not exchange for a token. The
// provider's own description may repeat the code, so it is left out.
func (p *Provider) notExchanged(err error) *Error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return p.unreachable(err)
	}
	cause := fmt.Errorf("token endpoint: %s%s", refused.Response.Status, named(refused.ErrorCode))
	switch refused.ErrorCode {
	case "invalid_grant":
		return failure(cause, "%s no longer accepts this sign-in. Start again.", p.Host())
	case "invalid_client", "unauthorized_client":
		return failure(cause, "%s does not accept Memoir as a client%s. Check --oidc-client-id and the client's secret.", p.Host(), named(refused.ErrorCode))
	}
	return failure(cause, "%s did not complete the sign-in%s. Start again; if that fails, an admin checks the client there.", p.Host(), named(refused.ErrorCode))
}

// loginOf returns the login in the claims. A mail address counts only if the provider has verified
// it: else people could enter the address of another person there.
func (p *Provider) loginOf(claims map[string]any) (string, error) {
	login, _ := claims[p.options.Claim].(string)
	if login = strings.TrimSpace(login); login == "" {
		return "", failure(nil, "%s does not give the claim %s. Add it there, or name another with --oidc-claim.", p.Host(), p.options.Claim)
	}
	// Amazon Cognito sends a text.
	if verified := claims[verifiedClaim]; p.options.Claim == DefaultClaim && verified != true && verified != "true" {
		return "", refusal(nil, "%s has not verified the address %s. Verify it there, or ask an admin for another --oidc-claim.", p.Host(), login)
	}
	return login, nil
}
