package agents

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"memoir/internal/files"
	"memoir/internal/transcript"
)

const (
	// transcriptsRead is how many transcripts of a project are gone through, the newest: of a session that was never used there is one
	// without a working directory.
	transcriptsRead = 50
	// transcriptBytes is how much of them is read in all, in bytes. Each can have hundreds of megabytes; it names its working directory in
	// one of its first lines, which may have a picture in them.
	transcriptBytes = 8 << 20
)

// Transcripts remember what transcripts have said of their working directories, from one look for agents to the next: a file that has
// not changed is not read again. The zero value knows of none. They may be used by several at once.
type Transcripts struct {
	mu    sync.Mutex
	heads map[string]head // by path; never changed, only replaced
}

// head is what the beginning of a transcript says.
type head struct {
	stamp Stamp // as it was before it was read
	cwd   string
	size  int64 // bytes that were read
}

func (t *Transcripts) known() map[string]head {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heads
}

// keep takes over what a look has come by. What it has not is gone, or too old to matter.
func (t *Transcripts) keep(heads map[string]head) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heads = heads
}

// projectName returns the real path of a project of Claude Code, which its directory's name does not tell: the working
// directory of its newest transcript, or the ancestor of it that the directory is named after. Without one it is the
// directory's name, until a transcript comes, or goes on.
func (d *discovery) projectName(project string) string {
	name := filepath.Base(project)
	before := StampOf(project)
	root, err := os.OpenRoot(project)
	if err != nil {
		d.noteFailed(err)
		return printable(name)
	}
	defer root.Close()
	left := int64(transcriptBytes)
	unnamed := map[string]Stamp{project: before}
	for _, newest := range d.newestTranscripts(root) {
		path := filepath.Join(project, newest.Name())
		h := d.head(root, path, newest, left)
		if h.cwd != "" {
			return printable(projectRoot(h.cwd, name))
		}
		unnamed[path] = h.stamp
		if left -= h.size; left <= 0 {
			break
		}
	}
	maps.Copy(d.sources, unnamed)
	return printable(name)
}

// head reads the head of a transcript, of at most so many bytes, unless it is known.
func (d *discovery) head(root *os.Root, path string, info fs.FileInfo, most int64) head {
	h := head{stamp: stampOf(info)}
	if known, is := d.known[path]; is && known.stamp == h.stamp {
		h = known
	} else {
		h.cwd, h.size = d.workingDirectory(root, info.Name(), most)
	}
	d.heads[path] = h
	return h
}

// newestTranscripts returns the transcripts modified last, newest first.
func (d *discovery) newestTranscripts(root *os.Root) []fs.FileInfo {
	entries, err := readEntries(root, ".")
	if err != nil {
		d.noteFailed(err)
		return nil
	}
	var transcripts []fs.FileInfo
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".jsonl" {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			transcripts = append(transcripts, info)
		}
	}
	slices.SortFunc(transcripts, func(a, b fs.FileInfo) int {
		if order := b.ModTime().Compare(a.ModTime()); order != 0 {
			return order
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return transcripts[:min(len(transcripts), transcriptsRead)]
}

// workingDirectory returns the first cwd in the head of a transcript, or "", and how much of it was read.
func (d *discovery) workingDirectory(root *os.Root, name string, most int64) (cwd string, size int64) {
	file, err := files.Open(root, name)
	if err != nil {
		d.noteFailed(err)
		return "", 0
	}
	defer file.Close()
	head := io.LimitedReader{R: file, N: most}
	cwd = transcript.WorkingDirectory(&head)
	return cwd, most - head.N
}

// projectRoot returns the directory at or above cwd that Claude Code names name, or cwd: a session may have been started in
// a directory below its repository's root.
func projectRoot(cwd, name string) string {
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if fits(name, projectDirName(dir)) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return cwd
		}
	}
}

// maxProjectName is how many units of a path Claude Code takes into the name of a project's directory. A longer path is cut
// there and gets a hash that nobody else can compute.
const maxProjectName = 200

// fits reports whether a directory of this name is what Claude Code keeps for the project whose projectDirName is whole. Of one
// of more than 200 units only those tell, and the directories of several projects may fit.
func fits(name, whole string) bool {
	if len(whole) <= maxProjectName {
		return name == whole
	}
	return len(name) > maxProjectName && strings.HasPrefix(name, whole[:maxProjectName])
}

// projectDirName is how Claude Code names a project's directory, before it is cut: every UTF-16 unit of its path outside a to
// z, A to Z and 0 to 9 becomes a dash.
func projectDirName(dir string) string {
	var name strings.Builder
	for _, unit := range utf16.Encode([]rune(dir)) {
		switch {
		case 'a' <= unit && unit <= 'z', 'A' <= unit && unit <= 'Z', '0' <= unit && unit <= '9':
			name.WriteByte(byte(unit))
		default:
			name.WriteByte('-')
		}
	}
	return name.String()
}
