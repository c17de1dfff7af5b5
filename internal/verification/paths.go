package verification

import (
	"path"
	"strings"
	"unicode"
)

// sourceExtensions are the extensions of files with code. A bare name with one counts as a file. A
// source file too large to read may contain any name.
var sourceExtensions = setOf(`astro bash bat c cc clj cljs cpp cs css cxx dart el elm erl ex exs fish fs go gradle groovy h hpp hrl
	hs htm html java jl js jsx kt kts less lua m mjs cjs ml mli mm mts cts nim nix php pl pm proto ps1 py pyi r rb rs sass scala scss sh sol
	sql svelte swift templ tf tmpl ts tsx vim vue zig zsh`)

// otherExtensions are the extensions of other files in projects.
var otherExtensions = setOf(`adoc avsc cfg cmake conf csv graphql ico ini ipynb jpeg jpg json json5 jsonc jsonl lock md mdx mk mod
	pdf plist png properties rst sum svg toml tsv txt webp xml yaml yml`)

// notFiles are names in lower case that look like files but name other things.
var notFiles = setOf(`node.js next.js vue.js nuxt.js three.js d3.js express.js react.js angular.js ember.js backbone.js chart.js
	discord.js alpine.js deno.js bun.js p5.js solid.js socket.io docs.rs lib.rs crates.rs bun.sh brew.sh get.sh asp.net`)

// placeholders are path elements that are examples.
var placeholders = setOf(`foo bar baz qux xxx yyy zzz foo.go bar.go foo.py bar.py foo.ts bar.ts foo.js foo.md bar.md example.md file.md
	file.go file.py file.ts file.js file.txt filename.md name.md slug.md your mypath somefile some-file`)

// placeholderLinks are link targets that are examples.
var placeholderLinks = setOf(`name names link links wikilink wikilinks wiki-link wiki-links memory memories memory-name memory_name
	other other-memory their-name its-name the-name note notes page title slug file filename target x y foo bar example bin package nodiscard
	test bench lib patch`)

// mediaTypes are the first parts of MIME types.
var mediaTypes = setOf(`application audio font image message model multipart text video`)

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// mayBePath reports whether a word may be a path: it has a slash or dot, and only ASCII characters
// of a plain path. It is false for addresses, patterns, variables, flags, placeholders such as
// <name>, and paths with "..".
func mayBePath(word string) bool {
	if !strings.ContainsAny(word, "/.") || strings.ContainsAny(word, "<>{}[]()$*?\\%&=@^!|~\"'`,;") {
		return false
	}
	if strings.HasPrefix(word, "-") || strings.Contains(word, "..") || strings.Contains(word, "//") || strings.Contains(word, ":/") {
		return false
	}
	return !strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// cleanPath returns word as a clean path without "./" at its start. ok is false for words that only
// look like paths: versions, dates, MIME types, import paths, hosts, placeholders and unknown kinds
// of files.
func cleanPath(word string) (clean string, ok bool) {
	word = strings.TrimPrefix(word, "./")
	clean = path.Clean(word)
	absolute := strings.HasPrefix(clean, "/")
	elements := strings.Split(strings.TrimPrefix(clean, "/"), "/")
	first, last := elements[0], elements[len(elements)-1]
	if first == "" || clean == "." || !startsLikeName(first) {
		return "", false
	}
	for i, element := range elements {
		if placeholders[strings.ToLower(element)] || standsForDigits(element) || i > 0 && element == "to" && elements[i-1] == "path" {
			return "", false
		}
	}
	if len(elements) == 1 {
		ext := extension(last)
		stem := last[:len(last)-len(ext)]
		// An identifier such as fs.FS is a type.
		isFile := isExtension(ext) && strings.HasSuffix(last, ext) && !notFiles[strings.ToLower(last)]
		return clean, isFile && (len(ext) > 1 || len(stem) > 3 && strings.Count(stem, ".") == 1)
	}
	switch {
	case !absolute && strings.Contains(strings.TrimPrefix(first, "."), "."):
		return "", false // a host
	case !hasExtension(last) && strings.Contains(strings.TrimPrefix(last, "."), "."):
		return "", false // pkg.Name, 1.2.3
	case !hasExtension(last) && len(elements) == 2 && mediaTypes[first]:
		return "", false
	}
	return clean, true
}

// startsLikeName reports whether a name starts with a letter and is no version. It ignores dots
// and underscores at the start.
func startsLikeName(name string) bool {
	name = strings.TrimLeft(name, "._")
	for _, r := range name {
		return unicode.IsLetter(r) && !isVersion(name)
	}
	return false
}

// isVersion reports whether a name is v or V followed by digits and dots, such as v1 and v1.2.
func isVersion(name string) bool {
	return len(name) > 1 && (name[0] == 'v' || name[0] == 'V') && strings.Trim(name[1:], "0123456789.") == ""
}

// standsForDigits reports whether a name is an example with a placeholder for digits, such as
// NNNN_name.sql, YYYY-MM-DD.md and 12345.md.
func standsForDigits(name string) bool {
	return strings.Contains(name, "NNN") || strings.Contains(name, "XXX") || strings.Contains(name, "YYYY") || strings.Contains(name, "1234")
}

// extension returns the extension of a path's last element in lower case, without the dot. It is ""
// without one, and for names such as .env.
func extension(name string) string {
	name = path.Base(name)
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return ""
	}
	return strings.ToLower(name[dot+1:])
}

func hasExtension(name string) bool { return isExtension(extension(name)) }

func isExtension(ext string) bool { return sourceExtensions[ext] || otherExtensions[ext] }

func isSource(name string) bool { return sourceExtensions[extension(name)] }

// betweenWords reports whether a character separates words of prose: white space, brackets,
// quotation marks, some punctuation, and all characters of Chinese, Japanese and Korean.
func betweenWords(r rune) bool {
	switch r {
	case '(', ')', '[', ']', '"', '\'', '`', ',', ';', '|', '“', '”', '„', '‘', '’', '«', '»':
		return true
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0x3000 && unicode.IsPunct(r)
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isWordByte reports whether a byte can be part of a name in code. All bytes above ASCII can.
func isWordByte(b byte) bool {
	return isLower(b|0x20) || isDigit(b) || b == '_' || b >= 0x80
}
