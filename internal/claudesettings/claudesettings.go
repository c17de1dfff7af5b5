// Package claudesettings computes where Claude Code stores a project's memory, and whether its
// memory is on, from Claude Code's environment and settings files. It never touches a disk. Package
// agents calls it.
//
// The order of the settings follows Claude Code's documentation (code.claude.com/docs/en/memory and
// …/settings), or its observed behaviour. Options of its command line (--bare, --settings) are
// unknown here.
package claudesettings

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Source is the kind of a settings file.
type Source string

// The sources, in the order of precedence.
const (
	Managed Source = "managed" // set by the administrator
	Local   Source = "local"   // set by the user for one project, not committed
	Project Source = "project" // set by the project and committed, so by any contributor
	User    Source = "user"    // set by the user for all projects
)

// File is one settings file. It may contain comments and trailing commas.
type File struct {
	Source Source
	Path   string
	Raw    []byte // nil if it does not exist
}

// Input is the data that Claude Code decides by.
type Input struct {
	Env   func(name string) (value string, found bool) // nil means an empty environment
	Files []File                                       // in the order of the sources
	Home  string                                       // the directory for ~, or empty
	// Default is the directory that is used without any setting.
	Default string
}

// Link is one variable or setting that can decide, or the default.
type Link struct {
	Name    string // variable or setting; empty for the default
	From    string // settings file; empty for the environment or the default
	Source  Source // of that file; empty without one
	Says    string // the value; empty if it is not set
	Holds   bool   // whether it decides
	Problem string // why a set value is ignored; empty if it decides or ranks lower
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

// Directory returns the directory of Claude Code's memory, and a link for each source that could
// decide it, in order of precedence. The sources are a variable, the setting autoMemoryDirectory of
// each file, and in.Default. Holds of exactly one link is true. The project's file never decides.
// Of the other files, only the first with the setting counts; if its value is unusable, the default
// decides.
func Directory(in Input) (dir string, links []Link) {
	files := parsed(in.Files)
	c := chain{}
	override := variable(in, files, pathOverride, true)
	if override.Says != "" {
		dir, override.Problem = usable(override.Says, "")
		override.Holds = override.Problem == ""
	}
	c.add(override)
	isSet := false
	for _, f := range files {
		link := Link{Name: directorySetting, From: f.Path, Source: f.Source, Problem: f.problem}
		link.Says = f.text(directorySetting)
		switch {
		case link.Says == "" || link.Problem != "":
		case f.Source == Project:
			link.Problem = "Not used: this file is committed with the project."
		case !c.decided && !isSet:
			isSet = true
			var named string
			if named, link.Problem = usable(link.Says, in.Home); link.Problem == "" {
				dir, link.Holds = named, true
			} else {
				link.Problem += " Claude Code ignores the other files."
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

// Enabled reports whether Claude Code's memory is on, and returns a link for each source that could
// decide it, in order of precedence. The sources are a variable, bare mode, a remote machine
// without storage, the setting autoMemoryEnabled of each file, and the default, which is on. Holds
// of exactly one link is true. A setting other than true and false is ignored, and its link has a
// Problem.
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
	onRemote := variable(in, files, remote, false)
	storage := variable(in, files, remoteDir, false)
	if isTrue(onRemote.Says) && storage.Says != "" {
		onRemote.Problem = remoteDir + " sets the directory there."
	}
	decide(onRemote, isTrue(onRemote.Says) && storage.Says == "", false)
	for _, f := range files {
		link := Link{Name: enabledSetting, From: f.Path, Source: f.Source, Says: f.text(enabledSetting), Problem: f.problem}
		if link.Says != "" && link.Says != "true" && link.Says != "false" && link.Problem == "" {
			link.Problem = "Not used: the value must be true or false."
		}
		decide(link, link.Says != "" && link.Problem == "", link.Says == "true")
	}
	decide(Link{Says: "on"}, true, true)
	return on, c.links
}

// RemoteDir returns the directory of all memories on a remote machine, from its variable in env, as
// a clean path. It returns "" if the variable is not set or not an absolute path. env may be nil.
func RemoteDir(env func(string) (string, bool)) string {
	dir := variable(Input{Env: env}, nil, remoteDir, true).Says
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// chain collects links. The first one that holds decides.
type chain struct {
	links   []Link
	decided bool
}

// add appends link. It sets Holds to true for the first link with Holds, or else for the default,
// and to false for all others.
func (c *chain) add(link Link) {
	link.Holds = (link.Holds || link.Name == "") && !c.decided
	c.decided = c.decided || link.Holds
	c.links = append(c.links, link)
}

// variable returns a variable with its value and origin. The first of files that sets it decides,
// even with an empty value, else the environment. If no source sets it, Says is "". If trustedOnly
// is true, it ignores the project's file.
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

// isTrue reports whether the value of a variable is 1, true, yes or on, in any letter case and with
// any space around it.
func isTrue(value string) bool { return isOneOf(value, "1", "true", "yes", "on") }

// isFalse reports whether the value of a variable is 0, false, no or off, in any letter case and
// with any space around it. It is false for an empty value.
func isFalse(value string) bool { return isOneOf(value, "0", "false", "no", "off") }

func isOneOf(value string, words ...string) bool {
	return slices.Contains(words, strings.ToLower(strings.TrimSpace(value)))
}

// usable returns the directory named as a clean absolute path. If Claude Code would ignore it, dir
// is "" and problem is the reason, as a sentence. usable replaces ~/ at the start by home, unless
// home is empty. It does not check whether the directory exists.
func usable(named, home string) (dir, problem string) {
	if rest, found := strings.CutPrefix(named, "~/"); found && home != "" {
		if clean := filepath.Clean(rest); clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
			return "", "Not used: the home directory, or a directory above it."
		}
		named = filepath.Join(home, rest)
	}
	clean := filepath.Clean(named)
	switch {
	case strings.ContainsRune(named, 0):
		return "", "Not used: the path has a NUL character."
	case !filepath.IsAbs(clean):
		return "", "Not used: the path is not absolute."
	case strings.HasPrefix(named, "//"), strings.HasPrefix(named, `\\`):
		return "", "Not used: the path is a network share."
	case len(clean) < 3:
		return "", "Not used: the path is shorter than 3 characters."
	}
	return clean, ""
}

// parsedFile is a parsed settings file.
type parsedFile struct {
	File
	values  map[string]json.RawMessage
	env     map[string]string
	problem string // why the whole file is ignored
}

func parsed(files []File) []parsedFile {
	all := make([]parsedFile, len(files))
	for i, f := range files {
		all[i] = parse(f)
	}
	return all
}

// parse reads the settings of a file and the variables under "env". If the file is no JSON object
// or too deeply nested, the result has only the problem. A missing or empty file has no settings
// and no problem.
func parse(f File) parsedFile {
	p := parsedFile{File: f}
	if len(strings.TrimSpace(string(f.Raw))) == 0 {
		return p
	}
	if isTooDeep(f.Raw) {
		p.problem = "Not used: the file is nested too deep."
		return p
	}
	// Standardize changes its argument and needs a line end after a comment.
	plain, err := hujson.Standardize(append(append([]byte(nil), f.Raw...), '\n'))
	if err == nil {
		err = json.Unmarshal(plain, &p.values)
	}
	if err != nil {
		p.problem = "Not used: the file is not a JSON object."
		return p
	}
	var env map[string]any
	_ = json.Unmarshal(p.values["env"], &env) // other values than an object add nothing
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

// text returns the value of a setting as text: a string without quotes, other values as JSON. It
// returns "" if the setting is missing or null.
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

// maxNested is the maximum nesting of a settings file. Those of Claude Code have about five levels.
// The parser recurses, so a hostile file of a project could otherwise overflow the stack.
const maxNested = 1000

// isTooDeep reports whether objects and arrays in JSON with comments are nested deeper than
// maxNested. It does not check that raw is valid.
func isTooDeep(raw []byte) bool {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '/':
			i = endOfComment(raw, i)
		case '[', '{':
			if depth++; depth > maxNested {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// endOfComment returns the index of the last byte of the comment that starts at the slash raw[i].
// For a line comment, this is the line end. It returns i if no comment starts there, and may return
// len(raw) or more for a comment without an end.
func endOfComment(raw []byte, i int) int {
	if i+1 == len(raw) {
		return i
	}
	switch raw[i+1] {
	case '/':
		for i < len(raw) && raw[i] != '\n' {
			i++
		}
	case '*':
		for i += 3; i < len(raw) && (raw[i] != '/' || raw[i-1] != '*'); i++ {
		}
	}
	return i
}
