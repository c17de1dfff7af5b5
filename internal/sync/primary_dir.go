package sync

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
	"memoir/internal/records"
)

// ListedFile is a file or a directory below one that was listed.
type ListedFile struct {
	Path      string // slash-separated, relative to what was listed
	Size      int64  // bytes; of a directory 0
	Directory bool
}

// ReadFile returns the bytes of a file of an agent's primary directory, as it is on disk. It fails with memories.ErrNotFound for an
// unknown agent, with ErrNoFile, ErrIsDirectory, and with *memories.ConflictError for a file of more than 1 MiB or one that cannot be
// read.
func (e *Engine) ReadFile(ctx context.Context, slug, path string) ([]byte, error) {
	return callReadFile.read(ctx, e, slug, readFileOp{path})
}

// ListFiles returns all that is below a directory of an agent's primary directory, "." being that itself: each directory before what
// is in it, by name. What is hidden, and links that leave the primary directory, are left out; linked directories are not gone into.
// It fails as ReadFile does, with ErrNoFile also for what is no directory.
func (e *Engine) ListFiles(ctx context.Context, slug, path string) ([]ListedFile, error) {
	return callListFiles.read(ctx, e, slug, listFilesOp{path})
}

func (e *Engine) readFileLocal(ctx context.Context, slug string, op readFileOp) ([]byte, error) {
	d, err := e.openPrimaryDir(ctx, slug)
	if err != nil {
		return nil, err
	}
	defer d.close()
	at, err := d.find(op.Path)
	if err != nil {
		return nil, err
	}
	return d.read(at)
}

func (e *Engine) listFilesLocal(ctx context.Context, slug string, op listFilesOp) ([]ListedFile, error) {
	d, err := e.openPrimaryDir(ctx, slug)
	if err != nil {
		return nil, err
	}
	defer d.close()
	at, err := d.find(op.Path)
	if err != nil {
		return nil, err
	}
	return d.list(at)
}

// primaryDir is an agent's primary directory, from which no link leads anywhere else: not even into its sessions.
type primaryDir struct {
	root *os.Root
	dir  string // relative to the agent's directory, for messages
}

// openPrimaryDir opens the primary directory of an agent that nobody holds. It fails with ErrNoFile where it is not there.
func (e *Engine) openPrimaryDir(ctx context.Context, slug string) (*primaryDir, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, err
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return nil, unreachable(row.Dir, err)
	}
	defer root.Close() //nolint:errcheck // only read through
	return primaryDirOf(root, onDisk(row))
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
		return "", ErrNoFile
	}
	at, err := files.Resolve(d.root, file)
	if err != nil {
		return "", d.unreachable(file, err)
	}
	if !isReachable(at) {
		return "", ErrNoFile
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
		return "", ErrInvalidPath
	}
	at, err := files.Resolve(d.root, file)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		if err = d.unreachable(file, err); errors.Is(err, ErrNoFile) {
			err = ErrInvalidPath
		}
		return "", err
	case !isReachable(at):
		return "", ErrInvalidPath
	case err == nil:
		return "", ErrFileExists
	}
	if info, err := files.Lstat(d.root, file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", ErrFileExists // a link to what is not there
	}
	return at, nil
}

// read returns the bytes of a file.
func (d *primaryDir) read(file string) ([]byte, error) {
	raw, err := readAll(d.root, file, memories.MaxFileSize)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, &memories.ConflictError{Reason: path.Join(d.dir, file) + " is larger than 1 MiB, and cannot be read here. It is unchanged."}
	case errors.Is(err, files.ErrNotRegular):
		if info, err := d.root.Lstat(file); err == nil && info.IsDir() {
			return nil, ErrIsDirectory
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
		return nil, ErrNoFile
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
	if isNotFound(err) || errors.Is(err, files.ErrLeaves) || errors.Is(err, files.ErrLoop) {
		return ErrNoFile
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v). It is unchanged.", file, fsCause(err))}
}

// recordPrimaryDir has scans of everything note when the primary directory goes, or comes, and tell when it is another one than before. From
// what is not in one that was gone, or on another device, because something was mounted or unmounted, nothing is concluded. From what is
// not in another directory in its place little is: it is held as missing, and the look notes that directory when it has done so. A scan at
// a part leaves all that to one at everything, and until then the directory is away.
func (h *hold) recordPrimaryDir(ctx context.Context, listing agents.Listing, isFull bool) (away bool, newDir newPrimaryDir, err error) {
	row, err := h.w.Agent(ctx)
	if err != nil {
		return false, newDir, err
	}
	known, is := row.PrimaryDir, records.DirectoryID{Device: listing.PrimaryDevice, Inode: listing.PrimaryInode}
	switch {
	case !listing.HasPrimary:
		if isFull && known != nil && h.primaryDirIsGone() {
			return true, newDir, h.w.PrimaryDirGone(ctx)
		}
		return true, newDir, nil
	case known != nil && *known == is:
		return false, newDir, nil
	case !isFull:
		h.queue.Add(h.onDisk.Slug, ".")
		return true, newDir, nil
	case known == nil || known.Device != is.Device:
		return false, newDir, h.w.PrimaryDirReturned(ctx, is)
	}
	return false, newPrimaryDir{&is, known.Inode != 0}, nil
}

// newPrimaryDir is the primary directory where it is not the one on record.
type newPrimaryDir struct {
	id            *records.DirectoryID // nil: it is on record
	isReplacement bool                 // false: an earlier version has not kept which one it was
}

// primaryDirIsGone says that there is no primary directory, and not just one that cannot be read.
func (h *hold) primaryDirIsGone() bool {
	info, err := files.Stat(h.root, h.onDisk.PrimaryDir())
	return errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()
}

// isPrimaryDir reports whether this is the primary directory, still.
func (h *hold) isPrimaryDir(is records.DirectoryID) bool {
	info, err := files.Stat(h.root, h.onDisk.PrimaryDir())
	if err != nil {
		return false
	}
	_, inode, device := agents.Identity(info)
	return is == records.DirectoryID{Device: device, Inode: inode}
}
