package ops

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"memoir/internal/findings"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
)

// Claude Code loads only MEMORY.md, so each operation that writes a memory also writes its entry
// there. An index that cannot be written fails no operation: the memory is saved, and its Index
// says that it is not listed.

// listWritten adds the missing entries of the memories that the operation has written to their
// indexes, and scans all indexes that the operation has changed. It returns only errors of the
// database.
func listWritten(ctx context.Context, s *Service, tx *agenttx.Tx, c *changes) error {
	changed, err := ListMemories(ctx, tx, c.memories, c.title)
	if err != nil {
		return err
	}
	if c.indexes = append(c.indexes, changed...); len(c.indexes) == 0 {
		return nil
	}
	return s.scan(ctx, tx, c, written(tx, c.indexes...))
}

// ListMemories adds entries for the primary files of the memories to the indexes that lack them. It
// leaves out memories that are deleted or unreadable. title is the title of the entries; if it is
// empty, that is the memory's name. It returns the paths of the changed indexes,
// which the caller must scan. It logs an index that cannot be written. err is an error of the
// database.
func ListMemories(ctx context.Context, tx *agenttx.Tx, ids []uuid.UUID, title string) (changed []string, err error) {
	if tx.Root == nil || len(ids) == 0 {
		return nil, nil
	}
	listed, err := tx.Rows.FilesToIndexOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range listed {
		listed[i].Name = cmp.Or(title, listed[i].Name)
	}
	changed, err = indexfile.List(tx, listed)
	return changed, logUnlisted(tx, err)
}

// relist adapts the entries for before in the indexes to after, and adds the changed indexes to c.
// It logs an index that cannot be written. It returns an error if the database is unavailable.
func relist(tx *agenttx.Tx, c *changes, before, after memorymd.IndexedFile) error {
	changed, err := indexfile.Relist(tx, before, after)
	c.indexes = append(c.indexes, changed...)
	return logUnlisted(tx, err)
}

// logUnlisted logs an error of writing indexes. It returns memories.ErrUnavailable, and nil for
// other errors.
func logUnlisted(tx *agenttx.Tx, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memories.ErrUnavailable):
		return err
	}
	tx.Log.Warn("MEMORY.md not updated, memories are saved", "agent", tx.Agent.Slug, "error", agenttx.FSCause(err))
	return nil
}

// entryOf returns the file at path as an index lists it for the memory head. Of a memory in
// quarantine it has only the masked name.
func entryOf(head records.MemoryRow, path string) memorymd.IndexedFile {
	listed := memorymd.IndexedFile{ID: head.ID, Path: path, Name: head.Name, Type: head.Type, Description: head.Description}
	if head.IsQuarantined() {
		listed.Name, listed.Description = quarantine.Mask(head.Name), ""
	}
	return listed
}

// entryOfDraft returns the file at path as an index lists it for the draft.
func entryOfDraft(draft memories.Draft, path string) memorymd.IndexedFile {
	content := draft.Content().Canonical()
	if text := (findings.Text{Name: content.Name, Description: content.Description}); len(quarantine.Examine(text)) > 0 {
		content.Name, content.Description = quarantine.Mask(content.Name), ""
	}
	return memorymd.IndexedFile{Path: path, Name: content.Name, Type: content.Type, Description: content.Description}
}
