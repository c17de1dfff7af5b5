package ops

import (
	"context"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
)

type RebuildIndexOp struct{ Match string }

func (s *Service) RebuildIndex(ctx context.Context, slug string, op RebuildIndexOp) (indexfile.IndexChange, error) {
	var change indexfile.IndexChange
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		shelf, err := s.Index.OpenIndexView(ctx, slug)
		if err != nil {
			return err
		}
		defer shelf.Close()
		change = shelf.Rebuilt()
		if err := ctx.Err(); err != nil {
			return err
		}
		if op.Match != "" && op.Match != "*" && op.Match != change.ETag() {
			return memories.ErrChanged
		}
		if string(change.Before) == string(change.After) {
			return nil
		}
		if err := tx.CanWrite(ctx); err != nil {
			return err
		}
		options := files.Options{New: change.Before == nil}
		if change.Before != nil {
			options.IfHash = files.Hash(change.Before)
		}
		if err := tx.Overwrite(change.Path, change.After, options); err != nil {
			return WriteConflict(change.Path, err)
		}
		return s.scan(ctx, tx, &changes{}, written(tx, change.Path))
	})
	return change, err
}
