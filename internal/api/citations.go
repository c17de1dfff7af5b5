package api

import (
	"context"
	"errors"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// maxDoubtful is the maximum number of memories in a DoubtfulList. It is the same as the longest
// page of a list.
const maxDoubtful = 500

// CheckedCitation is one reference of a memory, and whether its target was found.
type CheckedCitation struct {
	Kind    string  `json:"kind" enum:"path,line,function,flag,link"`
	Text    string  `json:"text" doc:"The reference as written; for a link, the text between the brackets."`
	Status  string  `json:"status" enum:"found,gone,unknown,wanted" doc:"unknown: not found, but it may belong to another project, or the search was incomplete. wanted: a link to a memory that never existed."`
	Message *string `json:"message" doc:"Why it was not found; null if it was."`
}

// CitationList is the result of the last check of a memory's references.
type CitationList struct {
	Project   *string           `json:"project" doc:"The directory that was searched; null if none is known, or nothing was checked yet."`
	CheckedAt *time.Time        `json:"checked_at" doc:"Null if the current content was not checked yet."`
	Citations []CheckedCitation `json:"citations" nullable:"false"`
}

// DoubtfulMemory is a memory with dead references.
type DoubtfulMemory struct {
	ID        string            `json:"id" format:"uuid" doc:"The memory's id."`
	Name      string            `json:"name"`
	Type      *string           `json:"type" doc:"feedback, user, project or reference; null: it has none."`
	Project   string            `json:"project" doc:"The directory that was searched."`
	CheckedAt time.Time         `json:"checked_at"`
	Gone      []CheckedCitation `json:"gone" nullable:"false"`
}

// DoubtfulList lists the memories with dead references. The ones with the most are first, then the
// types that age fastest, then the oldest.
type DoubtfulList struct {
	Memories []DoubtfulMemory `json:"memories" nullable:"false" doc:"At most 500."`
	Total    int              `json:"total" doc:"Number of all such memories."`
	Wanted   []WantedMemory   `json:"wanted" nullable:"false" doc:"Memories that never existed and to which others link, most links first; at most 50."`
}

// WantedMemory is a memory that does not exist and to which others link.
type WantedMemory struct {
	Name  string `json:"name" doc:"As in the links."`
	Links int    `json:"links" doc:"Memories with such a link."`
}

// maxWanted is the maximum number of wanted memories in a DoubtfulList (arbitrary).
const maxWanted = 50

func (a *api) registerCitations() {
	const citations = "/agents/{slug}/memories/{id}/citations"
	register(a, get("/agents/{slug}/citations", "list-doubtful", "List the memories with dead references, most dead references first"), a.listDoubtful)
	register(a, get(citations, "list-citations", "List the references of a memory, and whether they still exist in the project"), ofAgent(a, a.listCitations))
	register(a, post(citations, "check-citations", "Check the references of a memory now"), ofAgent(a, a.checkCitations))
}

func (a *api) listDoubtful(ctx context.Context, in *AgentPath) (*answer[DoubtfulList], error) {
	agent, err := a.store.Agent(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	found, err := a.store.ToReview(ctx, agent, maxDoubtful)
	list := DoubtfulList{Memories: make([]DoubtfulMemory, len(found)), Total: max(len(found), agent.Counts.CitesGone)}
	for i, d := range found {
		list.Memories[i] = DoubtfulMemory{
			ID: d.ID, Name: d.Name, Type: wire.Text(d.Type), Project: d.Project, CheckedAt: d.CheckedAt,
			Gone: wire.List(memories.GoneCitations(d.Citations), citationOf),
		}
	}
	if err != nil {
		return nil, err
	}
	wanted, err := a.store.WantedMemories(ctx, agent.ID, maxWanted)
	list.Wanted = wire.List(wanted, func(w memories.WantedMemory) WantedMemory { return WantedMemory(w) })
	return ok(list), err
}

func (a *api) listCitations(ctx context.Context, agent records.Agent, in *MemoryPath) (*answer[CitationList], error) {
	return a.citations(ctx, agent, in.ID)
}

// citations returns the result of the last check of the memory's references. If the current content
// was not checked yet, the list is empty and CheckedAt is nil. It returns memories.ErrNotFound if
// the agent has no such memory.
func (a *api) citations(ctx context.Context, agent records.Agent, id string) (*answer[CitationList], error) {
	found, err := a.store.Verification(ctx, agent, id)
	if errors.Is(err, memories.ErrNotFound) {
		_, err = a.store.Memory(ctx, agent, id)
		return ok(CitationList{Citations: []CheckedCitation{}}), err
	}
	return ok(CitationList{Project: wire.Text(found.Project), CheckedAt: &found.CheckedAt, Citations: wire.List(found.Citations, citationOf)}), err
}

func (a *api) checkCitations(ctx context.Context, agent records.Agent, in *MemoryPath) (*answer[CitationList], error) {
	if a.options.Checker != nil {
		if err := a.options.Checker.CheckNow(ctx, agent, in.ID); err != nil {
			return nil, err
		}
	}
	return a.citations(ctx, agent, in.ID)
}

func citationOf(c memories.CheckedCitation) CheckedCitation {
	return CheckedCitation{Kind: string(c.Kind), Text: c.Text, Status: string(c.Status), Message: wire.Text(c.Message)}
}
