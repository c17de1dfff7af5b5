package files

import (
	"io/fs"
	"os"
	"path"
)

// DirReader reads files of a root and keeps the last file's directory open. For thousands of small
// files that saves a tenth of the time. Use it for a short time only, because it does not notice a
// replaced directory. It is not safe for concurrent use.
type DirReader struct {
	root *os.Root
	dir  string   // the open directory
	at   *os.Root // nil if no directory is open
}

// NewDirReader returns a DirReader for paths in root. The caller must call Close.
func NewDirReader(root *os.Root) *DirReader { return &DirReader{root: root} }

// Open opens a regular file by its path in the root, as the function [Open] does.
func (n *DirReader) Open(relPath string) (*os.File, error) {
	if n.enter(path.Dir(relPath)) {
		// Open can follow links that this directory's root refuses.
		if file, err := openRegular(n.at, path.Base(relPath)); err == nil {
			return file, nil
		}
	}
	return Open(n.root, relPath)
}

// Lstat returns information about a file by its path in the root, without following a link.
func (n *DirReader) Lstat(relPath string) (fs.FileInfo, error) {
	if n.enter(path.Dir(relPath)) {
		if info, err := n.at.Lstat(path.Base(relPath)); err == nil {
			return info, nil
		}
	}
	return n.root.Lstat(relPath)
}

// Close closes the open directory. It may be called more than once.
func (n *DirReader) Close() {
	if n.at != nil {
		n.at.Close()
	}
	n.dir, n.at = "", nil
}

// enter opens dir as the current directory, and reports whether it is open.
func (n *DirReader) enter(dir string) bool {
	if dir == "." {
		return false // the root itself is open
	}
	if dir != n.dir {
		n.Close()
		n.dir = dir
		if at, err := n.root.OpenRoot(dir); err == nil { // else the caller's use of root fails
			n.at = at
		}
	}
	return n.at != nil
}
