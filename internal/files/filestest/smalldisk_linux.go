package filestest

import (
	"fmt"
	"syscall"
	"testing"
)

func mount(t *testing.T, dir string, size int64) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", size)); err != nil {
		return err
	}
	t.Cleanup(func() {
		// A lazy unmount: other goroutines may have files open.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return nil
}
