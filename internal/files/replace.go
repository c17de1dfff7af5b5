package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// hashDigits is how many digits of each Hash are in the name of a replacing file. It is arbitrary.
const hashDigits = 32

// renameForSwap renames the complete temporary file to a name that contains both hashes, and
// returns its path. After a crash, a file under this name with other bytes is a concurrent save. If
// the name would be too long, it renames nothing and returns temp, without an error.
func renameForSwap(root *os.Root, temp, target, data, hash string) (string, error) {
	name := fmt.Sprintf("%s%.*s-%.*s-%s", replacingPrefix, hashDigits, data, hashDigits, hash, path.Base(target))
	if len(name) > maxName {
		return temp, nil
	}
	name = path.Join(path.Dir(temp), name)
	if err := root.Rename(temp, name); err != nil {
		return temp, err
	}
	return name, nil
}

// clearReplaced removes the leftover of an interrupted replacement and returns "". If the leftover
// is a concurrent save, it instead renames it to the target's name, replaces the target, and
// returns that name.
func clearReplaced(root *os.Root, leftover string) (restored string, err error) {
	name := strings.TrimPrefix(leftover, replacingPrefix)
	if len(name) < 2*hashDigits+3 {
		return "", root.Remove(leftover)
	}
	data, hash, target := name[:hashDigits], name[hashDigits+1:2*hashDigits+1], name[2*hashDigits+2:]
	left, err := ReadHash(root, leftover)
	if err != nil {
		return "", err
	}
	if under, err := ReadHash(root, target); err != nil || left[:hashDigits] == data || left[:hashDigits] == hash || under[:hashDigits] != data {
		return "", root.Remove(leftover) // one of the two versions, or the target is newer
	}
	if err := root.Rename(leftover, target); err != nil {
		return "", err
	}
	return target, syncDirectory(root, ".")
}

// replaceIf replaces the target by the temporary file if the target has the hash opts.IfHash;
// otherwise the error is ErrChanged, also for a missing target. If possible, it swaps the two files
// and checks the replaced one again, so that no concurrent save is lost. It passes the replaced
// file to opts.Displaced, if set.
func (r *replacement) replaceIf(opts Options) error {
	found, err := ReadHash(r.root, r.target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if found != opts.IfHash {
		return ErrChanged
	}
	err = swapNames(r.root, r.temp, r.target)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		r.followAttributes(r.target, r.temp)
		return withReplaced(r.root, r.target, opts.Displaced, func() error { return r.root.Rename(r.temp, r.target) })
	case errors.Is(err, fs.ErrNotExist): // the target was removed
		return ErrChanged
	case err != nil:
		return err
	}
	displaced, err := ReadHash(r.root, r.temp)
	if err == nil && displaced == opts.IfHash {
		r.followAttributes(r.temp, r.target)
		return withReplaced(r.root, r.temp, opts.Displaced, func() error { return r.root.Remove(r.temp) })
	}
	return errors.Join(err, restoreNewer(r.root, r.temp, r.target, r.hash, displaced))
}

// followAttributes gives owner, group and mode of the file old to the file new, if they were
// changed on old during the replacement. It does nothing if new does not have the written bytes. It
// ignores errors: not writing would be worse.
func (r *replacement) followAttributes(old, new string) {
	now, err := attributesFor(r.root, old)
	if err != nil || now == r.attributes || !now.replaces {
		return
	}
	file, err := Open(r.root, new)
	if err != nil {
		return
	}
	defer file.Close()
	if found, _, err := hashOf(file); err == nil && found == r.hash {
		now.apply(file) //nolint:errcheck // errors are ignored on purpose
	}
}

// withReplaced opens the file at name, calls displace, and passes the open file to to, which must
// close it. It does not call to if to is nil, the file cannot be opened, or displace fails. It
// returns the error of displace.
func withReplaced(root *os.Root, name string, to func(old *os.File), displace func() error) error {
	if to == nil {
		return displace()
	}
	old, err := Open(root, name)
	if err != nil {
		return displace()
	}
	if err := displace(); err != nil {
		old.Close()
		return err
	}
	to(old)
	return nil
}

// restoreNewer reverts a swap that has replaced a concurrent save. The file at temp, with hash
// displaced, gets its name target back. If this replaces an even newer save, it swaps again. given
// is the hash of the file written by Write. It never returns nil: the error is ErrChanged, or the
// error of a failed step.
func restoreNewer(root *os.Root, temp, target, given, displaced string) error {
	for {
		if err := swapNames(root, temp, target); errors.Is(err, fs.ErrNotExist) {
			return ErrChanged // the target was removed
		} else if err != nil {
			return err
		}
		under, err := ReadHash(root, temp)
		if err != nil {
			return err
		}
		if under == given {
			return ErrChanged
		}
		given, displaced = displaced, under
	}
}
