package frontmatter

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// fixText offers conversions of a file that is not UTF-8 or has NUL bytes. All plausible decodings
// are first, then removing the NUL bytes or replacing invalid bytes. It offers nothing for other
// files.
func (m *fixer) fixText() {
	code := m.firstOf(memories.CodeNUL, memories.CodeInvalidUTF8)
	if code == "" {
		return
	}
	for i, d := range guessDecodings(m.raw) {
		m.offerDecoding(code, d, i == 0 && d.score >= minConvincing)
	}
	if m.file.has(memories.CodeNUL) && !m.hasFixFor(memories.CodeNUL) {
		n := bytes.Count(m.raw, []byte{0})
		m.offer(Fix{
			ID: "nul", Code: memories.CodeNUL, Label: "Remove NUL characters",
			Explanation: fmt.Sprintf("Removes %s. All other bytes stay.", memtext.Counted(n, "NUL character", "NUL characters")),
			After:       bytes.ReplaceAll(m.raw, []byte{0}, nil),
		})
	}
	if m.file.has(memories.CodeInvalidUTF8) {
		lost := 0
		replaced := mapInvalid(m.raw, func(byte) rune { lost++; return utf8.RuneError })
		m.offer(Fix{
			ID: "replace", Code: memories.CodeInvalidUTF8, Label: "Replace invalid bytes", After: replaced,
			Explanation: fmt.Sprintf("Writes \uFFFD in place of %s. Their text is lost.",
				memtext.Counted(lost, "byte", "bytes")),
		})
	}
}

func (m *fixer) offerDecoding(code string, d decoding, guessed bool) {
	explanation := fmt.Sprintf("Writes the text as UTF-8, read as %s. No byte is lost.", d.name)
	if d.id == "utf-16" {
		explanation = "Writes the UTF-16 text as UTF-8. No byte is lost."
	} else if guessed {
		explanation += " The encoding is a guess. Check the preview."
	}
	m.offer(Fix{
		ID: d.id, Code: code, Label: "Read as " + d.name, Explanation: explanation,
		After: bytes.TrimPrefix(d.text, []byte(memtext.ByteOrderMark)), Guessed: guessed,
	})
}

// mapInvalid returns raw with each byte that is not part of valid UTF-8 replaced by the character
// that replacement returns for it.
func mapInvalid(raw []byte, replacement func(byte) rune) []byte {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			r = replacement(raw[0])
		}
		out = utf8.AppendRune(out, r)
		raw = raw[size:]
	}
	return out
}
