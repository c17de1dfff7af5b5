package memorytool

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// top is the memory directory as the model knows it.
const top = "/memories"

// maxPath is the longest path, in bytes, that Linux takes.
const maxPath = 4096

// maxLevels is how often a path may have been encoded: more often than anything that is not meant to deceive.
const maxLevels = 16

// inside returns where a path that a model has named leads, relative to the memory directory. It is taken as it is written: JSON has
// no encoding of its own for what a path is made of. But a path is refused when it would be an escape in any other reading: what it
// says is decoded, once and again until nothing changes, and has to be a path below the memory directory each time.
//
// Refused is also what is hidden. It is not shown in a listing, so nothing is there as far as the model is concerned; and a memory
// directory that is a repository has commands in its .git.
func inside(asked string) (path string, ok bool) {
	if len(asked) > maxPath {
		return "", false
	}
	for reading, levels := asked, 0; ; levels++ {
		if !isPlain(reading) || levels > maxLevels {
			return "", false
		}
		next := norm.NFKC.String(unescaped(reading))
		if next == reading {
			break
		}
		reading = next
	}
	if asked == top {
		return ".", true
	}
	return strings.TrimPrefix(asked, top+"/"), true
}

// isPlain says whether a path is the memory directory or leads below it, by names alone.
func isPlain(path string) bool {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) || strings.ContainsRune(path, '\\') {
		return false
	}
	if path == top {
		return true
	}
	below, found := strings.CutPrefix(path, top+"/")
	if !found {
		return false
	}
	for name := range strings.SplitSeq(below, "/") {
		if name == "" || strings.HasPrefix(name, ".") { // "." and ".." are among these
			return false
		}
	}
	return true
}

// escape is one character, or one byte of one, as URLs write it.
var escape = regexp.MustCompile(`%(?:[0-9a-fA-F]{2}|[uU][0-9a-fA-F]{4})`)

// unescaped decodes one level of %XX and of the non-standard %uXXXX. Other percent signs stay.
// The result may be invalid UTF-8.
func unescaped(path string) string {
	return escape.ReplaceAllStringFunc(path, func(code string) string {
		digits := code[1:]
		if len(digits) == 2 {
			n, _ := strconv.ParseUint(digits, 16, 8) // the pattern leaves nothing to fail
			return string([]byte{byte(n)})
		}
		n, _ := strconv.ParseUint(digits[1:], 16, 16)
		return string(rune(n))
	})
}

// What the model is told when there is nothing at a path, or the path is refused: it is told the same, so that it learns nothing of
// what is outside.
func noSuchPath(path string) refusal {
	return refusal("Error: The path " + path + " does not exist")
}

// noValidPath is the longer form of that, for the commands that have it, and for what is to be made where nothing can be.
func noValidPath(path string) refusal {
	return noSuchPath(path) + ". Please provide a valid path."
}

// isMarkdown reports whether a file of that path can be a memory.
func isMarkdown(path string) bool {
	return len(path) >= 3 && strings.EqualFold(path[len(path)-3:], ".md")
}

// noMemoryNote tells the model that a file is not a memory because of its ending.
func noMemoryNote(path string) string {
	if isMarkdown(path) {
		return ""
	}
	return "\nNote: this file is not a memory, because its name does not end in .md. Rename it to make it one."
}
