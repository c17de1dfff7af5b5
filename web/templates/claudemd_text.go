package templates

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"memoir/internal/memories/claudemd"
)

// How much of a text is shown, in Unicode characters. What people wrote themselves may be a megabyte, and so may a
// memory's body; the API has the whole.
const (
	handwrittenShown = 20_000
	partShown        = 20_000
	compiledShown    = 150_000
)

// compiledText writes the text as it stands in the file: a space that a template would add between two parts would be
// one in the text. What is said about the parts is drawn by the style sheet, so that whoever copies the text has the
// file's.
func compiledText(v ClaudeMD) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		// The first line end in a pre is not part of it.
		_, err := io.WriteString(w, "\n"+v.handwritten(v.Before)+v.owned()+v.handwritten(v.After))
		return err
	})
}

// handwritten is what Memoir keeps as it is. What only parts the block from the text is not worth a word.
func (v ClaudeMD) handwritten(text string) string {
	if isBlank(text) {
		return templ.EscapeString(text)
	}
	return `<span class="handwritten" role="group" aria-label="Not Memoir’s: kept byte for byte">` + cutOut(text, handwrittenShown) + `</span>`
}

func isBlank(text string) bool { return strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")) == "" }

// owned is Memoir's block.
func (v ClaudeMD) owned() string {
	var out strings.Builder
	out.WriteString(`<span class="owned" role="group" aria-label="Memoir’s block">`)
	room, unshown := compiledShown, 0
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
		if p.Memory == "" || p.Text == "" { // without a text, it is only counted
			out.WriteString(templ.EscapeString(p.Text))
			continue
		}
		out.WriteString(v.compiledMemory(p))
	}
	return out.String() + `</span>`
}

// compiledMemory is a memory in its place. Its heading, or its line, leads to its page.
func (v ClaudeMD) compiledMemory(p claudemd.Part) string {
	text := strings.TrimLeft(p.Text, "\n")
	heading, _, _ := strings.Cut(text, "\n")
	return p.Text[:len(p.Text)-len(text)] + `<span class="place" id="` + placeID(p.Memory) + `" data-type="` + templ.EscapeString(string(p.Type)) +
		`" tabindex="-1"><a href="` + templ.EscapeString(MemoryPath(v.ownerOf(p), p.Memory)) + `">` + templ.EscapeString(heading) + `</a>` +
		cutOut(text[len(heading):], partShown) + `</span>`
}

// placeID is the id of the place of a memory in the text.
func placeID(id string) string { return "place-" + anchor("of", id) }

// cutOut returns a text as HTML, without its middle when it is longer than so many Unicode characters.
func cutOut(text string, most int) string {
	start, unshown := shortened(text, most*3/4)
	if unshown <= most/4 {
		return templ.EscapeString(text)
	}
	end := text[len(start):]
	for utf8.RuneCountInString(end) > most/4 {
		skip := utf8.RuneCountInString(end) - most/4
		for i := range end {
			if skip == 0 {
				end = end[i:]
				break
			}
			skip--
		}
	}
	unshown -= utf8.RuneCountInString(end)
	return templ.EscapeString(start) + leftOut("… "+counted(unshown, "character", "characters")+" …") + templ.EscapeString(end)
}

func leftOut(words string) string { return `<span class="left-out">` + words + `</span>` }
