package memorymd

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Topic is a further index to which a line of MEMORY.md links. Agents do not load it; they read it
// when they follow the link. So its length has no limit.
type Topic struct {
	Path string // relative to the directory of MEMORY.md, such as "project/MEMORY.md"
	Raw  []byte // nil if it does not exist
}

// TopicPath returns the path of the topic for memories of a type, relative to the directory of
// MEMORY.md.
func TopicPath(t memories.Type) string { return path.Join(string(t), Name) }

// IsTopic reports whether a path relative to the directory of MEMORY.md is that of a Topic: an
// index in a subdirectory.
func IsTopic(file string) bool {
	dir, base := path.Split(path.Clean(file))
	return dir != "" && !strings.HasPrefix(dir, "../") && !path.IsAbs(file) && strings.EqualFold(base, Name)
}

// Topics returns the paths of the topics to which an index links, each once, in order.
func Topics(index []byte) (topics []string) {
	_, lines := cutIndex(index)
	refs := referencesIn(lines)
	for _, line := range lines {
		for _, link := range linksOf(strings.TrimRight(line, "\r\n"), refs) {
			if IsTopic(link.target) && !slices.Contains(topics, link.target) {
				topics = append(topics, link.target)
			}
		}
	}
	return topics
}

// Files returns the targets of all links of an index to files, as in Link.
func Files(index []byte) []string {
	_, lines := cutIndex(index)
	return targetsIn(lines, referencesIn(lines))
}

// Files returns the paths of the files that the topic lists, relative to the directory of
// MEMORY.md.
func (t Topic) Files() (listed []string) {
	for _, target := range Files(t.Raw) {
		listed = append(listed, path.Join(path.Dir(t.Path), target))
	}
	return listed
}

// Placement tells in which of an index and its topics a memory file is listed, or belongs.
type Placement struct{ inIndex, inTopics, topics map[string]bool }

// PlacementOf returns the Placement of files in an index, which is nil if it is missing. topics are
// those to which it links.
func PlacementOf(index []byte, topics []Topic) Placement {
	p := Placement{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, file := range Files(index) {
		p.inIndex[file] = true
	}
	for _, topic := range topics {
		p.topics[topic.Path] = true
		for _, file := range topic.Files() {
			p.inTopics[file] = true
		}
	}
	return p
}

// IndexFor returns the path of the index in which List should list f, relative to the directory of
// MEMORY.md: the topic of its type if there is one and MEMORY.md does not list f, else MEMORY.md. It
// is "" if a topic lists f.
func (p Placement) IndexFor(f IndexedFile) string {
	topic := TopicPath(f.Type)
	switch {
	case p.inTopics[f.Path]:
		return ""
	case p.topics[topic] && !p.inIndex[f.Path]:
		return topic
	default:
		return Name
	}
}

// Repair returns the MEMORY.md without dead links in its entries, with an entry for each of files
// that neither it nor a topic lists, and with long entries cut. If an agent would not load all of
// it, Repair also removes repeated entries and blank lines. If that is not enough, it moves the
// entries of whole types to topics, and lists the topics instead: first reference memories, then
// project, user and feedback memories. changed are the topics that it creates or extends.
//
// index is nil for a missing file. topics are those to which index links. Other lines stay, so that
// the result may still be too long. A second Repair changes nothing.
func Repair(index []byte, files []IndexedFile, topics []Topic, leads LinkResolver) (after []byte, changed []Topic) {
	listed := map[string]bool{}
	for _, topic := range topics {
		for _, file := range topic.Files() {
			listed[file] = true
		}
	}
	inIndex := slices.DeleteFunc(slices.Clone(files), func(f IndexedFile) bool { return listed[f.Path] })
	bom, lines := cutIndex(index)
	to := newResolver(files, leads)
	lines = withoutDeadEntries(lines, referencesIn(lines), to)
	lines = withShortEntries(withUnlisted(lines, inIndex, to))
	text := func() []byte { return []byte(bom + strings.Join(lines, "")) }
	isWhole := Read(text()).Warning == "" // an agent loads all of it
	for _, shorter := range []func() []string{
		func() []string { return withoutRepeated(lines, to) },
		func() []string { return withoutBlankLines(lines) },
	} {
		if isWhole {
			break
		}
		if after := shorter(); len(after) < len(lines) {
			lines = after
			isWhole = Read(text()).Warning == ""
		}
	}
	for _, t := range slices.Backward(memories.Types()) {
		if isWhole {
			break
		}
		topic := Topic{Path: TopicPath(t)}
		if at := slices.IndexFunc(topics, func(known Topic) bool { return known.Path == topic.Path }); at >= 0 {
			topic = topics[at]
		}
		var moved bool
		if lines, topic, moved = moveToTopic(lines, files, t, topic, to); moved {
			changed = append(changed, topic)
			isWhole = Read(text()).Warning == ""
		}
	}
	return text(), changed
}

// moveToTopic moves the entries for the files of a type to the topic, and adds an entry for the
// topic. It moves only entries with one link. moved is false if there is none; then nothing
// changes.
func moveToTopic(lines []string, files []IndexedFile, t memories.Type, topic Topic, to resolver) (rest []string, extended Topic, moved bool) {
	byPath := map[string]IndexedFile{}
	for _, f := range files {
		if f.Type == t {
			byPath[f.Path] = f
		}
	}
	bom, entries := cutIndex(topic.Raw)
	refs := referencesIn(lines)
	movedAbove := false
	for _, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		links := linksOf(text, refs)
		if movedAbove && isContinuation(text, refs) {
			entries = append(entries, text+"\n")
			continue
		}
		movedAbove = false
		if len(links) != 1 || !isEntry(text) || leadsToWeb(text) || links[0].written[0] == links[0].written[1] {
			rest = append(rest, line)
			continue
		}
		file, _ := to.resolve(links[0])
		f, isOfType := byPath[file]
		if !isOfType {
			rest = append(rest, line)
			continue
		}
		inTopic := f
		inTopic.Path = fromTopic(topic.Path, f.Path)
		entries = insertLine(entries, len(entries), relinked(text, links[0], f, inTopic), "\n", "\n")
		movedAbove, moved = true, true
	}
	if !moved {
		return lines, topic, false
	}
	topic.Raw = []byte(bom + strings.Join(entries, ""))
	if !to.filesIn(rest, refs)[topic.Path] {
		entry := Entry(t.Title()+" memories", topic.Path, "the list of further "+string(t)+" memories; read it when the task may touch them")
		rest = withEntries(rest, t, []string{entry}, refs, to)
	}
	return rest, topic, true
}

// fromTopic converts a path relative to the directory of MEMORY.md into one relative to the
// topic's.
func fromTopic(topic, file string) string {
	return strings.Repeat("../", strings.Count(path.Clean(topic), "/")) + file
}

// withoutRepeated returns the lines without entries whose links all lead to files that are linked
// further up. Entries with a link to the web or to a missing file stay.
func withoutRepeated(lines []string, to resolver) []string {
	listed, refs := map[string]bool{}, referencesIn(lines)
	var result []string
	for _, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		links := linksOf(text, refs)
		if matchDefinition(text) != nil {
			result = append(result, line)
			continue
		}
		isNew := false
		for _, link := range links {
			file, exists := to.resolve(link)
			isNew = isNew || !exists || !listed[file]
		}
		for _, link := range links {
			file, _ := to.resolve(link)
			listed[file] = true
		}
		if isNew || len(links) == 0 || !isEntry(text) || leadsToWeb(text) {
			result = append(result, line)
		}
	}
	return result
}

// withShortEntries returns the lines with entries of more than MaxEntryLength characters cut.
// Entries with several links, with a link to the web, or whose link would not stay are not cut.
func withShortEntries(lines []string) []string {
	refs := referencesIn(lines)
	shortened := make([]string, len(lines))
	for i, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		shortened[i] = line
		links := linksOf(text, refs)
		if utf8.RuneCountInString(text) <= memories.MaxEntryLength || len(links) != 1 || !isEntry(text) || leadsToWeb(text) {
			continue
		}
		cut := memtext.CutRunes(text, memories.MaxEntryLength-1)
		if at := strings.LastIndexByte(cut, ' '); at > 0 {
			cut = strings.TrimRight(cut[:at], " ,;:—-")
		}
		if cut += "…"; len(linksOf(cut, refs)) == 1 && linksOf(cut, refs)[0].target == links[0].target {
			shortened[i] = cut + memtext.LineEnding(line)
		}
	}
	return shortened
}

// withoutBlankLines returns the lines without single blank lines between two entries.
func withoutBlankLines(lines []string) []string {
	var result []string
	for i, line := range lines {
		blank := strings.TrimSpace(line) == ""
		if blank && i > 0 && i+1 < len(lines) && isEntry(strings.TrimRight(lines[i-1], "\r\n")) && isEntry(strings.TrimRight(lines[i+1], "\r\n")) {
			continue
		}
		result = append(result, line)
	}
	return result
}
