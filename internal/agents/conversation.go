package agents

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/files"
	"memoir/internal/transcript"
)

// maxConversationHead is how many bytes of a transcript are read to find where its conversation
// started. A hook waits for this; 1 MiB takes about 5 ms on 2 cores.
const maxConversationHead = 1 << 20

// Conversation identifies a conversation of Claude Code, with the values that its hooks send.
type Conversation struct {
	Transcript string // absolute path, or empty if unknown; the file need not exist
	Dir        string // current working directory; a cd changes it
}

// AgentsOf returns the agents to which a conversation belongs. A memory in the transcript's
// directory below claudeDir decides. Else the project where the conversation started decides: at
// the first directory that the transcript names, else at c.Dir. Without a transcript, agents of
// other clients count too. A memory on disk that is not in all
// belongs to no agent yet. Joined agents are resolved. Several agents mean an ambiguous
// conversation; an empty result is not an error. The error means that the directory is not
// absolute, or files.IsExhausted reports true for it.
func AgentsOf(c Conversation, claudeDir string, all []Agent) ([]Agent, error) {
	if name := c.projectName(claudeDir); hasMemory(claudeDir, name) {
		return ResolveJoined(agentsOfProject(claudeDir, name, all), all), nil
	}
	dir, err := c.firstDir(claudeDir)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		dir = c.Dir
	}
	project, err := ProjectAt(dir)
	if err != nil {
		return nil, err
	}
	if found := project.own(all); len(found) > 0 || hasMemory(claudeDir, projectDirName(project.Root)) {
		return ResolveJoined(found, all), nil
	}
	if c.Transcript == "" {
		if found := project.ofClients(all); len(found) > 0 {
			return ResolveJoined(found, all), nil
		}
	}
	return ResolveJoined(project.above(all), all), nil
}

// IsOff reports whether Claude Code has switched off the memory of a, the agent of c. Where the
// agent's project is not known yet, the conversation's project decides.
func (c Conversation) IsOff(s Settings, a Agent) bool {
	if a.Rules().HasSettings && ProjectDir(a) == "" {
		a.DisplayName = cmp.Or(c.rootNamed(s.ClaudeDir, a), a.DisplayName)
	}
	return LocateMemory(s, a).IsOff()
}

// rootNamed returns the root of the project where the conversation started, if a's project
// directory can be named after it, or else "".
func (c Conversation) rootNamed(claudeDir string, a Agent) string {
	name, isProject := claudeProject(a.Layout, a.Dir)
	if !isProject {
		return ""
	}
	dir, _ := c.firstDir(claudeDir) // without a transcript, c.Dir decides
	project, err := ProjectAt(cmp.Or(dir, c.Dir))
	if err != nil || !fits(name, projectDirName(project.Root)) {
		return ""
	}
	return project.Root
}

// ProjectDirectory returns the directory below projects/ in claudeDir that contains the transcript.
// It returns "" for a transcript elsewhere, or if claudeDir is empty.
func (c Conversation) ProjectDirectory(claudeDir string) string {
	name := c.projectName(claudeDir)
	if name == "" {
		return ""
	}
	return filepath.Join(absolute(claudeDir), projectsDir, name)
}

// hasMemory reports whether a project directory of Claude Code has a memory on disk. It reports
// false if claudeDir or name is empty.
func hasMemory(claudeDir, name string) bool {
	if claudeDir == "" || name == "" {
		return false
	}
	info, err := os.Stat(projectMemory(claudeDir, name))
	return err == nil && info.IsDir()
}

// projectMemory returns the memory directory in the project directory with that name.
func projectMemory(claudeDir, name string) string {
	return filepath.Join(absolute(claudeDir), projectsDir, name, memoryDir)
}

// agentsOfProject returns the agent of Claude Code's project directory with that name. If Claude
// Code's settings have moved that project's memory, it returns the agents of the new directory. It
// returns nil without such an agent.
func agentsOfProject(claudeDir, name string, all []Agent) []Agent {
	dir := projectMemory(claudeDir, name)
	for _, a := range all {
		if a.Layout != Claude || a.Dir != dir {
			continue
		}
		project := Project{Root: a.DisplayName}
		for _, choose := range []func([]Agent) []Agent{project.moved, project.movedWithAll} {
			if found := choose(all); len(found) > 0 {
				return found
			}
		}
		return []Agent{a}
	}
	return nil
}

// projectName returns the name of the directory below projects/ in claudeDir that contains the
// transcript. It returns "" for a transcript elsewhere, or if Transcript is not absolute or
// claudeDir is empty.
func (c Conversation) projectName(claudeDir string) string {
	if claudeDir == "" || !filepath.IsAbs(c.Transcript) {
		return ""
	}
	projects, path := filepath.Join(absolute(claudeDir), projectsDir), filepath.Clean(c.Transcript)
	if !Beneath(path, projects) {
		projects, path = RealDir(projects), RealDir(path)
	}
	relative, err := filepath.Rel(projects, path)
	if err != nil || !filepath.IsLocal(relative) {
		return ""
	}
	name, _, inside := strings.Cut(relative, string(filepath.Separator))
	if !inside {
		return ""
	}
	return name
}

// firstDir returns the first absolute working directory that the start of the transcript names. It
// returns "" if the transcript names no directory or cannot be read. It fails only with an error
// for which files.IsExhausted reports true.
func (c Conversation) firstDir(claudeDir string) (string, error) {
	file, err := OpenTranscript(claudeDir, c.Transcript)
	switch {
	case files.IsExhausted(err):
		return "", err
	case err != nil:
		return "", nil
	}
	defer file.Close()
	return transcript.WorkingDirectory(io.LimitReader(file, maxConversationHead), filepath.IsAbs), nil
}
