package agents

import "strings"

// Target is a kind of file besides CLAUDE.md into which an agent can be published, for other
// programs than Claude Code.
type Target struct {
	Name    string // in the API and on the command line
	Path    string // of the file, relative to the project
	Readers string // programs that read it, for people
	// Limit is the size of the file, in bytes, above which memories become one-line entries. The file
	// grows to at most twice that.
	Limit int
	// Head is the text of a new file above Memoir's block.
	Head string
}

const (
	// agentsMDLimit leaves 8 KiB to other files: Codex loads 32 KiB of all project files together
	// (project_doc_max_bytes, codex-rs/core/src/agents_md.rs), and cuts the rest.
	agentsMDLimit = 12 << 10
	// geminiLimit is the default limit of CLAUDE.md. Gemini CLI has none
	// (packages/core/src/utils/memoryDiscovery.ts).
	geminiLimit = 40_000
	// copilotLimit makes a file of at most two pages, as GitHub recommends. Code reviews read the
	// first 4,000 characters for a long time
	// (docs.github.com/copilot/tutorials/customize-code-review, github/docs issue 42761).
	copilotLimit = 4_000
	// cursorLimit keeps the file below 500 lines of 48 bytes, as Cursor recommends
	// (cursor.com/docs/context/rules).
	cursorLimit = 12 << 10
)

// cursorHead is the frontmatter that makes Cursor load a rule into every conversation.
const cursorHead = "---\ndescription: Memories kept by Memoir\nalwaysApply: true\n---\n"

// Targets returns all targets, in the order of pages and answers.
func Targets() []Target {
	return []Target{
		{Name: "agents", Path: "AGENTS.md", Readers: "Codex, Cursor, opencode, Amp, Copilot, Goose, Cline, Devin, Qwen Code", Limit: agentsMDLimit},
		{Name: "gemini", Path: "GEMINI.md", Readers: "Gemini CLI", Limit: geminiLimit},
		{Name: "copilot", Path: ".github/copilot-instructions.md", Readers: "GitHub Copilot", Limit: copilotLimit},
		{Name: "cursor", Path: ".cursor/rules/memoir.mdc", Readers: "Cursor", Limit: cursorLimit, Head: cursorHead},
	}
}

// TargetNames returns the names of all targets as a list for people.
func TargetNames() string {
	var names []string
	for _, t := range Targets() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// PublishDir returns the directory into which an agent's targets are written, with links followed.
// It is the agent's own directory if that has a CLAUDE.md, and else the root of the project's
// repository. It is "" if the agent has no single project, or the project's path is unknown, missing,
// or around the user's home directory.
func (a Agent) PublishDir() string {
	switch {
	case a.JoinedTo != "":
		return ""
	case a.Published():
		return RealDir(a.Dir)
	case a.Rules().project != displayedProject || ScopeOf(a) != "":
		return ""
	}
	dir := ProjectDir(a)
	if dir == "" {
		return ""
	}
	at, err := ProjectAt(dir)
	if err != nil || containsHome(at.Root) {
		return ""
	}
	return at.Root
}
