package sync

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// fresh is how recent a change must be for a further one to hide behind the same time stamps: the coarsest clock among
// the file systems in use is FAT's with 2 s.
const fresh = 2 * time.Second

// beingWritten is how long an empty file counts as one whose writer has opened it and not written yet.
const beingWritten = 800 * time.Millisecond

// A sighting is a memory file that one look found new, changed, or back.
type sighting struct {
	path, session string
	size, inode   int64
	modTime       int64 // nanoseconds since 1970
	changeTime    int64 // nanoseconds since 1970; 0: too fresh to be relied on
	raw           []byte
	hash          string
	file          memories.File
	fingerprint   memories.Fingerprint
	contentAt     time.Time // when its content became new
	modifiedAt    time.Time // what its age counts from
	known         *postgres.File
	saved         bool // just now, because somebody asked for it
}

func (s sighting) durable() bool { return s.session == "" }

// unchanged says that the file is known with the very same bytes, and that nobody has asked for just these.
func (s sighting) unchanged() bool {
	return s.known != nil && s.known.Hash == s.hash && s.hash != "" && !s.saved
}

// isNews says that the file was not there, or not with these bytes, when it was last looked at.
func (s sighting) isNews() bool { return s.known == nil || !s.known.Present || s.known.Hash != s.hash }

// awaitsRemoval says that the file is what a deletion could not remove yet; what cannot be read may still be that.
func (s sighting) awaitsRemoval() bool {
	if s.known == nil || s.known.Status != postgres.Removing {
		return false
	}
	return s.unchanged() || s.file.Unreadable && s.file.Problems[0].Code == memories.CodeUnreadable
}

// read opens every listed file that is not known to be the same as before, a few at a time.
func (h *hold) read(ctx context.Context, at time.Time, listing agents.Listing, known map[string]*postgres.File) ([]sighting, error) {
	var toRead []agents.Entry
	for _, entry := range listing.Files {
		// What is kept out may have been let in since.
		if f := known[entry.Path]; f == nil || f.Status == postgres.Blocked || entry.Path == h.saved || !sameSignature(*f, entry) {
			toRead = append(toRead, entry)
		}
	}
	seen := make([]sighting, len(toRead))
	ok := make([]bool, len(toRead))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	// Each worker takes a run of files: starting one for every small file costs more than reading it.
	const run = 64
	for start := 0; start < len(toRead); start += run {
		end := min(start+run, len(toRead))
		group.Go(func() error {
			for i := start; i < end; i++ {
				seen[i], ok[i] = h.see(at, toRead[i], known[toRead[i].Path])
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	kept := seen[:0]
	for i := range seen {
		if ok[i] {
			kept = append(kept, seen[i])
		}
	}
	return kept, nil
}

// see reads one file. ok is false when it vanished or is being written: another look follows.
func (h *hold) see(at time.Time, entry agents.Entry, known *postgres.File) (s sighting, ok bool) {
	s = sighting{
		path: entry.Path, session: entry.Session, size: entry.Size, inode: int64(entry.Inode),
		modTime: entry.ModTime.UnixNano(), changeTime: signature(entry, at), known: known, saved: entry.Path == h.saved,
	}
	var problem *memories.Problem
	if problem = entry.Problem; problem == nil {
		var err error
		s.raw, err = agents.ReadFile(h.root, entry.Path, memories.MaxFileSize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			h.queue.add(h.onDisk.Slug, entry.Path)
			return s, false
		case err != nil:
			problem = readProblem(err)
		}
	}
	switch {
	case problem != nil:
		s.file = memories.UnreadableFile(stem(entry.Path), *problem)
		if problem.Code == memories.CodeTooDeep {
			h.leaveOnDisk(&s)
		}
	case len(s.raw) == 0 && at.Sub(entry.ModTime).Abs() < beingWritten:
		h.queue.addAfter(h.onDisk.Slug, entry.Path, beingWritten)
		return s, false
	default:
		s.hash = files.Hash(s.raw)
		s.file = memories.Parse(s.raw, stem(entry.Path))
	}
	if len(s.raw) > memories.MaxFileSize {
		h.leaveOnDisk(&s)
	}
	s.date(at, entry.ModTime)
	s.fingerprint = s.file.Fingerprint([]byte(s.hash))
	return s, true
}

// leaveOnDisk keeps only the hash of a file that is too large or too deep to be a memory. Its bytes are kept when it is deleted.
func (h *hold) leaveOnDisk(s *sighting) {
	s.raw, s.hash = nil, ""
	if hash, err := files.ReadHash(h.root, s.path); err == nil {
		s.hash = hash
	}
}

// date decides when the content became new. A time in the future counts as now; so does a change of the bytes of a
// file that was seen before, however old its modification time is.
func (s *sighting) date(at, modTime time.Time) {
	modTime = modTime.UTC().Truncate(time.Microsecond)
	switch {
	case s.saved:
		s.contentAt = at
	case s.known == nil:
		s.contentAt = earlier(modTime, at)
	case s.unchanged():
		s.contentAt = s.known.ContentAt
	default:
		s.contentAt = at
	}
	s.modifiedAt = modTime
	if !s.file.Modified.IsZero() {
		s.modifiedAt = s.file.Modified.UTC().Truncate(time.Microsecond)
	}
}

// signature is the change time to remember of an entry: 0 where a further change could carry the same one.
func signature(entry agents.Entry, at time.Time) int64 {
	if entry.ChangeTime.After(at.Add(-fresh)) {
		return 0
	}
	return entry.ChangeTime.UnixNano()
}

// sameSignature says that a file cannot have changed since it was last read, as far as its metadata tells.
func sameSignature(f postgres.File, entry agents.Entry) bool {
	problem := ""
	if entry.Problem != nil {
		problem = entry.Problem.Code
	}
	listed := f.Status == postgres.Unreadable && f.Problem == problem || problem == ""
	return f.Present && f.ChangeTime != 0 && f.ChangeTime == entry.ChangeTime.UnixNano() &&
		f.ModTime == entry.ModTime.UnixNano() && f.Size == entry.Size && f.Inode == int64(entry.Inode) && listed
}
