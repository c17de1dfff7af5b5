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

// UnclearedError says which directories Recover could not clear.
type UnclearedError struct {
	Dirs []string // as they were given
	Err  error
}

func (e *UnclearedError) Error() string { return e.Err.Error() }

func (e *UnclearedError) Unwrap() error { return e.Err }

// Recover clears what a crash left in the given directories of root: files that were on their way out are put back under their name,
// unless a newer one is there. Whoever wanted them removed asks again. What somebody saved in the very moment in which a file was
// replaced is put back too. Then every other regular file goes that is named as Memoir's own are, also one that an earlier version has
// left. Directories that do not exist are passed over. It returns the paths that were put back. It must not run while another process writes in them. It fails with *UnclearedError, having cleared the others.
func Recover(root *os.Root, dirs []string) (back []string, err error) {
	var uncleared []string
	var failed []error
	fail := func(dir, name string, err error) {
		failed = append(failed, fmt.Errorf("clearing %s: %w", path.Join(dir, name), err))
		if !slices.Contains(uncleared, dir) {
			uncleared = append(uncleared, dir)
		}
	}
	for _, dir := range dirs {
		place, err := Resolve(root, dir)
		var names []string
		if err == nil {
			names, err = leftovers(root, place)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			fail(dir, "", err)
		}
		for _, name := range names {
			restored, err := clearLeftover(root, place, name)
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

// leftovers returns the names in a directory that start as Memoir's own do, those of files with something to give back first.
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

// clearLeftover handles one leftover. It returns the path under which a file was put back.
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
	if err := putBack(root, leftover, target); err != nil {
		return "", err
	}
	return restored, syncDirectory(root, dir)
}

// removeRegular removes a regular file. Whatever else has its name, Memoir has not made it.
func removeRegular(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return unlessGone(err)
	}
	return unlessGone(root.Remove(name))
}
