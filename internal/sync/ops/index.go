package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
)

// RepairIndexOp configures RepairIndex. Match is the ETag of the change that the user saw; empty or
// "*" for any.
type RepairIndexOp struct{ Match string }

// RepairIndex repairs the primary MEMORY.md as memorymd.Repair describes, with the topics to which
// it moves entries, and scans them. It creates a missing MEMORY.md. It returns the change. If that
// is empty, it writes nothing. It does not write CLAUDE.md. Errors to test for: memories.ErrNotFound for an unknown
// slug, and memories.ErrChanged if op.Match is not the change's ETag. It returns
// *memories.ConflictError if the index cannot be read or written.
func (s *Service) RepairIndex(ctx context.Context, slug string, op RepairIndexOp) (indexfile.IndexChange, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (indexfile.IndexChange, error) {
		view, err := s.Index.Open(ctx, slug)
		if err != nil {
			return indexfile.IndexChange{}, err
		}
		defer view.Close()
		change := view.Repaired()
		if err := ctx.Err(); err != nil {
			return change, err
		}
		if op.Match != "" && op.Match != "*" && op.Match != change.ETag() {
			return change, memories.ErrChanged
		}
		if change.IsEmpty() {
			return change, nil
		}
		if err := tx.CanWrite(ctx); err != nil {
			return change, err
		}
		// The topics first: an interruption then leaves entries twice, and none is lost.
		var paths []string
		for _, one := range append(slices.Clone(change.Topics), change) {
			options := files.Options{New: one.Before == nil}
			if one.Before != nil {
				options.IfHash = files.Hash(one.Before)
			}
			if err := tx.Overwrite(one.Path, one.After, options); err != nil {
				return change, agenttx.WriteConflict(one.Path, err)
			}
			paths = append(paths, one.Path)
		}
		return change, s.scan(ctx, tx, &changes{}, written(tx, paths...))
	})
}

// Adoption configures AdoptFact: it is the memory that a fact of an index becomes. A fact is text
// in a MEMORY.md that is no entry for a file.
type Adoption struct {
	Fact string // id of the fact
	Type memories.Type
	// Name, Description and Body replace the values made from the fact. Nil keeps a value.
	Name        *string
	Description *string
	Body        *string
}

// AdoptFact saves a fact of a MEMORY.md as a memory, writes CLAUDE.md, and replaces the fact by a
// link to the memory's file. It returns the memory. After an error the memory may exist; the same
// call then does the rest. Result.ClaudeMDProblem is the reason if CLAUDE.md could not be written.
// Errors to test for: memories.ErrNotFound for an unknown fact, *memories.InvalidError,
// *memories.NameTakenError, and *memories.ConflictError if the index has changed or cannot be
// written.
func (s *Service) AdoptFact(ctx context.Context, slug string, adoption Adoption) (Result, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) { return s.adopt(ctx, tx, adoption) })
}

func (s *Service) adopt(ctx context.Context, tx *agenttx.Tx, adoption Adoption) (Result, error) {
	recorded, err := tx.Rows.IndexFact(ctx, adoption.Fact)
	if err != nil {
		return Result{}, err
	}
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	index := recorded.Path
	if err := tx.CheckOwner(index); err != nil {
		return Result{}, err
	}
	raw, fact, err := readFact(tx, index, adoption.Fact)
	if err != nil {
		return Result{}, err
	}
	draft := adoption.draft(fact, tx.Agent.InTeam(index))
	if err := draft.Check(); err != nil {
		return Result{}, err
	}
	draft, head, title, err := inLayout(ctx, tx, draft)
	if err != nil {
		return Result{}, err
	}
	var c changes
	file, created, err := writeAdopted(ctx, s, tx, &c, head, draft)
	if err != nil {
		return Result{}, err
	}
	entry := entryOfDraft(draft, file)
	entry.Name = cmp.Or(title, entry.Name)
	line := memorymd.Entry(entry.Name, tx.Agent.LinkTo(index, file), entry.Description)
	after := memorymd.ReplaceFact(raw, fact, line)
	if writeErr := tx.Overwrite(index, after, files.Options{IfHash: files.Hash(raw)}); writeErr != nil {
		tx.Rescan(index)
		// It gets no entry of its own, so that a second attempt can replace the fact by one.
		_, err := s.Publisher.Run(ctx, tx, c.memories)
		return Result{}, errors.Join(notReplaced(index, file, agenttx.WriteConflict(index, writeErr)), err)
	}
	c.indexes = append(c.indexes, index)
	result, err := s.publishWritten(ctx, tx, &c, draft.Key())
	result.Created = created
	return result, err
}

// readFact returns the bytes of the index at that path, and the fact in it that has the id. It
// returns a *memories.ConflictError if the index is missing, cannot be read, or does not have the
// fact.
func readFact(tx *agenttx.Tx, index, id string) ([]byte, memorymd.Fact, error) {
	raw, err := agenttx.ReadAll(tx.Root, index, memories.MaxFileSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, agenttx.ErrTooLarge) {
		return nil, memorymd.Fact{}, agenttx.WriteConflict(index, err)
	}
	facts := memorymd.Facts(raw)
	at := slices.IndexFunc(facts, func(f memorymd.Fact) bool {
		return records.FactID(tx.Agent.Slug, index, f.Text).String() == id
	})
	if at < 0 {
		tx.Rescan(index)
		return nil, memorymd.Fact{}, agenttx.ChangedOnDisk(index)
	}
	return raw, facts[at], nil
}

// draft returns the memory that the fact becomes: the fact's title, description and text, replaced
// by the fields that are set in a. team reports whether the index is in team memory.
func (a Adoption) draft(fact memorymd.Fact, team bool) memories.Draft {
	draft := memories.Draft{Name: fact.Title(), Team: team, Type: a.Type, Description: fact.Description(), Body: fact.Text}
	return withPatch(draft, memories.Patch{Name: a.Name, Description: a.Description, Body: a.Body})
}

// writeAdopted saves the draft as a new memory and returns the path of its file. The caller must
// publish c. If a memory that is not deleted has the draft's key and content, it writes nothing and
// returns that one's path. If such a memory has another content, it returns
// *memories.NameTakenError. created reports whether it has saved the memory. head is the row of the
// memory with the draft's key, or nil.
func writeAdopted(ctx context.Context, s *Service, tx *agenttx.Tx, c *changes, head *records.MemoryRow, draft memories.Draft) (file string, created bool, err error) {
	if head != nil && head.State != memories.Deleted {
		if done, err := hasContent(ctx, tx, *head, draft); err != nil || done {
			return head.Path, false, err
		}
		return "", false, &memories.NameTakenError{Name: head.Name, ID: head.ID}
	}
	file, err = s.writeDraft(ctx, tx, c, head, draft)
	return file, true, err
}

// notReplaced returns the error of AdoptFact for a memory that was saved while its index could not
// be written. writeErr is the cause. The result is a new *memories.ConflictError if writeErr is
// one, and otherwise writeErr.
func notReplaced(index, file string, writeErr error) error {
	var conflict *memories.ConflictError
	if !errors.As(writeErr, &conflict) {
		return writeErr
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("The memory was saved in %s. Its text is also still in %s, which has changed or "+
		"cannot be written. Check the index and try again.", file, index)}
}

// hasContent reports whether the memory of the row head has the name, type, description and body of
// the draft. Differences that the canonical form removes do not count.
func hasContent(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft) (bool, error) {
	if head.Type != draft.Type {
		return false, nil
	}
	description, body, err := tx.Rows.Text(ctx, head.UUID)
	created := memories.Content{Name: head.Name, Type: head.Type, Description: description, Body: body}
	return created.Canonical() == draft.Content().Canonical(), err
}
