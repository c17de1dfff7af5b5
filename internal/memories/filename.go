package memories

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"memoir/internal/memories/memtext"
)

// maxSlugLength keeps file names short; the name itself stands in the frontmatter.
const maxSlugLength = 40

var outsideSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Slug turns a name into the part of a file name that stands for it: lower case, every run of characters outside
// [a-z0-9] an underscore, trimmed, at most 40 characters. A name that leaves nothing (CJK, emoji) gets a short hash.
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

// FileName returns the name of a new file for a memory: {type}_{slug}.md, or {slug}.md without a type. It is never
// the index's.
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

// NumberedFileName returns the n-th name to try when a file's name is taken: a.md, a_2.md, a_3.md.
func NumberedFileName(file string, n int) string {
	if n < 2 {
		return file
	}
	ext := path.Ext(file)
	return fmt.Sprintf("%s_%d%s", strings.TrimSuffix(file, ext), n, ext)
}
