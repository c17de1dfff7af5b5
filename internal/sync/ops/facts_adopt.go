package ops

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
	"memoir/internal/sync/agenttx"
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

func (s *Service) AdoptFact(ctx context.Context, slug string, adoption Adoption) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) (err error) {
		result, err = s.adopt(ctx, tx, adoption)
		return err
	})
	return result, err
}

func (s *Service) adopt(ctx context.Context, tx *agenttx.Tx, adoption Adoption) (Result, error) {
	known, err := tx.DB.IndexFact(ctx, adoption.Fact)
	if err != nil {
		return Result{}, err
	}
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	index := known.Path
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
	result, err := s.writeAdopted(ctx, tx, draft)
	if err != nil {
		return Result{}, err
	}
	after := memorymd.ReplaceFact(raw, fact, entryFor(index, result.Memory))
	if err := tx.Overwrite(index, after, files.Options{IfHash: files.Hash(raw)}); err != nil {
		tx.Rescan(index)
		return Result{}, notReplaced(index, result.Memory, WriteConflict(index, err))
	}
	return result, s.scan(ctx, tx, &changes{}, written(tx, index))
}

// readFact reads an index and returns the fact as it stands there now.
func readFact(tx *agenttx.Tx, index, id string) ([]byte, memorymd.Fact, error) {
	raw, err := agenttx.ReadAll(tx.Root, index, memories.MaxFileSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, agenttx.ErrTooLarge) {
		return nil, memorymd.Fact{}, WriteConflict(index, err)
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

// draft returns the memory that the fact is to become.
func (a Adoption) draft(fact memorymd.Fact, team bool) memories.Draft {
	draft := memories.Draft{Name: fact.Title(), Team: team, Type: a.Type, Description: fact.Description(), Body: fact.Text}
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
func (s *Service) writeAdopted(ctx context.Context, tx *agenttx.Tx, draft memories.Draft) (Result, error) {
	head, err := tx.DB.HeadOf(ctx, draft.Key())
	if err != nil {
		return Result{}, err
	}
	if head != nil && head.State != memories.Deleted {
		if done, err := hasContent(ctx, tx, *head, draft); err != nil || done {
			row, failed := tx.DB.Agent(ctx)
			if err := errors.Join(err, failed); err != nil {
				return Result{}, err
			}
			return readResult(ctx, tx, head.ID, row.ClaudeMD)
		}
		return Result{}, &memories.NameTakenError{Name: head.Name, ID: head.ID}
	}
	result, err := s.writeMemory(ctx, tx, head, draft)
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
func notReplaced(index string, m memories.Memory, why error) error {
	var conflict *memories.ConflictError
	if !errors.As(why, &conflict) {
		return why
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("The memory was saved in %s. Its text is still in %s, which has changed on disk or "+
		"cannot be written. Look at the index and try again.", m.Path, index)}
}

// hasContent reports whether a memory has the content of the draft.
func hasContent(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft) (bool, error) {
	if head.Type != draft.Type {
		return false, nil
	}
	description, body, err := tx.DB.Text(ctx, head.UUID)
	created := memories.Content{Name: head.Name, Type: head.Type, Description: description, Body: body}
	return created.Canonical() == draft.Content().Canonical(), err
}
