package files

import (
	"errors"
	"io/fs"
	"os"
)

// replaceIf gives the temporary file, which has data, the target's place when that has the bytes of the given Hash;
// ErrChanged otherwise.
//
// Somebody may save the target between the look at it and the rename, which would take that save away for good. So the two
// change places, where the file system can do that in one step, and what had the place is looked at once more.
func replaceIf(root *os.Root, temp, target string, data []byte, hash string) error {
	found, err := ReadHash(root, target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if found != hash {
		return ErrChanged
	}
	err = exchange(root, temp, target)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return root.Rename(temp, target)
	case errors.Is(err, fs.ErrNotExist): // removed since
		return ErrChanged
	case err != nil:
		return err
	}
	displaced, err := ReadHash(root, temp)
	if err == nil && displaced == hash {
		return root.Remove(temp)
	}
	return errors.Join(err, giveBack(root, temp, target, Hash(data), displaced))
}

// giveBack undoes an exchange that has taken the place from a save of somebody else, displaced, for given. Where that in
// turn takes it from a still newer save, that one gets it.
func giveBack(root *os.Root, temp, target, given, displaced string) error {
	for {
		if err := exchange(root, temp, target); errors.Is(err, fs.ErrNotExist) {
			return ErrChanged // removed since, whatever it was
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
