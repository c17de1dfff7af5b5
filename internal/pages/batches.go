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

// batches keeps the results of the latest batches for the pages that report them, and for their
// undo, because hundreds of ids do not fit into an address. A restart loses them.
type batches struct {
	mu      sync.Mutex
	byToken map[string]batchResult
	order   []string // oldest first
}

// batchResult is the result of a batch.
type batchResult struct {
	slug    string
	done    string
	verb    string
	ids     []string  // the memories for which it succeeded
	refused []refusal // the memories for which it failed
	left    int       // number of deleted memories with a file that could not be removed
}

type refusal struct{ id, reason string }

func (b *batches) of(token string) (batchResult, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.byToken[token]
	return o, ok
}

// add stores a result and returns its random token. If more than maxBatches are stored then, it
// deletes the oldest one.
func (b *batches) add(result batchResult) (token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byToken == nil {
		b.byToken = map[string]batchResult{}
	}
	token = rand.Text()
	b.byToken[token], b.order = result, append(b.order, token)
	if len(b.order) > maxBatches {
		delete(b.byToken, b.order[0])
		b.order = b.order[1:]
	}
	return token
}

// noticeOfBatch returns the notice about the batch with that token. path is the page to return to
// after an undo. It returns nil if no such result is stored for the agent, or if nothing succeeded.
// It also returns nil if the batch's first memory no longer has the state that the action led to.
func (s *site) noticeOfBatch(ctx context.Context, agent records.Agent, token, path string) *templates.Notice {
	o, ok := s.batches.of(token)
	if !ok || o.slug != agent.Slug || len(o.ids) == 0 {
		return nil
	}
	switch o.done {
	case doneDeleted, doneRestored, donePurged:
		if !s.isDone(ctx, agent, o.done, o.ids[0]) {
			return nil
		}
	}
	return noticeAboutBatch(o, token, path)
}

// noticeAboutBatch returns the notice about the memories for which a batch succeeded. Only a
// deletion offers an undo. path is the page to return to after it.
func noticeAboutBatch(o batchResult, token, path string) *templates.Notice {
	switch o.done {
	case doneDeleted:
		return templates.DeletedMany(o.slug, o.ids, o.left, token, path)
	case doneVerified:
		return newNotice(templates.Many(len(o.ids), "still true"))
	}
	return newNotice(templates.Many(len(o.ids), o.verb))
}
