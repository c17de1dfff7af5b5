package agentdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/ops"
)

// checkAgentMove returns a conflict if a move would bring a file with a credential, or an
// unreadable or hidden file, from private into team memory. from may be a directory. It returns nil
// for every other move.
func checkAgentMove(tx *agenttx.Tx, from, to string) error {
	below := path.Join(to, "x") // to may be the team directory itself
	if !mayBeTeam(tx, below) && !mayBeTeam(tx, to) || mayBeTeam(tx, from) {
		return nil
	}
	found, _, err := listTree(tx, from)
	if err != nil {
		return err
	}
	for _, file := range found {
		raw, err := agenttx.ReadAll(tx.Root, file, memories.MaxFileSize)
		if err != nil {
			return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be checked for credentials (%v). Nothing was changed. Make the file readable and try again.", file, agenttx.FSCause(err))}
		}
		if err := ops.CheckCredentials(mayBeTeam(tx, below), below, raw); err != nil {
			return err
		}
	}
	return nil
}

// checkStaysInTeam returns a conflict if file, a path in the primary directory, names team memory
// but leads out of it on disk through a link. It returns nil for private memory.
func checkStaysInTeam(tx *agenttx.Tx, file string) error {
	relPath := path.Join(tx.Agent.PrimaryDir(), file)
	if tx.Agent.InTeam(relPath) && !ops.IsTeamOnDisk(tx, relPath) {
		return ops.NotTeamPath(relPath)
	}
	return nil
}

// mayBeTeam reports whether a path is or may be in team memory. Besides its text, it compares the
// directories above with the team directory, because a disk may ignore letter case. It reports true
// if a directory cannot be read. The caller must have resolved the links of relPath.
func mayBeTeam(tx *agenttx.Tx, relPath string) bool {
	if tx.Agent.InTeam(relPath) {
		return true
	}
	team, err := files.Stat(tx.Root, tx.Agent.TeamDir())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for dir := path.Dir(relPath); dir != "."; dir = path.Dir(dir) {
		info, err := tx.Root.Stat(dir)
		if err == nil && os.SameFile(info, team) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}
