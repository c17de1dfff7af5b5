//go:build !linux

package bench

import "testing"

// opening counts nothing where the system does not tell who opens what.
func opening(*testing.B, []string) (opened func() int) { return func() int { return 0 } }
