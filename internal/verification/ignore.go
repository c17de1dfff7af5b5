package verification

import (
	"io"
	"os"
	"strings"

	"memoir/internal/files"
)

const (
	ignoreFile = ".gitignore"
	// maxIgnore is the maximum number of bytes read of the file (arbitrary).
	maxIgnore = 64 << 10
)

// ignored are the names that the .gitignore in the project's root excludes. It omits patterns,
// exceptions and longer paths, so it excludes too little at worst.
type ignored struct {
	anywhere map[string]bool
	inRoot   map[string]bool
}

// readIgnored reads the plain names in the .gitignore of the project's root. It skips patterns,
// exceptions and paths with several elements. The result is empty if the file is missing or cannot
// be read.
func readIgnored(root *os.Root) ignored {
	i := ignored{anywhere: map[string]bool{}, inRoot: map[string]bool{}}
	file, err := files.Open(root, ignoreFile)
	if err != nil {
		return i
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnore))
	if err != nil {
		return i
	}
	for line := range strings.Lines(string(text)) {
		name := strings.TrimSuffix(strings.TrimSpace(line), "/")
		name, anchored := strings.CutPrefix(name, "/")
		switch {
		case name == "", strings.ContainsAny(name, "#!*?[\\/"):
		case anchored:
			i.inRoot[name] = true
		default:
			i.anywhere[name] = true
		}
	}
	return i
}

// has reports whether a path relative to the project, or one of its directories, is excluded.
func (i ignored) has(rel string) bool {
	first, _, _ := strings.Cut(rel, "/")
	if i.inRoot[first] {
		return true
	}
	for name := range strings.SplitSeq(rel, "/") {
		if i.anywhere[name] {
			return true
		}
	}
	return false
}
