package recall

import (
	"bytes"
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

// Cut returns the first MaxLines lines or MaxBytes bytes of a file as clean text. It cuts at a line
// end, or in a line that is longer than MaxBytes/2, and then appends truncated. bytes is the length
// without truncated, which a session's budget is charged.
func Cut(file []byte) (text string, bytes int) {
	text, whole := cleanPrefix(file)
	if whole {
		return text, len(text)
	}
	return text + "\n\n" + truncated, len(text)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func cleanPrefix(file []byte) (text string, whole bool) {
	// Twice MaxBytes is enough even if half of the bytes are the CR of a CRLF.
	head := file[:min(len(file), 2*MaxBytes+utf8.UTFMax)]
	whole = len(head) == len(file)
	head = bytes.TrimPrefix(head, []byte("\uFEFF"))
	text = lineEnds.Replace(strings.ToValidUTF8(string(head), "\uFFFD"))
	text = claudemd.WithoutControls(text)
	if whole {
		text = strings.TrimRight(text, "\n")
	}
	cut := cutBytes(cutLines(text))
	if whole && cut == text {
		return text, true
	}
	return strings.TrimRight(cut, "\n"), false
}

func cutLines(text string) string {
	end := 0
	for range MaxLines {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			return text
		}
		end += next + 1
	}
	if end == len(text) {
		return text
	}
	return text[:end]
}

func cutBytes(text string) string {
	if len(text) <= MaxBytes {
		return text
	}
	// If the memory is one long line, cutting before it would leave the frontmatter alone.
	if end := strings.LastIndexByte(text[:MaxBytes+1], '\n'); end >= MaxBytes/2 {
		return text[:end]
	}
	end := MaxBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
