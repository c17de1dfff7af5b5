package pages

import (
	"context"
	"crypto/rand"
	"sync"

	"memoir/internal/records"
	"memoir/web/templates"
)

// maxBatches is the maximum number of batch results in memory (arbitrary). The page that follows a
// batch reads its result at once; later reloads can do without.
const maxBatches = 64

// batches keeps the results of the latest batches for the pages that report them, because hundreds
// of ids do not fit into an address. A restart loses only these messages.
type batches struct {
	mu      sync.Mutex
	byToken map[string]batchResult
	order   []string // oldest first
}

// batchResult is the result of a batch so far.
type batchResult struct {
	slug    string
	done    string
	ids     []string  // the memories for which it succeeded
	refused []refusal // the memories for which it failed
	left    int       // number of deleted memories with a file that could not be removed
}

type refusal struct{ id, reason string }

// token returns given if it is the token of a stored result of the same agent and action. Otherwise
// it returns a new random token. It stores nothing.
func (b *batches) token(slug, done, given string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o, ok := b.byToken[given]; ok && o.slug == slug && o.done == done {
		return given
	}
	return rand.Text()
}

func (b *batches) of(token string) (batchResult, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.byToken[token]
	return o, ok
}

// add appends the result of a part to the result stored under token. Without one, it stores the
// part as a new result. If more than maxBatches are stored then, it deletes the oldest one.
func (b *batches) add(token string, part batchResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byToken == nil {
		b.byToken = map[string]batchResult{}
	}
	whole, known := b.byToken[token]
	if !known {
		b.order = append(b.order, token)
		whole = batchResult{slug: part.slug, done: part.done}
	}
	whole.ids = append(whole.ids, part.ids...)
	whole.refused = append(whole.refused, part.refused...)
	whole.left += part.left
	b.byToken[token] = whole
	if len(b.order) > maxBatches {
		delete(b.byToken, b.order[0])
		b.order = b.order[1:]
	}
}

// noticeOfBatch returns the notice about the batch with that token. path is the page to return to
// after an undo. It returns nil if no such result is stored for the agent, or if nothing succeeded.
// It also returns nil if the batch's first memory no longer has the state that the action led to.
func (s *site) noticeOfBatch(ctx context.Context, agent records.Agent, token, path string) *templates.Notice {
	o, ok := s.batches.of(token)
	if !ok || o.slug != agent.Slug || len(o.ids) == 0 || o.done != doneVerified && !s.isDone(ctx, agent, o.done, o.ids[0]) {
		return nil
	}
	return noticeAboutBatch(o, path)
}

// noticeAboutBatch returns the notice about the memories for which a batch succeeded. Only a
// deletion offers an undo. path is the page to return to after it.
func noticeAboutBatch(o batchResult, path string) *templates.Notice {
	switch o.done {
	case doneDeleted:
		return templates.DeletedMany(o.slug, o.ids, o.left, path)
	case doneRestored:
		return newNotice(templates.Many(len(o.ids), "restored", "restored"))
	case donePurged:
		return newNotice(templates.Many(len(o.ids), "deleted permanently", "deleted permanently"))
	default:
		return newNotice(templates.Many(len(o.ids), "still true", "still true"))
	}
}
