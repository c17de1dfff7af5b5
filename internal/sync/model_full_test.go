package sync_test

import (
	"context"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/sync"
)

// fillingDisk is a disk on which there is at times no room for anything new. What is there can still be removed.
type fillingDisk struct {
	sync.Disk // nil: for what the model never does
	full      atomic.Bool
}

func (d *fillingDisk) Stage(root *os.Root, path string, data []byte) sync.Staged {
	if d.full.Load() {
		return &brokenStaged{err: &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}}
	}
	return files.Stage(root, path, data)
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
	return files.Append(root, path, data)
}

func (d *fillingDisk) RemoveIf(root *os.Root, path, hash string) error {
	return files.RemoveIf(root, path, hash)
}

func (d *fillingDisk) RemoveDirectory(root *os.Root, path string) error {
	return files.RemoveDirectory(root, path)
}

func (d *fillingDisk) Move(root *os.Root, from, to string) error {
	return files.Move(root, from, to)
}

func (d *fillingDisk) SyncDirectory(root *os.Root, path string) (wait func() error) {
	return func() error { return files.SyncDirectory(root, path) }
}

func (d *fillingDisk) Touch(root *os.Root, path string, modTime time.Time) error {
	return root.Chtimes(path, modTime, modTime)
}

func (d *fillingDisk) Recover(root *os.Root, dirs []string) ([]string, error) {
	return files.Recover(root, dirs)
}

func (w *world) isFull() bool { return w.filling != nil && w.filling.full.Load() }

// makeRoom ends that the disk is full. What had no room on it is made good by the next scan.
//
// Who has made room waits until all agrees.
func (w *world) makeRoom() {
	if w.isFull() {
		w.filling.full.Store(false)
		_, err := w.b.engine.ScanAll(context.Background())
		w.must(err)
	}
	w.owing = false
}
