package main

import (
	"cmp"
	"context"

	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	engine "memoir/internal/sync"
)

// suggestions decides about proposals for the review, as the actor of the context.
type suggestions struct{ *extraction.Extractor }

func (s suggestions) Accept(ctx context.Context, slug, id, etag string) (engine.Result, error) {
	return s.Extractor.Accept(ctx, slug, id, etag, engine.ActorOf(ctx), extraction.Edits{})
}

func (s suggestions) Refuse(ctx context.Context, slug, id, etag string) error {
	_, err := s.Extractor.Refuse(ctx, slug, id, etag, engine.ActorOf(ctx))
	return err
}

// plans applies steps of plans for the review, as the actor of the context.
type plans struct{ *consolidation.Consolidator }

func (p plans) Apply(ctx context.Context, slug, step string) error {
	results, err := p.Consolidator.Apply(ctx, slug, []string{step}, engine.ActorOf(ctx))
	for _, r := range results {
		err = cmp.Or(err, r.Error)
	}
	return err
}

func (p plans) Undo(ctx context.Context, slug, step string) error {
	_, err := p.Consolidator.Undo(ctx, slug, step, engine.ActorOf(ctx))
	return err
}
