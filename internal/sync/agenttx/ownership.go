package agenttx

import (
	"errors"
	"path"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// checkWrite returns a conflict if the agent's own memory directory or its CLAUDE.md must not be
// written, because of who owns it or who may write it. Nothing is saved or deleted then: the agent
// would not learn of it.
func (tx *Tx) CheckWrite() error {
	if tx.Root == nil {
		return nil // other errors say so
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

// indexName is a name in a memory directory. It stands for any.
const indexName = "MEMORY.md"

// checkPublish returns an error about ownership if CLAUDE.md must not be written.
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

// checkRemove returns a conflict if a file of the agent's own directory must not be removed. A
// session's file stays where it is, and does not keep the memory alive.
func (tx *Tx) CheckRemove(f records.File) error {
	if tx.Root == nil || !f.IsPrimary() {
		return nil
	}
	return tx.CheckOwner(f.Path)
}

// checkOwner returns a conflict if Memoir must not change what is at a path, because of who owns it
// or who may write it.
func (tx *Tx) CheckOwner(path string) error {
	if err := tx.guard.CheckRemoval(tx.Root, path); files.IsOwnership(err) {
		return OwnershipConflict(err)
	}
	return nil
}

// ownershipProblem is the text of claude_md.problem.
func OwnershipProblem(err error) string {
	return "CLAUDE.md is not written: " + ownershipReason(err) + ". " + ownershipHelp
}

const ownershipHelp = "Memoir changes nothing there, because another user could misuse it. Change the permissions or the owner, or run Memoir as the owner."

// ownershipConflict returns the conflict for a file that must not be written.
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
