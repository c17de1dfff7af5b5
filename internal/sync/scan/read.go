package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"golang.org/x/sync/errgroup"

	"memoir/internal/agents"
	"memoir/internal/credentials"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// readChanged opens every file that may be otherwise, a few at a time, and returns those that are. The rest are signed, so that
// the next look passes over them.
func (s *Scanner) readChanged(ctx context.Context, tx *agenttx.Tx, r Request, at time.Time, b batch, diff *scanDiff) ([]reconcile.ScannedFile, error) {
	seen := make([]reconcile.ScannedFile, len(b.entries))
	ok := make([]bool, len(b.entries))
	err := readInParallel(ctx, tx, len(b.entries), func(reader *files.DirReader, i int) {
		seen[i], ok[i] = s.readScanned(tx, r, reader, at, b.entries[i], diff.known[b.entries[i].Path])
		if ok[i] && b.keys != nil && keyOf(seen[i]) != b.keys[i] {
			tx.Rescan(seen[i].Path) // it belongs into another batch by now
			ok[i] = false
		}
	})
	if err != nil {
		return nil, err
	}
	var unchanged []records.FileSignature
	kept := seen[:0]
	for i := range seen {
		if !ok[i] || seen[i].AwaitsRemoval() {
			diff.deferFile(seen[i].Path)
		}
		switch {
		case !ok[i]:
		case !seen[i].IsUnchanged():
			kept = append(kept, seen[i])
		case seen[i].Signature != 0:
			unchanged = append(unchanged, records.FileSignature{Path: seen[i].Path, Signature: seen[i].Signature})
		}
	}
	return kept, tx.DB.Sign(ctx, unchanged)
}

// inParallel calls do for each of n files, a few at a time, until ctx ends.
func readInParallel(ctx context.Context, tx *agenttx.Tx, n int, do func(reader *files.DirReader, i int)) error {
	return inParallel(ctx, n, func(from, to int) {
		reader := files.NewDirReader(tx.Root)
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
func (s *Scanner) readScanned(tx *agenttx.Tx, r Request, reader *files.DirReader, at time.Time, entry *agents.Entry, known *records.File) (file reconcile.ScannedFile, ok bool) {
	file = reconcile.ScannedFile{
		Path: entry.Path, Session: entry.Session, Size: entry.Size,
		ModTime: entry.ModTime, Signature: signature(entry, at), Known: known, Saved: entry.Path == r.Saved,
		Team: tx.Agent.InTeam(entry.Path),
	}
	var problem *memories.Problem
	if problem = entry.Problem; problem == nil {
		var err error
		file.Raw, err = agents.ReadAmong(reader, entry.Path, memories.MaxFileSize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			tx.Rescan(entry.Path)
			return file, false
		case files.IsExhausted(err):
			tx.RescanLater(entry.Path, agenttx.Retry)
			return file, false
		case err != nil:
			problem = readProblem(err)
			// What was in the way may pass and leave no trace on the file: a directory above it that was closed, a disk that failed.
			file.Signature = 0
		}
	}
	switch {
	case problem != nil:
		file.File = frontmatter.UnreadableFile(agenttx.Stem(entry.Path), *problem)
		if (problem.Code == memories.CodeTooDeep || problem.Code == memories.CodeNotMarkdown) && !readHashOnly(tx, &file) {
			return file, false
		}
	case len(file.Raw) == 0 && deferEmpty(tx, r, entry, known):
		return file, false
	default:
		tx.State.Emptied.Delete(entry.Path)
		file.Hash = files.Hash(file.Raw)
		file.ApplyExpectedHash()
		if len(file.Raw) <= memories.MaxFileSize {
			file.Size = int64(len(file.Raw)) // it may have grown since it was listed
		}
		file.File = frontmatter.Parse(file.Raw, agenttx.Stem(entry.Path))
		flagCredential(&file)
		flagName(&file)
		leaveWellKnown(&file)
	}
	if !file.File.Unreadable {
		file.Flaws = frontmatter.FlawsOf(file.Raw, file.File)
	}
	if len(file.Raw) > memories.MaxFileSize {
		if !readHashOnly(tx, &file) {
			return file, false
		}
		if file.Hash != "" && file.Size <= memories.MaxFileSize {
			tx.Rescan(entry.Path) // another has taken its place meanwhile
			return file, false
		}
	}
	file.Fingerprint = file.File.Fingerprint([]byte(file.Hash))
	file.IsExtension = isExtension(file)
	if s.deferUnfinished(tx, r, entry, file) {
		return file, false
	}
	file.Date(at)
	return file, true
}

// readHashOnly keeps only the hash and the size of a file that is too large or too deep to be a memory. Its bytes are kept when it is
// deleted. ok is false when nothing more could be opened: another scan follows.
func readHashOnly(tx *agenttx.Tx, s *reconcile.ScannedFile) (ok bool) {
	s.Raw, s.Hash = nil, ""
	hash, size, err := files.ReadHashAndSize(tx.Root, s.Path)
	if files.IsExhausted(err) {
		tx.RescanLater(s.Path, agenttx.Retry)
		return false
	}
	if err != nil {
		s.Signature = 0
		return true
	}
	s.Hash, s.Size = hash, size
	return true
}

// signature is the one to remember of an entry: 0 where a further change could carry the same one.
func signature(entry *agents.Entry, at time.Time) int64 {
	if entry.ChangeTime > at.Add(-agents.TimestampSlack).UnixNano() {
		return 0
	}
	return entry.Signature()
}

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

// flagName flags a file that has control characters in its path. The file is a memory all the same.
func flagName(s *reconcile.ScannedFile) {
	if !s.File.Unreadable && strings.ContainsFunc(s.Path, unicode.IsControl) {
		s.File.Problems = append(s.File.Problems, memories.ProblemOf(memories.CodeFileNameControl))
	}
}

// flagCredential notes with a file of team memory that everybody can read what looks like a credential in it.
func flagCredential(s *reconcile.ScannedFile) {
	if !s.Team || s.File.Unreadable {
		return
	}
	if found, ok := credentials.Find(string(s.Raw)); ok {
		s.File.Problems = append(s.File.Problems, memories.CredentialProblem(found.Rule, found.Line))
	}
}

// isExtension reports whether the file begins with the bytes that it had at the last scan.
func isExtension(f reconcile.ScannedFile) bool {
	return f.Known != nil && f.Known.Present && f.Known.Size <= int64(len(f.Raw)) && files.Hash(f.Raw[:f.Known.Size]) == f.Known.Hash
}
