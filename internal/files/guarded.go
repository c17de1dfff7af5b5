package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"
)

// Write writes a file atomically and creates missing directories, if the guard allows it. Otherwise
// the error is an *OwnershipError, and the file is not written. With options.IfHash, the error is
// ErrChanged if the file has other bytes or is missing. With options.New, it is ErrExists if the
// path exists. It is ErrOwner if the owner of a replaced file cannot be kept, and ErrLeaves,
// ErrLoop or ErrNotRegular for such a path.
func (g *Guard) Write(root *os.Root, relPath string, data []byte, options Options) error {
	at, err := g.enter(root, relPath, pathMode{follow: !options.New, mk: !options.replaces()})
	if errors.Is(err, fs.ErrNotExist) && options.replaces() {
		err = ErrChanged // the directory was removed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", relPath, err)
	}
	defer at.close()
	return Write(at.dir, at.name, data, options)
}

// Append appends data to an existing regular file and syncs it. If the file does not end with a
// line end, it first appends one. The error is [fs.ErrNotExist] if the file is missing, and
// ErrNotRegular for another kind of file. It is ErrChanged if the file was removed or replaced
// during the call; data may then be lost. It is an *OwnershipError if the guard refuses the path.
// If the system cuts the write short, the written part stays.
func (g *Guard) Append(root *os.Root, relPath string, data []byte) error {
	at, err := g.enterInPlace(root, relPath)
	if err != nil {
		return fmt.Errorf("append to %s: %w", relPath, err)
	}
	defer at.close()
	if err := appendTo(at.dir, at.name, data); err != nil {
		return fmt.Errorf("append to %s: %w", relPath, err)
	}
	return nil
}

// appendTo appends data to the regular file name in dir in one write, after a line end, and syncs
// the file. The error is ErrNotRegular for another kind of file, and ErrChanged if the file was
// removed or replaced during the call.
func appendTo(dir *os.Root, name string, data []byte) error {
	// O_NONBLOCK, because the file may be a pipe. Read access is for the last byte.
	file, err := dir.OpenFile(name, os.O_RDWR|os.O_APPEND|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			data = append([]byte{'\n'}, data...)
		}
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	// A program that saves by renaming may have replaced the file by an older version.
	now, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, now) {
		return ErrChanged
	}
	return nil
}

// Touch sets a file's modification and access time to modTime, and follows a link. The error is an
// *OwnershipError if the guard refuses the path, and matches fs.ErrNotExist if the file is missing.
func (g *Guard) Touch(root *os.Root, relPath string, modTime time.Time) error {
	at, err := g.enterInPlace(root, relPath)
	if err != nil {
		return fmt.Errorf("touch %s: %w", relPath, err)
	}
	defer at.close()
	return at.dir.Chtimes(at.name, modTime, modTime)
}

// enterInPlace opens the directory of a file whose bytes or times are to be changed in place. The
// error is an *OwnershipError if the guard refuses the path, or if another user may have linked the
// file into the directory. It matches fs.ErrNotExist if the file is missing. The caller must close
// the result.
func (g *Guard) enterInPlace(root *os.Root, relPath string) (openedDir, error) {
	at, err := g.enter(root, relPath, pathMode{follow: true})
	if err != nil || g.self == noOwner {
		return at, err
	}
	file, err := at.dir.Lstat(at.name)
	dir, dirErr := at.dir.Stat(".")
	if err = errors.Join(err, dirErr); err == nil && linksOf(file) > 1 {
		ofFile, _ := owner(file)
		if ofDir, _ := owner(dir); ofFile != ofDir {
			err = &OwnershipError{path.Join(root.Name(), relPath), whyMixedOwners}
		}
	}
	if err != nil {
		at.close()
		return openedDir{}, err
	}
	return at, nil
}

// RemoveIf removes the file if its Hash equals hash. If not, it leaves the file and returns
// ErrChanged. A missing file or directory is not an error. A link is removed, not its target, whose
// bytes are compared. The error is an *OwnershipError if the guard refuses the path, and
// ErrNotRegular for a directory. The removal survives a power cut only after SyncDirectory.
func (g *Guard) RemoveIf(root *os.Root, relPath, hash string) error {
	return g.removeIn(root, relPath, func(dir *os.Root, name string) error {
		return removal{root, dir, path.Dir(relPath)}.ofFile(name, relPath, hash)
	})
}

// removeIn opens the directory of a path and calls remove with it and the name. It does not follow
// a link at the path. If the directory is missing, it returns nil without the call. If the guard
// refuses the path, the error is an *OwnershipError.
func (g *Guard) removeIn(root *os.Root, relPath string, remove func(dir *os.Root, name string) error) error {
	at, err := g.enter(root, relPath, pathMode{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", relPath, err)
	}
	defer at.close()
	return remove(at.dir, at.name)
}
