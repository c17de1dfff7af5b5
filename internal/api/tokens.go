package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"memoir/internal/access"
	"memoir/internal/memories"
	"memoir/internal/wire"
)

// Tokens manages the people and programs that may use Memoir. directory.Directory implements and
// documents it.
type Tokens interface {
	Tokens(ctx context.Context) ([]access.Principal, error)
	CreateToken(ctx context.Context, p access.Principal) (added access.Principal, token string, err error)
	RevokeToken(ctx context.Context, id string) error
}

func (a *api) registerTokens() {
	register(a, get("/tokens", "list-tokens", "List the people and programs with tokens, by name; needs the scope admin", http.StatusForbidden), withTokens(a, a.listTokens))
	op := post("/tokens", "create-token", "Create a token; needs the scope admin", http.StatusConflict, http.StatusForbidden)
	op.DefaultStatus = http.StatusCreated
	register(a, op, withTokens(a, a.createToken))
	register(a, del("/tokens/{id}", "revoke-token", "Revoke a token, and end its sign-ins; needs the scope admin", http.StatusForbidden), withTokens(a, a.revokeToken))
}

// withTokens returns a handler that calls handle, or fails if the server manages no tokens.
func withTokens[I, O any](a *api, handle func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if a.options.Tokens == nil {
			return nil, &memories.ConflictError{Reason: "This server manages no tokens."}
		}
		return handle(ctx, in)
	}
}

func (a *api) listTokens(ctx context.Context, _ *struct{}) (*answer[wire.TokenList], error) {
	all, err := a.options.Tokens.Tokens(ctx)
	now := time.Now()
	return ok(wire.TokenList{Tokens: wire.List(all, func(p access.Principal) wire.Token { return wire.TokenOf(p, now) })}), err
}

type createTokenInput struct {
	Body struct {
		Name      string     `json:"name" doc:"Unique; 1 to 64 characters."`
		Scope     string     `json:"scope" enum:"read,agent,write,admin" doc:"read: reads. agent: also recall with a record, saves and logs, as an agent needs. write: also every other change of its agents. admin: also tokens."`
		Agents    []string   `json:"agents" required:"false" nullable:"true" doc:"Slugs, with * for any characters. Default: all agents."`
		ExpiresAt *time.Time `json:"expires_at" required:"false" doc:"Default: never."`
		Login     string     `json:"login" required:"false" doc:"For a person who signs in at a proxy or OpenID Connect provider: the name there. No token is made."`
	}
}

func (a *api) createToken(ctx context.Context, in *createTokenInput) (*answer[wire.NewToken], error) {
	p := access.Principal{Name: in.Body.Name, Login: in.Body.Login, Scope: access.Scope(in.Body.Scope), Agents: in.Body.Agents, ExpiresAt: in.Body.ExpiresAt}
	if len(p.Agents) == 0 {
		p.Agents = []string{access.AllAgents}
	}
	added, secret, err := a.options.Tokens.CreateToken(ctx, p)
	return ok(wire.NewToken{Token: wire.TokenOf(added, added.CreatedAt), Secret: wire.Text(secret)}), err
}

type tokenPath struct {
	ID string `path:"id"`
}

func (a *api) revokeToken(ctx context.Context, in *tokenPath) (*answer[wire.Token], error) {
	all, err := a.options.Tokens.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(p access.Principal) bool { return p.ID == in.ID })
	if at < 0 {
		return nil, memories.ErrNotFound
	}
	return ok(wire.TokenOf(all[at], time.Now())), a.options.Tokens.RevokeToken(ctx, in.ID)
}
