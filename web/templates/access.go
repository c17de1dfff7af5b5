package templates

import (
	"time"

	"memoir/web/templates/ui"
)

// Access is the view of the page with the tokens.
type Access struct {
	ui.Frame
	Tokens []AccessToken
	// Secret is the token just created, which is shown only once. It is empty on other visits.
	Secret, SecretOf string
	// Problem is why no token was created; empty without one. The other fields are the form's.
	Problem                          string
	Name, Scope, Agents, Days, Login string
}

// AccessToken is one row of the page.
type AccessToken struct {
	ID, Name, Scope, Agents, Login string
	Expires                        string // a day, or "never"
	IsExpired                      bool
	LastUsedAt                     time.Time // zero for never
}

// scopeOption is a scope with what it allows.
type scopeOption struct{ Value, Text string }

func scopeOptions() []scopeOption {
	return []scopeOption{
		{"read", "read"}, {"agent", "agent: recall, save, log"}, {"write", "write: every change of its agents"}, {"admin", "admin: also tokens"},
	}
}
