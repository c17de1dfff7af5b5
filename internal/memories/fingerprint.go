package memories

import (
	"crypto/sha256"
	"encoding/binary"
)

// Fingerprint identifies a content: the SHA-256 of type, description and body. The name is not part
// of it.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of a content. Each part is hashed after its length, so that
// different contents never have the same hashed bytes.
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
