// Package lockfile prevents two programs from consolidating a memory directory at the same time:
// several Memoirs, or Claude Code, whose protocol it uses. The lock is the file .consolidate-lock.
// Its content is the holder's process id, its modification time the time of the last consolidation.
//
// Claude Code checks only after writing, so two holders are possible for a moment; Holds detects
// this. Memoirs also lock the directory with flock, so that only one of them changes the file at a
// time.
//
// It works on an [os.Root] and writes through the caller's Disk. internal/sync and
// internal/consolidation call it. It knows no agents and no database.
package lockfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"memoir/internal/files"
)

// Name is the file name of the lock. Stale is the age from which a holder is ignored, because its
// process may have ended and its id may be reused. Both are Claude Code's.
const (
	Name  = ".consolidate-lock"
	Stale = time.Hour
)

// maxBody is a length in bytes that no process id exceeds. It is arbitrary.
const maxBody = 64

// Disk writes files; internal/sync implements it.
type Disk interface {
	Write(root *os.Root, path string, data []byte, options files.Options) error
	RemoveIf(root *os.Root, path, hash string) error
}

// State is the state of a lock.
type State struct {
	Exists bool // the file exists
	// Last is the time of the last consolidation or, if Held, when the lock was taken. It is zero
	// without a lock.
	Last time.Time
	PID  int // process id in the file, or 0
	// Held means that a running process holds the lock.
	Held bool
	body []byte
}

// Taken is a lock that this process took, with the data to restore the previous one. It can be
// stored as JSON.
type Taken struct {
	PID  int       // this process
	Last time.Time // previous modification time; zero if there was no lock
}

// HeldError means that another process holds the lock.
type HeldError struct {
	PID   int
	Since time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("process %d is consolidating these memories since %s", e.PID, e.Since.Format(time.TimeOnly))
}

// ErrLost means that this process does not hold the lock now.
var ErrLost = errors.New("another process has taken the lock")

// Read returns the state of a directory's lock at the time now. Without a lock file the state is
// zero. Held is false if the file is older than Stale, or its process has ended. It returns an
// error if the lock cannot be read, for example if it is a directory or a link out of the root.
func Read(root *os.Root, dir string, now time.Time) (State, error) {
	at := path.Join(dir, Name)
	file, err := files.Open(root, at)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := root.Lstat(at); err == nil {
			return State{}, fmt.Errorf("%s: it is a link to what is not there: %w", at, files.ErrNotRegular)
		}
		return State{}, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", at, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", at, err)
	}
	body, err := io.ReadAll(io.LimitReader(file, maxBody+1))
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", at, err)
	}
	s := State{Exists: true, Last: info.ModTime(), PID: processID(body), body: body}
	s.Held = now.Sub(s.Last) < Stale && runsSince(s.PID, s.Last)
	return s, nil
}

// processID returns the number at the start of a lock's content, after white space. It returns 0 if
// there is no number or it is larger than any process id.
func processID(body []byte) int {
	text := strings.TrimSpace(string(body))
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		text = text[:end]
	}
	pid, err := strconv.Atoi(text)
	if err != nil || pid > maxPID {
		return 0
	}
	return pid
}

// maxPID is the largest process id: 2²² on Linux, less on other systems.
const maxPID = 1 << 22

// clockSlack is the tolerance for start times: Linux rounds the boot time to seconds.
const clockSlack = 2 * time.Second

// runsSince reports whether a process with this id is running and was started before the time at. A
// process that was started later only has the same id, so the result is false. If its start is
// unknown, the result is true.
func runsSince(pid int, at time.Time) bool {
	if pid <= 0 || !runs(pid) {
		return false
	}
	started, known := startOf(pid)
	return !known || !started.After(at.Add(clockSlack))
}

// Take writes this process's lock of a directory and returns it. It replaces a lock that is not
// held, and one of this process: the caller must run one consolidation per directory at a time. It
// waits while another Memoir changes the lock file. It returns *HeldError if another process holds
// the lock. If another process takes the lock at the same time, it returns *HeldError or ErrLost.
func Take(disk Disk, root *os.Root, dir string, now time.Time) (Taken, error) {
	unlock, err := lockDirectory(root, dir)
	if err != nil {
		return Taken{}, err
	}
	defer unlock()
	found, err := Read(root, dir, now)
	if err != nil {
		return Taken{}, err
	}
	self := os.Getpid()
	if found.Held && found.PID != self {
		return Taken{}, &HeldError{PID: found.PID, Since: found.Last}
	}
	if err := write(disk, root, dir, found, strconv.Itoa(self), now); err != nil {
		return Taken{}, err
	}
	// Claude Code does not check before it writes. The process in the file has won.
	after, err := Read(root, dir, now)
	if err != nil {
		return Taken{}, err
	}
	if after.PID != self {
		return Taken{}, &HeldError{PID: after.PID, Since: after.Last}
	}
	return Taken{PID: self, Last: found.Last}, nil
}

// Holds returns nil if the lock file still has this process's id. It returns ErrLost if the file
// has another id or none, or is missing, and another error if the file cannot be read.
func (t Taken) Holds(root *os.Root, dir string) error {
	found, err := Read(root, dir, time.Now())
	if err != nil {
		return err
	}
	if found.PID != t.PID {
		return ErrLost
	}
	return nil
}

// Done releases the lock and sets the time of the last consolidation to now: it empties the lock
// file and sets its time. It does nothing and returns nil if the lock file does not have this
// process's id. It returns ErrLost if the file changes at the same time.
func (t Taken) Done(disk Disk, root *os.Root, dir string, now time.Time) error {
	return t.release(disk, root, dir, now)
}

// PutBack releases the lock: it empties the lock file and restores its previous time, or removes
// the file if there was none before. It does nothing and returns nil if the lock file does not have
// this process's id. It returns ErrLost or files.ErrChanged if the file changes at the same time.
func (t Taken) PutBack(disk Disk, root *os.Root, dir string) error {
	return t.release(disk, root, dir, t.Last)
}

// release empties the lock file and sets its time to at, or removes it if at is zero. It does
// nothing and returns nil if the lock file does not have this process's id. It returns ErrLost or
// files.ErrChanged if the file changes at the same time.
func (t Taken) release(disk Disk, root *os.Root, dir string, at time.Time) error {
	unlock, err := lockDirectory(root, dir)
	if err != nil {
		return err
	}
	defer unlock()
	found, err := Read(root, dir, time.Now())
	if err != nil || found.PID != t.PID {
		return err
	}
	if at.IsZero() {
		return disk.RemoveIf(root, path.Join(dir, Name), files.Hash(found.body))
	}
	return write(disk, root, dir, found, "", at)
}

// write writes a lock file with this body and modification time. It replaces the file that was
// found, or creates one if there was none. It returns ErrLost, and writes nothing, if the file has
// changed since.
func write(disk Disk, root *os.Root, dir string, found State, body string, at time.Time) error {
	options := files.Options{ModTime: at, New: !found.Exists}
	if found.Exists {
		options.IfHash = hashOf(root, dir, found)
	}
	err := disk.Write(root, path.Join(dir, Name), []byte(body), options)
	if errors.Is(err, files.ErrChanged) || errors.Is(err, files.ErrExists) {
		return ErrLost
	}
	return err
}

// hashOf returns the hash of the lock file that was found. It reads a file longer than maxBody
// again, because found has only its start. If that fails, the result is the hash of the start.
func hashOf(root *os.Root, dir string, found State) string {
	if len(found.body) > maxBody {
		hash, err := files.ReadHash(root, path.Join(dir, Name))
		if err == nil {
			return hash
		}
	}
	return files.Hash(found.body)
}
