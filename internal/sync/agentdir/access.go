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

// checkAgentWrite says with a conflict why an agent may not write these bytes to a place.
func checkAgentWrite(tx *agenttx.Tx, place string, raw []byte) error {
	return ops.CheckCredentials(mayBeTeam(tx, place), place, raw)
}

// checkAgentMove says with a conflict why an agent may not give what is at a place another one.
func checkAgentMove(tx *agenttx.Tx, from, to string) error {
	if !mayBeTeam(tx, path.Join(to, "x")) && !mayBeTeam(tx, to) || mayBeTeam(tx, from) {
		return nil
	}
	found, _, err := listTree(tx, from)
	if err != nil {
		return err
	}
	for _, file := range found {
		raw, err := agenttx.ReadAll(tx.Root, file, memories.MaxFileSize)
		if err != nil {
			return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked through for credentials (%v), so it is not given to the team. Nothing was changed.", file, agenttx.FSCause(err))}
		}
		if err := checkAgentWrite(tx, path.Join(to, "x"), raw); err != nil {
			return err
		}
	}
	return nil
}

// checkStaysInTeam says with a conflict that a path of the primary directory which an agent has named is one of team memory by its text and
// leads elsewhere on disk.
func checkStaysInTeam(tx *agenttx.Tx, file string) error {
	place := path.Join(tx.Agent.PrimaryDir(), file)
	if tx.Agent.InTeam(place) && !ops.IsTeamOnDisk(tx, place) {
		return ops.NotTeamPath(place)
	}
	return nil
}

// mayBeTeam reports whether what is written to a place of the primary directory, links followed, is in team memory: by its text, or
// because a directory above it is the very one that team memory is in, as on a disk that takes TEAM for team. What cannot be told is.
func mayBeTeam(tx *agenttx.Tx, place string) bool {
	if tx.Agent.InTeam(place) {
		return true
	}
	team, err := files.Stat(tx.Root, tx.Agent.TeamDir())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for dir := path.Dir(place); dir != "."; dir = path.Dir(dir) {
		info, err := tx.Root.Stat(dir)
		if err == nil && os.SameFile(info, team) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}
