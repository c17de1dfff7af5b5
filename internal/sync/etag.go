package sync

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"memoir/internal/memories"
)

// ETag returns the strong entity tag of a memory, quotes included: over its content, name, scope and state.
func ETag(m memories.Memory) string {
	scope := ""
	if m.Team {
		scope = "\x00team"
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%x%s", m.ID, m.Name, m.State, m.Hash, m.Fingerprint, scope))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
