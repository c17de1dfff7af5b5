package wire

import (
	"maps"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Memory is a memory, or a fact in an index, in the API's responses.
type Memory struct {
	ID            string           `json:"id" format:"uuid"`
	Agent         string           `json:"agent" doc:"The agent's slug."`
	Name          string           `json:"name"`
	Scope         string           `json:"scope" enum:"private,team" doc:"private: for the agent. team: for its team. A private and a team memory may have the same name."`
	Type          *string          `json:"type" doc:"feedback, user, project or reference; null: it has none."`
	Description   *string          `json:"description"`
	Body          *string          `json:"body" doc:"Markdown."`
	AskedAs       []string         `json:"asked_as" doc:"Short questions that it answers, in other words, by which recall finds it. They are not in its file. Null in lists, for a fact and for a past moment."`
	State         string           `json:"state" enum:"active,needs_attention,missing,deleted"`
	Problems      []MemoryProblem  `json:"problems" nullable:"false"`
	Pending       *string          `json:"pending" doc:"A change that the agent's client has yet to take over from a note: save or deletion; null: none. See docs/AGENTS.md."`
	Path          string           `json:"path" doc:"Relative to the agent's dir."`
	Line          *int             `json:"line" doc:"Line of a fact in the index at path, from 1; null for a memory."`
	Session       *string          `json:"session" doc:"The session that wrote the content; null for the agent's own memory."`
	Files         []File           `json:"files" nullable:"false" doc:"The files on disk with this memory."`
	Hash          *string          `json:"hash" doc:"SHA-256 of the file, in hexadecimal."`
	Size          int64            `json:"size" doc:"Bytes of the file."`
	ClaudeMDChars int              `json:"claude_md_chars" doc:"Unicode characters of the memory in CLAUDE.md."`
	ClaudeMD      *ClaudeMDProblem `json:"claude_md" doc:"Null if the agent's CLAUDE.md is up to date."`
	Index         *IndexStatus     `json:"index" doc:"Whether MEMORY.md leads an agent to the memory; null for a fact and for a memory as of a past moment."`
	Use           *Use             `json:"use" doc:"What agents did with the memory; null for a fact and for a memory as of a past moment."`
	AgeDays       *int             `json:"age_days" doc:"Whole days of 24 hours; null if unknown."`
	Stale         bool             `json:"stale" doc:"Two days old or more."`
	CreatedAt     time.Time        `json:"created_at"`
	UpdatedAt     time.Time        `json:"updated_at"`
	DeletedAt     *time.Time       `json:"deleted_at"`
	DeletedBy     *string          `json:"deleted_by" doc:"The actor of the entry deleted in the activity. Null if the memory is not deleted."`
}

// Use is what agents did with a memory, as the hooks of Claude Code and recalls have reported it.
type Use struct {
	Reads          int        `json:"reads"` // how often an agent has read its file
	LastReadAt     *time.Time `json:"last_read_at"`
	Loads          int        `json:"loads"` // conversations that loaded its line of MEMORY.md
	LastLoadedAt   *time.Time `json:"last_loaded_at"`
	Recalls        int        `json:"recalls"` // kept deliveries by recall
	LastRecalledAt *time.Time `json:"last_recalled_at"`
}

// IndexStatus tells whether an agent finds a memory by its MEMORY.md.
type IndexStatus struct {
	Listed bool `json:"listed"` // a line of MEMORY.md leads to the memory's file
	Loaded bool `json:"loaded"` // the agent loads that line
}

// MemoryProblem is a defect of a memory, or a warning about it.
type MemoryProblem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// File is a file with the content of a memory.
type File struct {
	Path       string    `json:"path"`
	Session    *string   `json:"session"`
	Hash       *string   `json:"hash"`
	ModifiedAt time.Time `json:"modified_at"`
}

// ClaudeMDProblem is the reason why CLAUDE.md is not up to date.
type ClaudeMDProblem struct {
	Problem string `json:"problem"`
}

// Schema returns the schema of an object with a problem, or null.
func (ClaudeMDProblem) Schema(huma.Registry) *huma.Schema {
	return orNull(map[string]*huma.Schema{"problem": {Type: huma.TypeString}})
}

// Schema returns the schema of an object with the two fields, or null.
func (IndexStatus) Schema(huma.Registry) *huma.Schema {
	return orNull(map[string]*huma.Schema{
		"listed": {Type: huma.TypeBoolean, Description: "A line of MEMORY.md leads to the memory's file."},
		"loaded": {Type: huma.TypeBoolean, Description: "The agent loads that line: it is within the first 200 lines and 25,000 UTF-16 code units."},
	})
}

// Schema returns the schema of an object with the fields, or null.
func (Use) Schema(huma.Registry) *huma.Schema {
	count := func(doc string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: doc}
	}
	moment := func() *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
	}
	return orNull(map[string]*huma.Schema{
		"reads": count("How often an agent has read the memory's file."), "last_read_at": moment(),
		"loads": count("Conversations that loaded its line of MEMORY.md."), "last_loaded_at": moment(),
		"recalls": count("Kept deliveries by recall."), "last_recalled_at": moment(),
	})
}

// orNull returns the schema of an object with the properties, all required, or null. Huma does not
// derive the null for a struct.
func orNull(properties map[string]*huma.Schema) *huma.Schema {
	object := &huma.Schema{Type: huma.TypeObject, Required: slices.Sorted(maps.Keys(properties)), Properties: properties}
	return &huma.Schema{AnyOf: []*huma.Schema{object, {Type: "null"}}}
}

// MemoryList is one page of an agent's memories.
type MemoryList struct {
	Memories   []Memory `json:"memories" nullable:"false"`
	Total      int      `json:"total" doc:"Of the whole list."`
	Near       bool     `json:"near" doc:"True if no memory has all words of the search, and these are similar. Only with near=true."`
	NextCursor *string  `json:"next_cursor" doc:"For the next page; null: this is the last."`
}

// MemoryOf returns m as the API sends it. claudeMDProblem is the problem of its agent's CLAUDE.md;
// if it is "", ClaudeMD is null. The age counts to now. The texts of a memory in quarantine are
// masked.
func MemoryOf(m memories.Memory, claudeMDProblem string, now time.Time) Memory {
	return Revealed(records.Masked(m), claudeMDProblem, now)
}

// Revealed is MemoryOf without masks.
func Revealed(m memories.Memory, claudeMDProblem string, now time.Time) Memory {
	age := m.Age(now)
	shown := Memory{
		ID: m.ID, Agent: m.Agent, Name: m.Name, Scope: string(m.Scope()), Type: Text(m.Type), Description: Text(m.Description), Body: Text(m.Body), AskedAs: m.AskedAs,
		State: string(m.State), Problems: ProblemsOf(m.Problems), Pending: Text(m.Pending()), Path: m.Path, Line: Count(m.Line), Session: Text(m.Session),
		Files: List(m.Files, FileOf), Hash: Text(m.Hash), Size: m.Size, ClaudeMDChars: m.ClaudeMDChars,
		AgeDays: age.KnownDays(), Stale: age.Stale,
		CreatedAt: m.CreatedAt.UTC(), UpdatedAt: m.UpdatedAt.UTC(), DeletedAt: Moment(m.DeletedAt),
		DeletedBy: Text(m.DeletedActor),
	}
	if m.Index != "" {
		shown.Index = &IndexStatus{Listed: m.Index != memories.Unlisted, Loaded: m.Index == memories.LoadedByLine}
	}
	if m.Use != nil {
		use := Use(*m.Use)
		shown.Use = &use
	}
	if claudeMDProblem != "" {
		shown.ClaudeMD = &ClaudeMDProblem{claudeMDProblem}
	}
	return shown
}

// FileOf returns f as the API sends it, with null for an empty session or hash.
func FileOf(f memories.MemoryFile) File {
	return File{Path: f.Path, Session: Text(f.Session), Hash: Text(f.Hash), ModifiedAt: f.ModifiedAt.UTC()}
}

// ProblemsOf returns problems as the API sends them. The result is empty, not nil, if there are no
// problems.
func ProblemsOf(problems []memories.Problem) []MemoryProblem {
	return List(problems, func(p memories.Problem) MemoryProblem { return MemoryProblem(p) })
}

// MemoryListOf returns a page as the API sends it. It calls problem with the slug of each memory's
// agent; problem must return the problem of that agent's CLAUDE.md, or "". Ages count to now.
func MemoryListOf(page records.MemoryPage, problem func(agent string) string, now time.Time) MemoryList {
	list := MemoryList{Memories: make([]Memory, len(page.Memories)), Total: page.Total, Near: page.Near, NextCursor: Text(page.NextCursor)}
	for i, m := range page.Memories {
		list.Memories[i] = MemoryOf(m, problem(m.Agent), now)
	}
	return list
}
