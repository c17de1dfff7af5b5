package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
)

// Adoption is the memory that a fact of an index is to become.
type Adoption struct {
	Fact string // its id
	Type memories.Type
	// Name, Description and Body replace those that are made of the fact; nil keeps them.
	Name        *string
	Description *string
	Body        *string
}

// AdoptFact makes a memory of a fact of an agent's index, and puts an entry for its file in the place of the fact. The memory is
// written first, so no failure loses text; after one, the same call does the rest. Created reports whether the memory is new.
//
// It fails with memories.ErrNotFound, *memories.InvalidError, *memories.NameTakenError, and *memories.ConflictError where the
// index has changed or cannot be written.
func (e *Engine) AdoptFact(ctx context.Context, slug string, adoption Adoption) (Result, error) {
	return callAdoptFact.do(ctx, e, slug, adoption)
}

func (e *Engine) adoptFactLocal(ctx context.Context, slug string, adoption Adoption) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) (err error) {
		result, err = h.adopt(ctx, adoption)
		return err
	})
	return result, err
}

func (h *hold) adopt(ctx context.Context, adoption Adoption) (Result, error) {
	known, err := h.w.IndexFact(ctx, adoption.Fact)
	if err != nil {
		return Result{}, err
	}
	if err := h.canWrite(ctx); err != nil {
		return Result{}, err
	}
	index := known.Path
	if err := h.guard.CheckRemoval(h.root, index); files.IsOwnership(err) {
		return Result{}, ownershipConflict(err)
	}
	raw, fact, err := h.readFact(index, adoption.Fact)
	if err != nil {
		return Result{}, err
	}
	draft := adoption.draft(fact, h.onDisk.InTeam(index))
	if err := draft.check(); err != nil {
		return Result{}, err
	}
	result, err := h.writeAdopted(ctx, draft)
	if err != nil {
		return Result{}, err
	}
	after := memorymd.ReplaceFact(raw, fact, entryFor(index, result.Memory))
	if err := h.overwrite(index, after, files.Options{IfHash: files.Hash(raw)}); err != nil {
		h.queue.Add(h.onDisk.Slug, index)
		return Result{}, notReplaced(index, result.Memory, writeConflict(index, err))
	}
	_, err = h.runScan(ctx, []string{index}, scanOrigin{actor: actorOf(ctx)})
	return result, err
}

// readFact reads an index and returns the fact as it stands there now.
func (h *hold) readFact(index, id string) ([]byte, memorymd.Fact, error) {
	raw, err := readAll(h.root, index, memories.MaxFileSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errTooLarge) {
		return nil, memorymd.Fact{}, writeConflict(index, err)
	}
	facts := memorymd.Facts(raw)
	at := slices.IndexFunc(facts, func(f memorymd.Fact) bool {
		return records.FactID(h.onDisk.Slug, index, f.Text).String() == id
	})
	if at < 0 {
		h.queue.Add(h.onDisk.Slug, index)
		return nil, memorymd.Fact{}, changedOnDisk(index)
	}
	return raw, facts[at], nil
}

// draft returns the memory that the fact is to become.
func (a Adoption) draft(fact memorymd.Fact, team bool) Draft {
	draft := Draft{Name: fact.Title(), Team: team, Type: a.Type, Description: fact.Description(), Body: fact.Text}
	if a.Name != nil {
		draft.Name = *a.Name
	}
	if a.Description != nil {
		draft.Description = *a.Description
	}
	if a.Body != nil {
		draft.Body = *a.Body
	}
	return draft
}

// writeAdopted writes the memory, unless an earlier call has written it and was cut short after that.
func (h *hold) writeAdopted(ctx context.Context, draft Draft) (Result, error) {
	row, err := h.w.HeadOf(ctx, draft.key())
	if err != nil {
		return Result{}, err
	}
	if row != nil && row.State != memories.Deleted {
		if done, err := h.hasContent(ctx, *row, draft); err != nil || done {
			result, failed := h.result(ctx, row.ID)
			return result, errors.Join(err, failed)
		}
		return Result{}, &memories.NameTakenError{Name: row.Name, ID: row.ID}
	}
	result, err := h.write(ctx, row, draft)
	result.Created = true
	return result, err
}

// entryFor returns the line of an index for a memory.
func entryFor(index string, m memories.Memory) string {
	target, err := filepath.Rel(filepath.FromSlash(path.Dir(index)), filepath.FromSlash(m.Path))
	if err != nil {
		target = m.Path
	}
	return memorymd.Entry(m.Name, filepath.ToSlash(target), m.Description)
}

// notReplaced says that the memory was written and the fact is still in the index.
func notReplaced(index string, m memories.Memory, reason error) error {
	var conflict *memories.ConflictError
	if !errors.As(reason, &conflict) {
		return reason
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("The memory was saved in %s. Its text is still in %s, which has changed on disk or "+
		"cannot be written. Look at the index and try again.", m.Path, index)}
}

// hasContent reports whether a memory has the content of the draft.
func (h *hold) hasContent(ctx context.Context, row records.MemoryRow, draft Draft) (bool, error) {
	if row.Type != draft.Type {
		return false, nil
	}
	description, body, err := h.w.Text(ctx, row.UUID)
	created := memories.Content{Name: row.Name, Type: row.Type, Description: description, Body: body}
	return created.Canonical() == draft.content().Canonical(), err
}
