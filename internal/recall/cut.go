package recall

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories/claudemd"
)

// Claude Code's limits of delivered memories.
const (
	// MaxLines and MaxBytes limit the text of one memory file.
	MaxLines = 200
	MaxBytes = 4096
	// SessionBudget limits all text that one session gets, in bytes.
	SessionBudget = 61_440
	// MaxChosen is how many memories one recall delivers at most.
	MaxChosen = 5
	// MaxCandidates is how many memories one recall chooses from at most.
	MaxCandidates = 200
)

// truncated follows a cut text.
const truncated = "[... truncated, memory file too large ...]"

// Cut returns the beginning of a file as valid UTF-8: at most MaxLines lines and MaxBytes bytes,
// without control characters and machine keys (see withoutMachineKeys), with \n as line end. If the
// file is longer, it cuts after a line, or inside a very long one, and appends a notice. bytes is
// the text's length without the notice.
func Cut(file []byte) (text string, bytes int) {
	text, whole := cleanPrefix(file)
	if whole {
		return text, len(text)
	}
	return text + "\n\n" + truncated, len(text)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// cleanPrefix returns the delivered part of a file: the first MaxLines lines and MaxBytes bytes as
// valid UTF-8. It removes control characters, machine keys, and line ends at the end of the text.
// whole reports whether nothing was cut off.
func cleanPrefix(file []byte) (text string, whole bool) {
	// Twice MaxBytes is enough even if half of the bytes are the CR of a CRLF.
	head := file[:min(len(file), 2*MaxBytes+utf8.UTFMax)]
	whole = len(head) == len(file)
	head = bytes.TrimPrefix(head, []byte("\uFEFF"))
	text = lineEnds.Replace(strings.ToValidUTF8(string(head), "\uFFFD"))
	text = withoutMachineKeys(claudemd.WithoutControls(text))
	if whole {
		text = strings.TrimRight(text, "\n")
	}
	cut := cutBytes(cutLines(text))
	if whole && cut == text {
		return text, true
	}
	return strings.TrimRight(cut, "\n"), false
}

// machineKey matches a line of frontmatter that Claude Code writes for programs, at any level.
var machineKey = regexp.MustCompile(`^[ \t]*(?:node_type|originSessionId|modified)[ \t]*:`)

// withoutMachineKeys removes the lines of machine keys from the frontmatter of a text, and the line
// metadata: if nothing is left below it. It returns a text without complete frontmatter unchanged.
func withoutMachineKeys(text string) string {
	rest, found := strings.CutPrefix(text, "---\n")
	front, body, closed := strings.Cut(rest, "\n---")
	if !found || strings.HasPrefix(rest, "---") || !closed || body != "" && body[0] != '\n' {
		return text
	}
	lines := slices.DeleteFunc(strings.Split(front, "\n"), machineKey.MatchString)
	for i, line := range lines {
		if strings.TrimRight(line, " \t") != "metadata:" {
			continue
		}
		if i+1 == len(lines) || !strings.HasPrefix(lines[i+1], " ") && !strings.HasPrefix(lines[i+1], "\t") {
			lines = slices.Delete(lines, i, i+1)
		}
		break
	}
	return "---\n" + strings.Join(append(lines, "---"), "\n") + body
}

func cutLines(text string) string {
	lines := strings.SplitAfterN(text, "\n", MaxLines+1)
	return strings.Join(lines[:min(len(lines), MaxLines)], "")
}

// cutBytes returns the whole lines in the first MaxBytes bytes of a text. If these lines have less
// than MaxBytes/2 bytes, it returns the first MaxBytes bytes instead, cut between two characters.
// A shorter text is returned whole.
func cutBytes(text string) string {
	if len(text) <= MaxBytes {
		return text
	}
	// If the memory is one long line, cutting before it would leave the frontmatter alone.
	if end := strings.LastIndexByte(text[:MaxBytes+1], '\n'); end >= MaxBytes/2 {
		return text[:end]
	}
	return prefixOf(text, MaxBytes)
}
