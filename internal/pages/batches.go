package pages

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	gosync "sync"

	"memoir/internal/records"
	"memoir/web/templates"
)

// maxBatches is how many outcomes are remembered: a page tells of one right after it, and somebody who reloads that page
// later may do without.
const maxBatches = 64

// batches remembers what the last batches did, for the pages that tell of it: hundreds of ids fit into no address. It is
// kept in this process alone; what is lost with it is a message, and the trash has all that was deleted.
type batches struct {
	mu      gosync.Mutex
	byToken map[string]outcome
	order   []string // oldest first
}

// outcome is what one batch did so far.
type outcome struct {
	slug    string
	done    string
	ids     []string  // with which it was done
	refused []refusal // with which it was not
	left    int       // of the deleted memories, those with something on disk that could not be removed
}

type refusal struct{ id, reason string }

// token returns the name of a batch: the one that was given, if it is of a batch of this kind that goes on, else a new one.
func (b *batches) token(slug, done, given string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o, ok := b.byToken[given]; ok && o.slug == slug && o.done == done {
		return given
	}
	return rand.Text()
}

func (b *batches) of(token string) (outcome, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.byToken[token]
	return o, ok
}

// add remembers a part of a batch.
func (b *batches) add(token string, part outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byToken == nil {
		b.byToken = map[string]outcome{}
	}
	whole, known := b.byToken[token]
	if !known {
		b.order = append(b.order, token)
		whole = outcome{slug: part.slug, done: part.done}
	}
	whole.ids = append(slices.Clone(whole.ids), part.ids...)
	whole.refused = append(slices.Clone(whole.refused), part.refused...)
	whole.left += part.left
	b.byToken[token] = whole
	if len(b.order) > maxBatches {
		delete(b.byToken, b.order[0])
		b.order = b.order[1:]
	}
}

// redirectBatch leads on to the page that tells of a batch.
func redirectBatch(w http.ResponseWriter, r *http.Request, path, token string) error {
	target, err := url.Parse(path)
	if err != nil {
		return &badRequest{http.StatusBadRequest, "The page to go back to is no address."}
	}
	query := target.Query()
	query.Del(fieldDone)
	query.Del(fieldID)
	query.Set(templates.FieldBatch, token)
	target.RawQuery = query.Encode()
	http.Redirect(w, r, target.String(), http.StatusSeeOther)
	return nil
}

// noticeOfBatch says what the batch did that led here; nil: it is forgotten, or holds no more.
func (s *site) noticeOfBatch(ctx context.Context, agent records.Agent, token, path string) *templates.Notice {
	o, ok := s.batches.of(token)
	if !ok || o.slug != agent.Slug || len(o.ids) == 0 || o.done != doneVerified && !s.isSo(ctx, agent, o.done, o.ids[0]) {
		return nil
	}
	return noticeAboutBatch(o, path)
}

// noticeAboutBatch says what a batch did. path is the page to come back to after an undo.
func noticeAboutBatch(o outcome, path string) *templates.Notice {
	switch o.done {
	case doneDeleted:
		return templates.DeletedMany(o.slug, o.ids, o.left, path)
	case doneRestored:
		return said(templates.Many(len(o.ids), "is back.", "are back."))
	case donePurged:
		return said(templates.Many(len(o.ids), "is gone for good, with its history.", "are gone for good, with their history."))
	default:
		return said(templates.Many(len(o.ids), "is still true: its age starts anew.", "are still true: their age starts anew."))
	}
}
