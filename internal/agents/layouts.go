package agents

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

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
	// Qwen is a memory directory of Qwen Code: projects/{dir}/memory or memories in its own
	// directory, or .qwen/team-memory or .qwen/memory in a repository.
	Qwen Layout = "qwen"
	// Gemini is the private memory of Gemini CLI for one project: tmp/{id}/memory.
	Gemini Layout = "gemini"
	// Codex is the memory of Codex for all projects, in one file with a section for each task group.
	Codex Layout = "codex"
	// OpenClaw is the workspace of OpenClaw: MEMORY.md with a section for each topic, and day logs.
	OpenClaw Layout = "openclaw"
	// MemoryBank is the directory memory-bank in a repository, with one file for each topic.
	MemoryBank Layout = "memory-bank"
	// Letta is the memory of an agent of Letta Code: one file for each block.
	Letta Layout = "letta"
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
	// IndexIsWhole means that the client loads MEMORY.md in full. Otherwise the limits of Claude
	// Code apply.
	IndexIsWhole bool
	// Client is the name of the program that owns the files. It is empty if that is Memoir or no
	// single program.
	Client string
	// Foreign are the paths, in the memory directory, of files and directories that the client keeps
	// next to the memories. Memoir neither reads nor changes them.
	Foreign []string
	// Only are the names, in the memory directory, of what belongs to the memory, in lower case. It
	// is nil if everything does.
	Only []string
	// SplitAt is the beginning of the lines at which MEMORY.md is cut into memories. If it is empty,
	// MEMORY.md is an index.
	SplitAt string
	// HasDayLogs means that the files YYYY-MM-DD.md in memory/ are logs.
	HasDayLogs bool
	// Keeper is the reason why Memoir does not write the memories' files, as a sentence; empty if it
	// does.
	Keeper string
	// Notes is the directory, in the memory directory, of notes by which Memoir asks the client to
	// change its memories; empty if it has none.
	Notes string
	// Pinned is a directory with memories that only a person may change; empty if there is none.
	Pinned  string
	project projectSource
}

// projectSource says how the path of an agent's project is found.
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
	Qwen: {
		Client: "Qwen Code", LoadsIndex: true, HasSlugNames: true, Format: frontmatter.FlatOrPlain, Pinned: "pinned", project: displayedProject,
	},
	Gemini: {
		Client: "Gemini CLI", LoadsIndex: true, IndexIsWhole: true, HasSlugNames: true, Format: frontmatter.Plain,
		Foreign: []string{"skills"}, project: displayedProject,
	},
	Codex: {
		Client: "Codex", Format: frontmatter.Section, SplitAt: "# Task Group:", Only: []string{"memory.md"},
		Keeper: "A job of Codex writes this memory, and would overwrite a change.",
		Notes:  "extensions/ad_hoc/notes",
	},
	OpenClaw: {
		Client: "OpenClaw", Format: frontmatter.Section, SplitAt: "## ", Only: []string{"memory.md", "memory"}, HasDayLogs: true,
		Foreign: []string{"memory/context-digest.md"},
		Keeper:  "OpenClaw keeps this memory.",
	},
	MemoryBank: {
		Format: frontmatter.Plain, project: repositoryProject,
		Keeper: "The files of a memory bank are written by the agents of the repository.",
	},
	Letta: {
		Client: "Letta Code", Format: frontmatter.Block,
		Keeper: "Letta Code keeps this memory in git, and discards changes that are no commits.",
	},
}

// Layouts returns the names of all layouts, sorted.
func Layouts() []Layout { return slices.Sorted(maps.Keys(layouts)) }

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

// Label returns the name that the path of a memory file states. For files that need no frontmatter
// it is the path below the memory directory, without the extension, so that files of different
// directories have different names. Otherwise it is the stem.
func (a Agent) Label(relPath string) string {
	if a.IsNote(relPath) {
		return noteLabel(relPath)
	}
	_, _, names := a.locate(relPath)
	switch a.Rules().Format {
	case frontmatter.FlatOrPlain, frontmatter.Plain, frontmatter.Block, frontmatter.Section:
		if _, name, isPart := a.partOf(relPath); isPart {
			return name
		}
		if len(names) > 1 {
			relPath = strings.Join(names, "/")
			return strings.TrimSuffix(relPath, path.Ext(relPath))
		}
	}
	return strings.TrimSuffix(path.Base(relPath), path.Ext(relPath))
}

// Parse returns the memory file at relPath with the bytes raw, in the format of the agent's layout.
func (a Agent) Parse(raw []byte, relPath string) frontmatter.File {
	file := a.format(relPath).Parse(raw, a.Label(relPath))
	if a.IsNote(relPath) && !file.Unreadable {
		file.Problems = append(file.Problems, memories.ProblemOf(memories.CodePendingSave))
	}
	return file
}

// format returns the format of the file at a path.
func (a Agent) format(relPath string) frontmatter.Format {
	if a.IsNote(relPath) {
		return frontmatter.FlatOrPlain
	}
	return a.Rules().Format
}

// WithName returns the bytes raw of a memory file, changed so that they state the name at relPath.
func (a Agent) WithName(raw []byte, name, relPath string, now time.Time) []byte {
	return a.format(relPath).WithName(raw, name, a.Label(relPath), now)
}

// Encode returns the bytes of a memory file at relPath with the content, and with the entries of
// metadata if the file has frontmatter. If base is not nil, the file base is changed.
func (a Agent) Encode(base []byte, relPath string, c memories.Content, metadata map[string]string, now time.Time) []byte {
	data := a.format(relPath).Encode(base, a.Label(relPath), c, now)
	if a.IsNote(relPath) && metadata[noteRequest] == "" && frontmatter.MetadataOf(data, noteRequest) == "" {
		metadata = maps.Clone(metadata)
		if metadata == nil {
			metadata = map[string]string{}
		}
		metadata[noteRequest] = requestRemember
	}
	if a.Parse(data, relPath).Plain {
		return data
	}
	return frontmatter.WithMetadata(data, metadata)
}

// IsRestricted reports whether there are paths for which ReadOnly returns a reason.
func (a Agent) IsRestricted() bool {
	rules := a.Rules()
	return len(rules.Foreign) > 0 || rules.Pinned != "" || rules.Keeper != ""
}

// ReadOnly returns why Memoir must not change the file at relPath, as a sentence, or "". byPerson
// reports whether a person asks for the change in the browser.
func (a Agent) ReadOnly(relPath string, byPerson bool) string {
	rules := a.Rules()
	_, _, names := a.locate(relPath)
	switch {
	case rules.TakesNotes() && (len(names) == 0 || a.IsNote(relPath)):
		return ""
	case rules.TakesNotes():
		return rules.Keeper + " Memoir only adds notes for " + rules.Client + ". Save, edit or delete the memory itself."
	case rules.Keeper != "":
		return rules.Keeper + " Memoir only reads it. Copy the memory to another agent and change it there."
	case a.isForeign(names):
		return relPath + " belongs to " + rules.Client + ", and Memoir leaves it alone."
	case rules.Pinned != "" && len(names) > 0 && names[0] == rules.Pinned && !byPerson:
		return relPath + " is pinned: only a person changes it, on a page of Memoir or on disk."
	}
	return ""
}

// HasIndex reports whether the agent has a MEMORY.md that lists its memories, or gets one with the
// first memory that Memoir saves.
func (a Agent) HasIndex() bool { return a.Rules().Keeper == "" }

// Title returns the name of the layout's client for people, or what the layout is without one.
func (l Layout) Title() string {
	switch l {
	case Hive:
		return "Agents directory"
	case Claude:
		return "Claude Code"
	case Directory:
		return "Named directory"
	case Shared:
		return "All agents"
	case MemoryBank:
		return "Memory bank"
	}
	return cmp.Or(l.Rules().Client, string(l))
}
