package agents

import (
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"memoir/internal/files"
)

// maxName is the length, in bytes, beyond which an escaped name is shortened. File systems allow names of 255 bytes, and each of those
// may take four: a path of several such names is longer than an index of Postgres takes.
const maxName = 255

// validName reports whether a name can be stored and sent as it is: Postgres takes neither NUL nor bytes that are not UTF-8.
func validName(name string) bool {
	return utf8.ValidString(name) && strings.IndexByte(name, 0) < 0
}

// SafePath returns a path that Postgres and JSON take, for a path of any bytes. A path that they take already is returned as it is. In
// each other name of the path, every byte that is not UTF-8 and every NUL becomes \xNN. It is the one way by which a path from outside
// (the disk, an event, a hook) becomes one that is queued, stored or shown.
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

// safeName is SafePath for one name of a path.
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

// rawNames returns the names on disk that safeName may have made a name of, the name itself first. Where one may be any of a directory
// that begins in a certain way, all says so.
func rawNames(safe string) (names []string, all bool) {
	raw := escapedByte.ReplaceAllStringFunc(safe, func(code string) string {
		b, err := strconv.ParseUint(code[2:], 16, 8)
		if err != nil {
			return code
		}
		return string([]byte{byte(b)})
	})
	switch {
	case raw == safe:
		return []string{safe}, false
	case shortenedName.MatchString(safe):
		return []string{safe}, true
	case strings.IndexByte(raw, 0) >= 0 || safeName(raw) != safe: // no file has such a name
		return []string{safe}, false
	}
	return []string{safe, raw}, false
}

// rawPaths returns the paths on disk that SafePath may have made a path of, as far as they differ in the last name. The directories
// above have names that can be stored, for the walk enters no others.
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

// IsMisnamed reports whether a path is only how the path of a file is written whose name on disk cannot be stored.
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
