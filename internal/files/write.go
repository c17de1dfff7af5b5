package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"
)

// Options configure Write.
type Options struct {
	// ModTime is the file's modification time; the zero time means now.
	ModTime time.Time
	// IfHash requires that the file exists with this Hash; otherwise Write returns ErrChanged.
	IfHash string
	// New requires that the path does not exist, even as a link; otherwise Write returns ErrExists.
	New bool
	// Displaced, if not nil, is called with the replaced file, open for reading, if IfHash is set.
	// Other programs may still write to that file. The callee must close it.
	Displaced func(old *os.File)
}

// replaces reports whether the options require an existing file: IfHash is set and New is not.
func (o Options) replaces() bool { return o.IfHash != "" && !o.New }

// Write writes a file atomically, as opts require: readers and crashes see all old or all new
// bytes. It creates missing directories, and follows a link if its target is inside root. It keeps
// owner, group and mode of a replaced file. A new file gets owner and group of its directory if
// permitted, and mode 0644 minus the bits that its directory lacks. Errors to test for: ErrChanged,
// ErrExists, ErrOwner if the owner cannot be kept, ErrNotRegular, ErrLeaves and ErrLoop.
func Write(root *os.Root, relPath string, data []byte, opts Options) error {
	r, err := prepare(root, relPath, data, opts)
	if err != nil {
		return err
	}
	if err := r.write(data, opts); err != nil {
		return fmt.Errorf("write %s: %w", relPath, err)
	}
	return nil
}

// replacement is a temporary file that will replace target.
type replacement struct {
	root         *os.Root
	target, temp string
	hash         string // of the new bytes
	attributes   attributes
}

// prepare returns the replacement of the file at relPath by data. It resolves links, creates
// missing directories, and determines owner, group and mode; it does not write the temporary file.
// The error is ErrExists if opts.New is set and the path exists. It is ErrChanged if opts require
// an existing file and the path does not exist.
func prepare(root *os.Root, relPath string, data []byte, opts Options) (*replacement, error) {
	target, err := Resolve(root, relPath)
	switch {
	case errors.Is(err, fs.ErrNotExist) && opts.replaces():
		return nil, fmt.Errorf("write %s: %w", relPath, ErrChanged) // do not recreate the directory
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("write: %w", err)
	}
	if opts.New {
		target, err = newTarget(root, relPath)
		if err != nil {
			return nil, err
		}
	}
	dir := path.Dir(target)
	if err := makeDirectories(root, dir); err != nil {
		return nil, fmt.Errorf("write %s: %w", relPath, err)
	}
	attributes, err := attributesFor(root, target)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", relPath, err)
	}
	return &replacement{root: root, target: target, temp: path.Join(dir, tempPrefix+rand.Text()), hash: Hash(data), attributes: attributes}, nil
}

// write writes the temporary file, renames it to the target and syncs the directory. On an error it
// removes the temporary file. The error is ErrChanged if the target does not have the hash
// opts.IfHash, and ErrExists if opts.New is set and the target exists.
func (r *replacement) write(data []byte, opts Options) error {
	err := writeTemp(r.root, r.temp, data, r.attributes, opts.ModTime)
	if err == nil && opts.replaces() {
		r.temp, err = renameForSwap(r.root, r.temp, r.target, r.hash, opts.IfHash)
	}
	if err == nil {
		err = r.putInPlace(opts)
	}
	if errors.Is(err, fs.ErrNotExist) && opts.replaces() {
		err = ErrChanged // the directory was removed
	}
	if err != nil {
		return errors.Join(err, discard(r.root, r.temp))
	}
	return syncDirectory(r.root, path.Dir(r.target))
}

// newTarget returns the path of a new file, with links in its parents followed. The parents need
// not exist. The error is ErrExists if there is a file or a link at the path.
func newTarget(root *os.Root, relPath string) (string, error) {
	dir, err := Resolve(root, path.Dir(relPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("write: %w", err)
	}
	target := path.Join(dir, path.Base(relPath))
	if _, err := root.Lstat(target); err == nil {
		return "", fmt.Errorf("write %s: %w", relPath, ErrExists)
	}
	return target, nil
}

// writeTemp creates the file temp with these bytes, attributes and modification time, and syncs it.
// The zero modTime means now. On an error the file may be left. It fails if the file exists.
func writeTemp(root *os.Root, temp string, data []byte, a attributes, modTime time.Time) error {
	file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(data); err != nil {
		return err
	}
	if err := a.apply(file); err != nil {
		return err
	}
	if !modTime.IsZero() {
		if err := root.Chtimes(temp, modTime, modTime); err != nil {
			return err
		}
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

// putInPlace renames the temporary file to the target. The error is ErrExists if opts.New is set
// and the target exists, and ErrChanged if the target does not have the hash opts.IfHash. Without
// both options it replaces the target.
func (r *replacement) putInPlace(opts Options) error {
	switch {
	case opts.New:
		return moveNew(r.root, r.temp, r.target)
	case opts.IfHash != "":
		return r.replaceIf(opts)
	}
	r.followAttributes(r.target, r.temp)
	return r.root.Rename(r.temp, r.target)
}

// moveNew renames a file if nothing exists at to; otherwise the error is ErrExists. It uses a hard
// link, which never overwrites. Where that is not possible, it uses moveNewWithoutLink.
func moveNew(root *os.Root, from, to string) error {
	err := root.Link(from, to)
	switch {
	case err == nil:
		return root.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return ErrExists
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errors.ErrUnsupported):
		return moveNewWithoutLink(root, from, to)
	}
	return err
}

// moveNewWithoutLink renames a file or directory if nothing exists at to; otherwise the error is
// ErrExists. It does not check to for a directory: it replaces an empty one and fails for others.
// It is for file systems without hard links and files that cannot be linked. An empty file reserves
// the name until the rename; a crash may leave it.
func moveNewWithoutLink(root *os.Root, from, to string) error {
	info, err := root.Lstat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return root.Rename(from, to)
	}
	reserved, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	if err := reserved.Close(); err != nil {
		return err
	}
	return root.Rename(from, to)
}

func discard(root *os.Root, temp string) error {
	return ignoreMissing(root.Remove(temp))
}
