package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// UnclearedError lists directories that Recover could not clear.
type UnclearedError struct {
	Dirs []string // as passed to Recover
	Err  error
}

func (e *UnclearedError) Error() string { return e.Err.Error() }

func (e *UnclearedError) Unwrap() error { return e.Err }

// Recover removes the files that a crash left in directories of root. A file that was being
// removed, or that another program saved during a replacement, first gets its name back, unless a
// newer file has it. back are the paths of these files. It skips directories that are missing or
// that the guard refuses, without an error. err is an *UnclearedError with the directories that it
// could not clear. No other process may write there during the call.
func (g *Guard) Recover(root *os.Root, dirs []string) (back []string, err error) {
	var uncleared []string
	var failed []error
	for _, dir := range dirs {
		restored, err := g.recoverDirectory(root, dir)
		back = append(back, restored...)
		if err != nil && !IsOwnership(err) {
			uncleared, failed = append(uncleared, dir), append(failed, fmt.Errorf("clear %s: %w", dir, err))
		}
	}
	if len(failed) > 0 {
		return back, &UnclearedError{uncleared, errors.Join(failed...)}
	}
	return back, nil
}

// recoverDirectory removes the leftovers of a crash from one directory, and returns the paths of
// the files that it has restored. It continues after a failure, and returns the joined errors. The
// error is nil if the directory is missing, and an *OwnershipError if the guard refuses it.
func (g *Guard) recoverDirectory(root *os.Root, dir string) (back []string, err error) {
	at, err := g.enter(root, dir, pathMode{into: true, follow: true})
	if err != nil {
		return nil, ignoreMissing(err)
	}
	defer at.close()
	names, err := leftovers(at.dir)
	failed := []error{err}
	for _, name := range names {
		restored, err := clearLeftover(at.dir, name)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
		if restored != "" {
			back = append(back, path.Join(dir, restored))
		}
	}
	return back, errors.Join(failed...)
}

// leftovers returns the names in a directory that start with Memoir's prefix. Names of files that
// may have to be restored are first.
func leftovers(dir *os.Root) ([]string, error) {
	handle, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	all, err := handle.Readdirnames(-1)
	names := slices.DeleteFunc(all, func(name string) bool { return !strings.HasPrefix(name, ownPrefix) })
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names, err
}

func rank(name string) int {
	if strings.HasPrefix(name, replacingPrefix) || strings.HasPrefix(name, removingPrefix) {
		return 0
	}
	return 1
}

// clearLeftover removes a leftover file of the directory, or gives it back the name of the file
// that it was. It returns that name if it restored a file, else "". A leftover that is a directory
// or a link stays, without an error.
func clearLeftover(dir *os.Root, leftover string) (restored string, err error) {
	if strings.HasPrefix(leftover, replacingPrefix) {
		return clearReplaced(dir, leftover)
	}
	original, removing := strings.CutPrefix(leftover, removingPrefix)
	if !removing || original == "" {
		info, err := dir.Lstat(leftover)
		if err != nil || !info.Mode().IsRegular() { // Memoir creates no others
			return "", ignoreMissing(err)
		}
		return "", ignoreMissing(dir.Remove(leftover))
	}
	if _, err := dir.Lstat(original); errors.Is(err, fs.ErrNotExist) {
		restored = original
	}
	if err := restoreAside(dir, leftover, original); err != nil {
		return "", err
	}
	return restored, syncDirectory(dir, ".")
}
