package templates

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"memoir/internal/memories/claudemd"
)

// The maximum lengths of texts on the page, in Unicode characters (arbitrary). A user's text or a
// memory can be a megabyte; the API returns it all.
const (
	maxHandwritten = 20_000
	maxPart        = 20_000
	maxCompiled    = 150_000
)

// compiledText returns a component that writes the file's text as HTML, cut to maxHandwritten,
// maxPart and maxCompiled. It is not a template because a template would add spaces. Labels come
// from the style sheet, so that text copied from an uncut page equals the file.
func compiledText(v ClaudeMD) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		// HTML ignores the first line end in a pre.
		_, err := io.WriteString(w, "\n"+v.handwritten(v.Before)+v.owned()+v.handwritten(v.After))
		return err
	})
}

// handwritten returns users' text as HTML, cut to maxHandwritten. Blank text gets no element of its
// own, and so no label.
func (v ClaudeMD) handwritten(text string) string {
	if isBlank(text) {
		return templ.EscapeString(text)
	}
	return `<span class="handwritten" role="group" aria-label="Not Memoir’s: kept byte for byte">` + cutOut(text, maxHandwritten) + `</span>`
}

func isBlank(text string) bool { return strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")) == "" }

// owned returns the HTML of Memoir's block. It omits parts that begin after the first maxCompiled
// characters, except the last part, and writes how many memories it has omitted.
func (v ClaudeMD) owned() string {
	var out strings.Builder
	out.WriteString(`<span class="owned" role="group" aria-label="Memoir’s block">`)
	room, unshown := maxCompiled, 0
	for i, p := range v.Parts {
		last := i == len(v.Parts)-1
		if room <= 0 && !last {
			if p.Memory != "" {
				unshown++
			}
			continue
		}
		if last && unshown > 0 {
			out.WriteString("\n" + leftOut("… "+counted(unshown, "more memory", "more memories")+" …") + "\n")
		}
		room -= utf8.RuneCountInString(p.Text)
		if p.Memory == "" || p.Text == "" { // a memory without text is only counted
			out.WriteString(templ.EscapeString(p.Text))
			continue
		}
		out.WriteString(v.compiledMemory(p))
	}
	return out.String() + `</span>`
}

// compiledMemory returns the HTML of one memory, its text cut to maxPart after the first line. That
// line, which is its heading or list entry, links to the memory's page.
func (v ClaudeMD) compiledMemory(p claudemd.Part) string {
	text := strings.TrimLeft(p.Text, "\n")
	heading, _, _ := strings.Cut(text, "\n")
	return p.Text[:len(p.Text)-len(text)] + `<span class="place" id="` + placeID(p.Memory) + `" data-type="` + templ.EscapeString(string(p.Type)) +
		`" tabindex="-1"><a href="` + templ.EscapeString(MemoryPath(v.ownerOf(p), p.Memory)) + `">` + templ.EscapeString(heading) + `</a>` +
		cutOut(text[len(heading):], maxPart) + `</span>`
}

func placeID(id string) string { return "place-" + anchor("of", id) }

// cutOut returns text as HTML. If it has more than maxChars Unicode characters, it keeps the first
// three quarters of maxChars and the last quarter. Between them it writes the number of omitted
// characters.
func cutOut(text string, maxChars int) string {
	chars := []rune(text)
	if len(chars) <= maxChars {
		return templ.EscapeString(text)
	}
	start, end := chars[:maxChars*3/4], chars[len(chars)-maxChars/4:]
	unshown := len(chars) - len(start) - len(end)
	return templ.EscapeString(string(start)) + leftOut("… "+counted(unshown, "character", "characters")+" …") + templ.EscapeString(string(end))
}

func leftOut(words string) string { return `<span class="left-out">` + words + `</span>` }
