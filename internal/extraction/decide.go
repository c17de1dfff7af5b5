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
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
)

// Proposed is a proposal with the memory that it would change.
type Proposed struct {
	records.Proposal
	// Present is the memory that it would change, set only while the proposal waits. It is nil if
	// the memory would be new.
	Present *memories.Memory
}

// ETag returns a strong entity tag, quotes included. It changes with the proposal's content and
// state, and with the memory in Present.
func (p Proposed) ETag() string {
	present := ""
	if p.Present != nil {
		present = engine.ETag(*p.Present)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%s\x00%s\x00%s", p.ID, p.State, p.Name, p.Type, p.Description, p.Body, present))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Page is one page of an agent's proposals, newest first.
type Page struct {
	Proposals  []Proposed
	Total      int    // number of proposals in the requested state
	NextCursor string // empty on the last page
}

// Proposals returns one page of at most limit of an agent's proposals in a state, newest first. An
// empty state means all states. cursor is the NextCursor of the previous page, or empty for the
// first. It returns memories.ErrNotFound for an unknown agent, and records.ErrCursor for a wrong
// cursor.
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
		if page.Proposals[i], err = x.withPresent(ctx, agent, p); err != nil {
			return Page{}, err
		}
	}
	return page, nil
}

// Proposal returns one proposal. It returns memories.ErrNotFound if the agent or the proposal does
// not exist.
func (x *Extractor) Proposal(ctx context.Context, slug, id string) (Proposed, error) {
	agent, err := x.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Proposed{}, err
	}
	p, err := x.store.Proposal(ctx, agent.ID, id)
	if err != nil {
		return Proposed{}, err
	}
	return x.withPresent(ctx, agent, p)
}

// withPresent returns the proposal with the memory that has its name in Present. Present is nil if
// the proposal does not wait for a decision or there is no such memory.
func (x *Extractor) withPresent(ctx context.Context, agent records.Agent, p records.Proposal) (Proposed, error) {
	if p.State != records.ProposalWaiting {
		return Proposed{Proposal: p}, nil
	}
	present, err := x.memoryNamed(ctx, agent, p.Name)
	return Proposed{p, present}, err
}

// memoryNamed returns the active memory with that name: the agent's own, else the team's. It
// returns nil and no error if there is no such memory or it cannot be read.
func (x *Extractor) memoryNamed(ctx context.Context, agent records.Agent, name string) (*memories.Memory, error) {
	page, err := x.store.Memories(ctx, agent, memories.Filter{Name: name}, memories.PageRequest{Limit: 2})
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

// Edits are a person's changes of a proposal before accepting it. A nil field keeps the proposed
// value.
type Edits struct {
	Name        *string
	Type        *memories.Type
	Description *string
	Body        *string
}

func (e Edits) apply(c memories.Content) memories.Content {
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

// Accept saves a proposal, with the edits, as a new memory or in place of Present, and returns it.
// match is the ETag that the user saw; "" skips its check. If the proposal was accepted before,
// match and edits are ignored. It returns memories.ErrNotFound, memories.ErrChanged if match or
// the memory has changed, *memories.InvalidError for invalid edits, and *memories.ConflictError
// for a refused proposal or a taken name. Then no memory is saved, but valid edits may stay. After
// another error the memory is saved later.
func (x *Extractor) Accept(ctx context.Context, slug, id, match string, actor memories.Actor, edits Edits) (engine.Result, error) {
	seen, err := x.Proposal(ctx, slug, id)
	if err != nil {
		return engine.Result{}, err
	}
	p := seen.Proposal
	if p.State == records.ProposalWaiting {
		if match != "" && match != seen.ETag() {
			return engine.Result{}, memories.ErrChanged
		}
		if p.Content = edits.apply(p.Content); p.Check() != nil {
			return engine.Result{}, p.Check()
		}
		p.Content = p.Canonical()
		p.DecidedAt, p.DecidedBy = records.Now(), actor
		if seen.Present != nil && seen.Present.Name == p.Name {
			p.TargetID, p.BaseETag = uuid.MustParse(seen.Present.ID), engine.ETag(*seen.Present)
		}
		switch err := x.store.BeginAccepting(ctx, p); {
		case errors.Is(err, memories.ErrChanged): // another decision was faster
			if p, err = x.store.Proposal(ctx, p.AgentID, id); err != nil {
				return engine.Result{}, err
			}
		case err != nil:
			return engine.Result{}, err
		}
	}
	switch p.State {
	case records.ProposalRefused:
		return engine.Result{}, errRefused
	case records.ProposalAccepted:
		return x.acceptedResult(ctx, slug, p)
	}
	return x.write(ctx, slug, p)
}

// Conflicts with an earlier decision.
var (
	errRefused  = &memories.ConflictError{Reason: "The proposal was dismissed. Nothing was changed."}
	errAccepted = &memories.ConflictError{Reason: "The proposal was accepted. Nothing was changed. To undo it, delete the memory."}
)

// acceptedResult returns the memory that an accepted proposal has become. It returns
// memories.ErrNotFound if the agent or the memory no longer exists.
func (x *Extractor) acceptedResult(ctx context.Context, slug string, p records.Proposal) (engine.Result, error) {
	agent, err := x.store.AgentUncounted(ctx, slug)
	if err != nil {
		return engine.Result{}, err
	}
	m, err := x.store.Memory(ctx, agent, p.MemoryID)
	return engine.Result{Memory: m, ClaudeMDProblem: agent.ClaudeMD.Problem}, err
}

// write saves the memory of a proposal in state accepting, marks the proposal as accepted, and
// emits an event. If an earlier run has saved the memory, it returns that. If isRefusal is true
// for the error of saving, it returns the error and the proposal waits for a decision again. After
// another error the proposal stays in state accepting.
func (x *Extractor) write(ctx context.Context, slug string, p records.Proposal) (engine.Result, error) {
	ctx = engine.As(ctx, p.DecidedBy)
	metadata := map[string]string{frontmatter.MetadataSource: frontmatter.SourceExtraction}
	if p.Session != "" {
		metadata[frontmatter.MetadataSession] = p.Session
	}
	var result engine.Result
	var err error
	if p.TargetID != uuid.Nil {
		result, err = x.engine.Patch(ctx, slug, p.TargetID.String(), p.BaseETag, engine.Patch{
			Type: &p.Type, Description: &p.Description, Body: &p.Body, Metadata: metadata,
		})
	} else {
		result, err = x.engine.Create(ctx, slug, engine.Draft{Name: p.Name, Type: p.Type, Description: p.Description, Body: p.Body, Metadata: metadata})
	}
	if err != nil && isRefusal(err) {
		id, lookErr := x.store.HadContent(ctx, p)
		if errors.Is(lookErr, memories.ErrNotFound) {
			return engine.Result{}, errors.Join(err, x.store.CancelAccepting(ctx, p))
		}
		if lookErr != nil {
			return engine.Result{}, lookErr
		}
		p.MemoryID = id
		if result, err = x.acceptedResult(ctx, slug, p); err != nil {
			return engine.Result{}, err
		}
	} else if err != nil {
		return engine.Result{}, err // unknown whether it was written; finished later
	}
	if err := x.store.EndAccepting(ctx, p, result.Memory.ID); err != nil {
		return engine.Result{}, err
	}
	x.engine.Emit(slug, events.Proposed)
	return result, nil
}

// isRefusal reports whether err means that a memory cannot be saved at all. It is true for
// memories.ErrNotFound, memories.ErrChanged, *memories.ConflictError and *memories.InvalidError.
func isRefusal(err error) bool {
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) || errors.As(err, &invalid)
}

// Refuse marks a proposal as refused, so that the same is not proposed again, emits an event, and
// returns it. A refused proposal is returned unchanged. match is the ETag that the user saw; ""
// skips its check. It returns memories.ErrNotFound, memories.ErrChanged for another match, and
// *memories.ConflictError if the proposal was accepted.
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

// FinishAccepting saves the memories of proposals that were accepted before the given time but not
// saved because of a crash. A proposal whose memory cannot be saved waits for a decision again,
// which is no error. After another error it continues with the next proposal, and returns the
// joined errors.
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
		if err != nil && !isRefusal(err) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// acceptAll saves the memories of the proposals among ids that are in state accepting. A proposal
// whose memory cannot be saved waits for a person, which is no error. It stops at the first other
// error.
func (x *Extractor) acceptAll(ctx context.Context, agent records.Agent, ids []uuid.UUID) error {
	for _, id := range ids {
		p, err := x.store.Proposal(ctx, agent.ID, id.String())
		if err != nil {
			return err
		}
		if p.State != records.ProposalAccepting {
			continue
		}
		if _, err := x.write(ctx, agent.Slug, p); err != nil && !isRefusal(err) {
			return err
		}
	}
	return nil
}
