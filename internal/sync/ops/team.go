package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"memoir/internal/files"
	"memoir/internal/findings/secrets"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

// Other people read team memory. So a file is written there only if three checks pass. Its path is
// in team memory by its text (agents.Agent.InTeam) and on disk (IsTeamOnDisk), and its bytes have
// no credential. A check that cannot be made has failed.

// checkTeamContent returns an error if the draft is team memory and must not be written to relPath.
// The error is a *memories.ConflictError for a path outside team memory. It is a
// *memories.InvalidError with the field if the draft or data, the bytes of the file, has a
// credential. It returns nil for a private draft.
func checkTeamContent(tx *agenttx.Tx, draft memories.Draft, relPath string, data []byte) error {
	if !draft.Team {
		return nil
	}
	if !tx.Agent.InTeam(relPath) || !IsTeamOnDisk(tx, relPath) {
		return NotTeamPath(relPath)
	}
	for _, field := range []struct{ name, text string }{{"name", draft.Name}, {"description", draft.Description}, {"body", draft.Body}} {
		if found, ok := secrets.Find(field.text); ok {
			return &memories.InvalidError{Field: field.name, Reason: credentialText(found)}
		}
	}
	if found, ok := secrets.Find(string(data)); ok {
		return &memories.InvalidError{Field: "body", Reason: "with the rest of its file " + credentialText(found)}
	}
	return nil
}

// credentialText returns the reason of an error about a credential, with its line and rule. It does
// not contain the credential.
func credentialText(found secrets.Finding) string {
	return fmt.Sprintf("has a possible credential in line %d (%s), which the whole team could read; remove it, or keep the memory private", found.Line, found.Rule)
}

// NotTeamPath returns the *memories.ConflictError for a path that leads out of team memory on disk.
func NotTeamPath(relPath string) error {
	return &memories.ConflictError{Reason: relPath + " is not in team memory: its path has a link or a file. Nothing was changed. Replace that with a directory and try again."}
}

// IsTeamOnDisk reports whether a path is below the team directory when all links on the way are
// followed. The path need not exist. It returns false if that cannot be determined, and for the
// team directory itself.
func IsTeamOnDisk(tx *agenttx.Tx, relPath string) bool {
	primary, err := files.Resolve(tx.Root, tx.Agent.PrimaryDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	team := path.Join(primary, path.Base(tx.Agent.TeamDir()))
	real, err := files.Resolve(tx.Root, relPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return agenttx.Under(real, team) && real != team
}

// CheckCredentials returns a *memories.ConflictError if team is true and raw has a credential, and
// otherwise nil. relPath is for the message.
func CheckCredentials(team bool, relPath string, raw []byte) error {
	if !team {
		return nil
	}
	if found, ok := secrets.Find(string(raw)); ok {
		return &memories.ConflictError{Reason: relPath + " " + credentialText(found) + ". Nothing was written."}
	}
	return nil
}
