// Package accesspages serves the page of the people and programs with tokens. Package gate admits
// only admins to it.
package accesspages

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/access"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// DoneRevoked is the action of the notice after a token was revoked.
const DoneRevoked = "token-revoked"

// Tokens manages the people and programs that may use Memoir. directory.Directory implements and
// documents it.
type Tokens interface {
	Tokens(ctx context.Context) ([]access.Principal, error)
	CreateToken(ctx context.Context, p access.Principal) (added access.Principal, token string, err error)
	RevokeToken(ctx context.Context, id string) error
}

// site holds what the handlers share.
type site struct {
	kit    *kit.Kit
	tokens Tokens
}

// Register adds the page and its actions to a router. Without tokens, they answer 404.
func Register(r chi.Router, k *kit.Kit, tokens Tokens) {
	s := &site{k, tokens}
	r.Get(address.AccessPath, k.Page(s.list))
	r.Post(address.AccessPath, k.Action(s.create))
	r.Post(address.RevokePath("{id}"), k.Action(s.revoke))
	r.Get(address.RevokePath("{id}"), http.RedirectHandler(address.AccessPath, http.StatusSeeOther).ServeHTTP)
}

func (s *site) list(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, http.StatusOK, templates.Access{Scope: string(access.Write), Agents: access.AllAgents})
}

// show renders the page with the form of v.
func (s *site) show(w http.ResponseWriter, r *http.Request, status int, v templates.Access) error {
	if s.tokens == nil {
		return memories.ErrNotFound
	}
	all, err := s.tokens.Tokens(r.Context())
	if err != nil {
		return err
	}
	v.Notice = s.kit.Notice(r)
	for _, p := range all {
		v.Tokens = append(v.Tokens, row(p, time.Now()))
	}
	return kit.Show(w, r, status, templates.AccessPage(v))
}

func row(p access.Principal, now time.Time) templates.AccessToken {
	t := templates.AccessToken{
		ID: p.ID, Name: p.Name, Scope: string(p.Scope), Agents: strings.Join(p.Agents, ", "), Login: p.Login, Expires: "never", IsExpired: p.IsExpired(now),
	}
	if p.Grant().SeesAll() {
		t.Agents = "all"
	}
	if p.ExpiresAt != nil {
		t.Expires = p.ExpiresAt.Local().Format(time.DateOnly)
	}
	if p.LastUsedAt != nil {
		t.LastUsedAt = *p.LastUsedAt
	}
	return t
}

// create makes a token and shows it with this answer, because it is not stored. A refusal is shown
// above the form.
func (s *site) create(w http.ResponseWriter, r *http.Request) error {
	if s.tokens == nil {
		return memories.ErrNotFound
	}
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	v := templates.Access{
		Name: field(address.FieldTokenName), Scope: field(address.FieldTokenScope), Agents: field(address.FieldTokenAgents),
		Days: field(address.FieldTokenDays), Login: field(address.FieldTokenByLogin),
	}
	p := access.Principal{Name: v.Name, Login: v.Login, Scope: access.Scope(v.Scope), Agents: strings.FieldsFunc(v.Agents, func(r rune) bool { return r == ',' || r == ' ' })}
	if len(p.Agents) == 0 {
		p.Agents = []string{access.AllAgents}
	}
	if v.Days != "" {
		days, err := strconv.Atoi(v.Days)
		if err != nil || days < 1 || days > 100*365 {
			v.Problem = "Days must be a whole number above zero."
			return s.show(w, r, http.StatusUnprocessableEntity, v)
		}
		expires := time.Now().UTC().AddDate(0, 0, days)
		p.ExpiresAt = &expires
	}
	added, secret, err := s.tokens.CreateToken(r.Context(), p)
	var invalid *memories.InvalidError
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &invalid):
		v.Problem = "Field " + invalid.Field + " " + invalid.Reason + "."
		return s.show(w, r, http.StatusUnprocessableEntity, v)
	case errors.As(err, &conflict):
		v.Problem = conflict.Reason
		return s.show(w, r, http.StatusConflict, v)
	case err != nil:
		return err
	}
	return s.show(w, r, http.StatusOK, templates.Access{Scope: string(access.Write), Agents: access.AllAgents, Secret: secret, SecretOf: added.Name})
}

func (s *site) revoke(w http.ResponseWriter, r *http.Request) error {
	if s.tokens == nil {
		return memories.ErrNotFound
	}
	if err := s.tokens.RevokeToken(r.Context(), kit.Param(r, "id")); err != nil {
		return err
	}
	return kit.Redirect(w, r, address.AccessPath, DoneRevoked, "")
}
