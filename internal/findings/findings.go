// Package findings defines what the review finds in the texts of memories: kinds and spans. The
// packages below it each find one family of kinds: secrets, injections, expiry, pairs, junk. All
// are pure: they get texts and times, and return findings.
package findings

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"
)

// Kind is the kind of a finding, as the API spells it.
type Kind string

// The kinds. Texts alone tell the first group; the others also need files, the database or time.
const (
	Secret        Kind = "secret"        // a password, key or token
	Injection     Kind = "injection"     // text that gives orders to the agent
	Contradiction Kind = "contradiction" // two texts that cannot both hold, or one replaces the other
	Expired       Kind = "expired"       // a date that the text depends on has passed
	Duplicate     Kind = "duplicate"     // the same fact, in the same or in other words
	Junk          Kind = "junk"          // nothing that stays useful

	Missing    Kind = "missing"    // the file disappeared together with many others
	Conflict   Kind = "conflict"   // files of one memory have different contents
	Unfinished Kind = "unfinished" // the file lost its frontmatter; the last good content is used
	Broken     Kind = "broken"     // the file is no memory, or has no type
	Blocked    Kind = "blocked"    // deleted content that returned on disk
	Deletion   Kind = "deletion"   // one machine has deleted it, another one has changed it
	Link       Kind = "link"       // a link or citation whose target is gone
	Index      Kind = "index"      // lines of MEMORY.md that the agent does not load
	Unchecked  Kind = "unchecked"  // nobody has checked it for long
	Suggestion Kind = "suggestion" // a memory proposed from a conversation
	Plan       Kind = "plan"       // a step of a consolidation plan
)

// Field is the part of a memory that a span lies in.
type Field string

// The fields of a memory that are examined.
const (
	Name        Field = "name"
	Description Field = "description"
	Body        Field = "body"
)

// Text is the examined part of a memory.
type Text struct{ Name, Description, Body string }

// Span is a part of a field. Start and End are byte offsets: the part is field[Start:End].
type Span struct {
	Field      Field
	Start, End int
}

// Match is what a detector has found in one memory. Reason has at most eight words and does not
// quote a secret. Spans are sorted and do not overlap; they can be empty if nothing in the text can
// be pointed at.
type Match struct {
	Kind   Kind
	Reason string
	Spans  []Span
}

// Memory is a memory that is compared with others. ID only has to be unique among the compared
// ones. Changed is when its text last changed.
type Memory struct {
	ID   string
	Type string // feedback, user, project, reference, or another word
	File string // path or name of its file, which links can name, or ""
	Text
	Changed time.Time
}

// Pair is what a detector has found about two memories. Spans holds the differing spans of each.
type Pair struct {
	Kind   Kind
	A, B   string // IDs
	Reason string
	Spans  [2][]Span
	// Keep is the ID of the recommended side, or "" if neither is.
	Keep string
	// IsStated means that the texts are equal, or that one names the other as replaced.
	IsStated bool
	// Score is the similarity of the texts, from 0 to 1.
	Score float64
}

// Content identifies the content of a memory: its name, and a hash of the rest.
type Content struct {
	Name        string
	Fingerprint [32]byte
}

// ItemID returns the id of an item of the review: the kind, and a hash of the agent's slug, the kind
// and the contents, in any order. So a changed content makes another item.
func ItemID(kind Kind, agent string, of ...Content) string {
	sorted := slices.SortedFunc(slices.Values(of), func(a, b Content) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), bytes.Compare(a.Fingerprint[:], b.Fingerprint[:]))
	})
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", agent, kind, sorted))
	return fmt.Sprintf("%s-%x", kind, sum[:10])
}
