package memories_test

import (
	"strings"
	"testing"

	"memoir/internal/memories"
)

func TestKebabSlug(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, slug, file string }{
		{"Flat One", "flat-one", "flat-one.md"},
		{"use_pnpm 10.x!", "use-pnpm-10-x", "use-pnpm-10-x.md"},
		{"Café à la carte", "cafe-a-la-carte", "cafe-a-la-carte.md"},
		{"愛子さん", "愛子さん", "愛子さん.md"},
		{"Memory", "memory", ""},
		{"!?", "!?", "!?.md"},
		{strings.Repeat("é-", 100), strings.TrimSuffix(strings.Repeat("e-", 100), "-"), ""},
	} {
		slug := memories.KebabSlug(tt.name)
		if slug != tt.slug || slug != tt.name && !memories.IsSlugOf(slug, tt.name) {
			t.Errorf("KebabSlug(%q) = %q, want %q", tt.name, slug, tt.slug)
		}
		file := memories.KebabFileName(slug)
		if tt.file != "" && file != tt.file {
			t.Errorf("KebabFileName(%q) = %q, want %q", slug, file, tt.file)
		}
		if strings.EqualFold(file, "MEMORY.md") || len(file) > 103 || strings.Contains(file, "/") {
			t.Errorf("KebabFileName(%q) = %q", slug, file)
		}
	}
}
