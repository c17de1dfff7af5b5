package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// A sighting is a memory file that one scan found new, changed, or back.
type scannedFile struct {
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

func (s scannedFile) isPrimary() bool { return s.session == "" }

// key is that of the memory which the file carries, if it can be read.
func (s scannedFile) key() memories.Key { return memories.Key{Name: s.file.Name, Team: s.team} }

// hasKnownBytes reports whether the file is known with the very same bytes, and that nobody has asked for just these.
func (s scannedFile) hasKnownBytes() bool {
	return s.known != nil && s.known.Hash == s.hash && s.hash != "" && !s.saved
}

// wasPresent reports whether the file is known to have been there when it was last scanned.
func (s scannedFile) wasPresent() bool { return s.known != nil && s.known.Present }

// hasNewContent reports whether the file was not there, or not with these bytes, when it was last scanned.
func (s scannedFile) hasNewContent() bool { return !s.wasPresent() || s.known.Hash != s.hash }

// isExtension reports whether the file has only been written further since it was last scanned: it begins with what it was then.
func (s scannedFile) isExtension() bool {
	return s.wasPresent() && s.known.Size <= int64(len(s.raw)) && files.Hash(s.raw[:s.known.Size]) == s.known.Hash
}

// isUnchanged reports whether nothing about the file is otherwise than the rows have it.
func (s scannedFile) isUnchanged() bool {
	if !s.wasPresent() || s.saved || s.hasExpectedHash() || s.known.Hash != s.hash || s.known.ModTime != s.modTime {
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
func (s scannedFile) awaitsRemoval() bool {
	if s.known == nil || s.known.Status != records.Removing {
		return false
	}
	return s.hasKnownBytes() || s.file.Unreadable && s.file.Problems[0].Code == memories.CodeUnreadable
}

// readChanged opens every file that may be otherwise, a few at a time, and returns those that are. The rest are signed, so that
// the next look passes over them.
func (h *hold) readChanged(ctx context.Context, at time.Time, b batch, diff *scanDiff) ([]scannedFile, error) {
	seen := make([]scannedFile, len(b.entries))
	ok := make([]bool, len(b.entries))
	err := h.inParallel(ctx, len(b.entries), func(reader *files.DirReader, i int) {
		seen[i], ok[i] = h.readScanned(reader, at, b.entries[i], diff.known[b.entries[i].Path])
		if ok[i] && b.keys != nil && seen[i].batchKey() != b.keys[i] {
			h.queue.Add(h.onDisk.Slug, seen[i].path) // it belongs into another batch by now
			ok[i] = false
		}
	})
	if err != nil {
		return nil, err
	}
	var unchanged []records.FileSignature
	kept := seen[:0]
	for i := range seen {
		if !ok[i] || seen[i].awaitsRemoval() {
			diff.deferFile(seen[i].path)
		}
		switch {
		case !ok[i]:
		case !seen[i].isUnchanged():
			kept = append(kept, seen[i])
		case seen[i].signature != 0:
			unchanged = append(unchanged, records.FileSignature{Path: seen[i].path, Signature: seen[i].signature})
		}
	}
	return kept, h.w.Sign(ctx, unchanged)
}

// inParallel calls do for each of n files, a few at a time, until ctx ends.
func (h *hold) inParallel(ctx context.Context, n int, do func(reader *files.DirReader, i int)) error {
	return inParallel(ctx, n, func(from, to int) {
		reader := files.NeighboursIn(h.root)
		defer reader.Close()
		for i := from; i < to; i++ {
			do(reader, i)
		}
	})
}

// inParallel calls do for runs of n files, a few at a time, until ctx ends. Where one of them panics, it does.
func inParallel(ctx context.Context, n int, do func(from, to int)) error {
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

// readScanned reads one file. ok is false when it vanished, is being written, or nothing more could be opened: another scan follows.
func (h *hold) readScanned(reader *files.DirReader, at time.Time, entry *agents.Entry, known *records.File) (s scannedFile, ok bool) {
	s = scannedFile{
		path: entry.Path, session: entry.Session, size: entry.Size,
		modTime: entry.ModTime, signature: signature(entry, at), known: known, saved: entry.Path == h.savedPath,
		team: h.onDisk.InTeam(entry.Path),
	}
	var problem *memories.Problem
	if problem = entry.Problem; problem == nil {
		var err error
		s.raw, err = agents.ReadAmong(reader, entry.Path, memories.MaxFileSize)
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
		if (problem.Code == memories.CodeTooDeep || problem.Code == memories.CodeNotMarkdown) && !h.readHashOnly(&s) {
			return s, false
		}
	case len(s.raw) == 0 && h.deferEmpty(entry, known):
		return s, false
	default:
		h.emptied.Delete(entry.Path)
		s.hash = files.Hash(s.raw)
		s.applyExpectedHash()
		if len(s.raw) <= memories.MaxFileSize {
			s.size = int64(len(s.raw)) // it may have grown since it was listed
		}
		s.file = frontmatter.Parse(s.raw, stem(entry.Path))
		s.flagCredential()
		s.flagName()
		s.markWellKnown()
	}
	if !s.file.Unreadable {
		s.flaws = frontmatter.FlawsOf(s.raw, s.file)
	}
	if len(s.raw) > memories.MaxFileSize {
		if !h.readHashOnly(&s) {
			return s, false
		}
		if s.hash != "" && s.size <= memories.MaxFileSize {
			h.queue.Add(h.onDisk.Slug, entry.Path) // another has taken its place meanwhile
			return s, false
		}
	}
	s.fingerprint = s.file.Fingerprint([]byte(s.hash))
	if h.deferUnfinished(entry, s) {
		return s, false
	}
	s.date(at)
	return s, true
}

// hasExpectedHash reports whether the file has the bytes that it was promised, which its row does not say yet.
func (s scannedFile) hasExpectedHash() bool {
	return s.known != nil && s.hash != "" && s.known.Promised == s.hash
}

// applyExpectedHash takes bytes that the file was promised for the ones that it is known with.
func (s *scannedFile) applyExpectedHash() {
	if s.hasExpectedHash() {
		as := *s.known
		as.Hash = s.hash
		s.known = &as
	}
}

// emptyHash is that of a file without any bytes.
var emptyHash = files.Hash(nil)

// readHashOnly keeps only the hash and the size of a file that is too large or too deep to be a memory. Its bytes are kept when it is
// deleted. ok is false when nothing more could be opened: another scan follows.
func (h *hold) readHashOnly(s *scannedFile) (ok bool) {
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
func (s *scannedFile) date(at time.Time) {
	modTime := time.Unix(0, s.modTime).UTC().Truncate(time.Microsecond)
	switch {
	case s.saved:
		s.contentAt = at
	case s.known == nil:
		s.contentAt = earlier(modTime, at)
	case s.hasKnownBytes(), s.isFinished():
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

// errTooLarge means that a file is over what the caller takes.
var errTooLarge = errors.New("file too large")

// readProblem says in plain words why a file could not be read.
func readProblem(err error) *memories.Problem {
	code := memories.CodeUnreadable
	switch {
	case errors.Is(err, files.ErrLeaves):
		code = memories.CodeLinkLeaves
	case errors.Is(err, files.ErrNotRegular):
		code = memories.CodeNotRegular
	}
	problem := memories.ProblemOf(code)
	return &problem
}

// readAll returns the bytes of a file of at most max bytes, or errTooLarge.
func readAll(root *os.Root, path string, max int64) ([]byte, error) {
	raw, err := agents.ReadFile(root, path, max)
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > max {
		return nil, fmt.Errorf("%s: %w", path, errTooLarge)
	}
	return raw, nil
}
