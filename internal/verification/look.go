package verification

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"memoir/internal/files"
)

// look says what is at a path of a project. Links are followed as long as they stay in it.
func look(root *os.Root, rel string) outcome {
	info, err := files.Stat(root, rel)
	switch {
	case err == nil:
		return outcome{place: present, isDir: info.IsDir()}
	case errors.Is(err, files.ErrLeaves):
		return outcome{place: unclear, why: leaves}
	case errors.Is(err, files.ErrLoop):
		return outcome{place: unclear, why: leadsTo}
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return outcome{place: unclear, why: notReadable}
	case onBrokenLink(root, rel):
		return outcome{place: unclear, why: leadsTo}
	}
	return outcome{place: absentHere}
}

// onBrokenLink reports whether a path that leads to nothing does so by a link: then the file may only be elsewhere.
func onBrokenLink(root *os.Root, rel string) bool {
	for end := 0; end < len(rel); end++ {
		next := strings.IndexByte(rel[end:], '/')
		if next < 0 {
			end = len(rel)
		} else {
			end += next
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

// maxCounted is how much of a file is read to count its lines, in bytes: four times the largest source that is searched.
const maxCounted = 4 << 20

type lineCount struct {
	count int
	known bool   // the file ends there; else it has at least as many
	why   string // it is not known
}

// countLines counts the lines of a file, each file once in a check.
func (c *check) countLines(rel string) lineCount {
	n, counted := c.lines[rel]
	if counted {
		return n
	}
	n = c.readLines(rel)
	c.lines[rel] = n
	return n
}

func (c *check) readLines(rel string) lineCount {
	if c.ctx.Err() != nil || c.read >= c.limits.Bytes {
		return lineCount{why: tooLong}
	}
	file, err := files.Open(c.project.Root, rel)
	switch {
	case errors.Is(err, files.ErrNotRegular):
		return lineCount{why: "It is no regular file any more."}
	case err != nil:
		return lineCount{why: notReadable}
	}
	defer file.Close()
	var n lineCount
	buffer := make([]byte, 64<<10)
	for size := int64(0); size < maxCounted; {
		got, err := file.Read(buffer)
		n.count += bytes.Count(buffer[:got], []byte{'\n'})
		size += int64(got)
		c.read += int64(got)
		if err == io.EOF {
			n.known = true
			n.count += unfinishedLine(file, size)
			return n
		}
		if err != nil || c.ctx.Err() != nil {
			break
		}
	}
	n.why = notSearched
	return n
}

// unfinishedLine is 1 where a file of that size ends without a line end.
func unfinishedLine(file *os.File, size int64) int {
	var last [1]byte
	if size == 0 {
		return 0
	}
	if _, err := file.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return 0
	}
	return 1
}
