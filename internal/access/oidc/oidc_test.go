package oidc_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"memoir/internal/access/oidc"
	"memoir/internal/access/oidc/oidctest"
)

// attempt is the secret of a browser.
const attempt = "an-attempt-of-one-browser"

func optionsOf(p *oidctest.Provider) oidc.Options {
	return oidc.Options{Issuer: p.Issuer, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, Claim: oidc.DefaultClaim, RedirectURL: "http://127.0.0.1:1/back"}
}

// visit opens an address at the provider, and returns the parameters with which it sends a browser
// back.
func visit(t *testing.T, address string) url.Values {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	back, err := response.Location()
	if err != nil {
		t.Fatalf("GET %s: %s %v", address, response.Status, err)
	}
	return back.Query()
}

// signIn signs in at the provider, and returns the login.
func signIn(t *testing.T, p *oidc.Provider) (string, error) {
	t.Helper()
	address, err := p.AuthURL(t.Context(), attempt)
	if err != nil {
		return "", err
	}
	answer := visit(t, address)
	if got := answer.Get("state"); got != oidc.State(attempt) || strings.Contains(address, attempt) {
		t.Errorf("state = %q, want that of the attempt", got)
	}
	return p.Login(t.Context(), attempt, answer)
}

// with returns mira's claims with changes. A nil removes a claim.
func with(changes map[string]any) map[string]any {
	claims := oidctest.Mira()
	for name, value := range changes {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

func TestLogin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		does oidctest.Behaviour
		set  func(*oidc.Options)
		want string // the login, or a part of the text for the person
		fail int
	}{
		"an address":                 {oidctest.Behaviour{Claims: with(nil)}, nil, "mira@example.org", 0},
		"verified as a text":         {oidctest.Behaviour{Claims: with(map[string]any{"email_verified": "true"})}, nil, "mira@example.org", 0},
		"not verified":               {oidctest.Behaviour{Claims: with(map[string]any{"email_verified": false})}, nil, "has not verified the address mira@example.org", http.StatusForbidden},
		"unknown whether verified":   {oidctest.Behaviour{Claims: with(map[string]any{"email_verified": nil}), UserInfo: map[string]any{"sub": "subject-of-mira"}}, nil, "has not verified the address", http.StatusForbidden},
		"no address":                 {oidctest.Behaviour{Claims: with(map[string]any{"email": nil}), UserInfo: map[string]any{"sub": "subject-of-mira"}}, nil, "does not give the claim email", http.StatusBadGateway},
		"an address on request":      {oidctest.Behaviour{UserInfo: with(map[string]any{"sub": "subject-of-mira"})}, nil, "mira@example.org", 0},
		"verified on request":        {oidctest.Behaviour{Claims: with(map[string]any{"email_verified": nil}), UserInfo: with(map[string]any{"sub": "subject-of-mira"})}, nil, "mira@example.org", 0},
		"another person on request":  {oidctest.Behaviour{UserInfo: with(map[string]any{"sub": "eve"})}, nil, "is not valid here", http.StatusBadGateway},
		"another claim":              {oidctest.Behaviour{Claims: with(nil)}, func(o *oidc.Options) { o.Claim = "preferred_username" }, "mira.m", 0},
		"the subject":                {oidctest.Behaviour{Claims: with(nil)}, func(o *oidc.Options) { o.Claim = "sub" }, "subject-of-mira", 0},
		"a claim that is no text":    {oidctest.Behaviour{Claims: with(map[string]any{"groups": []string{"a"}})}, func(o *oidc.Options) { o.Claim = "groups" }, "does not give the claim groups", http.StatusBadGateway},
		"another issuer of tokens":   {oidctest.Behaviour{Claims: with(map[string]any{"iss": "https://evil.example"})}, nil, "is not valid here", http.StatusBadGateway},
		"another audience":           {oidctest.Behaviour{Claims: with(map[string]any{"aud": "other"})}, nil, "is not valid here", http.StatusBadGateway},
		"another nonce":              {oidctest.Behaviour{Claims: with(map[string]any{"nonce": "other"})}, nil, "belongs to another sign-in", http.StatusBadGateway},
		"no nonce":                   {oidctest.Behaviour{Claims: with(map[string]any{"nonce": ""})}, nil, "belongs to another sign-in", http.StatusBadGateway},
		"a key that it denies":       {oidctest.Behaviour{Claims: with(nil), Foreign: true}, nil, "is not valid here", http.StatusBadGateway},
		"an expired token":           {oidctest.Behaviour{Claims: with(map[string]any{"exp": time.Now().Add(-2 * time.Minute).Unix()})}, nil, "Compare the clocks", http.StatusBadGateway},
		"a clock behind":             {oidctest.Behaviour{Claims: with(map[string]any{"exp": time.Now().Add(-20 * time.Second).Unix()})}, nil, "mira@example.org", 0},
		"a clock ahead":              {oidctest.Behaviour{Claims: with(map[string]any{"nbf": time.Now().Add(2 * time.Minute).Unix(), "iat": time.Now().Add(2 * time.Minute).Unix()})}, nil, "mira@example.org", 0},
		"no consent":                 {oidctest.Behaviour{Denies: "access_denied"}, nil, "did not let you in", http.StatusForbidden},
		"another error":              {oidctest.Behaviour{Denies: "invalid_scope"}, nil, "refused the sign-in (invalid_scope)", http.StatusBadGateway},
		"an error that is no code":   {oidctest.Behaviour{Denies: "Call +1 555 0100"}, nil, "refused the sign-in. Start again", http.StatusBadGateway},
		"a wrong secret":             {oidctest.Behaviour{Claims: with(nil)}, func(o *oidc.Options) { o.ClientSecret = "wrong" }, "does not accept Memoir as a client (invalid_client)", http.StatusBadGateway},
		"a client without secret":    {oidctest.Behaviour{Claims: with(nil), IsPublic: true}, func(o *oidc.Options) { o.ClientSecret = "" }, "mira@example.org", 0},
		"down":                       {oidctest.Behaviour{Down: true}, nil, "cannot be reached. Sign in with a token", http.StatusBadGateway},
		"another issuer":             {oidctest.Behaviour{Issuer: "https://idp.example.org/"}, nil, "calls itself https://idp.example.org/, but --oidc-issuer is http://localhost", http.StatusBadGateway},
		"an issuer with other paths": {oidctest.Behaviour{}, func(o *oidc.Options) { o.Issuer += "/realms/none" }, "cannot be reached", http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := oidctest.New(t)
			provider.Set(test.does)
			options := optionsOf(provider)
			if test.set != nil {
				test.set(&options)
			}
			login, err := signIn(t, oidc.New(options))
			var failed *oidc.Error
			switch {
			case test.fail == 0 && (err != nil || login != test.want):
				t.Errorf("Login() = %q, %v, want %q", login, err, test.want)
			case test.fail != 0 && (login != "" || !errors.As(err, &failed) || failed.Status != test.fail || !strings.Contains(failed.Text, test.want)):
				t.Errorf("Login() = %q, %+v, want %d %q", login, failed, test.fail, test.want)
			}
			if failed == nil {
				return
			}
			for _, secret := range provider.Secrets() {
				if strings.Contains(failed.Text+failed.Error(), secret) {
					t.Errorf("%q or %q has a secret", failed.Text, failed)
				}
			}
		})
	}
}

// A code is of use only once, and only in the browser where the sign-in began.
func TestLogin_Code(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	p := oidc.New(optionsOf(provider))
	again := func(attempt string, answer url.Values) {
		t.Helper()
		login, err := p.Login(t.Context(), attempt, answer)
		var failed *oidc.Error
		if login != "" || !errors.As(err, &failed) || !strings.Contains(failed.Text, "no longer accepts this sign-in") || strings.Contains(failed.Text+failed.Error(), answer.Get("code")) {
			t.Errorf("Login() = %q, %v, want the code to be refused", login, err)
		}
	}
	begin := func() url.Values {
		t.Helper()
		address, err := p.AuthURL(t.Context(), attempt)
		if err != nil {
			t.Fatal(err)
		}
		return visit(t, address)
	}
	answer := begin()
	if login, err := p.Login(t.Context(), attempt, answer); err != nil || login != "mira@example.org" {
		t.Fatalf("Login() = %q, %v", login, err)
	}
	again(attempt, answer)
	again("another attempt", begin())
	again(attempt, url.Values{"code": {"guessed"}})
	if login, err := p.Login(t.Context(), attempt, url.Values{}); err == nil {
		t.Errorf("Login() without a code = %q", login)
	}
}

// A provider may be down at the start, get new keys, and be down for a while.
func TestProvider_Changes(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	provider.Set(oidctest.Behaviour{Down: true})
	p := oidc.New(optionsOf(provider))
	var failed *oidc.Error
	if err := p.Check(t.Context()); !errors.As(err, &failed) || failed.Error() == failed.Text {
		t.Errorf("Check() = %v, want an *Error with its cause", err)
	}
	provider.Set(oidctest.Behaviour{Claims: oidctest.Mira()})
	for range 2 {
		if login, err := signIn(t, p); err != nil || login != "mira@example.org" {
			t.Fatalf("Login() = %q, %v", login, err)
		}
		provider.RotateKey()
	}
	address, err := p.AuthURL(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	answer := visit(t, address)
	provider.Set(oidctest.Behaviour{Down: true})
	if _, err := p.Login(t.Context(), attempt, answer); !errors.As(err, &failed) || !strings.Contains(failed.Text, "cannot be reached") {
		t.Errorf("Login() error = %v, want that it cannot be reached", err)
	}
}

// A sign-in belongs to issuer, client and claim.
func TestIdentity(t *testing.T) {
	t.Parallel()
	base := oidc.Options{Issuer: "https://a.example", ClientID: "b", Claim: "c"}
	known := map[string]bool{}
	for _, change := range []func(*oidc.Options){
		func(*oidc.Options) {}, func(o *oidc.Options) { o.Issuer += "/" }, func(o *oidc.Options) { o.ClientID = "x" }, func(o *oidc.Options) { o.Claim = "sub" },
	} {
		options := base
		change(&options)
		known[oidc.New(options).Identity()] = true
	}
	if rotated := base; len(known) != 4 || !known[oidc.New(func() oidc.Options { rotated.ClientSecret = "new"; return rotated }()).Identity()] {
		t.Errorf("identities = %v", known)
	}
	if got := oidc.New(base).Host(); got != "a.example" {
		t.Errorf("Host() = %q", got)
	}
}
