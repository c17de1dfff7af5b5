package sync_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// hangs mounts a file system that never answers, until the test is over.
func hangs(t *testing.T, dir string) (end func()) {
	t.Helper()
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := syscall.Mount("hangs", dir, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd)); err != nil {
		syscall.Close(fd)
		t.Skip(err)
	}
	end = sync.OnceFunc(func() {
		syscall.Close(fd) // everything that waits fails
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return end
}

// What is to be found anew waits for a disk that hangs. Events of the others do not.
func TestWatch_HangingDisk(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"ada/memory", "ada"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/a.md", note("Known", memories.User, "text"))
			b.write("bob/memory/a.md", note("Known", memories.User, "text"))
			b.scanAll()
			b.stop()
			b.options.Rescan, b.options.Overdue = 100*time.Millisecond, 500*time.Millisecond
			b.start()
			end := hangs(t, b.path(at))
			defer end()
			began := time.Now()
			for i := 0; i < 5 || time.Since(began) < time.Second; i++ { // found in the first round
				name := fmt.Sprint("New ", i)
				b.write(fmt.Sprintf("bob/memory/%d.md", i), note(name, memories.User, "text"))
				waittest.For(b, name, func() bool { return b.hasNamed("bob", name) })
			}
			end()
			b.stop()
		})
	}
}
