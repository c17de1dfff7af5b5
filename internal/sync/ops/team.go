package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"memoir/internal/agents"
	"memoir/internal/credentials"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
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

func (s *Service) Transfer(ctx context.Context, slug string, op TransferOp) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		draft, err := patchedDraft(ctx, tx, head, memories.Patch{})
		if err != nil {
			return err
		}
		if draft.Team, err = otherScope(tx, head, op.To); err != nil {
			return err
		}
		if op.Copy {
			result, err = s.copyMemory(ctx, tx, head, draft)
		} else {
			result, err = s.renameMemory(ctx, tx, head, draft)
		}
		return err
	})
	return result, err
}

// otherScope reports whether it is team memory that a memory is to go to from where it is.
func otherScope(tx *agenttx.Tx, head records.MemoryRow, to memories.Scope) (team bool, err error) {
	switch {
	case tx.Agent.Layout == agents.Shared:
		return false, &memories.InvalidError{Field: "agent", Reason: "is missing: all that is in " + tx.Agent.Slug + " is shared by all agents, so it can be moved or copied to another agent alone"}
	case to != memories.PrivateScope && to != memories.TeamScope:
		return false, &memories.InvalidError{Field: "to", Reason: "is neither private nor team"}
	case head.Scope() == to:
		return false, &memories.ConflictError{Reason: fmt.Sprintf("The memory is in %s memory already. Nothing was changed.", to)}
	}
	return to == memories.TeamScope, nil
}

// copy saves the memory under another key, too.
func (s *Service) copyMemory(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft) (Result, error) {
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := isFreeKey(ctx, tx, draft); err != nil {
		return Result{}, err
	}
	next, err := fileUnderKey(ctx, tx, head, draft)
	if err != nil {
		return Result{}, err
	}
	return s.addMemory(ctx, tx, draft, next)
}

// add writes a file of a memory that does not live yet.
func (s *Service) addMemory(ctx context.Context, tx *agenttx.Tx, draft memories.Draft, next memoryFile) (Result, error) {
	err := writeAllowed(ctx, tx, draft.Key(), next.fingerprint(), next.path, next.data, func() error {
		return tx.Disk.Write(tx.Root, next.path, next.data, files.Options{New: true, ModTime: next.modTime})
	})
	if err != nil {
		return Result{}, err
	}
	var c changes
	if err := s.scan(ctx, tx, &c, saved(tx, next.path)); err != nil {
		return Result{}, err
	}
	if err := rescanBlocked(ctx, s.Store, tx, draft.Key()); err != nil {
		return Result{}, err
	}
	state, err := s.publish(ctx, tx, &c)
	if err != nil {
		return Result{}, err
	}
	result, err := resultByKey(ctx, tx, draft.Key(), state)
	result.Created = true
	return result, err
}

// isFreeKey fails with *memories.NameTakenError where a memory lives under the key.
func isFreeKey(ctx context.Context, tx *agenttx.Tx, draft memories.Draft) error {
	taken, err := tx.DB.HeadOf(ctx, draft.Key())
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
func fileUnderKey(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft) (memoryFile, error) {
	raw, err := tx.DB.CurrentRaw(ctx, head.UUID)
	if err != nil {
		return memoryFile{}, err
	}
	place, err := unrecordedTarget(ctx, tx, draft)
	if err != nil {
		return memoryFile{}, err
	}
	next := memoryFile{path: place}
	if raw != nil && draft.Name == head.Name {
		next.data, next.modTime = withName(raw, head, place), head.ModifiedAt
	} else if next.data, err = encodeDraft(raw, draft); err != nil {
		return memoryFile{}, err
	}
	return next, checkTeamContent(tx, draft, place, next.data)
}

// checkTeamContent says why a memory may not be written to a place, where that is to be in team memory.
func checkTeamContent(tx *agenttx.Tx, draft memories.Draft, place string, data []byte) error {
	if !draft.Team {
		return nil
	}
	if !tx.Agent.InTeam(place) || !IsTeamOnDisk(tx, place) {
		return NotTeamPath(place)
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

func NotTeamPath(place string) error {
	return &memories.ConflictError{Reason: place + " does not lead into team memory on disk: there is a link on the way, or something that is no directory. Nothing was changed. Put a directory in its place, and try again."}
}

// isTeamOnDisk reports whether a path of team memory leads there when every link on the way to its deepest part that exists is followed.
// Where that cannot be told it does not.
func IsTeamOnDisk(tx *agenttx.Tx, place string) bool {
	durable, err := files.Resolve(tx.Root, tx.Agent.PrimaryDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	team := path.Join(durable, path.Base(tx.Agent.TeamDir()))
	real, err := files.Resolve(tx.Root, place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return agenttx.Under(real, team) && real != team
}

// checkCredentials says with a conflict why a file may not hold these bytes, where it is team memory.
func CheckCredentials(team bool, place string, raw []byte) error {
	if !team {
		return nil
	}
	if found, ok := credentials.Find(string(raw)); ok {
		return &memories.ConflictError{Reason: place + " " + credentialIn(found) + ". Nothing was written."}
	}
	return nil
}

// checkAllow says with a conflict why a content of team memory that is blocked may not be let in.
func checkAllow(tx *agenttx.Tx, blocked records.BlockedFile) error {
	if !blocked.Team {
		return nil
	}
	raw, err := agenttx.ReadAll(tx.Root, blocked.Path, memories.MaxFileSize)
	if err != nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked through for credentials (%v), so it is not let in. Nothing was changed.", blocked.Path, agenttx.FSCause(err))}
	}
	return CheckCredentials(true, blocked.Path, raw)
}

type TransferOp struct {
	Ref  MemoryRef `json:"Seen"`
	To   memories.Scope
	Copy bool // false: move
}
