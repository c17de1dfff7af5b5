package agenttx

import (
	"errors"
	"path"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// CheckWrite returns a *memories.ConflictError if Memoir must not write the agent's CLAUDE.md or
// its primary directory, because of their owner or permissions. Callers then save or delete
// nothing: the agent would not learn of it. It returns nil for every other problem, and if Root is
// nil.
func (tx *Tx) CheckWrite() error {
	if tx.Root == nil {
		return nil // callers report that with MissingError
	}
	if err := tx.CheckReadOnly(tx.Agent.PrimaryDir()); err != nil {
		return err
	}
	err := tx.CheckPublish()
	if err == nil {
		err = tx.guard.CheckRemoval(tx.Root, path.Join(tx.Agent.PrimaryDir(), indexName))
	}
	if files.IsOwnership(err) {
		return OwnershipConflict(err)
	}
	return nil
}

// indexName is the file that CheckWrite uses to check the primary directory. Any name would do.
const indexName = "MEMORY.md"

// CheckPublish returns a *files.OwnershipError if Memoir must not write CLAUDE.md, because of its
// owner or permissions. It returns nil for every other problem, for a missing file, for an agent
// without a published CLAUDE.md, and if Root is nil.
func (tx *Tx) CheckPublish() error {
	at := tx.Agent.ClaudeMDPath(tx.Root)
	if at == "" || tx.Root == nil {
		return nil
	}
	if err := tx.guard.Check(tx.Root, at); files.IsOwnership(err) {
		return err
	}
	return nil
}

// CheckRemove returns a *memories.ConflictError if Memoir must not remove a primary file, because
// of the owner or permissions of its directories. It returns nil for a session's file, which may
// stay on disk, because it does not keep the memory alive. It also returns nil if Root is nil.
func (tx *Tx) CheckRemove(f records.File) error {
	if tx.Root == nil || !f.IsPrimary() {
		return nil
	}
	return tx.CheckOwner(f.Path)
}

// CheckOwner returns a *memories.ConflictError if Memoir must not remove or replace the file at
// path, because of the agent's layout, or of the owner or permissions of its directories. It
// returns nil for every other problem, and for a missing file. tx.Root must be open.
func (tx *Tx) CheckOwner(path string) error {
	if err := tx.CheckReadOnly(path); err != nil {
		return err
	}
	if err := tx.guard.CheckRemoval(tx.Root, path); files.IsOwnership(err) {
		return OwnershipConflict(err)
	}
	return nil
}

// OwnershipProblem returns the text of claude_md.problem for an error of CheckPublish.
func OwnershipProblem(err error) string {
	return "CLAUDE.md not written: " + ownershipReason(err) + ". " + ownershipHelp
}

const ownershipHelp = "Memoir writes nothing there, because another user could misuse it. Change the owner or the permissions, or run Memoir as the owner."

// OwnershipConflict returns the *memories.ConflictError that reports err, an error for which
// files.IsOwnership reports true, to users.
func OwnershipConflict(err error) error {
	return &memories.ConflictError{Reason: "Nothing was changed: " + ownershipReason(err) + ". " + ownershipHelp}
}

func ownershipReason(err error) string {
	var owned *files.OwnershipError
	if errors.As(err, &owned) {
		return owned.Error()
	}
	return FSCause(err).Error()
}
