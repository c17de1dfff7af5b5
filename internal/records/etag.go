package records

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
)

// Masked returns a memory as readers get it: the texts of one in quarantine are masked.
func Masked(m memories.Memory) memories.Memory {
	if m.IsQuarantined() {
		m.Name, m.Description, m.Body = quarantine.Mask(m.Name), quarantine.Mask(m.Description), quarantine.Mask(m.Body)
		m.AskedAs = slices.Clone(m.AskedAs)
		for i, phrase := range m.AskedAs {
			m.AskedAs[i] = quarantine.Mask(phrase)
		}
	}
	return m
}

// ETag returns the strong entity tag of a memory, with quotes. It depends on the memory's id, name,
// state, scope, content, and the hash of its file.
func ETag(m memories.Memory) string {
	name, scope := m.Name, ""
	if m.IsQuarantined() {
		name = quarantine.Mask(name) // a reader has the masked name
	}
	if m.Team {
		scope = "\x00team"
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%x%s", m.ID, name, m.State, m.Hash, m.Fingerprint, scope))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
