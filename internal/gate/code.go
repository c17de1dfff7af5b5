package gate

import (
	"crypto/sha256"
	"crypto/subtle"
	"sync"
)

// signInCode is a secret that can be exchanged for a session once.
type signInCode struct {
	mu   sync.Mutex
	sum  [sha256.Size]byte
	left bool // the code can still be used
}

// set makes code the one that can be used. An empty code disables it.
func (c *signInCode) set(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum, c.left = sha256.Sum256([]byte(code)), code != ""
}

// use reports whether shown is the code, and has not been used before.
func (c *signInCode) use(shown string) bool {
	sum := sha256.Sum256([]byte(shown))
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.left || subtle.ConstantTimeCompare(sum[:], c.sum[:]) != 1 {
		return false
	}
	c.left = false
	return true
}
