package memories

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Each match becomes a hyphen in a slug. betweenASCIIWords is for slugs without non-ASCII letters.
var (
	betweenWords      = regexp.MustCompile(`[^\pL\pN]+`)
	betweenASCIIWords = regexp.MustCompile(`[^a-z0-9]+`)
	marks             = regexp.MustCompile(`\pM+`)
)

// IsSlugOf reports whether slug is the slug of name, such as flat-one for Flat One. Claude Code
// renames a memory to its slug when it first edits the file. Non-ASCII letters may be kept, omitted
// or without accents.
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
