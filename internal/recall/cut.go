package recall

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories/claudemd"
)

// The limits of what an agent is given, as Claude Code has them.
const (
	// MostLines and MostBytes bound one memory file.
	MostLines = 200
	MostBytes = 4096
	// SessionBudget bounds what one session is given in all, in bytes.
	SessionBudget = 61_440
	// MostChosen is how many memories one recall gives.
	MostChosen = 5
	// MostCandidates is how many memories one recall chooses from.
	MostCandidates = 200
)

// truncated stands where the rest of a file was left out.
const truncated = "[... truncated, memory file too large ...]"

// Cut returns the beginning of a file, of at most MostLines lines and MostBytes bytes, as text: cut at the end of a line, or,
// where a line is longer than half of all that, between two characters. What is no UTF-8 becomes U+FFFD, line ends LF, and
// control characters are left out.
// Where something was left out, truncated says so at the end. bytes is how many come out of a session's budget: that note does not.
func Cut(file []byte) (text string, bytes int) {
	text, whole := beginning(file)
	if whole {
		return text, len(text)
	}
	return text + "\n\n" + truncated, len(text)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func beginning(file []byte) (text string, whole bool) {
	// Of what is far beyond the cut nothing is looked at: enough is left for every byte to be the CR of a CRLF.
	head := file[:min(len(file), 2*MostBytes+utf8.UTFMax)]
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
	for range MostLines {
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
	if len(text) <= MostBytes {
		return text
	}
	// A memory that is one long line would be its frontmatter alone.
	if end := strings.LastIndexByte(text[:MostBytes+1], '\n'); end >= MostBytes/2 {
		return text[:end]
	}
	end := MostBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
