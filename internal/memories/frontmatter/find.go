package frontmatter

import (
	"slices"
	"strings"

	"memoir/internal/memories/memtext"
)

// maxPreamble is how many bytes of text may be above a frontmatter. It is arbitrary: a few lines.
const maxPreamble = 2 << 10

// findFrontmatter finds a frontmatter in an unusual place or format. p must have the whole file in
// its body. found is the page with that frontmatter as YAML at its top. Without one, ok is false.
func findFrontmatter(p page) (found page, ok bool) {
	above, rest := cutBlank(p.body)
	comments := ""
	for len(comments) <= maxPreamble {
		if front, body, inside := cutComment(rest); inside {
			return p.withFrontmatter(inComment, comments+front, body), true
		}
		comment, after := cutHTMLComment(rest)
		if comment == "" {
			break
		}
		comments += asComment(comment, p.eol)
		above = comment
		_, rest = cutBlank(after)
	}
	opener, _ := memtext.CutLine(rest)
	fenced := oddFence
	if isFence(opener) && above != "" {
		fenced = belowBlank
	}
	for _, try := range []struct {
		shape shape
		split func(text string) (front, body string, ok bool)
	}{
		{dotsClose, cutDots}, {fenced, cutFenced}, {inCodeFence, cutCodeFence}, {inTOML, cutTOML}, {inJSON, cutJSON},
	} {
		if front, body, ok := try.split(rest); ok {
			return p.withFrontmatter(try.shape, comments+front, body), true
		}
	}
	return cutPreamble(p)
}

// withFrontmatter returns the page with shape s and this frontmatter and body, and with lines ---
// around the frontmatter.
func (p page) withFrontmatter(s shape, front, body string) page {
	if front != "" && memtext.LineEnding(front) == "" {
		front += p.eol
	}
	p.shape, p.front, p.body = s, front, body
	p.opener, p.closer = "---"+p.eol, "---"+p.eol
	return p
}

// cutBlank splits a text after the blank lines at its start, and drops characters without width
// before rest. If all lines are blank, or all in the first maxPreamble bytes, rest is empty.
func cutBlank(text string) (blank, rest string) {
	rest = text
	for rest != "" && len(text)-len(rest) <= maxPreamble {
		line, after := memtext.CutLine(rest)
		if bare := trimBlank(line); bare != "" {
			// Characters without width do not belong to the line.
			return text[:len(text)-len(rest)], strings.TrimLeft(rest, "\u200B\uFEFF")
		}
		rest = after
	}
	return text, ""
}

// cutHTMLComment splits a text after the HTML comment at its start, including the line end. If the
// comment is missing or larger than maxFrontmatter, or text follows it on its last line, comment is
// empty and rest is text.
func cutHTMLComment(text string) (comment, rest string) {
	const opening, closing = "<!--", "-->"
	if !strings.HasPrefix(text, opening) {
		return "", text
	}
	end := strings.Index(text[:min(len(text), maxFrontmatter)], closing)
	if end < 0 {
		return "", text
	}
	end += len(closing)
	line, _ := memtext.CutLine(text[end:])
	if strings.TrimSpace(line) != "" {
		return "", text // text follows on the same line
	}
	return text[:end+len(line)], text[end+len(line):]
}

// asComment returns the lines of a text, without blank ones, as YAML comments.
func asComment(text, eol string) string {
	var out strings.Builder
	for _, line := range memtext.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out.WriteString("# " + line + eol)
		}
	}
	return out.String()
}

// cutComment splits a text at the HTML comment at its start, if that contains a frontmatter, with
// or without lines --- around it. body is the text after the frontmatter. ok is false if there is
// none.
func cutComment(text string) (front, body string, ok bool) {
	comment, rest := cutHTMLComment(text)
	if comment == "" {
		return "", "", false
	}
	inner := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(comment, "<!--")), "-->")
	_, inner = cutBlank(strings.TrimLeft(inner, " \t"))
	if front, body, ok = cutFenced(inner); ok {
		if trimBlank(body) == "" {
			return front, rest, true
		}
		return front, body + rest, true
	}
	if isMemory(inner, true) {
		return strings.TrimRight(inner, " \t"), rest, true
	}
	return "", "", false
}

// cutFenced splits a text at the frontmatter at its start, also if the lines around it are only
// similar to ---. A text after --- on the first line becomes a comment, except yaml and yml. ok is
// false if there is no frontmatter, or it is not a memory's.
func cutFenced(text string) (front, body string, ok bool) {
	opener, rest := memtext.CutLine(text)
	label, isDashes := strings.CutPrefix(strings.TrimSpace(opener), "---")
	label = strings.TrimSpace(label)
	switch {
	case isOddFence(opener):
		label = ""
	case !isDashes || len(opener) > maxPreamble:
		return "", "", false
	}
	closes := isOddFence
	if isFence(strings.TrimLeft(opener, " \t")) || label != "" {
		closes = func(line string) bool { return isFence(strings.TrimLeft(line, " \t")) }
	}
	front, _, body, ok = cutAt(rest, closes)
	if !ok || !isMemory(front, false) {
		return "", "", false
	}
	if label != "" && !slices.Contains([]string{"yaml", "yml"}, strings.ToLower(label)) {
		front = asComment(strings.TrimPrefix(label, "#"), memtext.LineEnding(opener)) + front
	}
	return front, body, true
}

// cutDots splits a text at a frontmatter that starts with --- and ends with a line "...", as YAML
// documents do. ok is false without one, or if more entries and a line --- follow.
func cutDots(text string) (front, body string, ok bool) {
	opener, rest := memtext.CutLine(text)
	if !isFence(opener) {
		return "", "", false
	}
	front, _, body, ok = cutAt(rest, func(line string) bool { return strings.TrimRight(line, " \t\r\n") == "..." })
	if !ok || !isMemory(front, false) {
		return "", "", false
	}
	// Entries between "..." and a line --- belong to the frontmatter.
	if more, _, _, closed := cutAt(body, isFence); closed && trimBlank(more) != "" {
		_, longest := keysIn(more)
		return front, body, longest > maxKeyWords
	}
	return front, body, true
}

// cutCodeFence splits a text at the code fence at its start, if that contains a frontmatter. The
// body may be in the fence too, or below it. The fence is removed. ok is false without such a
// fence.
func cutCodeFence(text string) (front, body string, ok bool) {
	opener, rest := memtext.CutLine(text)
	opener = strings.TrimSpace(opener)
	fence := opener[:len(opener)-len(strings.TrimLeft(opener, "`~"))]
	if len(fence) < 3 || strings.ContainsAny(opener[len(fence):], "` ~") {
		return "", "", false
	}
	closes := func(line string) bool { return strings.TrimSpace(line) == fence }
	_, inner := cutBlank(rest)
	if front, body, ok = cutFenced(inner); !ok {
		front, _, body, ok = cutAt(inner, closes)
		return front, body, ok && isMemory(front, true)
	}
	inside, _, after, closed := cutAt(body, closes)
	if !closed {
		return "", "", false
	}
	if trimBlank(inside) == "" {
		return front, after, true
	}
	// The last line closes the fence around everything, because the body may have fences too.
	trimmed := strings.TrimRightFunc(body, isInvisible)
	if at := strings.LastIndexAny(trimmed, "\r\n") + 1; closes(trimmed[at:]) {
		return front, trimmed[:at], true
	}
	return front, inside + after, true
}

// cutPreamble finds a complete frontmatter below a few lines of text, and returns the page with
// that text in front of the body. ok is false without one, or if the text has a code fence.
func cutPreamble(p page) (found page, ok bool) {
	above, _, _, _ := cutAt(p.body[:min(len(p.body), maxPreamble)], isFence)
	if len(above) == len(p.body) || strings.Contains(above, "```") || strings.Contains(above, "~~~") {
		return page{}, false
	}
	rest := p.body[len(above):]
	opener, front := memtext.CutLine(rest)
	if !isFence(opener) {
		return page{}, false
	}
	front, _, body, ok := cutAt(front, isFence)
	if !ok || !isMemory(front, true) {
		return page{}, false
	}
	return p.withFrontmatter(belowText, front, above+body), true
}
