// Package lockfile keeps the programs that consolidate one memory directory out of each other's way: several Memoirs, and Claude
// Code itself, which has brought the protocol along. The lock is the file .consolidate-lock in the directory. Its body is the process
// id of whoever holds it, and its modification time that of the last consolidation, held or over: a run that fails puts it back.
//
// Claude Code writes the file and reads it again to know who won, which leaves a moment in which two may both believe it. Between
// Memoirs nobody does: all that one of them reads, decides and writes, it does while it has the directory locked (flock), which the
// system gives to one process at a time and takes away from one that dies. Against Claude Code, Holds asks anew before each step.
//
// Every file operation goes through an [os.Root], and what is written through the Disk of the caller. The sync room calls it; it
// knows neither agents nor a database.
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

// Name is what the lock is called, and Stale how long a holder is believed in: the process of one that has gone without a word may
// have given its id to another. Both are Claude Code's.
const (
	Name  = ".consolidate-lock"
	Stale = time.Hour
)

// longestBody is more than any process id takes, in bytes.
const longestBody = 64

// Disk is what writes; package sync's is one.
type Disk interface {
	Write(root *os.Root, path string, data []byte, options files.Options) error
	RemoveIf(root *os.Root, path, hash string) error
}

// State is how a lock stands.
type State struct {
	There bool
	// Last is the time of the last consolidation, and that at which a holder has taken the lock; zero: there is no lock.
	Last time.Time
	PID  int // of the body; 0: it names no process
	// Held says that a process that lives holds it.
	Held bool
	body []byte
}

// Taken is a lock that was taken, with what it takes to put it back. It goes through JSON unharmed.
type Taken struct {
	PID  int       // who took it
	Last time.Time // the modification time before; zero: there was no lock
}

// HeldError says who holds the lock.
type HeldError struct {
	PID   int
	Since time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("process %d is consolidating these memories since %s", e.PID, e.Since.Format(time.TimeOnly))
}

// ErrLost says that the lock that was taken is somebody else's by now, or nobody's.
var ErrLost = errors.New("another process has taken the lock")

// Read returns how the lock of a directory stands at now. It fails for what is no file that can be read: a directory, a link that
// leaves.
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
	body, err := io.ReadAll(io.LimitReader(file, longestBody+1))
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", at, err)
	}
	s := State{There: true, Last: info.ModTime(), PID: processID(body), body: body}
	s.Held = now.Sub(s.Last) < Stale && runsSince(s.PID, s.Last)
	return s, nil
}

// processID reads a body as Claude Code does: the number at its beginning, whatever follows. 0: there is none.
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

// maxPID is the largest id that a system gives to a process: 2²² on Linux, less elsewhere.
const maxPID = 1 << 22

// clockSlack is how far two clocks of one machine may be apart: the system tells when it was booted in whole seconds.
const clockSlack = 2 * time.Second

// runsSince reports whether a process runs that may have written its id at that time. One that was started later has only been given
// the same id.
func runsSince(pid int, at time.Time) bool {
	if pid <= 0 || !runs(pid) {
		return false
	}
	started, known := startOf(pid)
	return !known || !started.After(at.Add(clockSlack))
}

// Take takes the lock of a directory at now, or fails with a *HeldError where another process has it. What this very process has left
// there is taken over: within it the caller sees to it that one consolidation runs at a time.
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
	// Claude Code writes without a look at who else does. Whoever is read there now has won.
	after, err := Read(root, dir, now)
	if err != nil {
		return Taken{}, err
	}
	if after.PID != self {
		return Taken{}, &HeldError{PID: after.PID, Since: after.Last}
	}
	return Taken{PID: self, Last: found.Last}, nil
}

// Holds returns ErrLost where the lock is not any more that of whoever took it.
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

// Done lets go of the lock and leaves the time of the consolidation that has ended. The body is emptied, so that nobody takes this
// process, which goes on, for one that still consolidates.
func (t Taken) Done(disk Disk, root *os.Root, dir string, now time.Time) error {
	return t.release(disk, root, dir, now)
}

// PutBack lets go of the lock as if it had never been taken: with the time that it had, or without a file where there was none.
func (t Taken) PutBack(disk Disk, root *os.Root, dir string) error {
	return t.release(disk, root, dir, t.Last)
}

// release empties the lock and gives it a time; zero: it goes. What is somebody else's by now is left to them.
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

// write puts a lock in the place of the one that was found, unless somebody has written there since.
func write(disk Disk, root *os.Root, dir string, found State, body string, at time.Time) error {
	options := files.Options{ModTime: at, New: !found.There}
	if found.There {
		options.IfHash = hashOf(root, dir, found)
	}
	err := disk.Write(root, path.Join(dir, Name), []byte(body), options)
	if errors.Is(err, files.ErrChanged) || errors.Is(err, files.ErrExists) {
		return ErrLost
	}
	return err
}

// hashOf is that of the lock that was found. Of one that is longer than it should be, not all has been read.
func hashOf(root *os.Root, dir string, found State) string {
	if len(found.body) > longestBody {
		hash, err := files.ReadHash(root, path.Join(dir, Name))
		if err == nil {
			return hash
		}
	}
	return files.Hash(found.body)
}
