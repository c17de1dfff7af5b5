package mcp

import (
	"context"
	"path/filepath"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

type saveInput struct {
	agentSelector
	Name        string   `json:"name" jsonschema:"A short name that says what the memory is about. An existing memory of that name is updated."`
	Type        string   `json:"type" jsonschema:"feedback: how to work, corrections. user: who a person is, preferences. project: current work, decisions, deadlines. reference: where to find something."`
	Description string   `json:"description,omitempty" jsonschema:"One line for finding it again: its subject, and when it matters."`
	Scope       string   `json:"scope,omitempty" jsonschema:"Default: private. team: shared with the team. Usually right for references; for feedback only if it applies to the whole project; never for facts about one user. No credentials."`
	AskedAs     []string `json:"asked_as,omitempty" jsonschema:"8 to 12 short questions that this memory answers, in other words than its text, in the languages that people use with you. Recall finds it by them. They are not in its file. Absent keeps those it has."`
	Body        string   `json:"body" jsonschema:"The text, in Markdown, at most 1 MiB. For feedback and project: first the rule or the fact, then **Why:**, then **How to apply:**. Write full dates, never yesterday or next week."`
}

// saved is the result of save_memory.
type saved struct {
	memory
	Result  string     `json:"result" jsonschema:"created: new, or restored after a deletion. updated: it replaced the earlier text of that name."`
	File    string     `json:"file" jsonschema:"The file on disk."`
	AskedAs []string   `json:"asked_as,omitempty" jsonschema:"The questions by which recall finds it. Those that a person has written stay."`
	Index   indexEntry `json:"index" jsonschema:"Whether MEMORY.md leads an agent to the memory."`
	Warning string     `json:"warning,omitempty" jsonschema:"Why an agent may not find the memory."`
	Note    string     `json:"note,omitempty" jsonschema:"Follow-up steps that failed."`
}

// indexEntry is the entry of a memory in MEMORY.md.
type indexEntry struct {
	Listed bool `json:"listed" jsonschema:"A line of MEMORY.md, or of a file of it by type, leads to the memory."`
	Loaded bool `json:"loaded" jsonschema:"Agents load that line at the start of a session."`
}

func indexEntryOf(m memories.Memory) indexEntry {
	return indexEntry{Listed: m.Index == memories.Listed || m.Index == memories.LoadedByLine, Loaded: m.Index == memories.LoadedByLine}
}

// indexWarning returns a warning about a memory whose line in MEMORY.md agents do not load. It is ""
// for another memory.
func indexWarning(status memories.IndexStatus) string {
	switch status {
	case memories.LoadedByLine:
		return ""
	case memories.Listed:
		return "Agents do not load the line of this memory at the start of a session. Shorten MEMORY.md, or move other entries out of it."
	default:
		return "MEMORY.md does not list this memory, so an agent may not find it. Add a line for it."
	}
}

const toolSave = "save_memory"

func (e *endpoint) saveMemory(ctx context.Context, agent records.Agent, in saveInput) (saved, error) {
	result, err := e.engine.Save(ctx, agent.Slug, engine.Draft{Name: in.Name, Team: in.Scope == string(memories.TeamScope), Type: memories.Type(in.Type), Description: in.Description, Body: in.Body, AskedAs: in.AskedAs})
	if err != nil {
		return saved{}, err
	}
	m := result.Memory
	out := saved{
		memory: memoryOf(m, time.Now()), Result: "updated", File: filepath.Join(agent.Dir, filepath.FromSlash(m.Path)),
		AskedAs: records.Masked(m).AskedAs, Index: indexEntryOf(m),
		Warning: indexWarning(m.Index), Note: claudeMDNote(result.ClaudeMDProblem),
	}
	if result.Created {
		out.Result = "created"
	}
	if out.Pending != "" { // the client writes its own index
		out.Warning = ""
	}
	out.Description = beginningOf(m.Description, maxDescription)
	return out, nil
}

// claudeMDNote returns a note that the change is done but CLAUDE.md could not be updated because of
// problem. It is "" if problem is empty.
func claudeMDNote(problem string) string {
	if problem == "" {
		return ""
	}
	return "CLAUDE.md was not updated: " + problem
}

func (s saved) text() string {
	did := "Updated"
	if s.Result == "created" {
		did = "Created"
	}
	text := did + " the memory “" + s.Name + "” of " + s.Agent + " (" + s.Type + "), in " + s.File + "."
	if s.Result == "updated" {
		text += " The earlier text is in its history."
	}
	if s.Pending != "" {
		text += " It is pending until the agent's client has read the file, which is a note."
	}
	for _, more := range []string{s.Warning, s.Note} {
		if more != "" {
			text += "\n" + more
		}
	}
	return text
}
