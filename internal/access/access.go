// Package access says who makes a request, what they may do, and which agents they may see. It is
// pure: package gate finds out who it is, and the packages that read or change agents ask Of.
package access

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Scope is what a principal may do. Each scope includes the ones before it.
type Scope string

// The scopes, smallest first.
const (
	// Read allows to read. It changes nothing and causes no cost.
	Read Scope = "read"
	// Agent allows in addition what the hooks and tools of an agent need: recall with a record,
	// saves, logs, and reports.
	Agent Scope = "agent"
	// Write allows in addition every change of an agent: deletions, settings, decisions.
	Write Scope = "write"
	// Admin allows in addition to manage tokens and what all agents share.
	Admin Scope = "admin"
)

// Scopes are all scopes, smallest first.
var Scopes = []Scope{Read, Agent, Write, Admin}

// Allows reports whether s includes needed. An unknown scope includes nothing.
func (s Scope) Allows(needed Scope) bool {
	has := slices.Index(Scopes, s)
	return has >= 0 && has >= slices.Index(Scopes, needed)
}

// Grant is what the caller of a request may do.
type Grant struct {
	// Name is the name of the principal, for the journal. It is empty for the owner and for the
	// tokens of the settings.
	Name  string
	Scope Scope
	// Agents are the slugs of the agents that the caller may see. A * in it stands for any
	// characters. AllAgents, alone, stands for all.
	Agents []string
}

// AllAgents is the pattern that matches every agent.
const AllAgents = "*"

// Owner is the grant of the owner and of --token.
var Owner = Grant{Scope: Admin, Agents: []string{AllAgents}}

// SeesAll reports whether the caller may see every agent, also future ones.
func (g Grant) SeesAll() bool { return slices.Contains(g.Agents, AllAgents) }

// Sees reports whether the caller may see the agent with that slug. An empty slug stands for all
// agents together.
func (g Grant) Sees(slug string) bool {
	return slug == "" || slices.ContainsFunc(g.Agents, func(pattern string) bool { return matches(pattern, slug) })
}

// Refusal explains why a request that needs a scope was refused, and the way out.
func (g Grant) Refusal(needed Scope) string {
	if g.Name == "" {
		return "Read-only token. Nothing was changed. Use the value of --token."
	}
	return fmt.Sprintf("The token of %s has the scope %s, and this needs %s. Nothing was changed. Ask an admin for another token.", g.Name, g.Scope, needed)
}

// RefusalOfServer explains why a request about the server with all its agents was refused.
func (g Grant) RefusalOfServer() string {
	return fmt.Sprintf("The token of %s sees some agents only, and this describes all. Nothing was changed. Ask an admin for another token.", g.Name)
}

// matches reports whether slug has the form of the pattern.
func matches(pattern, slug string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == slug
	}
	rest, ok := strings.CutPrefix(slug, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

type grantKey struct{}

// With returns a copy of ctx for a request with that grant.
func With(ctx context.Context, g Grant) context.Context { return context.WithValue(ctx, grantKey{}, g) }

// Of returns the grant of the request of ctx. Work that no request asked for has the grant Owner.
func Of(ctx context.Context) Grant {
	if g, ok := ctx.Value(grantKey{}).(Grant); ok {
		return g
	}
	return Owner
}

// Allows reports whether the request of ctx has at least that scope.
func Allows(ctx context.Context, needed Scope) bool { return Of(ctx).Scope.Allows(needed) }

// AsServer returns a copy of ctx that sees all agents, for work that the server does to carry out a
// request. The caller must have checked the request's grant before. The name stays.
func AsServer(ctx context.Context) context.Context {
	return With(ctx, Grant{Name: Of(ctx).Name, Scope: Admin, Agents: Owner.Agents})
}
