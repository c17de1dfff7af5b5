package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"memoir/internal/agents"
	"memoir/internal/credentials"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// What is in team memory is read by everybody whose agent has it. So three things are asked of whatever is written there: that its
// path is one of team memory by its text (agents.Agent.InTeam), that it leads there on disk (isTeamsOnDisk), and that it holds nothing
// that looks like a credential. Where one of these cannot be told, nothing is written. What an agent types for a path has been
// through package memorytool before.

// Place is where a memory is wanted: in a scope of its own agent, or of another, or with what all agents share.
type Place struct {
	Scope memories.Scope
	// Agent is the slug of another agent than the memory's own, where one of them shares what it remembers; empty: its own, or with
	// the scope memories.SharedScope the one that shares.
	Agent string
}

// Move moves a memory between the agent's private memory and its team's, in one step, as a rename does. It keeps its id, its history
// and its age. match is the ETag of what the user saw; empty: whatever there is. It answers the memory where it is now.
// Between an agent and what all share it takes two steps (handOver).
//
// It fails as Patch with another name does, and with *memories.InvalidError for a place that is none, and for a text that holds what
// looks like a credential and is to be the team's.
func (e *Engine) Move(ctx context.Context, slug, id, match string, to Place) (Result, error) {
	if to.isElsewhere(slug) {
		return e.handOver(ctx, slug, Seen{id, match}, to, true)
	}
	return callTransfer.do(ctx, e, slug, transferOp{Seen: Seen{id, match}, To: to.Scope})
}

// Copy saves the content of a memory in the other place as well. It answers the copy, and fails as Move does.
func (e *Engine) Copy(ctx context.Context, slug, id, match string, to Place) (Result, error) {
	if to.isElsewhere(slug) {
		return e.handOver(ctx, slug, Seen{id, match}, to, false)
	}
	return callTransfer.do(ctx, e, slug, transferOp{Seen: Seen{id, match}, To: to.Scope, Copy: true})
}

func (e *Engine) transferHere(ctx context.Context, slug string, op transferOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		head, err := h.head(ctx, op.Seen.ID, op.Seen.Match)
		if err != nil {
			return err
		}
		draft, err := h.patched(ctx, head, Patch{})
		if err != nil {
			return err
		}
		if draft.Team, err = h.otherScope(head, op.To); err != nil {
			return err
		}
		if op.Copy {
			result, err = h.copy(ctx, head, draft)
		} else {
			result, err = h.rename(ctx, head, draft)
		}
		return err
	})
	return result, err
}

// otherScope says whether it is team memory that a memory is to go to from where it is.
func (h *hold) otherScope(head records.MemoryRow, to memories.Scope) (team bool, err error) {
	switch {
	case h.onDisk.Layout == agents.Shared:
		return false, &memories.InvalidError{Field: "agent", Reason: "is missing: all that is in " + h.onDisk.Slug + " is shared by all agents, so it can be moved or copied to another agent alone"}
	case to != memories.PrivateScope && to != memories.TeamScope:
		return false, &memories.InvalidError{Field: "to", Reason: "is neither private nor team"}
	case head.Scope() == to:
		return false, &memories.ConflictError{Reason: fmt.Sprintf("The memory is in %s memory already. Nothing was changed.", to)}
	}
	return to == memories.TeamScope, nil
}

// copy saves the memory under another key, too.
func (h *hold) copy(ctx context.Context, head records.MemoryRow, draft Draft) (Result, error) {
	if err := h.canWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := h.isFreeKey(ctx, draft); err != nil {
		return Result{}, err
	}
	next, err := h.underKey(ctx, head, draft)
	if err != nil {
		return Result{}, err
	}
	return h.add(ctx, draft, next)
}

// add writes a file of a memory that does not live yet.
func (h *hold) add(ctx context.Context, draft Draft, next successor) (Result, error) {
	err := h.letIn(ctx, draft.key(), next.fingerprint(), next.place, next.data, func() error {
		return h.disk.Write(h.root, next.place, next.data, files.Options{New: true, ModTime: next.modTime})
	})
	if err != nil {
		return Result{}, err
	}
	if err := h.takeInSaved(ctx, next.place, cause{actor: actorOf(ctx)}); err != nil {
		return Result{}, err
	}
	if err := h.lookAtBlocked(ctx, draft.key()); err != nil {
		return Result{}, err
	}
	if err := h.publish(ctx); err != nil {
		return Result{}, err
	}
	result, err := h.resultOf(ctx, draft.key())
	result.Created = true
	return result, err
}

// isFreeKey fails with *memories.NameTakenError where a memory lives under the key.
func (h *hold) isFreeKey(ctx context.Context, draft Draft) error {
	taken, err := h.w.HeadOf(ctx, draft.key())
	if err == nil && taken != nil && taken.State != memories.Deleted {
		return &memories.NameTakenError{Name: draft.Name, ID: taken.ID}
	}
	return err
}

// successor is the file that a memory gets under another key.
type successor struct {
	place   string
	data    []byte
	modTime time.Time // zero: now
}

func (s successor) fingerprint() memories.Fingerprint {
	parsed := frontmatter.Parse(s.data, "")
	return parsed.Fingerprint(s.data)
}

// underKey returns the file of a memory under the key of a draft. Where it only goes to the other scope, its bytes and its age stay.
func (h *hold) underKey(ctx context.Context, head records.MemoryRow, draft Draft) (successor, error) {
	raw, err := h.w.CurrentRaw(ctx, head.UUID)
	if err != nil {
		return successor{}, err
	}
	place, err := h.unknownTarget(ctx, draft)
	if err != nil {
		return successor{}, err
	}
	next := successor{place: place}
	if raw != nil && draft.Name == head.Name {
		next.data, next.modTime = named(raw, head, place), head.ModifiedAt
	} else if next.data, err = written(raw, draft); err != nil {
		return successor{}, err
	}
	return next, h.mayBeWritten(draft, place, next.data)
}

// mayBeWritten says why a memory may not be written to a place, where that is to be in team memory.
func (h *hold) mayBeWritten(draft Draft, place string, data []byte) error {
	if !draft.Team {
		return nil
	}
	if !h.onDisk.InTeam(place) || !h.isTeamsOnDisk(place) {
		return notTheTeams(place)
	}
	for _, field := range []struct{ name, text string }{{"name", draft.Name}, {"description", draft.Description}, {"body", draft.Body}} {
		if found, ok := credentials.Find(field.text); ok {
			return &memories.InvalidError{Field: field.name, Reason: credentialIn(found)}
		}
	}
	if found, ok := credentials.Find(string(data)); ok {
		return &memories.InvalidError{Field: "body", Reason: "with the rest of its file " + credentialIn(found)}
	}
	return nil
}

// credentialIn says what was found, and never the credential.
func credentialIn(found credentials.Finding) string {
	return fmt.Sprintf("has in line %d what looks like a credential (%s), which everybody in the team would read: keep it elsewhere and say where, or keep the memory private", found.Line, found.Rule)
}

func notTheTeams(place string) error {
	return &memories.ConflictError{Reason: place + " does not lead into team memory on disk: there is a link on the way, or something that is no directory. Nothing was changed. Put a directory in its place, and try again."}
}

// isTeamsOnDisk says whether a path of team memory leads there when every link on the way to its deepest part that exists is followed.
// Where that cannot be told it does not.
func (h *hold) isTeamsOnDisk(place string) bool {
	durable, err := files.Resolve(h.root, h.onDisk.PrimaryDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	team := path.Join(durable, path.Base(h.onDisk.TeamDir()))
	real, err := files.Resolve(h.root, place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return under(real, team) && real != team
}

// touchesTeam says whether what is written to a place of the durable directory, links followed, is in team memory: by its text, or
// because a directory above it is the very one that team memory is in, as on a disk that takes TEAM for team. What cannot be told is.
func (h *hold) touchesTeam(place string) bool {
	if h.onDisk.InTeam(place) {
		return true
	}
	team, err := files.Stat(h.root, h.onDisk.TeamDir())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for dir := path.Dir(place); dir != "."; dir = path.Dir(dir) {
		info, err := h.root.Stat(dir)
		if err == nil && os.SameFile(info, team) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// staysInTeam says with a conflict that a path of the durable directory which an agent has named is one of team memory by its text and
// leads elsewhere on disk.
func (h *hold) staysInTeam(file string) error {
	place := path.Join(h.onDisk.PrimaryDir(), file)
	if h.onDisk.InTeam(place) && !h.isTeamsOnDisk(place) {
		return notTheTeams(place)
	}
	return nil
}

// mayAgentWrite says with a conflict why an agent may not write these bytes to a place.
func (h *hold) mayAgentWrite(place string, raw []byte) error {
	return mayHold(h.touchesTeam(place), place, raw)
}

// mayHold says with a conflict why a file may not hold these bytes, where it is team memory.
func mayHold(team bool, place string, raw []byte) error {
	if !team {
		return nil
	}
	if found, ok := credentials.Find(string(raw)); ok {
		return &memories.ConflictError{Reason: place + " " + credentialIn(found) + ". Nothing was written."}
	}
	return nil
}

// mayLetIn says with a conflict why a content of team memory that is kept out may not be let in.
func (h *hold) mayLetIn(blocked records.BlockedFile) error {
	if !blocked.Team {
		return nil
	}
	raw, err := readAll(h.root, blocked.Path, memories.MaxFileSize)
	if err != nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked through for credentials (%v), so it is not let in. Nothing was changed.", blocked.Path, plain(err))}
	}
	return mayHold(true, blocked.Path, raw)
}

// mayAgentMove says with a conflict why an agent may not give what is at a place another one.
func (h *hold) mayAgentMove(from, to string) error {
	if !h.touchesTeam(path.Join(to, "x")) && !h.touchesTeam(to) || h.touchesTeam(from) {
		return nil
	}
	found, _, err := h.contents(from)
	if err != nil {
		return err
	}
	for _, file := range found {
		raw, err := readAll(h.root, file, memories.MaxFileSize)
		if err != nil {
			return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked through for credentials (%v), so it is not given to the team. Nothing was changed.", file, plain(err))}
		}
		if err := h.mayAgentWrite(path.Join(to, "x"), raw); err != nil {
			return err
		}
	}
	return nil
}

// flagCredential notes with a file of team memory that everybody can read what looks like a credential in it.
func (s *sighting) flagCredential() {
	if !s.team || s.file.Unreadable {
		return
	}
	if found, ok := credentials.Find(string(s.raw)); ok {
		s.file.Problems = append(s.file.Problems, memories.CredentialProblem(found.Rule, found.Line))
	}
}
