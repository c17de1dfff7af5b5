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

// ReadFileOp configures ReadFile. Path is relative to the primary directory.
type ReadFileOp struct{ Path string }

// ReadFile returns the bytes of a file in the agent's primary directory. It returns
// memories.ErrNotFound for an unknown agent, memories.ErrNoFile for a missing, hidden or outside
// file, and memories.ErrIsDirectory. It returns *memories.ConflictError for a file that is larger
// than memories.MaxFileSize or cannot be read.
func (d *Directory) ReadFile(ctx context.Context, slug string, op ReadFileOp) ([]byte, error) {
	primary, at, err := d.openPrimaryDir(ctx, slug, op.Path)
	if err != nil {
		return nil, err
	}
	defer primary.close()
	return primary.read(at)
}

// ListedFile is a file or a directory in the result of ListFiles.
type ListedFile struct {
	Path      string // slash-separated, relative to the listed directory
	Size      int64  // bytes; 0 for a directory
	Directory bool   // a directory, or a link to one
}

// ListFilesOp configures ListFiles. Path is relative to the primary directory; "." is all of it.
type ListFilesOp struct{ Path string }

// ListFiles returns the files and directories below op.Path, each directory before its contents. It
// leaves out hidden ones, invalid names, links out of the primary directory, and the contents of
// linked and unreadable directories. It returns memories.ErrNotFound for an unknown agent,
// memories.ErrNoFile if op.Path is missing or a file, and *memories.ConflictError if that directory
// cannot be read.
func (d *Directory) ListFiles(ctx context.Context, slug string, op ListFilesOp) ([]ListedFile, error) {
	primary, at, err := d.openPrimaryDir(ctx, slug, op.Path)
	if err != nil {
		return nil, err
	}
	defer primary.close()
	return primary.list(at)
}

// primaryDir is an opened primary directory. Links that lead out of it are not followed, not even
// into sessions of the agent. The caller must close it.
type primaryDir struct {
	root *os.Root
	dir  string // path relative to the agent's directory, for messages
}

// openPrimaryDir opens the agent's primary directory, which the caller must close, and finds a file
// in it. It does not lock the agent. at is the file's path after all links, relative to the primary
// directory. It returns memories.ErrNotFound for an unknown agent, memories.ErrNoFile if the
// directory or the file does not exist, and a conflict if either cannot be read.
func (d *Directory) openPrimaryDir(ctx context.Context, slug, file string) (primary *primaryDir, at string, err error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, "", err
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return nil, "", readError(row.Dir, err)
	}
	defer root.Close() //nolint:errcheck // only read through
	if primary, err = primaryDirOf(root, agenttx.AgentOf(row)); err != nil {
		return nil, "", err
	}
	if at, err = primary.find(file); err != nil {
		primary.close()
	}
	return primary, at, err
}

// primaryDirOf opens the primary directory below root; the caller must close it. It returns
// memories.ErrNoFile if the directory does not exist, and a conflict if it cannot be opened.
func primaryDirOf(root *os.Root, agent agents.Agent) (*primaryDir, error) {
	at, err := files.Resolve(root, agent.PrimaryDir())
	if err != nil {
		return nil, readError(agent.PrimaryDir(), err)
	}
	below, err := root.OpenRoot(at)
	if err != nil {
		return nil, readError(agent.PrimaryDir(), err)
	}
	return &primaryDir{below, agent.PrimaryDir()}, nil
}

func (d *primaryDir) close() {
	_ = d.root.Close() // only read through
}

// find returns the path of an existing file or directory after following all links. It returns
// memories.ErrNoFile if the file or the target is missing, hidden or outside of the primary
// directory. It returns a conflict if a directory on the way cannot be read.
func (d *primaryDir) find(file string) (string, error) {
	if !isReachable(file) {
		return "", memories.ErrNoFile
	}
	at, err := files.Resolve(d.root, file)
	if err != nil {
		return "", d.readError(file, err)
	}
	if !isReachable(at) {
		return "", memories.ErrNoFile
	}
	return at, nil
}

// findLink returns the path of an existing file or directory after following the links to its
// directory. A link at the end of the path is not followed, but must have a target. It returns
// memories.ErrNoFile if the file or the target is missing, hidden or outside. It returns a conflict
// if a directory on the way cannot be read.
func (d *primaryDir) findLink(file string) (string, error) {
	if _, err := d.find(file); err != nil {
		return "", err
	}
	dir, err := d.find(path.Dir(file))
	return path.Join(dir, path.Base(file)), err
}

// findNew returns the path for a new file after following all links; its directories may be
// missing. It returns memories.ErrFileExists if something is there, also a broken link. It returns
// memories.ErrInvalidPath if the path is hidden, outside, or below a file. It returns a conflict if
// a directory on the way cannot be read.
func (d *primaryDir) findNew(file string) (string, error) {
	if !isReachable(file) {
		return "", memories.ErrInvalidPath
	}
	at, err := files.Resolve(d.root, file)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		if err = d.readError(file, err); errors.Is(err, memories.ErrNoFile) {
			err = memories.ErrInvalidPath
		}
		return "", err
	case !isReachable(at):
		return "", memories.ErrInvalidPath
	case err == nil:
		return "", memories.ErrFileExists
	}
	if info, err := files.Lstat(d.root, file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", memories.ErrFileExists // a broken link
	}
	return at, nil
}

// read returns the bytes of a file. It returns memories.ErrNoFile for a missing file, and
// memories.ErrIsDirectory for a directory. It returns a conflict for a file that is larger than
// memories.MaxFileSize or cannot be read.
func (d *primaryDir) read(file string) ([]byte, error) {
	raw, err := agenttx.ReadAll(d.root, file, memories.MaxFileSize)
	switch {
	case errors.Is(err, agenttx.ErrTooLarge):
		return nil, &memories.ConflictError{Reason: path.Join(d.dir, file) + " is larger than 1 MiB, the limit of a memory. It is unchanged. Split it into smaller files."}
	case errors.Is(err, files.ErrNotRegular):
		if info, err := d.root.Lstat(file); err == nil && info.IsDir() {
			return nil, memories.ErrIsDirectory
		}
	}
	if err != nil {
		return nil, d.readError(file, err)
	}
	return raw, nil
}

// list returns the files and directories below dir, each directory before its contents. It leaves
// out hidden ones, invalid names, links out of the primary directory, and the contents of linked
// and unreadable directories. It returns memories.ErrNoFile if dir is not a directory, and a
// conflict if dir cannot be read.
func (d *primaryDir) list(dir string) ([]ListedFile, error) {
	if info, err := d.root.Lstat(dir); err != nil || !info.IsDir() {
		return nil, memories.ErrNoFile
	}
	var listed []ListedFile
	err := fs.WalkDir(d.root.FS(), dir, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case p == dir:
			return err
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fs.SkipDir // the directory is listed, its files are not
		case isHidden(entry.Name()) || !utf8.ValidString(entry.Name()):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.infoOf(p, entry)
		if err != nil {
			return nil // removed since, or a link that cannot be followed
		}
		file := ListedFile{Path: strings.TrimPrefix(p, dir+"/"), Directory: info.IsDir()}
		if !file.Directory {
			file.Size = info.Size()
		}
		listed = append(listed, file)
		return nil
	})
	if err != nil {
		return nil, d.readError(dir, err)
	}
	return listed, nil
}

// infoOf returns the file info of an entry at path, or of its target if it is a link. It fails for
// a link that leads out of the primary directory, to a hidden file, or to a missing one.
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

// isReachable reports whether an agent may use a path: "." or a relative path without ".." and
// without hidden elements. It does not read the disk. Memoir's own files are hidden.
func isReachable(file string) bool {
	if !fs.ValidPath(file) || strings.ContainsRune(file, 0) {
		return false
	}
	return file == "." || !slices.ContainsFunc(strings.Split(file, "/"), isHidden)
}

func (d *primaryDir) readError(file string, err error) error {
	return readError(path.Join(d.dir, file), err)
}

// readError returns the error for a file that could not be read because of err. It is
// memories.ErrNoFile if the file does not exist, or is behind a link that cannot be followed.
// Otherwise it is a *memories.ConflictError.
func readError(file string, err error) error {
	if agenttx.IsNotFound(err) || errors.Is(err, files.ErrLeaves) || errors.Is(err, files.ErrLoop) {
		return memories.ErrNoFile
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v). It is unchanged.", file, agenttx.FSCause(err))}
}
