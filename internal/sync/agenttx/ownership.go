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
// nothing: the agent would not learn of it. Without an open directory it returns nil.
func (tx *Tx) CheckWrite() error {
	if tx.Root == nil {
		return nil // callers report that with MissingError
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

// CheckPublish returns an error for which files.IsOwnership reports true if Memoir must not write
// CLAUDE.md, because of its owner or permissions. It returns nil if Memoir may, if the agent has no
// CLAUDE.md, or if no directory is open.
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
// of its owner or permissions. For a session's file it returns nil: such a file may stay on disk,
// because it does not keep the memory alive.
func (tx *Tx) CheckRemove(f records.File) error {
	if tx.Root == nil || !f.IsPrimary() {
		return nil
	}
	return tx.CheckOwner(f.Path)
}

// CheckOwner returns a *memories.ConflictError if Memoir must not remove or replace the file at
// path, because of the owner or permissions of its directories. It returns nil otherwise.
func (tx *Tx) CheckOwner(path string) error {
	if err := tx.guard.CheckRemoval(tx.Root, path); files.IsOwnership(err) {
		return OwnershipConflict(err)
	}
	return nil
}

// OwnershipProblem returns the text of claude_md.problem for an error of CheckPublish.
func OwnershipProblem(err error) string {
	return "CLAUDE.md is not written: " + ownershipReason(err) + ". " + ownershipHelp
}

const ownershipHelp = "Memoir changes nothing there, because another user could misuse it. Change the permissions or the owner, or run Memoir as the owner."

// OwnershipConflict returns the *memories.ConflictError for an error about ownership.
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
