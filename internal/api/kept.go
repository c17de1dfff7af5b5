package api

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// kept lets the call that lists memories keep the lists that are asked for again and again, as by a script that waits for something
// to change. While Postgres sees exactly what it saw then, which it is asked each time, a list is given once more as it was: two
// fifths of the time in which it is read and written anew. Once something was written, by whomever, Postgres is asked what is on
// the list, and only what has changed of it is read and written anew: two thirds, where that is nothing.
func (a *api) kept(op huma.Operation) huma.Operation {
	op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
		url := ctx.URL()
		asked := url.Path + "?" + url.RawQuery
		body := a.again(ctx.Context(), asked)
		if body == nil {
			next(huma.WithValue(ctx, askedKey{}, asked))
			return
		}
		ctx.SetHeader("Content-Type", "application/json")
		ctx.SetHeader("Content-Length", strconv.Itoa(len(body)))
		ctx.BodyWriter().Write(body) //nolint:errcheck // who asked has gone
	})
	return op
}

type askedKey struct{}

// keepInMind says in a call that keeps its lists which one was asked for. What is asked for once is not worth to be kept.
func (a *api) keepInMind(ctx context.Context, slug string, list postgres.List) {
	if asked, ok := ctx.Value(askedKey{}).(string); ok {
		a.lists.keepInMind(&keptList{asked: asked, slug: slug, list: list})
	}
}

// A keptList is what was answered to a query. It never changes.
type keptList struct {
	asked string // path and query
	slug  string
	list  postgres.List

	outline     postgres.Outline // by which it was put together
	body        []byte           // nil: it was asked for, and not again
	pieces      []piece          // of the body, one for each memory of the outline
	made, until time.Time        // between which the clock says nothing else
	quiet       bool             // nothing was written between the last two times that it was asked for
	tooLong     bool             // to be kept
}

// A piece is what a kept list says of one memory: what stands between two places of its body.
type piece struct {
	from, to int
	until    time.Time // when the memory becomes a day older
}

// again answers what was asked before, as it would be answered anew; nil: it has to be, which also tells what is wrong.
func (a *api) again(ctx context.Context, asked string) []byte {
	known := a.lists.get(asked)
	if known == nil || known.tooLong {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.options.DatabaseTime)
	defer cancel()
	renewed, err := a.renew(ctx, known, time.Now())
	switch {
	case err != nil:
		return nil
	case renewed != known:
		a.lists.keep(renewed)
	}
	return renewed.body
}

// renew returns a list as it is now. What is true still of the one that is known is not read again. It fails with
// postgres.ErrOvertaken where something changes meanwhile, and where nothing is on the list any more.
func (a *api) renew(ctx context.Context, known *keptList, now time.Time) (*keptList, error) {
	timely := !now.Before(known.made) && now.Before(known.until)
	if timely && known.quiet {
		if seen, err := a.store.Snapshot(ctx); err != nil || seen == known.outline.Seen {
			return known, err
		}
	}
	outline, err := a.store.OutlineOf(ctx, known.slug, known.list)
	if err == nil && len(outline.Memories) == 0 {
		err = postgres.ErrOvertaken
	}
	if err != nil {
		return nil, err
	}
	renewed := *known
	renewed.outline, renewed.quiet = outline, outline.Seen == known.outline.Seen
	if timely && outline.Equal(known.outline) {
		return &renewed, nil
	}
	pieces := known.trueOf(outline, now)
	read, err := a.read(ctx, known.slug, outline, pieces)
	if err != nil {
		return nil, err
	}
	renewed.made = now
	return &renewed, renewed.write(known.body, pieces, read)
}

// trueOf returns for each memory of the outline the piece of it that is true still; a piece without an end: none is.
func (l *keptList) trueOf(outline postgres.Outline, now time.Time) []piece {
	pieces := make([]piece, len(outline.Memories))
	if now.Before(l.made) || !outline.Comparable(l.outline) {
		return pieces
	}
	known := make(map[postgres.Outlined]piece, len(l.pieces))
	for i, m := range l.outline.Memories {
		known[m] = l.pieces[i]
	}
	for i, m := range outline.Memories {
		if p := known[m]; now.Before(p.until) {
			pieces[i] = p
		}
	}
	return pieces
}

// read returns the memories of the outline of which there is no piece.
func (a *api) read(ctx context.Context, slug string, outline postgres.Outline, pieces []piece) (map[postgres.Outlined]memories.Memory, error) {
	var wanted []postgres.Outlined
	for i, m := range outline.Memories {
		if pieces[i].to == 0 {
			wanted = append(wanted, m)
		}
	}
	if wanted == nil {
		return nil, nil
	}
	return a.store.MemoriesIn(ctx, slug, wanted)
}

// write puts the body together by the outline, from pieces of another body and what was read.
func (l *keptList) write(known []byte, pieces []piece, read map[postgres.Outlined]memories.Memory) error {
	var none, body bytes.Buffer
	err := marshal(&none, MemoryList{Memories: []Memory{}, Total: l.outline.Total, NextCursor: text(l.outline.NextCursor)})
	if err != nil {
		return err
	}
	first := bytes.Index(none.Bytes(), []byte("[]")) + 1 // the memories are the first field
	body.Grow(len(known) + 4096)                         // a memory more
	body.Write(none.Next(first))
	l.pieces, l.until = pieces, l.made.Add(24*time.Hour)
	for i, m := range l.outline.Memories {
		if i > 0 {
			body.WriteByte(',')
		}
		from, p := body.Len(), &l.pieces[i]
		if p.to > 0 {
			body.Write(known[p.from:p.to])
		} else {
			m := read[m]
			p.until = m.Age(l.made).Until(m.ModifiedAt)
			if err := marshal(&body, memoryOf(m, l.outline.ClaudeMDProblem, l.made)); err != nil {
				return err
			}
			body.Truncate(body.Len() - 1) // the end of the line
		}
		p.from, p.to = from, body.Len()
		if p.until.Before(l.until) {
			l.until = p.until
		}
	}
	body.Write(none.Bytes())
	l.body = body.Bytes()
	return nil
}
