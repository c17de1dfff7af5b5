package agents

import (
	"cmp"
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
	// transcriptExt is the extension of transcripts.
	transcriptExt = ".jsonl"
	// maxTranscripts limits how many transcripts of a project one discovery opens. The next
	// discovery continues with the others. Opening 4,096 takes about 0.1 s on 2 cores.
	maxTranscripts = 4096
	// maxTranscriptBytes limits how many bytes of a project's transcripts one discovery reads. A
	// transcript can have hundreds of megabytes; one of its first lines names its working
	// directory.
	maxTranscriptBytes = 8 << 20
	// maxBytesAfterCwd is how many more bytes are read after a working directory of another
	// project, because the conversation may have been resumed in this project. It is arbitrary.
	maxBytesAfterCwd = 64 << 10
	// recentTranscripts is how many of the newest transcripts are read before a parent of a working
	// directory is accepted as the project. As many are recorded as sources while the project's
	// path is unknown. It is arbitrary.
	recentTranscripts = 50
)

// Transcripts caches the working directories that transcripts name, from one discovery to the next.
// An unchanged file is not read again. The zero value is an empty cache. It is safe for concurrent
// use.
type Transcripts struct {
	mu    sync.Mutex
	heads map[string]head // by path; the map is replaced, never changed
}

// head is the result of reading the start of a transcript.
type head struct {
	stamp Stamp // from before the file was read
	// exact is the first working directory whose encoded name is the project directory's name.
	exact string
	// parent is the first parent of a working directory whose encoded name is that name.
	parent string
}

func (t *Transcripts) known() map[string]head {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heads
}

// replace replaces the cache by the heads that a discovery used. Others are dropped: their files
// were removed or not needed. It does nothing if t is nil.
func (t *Transcripts) replace(heads map[string]head) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heads = heads
}

// projectName returns the path of a project of Claude Code as display name. It is the first working
// directory in its transcripts, newest first, whose encoded name is the project directory's name.
// Otherwise it is a parent of a working directory with that name. If no path matches, it returns
// the directory's name and records the directory and transcripts in d.sources. If the directory
// cannot be opened, it returns only the name.
func (d *discovery) projectName(project string) string {
	return d.projectPath(project, filepath.Base(project))
}

// projectPath is projectName for a project whose directory has that name, and whose transcripts are
// in the directory project.
func (d *discovery) projectPath(project, name string) string {
	before := StampOf(project)
	root, err := os.OpenRoot(project)
	if err != nil {
		d.noteFailed(err)
		return printable(name)
	}
	defer root.Close()
	parent := ""
	read := budget{files: maxTranscripts, bytes: maxTranscriptBytes}
	unnamed := map[string]Stamp{project: before}
	for i, newest := range d.transcriptsByAge(root) {
		if i == recentTranscripts && parent != "" {
			break
		}
		path := filepath.Join(project, newest.Name())
		h, done := d.head(root, name, path, newest, &read)
		if h.exact != "" {
			return printable(h.exact)
		}
		parent = cmp.Or(parent, h.parent)
		if i < recentTranscripts {
			unnamed[path] = h.stamp
		}
		if !done {
			break
		}
	}
	if parent != "" {
		return printable(parent)
	}
	maps.Copy(d.sources, unnamed)
	return printable(name)
}

// budget is how much of a project's transcripts a discovery may still read.
type budget struct {
	files int
	bytes int64
}

// head returns the head of a transcript: from the cache if the file has not changed, else by
// reading it, which is subtracted from left. done is false if left was used up before the head was
// complete; h is then incomplete and not cached.
func (d *discovery) head(root *os.Root, project, path string, info fs.FileInfo, left *budget) (h head, done bool) {
	stamp := stampOf(info)
	if known, is := d.known[path]; is && known.stamp == stamp {
		d.heads[path] = known
		return known, true
	}
	h.stamp = stamp
	if left.files == 0 {
		return h, false
	}
	left.files--
	d.readHead(root, project, info.Name(), &h, left)
	if left.bytes == 0 && h.exact == "" {
		return h, false
	}
	d.heads[path] = h
	return h, true
}

// transcriptsByAge returns a project's transcripts, the regular .jsonl files in root, newest
// modification first. It returns nil if root cannot be listed.
func (d *discovery) transcriptsByAge(root *os.Root) []fs.FileInfo {
	entries, err := readEntries(root, ".")
	if err != nil {
		d.noteFailed(err)
		return nil
	}
	var transcripts []fs.FileInfo
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != transcriptExt {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			transcripts = append(transcripts, info)
		}
	}
	slices.SortFunc(transcripts, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	return transcripts
}

// readHead reads a transcript. It sets h.exact to the first working directory with the encoded name
// project. It sets h.parent to the first such parent of another directory. It
// reads at most left.bytes, and at most maxBytesAfterCwd after the first other directory. It
// subtracts the bytes that it read. If the transcript cannot be opened, h stays unchanged.
func (d *discovery) readHead(root *os.Root, project, name string, h *head, left *budget) {
	file, err := files.Open(root, name)
	if err != nil {
		d.noteFailed(err)
		return
	}
	defer file.Close()
	limited := io.LimitedReader{R: file, N: left.bytes}
	spared := int64(0) // bytes of the budget that are not for this transcript
	h.exact = transcript.WorkingDirectory(&limited, func(cwd string) bool {
		if filepath.IsAbs(cwd) && fits(project, projectDirName(cwd)) {
			return true
		}
		if spared == 0 && limited.N > maxBytesAfterCwd {
			spared, limited.N = limited.N-maxBytesAfterCwd, maxBytesAfterCwd
		}
		if h.parent == "" {
			h.parent = parentNamed(cwd, project)
		}
		return false
	})
	left.bytes = limited.N + spared
}

// parentNamed returns the innermost parent of cwd for which Claude Code's directory would be called
// name, or "".
func parentNamed(cwd, name string) string {
	for dir := filepath.Dir(cwd); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if fits(name, projectDirName(dir)) {
			return dir
		}
	}
	return ""
}

// maxProjectName is how many UTF-16 units of a path Claude Code uses in a project directory's name.
// It shortens a longer name to that length and appends a hash that Memoir cannot compute.
const maxProjectName = 200

// fits reports whether name can be Claude Code's directory name for a path. whole is the result of
// projectDirName for that path. Of a long path only the first maxProjectName units are compared, so
// several paths may fit.
func fits(name, whole string) bool {
	if len(whole) <= maxProjectName {
		return name == whole
	}
	return len(name) > maxProjectName && strings.HasPrefix(name, whole[:maxProjectName])
}

// projectDirName returns Claude Code's encoding of a project's path, not shortened. Each UTF-16
// unit other than a to z, A to Z and 0 to 9 becomes a dash.
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
