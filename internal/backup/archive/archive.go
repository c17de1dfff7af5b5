// Package archive is the format of a backup: a tar, compressed with Zstandard. It writes and reads
// streams, saves files, and knows neither Postgres nor agents.
//
// A table is stored as the text that COPY gives, in parts of a few MiB. A memory file is stored with
// its exact bytes. The last entry, manifest.json, lists everything with its SHA-256, so a reader
// notices an archive that is cut short or changed.
package archive

import (
	"errors"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Format is the version of the format that this package writes. It reads all versions up to it.
const Format = 1

// Errors of reading. The message of an error that wraps one is for users.
var (
	ErrNotBackup = errors.New("not a backup of Memoir")
	ErrDamaged   = errors.New("the backup is incomplete or damaged")
	ErrNewer     = errors.New("the backup has a newer format")
)

// Manifest describes a backup. The lists are in the order of the archive.
type Manifest struct {
	Format    int        `json:"format"`
	Memoir    string     `json:"memoir"`     // version of the program
	Schema    int64      `json:"schema"`     // version of the tables
	StartedAt time.Time  `json:"started_at"` // every earlier change is in the backup
	Tables    []Table    `json:"tables"`
	Sequences []Sequence `json:"sequences"`
	Agents    []Agent    `json:"agents"`
	LeftOut   []LeftOut  `json:"left_out"`
}

// Table is the content of one table. Parents of foreign keys come before their children.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"`
	SHA256  string   `json:"sha256"`
}

// Sequence is the state of a sequence.
type Sequence struct {
	Name     string `json:"name"`
	Last     int64  `json:"last"`
	IsCalled bool   `json:"is_called"` // Last has been given out
}

// Agent is an agent with its files.
type Agent struct {
	Slug   string      `json:"slug"`
	Layout string      `json:"layout"`
	Dir    string      `json:"dir"` // absolute
	Dirs   []Directory `json:"directories"`
	Files  []File      `json:"files"`
}

// Directory is a directory below an agent's directory, or "." for that itself.
type Directory struct {
	Path string `json:"path"`
	Mode uint32 `json:"mode"` // permissions
}

// File is a file of an agent. Its path is relative to the agent's directory, with slashes.
type File struct {
	Path       string    `json:"path"` // as EscapePath returns it
	Size       int64     `json:"size"`
	Mode       uint32    `json:"mode"` // permissions
	ModifiedAt time.Time `json:"modified_at"`
	SHA256     string    `json:"sha256"`
	// FromDatabase means that the file was gone when it was read, and has the bytes that the
	// database knew.
	FromDatabase bool `json:"from_database,omitempty"`
}

// LeftOut is a path that is not in the backup.
type LeftOut struct {
	Path   string `json:"path"` // absolute, as EscapePath returns it
	Reason string `json:"reason"`
}

// Files returns the number of files of all agents.
func (m Manifest) Files() (n int) {
	for _, a := range m.Agents {
		n += len(a.Files)
	}
	return n
}

// Rows returns the number of rows of a table, or 0 if the backup does not have it.
func (m Manifest) Rows(table string) int64 {
	for _, t := range m.Tables {
		if t.Name == table {
			return t.Rows
		}
	}
	return 0
}

// EscapePath returns a path that JSON and tar accept. A path of printable UTF-8 without a percent
// sign is unchanged. In others, each other byte becomes %XX.
func EscapePath(p string) string {
	plain := func(r rune) bool { return r != '%' && r != utf8.RuneError && unicode.IsPrint(r) }
	if utf8.ValidString(p) && strings.IndexFunc(p, func(r rune) bool { return !plain(r) }) < 0 {
		return p
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRuneInString(p[i:])
		if plain(r) {
			b.WriteString(p[i : i+size])
		} else {
			for _, c := range []byte(p[i : i+size]) {
				b.Write([]byte{'%', digits[c>>4], digits[c&15]})
			}
		}
		i += size
	}
	return b.String()
}

// UnescapePath returns the path that EscapePath has escaped.
func UnescapePath(escaped string) (string, error) { return url.PathUnescape(escaped) }

// isLocal reports whether an escaped path is inside the directory that it is relative to, and is in
// its shortest form.
func isLocal(escaped string) bool {
	p, err := UnescapePath(escaped)
	return err == nil && p != "." && filepath.IsLocal(p) && path.Clean(p) == p
}
