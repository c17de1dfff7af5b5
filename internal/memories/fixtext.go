package memories

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// mendText makes UTF-8 without NUL of a file that is none. Of several readings of its bytes the one that loses nothing
// comes first.
func (m *mender) mendText() {
	code := m.firstOf(CodeNUL, CodeInvalidUTF8)
	if code == "" {
		return
	}
	if text, ok := fromUTF16(m.raw); ok {
		m.offer(Fix{
			ID: "utf-16", Code: code, Label: "Convert it from UTF-16",
			Explanation: "The file starts with the mark of UTF-16, which some Windows programs write. It becomes UTF-8, and nothing is lost.",
			After:       text, Guessed: true,
		})
		return
	}
	if m.file.has(CodeNUL) {
		n := bytes.Count(m.raw, []byte{0})
		m.offer(Fix{
			ID: "nul", Code: CodeNUL, Label: "Remove the NUL characters",
			Explanation: fmt.Sprintf("Removes %s. All other bytes stay.", plural(n, "NUL character", "NUL characters")),
			After:       bytes.ReplaceAll(m.raw, []byte{0}, nil),
		})
	}
	if m.file.has(CodeInvalidUTF8) {
		m.mendInvalid()
	}
}

func (m *mender) mendInvalid() {
	latin, latinOK := mendBytes(m.raw, func(b byte) rune { return charmap.Windows1252.DecodeByte(b) })
	if latinOK {
		m.offer(Fix{
			ID: "windows-1252", Code: CodeInvalidUTF8, Label: "Read it as Western European text",
			Explanation: "Takes the bytes that are not UTF-8 for letters of Windows-1252, the older encoding of Western European languages, and writes them as UTF-8. That is a guess; look at the words in question.",
			After:       latin, Guessed: true,
		})
	}
	lost := 0
	replaced, _ := mendBytes(m.raw, func(byte) rune { lost++; return utf8.RuneError })
	m.offer(Fix{
		ID: "replace", Code: CodeInvalidUTF8, Label: "Replace what is not UTF-8",
		Explanation: fmt.Sprintf("Puts \uFFFD in the place of %s. What they stood for is lost.", plural(lost, "byte", "bytes")),
		After:       replaced,
	})
}

// mendBytes replaces each byte that is not UTF-8. ok is false where a replacement says nothing.
func mendBytes(raw []byte, replacement func(byte) rune) (out []byte, ok bool) {
	out, ok = make([]byte, 0, len(raw)), true
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			r = replacement(raw[0])
			ok = ok && r != utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
		raw = raw[size:]
	}
	return out, ok
}

// fromUTF16 returns the text of a file that starts with UTF-16's byte order mark.
func fromUTF16(raw []byte) (text []byte, ok bool) {
	if !bytes.HasPrefix(raw, []byte{0xff, 0xfe}) && !bytes.HasPrefix(raw, []byte{0xfe, 0xff}) || len(raw)%2 != 0 {
		return nil, false
	}
	text, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(raw)
	if err != nil || bytes.ContainsRune(text, utf8.RuneError) || bytes.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	return text, true
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
