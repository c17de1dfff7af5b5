package sync

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
	// writtenLate is for how long after it was replaced, or last written, a file may still be written: far longer than it takes
	// an editor from opening to writing.
	writtenLate = 100 * time.Millisecond
	// maxDisplaced is how many replaced files are held on to: each is an open file. Past it, they are not held on to.
	maxDisplaced = 64
	// forgotten is when a file is let go of that nobody has come back to, because its agent is gone or in other hands.
	forgotten = 2 * time.Minute
)

// displaced is a file that Memoir has replaced.
type displaced struct {
	slug, path string
	file       *os.File
	hash       string // of its bytes when it was replaced
	by         string // of the bytes that Memoir has put in its place since
	at         time.Time
}

// displacedFiles are those that are held on to, in the order in which they were replaced.
type displacedFiles struct {
	mu  sync.Mutex
	all []displaced
}

// add holds on to a file, if there is room.
func (f *displacedFiles) add(d displaced) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.letGo(func(d displaced) bool { return time.Since(d.at) > forgotten })
	if len(f.all) == maxDisplaced {
		d.file.Close() //nolint:errcheck // only read
		return
	}
	f.all = append(f.all, d)
}

// overwritten notes that what has the place of replaced files has other bytes now, again from Memoir.
func (f *displacedFiles) overwritten(slug, path, from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.all {
		if d := &f.all[i]; d.slug == slug && d.path == path && d.by == from {
			d.by = to
		}
	}
}

// first returns the file of an agent that was replaced first; nil: there is none.
func (f *displacedFiles) first(slug string) *displaced {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.all {
		if d.slug == slug {
			return &d
		}
	}
	return nil
}

// letGoOf closes a file.
func (f *displacedFiles) letGoOf(file *os.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.letGo(func(d displaced) bool { return d.file == file })
}

// close lets go of all files.
func (f *displacedFiles) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.letGo(func(displaced) bool { return true })
}

// letGo closes those files of which the condition holds. The caller holds the lock.
func (f *displacedFiles) letGo(of func(displaced) bool) {
	f.all = slices.DeleteFunc(f.all, func(d displaced) bool {
		if of(d) {
			d.file.Close() //nolint:errcheck // only read
			return true
		}
		return false
	})
}

// overwrite writes over a file that has the bytes of the options' IfHash, and holds on to the one that was there.
func (h *hold) overwrite(path string, data []byte, options files.Options) error {
	if options.Hash == "" {
		options.Hash = files.Hash(data)
	}
	slug, was, is := h.onDisk.Slug, options.IfHash, options.Hash
	if was != "" {
		options.Displaced = func(old *os.File) {
			h.displaced.add(displaced{slug, path, old, was, is, time.Now()})
			h.queue.AddNoSooner(slug, path, writtenLate)
		}
	}
	err := h.disk.Write(h.root, path, data, options)
	if err == nil && was != "" {
		h.displaced.overwritten(slug, path, was, is)
	}
	return err
}

// takeOverLateWrites puts what was written into replaced files of the agent in the place of what Memoir has put there. What
// somebody else has put there since is newer, and stays.
func (h *hold) takeOverLateWrites() {
	if h.root == nil {
		return
	}
	slug := h.onDisk.Slug
	for d := h.displaced.first(slug); d != nil; d = h.displaced.first(slug) {
		raw, settled := d.read()
		if !settled {
			h.queue.AddNoSooner(slug, d.path, writtenLate)
			return
		}
		h.displaced.letGoOf(d.file)
		if raw == nil {
			continue
		}
		if err := h.disk.Write(h.root, d.path, raw, files.Options{IfHash: d.by}); err != nil {
			h.log.Warn("a file was saved in the very moment in which Memoir replaced it, and what was saved could not be put in its place", "agent", slug, "path", d.path, "error", err)
			continue
		}
		h.displaced.overwritten(slug, d.path, d.by, files.Hash(raw))
		h.queue.Add(slug, d.path)
	}
}

// read returns what was written into the file since it was replaced, nil for nothing. It is settled when nobody can be at it.
func (d *displaced) read() (raw []byte, settled bool) {
	info, err := d.file.Stat()
	if err != nil {
		return nil, true
	}
	quiet := min(time.Since(d.at), time.Since(info.ModTime()).Abs())
	if quiet < writtenLate || info.Size() == 0 && quiet < beingWritten {
		return nil, false
	}
	raw, err = io.ReadAll(io.LimitReader(d.file, maxClaudeMD+1))
	hash := files.Hash(raw)
	if err != nil || len(raw) == 0 || len(raw) > maxClaudeMD || hash == d.hash || hash == d.by {
		return nil, true
	}
	return raw, true
}
