package agenttx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// Disk makes all changes of the Engine on disk: it creates, writes, touches, moves and removes
// files. A test that makes each method fail therefore covers every change. NewDisk returns the real
// one.
type Disk interface {
	// Write is files.Write.
	Write(root *os.Root, path string, data []byte, options files.Options) error
	// Append is files.Guard.Append.
	Append(root *os.Root, path string, data []byte) error
	// RemoveIf is files.Guard.RemoveIf.
	RemoveIf(root *os.Root, path, hash string) error
	// RemoveDirectory is files.Guard.RemoveDirectory.
	RemoveDirectory(root *os.Root, path string) error
	// Move is files.Guard.Move.
	Move(root *os.Root, from, to string) error
	// SyncDirectory starts files.SyncDirectory. wait waits for its end and returns its error. The
	// caller may call wait once.
	SyncDirectory(root *os.Root, path string) (wait func() error)
	// Touch sets a file's modification time.
	Touch(root *os.Root, path string, modTime time.Time) error
	// Recover is files.Guard.Recover.
	Recover(root *os.Root, dirs []string) (back []string, err error)
}

// NewDisk returns the Disk that changes real files. Where the guard refuses a path, its methods
// change nothing and return a *files.OwnershipError.
func NewDisk(guard *files.Guard) Disk { return realDisk{guard} }

type realDisk struct{ *files.Guard }

func (realDisk) SyncDirectory(root *os.Root, path string) (wait func() error) {
	synced := make(chan error, 1)
	go func() { synced <- files.SyncDirectory(root, path) }()
	return func() error { return <-synced }
}

// ReadAll returns the bytes of a file below root. It fails with ErrTooLarge if the file has more
// than max bytes, with fs.ErrNotExist if it is missing, and with the other errors of files.Open.
func ReadAll(root *os.Root, path string, max int64) ([]byte, error) {
	raw, err := agents.ReadFile(root, path, max)
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > max {
		return nil, fmt.Errorf("%s: %w", path, ErrTooLarge)
	}
	return raw, nil
}

// ReadRecorded returns the bytes of the file if they have the recorded hash. If the file is
// missing, it returns nil and no error. If the hash differs, it requests a scan of the file and
// returns a *memories.ConflictError. It also returns one if the file is unreadable or larger than
// memories.MaxFileSize. tx.Root must be open.
func (tx *Tx) ReadRecorded(f records.File) ([]byte, error) {
	raw, err := ReadAll(tx.Root, f.Path, memories.MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &memories.ConflictError{Reason: f.Path + " cannot be read (" + FSCause(err).Error() + "). Nothing was changed. Make it readable and try again."}
	case files.Hash(raw) != f.Hash:
		tx.Rescan(f.Path)
		return nil, ChangedOnDisk(f.Path)
	}
	return raw, nil
}

const (
	// EmptyFileTimeout is how long an empty file is taken for one that a program has opened and not
	// yet written.
	EmptyFileTimeout = 800 * time.Millisecond
	// lateTimes is the longest time between the moment a file system shows an emptied file as empty
	// and the moment it shows its new times. Arbitrary.
	lateTimes = 100 * time.Millisecond
)

// AwaitBytes waits until an empty file has bytes, and reports whether it has. It reports false for
// a missing or unreadable file. It gives up after EmptyFileTimeout, or already after lateTimes if
// the file's modification time is older than EmptyFileTimeout. Callers use it before they replace
// an empty file: a program may have emptied it to write it, and would write over the replacement.
func AwaitBytes(root *os.Root, path string) bool {
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		info, err := files.Stat(root, path)
		if err != nil || info.Size() > 0 {
			return err == nil
		}
		waited := time.Since(start)
		if waited >= EmptyFileTimeout || waited >= lateTimes && time.Since(info.ModTime()).Abs() >= EmptyFileTimeout {
			return false
		}
	}
}

// IsFree reports whether nothing exists at the path p below root, not even a link. It reports false
// if that cannot be determined.
func IsFree(root *os.Root, p string) bool {
	_, err := files.Lstat(root, p)
	return errors.Is(err, fs.ErrNotExist)
}

// IsFree reports whether nothing exists at the path p in the agent's directory, not even a link. It
// reports false if that cannot be determined. tx.Root must be open.
func (tx *Tx) IsFree(p string) bool { return IsFree(tx.Root, p) }

// HasHash reports whether files.ReadHash returns hash for the file at path. It reports false if the
// file is missing or unreadable. tx.Root must be open.
func (tx *Tx) HasHash(path, hash string) bool {
	found, err := files.ReadHash(tx.Root, path)
	return err == nil && found == hash
}
