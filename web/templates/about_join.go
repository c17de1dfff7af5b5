package templates

// Sharing is with whom an agent has one directory, or could.
type Sharing struct {
	Why     string         // a sentence: why it cannot be joined; empty: it can, where there is another one
	Others  []JoinableWith // whom it can be joined to, by slug
	Joined  []string       // the slugs of the agents that are joined to it
	LinkDir string         // where its directory leads, absolute; only of one that is joined
}

// JoinableWith is an agent that another can be joined to.
type JoinableWith struct {
	Slug, Name string
}

// Joining is what joining an agent to another does.
type Joining struct {
	Frame
	Agent Agent
	Into  string
	Files []JoiningFile
	Index []JoiningIndex
	Left  []JoiningLeft
	Aside string
}

// JoiningFile is a file that is brought over.
type JoiningFile struct {
	Path, To, Name, Outcome string
}

// JoiningIndex is a MEMORY.md that gets lines.
type JoiningIndex struct {
	Path  string
	New   bool
	Lines []string
}

// JoiningLeft is something that is not brought over.
type JoiningLeft struct {
	Path, Why string
}

// JoinPath is the address of joining an agent to another.
func JoinPath(slug string) string { return AgentPath(slug, aboutTab, "join") }

// FieldInto names the other agent.
const FieldInto = "into"

// partAction gives a joined agent a directory of its own again.
func (a Agent) partAction() Action {
	return Action{
		Label: "Part from " + a.JoinedTo, Path: AgentPath(a.Slug, aboutTab, "part"), Back: AboutPath(a.Slug),
		Confirm: "It gets a directory of its own, with a copy of everything that the two share. From then on each goes its own way. Nothing is deleted on either side.",
	}
}

// outcomes are what comes of a file, in words, by what it is called in the API.
var outcomes = map[string]struct {
	word string
	tone Tone
}{
	"new":     {"comes in", Good},
	"same":    {"is there already", Quiet},
	"newer":   {"is newer, and holds", Good},
	"older":   {"is older: becomes history", Quiet},
	"blocked": {"was deleted: kept out", Warning},
}

// count says how many files have an outcome.
func (j Joining) count() string {
	comes := 0
	for _, f := range j.Files {
		if f.Outcome != "same" {
			comes++
		}
	}
	return counted(comes, "file comes", "files come") + " to " + j.Into + "."
}
