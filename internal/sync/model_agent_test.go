package sync_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"memoir/internal/memories"
)

// What an agent, its tools and its machine do to many files at once, or in ways of their own.

// branches are what the durable directory has on each branch of a repository, by file; the rest of it is not tracked.
var branches = map[string]map[string]string{
	"main": {
		"memory/a.md":     note("Tabs", memories.Feedback, "one"),
		"memory/sub/a.md": note("Deploy", memories.Project, "one"),
	},
	"feature": {
		"memory/a.md": note("Tabs", memories.Feedback, "two"),
		"memory/b.md": note("Deploy", memories.Project, "one"),
	},
	"empty": {},
}

// checkOut switches to a branch as git does: what the other branches have and this one has not goes, what has another
// text is unlinked and written anew, with the present time and in place; what is the same is not touched.
func (w *world) checkOut() {
	branch := branches[rapid.SampledFrom(slices.Sorted(maps.Keys(branches))).Draw(w.t, "branch")]
	tracked := map[string]bool{}
	for _, files := range branches {
		for place := range files {
			tracked[place] = true
		}
	}
	for _, place := range slices.Sorted(maps.Keys(tracked)) {
		text, stays := branch[place]
		if f, there := w.readDisk(w.path(place)); stays && there && f.text == text {
			continue
		}
		w.removeAll(w.path(place))
		if stays {
			w.noteSaid(place, text)
			w.write(place, text, false, 0)
		}
	}
}

// copyFile copies a file with its modification time, as cp -p does.
func (w *world) copyFile() {
	from, to := w.place(), w.place()
	f, there := w.readDisk(w.path(from))
	if !there || f.bad || from == to {
		return
	}
	w.noteSaid(to, f.text)
	w.write(to, f.text, true, time.Since(f.modTime))
	w.must(os.Chtimes(w.path(to), f.modTime, f.modTime))
}

// flooded is how many memories a flood brings: enough for their going to be held as missing, whatever else there is.
const flooded = 24

func floodedPlace(i int) string { return fmt.Sprintf("memory/many/%02d.md", i) }

// flood writes many memories at once.
func (w *world) flood() {
	for i := range flooded {
		name := fmt.Sprintf("Many %02d", i)
		text := note(name, memories.User, "one of many")
		w.noteSaid(floodedPlace(i), text)
		w.write(floodedPlace(i), text, false, 0)
	}
}

// ebb removes most of them, or some, or the whole directory.
func (w *world) ebb() {
	n := rapid.SampledFrom([]int{3, 10, 11, flooded}).Draw(w.t, "gone")
	for i := range n {
		w.removeAll(w.path(floodedPlace(i)))
	}
	if n == flooded {
		w.removeAll(w.path("memory/many"))
	}
}

// linkTo puts a link in the place of a file: to nothing, in a circle, or to a text that lies outside of the memory.
func (w *world) linkSome() {
	place := w.place()
	p := w.path(place)
	how := rapid.SampledFrom([]string{"to nothing", "in a circle", "to a text"}).Draw(w.t, "link")
	w.mkdirAll(filepath.Dir(p))
	w.removeAll(p)
	switch how {
	case "to nothing":
		w.must(os.Symlink("nowhere.md", p))
	case "in a circle":
		w.must(os.Symlink(filepath.Base(p), p))
	case "to a text":
		w.writeText(w.drawFile(place))
		w.must(os.Symlink(w.path(textPlace), p))
	}
}

// noteLinked notes what links say by what they lead to: one text may have several, and be written through any of them.
func (w *world) noteLinked() {
	for place, f := range w.disk() {
		if info, err := os.Lstat(w.path(place)); err == nil && info.Mode().Type() == fs.ModeSymlink {
			w.noteSaid(place, f.text)
		}
	}
}

// shelf is a directory of the agent that is no part of its memory, unless a link at linkedPlace leads there.
const (
	shelf       = "notes/shelf"
	linkedPlace = "memory/linked"
)

// linkDirectory puts a link to the shelf into the memory, or takes it out.
func (w *world) linkDirectory() {
	target := rapid.SampledFrom([]string{"", "../" + shelf, w.path(shelf)}).Draw(w.t, "target")
	w.mkdirAll(w.path("memory"))
	w.mkdirAll(w.path(shelf))
	w.removeAll(w.path(linkedPlace))
	if target != "" {
		w.must(os.Symlink(target, w.path(linkedPlace)))
	}
}

// writeBehindLink writes a file of the shelf, or removes it.
func (w *world) writeBehindLink() {
	name := rapid.SampledFrom([]string{"x.md", "y.md"}).Draw(w.t, "file")
	w.mkdirAll(w.path(shelf))
	if rapid.Bool().Draw(w.t, "gone") {
		w.removeAll(w.path(shelf + "/" + name))
		return
	}
	w.write(shelf+"/"+name, w.drawFile(linkedPlace+"/"+name), rapid.Bool().Draw(w.t, "atomically"), 0)
}

// behindLink are the names of what the memory has by way of the link.
func (w *world) behindLink() (names []string) {
	info, err := os.Lstat(w.path(linkedPlace))
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		return nil
	}
	entries, err := os.ReadDir(w.path(linkedPlace))
	w.must(ignoreGone(err))
	for _, entry := range entries {
		if strings.EqualFold(filepath.Ext(entry.Name()), ".md") {
			names = append(names, entry.Name())
		}
	}
	return names
}

// closeOff moves a directory away and leaves in its place what nobody can open, root neither.
func (w *world) closeOff() {
	dir := rapid.SampledFrom([]string{"memory", "memory/sub"}).Draw(w.t, "directory")
	if _, away := w.aside[dir]; away || !w.isThere(dir) {
		return
	}
	w.moveAside(dir)
	w.must(os.Symlink(filepath.Base(dir), w.path(dir)))
}

// mkdirAll makes a directory; where one of those above cannot be opened, a new one takes its place.
func (w *world) mkdirAll(dir string) {
	for above := dir; strings.HasPrefix(above, w.path(".")) && above != w.path("."); above = filepath.Dir(above) {
		if info, err := os.Lstat(above); err == nil && info.Mode().Type() == os.ModeSymlink {
			w.must(os.Remove(above))
		}
	}
	w.must(os.MkdirAll(dir, 0o755))
}

// textPlace is a file of the agent that is no memory by itself.
const textPlace = "notes/text.md"

func (w *world) readText() string {
	raw, err := os.ReadFile(w.path(textPlace))
	w.must(ignoreGone(err))
	return string(raw)
}

func (w *world) writeText(text string) {
	w.mkdirAll(w.path("notes"))
	temp := w.path("notes/.tmp")
	w.must(os.WriteFile(temp, []byte(text), 0o644))
	w.must(os.Rename(temp, w.path(textPlace)))
}

// oddShapes are files that something is wrong with besides their frontmatter, or that come from elsewhere.
var oddShapes = map[string]func(text string) string{
	"with a BOM":        func(text string) string { return "\ufeff" + text },
	"with a NUL":        func(text string) string { return text + "\x00" },
	"not UTF-8":         func(text string) string { return text + "\xff\xfe" },
	"with CRLF":         func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
	"over one mebibyte": func(text string) string { return text + strings.Repeat("x", memories.MaxFileSize) },
}

func (w *world) drawOddText() string {
	name := rapid.SampledFrom(modelNames).Draw(w.t, "name")
	body := rapid.SampledFrom(modelBodies).Draw(w.t, "body")
	odd := rapid.SampledFrom(slices.Sorted(maps.Keys(oddShapes))).Draw(w.t, "oddity")
	return oddShapes[odd](note(name, memories.User, body))
}

// setClock sets the system's clock back, so that all that is known lies in the future, or forward.
func (w *world) setClock() {
	by := withinToday()
	if rapid.Bool().Draw(w.t, "forward") {
		by = -sinceToday()
	}
	w.b.setClockBack(w.slug, by)
	w.rules.clockSetBack(by)
	w.pasts, w.clockSet = nil, true
}
