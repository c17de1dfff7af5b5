// Package exchange defines what Memoirs exchange: an agent's memories with their history, as plain
// values. It decides what a copy from elsewhere changes here. It does no I/O.
package exchange

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Agent is one agent with everything that Memoir knows of its memories.
type Agent struct {
	Slug   string `json:"slug"`
	Layout string `json:"layout"`

	Memories   []Memory    `json:"-"`
	Tombstones []Tombstone `json:"-"`
	Journal    []Entry     `json:"-"` // oldest first
	Decisions  []Decision  `json:"-"`
	Indexes    []File      `json:"-"` // MEMORY.md, also of team memory
	// Pending are memories about which a person has yet to decide. Only exchanges between machines
	// have them.
	Pending []Key `json:"-"`
	// IsExchange means that another machine has sent it, to be merged.
	IsExchange bool `json:"-"`
	// Foreign means that another program has written it: it has no history.
	Foreign bool `json:"-"`
}

// Key identifies a memory of an agent.
type Key = memories.Key

// File is a file by its slash-separated path, relative to the primary directory.
type File struct {
	Path string
	Raw  []byte
}

// Memory is a memory with all its contents.
type Memory struct {
	ID       uuid.UUID     `json:"id"`
	Name     string        `json:"name"`
	Team     bool          `json:"team"`
	Readable bool          `json:"readable"`
	Type     memories.Type `json:"type,omitempty"`
	// Path is the primary file, relative to the primary directory. It is empty if no primary file
	// has the memory, or the file has the usual name.
	Path       string      `json:"path,omitempty"`
	Current    Fingerprint `json:"content"` // of Revisions
	CreatedAt  time.Time   `json:"created_at"`
	UpdatedAt  time.Time   `json:"updated_at"`
	ModifiedAt time.Time   `json:"modified_at"` // the age counts from it
	ContentAt  time.Time   `json:"content_at"`  // when the content became new
	Deleted    *Deletion   `json:"deleted,omitempty"`
	AskedAs    *Phrases    `json:"asked_as,omitempty"`
	Revisions  []Revision  `json:"revisions"` // oldest first
}

// Key returns the memory's key.
func (m Memory) Key() Key { return Key{Name: m.Name, Team: m.Team} }

// Content returns the current content, or nil if it is missing.
func (m Memory) Content() *Revision {
	for i := range m.Revisions {
		if m.Revisions[i].Content == m.Current {
			return &m.Revisions[i]
		}
	}
	return nil
}

// Has reports whether the memory has or had a content.
func (m Memory) Has(content Fingerprint) bool {
	for _, r := range m.Revisions {
		if r.Content == content {
			return true
		}
	}
	return false
}

// Deletion is how a memory came into the trash.
type Deletion struct {
	At         time.Time       `json:"at"`
	By         string          `json:"by"`              // person or disk
	Actor      memories.Actor  `json:"actor,omitempty"` // as in the journal
	IndexLines json.RawMessage `json:"index_lines,omitempty"`
}

// Phrases are the questions that a memory answers.
type Phrases struct {
	Phrases []string    `json:"phrases"`
	By      string      `json:"by"`
	At      time.Time   `json:"at"`
	Content Fingerprint `json:"content"` // for which they were written
}

// Revision is one content of a memory.
type Revision struct {
	Content     Fingerprint   `json:"content"`
	Hash        string        `json:"hash"`
	Type        memories.Type `json:"type,omitempty"`
	Description string        `json:"description"`
	Body        string        `json:"body"`
	Raw         Bytes         `json:"raw"` // of the file; null if it was not stored
	Path        string        `json:"path"`
	Session     string        `json:"session,omitempty"`
	SeenAt      time.Time     `json:"seen_at"`
}

// Tombstone is a deleted content, which is blocked if it returns.
type Tombstone struct {
	Name      string      `json:"name"`
	Team      bool        `json:"team"`
	Content   Fingerprint `json:"content"`
	DeletedAt time.Time   `json:"deleted_at"`
}

// Key returns the key of the tombstone's memory.
func (t Tombstone) Key() Key { return Key{Name: t.Name, Team: t.Team} }

// Entry is one entry of the journal. Memory is nil for a blocked content without a memory, and
// Content is nil if the content is not stored.
type Entry struct {
	At         time.Time      `json:"at"`
	Kind       string         `json:"kind"`
	Actor      memories.Actor `json:"actor"`
	Memory     *uuid.UUID     `json:"memory,omitempty"`
	Name       string         `json:"name"`
	OtherName  *string        `json:"other_name,omitempty"`
	Team       bool           `json:"team"`
	Path       string         `json:"path"`
	Session    *string        `json:"session,omitempty"`
	State      *string        `json:"state,omitempty"`
	Type       *string        `json:"type,omitempty"`
	Content    *Fingerprint   `json:"content,omitempty"`
	ModifiedAt *time.Time     `json:"modified_at,omitempty"`
}

// Decision is a decision of the review. Its item contains a hash of the agent's slug.
type Decision struct {
	Item     string         `json:"item"`
	Kind     string         `json:"kind"`
	Decision string         `json:"decision"`
	At       time.Time      `json:"at"`
	By       memories.Actor `json:"by"`
	Until    *time.Time     `json:"until,omitempty"`
}

// Fingerprint identifies a content. Its JSON is hexadecimal.
type Fingerprint memories.Fingerprint

// MarshalText returns the fingerprint in hexadecimal.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(f[:])), nil }

// UnmarshalText reads a fingerprint in hexadecimal.
func (f *Fingerprint) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != len(f) {
		return fmt.Errorf("%q is not a fingerprint", text)
	}
	copy(f[:], raw)
	return nil
}

// Bytes are the bytes of a file. Their JSON is a string if they are UTF-8, else an object with
// base64, and null if they are nil.
type Bytes []byte

type encodedBytes struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (b Bytes) MarshalJSON() ([]byte, error) {
	switch {
	case b == nil:
		return []byte("null"), nil
	case utf8.Valid(b):
		return json.Marshal(string(b))
	default:
		return json.Marshal(encodedBytes{b})
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Bytes) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*b = nil
		return nil
	case len(text) > 0 && text[0] == '{':
		var encoded encodedBytes
		err := json.Unmarshal(text, &encoded)
		*b = append(Bytes{}, encoded.Base64...)
		return err
	}
	var s string
	err := json.Unmarshal(text, &s)
	*b = append(Bytes{}, s...)
	return err
}

// UsualPath returns the path that a new file of the memory gets, relative to the primary directory
// of an agent with the layout.
func UsualPath(layout string, m Memory) string {
	file := memories.FileName(m.Type, m.Name)
	if layout == claudeLayout {
		file = memories.KebabFileName(memories.KebabSlug(m.Name))
	}
	if m.Team && layout != sharedLayout {
		return "team/" + file
	}
	return file
}

// The layouts whose files have other names.
const (
	claudeLayout = "claude"
	sharedLayout = "shared"
)
