package frontmatter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories/memtext"
)

// shape is the place or format of a frontmatter.
type shape string

// The shapes of a frontmatter. All but inPlace are reported as a problem and can be fixed.
const (
	inPlace     shape = ""
	belowBlank  shape = "below blank lines or a comment"
	belowText   shape = "below other text"
	inCodeFence shape = "in a code fence"
	inComment   shape = "in a comment"
	oddFence    shape = "between lines that are not ---"
	dotsClose   shape = "closed with ... instead of ---"
	twoBlocks   shape = "in two blocks"
	otherKeys   shape = "written with other letters in its keys"
	inTOML      shape = "in TOML"
	inJSON      shape = "in JSON"
)

func (s shape) message() string {
	return "The frontmatter is " + string(s) + ". It was read, but other programs may not find it. " +
		s.fixLabel() + "."
}

// fixLabel returns the button text of the fix.
func (s shape) fixLabel() string {
	switch s {
	case inCodeFence:
		return "Take the code fence off"
	case inComment:
		return "Take it out of the comment"
	case oddFence, dotsClose:
		return "Write the lines as ---"
	case twoBlocks:
		return "Merge the two blocks"
	case otherKeys:
		return "Correct the keys"
	case inTOML, inJSON:
		return "Write it as YAML"
	default:
		return "Move the frontmatter to the top"
	}
}

// knownKeys are the top-level keys that Memoir reads.
var knownKeys = []string{"name", "description", "type", "metadata"}

// knownMetadata are the keys of metadata that Memoir reads.
var knownMetadata = []string{"name", "description", "type", "modified", MetadataSession}

// foldKey returns a key in lower case, without quotes and emphasis.
func foldKey(key string) string {
	return strings.ToLower(strings.TrimFunc(key, func(r rune) bool {
		return isInvisible(r) || strings.ContainsRune("\"'`*{", r)
	}))
}

// isInvisible reports whether r is white space or has no width.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200B' || r == '\uFEFF'
}

func trimBlank(s string) string { return strings.TrimFunc(s, isInvisible) }

// isFrontmatter reports whether the text between two lines --- is a frontmatter and not prose
// between two rules. A frontmatter has a known key, or consists of entries whose keys are single
// words.
func isFrontmatter(front string) bool {
	keys, longest := keysIn(front)
	return len(keys) > 0 || longest <= 1
}

const (
	// maxKeyWords is how many words a key may have. It is arbitrary; people use "Date created".
	maxKeyWords = 3
	noKey       = maxKeyWords + 1
)

// keysIn returns the known keys that start a line of text, folded. longest is the number of words
// of the longest key, or noKey if a line is not part of an entry.
func keysIn(text string) (keys []string, longest int) {
	level := -1
	for rest := text; rest != ""; {
		var line string
		line, rest = memtext.CutLine(rest)
		bare := strings.TrimRight(line, "\r\n")
		trimmed := trimBlank(bare)
		if trimmed == "" || isComment(trimmed) {
			continue
		}
		isFirst := level < 0
		if isFirst {
			level = indentOf(bare)
		}
		key, _, ok := splitEntry(strings.TrimPrefix(trimmed, "- "))
		switch {
		case ok && indentOf(bare) <= level && slices.Contains(knownKeys, foldKey(key)):
			keys = append(keys, foldKey(key))
			longest = max(longest, 1)
		case !isFirst && (indentOf(bare) > level || isItem(trimmed)):
		case ok && !isItem(trimmed):
			longest = max(longest, len(strings.Fields(key)))
		case strings.Trim(trimmed, "{}[],") != "": // other lines are parts of a mapping in braces
			longest = noKey
		}
	}
	return keys, longest
}

// isMemory reports whether a text is the frontmatter of a memory. If strict, it requires a name and
// a type and allows only entries.
func isMemory(front string, strict bool) bool {
	keys, longest := keysIn(front)
	name := slices.Contains(keys, "name")
	kind := slices.Contains(keys, "type") || slices.Contains(keys, "metadata")
	prose := longest > maxKeyWords
	if strict || !name || !kind {
		return !prose && (name && kind || !strict && (name || kind))
	}
	return true
}

// isOddFence reports whether a line is an unusual fence: indented, with more hyphens, or with
// dashes that an editor put in their place.
func isOddFence(line string) bool {
	text := trimBlank(line)
	dashes := strings.Trim(text, "–—-")
	return dashes == "" && (len(text) >= len("---") && strings.Trim(text, "-") == "" || strings.ContainsAny(text, "–—"))
}

// maxPreamble is how many bytes of text may be above a frontmatter. It is arbitrary: a few lines.
const maxPreamble = 2 << 10

// findFrontmatter finds a frontmatter in an unusual place or format. p must have the whole file in
// its body.
func findFrontmatter(p page) (found page, ok bool) {
	above, rest := cutBlank(p.body)
	comments := ""
	for len(comments) <= maxPreamble {
		if front, body, inside := cutComment(rest); inside {
			return p.with(inComment, comments+front, body), true
		}
		comment, after := cutHTMLComment(rest)
		if comment == "" {
			break
		}
		comments += asComment(comment, p.eol)
		above = comment
		_, rest = cutBlank(after)
	}
	type cut struct {
		shape shape
		split func(text string) (front, body string, ok bool)
	}
	opener, _ := memtext.CutLine(rest)
	fenced := oddFence
	if isFence(opener) && above != "" {
		fenced = belowBlank
	}
	for _, try := range []cut{
		{dotsClose, cutDots}, {fenced, cutFenced}, {inCodeFence, cutCodeFence}, {inTOML, cutTOML}, {inJSON, cutJSON},
	} {
		if front, body, ok := try.split(rest); ok {
			return p.with(try.shape, comments+front, body), true
		}
	}
	return cutPreamble(p)
}

// with returns the page with a frontmatter of shape s.
func (p page) with(s shape, front, body string) page {
	if front != "" && memtext.LineEnding(front) == "" {
		front += p.eol
	}
	p.shape, p.front, p.body = s, front, body
	p.opener, p.closer = "---"+p.eol, "---"+p.eol
	return p
}

// cutBlank splits a text after its blank lines. It examines maxPreamble bytes at most.
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

// cutHTMLComment splits a text after the HTML comment at its start, including the line end.
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

// asComment returns the lines of a text as YAML comments.
func asComment(text, eol string) string {
	var out strings.Builder
	for _, line := range memtext.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out.WriteString("# " + line + eol)
		}
	}
	return out.String()
}

// cutComment splits a text at the HTML comment at its start, if that contains a frontmatter.
func cutComment(text string) (front, body string, ok bool) {
	comment, rest := cutHTMLComment(text)
	if comment == "" {
		return "", "", false
	}
	inner := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(comment, "<!--")), "-->")
	_, inner = cutBlank(strings.TrimLeft(inner, " \t"))
	if front, body, ok = cutFenced(inner); ok {
		return front, joinBodies(body, rest), true
	}
	if isMemory(inner, true) {
		return strings.TrimRight(inner, " \t"), rest, true
	}
	return "", "", false
}

func joinBodies(first, second string) string {
	if trimBlank(first) == "" {
		return second
	}
	return first + second
}

// cutFenced splits a text at the frontmatter at its start, also between unusual fences. A text
// after the first fence becomes a comment.
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

// cutDots splits a text at a frontmatter that ends with a line "...", as YAML documents do.
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

// cutCodeFence splits a text at the code fence at its start, if that contains a frontmatter, with
// or without the body.
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

// cutPreamble finds a complete frontmatter below a few lines of text.
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
	return p.with(belowText, front, above+body), true
}

// lowerKeys returns the page with known keys in their usual spelling, if they are in other letter
// case or in emphasis.
func lowerKeys(p page) page {
	lines := memtext.Lines(p.front)
	changed := lowerKeysOf(lines, knownKeys)
	for i, line := range lines {
		if key, rest, ok := splitEntry(strings.TrimRight(line, "\r\n")); ok && key == "metadata" && rest == "" && indentOf(line) == levelOf(lines) {
			end := i + 1
			for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || indentOf(lines[end]) > indentOf(line)) {
				end++
			}
			changed = lowerKeysOf(lines[i+1:end], knownMetadata) || changed
			break
		}
	}
	if changed {
		p.front = strings.Join(lines, "")
		p = p.found(otherKeys)
	}
	return p
}

// found returns the page with shape s, unless it has a shape already.
func (p page) found(s shape) page {
	if p.shape == inPlace {
		p.shape = s
	}
	return p
}

// lowerKeysOf corrects the first line of each known key with another spelling, unless another line
// of that level has the right spelling.
func lowerKeysOf(lines []string, keys []string) (changed bool) {
	level := levelOf(lines)
	places := map[string]int{}
	for i, line := range lines {
		bare := strings.TrimRight(line, "\r\n")
		if indentOf(bare) > level || strings.HasPrefix(trimBlank(bare), "{") {
			continue
		}
		key, _, ok := splitEntry(bare)
		if !ok {
			continue
		}
		at := slices.IndexFunc(keys, func(known string) bool { return strings.EqualFold(known, foldKey(key)) })
		if at < 0 {
			continue
		}
		colon := strings.IndexAny(bare, ":\uFF1A")
		if unquote(strings.Trim(bare[:colon], " \t")) == keys[at] {
			places[keys[at]] = -1
		} else if _, seen := places[keys[at]]; !seen {
			places[keys[at]] = i
		}
	}
	for key, i := range places {
		if i < 0 {
			continue
		}
		colon := strings.IndexAny(lines[i], ":\uFF1A")
		_, size := utf8.DecodeRuneInString(lines[i][colon:])
		indent := lines[i][:min(indentOf(lines[i]), level)]
		rest := lines[i][colon+size:]
		if rest != "" && strings.TrimLeft(rest[:1], " \t\r\n") != "" {
			rest = " " + rest
		}
		lines[i] = indent + key + ":" + rest
		changed = true
	}
	return changed
}

// mergeSecond returns the page with further frontmatter blocks merged into the first. It stops at a
// block that adds no missing name or type. The first block takes precedence.
func mergeSecond(p page) page {
	for {
		merged, ok := mergeNext(p)
		if !ok {
			return p
		}
		p = merged
	}
}

func mergeNext(p page) (merged page, ok bool) {
	_, rest := cutBlank(p.body)
	if opener, _ := memtext.CutLine(rest); !isFence(opener) {
		return p, false
	}
	front, body, ok := cutFenced(rest)
	if !ok || len(front)+len(p.front) > maxFrontmatter {
		return p, false
	}
	second := lowerKeys(page{front: front, eol: p.eol})
	first, isYAML := readEntries(p.front)
	added, addsYAML := readEntries(second.front)
	if first == nil || added == nil || isAliasBomb(first) || isAliasBomb(added) {
		return p, false
	}
	hasName, hasType := statedKeys(first)
	addsName, addsType := statedKeys(added)
	if (hasName || !addsName) && (hasType || !addsType) {
		return p, false
	}
	merged = p
	if memtext.LineEnding(p.front) == "" && p.front != "" {
		merged.front += p.eol
	}
	merged.front += second.front
	if _, err := readYAML(memtext.Canonical(merged.front)); err != nil || !isYAML || !addsYAML {
		merged.front = encodeMapping(mergeMappings(withoutAliases(first), withoutAliases(added)), p.eol)
	}
	merged.body = body
	return merged.found(twoBlocks), merged.front != "" && len(merged.front) <= maxFrontmatter
}

// readEntries parses a frontmatter. mapping is nil if it has too many entries. isYAML is false for
// invalid YAML.
func readEntries(front string) (mapping *yaml.Node, isYAML bool) {
	front = memtext.Canonical(front)
	mapping, err := readYAML(front)
	if err != nil {
		return readLeniently(front), false
	}
	return mapping, true
}

// statedKeys reports whether a mapping has a name and a type.
func statedKeys(mapping *yaml.Node) (hasName, hasType bool) {
	return strings.TrimSpace(statedText(mapping, "name")) != "", strings.TrimSpace(statedText(mapping, "type")) != ""
}

// mergeMappings adds to first the keys of second that it lacks. Keys with different values in
// second are kept under unreadKey.
func mergeMappings(first, second *yaml.Node) *yaml.Node {
	unread := newMapping()
	for i := 0; i+1 < len(second.Content); i += 2 {
		key, value := second.Content[i], second.Content[i+1]
		has := valueAt(first, key.Value)
		switch {
		case has == nil:
			first.Content = append(first.Content, key, value)
		case sameValue(has, value):
		case key.Value == "metadata" && has.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			mergeMappings(has, value)
		default:
			unread.Content = append(unread.Content, key, value)
		}
	}
	if len(unread.Content) > 0 {
		text := strings.TrimRight(encodeMapping(unread, "\n"), "\n")
		first.Content = append(first.Content, newText(unreadKey), newText(text))
	}
	return first
}
