package memories

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/memories/memtext"
)

// maxSlugLength limits a slug, in bytes. It is arbitrary; the full name is in the frontmatter.
const maxSlugLength = 40

var outsideSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Slug returns a name in the form used in file names: in lower case, with each run of characters
// outside a-z0-9 replaced by an underscore. It is cut to maxSlugLength bytes. If no letter or digit
// is left, Slug returns a hash of the name.
func Slug(name string) string {
	slug := strings.Trim(outsideSlug.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if len(slug) > maxSlugLength {
		slug = strings.TrimRight(slug[:maxSlugLength], "_")
	}
	if slug == "" {
		return memtext.ShortHash(name)
	}
	return slug
}

// FileName returns the name of a new file for a memory: {type}_{slug}.md, or {slug}.md without a
// type. It is never MEMORY.md.
func FileName(t Type, name string) string {
	slug := Slug(name)
	if t != "" {
		return string(t) + "_" + slug + ".md"
	}
	if slug == "memory" {
		slug += "_" + memtext.ShortHash(name)
	}
	return slug + ".md"
}

// NumberedFileName returns the n-th name to try for a file a.md: a.md, a_2.md, a_3.md.
func NumberedFileName(file string, n int) string {
	if n < 2 {
		return file
	}
	ext := path.Ext(file)
	return fmt.Sprintf("%s_%d%s", strings.TrimSuffix(file, ext), n, ext)
}

// Each match becomes a hyphen in a slug. betweenASCIIWords is for slugs without non-ASCII letters.
var (
	betweenWords      = regexp.MustCompile(`[^\pL\pN]+`)
	betweenASCIIWords = regexp.MustCompile(`[^a-z0-9]+`)
	marks             = regexp.MustCompile(`\pM+`)
)

// KebabSlug returns a name as Claude Code writes it: in lower case, with a hyphen for each run of
// characters that are no letters or digits. Accents are removed, and letters outside a-z are left
// out, unless no others are left. It returns name if it has no letter and no digit.
// IsSlugOf(KebabSlug(name), name) is true, unless the two are equal or the name has neither.
func KebabSlug(name string) string {
	lower := strings.ToLower(name)
	plain := marks.ReplaceAllString(norm.NFD.String(lower), "")
	for _, form := range []string{
		betweenASCIIWords.ReplaceAllString(plain, "-"),
		betweenWords.ReplaceAllString(lower, "-"),
	} {
		if form = strings.Trim(form, "-"); form != "" {
			return form
		}
	}
	return name
}

// KebabFileName returns the name of a new file for a memory with the name slug, which is a result of
// KebabSlug: {slug}.md, with a slug of at most maxKebabLength bytes. It is never MEMORY.md.
func KebabFileName(slug string) string {
	if len(slug) > maxKebabLength {
		slug = strings.TrimRight(strings.ToValidUTF8(slug[:maxKebabLength], ""), "-")
	}
	if slug == "memory" || slug == "" || strings.ContainsFunc(slug, func(r rune) bool { return r == '/' || unicode.IsControl(r) }) {
		slug = "memory-" + memtext.ShortHash(slug)
	}
	return slug + ".md"
}

// maxKebabLength limits the stem of a file, in bytes. File systems allow 255 in all; the rest is
// arbitrary.
const maxKebabLength = 100

// IsSlugOf reports whether slug is the slug of name, such as flat-one for Flat One, and differs
// from it. Claude Code renames a memory to its slug when it first edits the file. Non-ASCII letters
// may be kept, omitted or without accents.
func IsSlugOf(slug, name string) bool {
	if slug == name || slug != strings.ToLower(slug) || strings.ContainsFunc(slug, unicode.IsSpace) {
		return false
	}
	lower := strings.ToLower(name)
	plain := marks.ReplaceAllString(norm.NFD.String(lower), "")
	slug = strings.ReplaceAll(slug, "_", "-")
	for _, form := range []string{
		betweenWords.ReplaceAllString(lower, "-"),
		betweenASCIIWords.ReplaceAllString(lower, "-"),
		betweenASCIIWords.ReplaceAllString(plain, "-"),
	} {
		if form = strings.Trim(form, "-"); form != "" && form == slug {
			return true
		}
	}
	return false
}
