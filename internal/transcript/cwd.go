package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// WorkingDirectory returns the first working directory that a line of the transcript names and accept takes. It returns ""
// if there is none. Lines longer than maxLine are skipped.
func WorkingDirectory(r io.Reader, accept func(dir string) bool) string {
	lines := bufio.NewReader(r)
	var line []byte
	last := ""
	for {
		raw, size, err := readLine(lines, line[:0])
		line = raw
		if size > maxLine {
			line = nil // release the memory of a long line
		}
		if dir := directoryIn(line); dir != "" && dir != last {
			if accept(dir) {
				return dir
			}
			last = dir
		}
		if err != nil {
			return ""
		}
	}
}

// directoryIn returns the working directory that a line names, or "".
func directoryIn(line []byte) string {
	if !bytes.Contains(line, []byte("cwd")) {
		return ""
	}
	var in struct {
		CWD string `json:"cwd"`
	}
	if json.Unmarshal(bytes.TrimPrefix(line, byteOrderMark), &in) != nil {
		return ""
	}
	return in.CWD
}
