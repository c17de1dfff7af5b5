package agents

import (
	"io"
	"path/filepath"
	"strings"

	"memoir/internal/files"
	"memoir/internal/transcript"
)

// conversationHead is how much of a transcript is read to find where the conversation began, in
// bytes. A hook waits for it; 1 MiB takes about 5 ms on 2 cores.
const conversationHead = 1 << 20

// Conversation names a conversation of Claude Code, as its hooks do.
type Conversation struct {
	Transcript string // absolute path; the file need not exist yet; empty: unknown
	Dir        string // the current working directory, which a cd changes
}

// AgentsOf returns those of all agents whose memory a conversation belongs to, by the first of these
// that applies:
//
//   - the project whose directory the transcript is in, if it has a memory;
//   - the directory in which the conversation began, as the transcript names it;
//   - the current working directory, if the transcript names none.
//
// A cd never changes the answer. Several agents mean that the conversation is ambiguous. AgentsOf
// fails if there is no absolute directory to decide by, or too few files can be opened.
func AgentsOf(c Conversation, claudeDir string, all []Agent) ([]Agent, error) {
	if found := c.byTranscript(claudeDir, all); len(found) > 0 {
		return ResolveJoined(found, all), nil
	}
	dir, err := c.beginning(claudeDir)
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
	return project.Agents(all), nil
}

// byTranscript returns the agent of the project whose directory the transcript is in, or the agent
// in the directory to which Claude Code's settings have moved that project's memory.
func (c Conversation) byTranscript(claudeDir string, all []Agent) []Agent {
	name := c.projectName(claudeDir)
	if name == "" {
		return nil
	}
	dir := filepath.Join(absolute(claudeDir), projectsDir, name, memoryDir)
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

// projectName returns the name of the directory beneath projects/ that the transcript is in, or "".
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

// beginning returns the first working directory that the transcript names, or "". It fails as
// files.IsExhausted says.
func (c Conversation) beginning(claudeDir string) (string, error) {
	file, err := OpenTranscript(claudeDir, c.Transcript)
	switch {
	case files.IsExhausted(err):
		return "", err
	case err != nil:
		return "", nil
	}
	defer file.Close()
	return transcript.WorkingDirectory(io.LimitReader(file, conversationHead), filepath.IsAbs), nil
}
