package reconcile

import (
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// A sighting is a memory file that one scan found new, changed, or back.
type ScannedFile struct {
	Path, Session string
	Size          int64
	ModTime       int64 // nanoseconds since 1970
	Signature     int64 // 0: too fresh to be relied on
	Raw           []byte
	Hash          string
	File          frontmatter.File
	Team          bool // it is in team memory
	Fingerprint   memories.Fingerprint
	Flaws         memories.Flaw
	ContentAt     time.Time // when its content became new
	ModifiedAt    time.Time // what its age counts from
	Known         *records.File
	Saved         bool // just now, because somebody asked for it
	// IsExtension reports whether the file begins with the bytes that it had at the last scan.
	IsExtension bool
}

func (s ScannedFile) isPrimary() bool { return s.Session == "" }

// key is that of the memory which the file carries, if it can be read.
func (s ScannedFile) Key() memories.Key { return memories.Key{Name: s.File.Name, Team: s.Team} }

// hasKnownBytes says that the file is known with the very same bytes, and that nobody has asked for just these.
func (s ScannedFile) hasKnownBytes() bool {
	return s.Known != nil && s.Known.Hash == s.Hash && s.Hash != "" && !s.Saved
}

// wasPresent reports whether the file is known to have been there when it was last scanned.
func (s ScannedFile) wasPresent() bool { return s.Known != nil && s.Known.Present }

// hasNewContent reports whether the file was not there, or not with these bytes, when it was last scanned.
func (s ScannedFile) HasNewContent() bool { return !s.wasPresent() || s.Known.Hash != s.Hash }

// isUnchanged reports whether nothing about the file is otherwise than the rows have it.
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

// awaitsRemoval says that the file is what a deletion could not remove yet; what cannot be read may still be that.
func (s ScannedFile) AwaitsRemoval() bool {
	if s.Known == nil || s.Known.Status != records.Removing {
		return false
	}
	return s.hasKnownBytes() || s.File.Unreadable && s.File.Problems[0].Code == memories.CodeUnreadable
}

// hasExpectedHash says that the file has the bytes that it was promised, which its row does not say yet.
func (s ScannedFile) hasExpectedHash() bool {
	return s.Known != nil && s.Hash != "" && s.Known.Promised == s.Hash
}

// applyExpectedHash takes bytes that the file was promised for the ones that it is known with.
func (s *ScannedFile) ApplyExpectedHash() {
	if s.hasExpectedHash() {
		as := *s.Known
		as.Hash = s.Hash
		s.Known = &as
	}
}

// date decides when the content became new. A time in the future counts as now; so does a change of the bytes of a
// file that was seen before, however old its modification time is.
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

// isFinished reports whether the file was unfinished, and says its last good content again.
func (s ScannedFile) IsFinished() bool {
	return s.Known != nil && s.Known.Unfinished != 0 && s.Flaws == 0 && s.Known.Fingerprint == s.Fingerprint
}
