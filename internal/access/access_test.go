package access_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"memoir/internal/access"
	"memoir/internal/memories"
)

func TestScope_Allows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		has, needed access.Scope
		want        bool
	}{
		{access.Read, access.Read, true}, {access.Read, access.Agent, false}, {access.Agent, access.Read, true},
		{access.Agent, access.Write, false}, {access.Write, access.Agent, true}, {access.Write, access.Admin, false},
		{access.Admin, access.Admin, true}, {"", access.Read, false}, {"root", access.Read, false},
	} {
		if got := test.has.Allows(test.needed); got != test.want {
			t.Errorf("%q allows %q = %t, want %t", test.has, test.needed, got, test.want)
		}
	}
}

func TestGrant_Sees(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agents, slug string
		want         bool
	}{
		{"*", "ada", true}, {"ada", "ada", true}, {"ada", "Ada", false}, {"ada", "ada-2", false}, {"ada", "a", false},
		{"ada-*", "ada-2", true}, {"ada-*", "ada-", true}, {"ada-*", "ada", false}, {"*-bot", "ada-bot", true}, {"*-bot", "bot", false},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"a*b*c", "a-b-c", true}, {"a*b*c", "a-c-b", false}, {"**", "ada", true},
		{"bob ada", "ada", true}, {"bob carl", "ada", false}, {"", "ada", false}, {"", "", true}, {"a.a", "ada", false}, {"a_a", "ada", false},
	} {
		g := access.Grant{Agents: strings.Fields(test.agents)}
		if got := g.Sees(test.slug); got != test.want {
			t.Errorf("%q sees %q = %t, want %t", test.agents, test.slug, got, test.want)
		}
	}
}

func TestOf_Context(t *testing.T) {
	t.Parallel()
	if g := access.Of(t.Context()); g.Scope != access.Admin || !g.SeesAll() {
		t.Errorf("without a request: %+v", g)
	}
	ctx := access.With(t.Context(), access.Grant{Name: "mira", Scope: access.Agent, Agents: []string{"ada"}})
	if !access.Allows(ctx, access.Agent) || access.Allows(ctx, access.Write) || access.Of(ctx).SeesAll() {
		t.Errorf("grant = %+v", access.Of(ctx))
	}
	if g := access.Of(access.AsServer(ctx)); !g.SeesAll() || g.Name != "mira" {
		t.Errorf("as the server: %+v", g)
	}
}

func TestNewToken_Random(t *testing.T) {
	t.Parallel()
	a, b := access.NewToken(), access.NewToken()
	if a == b || !strings.HasPrefix(a, access.TokenPrefix) || len(a) < len(access.TokenPrefix)+43 {
		t.Errorf("tokens %q and %q", a, b)
	}
	if string(access.Hash(a)) == string(access.Hash(b)) || len(access.Hash(a)) != 32 {
		t.Error("hashes are equal or short")
	}
}

func TestPrincipal_Check(t *testing.T) {
	t.Parallel()
	now, past := time.Now(), time.Now().Add(-time.Second)
	good := access.Principal{Name: "mira", Scope: access.Write, Agents: []string{"ada", "team-*"}}
	if err := good.Check(now); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*access.Principal){
		"name":       func(p *access.Principal) { p.Name = "a\nb" },
		"login":      func(p *access.Principal) { p.Login = strings.Repeat("x", 400) },
		"scope":      func(p *access.Principal) { p.Scope = "root" },
		"agents":     func(p *access.Principal) { p.Agents = []string{"a/b"} },
		"expires_at": func(p *access.Principal) { p.ExpiresAt = &past },
	} {
		p := good
		change(&p)
		var invalid *memories.InvalidError
		if err := p.Check(now); !errors.As(err, &invalid) || invalid.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, p := range []access.Principal{{Name: "", Scope: access.Read, Agents: []string{"*"}}, {Name: "a", Scope: access.Admin, Agents: []string{"ada"}}, {Name: "a", Scope: access.Read}} {
		if p.Check(now) == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
}
