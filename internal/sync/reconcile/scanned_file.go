package reconcile

import (
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// ScannedFile is a memory file as a scan has read it.
type ScannedFile struct {
	Path    string // relative to the agent's directory
	Session string // empty for a primary file
	Team    bool   // the file is in team memory
	Size    int64  // bytes
	ModTime int64  // nanoseconds since 1970
	// Signature identifies the path and metadata of the file, so that the next scan need not read
	// it. It is 0 if the time stamps are too recent.
	Signature   int64
	Raw         []byte // nil if the file could not be read, or is too large or too deep for a memory
	Hash        string // of the file's bytes; empty if they are unknown
	File        frontmatter.File
	Fingerprint memories.Fingerprint
	Flaws       memories.Flaw
	ContentAt   time.Time // when the content became new
	ModifiedAt  time.Time // the start of the memory's age
	// Known is the file's row before the scan. It is nil for a new file.
	Known *records.File
	// Saved reports whether the file was just written because a caller asked for this content. It
	// is then the newest.
	Saved bool
	// IsExtension reports whether the file begins with the bytes that it had at the last scan.
	IsExtension bool
}

func (s ScannedFile) isPrimary() bool { return s.Session == "" }

// Key returns the key of the memory that the file states. It means nothing for an unreadable file.
func (s ScannedFile) Key() memories.Key { return memories.Key{Name: s.File.Name, Team: s.Team} }

// hasKnownBytes reports whether the file's row has the same bytes. It is false for a file that was
// just saved.
func (s ScannedFile) hasKnownBytes() bool {
	return s.Known != nil && s.Known.Hash == s.Hash && s.Hash != "" && !s.Saved
}

// wasPresent reports whether the file was on disk at the last scan.
func (s ScannedFile) wasPresent() bool { return s.Known != nil && s.Known.Present }

// HasNewContent reports whether the file was absent or had other bytes at the last scan.
func (s ScannedFile) HasNewContent() bool { return !s.wasPresent() || s.Known.Hash != s.Hash }

// IsUnchanged reports whether the file is as its row describes it, so that there is nothing to
// save. It is false for a blocked file.
func (s ScannedFile) IsUnchanged() bool {
	if !s.wasPresent() || s.Saved || s.hasExpectedHash() || s.Known.Hash != s.Hash || s.Known.ModTime != s.ModTime {
		return false
	}
	if s.Known.Unfinished != 0 && s.Known.Status == records.Mirrored {
		return s.Flaws == s.Known.Unfinished
	}
	if s.Known.Fingerprint != s.Fingerprint {
		return false
	}
	if s.File.Unreadable {
		return s.Known.Status == records.Unreadable && s.Known.Problem == s.File.Problems[0].Code
	}
	return s.Known.Status == records.Mirrored
}

// AwaitsRemoval reports whether the file is one that a deletion has still to remove. A file with
// other bytes is not; a file that cannot be read may be, and counts as one.
func (s ScannedFile) AwaitsRemoval() bool {
	if s.Known == nil || s.Known.Status != records.Removing {
		return false
	}
	return s.hasKnownBytes() || s.File.Unreadable && s.File.Problems[0].Code == memories.CodeUnreadable
}

// hasExpectedHash reports whether the file has the bytes that Memoir was about to write.
func (s ScannedFile) hasExpectedHash() bool {
	return s.Known != nil && s.Hash != "" && s.Known.ExpectedHash == s.Hash
}

// ApplyExpectedHash makes the file's bytes count as known if Memoir was about to write them. The
// content is then no newer than before.
func (s *ScannedFile) ApplyExpectedHash() {
	if s.hasExpectedHash() {
		known := *s.Known
		known.Hash = s.Hash
		s.Known = &known
	}
}

// Date sets ContentAt and ModifiedAt. at is the time of the scan. ContentAt is at for a saved file
// and for other bytes of a known file, and at most at for a new file. If the bytes are known, or
// have the last good content again, ContentAt stays. ModifiedAt is the date that the file states,
// or else ModTime.
func (s *ScannedFile) Date(at time.Time) {
	modTime := time.Unix(0, s.ModTime).UTC().Truncate(time.Microsecond)
	switch {
	case s.Saved:
		s.ContentAt = at
	case s.Known == nil:
		s.ContentAt = earlier(modTime, at)
	case s.hasKnownBytes(), s.IsFinished():
		s.ContentAt = s.Known.ContentAt
	default:
		s.ContentAt = at
	}
	s.ModifiedAt = modTime
	if !s.File.Modified.IsZero() {
		s.ModifiedAt = s.File.Modified.UTC().Truncate(time.Microsecond)
	}
}

// IsFinished reports whether the file was unfinished and has its last good content again.
func (s ScannedFile) IsFinished() bool {
	return s.Known != nil && s.Known.Unfinished != 0 && s.Flaws == 0 && s.Known.Fingerprint == s.Fingerprint
}
