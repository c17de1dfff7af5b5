//go:build linux

// Package filestest lets tests meet the permissions of real files also when they run as root, for whom none bind. Only tests
// call it.
package filestest

import (
	"os"
	"runtime"
	"syscall"
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

// becomeNobody changes this thread's file system user, which takes root's privileges over files from it. The calls answer the
// former identity and no error, so each is made twice.
func becomeNobody() error {
	for _, call := range []uintptr{syscall.SYS_SETFSGID, syscall.SYS_SETFSUID} {
		syscall.RawSyscall(call, Nobody, 0, 0)
		if now, _, _ := syscall.RawSyscall(call, Nobody, 0, 0); now != Nobody {
			return syscall.EPERM
		}
	}
	return nil
}
