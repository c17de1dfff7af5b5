package ops

import (
	"context"

	"memoir/internal/findings/secrets"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/removal"
)

// removeValue writes secrets.Removed in place of each secret of a memory, in all its files and their
// indexes. Then it deletes the earlier contents that have one, for good. The caller must publish c.
// It returns memories.ErrNotFound, memories.ErrChanged if the ETag differs, and
// *memories.ConflictError if a file cannot be written or the memory has no secret.
func removeValue(ctx context.Context, s *Service, tx *agenttx.Tx, c *changes, ref MemoryRef) error {
	head, recorded, err := rowWithFiles(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if head.State == memories.Deleted || head.State == memories.Missing || !head.Readable {
		return &memories.ConflictError{Reason: "The memory has no readable file. Nothing was changed. Restore or delete the memory."}
	}
	if err := tx.CanWrite(ctx); err != nil {
		return err
	}
	mirrored, err := mirroredFiles(ctx, tx, head, recorded)
	if err != nil {
		return err
	}
	texts, err := tx.Rows.Review().TextsOf(ctx, head.UUID)
	if err != nil {
		return err
	}
	values := secrets.Values(append(texts, head.Name)...)
	afters := make([]string, len(mirrored))
	for i, f := range mirrored {
		if afters[i], err = withoutValues(tx, head, f, values); err != nil {
			return err
		}
	}
	for i, f := range mirrored {
		if afters[i] == "" {
			continue
		}
		if err := s.replace(ctx, tx, c, head, f, []byte(afters[i])); err != nil {
			return err
		}
	}
	for _, index := range indexfile.IndexesFor(tx.Root, tx.Agent, removal.PathsOf(mirrored)) {
		err := indexfile.EditIndex(tx, index, func(raw []byte) []byte { return []byte(secrets.ReplaceValues(string(raw), values)) })
		if err != nil {
			return agenttx.WriteConflict(index, err)
		}
		c.indexes = append(c.indexes, index)
	}
	s.Scanner.IndexLater(head.UUID)
	return postgres.RemoveValues(ctx, tx.DB, head.UUID, values)
}

// withoutValues returns the bytes of a file without the values, or "" if it has none. It returns a
// *memories.ConflictError if they cannot be removed, or the file has changed.
func withoutValues(tx *agenttx.Tx, head records.MemoryRow, f records.File, values []string) (string, error) {
	raw, err := tx.ReadRecorded(f)
	after := secrets.RemoveValues(string(raw), values)
	if parsed := tx.Parse([]byte(after), f.Path); err == nil && raw != nil &&
		(f.Unfinished != 0 || parsed.Name != head.Name || parsed.Unreadable || secrets.ReplaceValues(f.Path, values) != f.Path) {
		err = &memories.ConflictError{Reason: "The value is in the name or the path, or " + f.Path + " is unfinished. Nothing was changed. Edit the memory first, or delete it."}
	}
	if after == string(raw) {
		after = ""
	}
	return after, err
}
