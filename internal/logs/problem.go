package logs

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
)

// MaxRead is how much of a log file is read, in bytes: the end of it, where the latest is. It is that of a memory file.
const MaxRead = memories.MaxFileSize

// The codes of what can be odd about a log, besides those of package memories that say why something could not be read.
const (
	// CodeMisplaced: it is not where the log of its day belongs.
	CodeMisplaced = "misplaced"
	// CodeNoDay: its path tells no day.
	CodeNoDay = "no_day"
	// CodeNoEntries: it has text, and no bullet.
	CodeNoEntries = "no_entries"
)

var messages = map[string]string{
	CodeMisplaced:                "The file is not where the log of its day belongs, YYYY/MM/YYYY-MM-DD.md. It is read all the same.",
	CodeNoDay:                    "The file's path tells no day, so it is listed under the day on which it was last changed.",
	CodeNoEntries:                "The file has no bullet, and a log has one for each entry. Its text is shown as it is.",
	memories.CodeTooLarge:        "The file is larger than 1 MiB, so only its end is read. It is unchanged.",
	memories.CodeNUL:             "The text holds NUL characters, shown as \uFFFD. The file is unchanged.",
	memories.CodeInvalidUTF8:     "Parts of the text are not UTF-8, shown as \uFFFD. The file is unchanged.",
	memories.CodeNotRegular:      "This is not a regular file, so it was not read. Logs are plain text files.",
	memories.CodeTooDeep:         "This directory is deeper than that of a day, so nothing in it was read. Move its logs up.",
	memories.CodeFileNameNotUTF8: "The name is not valid UTF-8, so this was not read. Rename it.",
}

// ProblemOf returns what a code says about a log, in plain words.
func ProblemOf(code string) memories.Problem {
	if message := messages[code]; message != "" {
		return memories.Problem{Code: code, Message: message}
	}
	return memories.ProblemOf(code)
}

// Content is what the bytes of a log file say.
type Content struct {
	Text     string   // valid UTF-8 without NUL
	Title    string   // of its first line, where that is a heading; else empty
	Entries  int      // its bullets at the left margin
	Problems []string // codes
}

// Read reads the end of a log file. cut says that there is more in front of it: then it begins with a whole line.
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

// cutTo cuts a text, in characters.
func cutTo(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i]
		}
		n++
	}
	return text
}
