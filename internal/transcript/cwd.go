package transcript

import (
	"bufio"
	"encoding/json"
	"io"
)

// WorkingDirectory returns the first directory that a line says the conversation was in; empty: none does. It keeps a line in memory:
// the caller bounds the reader.
func WorkingDirectory(r io.Reader) string {
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
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
