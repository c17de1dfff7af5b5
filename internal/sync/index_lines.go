package sync

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// restoreToIndexes puts back what the deletion of a memory took out of the indexes. An index that is gone stays gone. It fails with an
// *unlistedError for one that cannot be written.
//
// The memories that are still in the trash know where the line belongs among theirs. It returns the lines of those that have to know of
// it from now on: to be saved when the memory's own are forgotten.
func (h *hold) restoreToIndexes(ctx context.Context, head postgres.Head) (noted map[uuid.UUID]map[string][]memories.IndexLine, err error) {
	if len(head.IndexLines) == 0 {
		return nil, nil
	}
	if err := h.readLinesOut(ctx); err != nil {
		return nil, err
	}
	noted = map[uuid.UUID]map[string][]memories.IndexLine{}
	for index, gone := range head.IndexLines {
		out, owners := h.outOf(index, head.UUID)
		var after []byte
		err := h.editIndex(index, func(raw []byte) []byte {
			after = memories.RestoreToIndex(raw, gone, out...)
			return after
		})
		if err != nil {
			return nil, &unlistedError{index, err}
		}
		for _, line := range memories.NoteRestored(after, gone, out...) {
			noted[owners[line]] = h.linesOut[owners[line]]
		}
	}
	return noted, nil
}

// readLinesOut asks for the lines that are out of the agent's indexes, once.
func (h *hold) readLinesOut(ctx context.Context) (err error) {
	if h.linesOut == nil {
		h.linesOut, err = h.w.IndexLinesOut(ctx)
	}
	return err
}

// outOf returns the lines that other memories have out of an index, and whose each is.
func (h *hold) outOf(index string, but uuid.UUID) (out []*memories.IndexLine, owners map[*memories.IndexLine]uuid.UUID) {
	owners = map[*memories.IndexLine]uuid.UUID{}
	for id, indexes := range h.linesOut {
		if id == but {
			continue
		}
		for i := range indexes[index] {
			line := &indexes[index][i]
			out, owners[line] = append(out, line), id
		}
	}
	return out, owners
}
