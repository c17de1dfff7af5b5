// Package files reads, writes and removes single files inside one directory, so that neither a crash nor somebody who
// writes at the same moment can lose or tear anything. Every operation goes through an [os.Root], takes a slash-separated
// path relative to it, and so cannot reach what is outside.
//
// It owns how a file gets durably to the disk and off it. It never decides which file, never lists an agent, and keeps no
// state between calls. The sync room writes and removes with it; the agents room only opens and resolves.
//
// The names of its own files on disk start with ".memoir-": temporary files (".memoir-tmp-"), files that change places with what
// they replace (".memoir-replacing-") and files on their way out (".memoir-removing-"). None of them is needed from one run to the
// next: after a crash [Recover] clears whatever has such a name.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// What an operation can refuse. Each is wrapped with the path concerned.
var (
	// ErrChanged: the file no longer has the bytes that the caller knows. It was left as it is.
	ErrChanged = errors.New("the file has changed")
	// ErrExists: something is at the path already. It was left as it is.
	ErrExists = errors.New("the file exists already")
	// ErrLeaves: a link on the way leads out of the directory.
	ErrLeaves = errors.New("a link leads out of the directory")
	// ErrLoop: links on the way lead in a circle, or there are too many of them.
	ErrLoop = errors.New("links lead in a circle")
	// ErrNotRegular: what is at the path is a directory, a pipe, a socket or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrOwner: the file belongs to somebody else, and replacing it would take it from them.
	ErrOwner = errors.New("the file's owner cannot be kept")
)

// OpenRoot opens a directory. It fails with *OwnershipError if a link on the way to it must not be followed.
func OpenRoot(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil || os.Geteuid() == noOwner || hasNoLinks(root) {
		return root, err
	}
	guard := Guard{self: os.Geteuid()}
	if _, err := guard.above(root, false); err != nil {
		root.Close() //nolint:errcheck // nothing was read
		return nil, fmt.Errorf("open directory %s: %w", dir, err)
	}
	return root, nil
}

// MayFollow returns an *OwnershipError if the link at a path must not be followed.
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

// IsOpenToAll reports whether all users may write to a directory, and remove what others have in it.
func IsOpenToAll(dir fs.FileInfo) bool { return os.Geteuid() != noOwner && isOpenToAll(dir.Mode()) }

// OpenToAll returns the absolute path of the outermost directory that all users may write, among an opened
// directory and those above it. It is empty if there is none.
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

// IsExhausted reports whether an error says that this process, or the system, has nothing left to open a file with. That says nothing
// about the file: it is to be tried again.
func IsExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

const (
	ownPrefix       = ".memoir-" // of all of them
	tempPrefix      = ownPrefix + "tmp-"
	replacingPrefix = ownPrefix + "replacing-"
	removingPrefix  = ownPrefix + "removing-"
)

// The longest name that file systems allow, in bytes.
const maxName = 255
