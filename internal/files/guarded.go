package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"
)

// Write writes a file as the function Write does, if the guard allows it. Otherwise the error is an
// *OwnershipError, and nothing is written.
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

// Append appends data to a file as the function Append does, if the guard allows it. Otherwise the
// error is an *OwnershipError. It also refuses a file with several names whose owner does not own
// the directory: it may be another user's file.
func (g *Guard) Append(root *os.Root, relPath string, data []byte) error {
	at, err := g.enterInPlace(root, relPath)
	if err != nil {
		return fmt.Errorf("append to %s: %w", relPath, err)
	}
	defer at.close()
	return Append(at.dir, at.name, data)
}

// Touch sets a file's modification time. The error is an *OwnershipError if the guard does not
// allow it.
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
// file into the directory. The caller must close the result.
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
// ErrChanged. A missing file is not an error. A link is removed, not its target, whose bytes are
// compared. The error is an *OwnershipError if the guard does not allow it. The removal survives a
// power cut only after SyncDirectory of the file's directory.
func (g *Guard) RemoveIf(root *os.Root, relPath, hash string) error {
	return g.removeIn(root, relPath, func(dir *os.Root, name string) error {
		return removal{root, dir, path.Dir(relPath)}.ofFile(name, relPath, hash)
	})
}

// removeIn opens the directory of a path and calls remove with it and the name. It does not follow
// a link at the path. If the directory is missing, it returns nil; if the guard refuses the path,
// an *OwnershipError.
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
