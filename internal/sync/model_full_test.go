package sync_test

import (
	"context"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/files/filestest"
	engine "memoir/internal/sync"
)

// filling is a disk that can be filled up, so that there is no room for anything new. What is there
// can still be removed.
type filling interface {
	fill()
	free()
	// lend makes room for a file or two of another program, until the disk is filled again.
	lend()
}

// smallDisk is a real one, in memory.
type smallDisk struct {
	*filestest.SmallDisk
	t *testing.T
}

// smallDiskSize is more than all that the model ever has on disk at once, in bytes; a file of it
// may have a mebibyte.
const smallDiskSize = 128 << 20

// lent is the room for other programs, in bytes.
const lent = 8 << 20

func (d smallDisk) fill() { d.Fill(d.t) }
func (d smallDisk) free() { d.Free(d.t) }
func (d smallDisk) lend() { d.Lend(d.t, lent) }

// fillingDisk stands for one where nothing can be mounted.
type fillingDisk struct {
	engine.Disk // nil, so that a method which the model never calls panics
	full        atomic.Bool
}

func (d *fillingDisk) Write(root *os.Root, path string, data []byte, options files.Options) error {
	if d.full.Load() {
		return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	}
	return files.Write(root, path, data, options)
}

func (d *fillingDisk) Append(root *os.Root, path string, data []byte) error {
	if d.full.Load() {
		return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	}
	return files.NewGuard().Append(root, path, data)
}

func (d *fillingDisk) RemoveIf(root *os.Root, path, hash string) error {
	return files.NewGuard().RemoveIf(root, path, hash)
}

func (d *fillingDisk) RemoveDirectory(root *os.Root, path string) error {
	return files.NewGuard().RemoveDirectory(root, path)
}

func (d *fillingDisk) Move(root *os.Root, from, to string) error {
	return files.NewGuard().Move(root, from, to)
}

func (d *fillingDisk) SyncDirectory(root *os.Root, path string) (wait func() error) {
	return func() error { return files.SyncDirectory(root, path) }
}

func (d *fillingDisk) Touch(root *os.Root, path string, modTime time.Time) error {
	return root.Chtimes(path, modTime, modTime)
}

func (d *fillingDisk) Recover(root *os.Root, dirs []string) ([]string, error) {
	return files.NewGuard().Recover(root, dirs)
}

func (d *fillingDisk) fill() { d.full.Store(true) }
func (d *fillingDisk) free() { d.full.Store(false) }
func (d *fillingDisk) lend() {} // it is full for Memoir alone

// isFull reports whether the disk has no room for Memoir's writes.
func (w *world) isFull() bool { return w.full }

func (w *world) fillDisk() {
	if !w.full {
		w.filling.fill()
		w.full = true
	}
}

// withRoom calls act, in which another program writes to a full disk: act gets some room first, and
// the rest of it is taken away afterwards. Memoir may use the room during act.
func (w *world) withRoom(act func()) {
	if w.full {
		w.filling.lend()
	}
	act()
	if w.full { // unless he has waited until all agreed, for which there had to be room
		w.filling.fill()
	}
}

// makeRoom frees the full disk. The next scan completes the writes that had no room. makeRoom waits
// until files, rows and indexes agree.
func (w *world) makeRoom() {
	if w.full {
		w.filling.free()
		w.full = false
		_, err := w.b.engine.ScanAll(context.Background())
		w.must(err)
	}
	w.owing = false
}
