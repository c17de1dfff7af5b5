package review

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// formerFile is a file in the agent's primary directory, by its path in that directory.
type formerFile struct {
	Path   string `json:"path"`
	Hash   string `json:"hash"`   // after the decision; empty if there is no file then
	Before []byte `json:"before"` // nil if there was no file, or if the history has the bytes
	// Memory is the memory whose history has the bytes before, Was their hash, and At the file's
	// modification time before, by which the newest of several files is the memory's text.
	Memory string    `json:"memory,omitempty"`
	Was    string    `json:"was,omitempty"`
	At     time.Time `json:"at,omitzero"`
}

// primaryFiles are the files in an agent's primary directory.
type primaryFiles struct {
	engine *engine.Engine
	store  Store
	agent  records.Agent
}

// of returns the primary files of a memory as they are now, and MEMORY.md at the end.
func (p primaryFiles) of(ctx context.Context, id string) (all []formerFile, err error) {
	m, err := p.store.Memory(ctx, p.agent, id)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		if path, isPrimary := belowPrimary(p.agent, f.Path); isPrimary && f.Session == "" {
			all = append(all, formerFile{Path: path, Memory: id, Was: f.Hash, At: f.ModifiedAt})
		}
	}
	// An index that cannot be read prevents no decision; its entries are then not put back.
	if index, err := p.engine.ReadFile(ctx, p.agent.Slug, memorymd.Name); err == nil || errors.Is(err, memories.ErrNoFile) {
		all = append(all, formerFile{Path: memorymd.Name, Before: index})
	}
	return all, nil
}

// changed returns those of the files that are no longer as before, with the hashes that they have now.
// Files that are gone come first.
func (p primaryFiles) changed(ctx context.Context, before []formerFile) ([]formerFile, error) {
	var gone, others []formerFile
	for _, f := range before {
		switch raw, err := p.engine.ReadFile(ctx, p.agent.Slug, f.Path); {
		case errors.Is(err, memories.ErrNoFile):
			if f.Was != "" || f.Before != nil {
				gone = append(gone, f)
			}
		case err != nil:
			return nil, err
		default:
			f.Hash = files.Hash(raw)
			if f.Hash != f.Was && !bytes.Equal(raw, f.Before) {
				others = append(others, f)
			}
		}
	}
	return append(gone, others...), nil
}

// errNotKept is the error for a file whose earlier bytes the history no longer has.
var errNotKept = &memories.ConflictError{Reason: "The earlier text is no longer stored. Nothing was undone."}

// revert writes files as before, and removes those that the decision has created, if they are as
// the decision has left them. It fails with memories.ErrChanged or memories.ErrFileExists if the first
// one is not.
func (p primaryFiles) revert(ctx context.Context, all []formerFile) error {
	for i, f := range all {
		err := p.revertFile(ctx, f)
		// An index that was changed since keeps its entries, and a new file in the place of a removed one
		// stays.
		isOwn := errors.Is(err, memories.ErrChanged) || errors.Is(err, memories.ErrNoFile) || errors.Is(err, memories.ErrFileExists)
		if err != nil && (i == 0 || !isOwn) {
			return err
		}
	}
	return nil
}

func (p primaryFiles) revertFile(ctx context.Context, f formerFile) error {
	if f.Hash != "" {
		raw, err := p.engine.ReadFile(ctx, p.agent.Slug, f.Path)
		if err != nil {
			return err
		}
		if files.Hash(raw) != f.Hash {
			return memories.ErrChanged
		}
	}
	if f.Memory != "" {
		var err error
		if f.Before, err = p.store.RawOfHash(ctx, p.agent, f.Memory, f.Was); err != nil {
			return err
		}
		if f.Before == nil {
			return errNotKept
		}
	}
	if f.Before == nil {
		return p.engine.RemoveFile(ctx, p.agent.Slug, f.Path)
	}
	return p.engine.WriteFormerFile(ctx, p.agent.Slug, f.Path, f.Hash, f.Before, f.At)
}

// belowPrimary returns a path relative to the agent's primary directory, and whether it is there.
func belowPrimary(agent records.Agent, path string) (below string, isPrimary bool) {
	dir := agents.Agent{Layout: agents.Layout(agent.Layout)}.PrimaryDir()
	if dir == "." {
		return path, true
	}
	return strings.CutPrefix(path, dir+"/")
}
