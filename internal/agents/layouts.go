package agents

import (
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

// Layout is the arrangement of an agent's directory. Its rules are in the table layouts.
type Layout string

const (
	// Hive is a directory that contains CLAUDE.md, memory/ and sessions/{session}/memory/.
	Hive Layout = "hive"
	// Claude is a memory directory of Claude Code: projects/{dir}/memory or agent-memory/{name}.
	Claude Layout = "claude"
	// Directory is one memory directory named in the settings.
	Directory Layout = "directory"
	// Shared is one memory directory for all agents. All its memories are team memories, and every
	// other agent uses them in addition to its own.
	Shared Layout = "shared"
)

// Rules are the properties in which layouts differ. The zero Rules are those of a plain memory
// directory, with memory files as Memoir writes them.
type Rules struct {
	// HasSessions means that the agent's directory contains memory/, and for each session
	// sessions/{session}/memory/. Otherwise it is itself the memory directory.
	HasSessions bool
	// IsShared means that all memories are team memories, which every other agent uses too.
	IsShared bool
	// IsPublished means that Memoir compiles the memories into a CLAUDE.md.
	IsPublished bool
	// LoadsIndex means that the client loads MEMORY.md at the start of each conversation.
	LoadsIndex bool
	// HasSettings means that Claude Code's settings, transcripts and session memories apply.
	HasSettings bool
	// MayBeExpected means that the client creates the memory directory when it first saves. Until
	// then, the agent exists without it.
	MayBeExpected bool
	// HasSlugNames means that a new memory's name is a slug in kebab case, also of its file.
	HasSlugNames bool
	Format       frontmatter.Format // of memory files
	project      projectSource
}

// projectSource is where the path of the project is from that an agent's memories are about.
type projectSource int

const (
	noProject         projectSource = iota
	displayedProject                // the display name, or the root of a custom agent's project
	repositoryProject               // the repository around the agent's directory
)

var layouts = map[Layout]Rules{
	Hive: {HasSessions: true, IsPublished: true},
	Claude: {
		LoadsIndex: true, HasSettings: true, MayBeExpected: true, HasSlugNames: true, Format: frontmatter.Nested, project: displayedProject,
	},
	Directory: {project: repositoryProject},
	Shared:    {IsShared: true},
}

// Rules returns the layout's rules. They are zero for an unknown layout.
func (l Layout) Rules() Rules { return layouts[l] }

// Rules returns the rules of the agent's layout.
func (a Agent) Rules() Rules { return a.Layout.Rules() }

// FileName returns the name of a new file for a memory with that type and name. The name may be
// taken.
func (r Rules) FileName(t memories.Type, name string) string {
	if r.HasSlugNames {
		return memories.KebabFileName(memories.KebabSlug(name))
	}
	return memories.FileName(t, name)
}
