package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// swapping is behind the name of what is on its way where a system cannot swap in one step.
const swapping = ".swapping"

// Swap lets what is at two paths of one directory, whatever it is, change places: a directory and a link, say. Nothing is followed. When it
// returns, no power cut takes it back.
//
// Where the system can, it is one step, and nobody ever sees either path empty. Elsewhere it takes three, and where a crash comes in
// between, FinishSwap takes those that are left.
func Swap(root *os.Root, a, b string) error {
	err := exchange(root, a, b)
	if errors.Is(err, errors.ErrUnsupported) {
		err = swapInSteps(root, a, b)
	}
	if err == nil {
		err = syncDirectory(root, path.Dir(a))
	}
	if err != nil {
		return fmt.Errorf("swapping %s and %s: %w", a, b, err)
	}
	return nil
}

func swapInSteps(root *os.Root, a, b string) error {
	if err := root.Rename(a, b+swapping); err != nil {
		return err
	}
	if err := root.Rename(b, a); err != nil {
		return errors.Join(err, root.Rename(b+swapping, a))
	}
	return root.Rename(b+swapping, b)
}

// FinishSwap ends a swap that a crash has cut short. Where there is none, nothing happens.
func FinishSwap(root *os.Root, a, b string) error {
	if _, err := root.Lstat(b + swapping); err != nil {
		return unlessGone(err)
	}
	_, err := root.Lstat(a)
	if errors.Is(err, fs.ErrNotExist) {
		err = root.Rename(b, a)
	}
	if err == nil {
		err = root.Rename(b+swapping, b)
	}
	if err == nil {
		err = syncDirectory(root, path.Dir(a))
	}
	if err != nil {
		return fmt.Errorf("swapping %s and %s: %w", a, b, err)
	}
	return nil
}

// Link makes a link at a path at which there is nothing (ErrExists). What it leads to may be outside of root, and need not be there.
func Link(root *os.Root, target, relPath string) error {
	err := root.Symlink(target, relPath)
	if errors.Is(err, fs.ErrExist) {
		err = ErrExists
	}
	if err == nil {
		err = syncDirectory(root, path.Dir(relPath))
	}
	if err != nil {
		return fmt.Errorf("linking %s: %w", relPath, err)
	}
	return nil
}

// RemoveLink removes a link, and nothing else: ErrNotRegular where something else has its place. One that is gone is success.
func RemoveLink(root *os.Root, relPath string) error {
	info, err := root.Lstat(relPath)
	switch {
	case err != nil:
	case info.Mode().Type() != fs.ModeSymlink:
		err = ErrNotRegular
	default:
		if err = root.Remove(relPath); err == nil {
			err = syncDirectory(root, path.Dir(relPath))
		}
	}
	if unlessGone(err) != nil {
		return fmt.Errorf("removing the link %s: %w", relPath, err)
	}
	return nil
}

// MakeDirectory makes a directory, and what is missing above it, each with owner, group and mode of the one above it.
func MakeDirectory(root *os.Root, relPath string) error {
	if err := makeDirectories(root, relPath); err != nil {
		return fmt.Errorf("making %s: %w", relPath, err)
	}
	return nil
}
