package transcript

import (
	"bufio"
	"encoding/json"
	"io"
)

// WorkingDirectory returns the first directory that a line says the conversation was in; empty: none does. A line that is longer than
// those that Read takes in is passed over.
func WorkingDirectory(r io.Reader) string {
	lines := bufio.NewReader(r)
	var line []byte
	for {
		raw, size, err := readLine(lines, line[:0])
		line = raw
		if size > maxLine {
			line = nil // what a long line took is given back
		}
		var in struct {
			CWD string `json:"cwd"`
		}
		if json.Unmarshal(line, &in) == nil && in.CWD != "" {
			return in.CWD
		}
		if err != nil {
			return ""
		}
	}
}
