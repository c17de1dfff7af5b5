package pages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// missingBanner returns the banner that asks whether to delete the missing memories or to write
// their files again. Its buttons carry an ETag of the memories shown, so that a decision does not
// affect others.
func (s *site) missingBanner(ctx context.Context, agent records.Agent) (ui.Banner, error) {
	missing, err := s.missing(ctx, agent)
	if err != nil {
		return ui.Banner{}, err
	}
	names := make([]string, len(missing))
	for i, m := range missing {
		names[i] = m.Name
	}
	return templates.MissingMemories(agent.Slug, names, etagOf(missing)), nil
}

func (s *site) missing(ctx context.Context, agent records.Agent) ([]memories.Memory, error) {
	return s.all(ctx, agent, memories.Filter{State: memories.Missing, Sort: memories.ByName})
}

// etagOf returns a hash of the ETags of all the memories, in order, in hexadecimal digits.
func etagOf(all []memories.Memory) string {
	sum := sha256.New()
	for _, m := range all {
		fmt.Fprintln(sum, engine.ETag(m))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// decideMissing deletes all missing memories, or writes their files again, as the address selects.
// If the form showed other missing memories, it changes nothing and returns memories.ErrChanged. If
// the engine refuses some, it does the others and answers 409 with the refused ones. It returns
// memories.ErrNotFound for an unknown decision or agent. Any other error stops it halfway.
func (s *site) decideMissing(w http.ResponseWriter, r *http.Request) error {
	act, done := s.engine.Restore, doneWritten
	switch chi.URLParam(r, "decision") {
	case "restore":
	case "delete":
		act, done = s.engine.Delete, doneRemoved
	default:
		return memories.ErrNotFound
	}
	agent, err := s.kit.Agent(r)
	if err != nil {
		return err
	}
	missing, err := s.missing(r.Context(), agent)
	if err != nil {
		return err
	}
	if r.PostFormValue(address.FieldETag) != etagOf(missing) {
		return memories.ErrChanged
	}
	var failed []string
	for _, m := range missing {
		_, err := act(r.Context(), agent.Slug, m.ID, engine.ETag(m))
		if reason, told := reasonOf(err); told {
			failed = append(failed, "“"+m.Name+"”: "+reason)
		} else if err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		s.kit.ShowFailure(w, r, partlyDone(agent, len(missing), failed))
		return nil
	}
	if done == doneRemoved {
		return kit.RedirectWith(w, r, kit.Back(r, address.MemoriesPath(agent.Slug)), url.Values{kit.FieldMany: {"delete"}})
	}
	return kit.Redirect(w, r, kit.Back(r, address.MemoriesPath(agent.Slug)), done, "")
}

// reasonOf returns the reason of a *memories.ConflictError, memories.ErrChanged or
// memories.ErrNotFound in words for the user. ok is false if err is nil or another error.
func reasonOf(err error) (reason string, ok bool) {
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &conflict):
		return conflict.Reason, true
	case errors.Is(err, memories.ErrChanged), errors.Is(err, memories.ErrNotFound):
		return "Changed since you loaded the page. Left unchanged.", true
	default:
		return "", false
	}
}

func partlyDone(agent records.Agent, all int, failed []string) templates.Failure {
	f := templates.FailureOf(http.StatusConflict)
	f.Title = fmt.Sprintf("%d of %d not done", len(failed), all)
	f.Text = "The others are done. These are unchanged:"
	f.Details = failed
	f.BackHref, f.BackLabel = address.MemoriesPath(agent.Slug), "Back to memories"
	return f
}
