package api

import (
	"context"
	"net/http"

	"memoir/internal/sync"
)

// Joining is what joining an agent's directory to another's does, or has done.
type Joining struct {
	Agent string        `json:"agent" doc:"The slug of the agent whose directory becomes a link."`
	Into  string        `json:"into" doc:"That of the agent whose directory the link leads to."`
	Done  bool          `json:"done" doc:"False: this was a dry run."`
	Files []JoinedFile  `json:"files" nullable:"false" doc:"What is brought over, by path."`
	Index []JoinedIndex `json:"index" nullable:"false" doc:"Which MEMORY.md gets which lines."`
	Left  []LeftFile    `json:"left" nullable:"false" doc:"What is not brought over, and stays in the directory that is set aside."`
	Aside string        `json:"aside" doc:"The absolute path at which the agent's directory is kept as it was."`
}

// JoinedFile is a file that is brought over.
type JoinedFile struct {
	Path    string  `json:"path" doc:"In the agent's directory."`
	To      string  `json:"to" doc:"In the other one; another path where that was taken."`
	Name    *string `json:"name" doc:"Of the memory that it carries; null: none that can be read."`
	Outcome string  `json:"outcome" enum:"new,same,newer,older,blocked" doc:"same: the very bytes are there. newer, older: the other agent's memory of that name says something else, and the newer content holds; the other becomes part of its history. blocked: one of the two has deleted this content, so that it is kept out and listed."`
}

// JoinedIndex is a MEMORY.md that gets lines.
type JoinedIndex struct {
	Path  string   `json:"path" doc:"In the other agent's directory."`
	New   bool     `json:"new" doc:"There is none yet."`
	Lines []string `json:"lines" nullable:"false"`
}

// LeftFile is something that is not brought over.
type LeftFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (a *api) registerJoin() {
	refused := []int{http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}
	register(a, post("/agents/{slug}/join", "join-agent", "Join an agent's directory to another's: both are one memory from then on, on disk too", refused...), a.join)
	register(a, post("/agents/{slug}/part", "part-agent", "Give a joined agent a directory of its own again, with a copy of everything", http.StatusConflict), a.part)
}

type joinInput struct {
	AgentPath
	DryRun bool `query:"dry_run" doc:"Answers what would be done, and does nothing."`
	Body   struct {
		Into string `json:"into" doc:"The slug of the other agent."`
	} `nameHint:"Join"`
}

func (a *api) join(ctx context.Context, in *joinInput) (*answer[Joining], error) {
	do := a.engine.Join
	if in.DryRun {
		do = a.engine.PreviewJoin
	}
	joining, err := do(ctx, in.Slug, in.Body.Into)
	return ok(joiningOf(in.Slug, joining, !in.DryRun)), err
}

func (a *api) part(ctx context.Context, in *AgentPath) (*answer[Agent], error) {
	row, err := a.engine.Part(ctx, in.Slug)
	return ok(a.agentOf(row)), err
}

func joiningOf(slug string, from sync.Joining, done bool) Joining {
	j := Joining{
		Agent: slug, Into: from.Into, Done: done, Aside: validText([]byte(from.Aside)),
		Files: make([]JoinedFile, len(from.Files)), Index: make([]JoinedIndex, len(from.Index)), Left: make([]LeftFile, len(from.Left)),
	}
	for i, f := range from.Files {
		j.Files[i] = JoinedFile{Path: f.Path, To: f.To, Name: text(f.Name), Outcome: string(f.Outcome)}
	}
	for i, x := range from.Index {
		j.Index[i] = JoinedIndex{Path: x.Path, New: x.New, Lines: x.Lines}
		for n, line := range x.Lines {
			j.Index[i].Lines[n] = validText([]byte(line))
		}
	}
	for i, l := range from.Left {
		j.Left[i] = LeftFile{Path: l.Path, Why: l.Why}
	}
	return j
}
