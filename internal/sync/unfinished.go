package sync

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// A primary file that carried a memory and now has a flaw that it had not (memories.Flaw) does not change the memory: somebody is
// writing it, or something went wrong. Its last good content counts on, until the file is good again, a person takes it as it is, or it
// is removed.

// unfinished returns the memory that the file carried, if the file is unfinished. It is nil otherwise.
func (r *reconciler) unfinished(s scannedFile) *memoryState {
	k := s.known
	if s.flaws == 0 || s.file.Unreadable || s.saved || !s.isPrimary() || k == nil || !k.Present && k.Unfinished == 0 {
		return nil
	}
	m := r.byID[k.MemoryID]
	carried := k.Status == records.Mirrored || k.Status == records.Unreadable
	if m == nil || !m.isLive() || !m.row.Readable || !carried || !isWorse(s.flaws, k.Flaws) {
		return nil
	}
	return m
}

// isWorse reports whether a file has a flaw that it had not before. Nothing is worse than an empty file.
func isWorse(now, before memories.Flaw) bool {
	return now&^before != 0 && before&memories.FlawEmpty == 0
}

// keepLastGood notes that the file is unfinished. It goes on carrying the memory with its last good content.
func (r *reconciler) keepLastGood(m *memoryState, s scannedFile, row records.File) {
	r.dropUnreadable(s.path)
	k := s.known
	row.MemoryID, row.Flaws, row.Unfinished = m.row.UUID, k.Flaws, s.flaws
	row.Fingerprint, row.ContentAt, row.ModifiedAt = k.Fingerprint, k.ContentAt, k.ModifiedAt
	if s.hash == k.Hash && s.modTime != k.ModTime { // it was only touched
		row.ModifiedAt = s.modifiedAt
	}
	if k.Status == records.Unreadable {
		row.Fingerprint = memories.Fingerprint{}
		if s.path == m.row.Path {
			row.Fingerprint = m.row.Fingerprint
		}
	}
	m.files[s.path] = row
	m.touched = true
	r.out.changeSet.Files = append(r.out.changeSet.Files, row)
}

// withLastGood flags a memory for each of its files that is unfinished.
func withLastGood(problems []memories.Problem, all map[string]records.File) []memories.Problem {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p memories.Problem) bool { return p.Code == memories.CodeLastGood })
	var paths []string
	for p, f := range all {
		if f.Unfinished != 0 && f.Status == records.Mirrored {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		problems = append(problems, memories.LastGood(p, all[p].Unfinished))
	}
	return problems
}

// isFinished reports whether the file was unfinished, and says its last good content again.
func (s scannedFile) isFinished() bool {
	return s.known != nil && s.known.Unfinished != 0 && s.flaws == 0 && s.known.Fingerprint == s.fingerprint
}

// writerPause is how long a writer may pause in the middle of a file that it has begun again. Programs that stream a model's answer into
// a file pause for up to two seconds.
const writerPause = 2500 * time.Millisecond

// deferUnfinished reports whether a file that was unfinished reads as a memory only because its writer has got that far. It is then left to
// the writer and read again: half of a text must not take the place of a whole one.
func (h *hold) deferUnfinished(entry *agents.Entry, s scannedFile) bool {
	if s.saved || s.flaws != 0 || s.file.Unreadable || s.known == nil || s.known.Unfinished == 0 || s.isFinished() || !s.isExtension() {
		return false
	}
	pause := h.options.WriterPause
	if pause == 0 {
		pause = writerPause
	}
	wait := pause - time.Since(time.Unix(0, entry.ModTime)).Abs()
	if wait <= 0 {
		return false
	}
	if h.emptyFileWait != nil {
		h.emptyFileWait.add(entry.Path, wait)
	}
	h.queue.AddNoSooner(h.onDisk.Slug, entry.Path, wait)
	return true
}

// The fixes of an unfinished file.
const (
	fixLastGood = "last-good"
	fixAsIs     = "as-is"
)

// unfinishedFixes returns what can be done about an unfinished file of a memory. Those fixes of its text are among them by which it is
// the memory again.
func unfinishedFixes(m memories.Memory, p string, raw, lastGood []byte) []frontmatter.Fix {
	var fixes []frontmatter.Fix
	if lastGood != nil {
		fixes = append(fixes, frontmatter.Fix{
			ID: fixLastGood, Code: memories.CodeLastGood, Label: "Write back last version",
			Explanation: "Replaces the file with the last good version, which is in use now.", After: lastGood,
		})
	}
	for _, fix := range frontmatter.Fixes(raw, p) {
		after := frontmatter.Parse(fix.After, stem(p))
		if after.Name == m.Name && frontmatter.FlawsOf(fix.After, after) == 0 {
			fixes = append(fixes, fix)
		}
	}
	return append(fixes, frontmatter.Fix{
		ID: fixAsIs, Code: memories.CodeLastGood, Label: "Use file as it is",
		Explanation: fmt.Sprintf("Takes what %s says now. The memory changes accordingly.", path.Base(p)), After: raw,
	})
}

// takeAsIs makes an unfinished file count as it is, and publishes.
func (h *hold) takeAsIs(ctx context.Context, f records.File, raw []byte) error {
	parsed := frontmatter.Parse(raw, stem(f.Path))
	key := memories.Key{Name: parsed.Name, Team: h.onDisk.InTeam(f.Path)}
	if _, err := h.w.Allow(ctx, key, parsed.Fingerprint(raw)); err != nil {
		return err
	}
	if err := h.w.TakeAsIs(ctx, f.Path); err != nil {
		return err
	}
	if err := h.scanFile(ctx, f.Path); err != nil {
		return err
	}
	return h.publish(ctx)
}
