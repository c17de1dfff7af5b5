// Package notes changes the memories of a client that writes its memory itself, such as Codex. It
// asks the client by notes: a save is a note that has the memory's content until the client has read
// it. A deletion is a note that the client is to obey; until then, the memory stays.
//
// It decides which notes a change needs, and removes those that say otherwise. Package ops writes and
// scans the others. agents/notes.go has the form of notes.
package notes

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// section is a memory as the client has written it.
type section struct {
	path        string
	raw         []byte
	fingerprint memories.Fingerprint
}

// sectionOf returns the part of the client's file that has the memory. It is nil if there is none.
func sectionOf(tx *agenttx.Tx, recorded []records.File) (*section, error) {
	for _, f := range recorded {
		if !f.Present || f.Status != records.Mirrored || tx.Agent.IsNote(f.Path) {
			continue
		}
		raw, err := tx.Agent.ReadFile(tx.Root, f.Path, memories.MaxFileSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, agenttx.WriteConflict(f.Path, err)
		}
		parsed := tx.Parse(raw, f.Path)
		return &section{f.Path, raw, parsed.Fingerprint(raw)}, nil
	}
	return nil, nil
}

// openNote returns the note about the memory that the client has yet to read, or nil. The client also
// reads a note that was edited, so there is one at most.
func openNote(tx *agenttx.Tx, recorded []records.File) *records.File {
	for i, f := range recorded {
		if f.Present && f.Status == records.Mirrored && tx.Agent.IsNote(f.Path) {
			return &recorded[i]
		}
	}
	return nil
}

// New returns a free path for a note about a memory with the name.
func New(tx *agenttx.Tx, name string) string {
	for n := 1; ; n++ {
		if p := tx.Agent.NewNote(name, n, time.Now()); tx.IsFree(p) {
			return p
		}
	}
}

func remove(tx *agenttx.Tx, path, hash string) error {
	if err := tx.Disk.RemoveIf(tx.Root, path, hash); err != nil {
		return agenttx.WriteConflict(path, err)
	}
	return nil
}

// Note is the note that a save needs.
type Note struct {
	Path string // of the note; of the client's file if IsDone and the client has the content
	Hash string // of the note on disk, which is edited; empty for a new one
	// IsDone means that nothing is to be written: the note has the content, or the client has it.
	IsDone   bool
	Metadata map[string]string // of the note
	Changed  []string          // paths to scan
}

// Save returns the note for a draft, and removes the notes that say otherwise. head is the row of the
// memory with the draft's key, or nil. It fails with *memories.InvalidError for a team memory, and
// *memories.ConflictError if a note has changed.
func Save(ctx context.Context, tx *agenttx.Tx, head *records.MemoryRow, draft memories.Draft) (Note, error) {
	if draft.Team {
		return Note{}, &memories.InvalidError{Field: "scope", Reason: "must be private: " + tx.Agent.Rules().Client + " has no team memory"}
	}
	var recorded []records.File
	if head != nil {
		var err error
		if recorded, err = tx.Rows.FilesEverOf(ctx, head.UUID); err != nil {
			return Note{}, err
		}
	}
	own, err := sectionOf(tx, recorded)
	if err != nil {
		return Note{}, err
	}
	open := openNote(tx, recorded)
	changed, err := removeForget(tx, draft.Name, own)
	if err != nil {
		return Note{}, err
	}
	canonical := draft.Content().Canonical()
	content := memories.FingerprintOf(canonical.Type, canonical.Description, canonical.Body)
	switch {
	case own != nil && own.fingerprint == content && open != nil:
		return Note{Path: own.path, IsDone: true, Changed: append(changed, open.Path, own.path)}, remove(tx, open.Path, open.Hash)
	case own != nil && own.fingerprint == content:
		return Note{Path: own.path, IsDone: true, Changed: append(changed, own.path)}, nil
	case open != nil && open.Fingerprint == content:
		return Note{Path: open.Path, IsDone: true, Changed: append(changed, open.Path)}, nil
	}
	note := Note{Metadata: map[string]string{}, Changed: changed}
	if own != nil {
		note.Metadata = agents.ChangeNote(own.raw)
	}
	maps.Copy(note.Metadata, draft.Metadata)
	if open != nil {
		note.Path, note.Hash = open.Path, open.Hash
	} else {
		note.Path = New(tx, draft.Name)
	}
	return note, nil
}

// Forget writes a note that asks the client to forget the memory, and removes one that says otherwise.
// It returns the paths to scan. They are nil, and nothing has changed, if the client does not have the
// memory: then a deletion is as for any other memory.
func Forget(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, recorded []records.File) (changed []string, err error) {
	if !tx.Agent.Rules().TakesNotes() || !head.Readable || tx.Root == nil {
		return nil, nil
	}
	own, err := sectionOf(tx, recorded)
	if err != nil || own == nil {
		return nil, err
	}
	if err := tx.CanWrite(ctx); err != nil {
		return nil, err
	}
	changed = []string{own.path}
	if note := openNote(tx, recorded); note != nil {
		if err := remove(tx, note.Path, note.Hash); err != nil {
			return nil, err
		}
		changed = append(changed, note.Path)
	}
	if tx.Agent.Forgotten(tx.Root)[agents.Forgotten{Name: head.Name, Content: own.fingerprint}] == "" {
		at := New(tx, "forget "+head.Name)
		if err := tx.Disk.Write(tx.Root, at, agents.ForgetNote(head.Name, own.raw, own.fingerprint), files.Options{New: true}); err != nil {
			return nil, agenttx.WriteConflict(at, err)
		}
		changed = append(changed, at)
	}
	return changed, nil
}

// IsForgotten reports whether a note asks the client to forget the memory.
func IsForgotten(head records.MemoryRow) bool { return head.Pending() == memories.PendingDeletion }

// TakeBack removes the note that asks to forget a memory, and returns the paths to scan. It fails with
// *memories.ConflictError if the client has read it.
func TakeBack(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, recorded []records.File) (changed []string, err error) {
	if err := tx.CanWrite(ctx); err != nil {
		return nil, err
	}
	own, err := sectionOf(tx, recorded)
	if err != nil {
		return nil, err
	}
	if changed, err = removeForget(tx, head.Name, own); err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return nil, &memories.ConflictError{Reason: tx.Agent.Rules().Client + " has read the note that asks to forget the memory. Nothing was changed. Restore the memory when it is in the trash."}
	}
	return append(changed, head.Path), nil
}

// removeForget removes the note that asks to forget a memory, unless the client has read it. It returns
// the paths of removed notes.
func removeForget(tx *agenttx.Tx, name string, own *section) (changed []string, err error) {
	if own == nil || tx.Root == nil {
		return nil, nil
	}
	at := tx.Agent.Forgotten(tx.Root)[agents.Forgotten{Name: name, Content: own.fingerprint}]
	if at == "" || !tx.Agent.IsOpenNote(tx.Root, at) {
		return nil, nil
	}
	hash, err := files.ReadHash(tx.Root, at)
	if err != nil {
		return nil, agenttx.WriteConflict(at, err)
	}
	return []string{at}, remove(tx, at, hash)
}

// End removes a note about a memory if before are bytes with the content that the client has: that
// takes the note back. to is then the path of the client's file. Otherwise it is empty, and nothing has
// changed.
func End(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, note records.File, before []byte) (to string, err error) {
	if !tx.Agent.IsNote(note.Path) {
		return "", nil
	}
	recorded, err := tx.Rows.FilesEverOf(ctx, head.UUID)
	if err != nil {
		return "", err
	}
	own, err := sectionOf(tx, recorded)
	if err != nil || own == nil || files.Hash(before) != files.Hash(own.raw) {
		return "", err
	}
	return own.path, remove(tx, note.Path, note.Hash)
}
