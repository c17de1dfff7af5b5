package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"memoir/internal/files"
)

// maxName is the length in bytes at which an escaped name is shortened. File systems allow names of
// 255 bytes; escaped, each byte takes four. Several such names exceed the size of a Postgres index
// entry.
const maxName = 255

// validName reports whether Postgres can store a name: valid UTF-8 without NUL.
func validName(name string) bool {
	return utf8.ValidString(name) && strings.IndexByte(name, 0) < 0
}

// SafePath returns a path that Postgres and JSON accept. A valid path is returned unchanged.
// Otherwise each byte that is NUL or not UTF-8 becomes \xNN, and an escaped name above maxName
// bytes is cut and ends in a hash. Every path from outside (disk, event, hook) passes through
// SafePath before it is queued, stored or shown.
func SafePath(p string) string {
	if validName(p) {
		return p
	}
	names := strings.Split(p, "/")
	for i, name := range names {
		names[i] = safeName(name)
	}
	return strings.Join(names, "/")
}

// safeName returns the name of a file as SafePath writes it: escaped and shortened if Postgres
// cannot store it, else unchanged.
func safeName(name string) string {
	if validName(name) {
		return name
	}
	var safe strings.Builder
	for rest := name; len(rest) > 0; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&safe, `\x%02x`, rest[0])
		} else {
			safe.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	if safe.Len() <= maxName {
		return safe.String()
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s…%x", strings.ToValidUTF8(safe.String()[:maxName-32], ""), sum[:8])
}

var (
	escapedByte   = regexp.MustCompile(`\\x(?:00|[89a-f][0-9a-f])`)
	shortenedName = regexp.MustCompile(`…[0-9a-f]{16}$`)
)

// rawNames returns the names on disk for which safeName may have returned safe, safe itself first.
// all reports that the name was shortened, so that any other name in the directory may be the one.
func rawNames(safe string) (names []string, all bool) {
	raw := escapedByte.ReplaceAllStringFunc(safe, func(code string) string {
		b, _ := hex.DecodeString(code[2:]) // the expression matches two digits
		return string(b)
	})
	switch {
	case raw == safe:
		return []string{safe}, false
	case shortenedName.MatchString(safe):
		return []string{safe}, true
	case strings.IndexByte(raw, 0) >= 0 || safeName(raw) != safe: // safe is not an escaped name
		return []string{safe}, false
	}
	return []string{safe, raw}, false
}

// rawPaths returns the paths on disk for which SafePath may have returned safe, safe itself first.
// They differ in the last element only: Walk enters no directory whose name cannot be stored. Of a
// shortened name it returns only safe.
func rawPaths(safe string) []string {
	dir, name := "", safe
	if i := strings.LastIndexByte(safe, '/'); i >= 0 {
		dir, name = safe[:i+1], safe[i+1:]
	}
	names, _ := rawNames(name)
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = dir + name
	}
	return paths
}

// IsMisnamed reports whether safe is the escaped form, made by SafePath, of the path of an existing
// file whose name cannot be stored. It reports false if a file has the name safe itself. For a
// shortened name it cannot check that the file exists, and reports true.
func IsMisnamed(root *os.Root, safe string) bool {
	name := safe[strings.LastIndexByte(safe, '/')+1:]
	raw, all := rawNames(name)
	if len(raw) == 1 && !all {
		return false
	}
	if _, err := files.Lstat(root, safe); !isGone(err) {
		return false
	}
	if all {
		return true
	}
	_, err := files.Lstat(root, rawPaths(safe)[1])
	return err == nil
}
