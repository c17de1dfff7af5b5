package agents

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// goingOn is how long after its last word a conversation counts as one that goes on.
const goingOn = 10 * time.Minute

// ConversationsSince counts an agent's conversations in which something happened after a time, up to most of them: of a hive agent the
// sessions whose directory, memory directory or memory files have changed, of a project of Claude Code its transcripts. Of the
// transcripts the one that was written last is left out while its conversation goes on at now. known is false where the agent's
// conversations leave no traces that belong to it: those of custom agents and of directories named by hand.
func ConversationsSince(a Agent, since, now time.Time, most int) (count int, known bool) {
	switch {
	case a.Layout == Hive:
		return sessionsSince(a, since, most), true
	case a.Layout == Claude && filepath.Base(a.Dir) == memoryDir && filepath.Base(filepath.Dir(filepath.Dir(a.Dir))) == projectsDir:
		return transcriptsSince(filepath.Dir(a.Dir), since, now, most), true
	}
	return 0, false
}

func sessionsSince(a Agent, since time.Time, most int) int {
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	count := 0
	for _, session := range entriesOf(root, sessionsDir) {
		if !leftOut(session.Name()) && sessionChanged(root, path.Join(sessionsDir, session.Name()), since) {
			count++
		}
		if count == most {
			break
		}
	}
	return count
}

// sessionChanged looks at the directories first: they change when a file in them comes, goes or is replaced.
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

// transcriptsSince counts the transcripts of a project, a file for each conversation.
func transcriptsSince(project string, since, now time.Time, most int) int {
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
	if newest.After(since) && now.Sub(newest) < goingOn {
		count--
	}
	return min(count, most)
}

// entriesOf lists a directory, as far as it can be.
func entriesOf(root *os.Root, dir string) []fs.DirEntry {
	entries, _ := readEntries(root, dir) // one that cannot be opened has none to list
	return entries
}

// readEntries is entriesOf, and fails where the directory cannot be opened.
func readEntries(root *os.Root, dir string) ([]fs.DirEntry, error) {
	handle, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	entries, _ := handle.ReadDir(-1) // what was read before an error serves as well
	return entries, nil
}
