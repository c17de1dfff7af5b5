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
	// transcriptsPerLook limits how many transcripts of a project one look opens. The next look
	// goes on with the others. Opening 4,096 takes about 0.1 s on 2 cores.
	transcriptsPerLook = 4096
	// transcriptBytes limits how many bytes of a project's transcripts one look reads. A transcript
	// can have hundreds of megabytes and names its working directory in one of its first lines.
	transcriptBytes = 8 << 20
	// bytesAfterCwd is how many bytes are read on after a working directory of another project: a
	// conversation can have been resumed in this project. The number is arbitrary.
	bytesAfterCwd = 64 << 10
	// recentTranscripts is how many of the newest transcripts are read before the parent of a
	// working directory is taken for the project, and how many are checked for changes while the
	// project's path is unknown. The number is arbitrary.
	recentTranscripts = 50
)

// Transcripts caches the working directories that transcripts name, from one look for agents to the
// next. A file that has not changed is not read again. The zero value is empty. It is safe for
// concurrent use.
type Transcripts struct {
	mu    sync.Mutex
	heads map[string]head // by path; never changed, only replaced
}

// head is what the beginning of a transcript says of the project whose directory it is in.
type head struct {
	stamp Stamp // before it was read
	// exact is the first working directory that encodes to the name of the project's directory.
	exact string
	// parent is the first parent of a working directory that does.
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

// keep replaces the cache by what a look has read. Other files are gone, or were not needed.
func (t *Transcripts) keep(heads map[string]head) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heads = heads
}

// projectName returns the real path of a project of Claude Code, for people. It is the first working
// directory in the project's transcripts, newest transcript first, that encodes to the name of the
// project's directory; if none does, a parent of one. A transcript can name other directories,
// because a conversation can be resumed or moved here from another project. If the path is unknown,
// projectName returns the directory's name and notes the files that can make it known.
func (d *discovery) projectName(project string) string {
	name := filepath.Base(project)
	before := StampOf(project)
	root, err := os.OpenRoot(project)
	if err != nil {
		d.noteFailed(err)
		return printable(name)
	}
	defer root.Close()
	parent := ""
	read := budget{files: transcriptsPerLook, bytes: transcriptBytes}
	unnamed := map[string]Stamp{project: before}
	for i, newest := range d.transcriptsByAge(root) {
		if i == recentTranscripts && parent != "" {
			break
		}
		path := filepath.Join(project, newest.Name())
		h, done := d.head(root, path, newest, &read)
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

// budget is how much of a project's transcripts a look still reads.
type budget struct {
	files int
	bytes int64
}

// head returns the head of a transcript, from the cache if the file has not changed. done reports
// whether it is complete: false means that the budget is used up.
func (d *discovery) head(root *os.Root, path string, info fs.FileInfo, left *budget) (h head, done bool) {
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
	d.readHead(root, info.Name(), &h, left)
	if left.bytes == 0 && h.exact == "" {
		return h, false
	}
	d.heads[path] = h
	return h, true
}

// transcriptsByAge returns a project's transcripts, the one modified last first.
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
		if order := b.ModTime().Compare(a.ModTime()); order != 0 {
			return order
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return transcripts
}

// readHead reads a transcript until a working directory encodes to the name of its directory.
func (d *discovery) readHead(root *os.Root, name string, h *head, left *budget) {
	file, err := files.Open(root, name)
	if err != nil {
		d.noteFailed(err)
		return
	}
	defer file.Close()
	project := filepath.Base(root.Name())
	limited := io.LimitedReader{R: file, N: left.bytes}
	spared := int64(0) // bytes of the budget that are not for this transcript
	h.exact = transcript.WorkingDirectory(&limited, func(cwd string) bool {
		if filepath.IsAbs(cwd) && fits(project, projectDirName(cwd)) {
			return true
		}
		if spared == 0 && limited.N > bytesAfterCwd {
			spared, limited.N = limited.N-bytesAfterCwd, bytesAfterCwd
		}
		if h.parent == "" {
			h.parent = parentNamed(cwd, project)
		}
		return false
	})
	left.bytes = limited.N + spared
}

// parentNamed returns the parent of cwd whose directory Claude Code names name, or "".
func parentNamed(cwd, name string) string {
	for dir := filepath.Dir(cwd); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if fits(name, projectDirName(dir)) {
			return dir
		}
	}
	return ""
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
