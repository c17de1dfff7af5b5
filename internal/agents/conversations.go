package agents

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// activeFor is how long after its last message a conversation counts as active. It is arbitrary.
const activeFor = 10 * time.Minute

// ConversationsSince counts an agent's conversations that changed after since, up to limit. For a
// hive agent it counts sessions with changed memory files. For a project of Claude Code it counts
// transcripts, without the newest if that changed less than ten minutes before now. Directories
// that cannot be read count as empty. known is false for other agents, whose conversations cannot
// be counted.
func ConversationsSince(a Agent, since, now time.Time, limit int) (count int, known bool) {
	if a.Rules().HasSessions {
		return sessionsSince(a, since, limit), true
	}
	if _, isProject := claudeProject(a.Layout, a.Dir); isProject {
		return transcriptsSince(filepath.Dir(a.Dir), since, now, limit), true
	}
	return 0, false
}

func sessionsSince(a Agent, since time.Time, limit int) int {
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	count := 0
	for _, session := range entriesOf(root, sessionsDir) {
		if !isIgnored(session.Name()) && sessionChanged(root, path.Join(sessionsDir, session.Name()), since) {
			count++
		}
		if count == limit {
			break
		}
	}
	return count
}

// sessionChanged reports whether a session's directory, its memory directory or a Markdown file in
// that was modified after since. It reports false if dir is not a directory.
func sessionChanged(root *os.Root, dir string, since time.Time) bool {
	info, err := root.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	if info.ModTime().After(since) || changedAfter(root, path.Join(dir, memoryDir), since) {
		return true
	}
	for _, file := range entriesOf(root, path.Join(dir, memoryDir)) {
		if isMarkdown(file.Name()) && changedAfter(root, path.Join(dir, memoryDir, file.Name()), since) {
			return true
		}
	}
	return false
}

func changedAfter(root *os.Root, path string, since time.Time) bool {
	info, err := root.Lstat(path)
	return err == nil && info.ModTime().After(since)
}

// transcriptsSince counts a project's transcripts that were modified after since, up to limit. It
// does not count the newest one if that was modified less than activeFor before now. It returns 0
// if the project's directory cannot be read.
func transcriptsSince(project string, since, now time.Time, limit int) int {
	root, err := os.OpenRoot(project)
	if err != nil {
		return 0
	}
	defer root.Close()
	count := 0
	var newest time.Time
	for _, entry := range entriesOf(root, ".") {
		if !strings.HasSuffix(entry.Name(), transcriptExt) {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.ModTime().After(since) {
			count++
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	if newest.After(since) && now.Sub(newest) < activeFor {
		count--
	}
	return min(count, limit)
}

// entriesOf returns the entries of a directory that it can read, in any order; none if the
// directory cannot be opened.
func entriesOf(root *os.Root, dir string) []fs.DirEntry {
	entries, _ := readEntries(root, dir) // an unopenable directory counts as empty
	return entries
}

// readEntries returns the entries of a directory that it can read, in any order. It fails only if
// the directory cannot be opened.
func readEntries(root *os.Root, dir string) ([]fs.DirEntry, error) {
	handle, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	entries, _ := handle.ReadDir(-1) // entries read before an error are used too
	return entries, nil
}

// Session describes a session directory, as far as its name tells.
type Session struct {
	Name    string // the directory's name
	User    string // User, Channel and Thread are zero if the name is not {user}-{channel}-{thread}
	Channel string
	Thread  time.Time // UTC; the start of the conversation's thread
}

// The thread is a time stamp of a chat system: seconds since 1970 and up to nine decimal digits. A
// channel contains no dash, a user may.
var sessionName = regexp.MustCompile(`^(.+)-([^-]+)-([0-9]{9,11})(?:\.([0-9]{1,9}))?$`)

// ParseSession parses the name of a session directory. For other forms of names it sets only Name.
func ParseSession(name string) Session {
	parts := sessionName.FindStringSubmatch(name)
	if parts == nil {
		return Session{Name: name}
	}
	seconds, err := strconv.ParseInt(parts[3], 10, 64)
	if err != nil {
		return Session{Name: name}
	}
	nanos, err := strconv.ParseInt((parts[4] + "000000000")[:9], 10, 64)
	if err != nil {
		return Session{Name: name}
	}
	return Session{Name: name, User: parts[1], Channel: parts[2], Thread: time.Unix(seconds, nanos).UTC()}
}
