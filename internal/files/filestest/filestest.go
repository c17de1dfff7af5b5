// Package filestest lets tests meet the permissions of real files also when they run as root, for whom none bind. Only tests
// call it.
package filestest

import (
	"os"
	"runtime"
	"testing"
)

// Nobody is the user and group that AsNobody becomes when the tests run as root.
const Nobody = 65534

// AsNobody runs f as somebody without privileges, as far as files are concerned. f must do its file operations on its own
// goroutine.
func AsNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The thread is never unlocked, so it ends with the goroutine, and nobody else inherits its user.
		runtime.LockOSThread()
		if err := becomeNobody(); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}
