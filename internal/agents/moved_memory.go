package agents

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memoir/internal/claudesettings"
)

const (
	settingsName      = "settings.json"
	localSettingsName = "settings.local.json"
	managedName       = "managed-settings.json"
	managedDropIns    = "managed-settings.d"
	// maxSettings is the size in bytes above which a settings file is not read. It is arbitrary.
	maxSettings = 1 << 20
)

// ManagedDir returns the directory of an administrator's settings of Claude Code on this system,
// which need not exist (code.claude.com/docs/en/settings).
func ManagedDir() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/ClaudeCode"
	}
	return "/etc/claude-code"
}

// movedMemories adds to d.outside the memory directories that Claude Code's settings name: one for
// all projects, and those of single projects. It omits missing directories and records them in
// d.sources.
func (d *discovery) movedMemories(claudeDir string) {
	all, _ := claudesettings.Directory(d.settings.input(claudeDir, project{}, d.noteSource, d.noteFailed))
	if all != "" && d.isDirectoryOrSource(all) {
		d.outside = append(d.outside, Found{Slug: slugOfDir(all), Layout: Claude, Dir: all, DisplayName: allProjectsName(all)})
	}
	for _, p := range d.projects {
		dir, _ := claudesettings.Directory(d.settings.input(claudeDir, p, d.noteSource, d.noteFailed))
		if dir != all && dir != defaultMemory(d.settings, claudeDir, p) && d.isDirectoryOrSource(dir) {
			at, err := ProjectAt(p.path)
			if err != nil {
				d.noteFailed(err)
				continue
			}
			d.outside = append(d.outside, Found{Slug: sanitise(p.name), Layout: Claude, Dir: dir, DisplayName: printable(at.Root)})
		}
	}
}

// isDirectoryOrSource reports whether a path is a directory. A path that cannot be examined is
// recorded in d.sources, so that its creation starts a new discovery.
func (d *discovery) isDirectoryOrSource(dir string) bool {
	if stamp := StampOf(dir); stamp == (Stamp{}) {
		d.sources[dir] = stamp
		return false
	}
	return d.isDirectory(dir)
}

func (d *discovery) noteSource(path string) { d.source(path) }

// allProjectsName returns the display name of the memory that all projects share.
func allProjectsName(dir string) string { return printable("All projects, in " + dir) }

func slugOfDir(dir string) string {
	return cmp.Or(strings.TrimLeft(sanitise(filepath.Base(dir)), "."), memoryDir)
}

// defaultMemory returns the directory of a project's memory if no settings name another, or ""
// without a project. It is below the directory that RemoteDir finds in s.Env, else below claudeDir.
func defaultMemory(s Settings, claudeDir string, p project) string {
	if p.name == "" {
		return ""
	}
	if remote := claudesettings.RemoteDir(s.Env); remote != "" {
		claudeDir = remote
	}
	return filepath.Join(claudeDir, projectsDir, p.name, memoryDir)
}

// addOutside adds the agents of d.outside to d.found. It skips a directory that equals, contains or
// is inside another agent's: a deletion by one agent would affect the other. It adds a link to
// another agent's directory, because the two are then joined.
func (d *discovery) addOutside() {
	for _, f := range d.outside {
		dir := RealDir(f.Dir)
		if !slices.ContainsFunc(d.found, func(other Found) bool {
			at := RealDir(other.Dir)
			if dir == at && f.Dir != other.Dir && IsLink(f.Dir) {
				return false // listed as joined to the other
			}
			return Beneath(dir, at) || Beneath(at, dir)
		}) {
			d.add(f)
		}
	}
}

// input returns the files and variables with which Claude Code configures the memory of p, or of
// all projects if p is zero. It calls note with each path before it reads it. It calls failed with
// the result of listing the drop-ins, also if that is nil, and with errors of reading files.
func (s Settings) input(claudeDir string, p project, note func(path string), failed func(error)) claudesettings.Input {
	in := claudesettings.Input{Env: s.Env, Home: s.Home, Default: defaultMemory(s, claudeDir, p)}
	add := func(source claudesettings.Source, path string) {
		note(path)
		in.Files = append(in.Files, claudesettings.File{Source: source, Path: path, Raw: readSettings(path, failed)})
	}
	if s.ManagedDir != "" {
		// The last drop-in takes precedence, and drop-ins take precedence over the main file.
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

// readSettings returns the content of a settings file, or nil if it does not exist. For an
// unreadable or too large file it returns a text that is not JSON. It then calls failed: with the
// error, or with nil if the file is too large.
func readSettings(path string, failed func(error)) []byte {
	raw, err := readRegular(path, maxSettings+1)
	if isGone(err) {
		return nil
	}
	if err != nil || len(raw) > maxSettings {
		failed(err)
		return []byte("?")
	}
	return raw
}
