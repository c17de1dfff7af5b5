package logs

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
)

// MaxRead is how many bytes at the end of a log file are read, as many as of a memory file.
const MaxRead = memories.MaxFileSize

// Codes of problems of logs, in addition to codes of package memories.
const (
	// CodeMisplaced means that the file is not in the place for the log of its day.
	CodeMisplaced = "misplaced"
	// CodeNoDay means that the path contains no day.
	CodeNoDay = "no_day"
	// CodeNoEntries means that the file has text but no bullet.
	CodeNoEntries = "no_entries"
)

var messages = map[string]string{
	CodeMisplaced:                "The file is not at YYYY/MM/YYYY-MM-DD.md. It is still read.",
	CodeNoDay:                    "The path has no date. The day of the last change is used.",
	CodeNoEntries:                "The file has no entries (bullets). Its text is shown unchanged.",
	memories.CodeTooLarge:        "The file is larger than 1 MiB. Only its end is read. It is unchanged.",
	memories.CodeNUL:             "The text has NUL characters, shown as \uFFFD. The file is unchanged.",
	memories.CodeInvalidUTF8:     "Parts of the text are not UTF-8, shown as \uFFFD. The file is unchanged.",
	memories.CodeNotRegular:      "Not a regular file. It was not read. Replace it with a text file.",
	memories.CodeTooDeep:         "The directory is too deep and was not read. Move its logs up.",
	memories.CodeFileNameNotUTF8: "The name is not valid UTF-8. It was not read. Rename it.",
}

// ProblemOf returns the problem with this code. Its message is about logs if this package has one
// for the code. Else it is the problem of package memories with that code, with a message about
// memories.
func ProblemOf(code string) memories.Problem {
	if message := messages[code]; message != "" {
		return memories.Problem{Code: code, Message: message}
	}
	return memories.ProblemOf(code)
}

// Content is the content of a log file.
type Content struct {
	Text     string   // valid UTF-8 without NUL
	Title    string   // heading on the first line, or empty
	Entries  int      // number of bullets without indentation
	Problems []string // codes
}

// Read parses a log file and returns its text, heading, number of entries and codes of problems. If
// cut is set, raw is only the end of the file: Read leaves out the incomplete first line and adds
// CodeTooLarge. It replaces NUL and invalid UTF-8 by U+FFFD and adds a code for each. A text
// without an entry is a problem, an empty one is not.
func Read(raw []byte, cut bool) Content {
	var c Content
	if cut {
		c.Problems = append(c.Problems, memories.CodeTooLarge)
		if end := bytes.IndexByte(raw, '\n'); end >= 0 {
			raw = raw[end+1:]
		}
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		c.Problems = append(c.Problems, memories.CodeNUL)
	}
	if !utf8.Valid(raw) {
		c.Problems = append(c.Problems, memories.CodeInvalidUTF8)
	}
	c.Text = strings.ReplaceAll(strings.ToValidUTF8(string(raw), "\uFFFD"), "\x00", "\uFFFD")
	c.Text = strings.ReplaceAll(strings.TrimPrefix(c.Text, "\uFEFF"), "\r\n", "\n")
	if heading, found := strings.CutPrefix(c.Text, "# "); found {
		heading, _, _ = strings.Cut(heading, "\n")
		c.Title = cutTo(strings.TrimSpace(heading), maxTitle)
	}
	for line := range strings.SplitSeq(c.Text, "\n") {
		if len(line) > 2 && strings.ContainsRune("-*+", rune(line[0])) && line[1] == ' ' {
			c.Entries++
		}
	}
	if c.Entries == 0 && strings.TrimSpace(c.Text) != "" {
		c.Problems = append(c.Problems, CodeNoEntries)
	}
	return c
}

func cutTo(text string, limit int) string {
	characters := []rune(text)
	return string(characters[:min(len(characters), limit)])
}
