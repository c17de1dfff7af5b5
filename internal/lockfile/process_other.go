//go:build !unix

package lockfile

import "os"

// runs believes every holder until it is stale: the system is not asked.
func runs(int) bool { return true }

// lockDirectory leaves the protocol of the file alone.
func lockDirectory(*os.Root, string) (unlock func(), err error) { return func() {}, nil }
