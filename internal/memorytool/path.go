package memorytool

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// top is the path of the memory directory for the model.
const top = "/memories"

// maxPath limits a path, in bytes: PATH_MAX of Linux.
const maxPath = 4096

// maxDecodings limits how often a path is decoded. Arbitrary, and more than an honest path needs.
const maxDecodings = 16

// inside returns a model's path relative to the memory directory, as it is written, and "." for the
// directory itself. ok is false if the path has more than maxPath bytes. It is also false if the
// path or a decoding of it (percent-encoding and NFKC) is not below /memories or has a hidden name.
// A hidden .git, for example, has commands.
func inside(requested string) (path string, ok bool) {
	if len(requested) > maxPath {
		return "", false
	}
	for reading, decodings := requested, 0; ; decodings++ {
		if !isPlain(reading) || decodings > maxDecodings {
			return "", false
		}
		next := norm.NFKC.String(unescaped(reading))
		if next == reading {
			break
		}
		reading = next
	}
	if requested == top {
		return ".", true
	}
	return strings.TrimPrefix(requested, top+"/"), true
}

// isPlain reports whether path is the memory directory or below it, by its text alone. It returns
// false for invalid UTF-8, control characters, backslashes, and empty or hidden names, such as
// "..".
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
		if name == "" || strings.HasPrefix(name, ".") { // also "." and ".."
			return false
		}
	}
	return true
}

// escape matches a percent-encoded byte (%41) or UTF-16 unit (%u0041).
var escape = regexp.MustCompile(`%(?:[0-9a-fA-F]{2}|[uU][0-9a-fA-F]{4})`)

// unescaped decodes one level of %XX and of the non-standard %uXXXX. Other percent signs stay. The
// result may be invalid UTF-8.
func unescaped(path string) string {
	return escape.ReplaceAllStringFunc(path, func(code string) string {
		digits := code[1:]
		if len(digits) == 2 {
			n, _ := strconv.ParseUint(digits, 16, 8) // cannot fail, because the pattern matched
			return string([]byte{byte(n)})
		}
		n, _ := strconv.ParseUint(digits[1:], 16, 16)
		return string(rune(n))
	})
}

// noSuchPath returns the refusal for a path that is missing or not allowed. The text is the same
// for both, so that the model learns nothing about other directories.
func noSuchPath(path string) refusal {
	return refusal("Error: The path " + path + " does not exist")
}

// noValidPath returns the text of noSuchPath with the sentence "Please provide a valid path." The
// tool's documentation has this sentence for some commands.
func noValidPath(path string) refusal {
	return noSuchPath(path) + ". Please provide a valid path."
}

// isMarkdown reports whether the path ends in .md, in any letter case, so that the file can be a
// memory.
func isMarkdown(path string) bool {
	return len(path) >= 3 && strings.EqualFold(path[len(path)-3:], ".md")
}

// noMemoryNote returns a note that the file at path is not a memory, or "" if it can be one.
func noMemoryNote(path string) string {
	if isMarkdown(path) {
		return ""
	}
	return "\nNote: this file is not a memory, because its name does not end in .md. Rename it to make it one."
}
