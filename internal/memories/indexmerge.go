package memories

import (
	"path"
	"strings"
)

// MergeIndex appends to a MEMORY.md the lines of another one that it lacks, as they stand there, and returns those. moved is asked for each link
// with its target, as for RemoveFromIndex, and says where the file is now: the link leads there then. A line whose links all lead to files that
// the index lists already is not lacking, whatever else it says, and neither is a blank one.
func MergeIndex(index, other []byte, moved func(target string) string) (out []byte, added []string) {
	bom, lines := cutIndex(index)
	has, listed := map[string]bool{}, map[string]bool{}
	note := func(line string) {
		has[strings.TrimSpace(line)] = true
		for _, link := range linksOf(line) {
			listed[link.target] = true
		}
	}
	for _, line := range lines {
		note(line)
	}
	end := "\n"
	if len(lines) > 0 && lineEnding(lines[0]) != "" {
		end = lineEnding(lines[0])
	}
	text := bom + strings.Join(lines, "")
	_, others := cutIndex(other)
	for _, line := range others {
		line = relinked(strings.TrimRight(line, "\r\n"), moved)
		if strings.TrimSpace(line) == "" || has[strings.TrimSpace(line)] || listsOnly(line, listed) {
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
func listsOnly(line string, listed map[string]bool) bool {
	links := linksOf(line)
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
		for group := 4; group >= 2; group-- {
			if from := m[2*group]; from >= 0 {
				line = line[:from] + targetLike(written, now, group == 4) + line[m[2*group+1]:]
				break
			}
		}
	}
	return line
}

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
