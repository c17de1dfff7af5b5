package files

import (
	"io/fs"
	"os"
	"path"
)

// DirReader reads files that mostly lie beside the one before: their directory stays open meanwhile, and the way to it is not gone for
// each. Of what the server does while thousands of small files are written that is a tenth. It is used by one goroutine at a time, for
// no longer than a moment: what has taken the directory's place since, it would not see.
type DirReader struct {
	root *os.Root
	dir  string   // the directory that is open
	at   *os.Root // nil: none is, or it cannot be opened
}

// NeighboursIn returns Neighbours by their paths in root. Close lets go of what they keep open.
func NeighboursIn(root *os.Root) *DirReader { return &DirReader{root: root} }

// Open is [Open] of a path in the root.
func (n *DirReader) Open(relPath string) (*os.File, error) {
	if n.in(path.Dir(relPath)) {
		// What cannot be opened this way, such as a link that leaves the directory, may be all the same.
		if file, err := openRegular(n.at, path.Base(relPath)); err == nil {
			return file, nil
		}
	}
	return Open(n.root, relPath)
}

// Lstat is the root's of a path in it.
func (n *DirReader) Lstat(relPath string) (fs.FileInfo, error) {
	if n.in(path.Dir(relPath)) {
		if info, err := n.at.Lstat(path.Base(relPath)); err == nil {
			return info, nil
		}
	}
	return n.root.Lstat(relPath)
}

// Close may be called more than once.
func (n *DirReader) Close() {
	if n.at != nil {
		n.at.Close()
	}
	n.dir, n.at = "", nil
}

// in opens the directory in place of the one before, and says whether it could.
func (n *DirReader) in(dir string) bool {
	if dir == "." {
		return false // the root is open
	}
	if dir != n.dir {
		n.Close()
		n.dir = dir
		if at, err := n.root.OpenRoot(dir); err == nil { // else the root is asked for each file, and says why not
			n.at = at
		}
	}
	return n.at != nil
}
