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

// Options say how a file is written.
type Options struct {
	// ModTime is the file's modification time; zero: now.
	ModTime time.Time
	// IfHash writes only when the file's bytes have this Hash; otherwise, and when there is no file, ErrChanged.
	IfHash string
	// Was are the bytes with IfHash, for who has them at hand: to compare a file with them takes a tenth of hashing it.
	Was []byte
	// Hash is that of the bytes to write, for who has taken it already.
	Hash string
	// New writes only when nothing is at the path, not even a link; otherwise ErrExists.
	New bool
	// Displaced is given the file that IfHash was about once another one has its place, opened to be read. Somebody who had
	// opened it to write may still do so. Whoever is given it closes it. Nil: nobody wants it.
	Displaced func(old *os.File)
}

// replaces says that there has to be a file already.
func (o Options) replaces() bool { return o.IfHash != "" && !o.New }

// Write puts a file in place so that everybody sees either all of the old bytes or all of the new ones, and a crash leaves one of
// the two: a temporary file in the same directory, fsync, rename, fsync of the directory.
//
// The file keeps owner, group and mode of the one it replaces (ErrOwner where that is not possible). A new one takes the owner
// and group of its directory as far as the process may, and mode 0644 less what the directory denies: in a directory that only
// its owner can enter, a file that only its owner can read. Missing directories are made as their parent is.
//
// A link at the path is written through when its target is inside root; ErrLeaves otherwise.
func Write(root *os.Root, relPath string, data []byte, opts Options) error {
	r, err := prepare(root, relPath, opts)
	if err != nil {
		return err
	}
	if opts.Hash == "" {
		opts.Hash = Hash(data)
	}
	if err := r.write(data, opts); err != nil {
		return fmt.Errorf("writing %s: %w", relPath, err)
	}
	return nil
}

// replacement is a temporary file that gets the place of a target.
type replacement struct {
	root         *os.Root
	target, temp string
	attributes   attributes
}

// prepare returns the target of a write, and the attributes that the file gets there.
func prepare(root *os.Root, relPath string, opts Options) (*replacement, error) {
	target, err := Resolve(root, relPath)
	switch {
	case errors.Is(err, fs.ErrNotExist) && opts.replaces():
		return nil, fmt.Errorf("writing %s: %w", relPath, ErrChanged) // and its directory may be gone for good
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("writing: %w", err)
	}
	if opts.New {
		target, err = newTarget(root, relPath)
		if err != nil {
			return nil, err
		}
	}
	dir := path.Dir(target)
	if err := makeDirectories(root, dir); err != nil {
		return nil, fmt.Errorf("writing %s: %w", relPath, err)
	}
	attributes, err := attributesFor(root, target)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", relPath, err)
	}
	return &replacement{root: root, target: target, temp: path.Join(dir, tempPrefix+rand.Text()), attributes: attributes}, nil
}

// write writes the temporary file, puts it in place and syncs the directory. If it fails before the file is in place, it removes the
// temporary file.
func (r *replacement) write(data []byte, opts Options) error {
	err := writeTemp(r.root, r.temp, data, r.attributes, opts.ModTime)
	if err == nil && opts.replaces() {
		r.temp, err = nameReplacing(r.root, r.temp, r.target, opts.Hash, opts.IfHash)
	}
	if err == nil {
		err = r.putInPlace(opts)
	}
	if errors.Is(err, fs.ErrNotExist) && opts.replaces() {
		err = ErrChanged // the directory went meanwhile
	}
	if err != nil {
		return errors.Join(err, discard(r.root, r.temp))
	}
	return syncDirectory(r.root, path.Dir(r.target))
}

// newTarget returns where a new file goes: its directory may be reached by links, the file itself may not.
func newTarget(root *os.Root, relPath string) (string, error) {
	dir, err := Resolve(root, path.Dir(relPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("writing: %w", err)
	}
	target := path.Join(dir, path.Base(relPath))
	if _, err := root.Lstat(target); err == nil {
		return "", fmt.Errorf("writing %s: %w", relPath, ErrExists)
	}
	return target, nil
}

// writeTemp makes the temporary file complete and durable, under its own name.
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

// putInPlace gives the temporary file its name, when the options' condition holds.
func (r *replacement) putInPlace(opts Options) error {
	switch {
	case opts.New:
		return moveNew(r.root, r.temp, r.target)
	case opts.IfHash != "":
		return r.replaceIf(opts)
	}
	r.followAttributes(r.target, r.temp, opts.Hash)
	return r.root.Rename(r.temp, r.target)
}

// moveNew renames without overwriting: rename replaces what is there, link refuses to.
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

// moveNewWithoutLink is for file systems without hard links, files of somebody else, which the system may refuse to link, and
// directories. An empty file keeps the place until the rename; a directory needs none, for a rename does not put one over a file.
func moveNewWithoutLink(root *os.Root, from, to string) error {
	info, err := root.Lstat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return root.Rename(from, to)
	}
	place, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	if err := place.Close(); err != nil {
		return err
	}
	return root.Rename(from, to)
}

// discard removes a temporary file that is not wanted any more.
func discard(root *os.Root, temp string) error {
	return unlessGone(root.Remove(temp))
}
