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
	// claudeSessionMemoryFile is Claude Code's name of the file, in {session}/session-memory.
	claudeSessionMemoryFile = "summary.md"
	// maxSessionMemories is how many session memories are listed, newest first. It is arbitrary.
	maxSessionMemories = 200
	// maxTranscript is how many bytes of a transcript are searched for a few messages. It is
	// arbitrary.
	maxTranscript = 64 << 20
)

// SessionMemory is the summary that an agent wrote in one session, to continue from when the
// conversation becomes too long.
type SessionMemory struct {
	Session    string
	Path       string // absolute
	Size       int64  // bytes
	ModifiedAt time.Time
	Text       string // at most 1 MiB; valid UTF-8 without NUL
	Tokens     int    // estimated
	Messages   int    // with text, up to MinCompactionMessages, or UncountedMessages
}

// SessionMemories returns the agent's session memories without Text, Tokens and Messages, newest
// first, at most maxSessionMemories. They are in session-memory/{session}/memory.md. Agents of
// Claude Code may also have {session}/session-memory/memory.md or summary.md. It omits unreadable
// ones, and returns nil if the directory cannot be opened.
func SessionMemories(a Agent) []SessionMemory {
	root, err := os.OpenRoot(a.sessionMemoryHome())
	if err != nil {
		return nil
	}
	defer root.Close()
	var all []SessionMemory
	for _, session := range a.sessionsWithMemory(root) {
		if m, err := a.findSessionMemory(root, session); err == nil { // an error means that it has none
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b SessionMemory) int {
		return cmp.Or(b.ModifiedAt.Compare(a.ModifiedAt), strings.Compare(a.Session, b.Session))
	})
	return all[:min(len(all), maxSessionMemories)]
}

// ReadSessionMemory returns the memory of a session with Text, Tokens and Messages. The error is
// [fs.ErrNotExist] if the session has no file that can be examined, or session is not a possible
// name of a directory. Otherwise it is the error of os.OpenRoot or ReadFile. Messages is
// UncountedMessages for agents that are not of Claude Code. Text larger than MaxFileSize is cut.
func ReadSessionMemory(a Agent, session string) (SessionMemory, error) {
	if !filepath.IsLocal(session) || strings.ContainsAny(session, `/\`) || isIgnored(session) {
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
	if a.Rules().HasSettings {
		m.Messages = messagesWithText(root, session+transcriptExt, claudemd.MinCompactionMessages)
	}
	return m, err
}

// sessionMemoryHome returns the directory of the session memories: for a project of Claude Code the
// project's directory, else the agent's own.
func (a Agent) sessionMemoryHome() string {
	if a.Rules().HasSettings && filepath.Base(a.Dir) == memoryDir {
		return filepath.Dir(a.Dir)
	}
	return a.Dir
}

// sessionsWithMemory returns the sorted names of directories that may be sessions with a memory,
// each once. It does not check that the memory's file exists.
func (a Agent) sessionsWithMemory(root *os.Root) []string {
	names := directoriesIn(root, sessionMemoryDir)
	if a.Rules().HasSettings {
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
		if entry.IsDir() && !isIgnored(entry.Name()) && validName(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// findSessionMemory returns a session's memory without Text, Tokens and Messages. The error is
// fs.ErrNotExist if no file of the session can be found or examined.
func (a Agent) findSessionMemory(root *os.Root, session string) (SessionMemory, error) {
	paths := []string{path.Join(sessionMemoryDir, session, sessionMemoryFile)}
	if a.Rules().HasSettings {
		paths = append(paths, path.Join(session, sessionMemoryDir, sessionMemoryFile), path.Join(session, sessionMemoryDir, claudeSessionMemoryFile))
	}
	for _, relPath := range paths {
		info, err := files.Stat(root, relPath)
		if err == nil && info.Mode().IsRegular() {
			return SessionMemory{
				Session: session, Path: filepath.Join(root.Name(), filepath.FromSlash(relPath)), Size: info.Size(), ModifiedAt: time.Unix(0, since1970(info.ModTime())).UTC(),
			}, nil
		}
	}
	return SessionMemory{}, fs.ErrNotExist
}

// messagesWithText counts the messages with text in the first maxTranscript bytes of a transcript,
// up to limit. It returns UncountedMessages if the transcript cannot be opened.
func messagesWithText(root *os.Root, name string, limit int) int {
	file, err := files.Open(root, name)
	if err != nil {
		return claudemd.UncountedMessages
	}
	defer file.Close()
	return transcript.Count(io.LimitReader(file, maxTranscript), limit)
}
