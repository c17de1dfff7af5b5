package agents

import (
	"cmp"
	"encoding/hex"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

// A note is a file that asks a client to remember, change or forget a memory. The client writes its
// own memory, and reads new notes when it does so the next time. It never removes one.

// Entries of a note's metadata. The values of noteRequest are for the client.
const (
	noteRequest = "request"
	noteGroup   = "task_group"
	noteForget  = "forget" // fingerprint of the text to forget, in hexadecimal

	requestRemember = "Remember this memory."
	requestChange   = "Replace what the task group says by this memory."
	requestForget   = "Forget this task group."
)

// TakesNotes reports whether Memoir changes the memories by notes for the client.
func (r Rules) TakesNotes() bool { return r.Notes != "" }

// IsReadOnly reports whether Memoir never changes the memories.
func (r Rules) IsReadOnly() bool { return r.Keeper != "" && !r.TakesNotes() }

// IsNote reports whether a path is that of a note.
func (a Agent) IsNote(relPath string) bool {
	relPath = path.Clean(relPath)
	return a.Rules().TakesNotes() && path.Dir(relPath) == a.Rules().Notes && isMarkdown(relPath) && !isIndex(path.Base(relPath))
}

// isNotePath reports whether the path below a memory directory with these elements leads to notes.
func (r Rules) isNotePath(names []string) bool {
	at := strings.Join(names, "/")
	return r.TakesNotes() && (Beneath(r.Notes, at) || path.Dir(at) == r.Notes)
}

const (
	// noteTime is the beginning of a note's file name, as Codex requires it.
	noteTime = "2006-01-02T15-04-05"
	// maxNoteSlug limits the rest of the name. Codex allows 80 characters; some are for a number.
	maxNoteSlug = 70
)

var notInNoteSlug = regexp.MustCompile(`[^a-z0-9]+`)

// NewNote returns the n-th path to try for a note about a memory; n starts at 1.
func (a Agent) NewNote(name string, n int, now time.Time) string {
	slug := strings.Trim(notInNoteSlug.ReplaceAllString(memories.KebabSlug(name), "-"), "-")
	slug = cmp.Or(strings.Trim(slug[:min(len(slug), maxNoteSlug)], "-"), "memory")
	// The client accepts hyphens, but no underscores.
	file := strings.ReplaceAll(memories.NumberedFileName(now.UTC().Format(noteTime)+"-"+slug+".md", n), "_", "-")
	return path.Join(a.PrimaryDir(), a.Rules().Notes, file)
}

// noteLabel returns the name that the path of a note states: that of the file, without its time.
func noteLabel(relPath string) string {
	stem := strings.TrimSuffix(path.Base(relPath), path.Ext(relPath))
	if len(stem) > len(noteTime)+1 {
		if _, err := time.Parse(noteTime, stem[:len(noteTime)]); err == nil {
			return strings.TrimPrefix(stem[len(noteTime):], "-")
		}
	}
	return stem
}

// ChangeNote returns the metadata of a note that changes the memory in a section of the client's file.
func ChangeNote(section []byte) map[string]string {
	return map[string]string{noteRequest: requestChange, noteGroup: groupOf(section)}
}

// ForgetNote returns a note that asks to forget the memory in a section of the client's file. content
// is the fingerprint of the memory.
func ForgetNote(name string, section []byte, content memories.Fingerprint) []byte {
	group := groupOf(section)
	text := "Forget the task group “" + group + "”. Remove it from MEMORY.md, and what memory_summary.md says about it. The user has deleted it.\n"
	note := frontmatter.Encode(memories.Content{Name: name, Type: memories.Project, Body: text})
	return frontmatter.WithMetadata(note, map[string]string{noteRequest: requestForget, noteGroup: group, noteForget: hex.EncodeToString(content[:])})
}

// groupOf returns the title of a section.
func groupOf(section []byte) string {
	heading, _, _ := strings.Cut(string(section), "\n")
	return printable(strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(heading, "#"), " Task Group:")))
}

// Forgotten returns the notes that ask to forget a memory, by the name of the memory and the
// fingerprint of the text. It includes those that the client has read already.
func (a Agent) Forgotten(root *os.Root) map[Forgotten]string {
	found := map[Forgotten]string{}
	for _, relPath := range a.notes(root) {
		raw, err := ReadFile(root, relPath, memories.MaxFileSize)
		if err != nil {
			continue // it is no reason against a memory
		}
		if content, err := hex.DecodeString(frontmatter.MetadataOf(raw, noteForget)); err == nil && len(content) == len(memories.Fingerprint{}) {
			found[Forgotten{a.Parse(raw, relPath).Name, memories.Fingerprint(content)}] = relPath
		}
	}
	return found
}

// Forgotten is a text that a note asks to forget.
type Forgotten struct {
	Name    string
	Content memories.Fingerprint
}

// notes returns the paths of all notes, sorted.
func (a Agent) notes(root *os.Root) (all []string) {
	if !a.Rules().TakesNotes() {
		return nil
	}
	dir := path.Join(a.PrimaryDir(), a.Rules().Notes)
	_ = readDirectory(root, dir, func(it item) { // a missing directory has no notes
		if relPath := path.Join(dir, it.name); it.info.Mode().IsRegular() && a.IsNote(relPath) && !isIgnored(it.name) {
			all = append(all, relPath)
		}
	}, func(string, error) {})
	slices.Sort(all)
	return all
}

// IsOpenNote reports whether the client has yet to read a note. It reports false for a missing file.
func (a Agent) IsOpenNote(root *os.Root, relPath string) bool {
	info, err := root.Lstat(relPath)
	if err != nil {
		return false
	}
	raw, err := ReadFile(root, relPath, memories.MaxFileSize)
	return err == nil && !newNoteReader(a, root).isRead(relPath, raw, info.ModTime())
}

// noteReader finds the notes that the client has read.
type noteReader struct {
	agent   Agent
	known   map[string]string // by file name: git ids of the notes in the client's baseline
	since   time.Time         // when the baseline was made, if git has packed it; else zero
	memory  string            // the client's memory, without line breaks
	written time.Time         // when the client wrote it
}

func newNoteReader(a Agent, root *os.Root) *noteReader {
	r := &noteReader{agent: a}
	var isKnown bool
	if r.known, isKnown = gitTree(root, a.Rules().Notes); !isKnown {
		r.since = gitPacked(root)
	}
	at := path.Join(a.PrimaryDir(), indexName)
	raw, err := ReadFile(root, at, memories.MaxFileSize)
	if err != nil {
		return r
	}
	if info, err := root.Stat(at); err == nil {
		r.memory, r.written = onOneLine(string(raw)), info.ModTime()
	}
	return r
}

// isRead reports whether the client has read a note with the bytes raw, written at a time: its
// baseline, which it renews after it has read all notes, has the note, or it has written the text into
// its memory since.
func (r *noteReader) isRead(relPath string, raw []byte, at time.Time) bool {
	if r.known[path.Base(relPath)] == gitBlobID(raw) || at.Before(r.since) {
		return true
	}
	if frontmatter.MetadataOf(raw, noteForget) != "" || !r.written.After(at) {
		return false
	}
	body := onOneLine(r.agent.Parse(raw, relPath).Body)
	return body != "" && strings.Contains(r.memory, body)
}

// isMemory reports whether a note is a memory: it asks to remember something that the client has not
// read yet.
func (r *noteReader) isMemory(relPath string, raw []byte, at time.Time) bool {
	return frontmatter.MetadataOf(raw, noteForget) == "" && !r.isRead(relPath, raw, at)
}

func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
