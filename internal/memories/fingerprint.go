package memories

import (
	"crypto/sha256"
	"encoding/binary"
)

// Fingerprint identifies a content: SHA-256 over type, description and body. Two files with one fingerprint say the
// same, whatever the rest of their bytes is.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of a content. Each part is preceded by its length, so that no two different
// contents share the bytes that are hashed.
func FingerprintOf(t Type, description, body string) Fingerprint {
	h := sha256.New()
	for _, part := range []string{string(t), description, body} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	var sum Fingerprint
	h.Sum(sum[:0])
	return sum
}
