package sync_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pgregory.net/rapid"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

const sessionC = "U3-C1-1712350000.000300"

// Places of copies: of memory/a.md where that has the same name, and of any file.
const (
	possibleCopy = "memory/a 2.md"
	sureCopy     = "memory/backup/a.md"
)

// Few places, names, types and texts, so that they meet often.
var (
	modelPlaces = []string{
		"memory/a.md", "memory/b.md", "memory/team/a.md", "memory/team/sub/b.md", "memory/team.md", "memory/sub/a.md", "memory/sub/deep/c.MD",
		"sessions/" + sessionA + "/memory/a.md", "sessions/" + sessionA + "/memory/sub/a.md",
		"sessions/" + sessionB + "/memory/a.md", "sessions/" + sessionB + "/memory/b.md", "sessions/" + sessionC + "/memory/a.md",
		"sessions/" + sessionB + "/memory/team/a.md", possibleCopy, sureCopy,
	}
	modelDirectories = []string{"memory", "memory/sub", "memory/team", "sessions", "sessions/" + sessionA, "sessions/" + sessionB + "/memory"}
	modelIndexes     = []string{"memory/MEMORY.md", "memory/sub/MEMORY.md", "memory/team/MEMORY.md", "sessions/" + sessionA + "/memory/memory.md"}
	modelNames       = []string{"Tabs", "tabs", "Deploy", "Übersicht"}
	modelTypes       = []memories.Type{memories.Feedback, memories.User, memories.Project, memories.Reference}
	modelBodies      = []string{"one", "two", "# Three\n\n<!-- memoir:end -->\nmore"}
	modelAges        = []time.Duration{0, 0, 0, time.Hour, 2 * time.Hour, 48 * time.Hour, -time.Hour}
)

// modelShapes are the forms of a memory file, for name, type and body.
var modelShapes = map[string]string{
	"flat":               "---\nname: %s\ndescription: short\ntype: %s\n---\n\n%s\n",
	"nested":             "---\nname: \"%s\"\nmetadata:\n  type: %s\n  modified: 2026-01-02T03:04:05Z\n---\n%s\n",
	"Windows":            "---\r\nname: %s\r\nkept: 1\r\ntype: '%s'\r\n---\r\n%s\r\n",
	"read leniently":     "---\nname: %s\ndescription: a: b\ntype: %s\n---\n%s\n",
	"without a name":     "---\n# %s\ntype: %s\n---\n%s\n",
	"of unknown type":    "---\nname: %s\ntype: un%s\n---\n%s\n",
	"bare":               "%[3]s, said of %[1]s, %[2]s",
	"never closed":       "---\nname: %s\ntype: %s\n%s",
	"an alias bomb":      "---\nname: %s\ntype: %s # %s\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n---\n",
	"with a conflict":    "---\nname: %s\ntype: %s\n---\n<<<<<<< HEAD\n%s\n=======\nother\n>>>>>>> branch\n",
	"nameless":           "---\n# %s\ntype: %s\nname: \"\"\n---\n%s\n",
	"flat, another word": "---\nname: %s\ndescription: another\ntype: %s\n---\n\n%s\n",
}

var shapeNames = []string{
	"flat", "flat", "flat", "nested", "Windows", "read leniently", "without a name", "of unknown type", "bare", "never closed",
	"an alias bomb", "flat, another word", "odd", "with a conflict", "nameless",
}

func (w *world) drawText() string {
	shape := rapid.SampledFrom(shapeNames).Draw(w.t, "shape")
	if shape == "odd" {
		return w.drawOddText()
	}
	name := rapid.SampledFrom(modelNames).Draw(w.t, "name")
	kind := rapid.SampledFrom(modelTypes).Draw(w.t, "type")
	body := rapid.SampledFrom(modelBodies).Draw(w.t, "body")
	return fmt.Sprintf(modelShapes[shape], name, kind, body)
}

// drawFile writes the text of a file that is to be at a place, and notes what it will say there.
func (w *world) drawFile(relPath string) string {
	text := w.drawText()
	w.noteSaid(relPath, text)
	return text
}

func (w *world) noteSaid(relPath, text string) {
	if f := frontmatter.Parse([]byte(text), stemOf(relPath)); !f.Unreadable {
		w.ever.add(keyAt(relPath, f.Name), f.Fingerprint([]byte(text)))
	}
}

func stemOf(relPath string) string {
	return strings.TrimSuffix(path.Base(relPath), path.Ext(relPath))
}

// diskFile is a memory file as it is on disk; one that is bad cannot be read by its very nature.
type diskFile struct {
	text    string
	bad     bool
	modTime time.Time
}

// disk lists the agent's memory files in the plainest way.
func (w *world) disk() map[string]diskFile {
	found := map[string]diskFile{}
	for _, top := range append([]string{"memory"}, w.sessions()...) {
		err := filepath.WalkDir(w.path(top), func(p string, entry fs.DirEntry, err error) error {
			if err != nil {
				return ignoreGone(err)
			}
			name := entry.Name()
			if entry.IsDir() {
				if name == "logs" {
					return fs.SkipDir
				}
				return nil
			}
			isLink := entry.Type() == fs.ModeSymlink // a broken link is listed, with any name
			if !isLink && !strings.EqualFold(filepath.Ext(name), ".md") || strings.EqualFold(name, "MEMORY.md") || strings.HasPrefix(name, ".") {
				return nil
			}
			rel, err := filepath.Rel(w.path("."), p)
			if err != nil {
				return err
			}
			if f, there := w.readDisk(p); there {
				found[filepath.ToSlash(rel)] = f
			}
			return nil
		})
		w.must(err)
	}
	for _, name := range w.behindLink() {
		f, there := w.readDisk(w.path(linkedPlace + "/" + name))
		if there {
			found[linkedPlace+"/"+name] = f
		}
	}
	return found
}

func ignoreGone(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}

func (w *world) sessions() []string {
	entries, err := os.ReadDir(w.path("sessions"))
	w.must(ignoreGone(err))
	var tops []string
	for _, entry := range entries {
		tops = append(tops, "sessions/"+entry.Name()+"/memory")
	}
	return tops
}

// readDisk reads one file. A link to a file of the agent counts as not there: the file is found at
// its own place.
func (w *world) readDisk(p string) (f diskFile, there bool) {
	info, err := os.Lstat(p)
	if isGone(err) {
		return f, false
	}
	w.must(err)
	f.modTime = info.ModTime()
	if info.Mode().Type() == fs.ModeSymlink {
		target, err := filepath.EvalSymlinks(p)
		if err == nil && strings.HasPrefix(target, w.path(".")+string(filepath.Separator)) {
			info, err = os.Lstat(target)
			w.must(err)
			if target == w.path(textPlace) {
				return diskFile{text: w.readText(), modTime: info.ModTime()}, true
			}
			if info.Mode().IsRegular() || info.IsDir() {
				return f, false
			}
		}
		f.bad = true
		return f, true
	}
	if !info.Mode().IsRegular() {
		f.bad = true
		return f, true
	}
	raw, err := os.ReadFile(p)
	switch {
	case os.IsNotExist(err):
		return f, false
	case os.IsPermission(err):
		f.bad = true
		return f, true
	}
	w.must(err)
	f.text = string(raw)
	return f, true
}

// write puts a file in place, by overwriting it or by a temporary file and a rename.
func (w *world) write(relPath, text string, atomically bool, age time.Duration) {
	p := w.path(relPath)
	w.mkdirAll(filepath.Dir(p))
	w.clear(p)
	if text == "" && age == 0 {
		age = time.Minute // a new empty file counts as being written
	}
	if age != 0 && w.rules == nil {
		atomically = true // a watcher may look between the writing and the ageing
	}
	at := p
	if atomically {
		at = filepath.Join(filepath.Dir(p), "."+filepath.Base(p)+".tmp")
	}
	w.put(at, text)
	if age != 0 {
		when := time.Now().Add(-age)
		w.must(os.Chtimes(at, when, when))
	}
	if atomically {
		w.must(os.Rename(at, p))
	}
}

// put writes a file, and one that is too large to be read in one step: of that a watcher may
// otherwise take in the beginning, which stays what was read last.
func (w *world) put(at, text string) {
	w.letWrite(at)
	if len(text) <= memories.MaxFileSize {
		w.must(os.WriteFile(at, []byte(text), 0o644))
		return
	}
	temp := filepath.Join(filepath.Dir(at), ".large.tmp")
	w.must(os.WriteFile(temp, []byte(text), 0o644))
	w.must(os.Rename(temp, at))
}

// letWrite makes a file writable, as a user does whose write was refused.
func (w *world) letWrite(p string) {
	if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o200 == 0 && os.Getuid() != 0 {
		w.must(os.Chmod(p, 0o644))
	}
}

// clear removes what cannot be written into.
func (w *world) clear(p string) {
	if info, err := os.Lstat(p); err == nil && !info.Mode().IsRegular() {
		w.must(os.RemoveAll(p))
	}
}

// obstruct puts something that is not a regular file in the place of a file.
func (w *world) obstruct(relPath, how string) {
	p := w.path(relPath)
	w.mkdirAll(filepath.Dir(p))
	w.must(os.RemoveAll(p))
	switch how {
	case "a link that leaves":
		w.must(os.Symlink(filepath.Join(w.b.dir, ".outside.md"), p))
	case "a link to another file":
		w.must(os.Symlink(w.path("memory/b.md"), p))
	case "a pipe":
		w.must(syscall.Mkfifo(p, 0o644))
	case "a directory":
		w.must(os.Mkdir(p, 0o755))
		w.put(filepath.Join(p, "in.md"), w.drawFile(relPath+"/in.md"))
	}
}

// moved keeps what is known of indexes true when a directory is renamed.
func (w *world) moved(from, to string) {
	for at, lines := range w.index {
		if rest, below := strings.CutPrefix(at, from+string(filepath.Separator)); below {
			delete(w.index, at)
			w.index[filepath.Join(to, rest)] = lines
		}
	}
}

func (w *world) removeAll(p string) {
	w.must(ignoreGone(os.RemoveAll(p)))
	for at := range w.index {
		if at == p || strings.HasPrefix(at, p+string(filepath.Separator)) {
			delete(w.index, at)
		}
	}
}
