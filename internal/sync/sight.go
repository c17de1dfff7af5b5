package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// A sighting is a memory file that one look found new, changed, or back.
type sighting struct {
	path, session string
	size          int64
	modTime       int64 // nanoseconds since 1970
	signature     int64 // 0: too fresh to be relied on
	raw           []byte
	hash          string
	file          frontmatter.File
	team          bool // it is in team memory
	fingerprint   memories.Fingerprint
	flaws         memories.Flaw
	contentAt     time.Time // when its content became new
	modifiedAt    time.Time // what its age counts from
	known         *records.File
	saved         bool // just now, because somebody asked for it
}

func (s sighting) durable() bool { return s.session == "" }

// key is that of the memory which the file carries, if it can be read.
func (s sighting) key() memories.Key { return memories.Key{Name: s.file.Name, Team: s.team} }

// unchanged says that the file is known with the very same bytes, and that nobody has asked for just these.
func (s sighting) unchanged() bool {
	return s.known != nil && s.known.Hash == s.hash && s.hash != "" && !s.saved
}

// wasThere says that the file is known to have been there when it was last looked at.
func (s sighting) wasThere() bool { return s.known != nil && s.known.Present }

// isNews says that the file was not there, or not with these bytes, when it was last looked at.
func (s sighting) isNews() bool { return !s.wasThere() || s.known.Hash != s.hash }

// goesOn says that the file has only been written further since it was last looked at: it begins with what it was then.
func (s sighting) goesOn() bool {
	return s.wasThere() && s.known.Size <= int64(len(s.raw)) && files.Hash(s.raw[:s.known.Size]) == s.known.Hash
}

// isSteady says that nothing about the file is otherwise than the rows have it.
func (s sighting) isSteady() bool {
	if !s.wasThere() || s.saved || s.keepsPromise() || s.known.Hash != s.hash || s.known.ModTime != s.modTime {
		return false
	}
	if s.known.Unfinished != 0 && s.known.Status == records.Mirrored {
		return s.flaws == s.known.Unfinished
	}
	if s.known.Fingerprint != s.fingerprint {
		return false
	}
	if s.file.Unreadable {
		return s.known.Status == records.Unreadable && s.known.Problem == s.file.Problems[0].Code
	}
	return s.known.Status == records.Mirrored
}

// awaitsRemoval says that the file is what a deletion could not remove yet; what cannot be read may still be that.
func (s sighting) awaitsRemoval() bool {
	if s.known == nil || s.known.Status != records.Removing {
		return false
	}
	return s.unchanged() || s.file.Unreadable && s.file.Problems[0].Code == memories.CodeUnreadable
}

// read opens every file that may be otherwise, a few at a time, and returns those that are. The rest are signed, so that
// the next look passes over them.
func (h *hold) read(ctx context.Context, at time.Time, p portion, found *differences) ([]sighting, error) {
	seen := make([]sighting, len(p.entries))
	ok := make([]bool, len(p.entries))
	err := h.inRuns(ctx, len(p.entries), func(among *files.DirReader, i int) {
		seen[i], ok[i] = h.see(among, at, p.entries[i], found.known[p.entries[i].Path])
		if ok[i] && p.subjects != nil && seen[i].subject() != p.subjects[i] {
			h.queue.Add(h.onDisk.Slug, seen[i].path) // it belongs into another portion by now
			ok[i] = false
		}
	})
	if err != nil {
		return nil, err
	}
	var steady []records.FileSignature
	kept := seen[:0]
	for i := range seen {
		if !ok[i] || seen[i].awaitsRemoval() {
			found.putOff(seen[i].path)
		}
		switch {
		case !ok[i]:
		case !seen[i].isSteady():
			kept = append(kept, seen[i])
		case seen[i].signature != 0:
			steady = append(steady, records.FileSignature{Path: seen[i].path, Signature: seen[i].signature})
		}
	}
	return kept, h.w.Sign(ctx, steady)
}

// inRuns calls do for each of n files, a few at a time, until ctx ends.
func (h *hold) inRuns(ctx context.Context, n int, do func(among *files.DirReader, i int)) error {
	return inRuns(ctx, n, func(from, to int) {
		among := files.NewDirReader(h.root)
		defer among.Close()
		for i := from; i < to; i++ {
			do(among, i)
		}
	})
}

// inRuns calls do for runs of n files, a few at a time, until ctx ends. Where one of them panics, it does.
func inRuns(ctx context.Context, n int, do func(from, to int)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	var panicked atomic.Value
	// Each worker takes a run of files: starting one for every small file costs more than reading it.
	const run = 64
	for start := 0; start < n; start += run {
		group.Go(func() error {
			defer func() {
				if cause := recover(); cause != nil {
					panicked.Store(fmt.Sprintf("%v\n%s", cause, debug.Stack()))
				}
			}()
			do(start, min(start+run, n))
			return ctx.Err()
		})
	}
	err := group.Wait()
	if cause := panicked.Load(); cause != nil {
		panic(cause)
	}
	return err
}

// see reads one file. ok is false when it vanished, is being written, or nothing more could be opened: another look follows.
func (h *hold) see(among *files.DirReader, at time.Time, entry *agents.Entry, known *records.File) (s sighting, ok bool) {
	s = sighting{
		path: entry.Path, session: entry.Session, size: entry.Size,
		modTime: entry.ModTime, signature: signature(entry, at), known: known, saved: entry.Path == h.saved,
		team: h.onDisk.InTeam(entry.Path),
	}
	var problem *memories.Problem
	if problem = entry.Problem; problem == nil {
		var err error
		s.raw, err = agents.ReadAmong(among, entry.Path, memories.MaxFileSize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			h.queue.Add(h.onDisk.Slug, entry.Path)
			return s, false
		case files.IsExhausted(err):
			h.queue.AddLater(h.onDisk.Slug, entry.Path, retry)
			return s, false
		case err != nil:
			problem = readProblem(err)
			// What was in the way may pass and leave no trace on the file: a directory above it that was closed, a disk that failed.
			s.signature = 0
		}
	}
	switch {
	case problem != nil:
		s.file = frontmatter.UnreadableFile(stem(entry.Path), *problem)
		if (problem.Code == memories.CodeTooDeep || problem.Code == memories.CodeNotMarkdown) && !h.leaveOnDisk(&s) {
			return s, false
		}
	case len(s.raw) == 0 && h.isLeftToWriter(entry, known):
		return s, false
	default:
		h.emptied.Delete(entry.Path)
		s.hash = files.Hash(s.raw)
		s.keepPromise()
		if len(s.raw) <= memories.MaxFileSize {
			s.size = int64(len(s.raw)) // it may have grown since it was listed
		}
		s.file = frontmatter.Parse(s.raw, stem(entry.Path))
		s.flagCredential()
		s.flagName()
		s.leaveWellKnown()
	}
	if !s.file.Unreadable {
		s.flaws = frontmatter.FlawsOf(s.raw, s.file)
	}
	if len(s.raw) > memories.MaxFileSize {
		if !h.leaveOnDisk(&s) {
			return s, false
		}
		if s.hash != "" && s.size <= memories.MaxFileSize {
			h.queue.Add(h.onDisk.Slug, entry.Path) // another has taken its place meanwhile
			return s, false
		}
	}
	s.fingerprint = s.file.Fingerprint([]byte(s.hash))
	if h.isWrittenOn(entry, s) {
		return s, false
	}
	s.date(at)
	return s, true
}

// keepsPromise says that the file has the bytes that it was promised, which its row does not say yet.
func (s sighting) keepsPromise() bool {
	return s.known != nil && s.hash != "" && s.known.Promised == s.hash
}

// keepPromise takes bytes that the file was promised for the ones that it is known with.
func (s *sighting) keepPromise() {
	if s.keepsPromise() {
		as := *s.known
		as.Hash = s.hash
		s.known = &as
	}
}

// emptyHash is that of a file without any bytes.
var emptyHash = files.Hash(nil)

// leaveOnDisk keeps only the hash and the size of a file that is too large or too deep to be a memory. Its bytes are kept when it is
// deleted. ok is false when nothing more could be opened: another look follows.
func (h *hold) leaveOnDisk(s *sighting) (ok bool) {
	s.raw, s.hash = nil, ""
	hash, size, err := files.ReadHashAndSize(h.root, s.path)
	if files.IsExhausted(err) {
		h.queue.AddLater(h.onDisk.Slug, s.path, retry)
		return false
	}
	if err != nil {
		s.signature = 0
		return true
	}
	s.hash, s.size = hash, size
	return true
}

// date decides when the content became new. A time in the future counts as now; so does a change of the bytes of a
// file that was seen before, however old its modification time is.
func (s *sighting) date(at time.Time) {
	modTime := time.Unix(0, s.modTime).UTC().Truncate(time.Microsecond)
	switch {
	case s.saved:
		s.contentAt = at
	case s.known == nil:
		s.contentAt = earlier(modTime, at)
	case s.unchanged(), s.isGoodAgain():
		s.contentAt = s.known.ContentAt
	default:
		s.contentAt = at
	}
	s.modifiedAt = modTime
	if !s.file.Modified.IsZero() {
		s.modifiedAt = s.file.Modified.UTC().Truncate(time.Microsecond)
	}
}

// signature is the one to remember of an entry: 0 where a further change could carry the same one.
func signature(entry *agents.Entry, at time.Time) int64 {
	if entry.ChangeTime > at.Add(-agents.TimestampSlack).UnixNano() {
		return 0
	}
	return entry.Signature()
}
