package frontmatter

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories/memtext"
)

// lowerKeys returns the page with known keys, such as Name or **Type**, in their usual spelling,
// also in metadata. It leaves a key that another line has in the usual spelling. If it changes a
// key, a page with shape inPlace gets shape otherKeys; other shapes stay.
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
		p = p.withShape(otherKeys)
	}
	return p
}

// withShape returns the page with shape s, unless it has a shape already.
func (p page) withShape(s shape) page {
	if p.shape == inPlace {
		p.shape = s
	}
	return p
}

// entryLine matches a line with a key: its indent, its key, and the rest with the line end.
var entryLine = regexp.MustCompile(`(?s)^([ \t]*)([^:：]*)[:：](.*)$`)

// lowerKeysOf corrects the spelling of keys in lines, in place. For each of keys, it corrects the
// first line that has it in another letter case or with emphasis. It leaves a key that a line has
// exactly. It reports whether it changed a line.
func lowerKeysOf(lines []string, keys []string) (changed bool) {
	level := levelOf(lines)
	lineOf := map[string]int{} // the line to correct, or -1 if a line has the exact key
	for i, line := range lines {
		parts := entryLine.FindStringSubmatch(line)
		if parts == nil || len(parts[1]) > level || strings.HasPrefix(trimBlank(line), "{") {
			continue
		}
		at := slices.IndexFunc(keys, func(known string) bool { return strings.EqualFold(known, foldKey(parts[2])) })
		if at < 0 {
			continue
		}
		if unquote(strings.TrimRight(parts[2], " \t")) == keys[at] {
			lineOf[keys[at]] = -1
		} else if _, seen := lineOf[keys[at]]; !seen {
			lineOf[keys[at]] = i
		}
	}
	for key, i := range lineOf {
		if i < 0 {
			continue
		}
		parts := entryLine.FindStringSubmatch(lines[i])
		indent, rest := parts[1][:min(len(parts[1]), level)], parts[3]
		if rest != "" && !strings.ContainsAny(rest[:1], " \t\r\n") {
			rest = " " + rest
		}
		lines[i] = indent + key + ":" + rest
		changed = true
	}
	return changed
}

// mergeSecond returns the page with the frontmatter blocks that follow the first one merged into
// it, with shape twoBlocks. It stops at a block that adds no missing name or type, or cannot be
// merged. The first block takes precedence. Without such a block, it returns p.
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
	if !isYAML || !addsYAML || readYAML(memtext.Canonical(merged.front)) == nil {
		merged.front = encodeMapping(mergeMappings(withoutAliases(first), withoutAliases(added)), p.eol)
	}
	merged.body = body
	return merged.withShape(twoBlocks), merged.front != "" && len(merged.front) <= maxFrontmatter
}

// readEntries parses a frontmatter as YAML, or line by line if it is not valid YAML; isYAML reports
// which. mapping is nil if it has too many entries.
func readEntries(front string) (mapping *yaml.Node, isYAML bool) {
	front = memtext.Canonical(front)
	if mapping = readYAML(front); mapping != nil {
		return mapping, true
	}
	return readLeniently(front), false
}

// statedKeys reports whether a mapping has a name and a type, at the top level or in metadata, that
// are not blank.
func statedKeys(mapping *yaml.Node) (hasName, hasType bool) {
	return strings.TrimSpace(statedText(mapping, "name")) != "", strings.TrimSpace(statedText(mapping, "type")) != ""
}

// mergeMappings adds to first the entries of second that first lacks, and returns first. It merges
// two mappings under metadata in the same way. Entries of second with another value for the same
// key are added as text under unreadKey.
func mergeMappings(first, second *yaml.Node) *yaml.Node {
	unread := newMapping()
	for i := 0; i+1 < len(second.Content); i += 2 {
		key, value := second.Content[i], second.Content[i+1]
		existing := valueAt(first, key.Value)
		switch {
		case existing == nil:
			first.Content = append(first.Content, key, value)
		case sameValue(existing, value):
		case key.Value == "metadata" && existing.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode:
			mergeMappings(existing, value)
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
