package filestest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk is a separate file system that a test can fill.
type SmallDisk struct {
	Dir    string
	filler string
}

// NewSmallDisk mounts a file system of size bytes in memory, until the test ends. If the test may
// not mount file systems, it logs a message and returns nil; the test does not fail.
func NewSmallDisk(t *testing.T, size int64) *SmallDisk {
	t.Helper()
	dir := t.TempDir()
	if err := mount(t, dir, size); err != nil {
		t.Logf("NOT TRIED ON A REAL FULL DISK: a small file system cannot be mounted here (%v). Run the tests as root, in a container with CAP_SYS_ADMIN.", err)
		return nil
	}
	return &SmallDisk{Dir: dir, filler: filepath.Join(dir, ".filler")}
}

// Fill writes, or extends, a file in d.Dir that uses all free space. After an error it ends the
// test.
func (d *SmallDisk) Fill(t *testing.T) {
	t.Helper()
	file, err := os.OpenFile(d.filler, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // the content does not matter
	// Large chunks first, then small ones for the rest.
	for _, size := range []int{1 << 20, 4096} {
		chunk := make([]byte, size)
		for {
			if _, err := file.Write(chunk); errors.Is(err, syscall.ENOSPC) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Lend frees room bytes that Fill has used, until the next Fill; at most all of them. After an
// error, or without an earlier Fill, it ends the test.
func (d *SmallDisk) Lend(t *testing.T, room int64) {
	t.Helper()
	info, err := os.Stat(d.filler)
	if err == nil {
		err = os.Truncate(d.filler, max(0, info.Size()-room))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Free removes the file that Fill has written. After an error, or without an earlier Fill, it ends
// the test.
func (d *SmallDisk) Free(t *testing.T) {
	t.Helper()
	if err := os.Remove(d.filler); err != nil {
		t.Fatal(err)
	}
}
