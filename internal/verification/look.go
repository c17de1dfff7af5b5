package verification

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"memoir/internal/files"
)

// lookUp looks up a path relative to root, following links within it. The result is present,
// absentHere, or unclear with the reason. It is unclear if a link leaves root or is broken, or a
// directory cannot be read. It does not set the result's path.
func lookUp(root *os.Root, rel string) lookup {
	info, err := files.Stat(root, rel)
	switch {
	case err == nil:
		return lookup{existence: present, isDir: info.IsDir()}
	case errors.Is(err, files.ErrLeaves):
		return lookup{existence: unclear, why: reasonLeaves}
	case errors.Is(err, files.ErrLoop):
		return lookup{existence: unclear, why: reasonBrokenLink}
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return lookup{existence: unclear, why: reasonNotReadable}
	case onBrokenLink(root, rel):
		return lookup{existence: unclear, why: reasonBrokenLink}
	}
	return lookup{existence: absentHere}
}

// onBrokenLink reports whether a missing path, or a directory on the way to it, is a link to
// nothing or cannot be examined. Then the path may exist on another machine.
func onBrokenLink(root *os.Root, rel string) bool {
	for end := range len(rel) + 1 {
		if end < len(rel) && rel[end] != '/' {
			continue
		}
		info, err := files.Lstat(root, rel[:end])
		if err != nil {
			return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
		}
		if info.Mode().Type() == fs.ModeSymlink {
			if _, err := files.Stat(root, rel[:end]); err != nil {
				return true
			}
		}
	}
	return false
}

// maxCounted is the maximum number of bytes read to count lines: four times the default maximum
// size of a searched file.
const maxCounted = 4 << 20

type lineCount struct {
	count int
	known bool   // count is exact; otherwise it is a minimum
	why   string // reason if it is not
}

// countLines returns the number of lines of a file. known is false if count is only a minimum, for
// example because the file cannot be read. It reads a file once per check; later calls return the
// first result.
func (c *check) countLines(rel string) lineCount {
	n, counted := c.lines[rel]
	if counted {
		return n
	}
	n = c.readLines(rel)
	c.lines[rel] = n
	return n
}

// readLines counts the lines of a file in its first maxCounted bytes. If the file is larger or
// cannot be read, or the limits are reached, known is false. The count is then a minimum, possibly
// 0, and why is the reason.
func (c *check) readLines(rel string) lineCount {
	if c.ctx.Err() != nil || c.read >= c.limits.Bytes {
		return lineCount{why: reasonTime}
	}
	file, err := files.Open(c.project.Root, rel)
	switch {
	case errors.Is(err, files.ErrNotRegular):
		return lineCount{why: "It is no longer a regular file."}
	case err != nil:
		return lineCount{why: reasonNotReadable}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCounted))
	c.read += int64(len(text))
	n := lineCount{count: bytes.Count(text, []byte{'\n'}), known: true}
	if err != nil || len(text) == maxCounted {
		n.known, n.why = false, reasonIncomplete
	} else if len(text) > 0 && text[len(text)-1] != '\n' {
		n.count++ // the last line has no line end
	}
	return n
}
