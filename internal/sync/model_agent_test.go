package sync_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// What an agent, its tools and its machine do to many files at once, or in ways of their own.

// branches are what the primary directory has on each branch of a repository, by file; the rest of
// it is not tracked.
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

// repositoryIn makes a git directory with these branches; the empty one is checked out. It returns
// "" if git is missing.
func repositoryIn(tree string) (dir string, err error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", nil
	}
	if err := git(tree, "init", "-q", "--template=", "-b", "first"); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		if err := git(tree, "checkout", "-q", "--orphan", name); err != nil {
			return "", err
		}
		for relPath, text := range branches[name] {
			file := filepath.Join(tree, strings.TrimPrefix(relPath, "memory/"))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
				return "", err
			}
		}
		if err := errors.Join(git(tree, "add", "-A"), git(tree, "commit", "-q", "--allow-empty", "-m", name), git(tree, "rm", "-rqf", "--ignore-unmatch", ".")); err != nil {
			return "", err
		}
	}
	return filepath.Join(tree, ".git"), git(tree, "checkout", "-qf", "empty")
}

// git runs git in a directory, by no settings but these.
func git(dir string, args ...string) error {
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, said)
	}
	return nil
}

// checkOut switches to a branch of the repository in the primary directory. Other files in it are
// not tracked. Git removes the files that the branch lacks, and replaces those with another text.
func (w *world) checkOut() {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(branches))).Draw(w.t, "branch")
	from, err := w.repository()
	w.must(err)
	if from == "" {
		w.checkOutWithoutGit(name)
		return
	}
	for relPath, text := range branches[name] {
		w.noteSaid(relPath, text)
		w.mkdirAll(filepath.Dir(w.path(relPath)))
		w.clear(w.path(relPath)) // git takes away no directory with something in it
	}
	w.mkdirAll(w.path("memory"))
	if !w.isThere("memory/.git") {
		w.must(os.CopyFS(w.path("memory/.git"), os.DirFS(from)))
	}
	w.must(git(w.path("memory"), "checkout", "-qf", name))
}

// checkOutWithoutGit does the same to the files: what the other branches have and this one has not
// goes, what has another text is unlinked and written anew, with the present time and in place;
// what is the same is not touched.
func (w *world) checkOutWithoutGit(name string) {
	branch := branches[name]
	tracked := map[string]bool{}
	for _, files := range branches {
		for relPath := range files {
			tracked[relPath] = true
		}
	}
	for _, relPath := range slices.Sorted(maps.Keys(tracked)) {
		text, stays := branch[relPath]
		if f, there := w.readDisk(w.path(relPath)); stays && there && f.text == text {
			continue
		}
		w.removeAll(w.path(relPath))
		if stays {
			w.noteSaid(relPath, text)
			w.write(relPath, text, false, 0)
		}
	}
}

// copyFile copies a file with its modification time and mode, by cp -p. Where the engine looks by
// itself, it is a copy that then gets its name: else it may be scanned between its writing and its
// ageing.
func (w *world) copyFile() {
	from, to := w.place(), w.place()
	f, there := w.readDisk(w.path(from))
	if !there || f.bad || from == to {
		return
	}
	w.noteSaid(to, f.text)
	w.mkdirAll(filepath.Dir(w.path(to)))
	w.clear(w.path(to))
	at := w.path(to)
	if w.rules == nil {
		at = filepath.Join(filepath.Dir(at), ".copy.tmp")
	}
	if said, err := exec.Command("cp", "-pf", w.path(from), at).CombinedOutput(); err != nil {
		w.t.Fatalf("cp -p: %v: %s", err, said)
	}
	if at != w.path(to) {
		w.must(os.Rename(at, w.path(to)))
	}
}

// modelModes are the permissions that files get.
var modelModes = []fs.FileMode{0o600, 0o444, 0o644, 0}

// changeMode sets a file's permissions. A file without read permission is unreadable, except for
// root.
func (w *world) changeMode() {
	relPath := rapid.SampledFrom(append([]string{"CLAUDE.md"}, append(modelIndexes, modelPlaces...)...)).Draw(w.t, "file")
	mode := rapid.SampledFrom(modelModes).Draw(w.t, "mode")
	info, err := os.Lstat(w.path(relPath))
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if mode == 0 && os.Getuid() != 0 && !slices.Contains(modelPlaces, relPath) {
		return // what is in its way is then another matter than memory files
	}
	w.must(os.Chmod(w.path(relPath), mode))
}

// keepsModes checks that act does not change the permissions of files that exist before and after
// it.
func (w *world) keepsModes(act func()) {
	before := w.modes()
	act()
	for relPath, mode := range w.modes() {
		if was, known := before[relPath]; known && was != mode {
			w.t.Fatalf("%s had the mode %v, and Memoir has left it with %v", relPath, was, mode)
		}
	}
}

// modes returns the permissions of all files, by path. It leaves out temporary files, which the
// engine may be writing now.
func (w *world) modes() map[string]fs.FileMode {
	found := map[string]fs.FileMode{}
	w.must(filepath.WalkDir(w.path("."), func(p string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() {
			return ignoreGone(err)
		}
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && !strings.HasPrefix(entry.Name(), ".memoir-tmp-") {
			found[p] = info.Mode()
		}
		return ignoreGone(err)
	}))
	return found
}

// flooded is the number of memories in a flood: so many that their removal makes them missing.
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

// linkTo puts a link in the place of a file: to nothing, in a circle, or to a text that lies
// outside of the memory.
func (w *world) linkSome() {
	relPath := w.place()
	p := w.path(relPath)
	how := rapid.SampledFrom([]string{"to nothing", "in a circle", "to a text"}).Draw(w.t, "link")
	w.mkdirAll(filepath.Dir(p))
	w.removeAll(p)
	switch how {
	case "to nothing":
		w.must(os.Symlink("nowhere.md", p))
	case "in a circle":
		w.must(os.Symlink(filepath.Base(p), p))
	case "to a text":
		w.writeText(w.drawFile(relPath))
		w.must(os.Symlink(w.path(textPlace), p))
	}
}

// noteLinked records the texts behind links, by target: several links may lead to one target, and
// any of them may be written.
func (w *world) noteLinked() {
	for relPath, f := range w.disk() {
		if info, err := os.Lstat(w.path(relPath)); err == nil && info.Mode().Type() == fs.ModeSymlink {
			w.noteSaid(relPath, f.text)
		}
	}
}

// shelf is a directory of the agent that is no part of its memory, unless a link at linkedPlace
// leads there.
const (
	indexView   = "notes/shelf"
	linkedPlace = "memory/linked"
)

// linkDirectory puts a link to the shelf into the memory, or takes it out.
func (w *world) linkDirectory() {
	target := rapid.SampledFrom([]string{"", "../" + indexView, w.path(indexView)}).Draw(w.t, "target")
	w.mkdirAll(w.path("memory"))
	w.mkdirAll(w.path(indexView))
	w.removeAll(w.path(linkedPlace))
	if target != "" {
		w.must(os.Symlink(target, w.path(linkedPlace)))
	}
}

// writeBehindLink writes a file of the shelf, or removes it.
func (w *world) writeBehindLink() {
	name := rapid.SampledFrom([]string{"x.md", "y.md"}).Draw(w.t, "file")
	w.mkdirAll(w.path(indexView))
	if rapid.Bool().Draw(w.t, "gone") {
		w.removeAll(w.path(indexView + "/" + name))
		return
	}
	w.write(indexView+"/"+name, w.drawFile(linkedPlace+"/"+name), rapid.Bool().Draw(w.t, "atomically"), 0)
}

// behindLink returns the names of the agent's files that are behind a link.
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

// closeOff moves a directory away and puts in its place a directory that cannot be opened, not even
// by root.
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

// oddShapes are files that something is wrong with besides their frontmatter, or that come from
// elsewhere.
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
	agent, err := w.b.store.Agent(context.Background(), w.slug)
	w.must(err)
	// Nobody is in the middle of a scan, who would go by both clocks.
	w.must(w.b.store.WithAgent(context.Background(), agent.ID, func(*postgres.Writer) error {
		w.b.setClockBack(w.slug, by)
		return nil
	}))
	if w.rules != nil {
		w.rules.clockSetBack(by)
	}
	w.pasts, w.clockSet = nil, true
}
