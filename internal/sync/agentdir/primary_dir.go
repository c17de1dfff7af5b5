package agentdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

// ListedFile is a file or a directory below one that was listed.
type ListedFile struct {
	Path      string // slash-separated, relative to what was listed
	Size      int64  // bytes; of a directory 0
	Directory bool
}

func (d *Directory) ReadFile(ctx context.Context, slug string, op ReadFileOp) ([]byte, error) {
	own, err := d.openPrimaryDir(ctx, slug)
	if err != nil {
		return nil, err
	}
	defer own.close()
	at, err := own.find(op.Path)
	if err != nil {
		return nil, err
	}
	return own.read(at)
}

func (d *Directory) ListFiles(ctx context.Context, slug string, op ListFilesOp) ([]ListedFile, error) {
	own, err := d.openPrimaryDir(ctx, slug)
	if err != nil {
		return nil, err
	}
	defer own.close()
	at, err := own.find(op.Path)
	if err != nil {
		return nil, err
	}
	return own.list(at)
}

// primaryDir is an agent's primary directory, from which no link leads anywhere else: not even into its sessions.
type primaryDir struct {
	root *os.Root
	dir  string // relative to the agent's directory, for messages
}

// openPrimaryDir opens the primary directory of an agent that nobody holds. It fails with ErrNoFile where it is not there.
func (d *Directory) openPrimaryDir(ctx context.Context, slug string) (*primaryDir, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, err
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return nil, unreachable(row.Dir, err)
	}
	defer root.Close() //nolint:errcheck // only read through
	return primaryDirOf(root, agenttx.OnDisk(row))
}

func primaryDirOf(root *os.Root, agent agents.Agent) (*primaryDir, error) {
	at, err := files.Resolve(root, agent.PrimaryDir())
	if err != nil {
		return nil, unreachable(agent.PrimaryDir(), err)
	}
	below, err := root.OpenRoot(at)
	if err != nil {
		return nil, unreachable(agent.PrimaryDir(), err)
	}
	return &primaryDir{below, agent.PrimaryDir()}, nil
}

func (d *primaryDir) close() {
	_ = d.root.Close() // only read through
}

// find returns where a path leads when every link is followed. It fails with ErrNoFile where there is nothing.
func (d *primaryDir) find(file string) (string, error) {
	if !isReachable(file) {
		return "", agenttx.ErrNoFile
	}
	at, err := files.Resolve(d.root, file)
	if err != nil {
		return "", d.unreachable(file, err)
	}
	if !isReachable(at) {
		return "", agenttx.ErrNoFile
	}
	return at, nil
}

// findLink is find, and returns the path of a link that leads to something in place of what it leads to.
func (d *primaryDir) findLink(file string) (string, error) {
	if _, err := d.find(file); err != nil {
		return "", err
	}
	dir, err := d.find(path.Dir(file))
	return path.Join(dir, path.Base(file)), err
}

// findNew returns where something new goes. It fails with ErrFileExists where something is already, and with ErrInvalidPath where nothing
// can be.
func (d *primaryDir) findNew(file string) (string, error) {
	if !isReachable(file) {
		return "", agenttx.ErrInvalidPath
	}
	at, err := files.Resolve(d.root, file)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		if err = d.unreachable(file, err); errors.Is(err, agenttx.ErrNoFile) {
			err = agenttx.ErrInvalidPath
		}
		return "", err
	case !isReachable(at):
		return "", agenttx.ErrInvalidPath
	case err == nil:
		return "", agenttx.ErrFileExists
	}
	if info, err := files.Lstat(d.root, file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", agenttx.ErrFileExists // a link to what is not there
	}
	return at, nil
}

// read returns the bytes of a file.
func (d *primaryDir) read(file string) ([]byte, error) {
	raw, err := agenttx.ReadAll(d.root, file, memories.MaxFileSize)
	switch {
	case errors.Is(err, agenttx.ErrTooLarge):
		return nil, &memories.ConflictError{Reason: path.Join(d.dir, file) + " is larger than 1 MiB, and cannot be read here. It is unchanged."}
	case errors.Is(err, files.ErrNotRegular):
		if info, err := d.root.Lstat(file); err == nil && info.IsDir() {
			return nil, agenttx.ErrIsDirectory
		}
	}
	if err != nil {
		return nil, d.unreachable(file, err)
	}
	return raw, nil
}

// list returns all that is below a directory and not hidden.
func (d *primaryDir) list(dir string) ([]ListedFile, error) {
	if info, err := d.root.Lstat(dir); err != nil || !info.IsDir() {
		return nil, agenttx.ErrNoFile
	}
	var listed []ListedFile
	err := fs.WalkDir(d.root.FS(), dir, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case p == dir:
			return err
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fs.SkipDir // it is listed, and what is in it cannot be
		case isHidden(entry.Name()) || !utf8.ValidString(entry.Name()):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.infoOf(p, entry)
		if err != nil {
			return nil // gone, or a link to nothing that can be reached
		}
		file := ListedFile{Path: strings.TrimPrefix(p, dir+"/"), Directory: info.IsDir()}
		if !file.Directory {
			file.Size = info.Size()
		}
		listed = append(listed, file)
		return nil
	})
	if err != nil {
		return nil, d.unreachable(dir, err)
	}
	return listed, nil
}

// infoOf says what an entry of a directory is, or what it leads to.
func (d *primaryDir) infoOf(path string, entry fs.DirEntry) (fs.FileInfo, error) {
	if entry.Type() != fs.ModeSymlink {
		return entry.Info()
	}
	at, err := d.find(path)
	if err != nil {
		return nil, err
	}
	return d.root.Lstat(at)
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// isReachable reports whether a path can be one that an agent may reach: nothing in it is hidden, Memoir's own files among that, and
// nothing leads up.
func isReachable(file string) bool {
	if !fs.ValidPath(file) || strings.ContainsRune(file, 0) {
		return false
	}
	return file == "." || !slices.ContainsFunc(strings.Split(file, "/"), isHidden)
}

func (d *primaryDir) unreachable(file string, err error) error {
	return unreachable(path.Join(d.dir, file), err)
}

// unreachable says why there is no getting at a file: because there is none, or because something is wrong with it.
func unreachable(file string, err error) error {
	if agenttx.IsNotFound(err) || errors.Is(err, files.ErrLeaves) || errors.Is(err, files.ErrLoop) {
		return agenttx.ErrNoFile
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v). It is unchanged.", file, agenttx.FSCause(err))}
}

type ReadFileOp struct{ Path string }

type ListFilesOp struct{ Path string }
