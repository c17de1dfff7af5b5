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
// path is one of team memory by its text (agents.Agent.InTeam), that it leads there on disk (isTeamOnDisk), and that it holds nothing
// that looks like a credential. Where one of these cannot be told, nothing is written. What an agent types for a path has been
// through package memorytool before.

// Destination is where a memory is wanted: in the paths of its own agent, or of another, or with what all agents share.
type Destination struct {
	Scope memories.Scope
	// Agent is the slug of another agent than the memory's own, where one of them shares what it remembers; empty: its own, or with
	// the scope memories.SharedScope the one that shares.
	Agent string
}

// Move moves a memory between the agent's private memory and its team's, in one step, as a rename does. It keeps its id, its history
// and its age. match is the ETag of what the user saw; empty: whatever there is. It answers the memory where it is now.
// Between an agent and what all share it takes two steps (transferBetween).
//
// It fails as Patch with another name does, and with *memories.InvalidError for a place that is none, and for a text that holds what
// looks like a credential and is to be the team's.
func (e *Engine) Move(ctx context.Context, slug, id, etag string, to Destination) (Result, error) {
	if to.isOtherAgent(slug) {
		return e.transferBetween(ctx, slug, MemoryRef{id, etag}, to, true)
	}
	return callTransfer.do(ctx, e, slug, transferOp{Ref: MemoryRef{id, etag}, To: to.Scope})
}

// Copy saves the content of a memory in the other place as well. It answers the copy, and fails as Move does.
func (e *Engine) Copy(ctx context.Context, slug, id, etag string, to Destination) (Result, error) {
	if to.isOtherAgent(slug) {
		return e.transferBetween(ctx, slug, MemoryRef{id, etag}, to, false)
	}
	return callTransfer.do(ctx, e, slug, transferOp{Ref: MemoryRef{id, etag}, To: to.Scope, Copy: true})
}

func (e *Engine) transferLocal(ctx context.Context, slug string, op transferOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		row, err := h.memoryRow(ctx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		draft, err := h.patchedDraft(ctx, row, Patch{})
		if err != nil {
			return err
		}
		if draft.Team, err = h.otherScope(row, op.To); err != nil {
			return err
		}
		if op.Copy {
			result, err = h.copy(ctx, row, draft)
		} else {
			result, err = h.rename(ctx, row, draft)
		}
		return err
	})
	return result, err
}

// otherScope reports whether it is team memory that a memory is to go to from where it is.
func (h *hold) otherScope(row records.MemoryRow, to memories.Scope) (team bool, err error) {
	switch {
	case h.onDisk.Layout == agents.Shared:
		return false, &memories.InvalidError{Field: "agent", Reason: "is missing: all that is in " + h.onDisk.Slug + " is shared by all agents, so it can be moved or copied to another agent alone"}
	case to != memories.PrivateScope && to != memories.TeamScope:
		return false, &memories.InvalidError{Field: "to", Reason: "is neither private nor team"}
	case row.Scope() == to:
		return false, &memories.ConflictError{Reason: fmt.Sprintf("The memory is in %s memory already. Nothing was changed.", to)}
	}
	return to == memories.TeamScope, nil
}

// copy saves the memory under another key, too.
func (h *hold) copy(ctx context.Context, row records.MemoryRow, draft Draft) (Result, error) {
	if err := h.canWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := h.isFreeKey(ctx, draft); err != nil {
		return Result{}, err
	}
	next, err := h.fileUnderKey(ctx, row, draft)
	if err != nil {
		return Result{}, err
	}
	return h.add(ctx, draft, next)
}

// add writes a file of a memory that does not live yet.
func (h *hold) add(ctx context.Context, draft Draft, next memoryFile) (Result, error) {
	err := h.writeAllowed(ctx, draft.key(), next.fingerprint(), next.path, next.data, func() error {
		return h.disk.Write(h.root, next.path, next.data, files.Options{New: true, ModTime: next.modTime})
	})
	if err != nil {
		return Result{}, err
	}
	if err := h.scanSaved(ctx, next.path, scanOrigin{actor: actorOf(ctx)}); err != nil {
		return Result{}, err
	}
	if err := h.rescanBlocked(ctx, draft.key()); err != nil {
		return Result{}, err
	}
	if err := h.publish(ctx); err != nil {
		return Result{}, err
	}
	result, err := h.resultByKey(ctx, draft.key())
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

// memoryFile is the file that a memory gets under another key.
type memoryFile struct {
	path    string
	data    []byte
	modTime time.Time // zero: now
}

func (s memoryFile) fingerprint() memories.Fingerprint {
	parsed := frontmatter.Parse(s.data, "")
	return parsed.Fingerprint(s.data)
}

// fileUnderKey returns the file of a memory under the key of a draft. Where it only goes to the other scope, its bytes and its age stay.
func (h *hold) fileUnderKey(ctx context.Context, row records.MemoryRow, draft Draft) (memoryFile, error) {
	raw, err := h.w.CurrentRaw(ctx, row.UUID)
	if err != nil {
		return memoryFile{}, err
	}
	relPath, err := h.unrecordedTarget(ctx, draft)
	if err != nil {
		return memoryFile{}, err
	}
	next := memoryFile{path: relPath}
	if raw != nil && draft.Name == row.Name {
		next.data, next.modTime = withName(raw, row, relPath), row.ModifiedAt
	} else if next.data, err = encodeDraft(raw, draft); err != nil {
		return memoryFile{}, err
	}
	return next, h.checkTeamContent(draft, relPath, next.data)
}

// checkTeamContent says why a memory may not be written to a place, where that is to be in team memory.
func (h *hold) checkTeamContent(draft Draft, relPath string, data []byte) error {
	if !draft.Team {
		return nil
	}
	if !h.onDisk.InTeam(relPath) || !h.isTeamOnDisk(relPath) {
		return notTeamPath(relPath)
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

func notTeamPath(relPath string) error {
	return &memories.ConflictError{Reason: relPath + " does not lead into team memory on disk: there is a link on the way, or something that is no directory. Nothing was changed. Put a directory in its place, and try again."}
}

// isTeamOnDisk reports whether a path of team memory leads there when every link on the way to its deepest part that exists is followed.
// Where that cannot be told it does not.
func (h *hold) isTeamOnDisk(relPath string) bool {
	durable, err := files.Resolve(h.root, h.onDisk.PrimaryDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	team := path.Join(durable, path.Base(h.onDisk.TeamDir()))
	real, err := files.Resolve(h.root, relPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return under(real, team) && real != team
}

// mayBeTeam reports whether what is written to a place of the primary directory, links followed, is in team memory: by its text, or
// because a directory above it is the very one that team memory is in, as on a disk that takes TEAM for team. What cannot be told is.
func (h *hold) mayBeTeam(relPath string) bool {
	if h.onDisk.InTeam(relPath) {
		return true
	}
	team, err := files.Stat(h.root, h.onDisk.TeamDir())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for dir := path.Dir(relPath); dir != "."; dir = path.Dir(dir) {
		info, err := h.root.Stat(dir)
		if err == nil && os.SameFile(info, team) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// checkStaysInTeam says with a conflict that a path of the primary directory which an agent has named is one of team memory by its text and
// leads elsewhere on disk.
func (h *hold) checkStaysInTeam(file string) error {
	relPath := path.Join(h.onDisk.PrimaryDir(), file)
	if h.onDisk.InTeam(relPath) && !h.isTeamOnDisk(relPath) {
		return notTeamPath(relPath)
	}
	return nil
}

// checkAgentWrite says with a conflict why an agent may not write these bytes to a place.
func (h *hold) checkAgentWrite(relPath string, raw []byte) error {
	return checkCredentials(h.mayBeTeam(relPath), relPath, raw)
}

// checkCredentials says with a conflict why a file may not hold these bytes, where it is team memory.
func checkCredentials(team bool, relPath string, raw []byte) error {
	if !team {
		return nil
	}
	if found, ok := credentials.Find(string(raw)); ok {
		return &memories.ConflictError{Reason: relPath + " " + credentialIn(found) + ". Nothing was written."}
	}
	return nil
}

// checkAllow says with a conflict why a content of team memory that is blocked may not be let in.
func (h *hold) checkAllow(blocked records.BlockedFile) error {
	if !blocked.Team {
		return nil
	}
	raw, err := readAll(h.root, blocked.Path, memories.MaxFileSize)
	if err != nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked through for credentials (%v), so it is not let in. Nothing was changed.", blocked.Path, fsCause(err))}
	}
	return checkCredentials(true, blocked.Path, raw)
}

// checkAgentMove says with a conflict why an agent may not give what is at a place another one.
func (h *hold) checkAgentMove(from, to string) error {
	if !h.mayBeTeam(path.Join(to, "x")) && !h.mayBeTeam(to) || h.mayBeTeam(from) {
		return nil
	}
	found, _, err := h.listTree(from)
	if err != nil {
		return err
	}
	for _, file := range found {
		raw, err := readAll(h.root, file, memories.MaxFileSize)
		if err != nil {
			return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked through for credentials (%v), so it is not given to the team. Nothing was changed.", file, fsCause(err))}
		}
		if err := h.checkAgentWrite(path.Join(to, "x"), raw); err != nil {
			return err
		}
	}
	return nil
}

// flagCredential notes with a file of team memory that everybody can read what looks like a credential in it.
func (s *scannedFile) flagCredential() {
	if !s.team || s.file.Unreadable {
		return
	}
	if found, ok := credentials.Find(string(s.raw)); ok {
		s.file.Problems = append(s.file.Problems, memories.CredentialProblem(found.Rule, found.Line))
	}
}
