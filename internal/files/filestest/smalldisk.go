package filestest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk is a file system of its own, which can be filled up.
type SmallDisk struct {
	Dir    string
	filler string
}

// NewSmallDisk makes one of that size, in bytes, in memory. It is gone when the test ends. It returns nil, and says so in the
// test's log, where the tests may not mount anything.
func NewSmallDisk(t *testing.T, size int64) *SmallDisk {
	t.Helper()
	dir := t.TempDir()
	if err := mount(t, dir, size); err != nil {
		t.Logf("NOT TRIED ON A REAL FULL DISK: a small file system cannot be mounted here (%v). Run the tests as root, in a container with CAP_SYS_ADMIN.", err)
		return nil
	}
	return &SmallDisk{Dir: dir, filler: filepath.Join(dir, ".filler")}
}

// Fill takes all the room that is left.
func (d *SmallDisk) Fill(t *testing.T) {
	t.Helper()
	file, err := os.OpenFile(d.filler, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // what is in it does not matter
	// Most of it in large pieces, and the rest in small ones.
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

// Lend gives so much of the room back, in bytes, until the disk is filled again.
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

// Free gives the room back.
func (d *SmallDisk) Free(t *testing.T) {
	t.Helper()
	if err := os.Remove(d.filler); err != nil {
		t.Fatal(err)
	}
}
