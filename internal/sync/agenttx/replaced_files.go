package agenttx

import (
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"memoir/internal/files"
)

// An editor that saves in place opens a file and then writes it. When Memoir replaces the file between the two, what is written
// goes into one that has no name any more. So Memoir holds on to what it has replaced until nobody can be about to write it, and
// takes over what was written there, as if it had come a moment later.

const (
	// lateWriteTimeout is for how long after it was replaced, or last written, a file may still be written: far longer than it takes
	// an editor from opening to writing.
	lateWriteTimeout = 100 * time.Millisecond
	// maxReplaced is how many replaced files are held on to: each is an open file. Past it, they are not held on to.
	maxReplaced = 64
	// maxLateWrite is the largest late write that is recovered, in bytes: the largest CLAUDE.md.
	maxLateWrite = 4 << 20
	// maxReplacedAge is when a file is let go of that nobody has come back to, because its agent is gone or in other hands.
	maxReplacedAge = 2 * time.Minute
)

// replacedFile is a file that Memoir has replaced.
type replacedFile struct {
	slug, path string
	file       *os.File
	oldHash    string // of its bytes when it was replaced
	newHash    string // of the bytes that Memoir has put in its place since
	replacedAt time.Time
}

// replacedFiles are those that are held on to, in the order in which they were replaced.
type replacedFiles struct {
	mu  sync.Mutex
	all []replacedFile
}

// add holds on to a file, if there is room.
func (f *replacedFiles) add(r replacedFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeWhere(func(r replacedFile) bool { return time.Since(r.replacedAt) > maxReplacedAge })
	if len(f.all) == maxReplaced {
		r.file.Close() //nolint:errcheck // only read
		return
	}
	f.all = append(f.all, r)
}

// setNewHash notes that what has the place of replaced files has other bytes now, again from Memoir.
func (f *replacedFiles) setNewHash(slug, path, from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.all {
		if r := &f.all[i]; r.slug == slug && r.path == path && r.newHash == from {
			r.newHash = to
		}
	}
}

// first returns the file of an agent that was replaced first; nil: there is none.
func (f *replacedFiles) first(slug string) *replacedFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.all {
		if r.slug == slug {
			return &r
		}
	}
	return nil
}

// closeFile closes a file.
func (f *replacedFiles) closeFile(file *os.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeWhere(func(r replacedFile) bool { return r.file == file })
}

// close lets go of all files.
func (f *replacedFiles) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeWhere(func(replacedFile) bool { return true })
}

// closeWhere closes those files of which the condition holds. The caller holds the lock.
func (f *replacedFiles) closeWhere(of func(replacedFile) bool) {
	f.all = slices.DeleteFunc(f.all, func(r replacedFile) bool {
		if of(r) {
			r.file.Close() //nolint:errcheck // only read
			return true
		}
		return false
	})
}

// overwrite writes over a file that has the bytes of the options' IfHash, and holds on to the one that was there.
func (tx *Tx) Overwrite(path string, data []byte, options files.Options) error {
	if options.Hash == "" {
		options.Hash = files.Hash(data)
	}
	slug, was, is := tx.Agent.Slug, options.IfHash, options.Hash
	if was != "" {
		options.Displaced = func(old *os.File) {
			tx.replaced.add(replacedFile{slug, path, old, was, is, time.Now()})
			tx.RescanNoSooner(path, lateWriteTimeout)
		}
	}
	err := tx.Disk.Write(tx.Root, path, data, options)
	if err == nil && was != "" {
		tx.replaced.setNewHash(slug, path, was, is)
	}
	return err
}

// recoverLateWrites puts what was written into replaced files of the agent in the place of what Memoir has put there. What
// somebody else has put there since is newer, and stays.
func (tx *Tx) RecoverLateWrites() {
	if tx.Root == nil {
		return
	}
	slug := tx.Agent.Slug
	for r := tx.replaced.first(slug); r != nil; r = tx.replaced.first(slug) {
		raw, settled := r.read()
		if !settled {
			tx.RescanNoSooner(r.path, lateWriteTimeout)
			return
		}
		tx.replaced.closeFile(r.file)
		if raw == nil {
			continue
		}
		if err := tx.Disk.Write(tx.Root, r.path, raw, files.Options{IfHash: r.newHash}); err != nil {
			tx.Log.Warn("late write to a replaced file not recovered", "agent", slug, "path", r.path, "error", err)
			continue
		}
		tx.replaced.setNewHash(slug, r.path, r.newHash, files.Hash(raw))
		tx.Rescan(r.path)
	}
}

// read returns what was written into the file since it was replaced, nil for nothing. It is settled when nobody can be at it.
func (r *replacedFile) read() (raw []byte, settled bool) {
	info, err := r.file.Stat()
	if err != nil {
		return nil, true
	}
	quiet := min(time.Since(r.replacedAt), time.Since(info.ModTime()).Abs())
	if quiet < lateWriteTimeout || info.Size() == 0 && quiet < EmptyFileTimeout {
		return nil, false
	}
	raw, err = io.ReadAll(io.LimitReader(r.file, maxLateWrite+1))
	hash := files.Hash(raw)
	if err != nil || len(raw) == 0 || len(raw) > maxLateWrite || hash == r.oldHash || hash == r.newHash {
		return nil, true
	}
	return raw, true
}
