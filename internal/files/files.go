// Package files reads, writes and removes single files in a directory. No crash and no concurrent
// writer can lose or tear a file. Every operation takes an [os.Root] and a slash-separated
// path relative to it, and never leaves the root. The package chooses no files, lists no agents,
// and keeps no state except in a Guard. internal/sync writes through it; internal/agents opens and
// resolves files.
//
// Its own files have names that start with ".memoir-". They are needed only during a call: after a
// crash, [Recover] removes them or restores the original file.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Errors of the operations, each wrapped with the path. The file at the path stays unchanged.
var (
	// ErrChanged means that the file does not have the bytes that the caller expects.
	ErrChanged = errors.New("the file has changed")
	// ErrExists means that the path exists.
	ErrExists = errors.New("the file exists already")
	// ErrLeaves means that a link on the path leads out of the root.
	ErrLeaves = errors.New("a link leads out of the directory")
	// ErrLoop means that links form a cycle, or that there are more than maxLinks.
	ErrLoop = errors.New("links lead in a circle")
	// ErrNotRegular means that the path is a directory, pipe, socket or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrOwner means that the new file cannot keep the owner of the file that it would replace.
	ErrOwner = errors.New("the file's owner cannot be kept")
)

// OpenRoot opens a directory. The error is an *OwnershipError if a link on the path must not be
// followed. It matches fs.ErrNotExist for a missing directory. The caller must close the root.
func OpenRoot(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil || os.Geteuid() == noOwner {
		return root, err
	}
	guard := Guard{self: os.Geteuid()}
	if _, err := guard.above(root, false); err != nil {
		root.Close() //nolint:errcheck // nothing was read
		return nil, fmt.Errorf("open directory %s: %w", dir, err)
	}
	return root, nil
}

// MayFollow returns an *OwnershipError if the path is a link that must not be followed. The owner
// of such a link is not Memoir's user, not root and not the owner of its target. It returns nil for
// any other file or link. If the path or its target is missing or unreadable, it returns the error
// of the file system.
func MayFollow(link string) error {
	is, err := os.Lstat(link)
	if err != nil {
		return err
	}
	target, err := os.Stat(link)
	if err != nil {
		return err
	}
	of, _ := owner(is)
	to, _ := owner(target)
	if is.Mode().Type() == fs.ModeSymlink && !mayLink(os.Geteuid(), of, to) {
		return &OwnershipError{link, whyLink}
	}
	return nil
}

// IsOpenToAll reports whether all users may create and remove files in a directory. It is false for
// a directory with the sticky bit, for any other file, and on a system without owners.
func IsOpenToAll(dir fs.FileInfo) bool { return os.Geteuid() != noOwner && isOpenToAll(dir.Mode()) }

// OpenToAll returns the absolute path of the outermost directory for which IsOpenToAll is true,
// among root's directory and its parents. It returns "" if there is no such directory, or if that
// cannot be found out.
func OpenToAll(root *os.Root) string {
	guard := Guard{self: os.Geteuid()}
	if guard.self == noOwner {
		return ""
	}
	var open *OwnershipError
	if _, err := guard.above(root, true); errors.As(err, &open) && open.why == whyOthersWrite {
		return open.Path
	}
	return ""
}

// IsExhausted reports whether err means that the process or the system cannot open more files or
// has no memory. The caller should retry later.
func IsExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

const (
	ownPrefix       = ".memoir-" // prefix of all names
	tempPrefix      = ownPrefix + "tmp-"
	replacingPrefix = ownPrefix + "replacing-"
	removingPrefix  = ownPrefix + "removing-"
)

// maxName is the longest file name that Linux and macOS allow, in bytes.
const maxName = 255
