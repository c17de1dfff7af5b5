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
	"memoir/internal/files"
	"memoir/internal/findings/secrets"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// readChanged reads the files of a batch in parallel and returns the changed ones. It saves the
// signatures of the unchanged ones. It omits files that are missing, being written, or of another
// batch by now. It also omits those for which too many files are open. It requests the scan of
// these files and counts them in diff as deferred. A file that cannot be read for another reason is
// returned as unreadable, without an error.
func (s *Scanner) readChanged(ctx context.Context, tx *agenttx.Tx, r Request, at time.Time, b batch, diff *scanDiff) ([]reconcile.ScannedFile, error) {
	scanned := make([]reconcile.ScannedFile, len(b.entries))
	ok := make([]bool, len(b.entries))
	err := inParallel(ctx, len(b.entries), func(i int) {
		scanned[i], ok[i] = s.readScanned(tx, r, at, b.entries[i], diff.known[b.entries[i].Path])
		if ok[i] && b.keys != nil && keyOf(scanned[i]) != b.keys[i] {
			tx.Rescan(scanned[i].Path) // its key has changed since readKeys
			ok[i] = false
		}
	})
	if err != nil {
		return nil, err
	}
	var unchanged []records.FileSignature
	changed := scanned[:0]
	for i := range scanned {
		if !ok[i] || scanned[i].AwaitsRemoval() {
			diff.deferFile(scanned[i].Path)
		}
		switch {
		case !ok[i]:
		case !scanned[i].IsUnchanged():
			changed = append(changed, scanned[i])
		case scanned[i].Signature != 0:
			unchanged = append(unchanged, records.FileSignature{Path: scanned[i].Path, Signature: scanned[i].Signature})
		}
	}
	return changed, tx.DB.SaveSignatures(ctx, unchanged)
}

// inParallel calls do once for each index from 0 to n-1, in several goroutines, and waits for them.
// If ctx ends before all are begun, it skips the rest and returns the error of ctx. If do panics,
// inParallel panics after the other goroutines have ended, and skips some indexes.
func inParallel(ctx context.Context, n int, do func(i int)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	var panicked atomic.Value
	// A goroutine for each file would cost more than to read a small file.
	const run = 64
	for start := 0; start < n; start += run {
		group.Go(func() error {
			defer func() {
				if cause := recover(); cause != nil {
					panicked.Store(fmt.Sprintf("%v\n%s", cause, debug.Stack()))
				}
			}()
			if err := ctx.Err(); err != nil {
				return err
			}
			for i := start; i < min(start+run, n); i++ {
				do(i)
			}
			return nil
		})
	}
	err := group.Wait()
	if cause := panicked.Load(); cause != nil {
		panic(cause)
	}
	return err
}

// readScanned reads and parses one file; known is its row or nil. A file that cannot be read, or is
// no memory, becomes an unreadable ScannedFile with a problem, without an error. ok is false if the
// scan must not commit the file: it is missing or being written, or too many files are open. It
// then requests a later scan of the file.
func (s *Scanner) readScanned(tx *agenttx.Tx, r Request, at time.Time, entry *agents.Entry, known *records.File) (file reconcile.ScannedFile, ok bool) {
	file = reconcile.ScannedFile{
		Path: entry.Path, Session: entry.Session, Size: entry.Size,
		ModTime: entry.ModTime, Signature: signature(entry, at), Known: known, Saved: entry.Path == r.Saved,
		Team: tx.Agent.InTeam(entry.Path),
	}
	var problem *memories.Problem
	if problem = entry.Problem; problem == nil {
		var err error
		file.Raw, err = tx.Agent.ReadFile(tx.Root, entry.Path, memories.MaxFileSize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			tx.Rescan(entry.Path)
			return file, false
		case files.IsExhausted(err):
			tx.RescanLater(entry.Path, agenttx.Retry)
			return file, false
		case err != nil:
			problem = readProblem(err)
			// The cause may end without a change of the file, for example a failed disk or a
			// directory above it without permissions. Without a signature, the next scan reads the
			// file again.
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
			file.Size = int64(len(file.Raw)) // it may have changed since the walk
		}
		file.File = tx.Parse(file.Raw, entry.Path)
		flagCredential(&file)
		flagQuarantine(&file)
		flagName(&file)
		excludeWellKnown(&file)
	}
	if !file.File.Unreadable {
		file.Flaws = frontmatter.FlawsOf(file.Raw, file.File)
	}
	if len(file.Raw) > memories.MaxFileSize {
		if !readHashOnly(tx, &file) {
			return file, false
		}
		if file.Hash != "" && file.Size <= memories.MaxFileSize {
			tx.Rescan(entry.Path) // it was replaced between the two reads
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

// readHashOnly reads the hash and the size of a file and drops its bytes. It is for files that are
// too large, too deep or not Markdown. If the file cannot be read, it clears hash and signature,
// and ok is true. ok is false if too many files are open; then it requests a later scan.
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

// signature returns the signature to save for an entry. It returns 0 if the entry changed less than
// agents.TimestampSlack before at, because a further change could have the same signature.
func signature(entry *agents.Entry, at time.Time) int64 {
	if entry.ChangeTime > at.Add(-agents.TimestampSlack).UnixNano() {
		return 0
	}
	return entry.Signature()
}

// readProblem returns the problem of a file that could not be read because of err. Its code is
// CodeLinkLeaves for files.ErrLeaves, CodeNotRegular for files.ErrNotRegular, and otherwise
// CodeUnreadable.
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

// flagName adds a problem to a readable file whose path has control characters. The file remains a
// memory. It does nothing for other files.
func flagName(s *reconcile.ScannedFile) {
	if !s.File.Unreadable && strings.ContainsFunc(s.Path, unicode.IsControl) {
		s.File.Problems = append(s.File.Problems, memories.ProblemOf(memories.CodeFileNameControl))
	}
}

// flagCredential adds a problem to a readable team file whose bytes contain a possible credential.
// It does nothing for other files.
func flagCredential(s *reconcile.ScannedFile) {
	if !s.Team || s.File.Unreadable {
		return
	}
	if found, ok := secrets.Find(string(s.Raw)); ok {
		s.File.Problems = append(s.File.Problems, memories.CredentialProblem(found.Rule, found.Line))
	}
}

// isExtension reports whether the file begins with all the bytes that it had at the last scan. It
// is false for a file that was not on disk then.
func isExtension(f reconcile.ScannedFile) bool {
	return f.Known != nil && f.Known.Present && f.Known.Size <= int64(len(f.Raw)) && files.Hash(f.Raw[:f.Known.Size]) == f.Known.Hash
}

// WriterPause is how long a program may pause while it writes a file again from the start. Programs
// that write a model's answer as it arrives pause for up to two seconds.
const WriterPause = 2500 * time.Millisecond

// deferUnfinished reports whether a program may still be writing a file that has just lost its
// flaws. If so, it requests a later scan and adds the file to r.Deferred, if set. Such a file was
// unfinished at the last scan, has grown only at its end, and was modified less than s.WriterPause
// ago. Its half-written text must not replace the last good one.
func (s *Scanner) deferUnfinished(tx *agenttx.Tx, r Request, entry *agents.Entry, file reconcile.ScannedFile) bool {
	if file.Saved || file.Flaws != 0 || file.File.Unreadable || file.Known == nil || file.Known.Unfinished == 0 || file.IsFinished() || !file.IsExtension {
		return false
	}
	wait := s.WriterPause - time.Since(time.Unix(0, entry.ModTime)).Abs()
	if wait <= 0 {
		return false
	}
	if r.Deferred != nil {
		r.Deferred.add(tx.State, entry.Path, wait)
	}
	tx.RescanNoSooner(entry.Path, wait)
	return true
}
