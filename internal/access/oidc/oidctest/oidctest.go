// Package oidctest is an OpenID Connect provider for tests. It signs real tokens, and can misbehave.
package oidctest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
)

// The client that the provider knows.
const (
	ClientID     = "memoir"
	ClientSecret = "secret-of-the-client"
)

// Behaviour is what the provider does. The zero value with Claims is a provider without a fault.
type Behaviour struct {
	// Claims are the claims of the person in ID tokens, besides those of the protocol. A claim of the
	// protocol, such as iss, aud, nonce or exp, replaces the true one.
	Claims   map[string]any
	UserInfo map[string]any // claims at the user info endpoint
	Down     bool           // connections break before an answer
	Issuer   string         // in the discovery document; empty for the true one
	Denies   string         // the error with which it sends browsers back
	Asks     bool           // it shows a page with a link before it sends browsers back
	Foreign  bool           // tokens are signed with a key that it does not publish
	IsPublic bool           // the client has no secret
}

// Provider is a running provider. It is safe for concurrent use.
type Provider struct {
	Issuer string // its host is localhost, which is another site than 127.0.0.1

	mu        sync.Mutex
	behaviour Behaviour
	key       *rsa.PrivateKey
	keyID     string
	grants    map[string]url.Values // parameters of the authorization requests, by code
	secrets   []string
}

// New starts a provider that ends with the test. It signs in mira@example.org.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{grants: map[string]url.Values{}, secrets: []string{ClientSecret}, behaviour: Behaviour{Claims: Mira()}}
	p.RotateKey()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	p.Issuer = "http://localhost:" + port
	return p
}

// Mira returns the claims of mira@example.org.
func Mira() map[string]any {
	return map[string]any{"email": "mira@example.org", "email_verified": true, "preferred_username": "mira.m"}
}

// Set changes what the provider does.
func (p *Provider) Set(b Behaviour) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behaviour = b
}

// RotateKey replaces the key that signs tokens. The old one is no longer published.
func (p *Provider) RotateKey() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.keyID = key, rand.Text()
}

// Secrets returns all codes, tokens and other secrets that the provider has seen. None may be in a
// log or on a page.
func (p *Provider) Secrets() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.secrets...)
}

// ServeHTTP answers as the provider.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.behaviour.Down {
		panic(http.ErrAbortHandler)
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /.well-known/openid-configuration":
		issuer := p.Issuer
		if p.behaviour.Issuer != "" {
			issuer = p.behaviour.Issuer
		}
		answer(w, http.StatusOK, map[string]any{
			"issuer": issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token", "jwks_uri": p.Issuer + "/keys",
			"userinfo_endpoint": p.Issuer + "/userinfo", "id_token_signing_alg_values_supported": []string{oidc.RS256},
		})
	case "GET /keys":
		(&oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: p.key.Public(), KeyID: p.keyID, Algorithm: oidc.RS256}}}).ServeHTTP(w, r)
	case "GET /favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	case "GET /authorize":
		p.authorize(w, r)
	case "POST /token":
		p.token(w, r)
	case "GET /userinfo":
		if r.Header.Get("Authorization") != "Bearer "+p.secrets[len(p.secrets)-1] {
			answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_token"})
			return
		}
		answer(w, http.StatusOK, p.behaviour.UserInfo)
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// authorize sends the browser back with a code, or with an error.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": ClientID, "code_challenge_method": "S256"} {
		if got := asked.Get(name); got != want {
			http.Error(w, fmt.Sprintf("%s is %q, want %q", name, got, want), http.StatusBadRequest)
			return
		}
	}
	if !strings.Contains(" "+asked.Get("scope")+" ", " openid ") || asked.Get("state") == "" || asked.Get("nonce") == "" || len(asked.Get("code_challenge")) != 43 {
		http.Error(w, "a parameter is missing", http.StatusBadRequest)
		return
	}
	if p.behaviour.Asks && asked.Get("agreed") == "" {
		asked.Set("agreed", "yes")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Provider</title><a id="agree" href="/authorize?%s">Agree</a>`, html.EscapeString(asked.Encode()))
		return
	}
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	query := url.Values{"state": asked["state"]}
	if p.behaviour.Denies != "" {
		query.Set("error", p.behaviour.Denies)
		query.Set("error_description", "An <b>untrusted</b> text")
	} else {
		code := "code-" + rand.Text()
		p.grants[code] = asked
		p.secrets = append(p.secrets, code, asked.Get("nonce"))
		query.Set("code", code)
	}
	back.RawQuery = query.Encode()
	http.Redirect(w, r, back.String(), http.StatusSeeOther)
}

// token exchanges a code for tokens, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, hasBasic := r.BasicAuth()
	if !hasBasic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != ClientID || !p.behaviour.IsPublic && secret != ClientSecret || p.behaviour.IsPublic && (hasBasic || secret != "") {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client", "error_description": "no such client"})
		return
	}
	code, verifier := r.PostFormValue("code"), r.PostFormValue("code_verifier")
	asked, found := p.grants[code]
	delete(p.grants, code)
	p.secrets = append(p.secrets, verifier)
	challenge := sha256.Sum256([]byte(verifier))
	if !found || base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge") || r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") {
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "the code " + code + " is not valid"})
		return
	}
	now := time.Now()
	claims := map[string]any{"iss": p.Issuer, "sub": "subject-of-mira", "aud": ClientID, "nonce": asked.Get("nonce"), "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix()}
	maps.Copy(claims, p.behaviour.Claims)
	raw, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	key := p.key
	if p.behaviour.Foreign {
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			panic(err)
		}
	}
	signed, access := oidctest.SignIDToken(key, p.keyID, oidc.RS256, string(raw)), "access-"+rand.Text()
	p.secrets = append(p.secrets, signed, access)
	answer(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": signed})
}
