// Package claudesettings says where Claude Code keeps the memory of a project, and whether it keeps one at all, as Claude Code
// itself decides it: from its environment and its settings files. It is a pure function of these, and never touches a disk.
//
// The order of the links is that of Claude Code's documentation (code.claude.com/docs/en/memory and …/settings), where that is silent that of what
// it was seen to do. What is only said on its command line (--bare, --settings) nobody else can know.
package claudesettings

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// Source is whose a settings file is.
type Source string

// The sources, in the order in which they count.
const (
	Managed Source = "managed" // the administrator's
	Local   Source = "local"   // the user's for one project, not committed
	Project Source = "project" // the project's, committed: whoever writes to the repository writes it
	User    Source = "user"    // the user's for all projects
)

// File is one settings file. There may be comments and trailing commas in it.
type File struct {
	Source Source
	Path   string
	Raw    []byte // nil: there is none
}

// Input is what Claude Code decides by.
type Input struct {
	Env   func(name string) (value string, found bool) // nil: an empty environment
	Files []File                                       // in the order of the sources; of one source, that which counts first
	Home  string                                       // what ~ stands for; empty: nothing
	// Default is the directory that is computed where nobody names one.
	Default string
}

// Link is one link of a chain: something that can decide.
type Link struct {
	Name    string // of the variable or setting; empty: the default
	From    string // the settings file; empty: the environment, or the default
	Source  Source // of that file; empty: it stands in none
	Says    string // as it stands; empty: it is silent
	Holds   bool   // it has decided
	Problem string // why it counts for nothing although it says something; empty: it was not its turn, or it holds
}

// The variables and settings.
const (
	pathOverride = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
	disable      = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
	simple       = "CLAUDE_CODE_SIMPLE"
	remote       = "CLAUDE_CODE_REMOTE"
	remoteDir    = "CLAUDE_CODE_REMOTE_MEMORY_DIR"

	directorySetting = "autoMemoryDirectory"
	enabledSetting   = "autoMemoryEnabled"
)

// Directory returns where Claude Code keeps the memory, and the links by which it comes to that: the variable that overrides everything, the
// setting autoMemoryDirectory of files that can be trusted, and the default. A setting that names no usable directory counts, and makes it
// the default.
func Directory(in Input) (dir string, links []Link) {
	files := parsed(in.Files)
	c := chain{}
	override := variable(in, files, pathOverride, true)
	if override.Says != "" {
		dir, override.Problem = usable(override.Says, "")
		override.Holds = override.Problem == ""
	}
	c.add(override)
	spoken := false
	for _, f := range files {
		link := Link{Name: directorySetting, From: f.Path, Source: f.Source, Problem: f.problem}
		link.Says = f.text(directorySetting)
		switch {
		case link.Says == "" || link.Problem != "":
		case f.Source == Project:
			link.Problem = "It is committed with the project, and Claude Code lets no repository say where it writes."
		case !c.decided && !spoken:
			spoken = true
			var named string
			if named, link.Problem = usable(link.Says, in.Home); link.Problem == "" {
				dir, link.Holds = named, true
			} else {
				link.Problem += " Claude Code then asks no other file."
			}
		}
		c.add(link)
	}
	if !c.decided {
		dir = in.Default
	}
	c.add(Link{Says: in.Default})
	return dir, c.links
}

// Enabled returns whether Claude Code keeps a memory, and the links by which it comes to that: the variable that switches it off or on, bare mode, a
// remote machine without storage, the setting autoMemoryEnabled, which a project may have as well, and the default, which is on.
func Enabled(in Input) (on bool, links []Link) {
	files := parsed(in.Files)
	c := chain{}
	decide := func(link Link, decides, to bool) {
		if link.Holds = decides && !c.decided; link.Holds {
			on = to
		}
		c.add(link)
	}
	disabled := variable(in, files, disable, false)
	decide(disabled, isTrue(disabled.Says) || isFalse(disabled.Says), isFalse(disabled.Says))
	bare := variable(in, files, simple, false)
	decide(bare, isTrue(bare.Says), false)
	away := variable(in, files, remote, false)
	storage := variable(in, files, remoteDir, false)
	if isTrue(away.Says) && storage.Says != "" {
		away.Problem = remoteDir + " names where memories are kept there."
	}
	decide(away, isTrue(away.Says) && storage.Says == "", false)
	for _, f := range files {
		link := Link{Name: enabledSetting, From: f.Path, Source: f.Source, Says: f.text(enabledSetting), Problem: f.problem}
		if link.Says != "" && link.Says != "true" && link.Says != "false" && link.Problem == "" {
			link.Problem = "It is neither true nor false."
		}
		decide(link, link.Says != "" && link.Problem == "", link.Says == "true")
	}
	decide(Link{Says: "on"}, true, true)
	return on, c.links
}

// RemoteDir is where everything that is remembered goes on a remote machine; empty: into Claude Code's own directory.
func RemoteDir(env func(string) (string, bool)) string {
	dir := variable(Input{Env: env}, nil, remoteDir, true).Says
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// chain is a chain while it is put together: the first link that holds decides, and the default where none does.
type chain struct {
	links   []Link
	decided bool
}

func (c *chain) add(link Link) {
	link.Holds = (link.Holds || link.Name == "") && !c.decided
	c.decided = c.decided || link.Holds
	c.links = append(c.links, link)
}

// variable looks a variable up as Claude Code finds it: what settings files put into the environment replaces what is in it. Of the
// project's own file that counts only where it could do no harm.
func variable(in Input, files []parsedFile, name string, trustedOnly bool) Link {
	for _, f := range files {
		if value, found := f.env[name]; found && (f.Source != Project || !trustedOnly) {
			return Link{Name: name, From: f.Path, Source: f.Source, Says: value}
		}
	}
	link := Link{Name: name}
	if in.Env != nil {
		link.Says, _ = in.Env(name)
	}
	return link
}

// isTrue and isFalse read a variable as Claude Code does; anything else is neither.
func isTrue(value string) bool  { return isOneOf(value, "1", "true", "yes", "on") }
func isFalse(value string) bool { return isOneOf(value, "0", "false", "no", "off") }

func isOneOf(value string, words ...string) bool {
	for _, word := range words {
		if strings.EqualFold(strings.TrimSpace(value), word) {
			return true
		}
	}
	return false
}

// usable returns the clean path of a directory that is named, or why Claude Code does not take it. A leading ~/ stands for home, where there is one.
func usable(named, home string) (dir, problem string) {
	if rest, found := strings.CutPrefix(named, "~/"); found && home != "" {
		if clean := filepath.Clean(rest); clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
			return "", "It is the home directory itself, or above it."
		}
		named = filepath.Join(home, rest)
	}
	clean := filepath.Clean(named)
	switch {
	case strings.ContainsRune(named, 0):
		return "", "It has a NUL character."
	case !filepath.IsAbs(clean):
		return "", "It is no absolute path."
	case strings.HasPrefix(named, "//"), strings.HasPrefix(named, `\\`):
		return "", "It names a network share."
	case len(clean) < 3:
		return "", "It is too close to the root of the file system."
	}
	return clean, ""
}

// parsedFile is what matters here of a settings file.
type parsedFile struct {
	File
	values  map[string]json.RawMessage
	env     map[string]string
	problem string // why nothing of it counts
}

func parsed(files []File) []parsedFile {
	all := make([]parsedFile, len(files))
	for i, f := range files {
		all[i] = parse(f)
	}
	return all
}

func parse(f File) parsedFile {
	p := parsedFile{File: f}
	if len(strings.TrimSpace(string(f.Raw))) == 0 {
		return p
	}
	if isTooDeep(f.Raw) {
		p.problem = "The file is nested too deep to be read, and nothing in it counts."
		return p
	}
	// Standardize works in the bytes that it is given, and wants a line end behind a comment.
	plain, err := hujson.Standardize(append(append([]byte(nil), f.Raw...), '\n'))
	if err == nil {
		err = json.Unmarshal(plain, &p.values)
	}
	if err != nil {
		p.problem = "The file is no JSON object, and nothing in it counts."
		return p
	}
	var env map[string]any
	_ = json.Unmarshal(p.values["env"], &env) // what is no object puts nothing into the environment
	p.env = map[string]string{}
	for name, value := range env {
		switch v := value.(type) {
		case string:
			p.env[name] = v
		case bool, float64:
			raw, _ := json.Marshal(v)
			p.env[name] = string(raw)
		}
	}
	return p
}

// text returns what a setting says; a text without its quotes.
func (p parsedFile) text(name string) string {
	raw := p.values[name]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}
