package agenttx

import (
	"os"
	"time"

	"memoir/internal/files"
)

// Disk is all that an Engine changes on disk: whatever it makes, writes, touches or removes goes through one of these. A
// test that lets each of them fail therefore misses none. The real one changes only what files.Guard allows.
type Disk interface {
	// Write is files.Write.
	Write(root *os.Root, path string, data []byte, options files.Options) error
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

// newDisk returns the Disk that changes files where the guard allows it.
func NewDisk(guard *files.Guard) Disk { return realDisk{guard} }

// realDisk changes files where its guard allows it.
type realDisk struct{ *files.Guard }

func (realDisk) SyncDirectory(root *os.Root, path string) (wait func() error) {
	synced := make(chan error, 1)
	go func() { synced <- files.SyncDirectory(root, path) }()
	return func() error { return <-synced }
}
