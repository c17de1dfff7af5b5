package filestest

import (
	"fmt"
	"syscall"
	"testing"
)

// mount puts an empty file system of that size, in bytes, on a directory.
func mount(t *testing.T, dir string, size int64) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", size)); err != nil {
		return err
	}
	t.Cleanup(func() {
		// Whoever still has a file open there keeps it until then.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return nil
}
