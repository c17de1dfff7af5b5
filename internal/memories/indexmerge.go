package memories

import (
	"path"
	"slices"
	"strings"
)

// MergeIndex appends to a MEMORY.md the lines of another one that it lacks, as they stand there, and returns those. moved is asked for each link
// with its target, as for RemoveFromIndex, and says where the file is now: the link leads there then. A line whose links all lead to files that
// the index lists already is not lacking, whatever else it says, and neither is a blank one.
func MergeIndex(index, other []byte, moved func(target string) string) (out []byte, added []string) {
	bom, lines := cutIndex(index)
	has, listed := map[string]bool{}, map[string]bool{}
	refs := referencesIn(lines)
	note := func(line string) {
		has[strings.TrimSpace(line)] = true
		if matchDefinition(line) != nil {
			return
		}
		for _, link := range linksOf(line, refs) {
			listed[link.target] = true
		}
	}
	for _, line := range lines {
		note(strings.TrimRight(line, "\r\n"))
	}
	end := "\n"
	if len(lines) > 0 && lineEnding(lines[0]) != "" {
		end = lineEnding(lines[0])
	}
	text := bom + strings.Join(lines, "")
	_, others := cutIndex(other)
	refs = referencesIn(append(slices.Clone(lines), others...))
	for _, line := range others {
		line = relinked(strings.TrimRight(line, "\r\n"), moved)
		if strings.TrimSpace(line) == "" || has[strings.TrimSpace(line)] || listsOnly(line, refs, listed) {
			continue
		}
		note(line)
		if text != bom && !strings.HasSuffix(text, "\n") {
			text += end
		}
		text += line + end
		added = append(added, line)
	}
	if len(added) == 0 {
		return index, nil
	}
	return []byte(text), added
}

// RelinkIndex returns a MEMORY.md with its links leading to where the files are now, as moved says. All else keeps its bytes.
func RelinkIndex(index []byte, moved func(target string) string) []byte {
	bom, lines := cutIndex(index)
	for i, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		lines[i] = relinked(text, moved) + lineEnding(line)
	}
	return []byte(bom + strings.Join(lines, ""))
}

// listsOnly says whether a line has links to files, and all of them lead to files that are listed.
func listsOnly(line string, refs references, listed map[string]bool) bool {
	links := linksOf(line, refs)
	for _, link := range links {
		if !listed[link.target] {
			return false
		}
	}
	return len(links) > 0 && !leadsToWeb(line)
}

// relinked returns a line with its links leading to where the files are now.
func relinked(line string, moved func(target string) string) string {
	matches := matchLinks(line)
	if m := matchDefinition(line); m != nil {
		matches = [][]int{m}
	}
	for i := len(matches) - 1; i >= 0; i-- {
		m := matches[i]
		written := writtenTarget(line, m)
		target := cleanTarget(written)
		if target == "" || hasScheme(written) {
			continue
		}
		now := moved(target)
		if now == target {
			continue
		}
		for group := stemGroup; group >= 2; group-- {
			if from := m[2*group]; from >= 0 {
				if group == stemGroup && written != line[from:m[2*group+1]] && isMarkdownName(now) {
					now = strings.TrimSuffix(now, path.Ext(now))
				}
				line = line[:from] + targetLike(written, now, group >= fileGroup) + line[m[2*group+1]:]
				break
			}
		}
	}
	return line
}

func isMarkdownName(file string) bool { return strings.EqualFold(path.Ext(file), ".md") }

// targetLike writes a target in the way of another one, whose fragment it keeps. A bare one is the name of a file in brackets, which knows
// no escapes.
func targetLike(written, now string, bare bool) string {
	if bare {
		return now
	}
	if strings.HasPrefix(written, "./") {
		now = "./" + path.Clean(now)
	}
	now = escapeTarget(now)
	if at := strings.IndexByte(written, '#'); at >= 0 {
		now += written[at:]
	}
	return now
}
