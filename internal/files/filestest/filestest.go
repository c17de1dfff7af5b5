// Package filestest helps tests of file permissions and full disks. It applies permissions also if
// the tests run as root. Only tests call it.
package filestest

import (
	"os"
	"runtime"
	"testing"
)

// Nobody is the user and group ID of AsNobody if the tests run as root.
const Nobody = 65534

// AsNobody calls f and waits for it. If the tests run as root, f runs on another goroutine with the
// file permissions of an unprivileged user. f must access files on that goroutine only. If the
// permissions cannot be dropped, the test fails and f is not called.
func AsNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The thread is never unlocked, so it ends with the goroutine and its user ID is not
		// reused.
		runtime.LockOSThread()
		if err := becomeNobody(); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}
