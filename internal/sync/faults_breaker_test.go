package sync_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"memoir/internal/files"
	"memoir/internal/postgres/pgtest/linetest"
)

// failure is how a step fails.
type failure int

const (
	works failure = iota
	// failsBefore: the step has no effect, and says so.
	failsBefore
	// failsAfter: the step takes effect, and says that it failed.
	failsAfter
	// diesAfter: the step takes effect, and with it the process ends.
	diesAfter
	// diesAmid: the process ends while a file is written or removed.
	diesAmid
)

func (f failure) String() string {
	return [...]string{"works", "fails before it takes effect", "fails after it took effect", "is the last before a crash", "is cut short by a crash"}[f]
}

// breaker hears of each step of Memoir on disk and in Postgres, in their order, and decides which
// of them fail.
type breaker struct {
	mu      sync.Mutex
	on      bool
	steps   []string
	plan    map[int]failure // by the number of the step
	errno   syscall.Errno
	dead    bool // the process has ended: its steps have no effect
	reached int  // how many failures of the plan have come about
}

// arm starts to count steps. The steps with the numbers in plan fail; the disk fails with errno.
func (b *breaker) arm(plan map[int]failure, errno syscall.Errno) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.on, b.steps, b.plan, b.errno, b.dead, b.reached = true, nil, plan, errno, false, 0
}

// disarm ends all failures, and returns the steps since arm.
func (b *breaker) disarm() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.on, b.dead = false, false
	return b.steps
}

// revive is the start of another process; counting goes on.
func (b *breaker) revive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dead = false
}

func (b *breaker) isDead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead
}

func (b *breaker) step(name string) failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.dead:
		return failsBefore
	case !b.on:
		return works
	}
	fails := b.plan[len(b.steps)]
	b.steps = append(b.steps, name)
	if fails != works {
		b.reached++
	}
	b.dead = fails == diesAfter || fails == diesAmid
	return fails
}

// fate is the breaker of the line to Postgres.
func (b *breaker) fate(request string) linetest.Fate {
	if aside[request] && !b.isDead() {
		return linetest.Answered
	}
	switch b.step("Postgres: " + request) {
	case works:
		return linetest.Answered
	case failsBefore:
		return linetest.NotSent
	default:
		return linetest.Unanswered
	}
}

// aside are the requests that Memoir makes by itself, at any moment, beside an operation: to fill
// the search index, and over its link to the other servers.
var aside = map[string]bool{"MemoriesToIndex": true, "set": true, "TakeLeases": true, "ReleaseLeases": true, "Notify": true, "SaveAgentStats": true}

// brokenDisk is a disk whose steps fail as the breaker says.
type brokenDisk struct{ *breaker }

func (d brokenDisk) fail(op, path string) error {
	return &fs.PathError{Op: op, Path: path, Err: d.errno}
}

// leaveBeside leaves beside a file what a crash leaves there of another text for it.
func (d brokenDisk) leaveBeside(root *os.Root, name string, data []byte) error {
	if target, err := files.Resolve(root, name); err == nil {
		name = target
	}
	return root.WriteFile(path.Join(path.Dir(name), ".memoir-tmp-LEFT"), data, 0o600)
}

func (d brokenDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	switch d.step("disk: write " + name) {
	case works:
		return files.Write(root, name, data, options)
	case failsBefore:
		return d.fail("open", name)
	case diesAmid:
		return errors.Join(d.fail("write", name), d.leaveBeside(root, name, data[:len(data)/2]))
	default:
		if err := files.Write(root, name, data, options); err != nil {
			return err
		}
		return d.fail("fsync", path.Dir(name))
	}
}

func (d brokenDisk) Append(root *os.Root, name string, data []byte) error {
	return d.atOnce("disk: append "+name, "append", name, func() error { return files.NewGuard().Append(root, name, data) })
}

func (d brokenDisk) RemoveIf(root *os.Root, name, hash string) error {
	switch d.step("disk: remove " + name) {
	case works:
		return files.NewGuard().RemoveIf(root, name, hash)
	case failsBefore:
		return d.fail("rename", name)
	case diesAmid:
		if err := root.Rename(name, path.Join(path.Dir(name), ".memoir-removing-"+path.Base(name))); err != nil && !os.IsNotExist(err) {
			return err
		}
		return d.fail("open", name)
	default:
		if err := files.NewGuard().RemoveIf(root, name, hash); err != nil {
			return err
		}
		return d.fail("fsync", path.Dir(name))
	}
}

func (d brokenDisk) RemoveDirectory(root *os.Root, name string) error {
	return d.atOnce("disk: rmdir "+name, "rmdir", name, func() error { return files.NewGuard().RemoveDirectory(root, name) })
}

func (d brokenDisk) Move(root *os.Root, from, to string) error {
	return d.atOnce("disk: move "+from+" to "+to, "rename", from, func() error { return files.NewGuard().Move(root, from, to) })
}

// bulkSize is a step that takes its effect as a whole, or not at all.
func (d brokenDisk) atOnce(step, op, name string, do func() error) error {
	fails := d.step(step)
	if fails == works || fails == failsAfter || fails == diesAfter {
		if err := do(); err != nil || fails == works {
			return err
		}
	}
	return d.fail(op, name)
}

// SyncDirectory takes its effect at once, so that the steps are always in the same order.
func (d brokenDisk) SyncDirectory(root *os.Root, name string) (wait func() error) {
	fails := d.step("disk: sync " + name)
	var err error
	if fails == works || fails == failsAfter || fails == diesAfter {
		err = files.SyncDirectory(root, name)
	}
	if err == nil && fails != works {
		err = d.fail("fsync", name)
	}
	return func() error { return err }
}

func (d brokenDisk) Touch(root *os.Root, name string, modTime time.Time) error {
	fails := d.step("disk: touch " + name)
	if fails == works || fails == failsAfter || fails == diesAfter {
		if err := root.Chtimes(name, modTime, modTime); err != nil {
			return err
		}
	}
	if fails == works {
		return nil
	}
	return d.fail("utimensat", name)
}

func (d brokenDisk) Recover(root *os.Root, dirs []string) ([]string, error) {
	var back []string
	fails := d.step("disk: recover")
	if fails == works || fails == failsAfter || fails == diesAfter {
		var err error
		if back, err = files.NewGuard().Recover(root, dirs); err != nil {
			return back, err
		}
	}
	if fails == works {
		return back, nil
	}
	return back, d.fail("unlink", ".")
}

// changesSomething reports whether a step may change what is kept. What only reads is tried too,
// but less often.
func changesSomething(step string) bool {
	if strings.HasPrefix(step, "disk: ") {
		return true
	}
	for _, reads := range []string{"Agent", "Files", "Row", "PrimaryFiles", "Memory", "Memories", "Revision", "Tombstones", "Unreadable", "Current", "Blocked", "Sections", "Summaries", "Count", "Lock", "Unlock", "ForceGenericPlans", "CommitAsync", "Restoring", "Texts", "select", "begin", "rollback"} {
		if strings.HasPrefix(step, "Postgres: "+reads) {
			return false
		}
	}
	return true
}
