package sync

import (
	"context"
	"errors"
	"path"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// checkWrite returns a conflict if the agent's own memory directory or its CLAUDE.md must not be
// written, because of who owns it or who may write it. Nothing is saved or deleted then: the agent
// would not learn of it.
func (h *hold) checkWrite() error {
	if h.root == nil {
		return nil // other errors say so
	}
	err := h.checkPublish()
	if err == nil {
		err = h.guard.CheckRemoval(h.root, path.Join(h.onDisk.PrimaryDir(), indexName))
	}
	if files.IsOwnership(err) {
		return ownershipConflict(err)
	}
	return nil
}

// indexName is a name in a memory directory. It stands for any.
const indexName = "MEMORY.md"

// checkPublish returns an error about ownership if CLAUDE.md must not be written.
func (h *hold) checkPublish() error {
	at := h.onDisk.ClaudeMDPath(h.root)
	if at == "" || h.root == nil {
		return nil
	}
	if err := h.guard.Check(h.root, at); files.IsOwnership(err) {
		return err
	}
	return nil
}

// checkRemove returns a conflict if a file of the agent's own directory must not be removed. A
// session's file stays where it is, and does not keep the memory alive.
func (h *hold) checkRemove(f records.File) error {
	if h.root == nil || !f.IsPrimary() {
		return nil
	}
	if err := h.guard.CheckRemoval(h.root, f.Path); files.IsOwnership(err) {
		return ownershipConflict(err)
	}
	return nil
}

// refusePublication records why CLAUDE.md must not be written, and which files have been removed.
func (h *hold) refusePublication(ctx context.Context, before records.ClaudeMD, reason error) error {
	problem := claudeMDProblem(h.onDisk.ClaudeMDPath(h.root), reason)
	if before.Problem == problem {
		return h.recordRemoved(ctx)
	}
	h.syncRemoved()
	removed, err := h.removedForGood(ctx)
	if err != nil {
		return err
	}
	state := records.ClaudeMD{Path: before.Path, Chars: before.Chars, Problem: problem}
	h.claudeMD = &state
	return h.recordPublication(ctx, records.Publication{ClaudeMD: state, Removed: removed}, before.Problem)
}

// ownershipProblem is the text of claude_md.problem.
func ownershipProblem(err error) string {
	return "CLAUDE.md is not written: " + ownershipReason(err) + ". " + ownershipHelp
}

const ownershipHelp = "Memoir changes nothing there, because another user could misuse it. Change the permissions or the owner, or run Memoir as the owner."

// ownershipConflict returns the conflict for a file that must not be written.
func ownershipConflict(err error) error {
	return &memories.ConflictError{Reason: "Nothing was changed: " + ownershipReason(err) + ". " + ownershipHelp}
}

func ownershipReason(err error) string {
	var owned *files.OwnershipError
	if errors.As(err, &owned) {
		return owned.Error()
	}
	return fsCause(err).Error()
}
