package wire

import (
	"time"

	"memoir/internal/access"
)

// Token is a person or program that may use Memoir besides the owner.
type Token struct {
	ID         string     `json:"id"`
	Name       string     `json:"name" doc:"Unique. The journal and the pages name it as the author of changes."`
	Login      *string    `json:"login" doc:"The name at the proxy or OpenID Connect provider, for people who sign in there. Null for one with a token."`
	Scope      string     `json:"scope" enum:"read,agent,write,admin"`
	Agents     []string   `json:"agents" nullable:"false" doc:"Slugs of the agents that it sees. A * stands for any characters."`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at" doc:"Null: never."`
	IsExpired  bool       `json:"expired"`
	LastUsedAt *time.Time `json:"last_used_at" doc:"To the minute. Null: never."`
}

// TokenList is the body of the list of tokens.
type TokenList struct {
	Tokens []Token `json:"tokens" nullable:"false"`
}

// NewToken is a new token with its secret.
type NewToken struct {
	Token
	Secret *string `json:"token" doc:"The token. It is shown only here. Null for a login."`
}

// TokenOf returns a principal as JSON.
func TokenOf(p access.Principal, now time.Time) Token {
	return Token{
		ID: p.ID, Name: p.Name, Login: Text(p.Login), Scope: string(p.Scope), Agents: p.Agents, CreatedAt: p.CreatedAt,
		ExpiresAt: p.ExpiresAt, IsExpired: p.IsExpired(now), LastUsedAt: p.LastUsedAt,
	}
}
