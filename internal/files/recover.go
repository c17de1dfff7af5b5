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

// Recover removes the files that a crash left in directories of root. It first restores files that
// were being removed, and files that another program saved during a replacement, unless a newer
// file exists. It returns the paths of restored files. It ignores missing directories. The error is
// *UnclearedError. No other process may write to the directories during the call.
func Recover(root *os.Root, dirs []string) (back []string, err error) {
	var uncleared []string
	var failed []error
	fail := func(dir, name string, err error) {
		failed = append(failed, fmt.Errorf("clear %s: %w", path.Join(dir, name), err))
		if !slices.Contains(uncleared, dir) {
			uncleared = append(uncleared, dir)
		}
	}
	for _, dir := range dirs {
		resolved, err := Resolve(root, dir)
		var names []string
		if err == nil {
			names, err = leftovers(root, resolved)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			fail(dir, "", err)
		}
		for _, name := range names {
			restored, err := clearLeftover(root, resolved, name)
			if err != nil {
				fail(dir, name, err)
			}
			if restored != "" {
				back = append(back, path.Join(dir, path.Base(restored)))
			}
		}
	}
	if len(failed) > 0 {
		return back, &UnclearedError{uncleared, errors.Join(failed...)}
	}
	return back, nil
}

// leftovers returns the names in a directory with Memoir's prefix, names with original files first.
func leftovers(root *os.Root, dir string) ([]string, error) {
	handle, err := root.Open(dir)
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

// clearLeftover handles one leftover file. It returns the path of a restored file, or "".
func clearLeftover(root *os.Root, dir, name string) (restored string, err error) {
	leftover := path.Join(dir, name)
	if strings.HasPrefix(name, replacingPrefix) {
		return clearReplaced(root, leftover)
	}
	original, removing := strings.CutPrefix(name, removingPrefix)
	if !removing || original == "" {
		return "", removeRegular(root, leftover)
	}
	target := path.Join(dir, original)
	_, err = root.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		restored = target
	}
	if err := restoreAside(root, leftover, target); err != nil {
		return "", err
	}
	return restored, syncDirectory(root, dir)
}

// removeRegular removes a regular file. Memoir creates no others, so it leaves them.
func removeRegular(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ignoreMissing(err)
	}
	return ignoreMissing(root.Remove(name))
}
