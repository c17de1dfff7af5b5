package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"
)

// Write is the function Write, if the guard allows it.
func (g *Guard) Write(root *os.Root, relPath string, data []byte, options Options) error {
	at, err := g.enter(root, relPath, way{follow: !options.New, mk: !options.replaces()})
	if errors.Is(err, fs.ErrNotExist) && options.replaces() {
		err = ErrChanged // the directory was removed
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", relPath, err)
	}
	defer at.close()
	return Write(at.dir, at.name, data, options)
}

// Append is the function Append, if the guard allows it. It also refuses a file with several names
// whose owner does not own the directory: it may be another user's file.
func (g *Guard) Append(root *os.Root, relPath string, data []byte) error {
	at, err := g.toChange(root, relPath)
	if err != nil {
		return fmt.Errorf("appending to %s: %w", relPath, err)
	}
	defer at.close()
	return Append(at.dir, at.name, data)
}

// Touch sets a file's modification time, if the guard allows it.
func (g *Guard) Touch(root *os.Root, relPath string, modTime time.Time) error {
	at, err := g.toChange(root, relPath)
	if err != nil {
		return fmt.Errorf("touching %s: %w", relPath, err)
	}
	defer at.close()
	return at.dir.Chtimes(at.name, modTime, modTime)
}

// toChange enters the directory of a file that is changed in place.
func (g *Guard) toChange(root *os.Root, relPath string) (entered, error) {
	at, err := g.enter(root, relPath, way{follow: true})
	if err != nil || g.self == noOwner {
		return at, err
	}
	file, err := at.dir.Lstat(at.name)
	if err == nil {
		var dir fs.FileInfo
		dir, err = at.dir.Stat(".")
		if err == nil && linksOf(file) > 1 && !sameOwner(file, dir) {
			err = &OwnershipError{path.Join(root.Name(), relPath), whyMixedOwners}
		}
	}
	if err != nil {
		at.close()
		return entered{}, err
	}
	return at, nil
}

func sameOwner(a, b fs.FileInfo) bool {
	ofA, _ := owner(a)
	ofB, _ := owner(b)
	return ofA == ofB
}

// RemoveIf is the function RemoveIf, if the guard allows it.
func (g *Guard) RemoveIf(root *os.Root, relPath, hash string) error {
	return g.in(root, relPath, "removing", func(dir *os.Root, name string) error {
		return removal{root, dir, path.Dir(relPath)}.ofFile(name, relPath, hash)
	})
}

// RemoveDirectory is the function RemoveDirectory, if the guard allows it.
func (g *Guard) RemoveDirectory(root *os.Root, relPath string) error {
	return g.in(root, relPath, "removing", RemoveDirectory)
}

// in calls do with the directory and name of a path. It does not follow a link at the path. If the
// directory is missing, it returns nil.
func (g *Guard) in(root *os.Root, relPath, doing string, do func(dir *os.Root, name string) error) error {
	at, err := g.enter(root, relPath, way{})
	if err != nil {
		if unlessGone(err) == nil {
			return nil
		}
		return fmt.Errorf("%s %s: %w", doing, relPath, err)
	}
	defer at.close()
	return do(at.dir, at.name)
}

// Move is the function Move, if the guard allows it at both paths.
func (g *Guard) Move(root *os.Root, from, to string) error {
	source, err := g.enter(root, from, way{})
	if err != nil {
		return fmt.Errorf("moving %s: %w", from, err)
	}
	defer source.close()
	if _, err := source.dir.Lstat(source.name); err != nil {
		return fmt.Errorf("moving %s: %w", from, err) // before target directories are created
	}
	target, err := g.enter(root, to, way{mk: true})
	if err != nil {
		return fmt.Errorf("moving to %s: %w", to, err)
	}
	defer target.close()
	if _, err := target.dir.Lstat(target.name); err == nil {
		return fmt.Errorf("moving to %s: %w", to, ErrExists)
	}
	switch err := renameBetween(source, target); {
	case errors.Is(err, errors.ErrUnsupported):
		return Move(root, from, to)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("moving %s to %s: %w", from, to, ErrExists)
	case err != nil:
		return fmt.Errorf("moving %s to %s: %w", from, to, err)
	}
	// The new name is synced first: after a power cut the file has at least one name.
	return errors.Join(syncDirectory(target.dir, "."), syncDirectory(source.dir, "."))
}

// Recover is the function Recover for the directories that the guard allows. Memoir never wrote to
// others.
func (g *Guard) Recover(root *os.Root, dirs []string) (back []string, err error) {
	var uncleared []string
	var failed []error
	for _, dir := range dirs {
		at, err := g.enter(root, dir, way{into: true, follow: true})
		if err != nil {
			if !IsOwnership(err) && unlessGone(err) != nil {
				uncleared, failed = append(uncleared, dir), append(failed, fmt.Errorf("clearing %s: %w", dir, err))
			}
			continue
		}
		restored, err := Recover(at.dir, []string{"."})
		at.close()
		for _, name := range restored {
			back = append(back, path.Join(dir, name))
		}
		if err != nil {
			uncleared, failed = append(uncleared, dir), append(failed, fmt.Errorf("in %s: %w", dir, err))
		}
	}
	if len(failed) > 0 {
		return back, &UnclearedError{uncleared, errors.Join(failed...)}
	}
	return back, nil
}
