package sync

import (
	"os"
	"time"

	"memoir/internal/files"
)

// Disk is all that an Engine changes on disk: whatever it makes, writes, touches or removes goes through one of these. A
// test that lets each of them fail therefore misses none.
type Disk interface {
	// Write is files.Write.
	Write(root *os.Root, path string, data []byte, options files.Options) error
	// Stage is files.Stage.
	Stage(root *os.Root, path string, data []byte, options files.Options) Staged
	// Append is files.Append.
	Append(root *os.Root, path string, data []byte) error
	// RemoveIf is files.RemoveIf.
	RemoveIf(root *os.Root, path, hash string) error
	// RemoveDirectory is files.RemoveDirectory.
	RemoveDirectory(root *os.Root, path string) error
	// Move is files.Move.
	Move(root *os.Root, from, to string) error
	// SyncDirectory begins files.SyncDirectory. What it returns waits for that.
	SyncDirectory(root *os.Root, path string) (wait func() error)
	// Touch sets a file's modification time.
	Touch(root *os.Root, path string, modTime time.Time) error
	// Recover is files.Recover.
	Recover(root *os.Root, dirs []string) (back []string, err error)
}

// Staged is a *files.Staged.
type Staged interface {
	Put() error
	Discard() error
}

// realDisk is the one that there is.
type realDisk struct{}

func (realDisk) Stage(root *os.Root, path string, data []byte, options files.Options) Staged {
	return files.Stage(root, path, data, options)
}

func (realDisk) Write(root *os.Root, path string, data []byte, options files.Options) error {
	return files.Write(root, path, data, options)
}

func (realDisk) Append(root *os.Root, path string, data []byte) error {
	return files.Append(root, path, data)
}

func (realDisk) RemoveIf(root *os.Root, path, hash string) error {
	return files.RemoveIf(root, path, hash)
}

func (realDisk) RemoveDirectory(root *os.Root, path string) error {
	return files.RemoveDirectory(root, path)
}

func (realDisk) Move(root *os.Root, from, to string) error {
	return files.Move(root, from, to)
}

func (realDisk) SyncDirectory(root *os.Root, path string) (wait func() error) {
	synced := make(chan error, 1)
	go func() { synced <- files.SyncDirectory(root, path) }()
	return func() error { return <-synced }
}

func (realDisk) Touch(root *os.Root, path string, modTime time.Time) error {
	target, err := files.Resolve(root, path)
	if err != nil {
		return err
	}
	return root.Chtimes(target, modTime, modTime)
}

func (realDisk) Recover(root *os.Root, dirs []string) ([]string, error) {
	return files.Recover(root, dirs)
}
