package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Recover clears what a crash left in the given directories of root: temporary files go, and files that were on their way out are
// put back under their name, unless a newer one is there. Whoever wanted them removed asks again. What somebody saved in the very
// moment in which a file was replaced is put back too. Directories that do not exist are passed over. It returns the paths that
// were put back. It must not run while another process writes in them.
func Recover(root *os.Root, dirs []string) (back []string, err error) {
	var failed []error
	for _, dir := range dirs {
		place, err := Resolve(root, dir)
		var names []string
		if err == nil {
			names, err = leftovers(root, place)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, fmt.Errorf("clearing %s: %w", dir, err))
		}
		for _, name := range names {
			restored, err := clearLeftover(root, place, name)
			if err != nil {
				failed = append(failed, fmt.Errorf("clearing %s: %w", path.Join(dir, name), err))
			}
			if restored != "" {
				back = append(back, path.Join(dir, path.Base(restored)))
			}
		}
	}
	return back, errors.Join(failed...)
}

// leftovers returns the names in a directory that start as Memoir's own do.
func leftovers(root *os.Root, dir string) ([]string, error) {
	handle, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	all, err := handle.Readdirnames(-1)
	var names []string
	for _, name := range all {
		if strings.HasPrefix(name, tempPrefix) || strings.HasPrefix(name, replacingPrefix) || strings.HasPrefix(name, removingPrefix) {
			names = append(names, name)
		}
	}
	return names, err
}

// clearLeftover handles one leftover. It returns the path under which a file was put back.
func clearLeftover(root *os.Root, dir, name string) (restored string, err error) {
	leftover := path.Join(dir, name)
	if strings.HasPrefix(name, replacingPrefix) {
		return clearReplaced(root, leftover)
	}
	original, removing := strings.CutPrefix(name, removingPrefix)
	if !removing || original == "" {
		return "", root.Remove(leftover)
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
