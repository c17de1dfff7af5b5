package agents

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/transcript"
)

const (
	sessionMemoryDir  = "session-memory"
	sessionMemoryFile = "memory.md"
	// claudeSessionMemoryFile is what Claude Code calls it, in {session}/session-memory.
	claudeSessionMemoryFile = "summary.md"
	// maxSessionMemories is how many of them are listed, the newest.
	maxSessionMemories = 200
	// maxTranscript is how much of a transcript is read to find a few messages, in bytes.
	maxTranscript = 64 << 20
)

// SessionMemory is what was noted down in one conversation, to go on from when it becomes too long.
type SessionMemory struct {
	Session    string
	Path       string // absolute
	Size       int64  // bytes
	ModifiedAt time.Time
	Text       string // at most 1 MiB of it, valid UTF-8 without NUL
	Tokens     int    // about as many
	Messages   int    // with text, in the transcript, counted as far as it matters; memories.UncountedMessages: there is none
}

// SessionMemories returns where the agent's session memories are, the newest first. They lie in
// session-memory/{session}/memory.md of a hive agent's or a single directory, and of a project of Claude Code; there also in
// {session}/session-memory. What cannot be read is left out.
func SessionMemories(a Agent) []SessionMemory {
	root, err := os.OpenRoot(a.sessionMemoryHome())
	if err != nil {
		return nil
	}
	defer root.Close()
	var all []SessionMemory
	for _, session := range a.sessionsWithMemory(root) {
		if m, err := a.findSessionMemory(root, session); err == nil { // else it has none
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b SessionMemory) int {
		return cmp.Or(b.ModifiedAt.Compare(a.ModifiedAt), strings.Compare(a.Session, b.Session))
	})
	return all[:min(len(all), maxSessionMemories)]
}

// ReadSessionMemory returns the memory of a session. It fails with [fs.ErrNotExist] where there is none, and as ReadFile does.
func ReadSessionMemory(a Agent, session string) (SessionMemory, error) {
	if !filepath.IsLocal(session) || strings.ContainsAny(session, `/\`) || leftOut(session) {
		return SessionMemory{}, fs.ErrNotExist
	}
	root, err := os.OpenRoot(a.sessionMemoryHome())
	if err != nil {
		return SessionMemory{}, err
	}
	defer root.Close()
	m, err := a.findSessionMemory(root, session)
	if err != nil {
		return m, err
	}
	rel, err := filepath.Rel(root.Name(), m.Path)
	if err != nil {
		return m, err
	}
	raw, err := ReadFile(root, filepath.ToSlash(rel), memories.MaxFileSize)
	m.Text = strings.ReplaceAll(strings.ToValidUTF8(string(raw), "\uFFFD"), "\x00", "\uFFFD")
	m.Tokens, m.Messages = claudemd.ApproximateTokens(utf8.RuneCountInString(m.Text)), claudemd.UncountedMessages
	if a.Layout == Claude {
		m.Messages = messagesWithText(root, session+transcriptExt, claudemd.MinCompactionMessages)
	}
	return m, err
}

// sessionMemoryHome is the directory that session memories are in: a project's, of Claude Code; else the agent's own.
func (a Agent) sessionMemoryHome() string {
	if a.Layout == Claude && filepath.Base(a.Dir) == memoryDir {
		return filepath.Dir(a.Dir)
	}
	return a.Dir
}

// sessionsWithMemory returns the names that may be those of sessions with a memory.
func (a Agent) sessionsWithMemory(root *os.Root) []string {
	names := directoriesIn(root, sessionMemoryDir)
	if a.Layout == Claude {
		names = append(names, slices.DeleteFunc(directoriesIn(root, "."), func(name string) bool {
			_, err := root.Lstat(path.Join(name, sessionMemoryDir))
			return err != nil
		})...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func directoriesIn(root *os.Root, dir string) []string {
	var names []string
	for _, entry := range entriesOf(root, dir) {
		if entry.IsDir() && !leftOut(entry.Name()) && validName(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func (a Agent) findSessionMemory(root *os.Root, session string) (SessionMemory, error) {
	places := []string{path.Join(sessionMemoryDir, session, sessionMemoryFile)}
	if a.Layout == Claude {
		places = append(places, path.Join(session, sessionMemoryDir, sessionMemoryFile), path.Join(session, sessionMemoryDir, claudeSessionMemoryFile))
	}
	for _, place := range places {
		info, err := files.Stat(root, place)
		if err == nil && info.Mode().IsRegular() {
			return SessionMemory{
				Session: session, Path: filepath.Join(root.Name(), filepath.FromSlash(place)), Size: info.Size(), ModifiedAt: time.Unix(0, since1970(info.ModTime())).UTC(),
			}, nil
		}
	}
	return SessionMemory{}, fs.ErrNotExist
}

// messagesWithText counts the messages of a transcript that have text, up to most.
func messagesWithText(root *os.Root, name string, most int) int {
	file, err := files.Open(root, name)
	if err != nil {
		return claudemd.UncountedMessages
	}
	defer file.Close()
	return transcript.Count(io.LimitReader(file, maxTranscript), most)
}
