package agenttx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// readAll returns the bytes of a file of at most max bytes, or errTooLarge.
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

// awaitBytes gives a file that was read empty the time in which somebody who has opened it to write, and emptied it by that,
// gets further, and says whether it has bytes now. Who wrote it anew at once would write over what comes next. One that has been
// empty for longer, by its times, nobody has just emptied.
func AwaitBytes(root *os.Root, path string) bool {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		info, err := files.Stat(root, path)
		if err != nil || info.Size() > 0 {
			return err == nil
		}
		waited := time.Since(began)
		if waited >= EmptyFileTimeout || waited >= lateTimes && time.Since(info.ModTime()).Abs() >= EmptyFileTimeout {
			return false
		}
	}
}

// lateTimes is how much later than its size a file may show that it was emptied by its times.
const lateTimes = 100 * time.Millisecond

// errTooLarge means that a file is over what the caller takes.
var ErrTooLarge = errors.New("file too large")

// fsCause takes the path and the operation off a file system error: the message that quotes it names them itself.
func FSCause(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	var moved *os.LinkError
	if errors.As(err, &moved) {
		return moved.Err
	}
	return err
}

func IsFree(root *os.Root, p string) bool {
	_, err := files.Lstat(root, p)
	return errors.Is(err, fs.ErrNotExist)
}

func (tx *Tx) IsFree(p string) bool { return IsFree(tx.Root, p) }

func (tx *Tx) HasHash(path, hash string) bool {
	found, err := files.ReadHash(tx.Root, path)
	return err == nil && found == hash
}

// readRecorded returns the bytes of a file, which must be those on record; nil when it is gone.
func (tx *Tx) ReadRecorded(f records.File) ([]byte, error) {
	raw, err := ReadAll(tx.Root, f.Path, memories.MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &memories.ConflictError{Reason: f.Path + " cannot be read (" + FSCause(err).Error() + "). Nothing was changed."}
	case files.Hash(raw) != f.Hash:
		tx.Rescan(f.Path)
		return nil, ChangedOnDisk(f.Path)
	}
	return raw, nil
}

func ChangedOnDisk(path string) error {
	return &memories.ConflictError{Reason: path + " has changed on disk since it was read. Nothing was written. Look at what it says now and save again."}
}

// emptyFileTimeout is how long an empty file counts as one whose writer has opened it and not written yet.
const EmptyFileTimeout = 800 * time.Millisecond

// isNotFound reports whether an error means that there is nothing at a path, and not merely that it cannot be scanned.
func IsNotFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)
}
