package memorystore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/wire"
)

// attempts is the number of times that a write is tried if other processes write the file.
// Arbitrary.
const attempts = 5

// errAskedAs means that only a server can save phrases.
var errAskedAs = errors.New("--asked-as needs a running Memoir, because no file has these questions. Nothing was changed")

// Save writes the draft into the memory's file that belongs to no session, or else into a new file.
// Unset fields and other frontmatter keys stay. It lists the file in MEMORY.md, and returns the
// memory, read again. If MEMORY.md cannot be written, the memory is saved, and it returns an error.
// It writes nothing and returns ErrNeedsType if draft and memory have no type, errTeam if the name
// is only a team memory's, errAskedAs for phrases, which no file has, or errOff. While other
// processes write the file, it tries again, attempts times in all; then it returns an error for users.
func (d *Directory) Save(ctx context.Context, wanted Draft) (Answer[wire.Memory], error) {
	if d.IsOff {
		return Answer[wire.Memory]{}, errOff
	}
	if wanted.AskedAs != nil {
		return Answer[wire.Memory]{}, errAskedAs
	}
	root, err := d.open()
	if err != nil {
		return Answer[wire.Memory]{}, err
	}
	defer root.Close()
	var before *memorymd.IndexedFile
	for range attempts {
		before, err = d.write(root, &wanted)
		if !errors.Is(err, files.ErrChanged) {
			break
		}
	}
	if err != nil {
		return Answer[wire.Memory]{}, notWritten(err)
	}
	notes, listing, err := d.readAll(root)
	if err != nil {
		return Answer[wire.Memory]{}, err
	}
	sources := filesOf(notes, wanted.Name)
	if at := slices.IndexFunc(sources, func(n note) bool { return n.Session == "" }); at >= 0 {
		after := entryOf(sources[at])
		after.Name = cmp.Or(wanted.Title, after.Name)
		if err := d.listInIndex(root, listing, before, after); err != nil {
			return Answer[wire.Memory]{}, fmt.Errorf("memory saved in %s, but MEMORY.md cannot be written, so an agent may not find it: %w", sources[at].Path, err)
		}
	}
	return d.Find(ctx, wanted.Name)
}

// entryOf returns the file as an index lists it.
func entryOf(n note) memorymd.IndexedFile {
	return memorymd.IndexedFile{Path: n.Path, Name: n.Name, Type: n.Type, Description: n.Description}
}

// write writes the draft once, into the file that put chooses. Fields that the draft does not set
// keep their values. It sets wanted.name to its canonical form. An unreadable file with the name
// stays. before is the memory's file as an index listed it before, or nil for a new memory. Errors to test for: files.ErrChanged if another process has changed the file,
// ErrNeedsType, errTeam and, for an invalid field, *memories.InvalidError.
func (d *Directory) write(root *os.Root, wanted *Draft) (before *memorymd.IndexedFile, err error) {
	notes, _, err := d.readAll(root)
	if err != nil {
		return nil, err
	}
	name := memories.Content{Name: wanted.Name}.Canonical().Name
	sources := filesOf(notes, name)
	if sources == nil && d.Agent.Rules().HasSlugNames {
		wanted.Title, wanted.Name = cmp.Or(wanted.Title, name), memories.KebabSlug(name) // as Claude Code writes it
		sources = filesOf(notes, wanted.Name)
	}
	if sources != nil && sources[0].Unreadable {
		sources = nil // the unreadable file stays
	}
	content := memories.Content{Name: wanted.Name, Type: wanted.Kind}
	if sources != nil {
		if sources[0].team {
			return nil, errTeam
		}
		content.Description, content.Body = sources[0].Description, sources[0].Body
		content.Type = cmp.Or(wanted.Kind, sources[0].Type)
		entry := entryOf(sources[0])
		before = &entry
	}
	if wanted.Description != nil {
		content.Description = *wanted.Description
	}
	if wanted.Body != nil {
		content.Body = *wanted.Body
	}
	if content.Type == "" {
		return nil, ErrNeedsType
	}
	if err := content.Check(); err != nil {
		return nil, fmt.Errorf("nothing was written: %w", err)
	}
	wanted.Name = content.Canonical().Name
	return before, d.put(root, sources, content)
}

// errOff means that Claude Code's settings switch off the memory of the agent.
var errOff = errors.New("memory is off for this agent in Claude Code. Nothing was written. Check autoMemoryEnabled in its settings, and CLAUDE_CODE_DISABLE_AUTO_MEMORY")

// errTeam means that a memory is in team memory. Only a server writes it, because the server checks
// for credentials.
var errTeam = errors.New("this is a team memory, which only a running server writes. Nothing was written. Start a server, or edit the file")

// put replaces the content of the first file in sources that belongs to no session. Without one, it
// creates a file with an unused name in the primary directory, with the other frontmatter keys of
// sources[0]. sources may be empty. It returns files.ErrChanged, and writes nothing, if the file
// has changed since it was read.
func (d *Directory) put(root *os.Root, sources []note, content memories.Content) error {
	var base []byte
	if len(sources) > 0 {
		base = sources[0].raw
	}
	at := slices.IndexFunc(sources, func(n note) bool { return n.Session == "" })
	if at >= 0 {
		base = sources[at].raw
	}
	if at >= 0 {
		data, err := d.encoded(base, sources[at].Path, content)
		if err != nil {
			return err
		}
		return d.Guard.Write(root, sources[at].Path, data, files.Options{IfHash: files.Hash(base)})
	}
	fileName := d.Agent.Rules().FileName(content.Type, content.Name)
	for n := 1; ; n++ {
		file := path.Join(d.Agent.PrimaryDir(), memories.NumberedFileName(fileName, n))
		data, err := d.encoded(base, file, content)
		if err != nil {
			return err
		}
		err = d.Guard.Write(root, file, data, files.Options{New: true})
		if !errors.Is(err, files.ErrExists) {
			return err
		}
	}
}

// encoded returns the bytes of a memory file at relPath with the content. If base is not nil, it
// keeps the other frontmatter keys of the file base. Otherwise the file has the form of the layout.
// It returns an error if Memoir must not change the file, or if the result is larger than
// memories.MaxFileSize.
func (d *Directory) encoded(base []byte, relPath string, content memories.Content) ([]byte, error) {
	if reason := d.readOnly(relPath); reason != "" {
		return nil, errors.New("nothing was written: " + reason)
	}
	data := d.Agent.Encode(base, relPath, content, nil, time.Now())
	if len(data) > memories.MaxFileSize {
		return nil, errors.New("nothing was written: the file would be larger than 1 MiB, the limit of a memory")
	}
	return data, nil
}

// readOnly returns why Memoir must not change the file, as sentences for users, or "" if it may.
func (d *Directory) readOnly(relPath string) string {
	if rules := d.Agent.Rules(); rules.TakesNotes() {
		return rules.Keeper + " Only a running server adds notes for " + rules.Client + ". Start a server."
	}
	return d.Agent.ReadOnly(relPath, false)
}

// notWritten returns the error for users about a failed write. For files.ErrChanged it is a new
// error, and for an error of permissions or ownership it wraps err; both state that nothing was
// changed. It returns other errors unchanged.
func notWritten(err error) error {
	switch {
	case errors.Is(err, files.ErrChanged):
		return errors.New("another program writes this memory. Nothing was written. Check the new version and save again")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, files.ErrOwner), errors.Is(err, files.ErrLeaves), files.IsOwnership(err):
		return fmt.Errorf("the file cannot be written. Nothing was changed: %w", err)
	}
	return err
}
