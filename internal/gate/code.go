package gate

import (
	"crypto/sha256"
	"crypto/subtle"
	"sync"
)

// signInCode is a secret that can be exchanged once for a session.
type signInCode struct {
	mu       sync.Mutex
	sum      [sha256.Size]byte
	isUnused bool // whether it can still be used
}

// set makes code the valid one. An empty code disables signing in by code.
func (c *signInCode) set(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum, c.isUnused = sha256.Sum256([]byte(code)), code != ""
}

// use reports whether shown is the valid code, and makes it invalid.
func (c *signInCode) use(shown string) bool {
	sum := sha256.Sum256([]byte(shown))
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isUnused || subtle.ConstantTimeCompare(sum[:], c.sum[:]) != 1 {
		return false
	}
	c.isUnused = false
	return true
}
