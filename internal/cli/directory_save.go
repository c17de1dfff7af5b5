package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/wire"
)

// attempts is how often a write is begun anew when somebody else writes meanwhile.
const attempts = 5

// save writes the memory to the agent's own file of it, or to a new one, so that keys which Memoir does not know survive.
func (d *directory) save(ctx context.Context, wanted draft) (answer[wire.Memory], error) {
	root, err := d.open()
	if err != nil {
		return answer[wire.Memory]{}, err
	}
	defer root.Close()
	for range attempts {
		err = d.write(root, &wanted)
		if !errors.Is(err, files.ErrChanged) {
			break
		}
	}
	if err != nil {
		return answer[wire.Memory]{}, notWritten(err)
	}
	return d.find(ctx, wanted.name)
}

// write makes one attempt at a save. It fails with files.ErrChanged where somebody else writes at the same moment.
func (d *directory) write(root *os.Root, wanted *draft) error {
	notes, _, err := d.look(root)
	if err != nil {
		return err
	}
	name := memories.Content{Name: wanted.name}.Canonical().Name
	carriers, found := carriersOf(notes, name)
	if found && carriers[0].Unreadable {
		carriers, found = nil, false // that file is no memory of this name, and stays
	}
	if found && carriers[0].team {
		return errTeam
	}
	content := memories.Content{Name: wanted.name, Type: wanted.kind}
	if found {
		content.Description, content.Body = carriers[0].Description, carriers[0].Body
		if content.Type == "" {
			content.Type = carriers[0].Type
		}
	}
	if wanted.description != nil {
		content.Description = *wanted.description
	}
	if wanted.body != nil {
		content.Body = *wanted.body
	}
	if content.Type == "" {
		return errNeedsType
	}
	if err := content.Check(); err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	wanted.name = content.Canonical().Name
	return d.put(root, carriers, content)
}

// errTeam says that team memory is not written without a server, which looks for credentials first.
var errTeam = errors.New("this memory is the team's, and only a running server writes team memory. Nothing was written. Start one, or edit the file")

// put writes a content over the newest of the primary files that carry the memory, or else into a new file.
func (d *directory) put(root *os.Root, carriers []note, content memories.Content) error {
	var base []byte
	if len(carriers) > 0 {
		base = carriers[0].raw
	}
	for _, n := range carriers {
		if n.Session != "" {
			continue
		}
		data, err := encoded(n.raw, content)
		if err != nil {
			return err
		}
		return d.guard.Write(root, n.Path, data, files.Options{IfHash: files.Hash(n.raw), Was: n.raw})
	}
	data, err := encoded(base, content)
	if err != nil {
		return err
	}
	file := memories.FileName(content.Type, content.Name)
	for n := 1; ; n++ {
		place := path.Join(d.agent.PrimaryDir(), memories.NumberedFileName(file, n))
		err := d.guard.Write(root, place, data, files.Options{New: true})
		if !errors.Is(err, files.ErrExists) {
			return err
		}
	}
}

// encoded returns the file of a content: base with the content in it.
func encoded(base []byte, content memories.Content) ([]byte, error) {
	data := frontmatter.Encode(content)
	if base != nil {
		data = frontmatter.Rewrite(base, content, time.Now())
	}
	if len(data) > memories.MaxFileSize {
		return nil, errors.New("nothing was written: with the rest of the file this is more than 1 MiB, which could not be read back")
	}
	return data, nil
}

// notWritten says why a memory was not saved.
func notWritten(err error) error {
	switch {
	case errors.Is(err, files.ErrChanged):
		return errors.New("somebody else writes this memory at the same time. Nothing was written. Look at what it says now, and save again")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, files.ErrOwner), errors.Is(err, files.ErrLeaves), files.IsOwnership(err):
		return fmt.Errorf("the file cannot be written. Nothing was changed: %w", err)
	}
	return err
}
