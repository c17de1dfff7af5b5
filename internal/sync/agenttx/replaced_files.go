package agenttx

import (
	"io"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"memoir/internal/files"
)

// An editor that saves in place opens a file and then writes it. If Memoir replaces the file in
// between, the editor writes into a file without a name. So Memoir keeps replaced files open for a
// moment, and copies what was written late into the new file.

const (
	// lateWriteTimeout is how long after its replacement or last write a file may still be written.
	// An editor takes much less between opening and writing.
	lateWriteTimeout = 100 * time.Millisecond
	// maxReplaced is the largest number of replaced files of all agents that stay open. Further
	// ones are closed at once. Arbitrary.
	maxReplaced = 64
	// maxLateWrite is the largest late write that is recovered, in bytes: the largest CLAUDE.md.
	maxLateWrite = 4 << 20
	// maxReplacedAge is the age at which a replaced file is closed without a scan of its agent. The
	// agent may be deleted, or another server may have its lease. Arbitrary.
	maxReplacedAge = 2 * time.Minute
)

// replacedFile is an open file that Memoir has replaced.
type replacedFile struct {
	slug, path string
	dir        string // absolute, of path; empty for the agent's directory
	file       *os.File
	oldHash    string // of its bytes when it was replaced
	newHash    string // of the bytes that Memoir has last written at path
	replacedAt time.Time
}

// replacedFiles are the open replaced files of all agents, the first replaced one first.
type replacedFiles struct {
	mu  sync.Mutex
	all []replacedFile
}

// add adds an open file to the list, or closes it if the list has maxReplaced already. Before, it
// closes files that are older than maxReplacedAge, and takes them off the list.
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

// setNewHash records that Memoir has written a path again. In the agent's entries for that path, it
// changes each newHash that equals from to the other hash.
func (f *replacedFiles) setNewHash(slug, dir, path, from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.all {
		if r := &f.all[i]; r.slug == slug && r.dir == dir && r.path == path && r.newHash == from {
			r.newHash = to
		}
	}
}

// first returns a copy of the agent's entry that was added first, or nil if the agent has none.
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

// closeFile closes one file and takes it off the list. The file on disk stays.
func (f *replacedFiles) closeFile(file *os.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeWhere(func(r replacedFile) bool { return r.file == file })
}

// close closes all files and empties the list.
func (f *replacedFiles) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeWhere(func(replacedFile) bool { return true })
}

// closeWhere closes the files for which match reports true, and takes them off the list. The caller
// holds mu.
func (f *replacedFiles) closeWhere(match func(replacedFile) bool) {
	f.all = slices.DeleteFunc(f.all, func(r replacedFile) bool {
		if match(r) {
			r.file.Close() //nolint:errcheck // only read
			return true
		}
		return false
	})
}

// Overwrite writes a file of the agent's directory with Disk.Write, whose errors it returns. If
// options has IfHash, it keeps the replaced file open, and requests a scan. RecoverLateWrites can
// then find bytes that another program writes into that file late. It sets options.Displaced itself
// then. tx.Root must be open.
func (tx *Tx) Overwrite(path string, data []byte, options files.Options) error {
	return tx.OverwriteIn(tx.Root, path, data, options)
}

// OverwriteIn is Overwrite for a file below root, which may be another directory than the agent's.
func (tx *Tx) OverwriteIn(root *os.Root, path string, data []byte, options files.Options) error {
	slug, oldHash, newHash := tx.Agent.Slug, options.IfHash, files.Hash(data)
	dir, scanned := "", path
	if root != tx.Root {
		dir, scanned = root.Name(), tx.anyPath()
	}
	if oldHash != "" {
		options.Displaced = func(old *os.File) {
			tx.replaced.add(replacedFile{slug, path, dir, old, oldHash, newHash, time.Now()})
			tx.RescanNoSooner(scanned, lateWriteTimeout)
		}
	}
	err := tx.Disk.Write(root, path, data, options)
	if err == nil && oldHash != "" {
		tx.replaced.setNewHash(slug, dir, path, oldHash, newHash)
	}
	return err
}

// anyPath returns a path of the agent that is quick to scan. A scan of it also recovers late writes
// and publishes.
func (tx *Tx) anyPath() string { return path.Join(tx.Agent.PrimaryDir(), indexName) }

// RecoverLateWrites copies bytes that were written late into the agent's replaced files to their
// paths, requests scans of these, and closes the files. If another program has written a path
// since, or the write fails, it logs a warning and leaves the path. If a replaced file may still be
// written, it requests a scan and leaves that file and the later ones. It does nothing if Root is
// nil.
func (tx *Tx) RecoverLateWrites() {
	if tx.Root == nil {
		return
	}
	slug := tx.Agent.Slug
	for r := tx.replaced.first(slug); r != nil; r = tx.replaced.first(slug) {
		scanned := r.path
		if r.dir != "" {
			scanned = tx.anyPath()
		}
		raw, isFinal := r.read()
		if !isFinal {
			tx.RescanNoSooner(scanned, lateWriteTimeout)
			return
		}
		tx.replaced.closeFile(r.file)
		if raw == nil {
			continue
		}
		if err := tx.recoverLateWrite(r, raw); err != nil {
			tx.Log.Warn("late write to a replaced file not recovered", "agent", slug, "path", r.path, "error", err)
			continue
		}
		tx.replaced.setNewHash(slug, r.dir, r.path, r.newHash, files.Hash(raw))
		tx.Rescan(scanned)
	}
}

// recoverLateWrite writes the bytes of a late write to the path of the replaced file, if that still
// has the bytes that Memoir wrote.
func (tx *Tx) recoverLateWrite(r *replacedFile, raw []byte) error {
	root := tx.Root
	if r.dir != "" {
		var err error
		if root, err = files.OpenRoot(r.dir); err != nil {
			return err
		}
		defer root.Close() //nolint:errcheck // nothing is written through the handle itself
	}
	return tx.Disk.Write(root, r.path, raw, files.Options{IfHash: r.newHash})
}

// read returns all bytes of the file if it was written since it was replaced. raw is nil if it was
// not, or if it is empty, unreadable, larger than maxLateWrite, or equal to the bytes that Memoir
// wrote. isFinal is false while the file may still be written; raw is nil then.
func (r *replacedFile) read() (raw []byte, isFinal bool) {
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
