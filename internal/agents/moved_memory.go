package agents

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"memoir/internal/claudesettings"
)

const (
	settingsName      = "settings.json"
	localSettingsName = "settings.local.json"
	managedName       = "managed-settings.json"
	managedDropIns    = "managed-settings.d"
	// maxSettings is how large a settings file may be, in bytes, to be read.
	maxSettings = 1 << 20
)

// ManagedDir is where an administrator's settings of Claude Code are on this system (code.claude.com/docs/en/settings).
func ManagedDir() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/ClaudeCode"
	}
	return "/etc/claude-code"
}

// movedMemories finds the memories of projects that settings have moved to another directory: one for all projects, or one project's.
func (d *discovery) movedMemories(claudeDir string) {
	const none = ""
	all, _ := claudesettings.Directory(d.settings.input(claudeDir, project{}, d.noteSource, d.noteFailed))
	if all != none && d.isThereYet(all) {
		d.elsewhere = append(d.elsewhere, Found{Slug: slugOfDir(all), Layout: Claude, Dir: all, DisplayName: ofAllProjects(all)})
	}
	for _, p := range d.projects {
		dir, _ := claudesettings.Directory(d.settings.input(claudeDir, p, d.noteSource, d.noteFailed))
		if dir != all && dir != defaultMemory(d.settings, claudeDir, p) && d.isThereYet(dir) {
			at, err := ProjectAt(p.path)
			if err != nil {
				d.noteFailed(err)
				continue
			}
			d.elsewhere = append(d.elsewhere, Found{Slug: sanitise(p.name), Layout: Claude, Dir: dir, DisplayName: printable(at.Root)})
		}
	}
}

// isThereYet reports whether there is a directory at a path; one that is not there yet is waited for.
func (d *discovery) isThereYet(dir string) bool {
	if stamp := StampOf(dir); stamp == (Stamp{}) {
		d.sources[dir] = stamp
		return false
	}
	return d.isDirectory(dir)
}

func (d *discovery) noteSource(path string) { d.source(path) }

// ofAllProjects is what people call a memory that is kept for all projects together.
func ofAllProjects(dir string) string { return printable("All projects, in " + dir) }

func slugOfDir(dir string) string {
	slug := sanitise(filepath.Base(dir))
	for len(slug) > 0 && slug[0] == '.' {
		slug = slug[1:]
	}
	if slug == "" {
		return memoryDir
	}
	return slug
}

// defaultMemory is where Claude Code keeps the memory of a project where nobody says otherwise; empty: of no project.
func defaultMemory(s Settings, claudeDir string, p project) string {
	if p.name == "" {
		return ""
	}
	if remote := claudesettings.RemoteDir(s.Env); remote != "" {
		claudeDir = remote
	}
	return filepath.Join(claudeDir, projectsDir, p.name, memoryDir)
}

// addElsewhere adds what was found outside of the directories that are searched, unless it is in one of the others, or around it: what one
// agent removes would be missed by the other. What somebody has named by hand is his.
func (d *discovery) addElsewhere() {
	for _, f := range d.elsewhere {
		dir := RealDir(f.Dir)
		if !slices.ContainsFunc(d.found, func(other Found) bool {
			at := RealDir(other.Dir)
			if dir == at && f.Dir != other.Dir && IsLink(f.Dir) {
				return false // joined to it
			}
			return Beneath(dir, at) || Beneath(at, dir)
		}) {
			d.keep(f)
		}
	}
}

// input gathers what Claude Code decides by in a project; without one, what holds for all of them. note is called with each file before it is read,
// failed with why one could not be.
func (s Settings) input(claudeDir string, p project, note func(path string), failed func(error)) claudesettings.Input {
	in := claudesettings.Input{Env: s.Env, Home: s.Home, Default: defaultMemory(s, claudeDir, p)}
	add := func(source claudesettings.Source, path string) {
		note(path)
		in.Files = append(in.Files, claudesettings.File{Source: source, Path: path, Raw: readSettings(path, failed)})
	}
	if s.ManagedDir != "" {
		// Of the drop-ins the last counts first, and all of them before the file that they add to.
		dropIns := filepath.Join(s.ManagedDir, managedDropIns)
		note(dropIns)
		entries, err := os.ReadDir(dropIns)
		failed(err)
		for _, entry := range slices.Backward(entries) {
			if filepath.Ext(entry.Name()) == ".json" {
				add(claudesettings.Managed, filepath.Join(dropIns, entry.Name()))
			}
		}
		add(claudesettings.Managed, filepath.Join(s.ManagedDir, managedName))
	}
	if dir := filepath.Join(p.path, dotClaude); p.path != "" && RealDir(dir) != RealDir(claudeDir) {
		add(claudesettings.Local, filepath.Join(dir, localSettingsName))
		add(claudesettings.Project, filepath.Join(dir, settingsName))
	}
	add(claudesettings.User, filepath.Join(claudeDir, settingsName))
	return in
}

// readSettings returns the text of a settings file; nil where there is none. One that cannot be read is one that says nothing readable.
func readSettings(path string, failed func(error)) []byte {
	// Not blocking, because what has the file's name may be a pipe.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		failed(err)
		return []byte("?")
	}
	defer file.Close() //nolint:errcheck // only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return []byte("?")
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxSettings))
	if err != nil {
		return []byte("?")
	}
	return raw
}
