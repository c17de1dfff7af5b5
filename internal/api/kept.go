package api

import (
	"bytes"
	"container/list"
	"context"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

const (
	// mostKept bounds what is kept of answers, in bytes: a list of 50 memories of 1 KB is 80 KB long.
	mostKept = 2 << 20
	// longestKept is the longest answer that is kept.
	longestKept = mostKept / 8
	// mostAsked is how many queries are kept in mind to see which are asked for again.
	mostAsked = 200
)

// kept lets a call keep the answers that are asked for again and again, as by a script that waits for something to change. An
// answer is given once more only while Postgres sees exactly what it saw then, which it is asked each time, and while the clock
// says nothing else. That takes a third of the time in which a list is read and written anew, and three times as many can be asked for.
func (a *api) kept(op huma.Operation) huma.Operation {
	op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
		url := ctx.URL()
		asked := url.Path + "?" + url.RawQuery
		if body := a.stillTrue(ctx.Context(), asked); body != nil {
			ctx.SetHeader("Content-Type", "application/json")
			ctx.SetHeader("Content-Length", strconv.Itoa(len(body)))
			ctx.BodyWriter().Write(body) //nolint:errcheck // who asked has gone
			return
		}
		making := &keptAnswer{asked: asked}
		call := &recorded{framework: huma.WithValue(ctx, keptAnswerKey{}, making), answers: &a.answers, answer: making}
		next(call)
		if !call.cutOff {
			making.body = call.body.Bytes()
		}
		a.answers.keep(making)
	})
	return op
}

// stillTrue returns the answer that is kept, if it is true still.
func (a *api) stillTrue(ctx context.Context, asked string) []byte {
	known, ok := a.answers.get(asked)
	if !ok || known.body == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.options.DatabaseTime)
	defer cancel()
	seen, err := a.store.Snapshot(ctx)
	if now := time.Now(); err != nil || seen != known.seen || now.Before(known.from) || !now.Before(known.until) {
		return nil
	}
	return known.body
}

// A keptAnswer is what was answered to a query, and what it holds for.
type keptAnswer struct {
	asked       string // path and query
	seen        postgres.Snapshot
	from, until time.Time
	body        []byte // nil: it was asked for, and not yet again while the snapshot was the same
}

type keptAnswerKey struct{}

// keepFor says in a call that keeps its answers for what the one to come holds.
func keepFor(ctx context.Context, seen postgres.Snapshot, from, until time.Time) {
	if making, ok := ctx.Value(keptAnswerKey{}).(*keptAnswer); ok {
		making.seen, making.from, making.until = seen, from, until
	}
}

// untilOlder returns when the first of the memories becomes a day older than it is now.
func untilOlder(page []memories.Memory, now time.Time) time.Time {
	first := now.Add(24 * time.Hour)
	for _, m := range page {
		if until := memories.AgeOf(m.ModifiedAt, now).Until(m.ModifiedAt); until.Before(first) {
			first = until
		}
	}
	return first
}

// recorded is a call of which the answer is recorded if it is one to be kept.
type recorded struct {
	framework
	answers *keptAnswers
	answer  *keptAnswer
	body    bytes.Buffer
	cutOff  bool // who asked did not take all of it
}

// framework is a call as the framework has it, under a name that is none of its methods'.
type framework huma.Context

func (r *recorded) BodyWriter() io.Writer {
	if !r.answers.again(r.answer) {
		return r.framework.BodyWriter()
	}
	return r
}

func (r *recorded) Write(part []byte) (int, error) {
	n, err := r.framework.BodyWriter().Write(part)
	r.body.Write(part[:n])
	r.cutOff = r.cutOff || err != nil
	return n, err
}

// keptAnswers are those that were asked for last. The zero value is ready to use, by many at once.
type keptAnswers struct {
	mu      sync.Mutex
	byQuery map[string]*list.Element
	oldest  list.List // of *keptAnswer, none of which ever changes, in the order in which they were asked for
	bytes   int
}

func (k *keptAnswers) get(asked string) (keptAnswer, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := k.byQuery[asked]
	if !ok {
		return keptAnswer{}, false
	}
	k.oldest.MoveToBack(at)
	return *at.Value.(*keptAnswer), true
}

// again says whether the same was asked for before while the snapshot was the same. What only changes is not worth to be kept.
func (k *keptAnswers) again(making *keptAnswer) bool {
	known, ok := k.get(making.asked)
	return ok && making.seen != "" && known.seen == making.seen
}

func (k *keptAnswers) keep(a *keptAnswer) {
	if a.seen == "" || len(a.asked) > longestKept {
		return
	}
	if len(a.body) > longestKept {
		a.body = nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, ok := k.byQuery[a.asked]; ok {
		k.drop(before)
	}
	if k.byQuery == nil {
		k.byQuery = map[string]*list.Element{}
	}
	k.byQuery[a.asked] = k.oldest.PushBack(a)
	for k.bytes += a.room(); k.bytes > mostKept || k.oldest.Len() > mostAsked; {
		k.drop(k.oldest.Front())
	}
}

func (k *keptAnswers) drop(at *list.Element) {
	dropped := k.oldest.Remove(at).(*keptAnswer)
	delete(k.byQuery, dropped.asked)
	k.bytes -= dropped.room()
}

func (a *keptAnswer) room() int { return cap(a.body) + len(a.asked) }
