//go:build !unix

package lockfile

import "os"

// runs returns true, because it cannot ask this system: each holder counts until its lock is Stale.
func runs(int) bool { return true }

// lockDirectory locks nothing on this system and returns no error. unlock does nothing.
func lockDirectory(*os.Root, string) (unlock func(), err error) { return func() {}, nil }
