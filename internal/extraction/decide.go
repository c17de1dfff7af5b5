package extraction

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync"
	"memoir/internal/sync/events"
)

// Proposed is a proposal as it stands against what there is.
type Proposed struct {
	records.Proposal
	// Present is the memory that it would change; nil: it would be a new one. Only of one that waits.
	Present *memories.Memory
}

// ETag returns the strong entity tag of a proposal, quotes included: over what it says, its state, and the memory that it would
// change. Who accepts by it has seen all three.
func (p Proposed) ETag() string {
	present := ""
	if p.Present != nil {
		present = sync.ETag(*p.Present)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%s\x00%s\x00%s", p.ID, p.State, p.Name, p.Type, p.Description, p.Body, present))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Page is one part of an agent's proposals, the newest first.
type Page struct {
	Proposals  []Proposed
	Total      int    // of that state, on all pages
	NextCursor string // empty: this is the end
}

// Proposals returns one page of an agent's proposals. An empty state is any. cursor is the NextCursor of the page before, empty for the
// first. It fails with memories.ErrNotFound, and with records.ErrCursor.
func (x *Extractor) Proposals(ctx context.Context, slug string, state records.ProposalState, limit int, cursor string) (Page, error) {
	agent, err := x.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Page{}, err
	}
	found, err := x.store.Proposals(ctx, agent.ID, state, limit, cursor)
	if err != nil {
		return Page{}, err
	}
	page := Page{Proposals: make([]Proposed, len(found.Proposals)), Total: found.Total, NextCursor: found.NextCursor}
	for i, p := range found.Proposals {
		if page.Proposals[i], err = x.against(ctx, agent, p); err != nil {
			return Page{}, err
		}
	}
	return page, nil
}

// Proposal returns one. It fails with memories.ErrNotFound.
func (x *Extractor) Proposal(ctx context.Context, slug, id string) (Proposed, error) {
	agent, err := x.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Proposed{}, err
	}
	p, err := x.store.Proposal(ctx, agent.ID, id)
	if err != nil {
		return Proposed{}, err
	}
	return x.against(ctx, agent, p)
}

func (x *Extractor) against(ctx context.Context, agent records.Agent, p records.Proposal) (Proposed, error) {
	if p.State != records.ProposalWaiting {
		return Proposed{Proposal: p}, nil
	}
	present, err := x.present(ctx, agent, p.Name)
	return Proposed{p, present}, err
}

// present returns the living memory of a name, the agent's own before the team's; nil: there is none.
func (x *Extractor) present(ctx context.Context, agent records.Agent, name string) (*memories.Memory, error) {
	page, err := x.store.Memories(ctx, agent, records.MemoryList{Name: name, Limit: 2})
	if err != nil {
		return nil, err
	}
	var team *memories.Memory
	for _, m := range page.Memories {
		if m.Readable && !m.Team {
			return &m, nil
		}
		if m.Readable {
			team = &m
		}
	}
	return team, nil
}

// Edits are what somebody words otherwise before they accept; nil keeps what was proposed.
type Edits struct {
	Name        *string
	Type        *memories.Type
	Description *string
	Body        *string
}

func (e Edits) of(c memories.Content) memories.Content {
	if e.Name != nil {
		c.Name = *e.Name
	}
	if e.Type != nil {
		c.Type = *e.Type
	}
	if e.Description != nil {
		c.Description = *e.Description
	}
	if e.Body != nil {
		c.Body = *e.Body
	}
	return c
}

// Accept makes a proposal a memory. When it returns, its file, its row and CLAUDE.md say so, and the proposal is accepted; a crash in
// between is finished, once. match is the ETag of what was seen; empty: whatever there is. Accepting an accepted one changes nothing.
//
// It fails with memories.ErrNotFound, memories.ErrChanged when match is of something else, *memories.InvalidError for what cannot be
// taken, and *memories.ConflictError for a refused one, where another memory has the name, or the memory cannot be written; then it
// waits as before.
func (x *Extractor) Accept(ctx context.Context, slug, id, match string, actor memories.Actor, edits Edits) (sync.Result, error) {
	seen, err := x.Proposal(ctx, slug, id)
	if err != nil {
		return sync.Result{}, err
	}
	p := seen.Proposal
	if p.State == records.ProposalWaiting {
		if match != "" && match != seen.ETag() {
			return sync.Result{}, memories.ErrChanged
		}
		if p.Content = edits.of(p.Content); p.Check() != nil {
			return sync.Result{}, p.Check()
		}
		p.Content = p.Canonical()
		p.DecidedAt, p.DecidedBy = records.Now(), actor
		if seen.Present != nil && seen.Present.Name == p.Name {
			p.Updates, p.Match = uuid.MustParse(seen.Present.ID), sync.ETag(*seen.Present)
		}
		switch err := x.store.BeginAccepting(ctx, p); {
		case errors.Is(err, memories.ErrChanged): // somebody else has decided in this moment
			if p, err = x.store.Proposal(ctx, p.AgentID, id); err != nil {
				return sync.Result{}, err
			}
		case err != nil:
			return sync.Result{}, err
		}
	}
	switch p.State {
	case records.ProposalRefused:
		return sync.Result{}, errRefused
	case records.ProposalAccepted:
		return x.accepted(ctx, slug, p)
	}
	return x.write(ctx, slug, p)
}

// Conflicts about a decision that was made already.
var (
	errRefused  = &memories.ConflictError{Reason: "The proposal was refused. Nothing was changed."}
	errAccepted = &memories.ConflictError{Reason: "The proposal was accepted already. Nothing was changed. Delete the memory, if it is not to be one."}
)

// accepted answers with the memory that a proposal has become.
func (x *Extractor) accepted(ctx context.Context, slug string, p records.Proposal) (sync.Result, error) {
	agent, err := x.store.AgentUncounted(ctx, slug)
	if err != nil {
		return sync.Result{}, err
	}
	m, err := x.store.Memory(ctx, agent, p.MemoryID)
	return sync.Result{Memory: m, ClaudeMDProblem: agent.ClaudeMD.Problem}, err
}

// write carries out what was decided. Whoever comes second, after a crash or beside another server, finds it done.
func (x *Extractor) write(ctx context.Context, slug string, p records.Proposal) (sync.Result, error) {
	ctx = sync.As(ctx, p.DecidedBy)
	metadata := map[string]string{frontmatter.MetadataSource: frontmatter.SourceExtraction}
	if p.Session != "" {
		metadata[frontmatter.MetadataSession] = p.Session
	}
	var result sync.Result
	var err error
	if p.Updates != uuid.Nil {
		result, err = x.engine.Patch(ctx, slug, p.Updates.String(), p.Match, sync.Patch{
			Type: &p.Type, Description: &p.Description, Body: &p.Body, Metadata: metadata,
		})
	} else {
		result, err = x.engine.Create(ctx, slug, sync.Draft{Name: p.Name, Type: p.Type, Description: p.Description, Body: p.Body, Metadata: metadata})
	}
	if err != nil && stands(err) {
		id, looked := x.store.HadContent(ctx, p)
		if errors.Is(looked, memories.ErrNotFound) {
			return sync.Result{}, errors.Join(err, x.store.GiveUpAccepting(ctx, p))
		}
		if looked != nil {
			return sync.Result{}, looked
		}
		p.MemoryID = id
		if result, err = x.accepted(ctx, slug, p); err != nil {
			return sync.Result{}, err
		}
	} else if err != nil {
		return sync.Result{}, err // nobody knows how far it came: it is finished later
	}
	if err := x.store.EndAccepting(ctx, p, result.Memory.ID); err != nil {
		return sync.Result{}, err
	}
	x.engine.Emit(slug, events.Proposed)
	return result, nil
}

// stands says whether an error means that what there is stands against it: the memory is another by now, or this has been written.
func stands(err error) bool {
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) || errors.As(err, &invalid)
}

// Refuse decides against a proposal: the same is not proposed again. match is as for Accept. Refusing a refused one changes nothing.
// It fails as Accept does, and with *memories.ConflictError for an accepted one.
func (x *Extractor) Refuse(ctx context.Context, slug, id, match string, actor memories.Actor) (Proposed, error) {
	p, err := x.Proposal(ctx, slug, id)
	if err != nil {
		return Proposed{}, err
	}
	switch {
	case p.State == records.ProposalRefused:
		return p, nil
	case p.State != records.ProposalWaiting:
		return Proposed{}, errAccepted
	case match != "" && match != p.ETag():
		return Proposed{}, memories.ErrChanged
	}
	p.DecidedAt, p.DecidedBy = records.Now(), actor
	if err := x.store.RefuseProposal(ctx, p.Proposal); err != nil {
		return Proposed{}, err
	}
	x.engine.Emit(slug, events.Proposed)
	return x.Proposal(ctx, slug, id)
}

// FinishAccepting writes what was decided before that time and, for a crash, has not been written.
func (x *Extractor) FinishAccepting(ctx context.Context, before time.Time) error {
	begun, err := x.store.ProposalsToFinish(ctx, before)
	if err != nil || len(begun) == 0 {
		return err
	}
	var all []error
	for _, p := range begun {
		agent, err := x.agent(ctx, p.AgentID)
		if err == nil {
			_, err = x.write(ctx, agent.Slug, p)
		}
		if err != nil && !stands(err) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// acceptAll writes what is to be written without asking. What something stands against waits for a person.
func (x *Extractor) acceptAll(ctx context.Context, agent records.Agent, ids []uuid.UUID) error {
	for _, id := range ids {
		p, err := x.store.Proposal(ctx, agent.ID, id.String())
		if err != nil {
			return err
		}
		if p.State != records.ProposalAccepting {
			continue
		}
		if _, err := x.write(ctx, agent.Slug, p); err != nil && !stands(err) {
			return err
		}
	}
	return nil
}
