package memories

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A slug has a hyphen for each match of betweenWords, or of betweenASCIIWords if it has no letters outside ASCII.
var (
	betweenWords      = regexp.MustCompile(`[^\pL\pN]+`)
	betweenASCIIWords = regexp.MustCompile(`[^a-z0-9]+`)
	marks             = regexp.MustCompile(`\pM+`)
)

// IsSlugOf reports whether slug is the name as a slug, for example flat-one for Flat One. Claude Code
// gives a memory that form of its name when it edits the file for the first time. Letters outside
// ASCII may be kept, left out, or have lost their accents.
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
