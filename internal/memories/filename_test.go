package memories_test

import (
	"testing"

	"memoir/internal/memories"
)

func TestIsSlugOf_Forms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		slug, name string
		want       bool
	}{
		{"flat-one", "Flat One", true},
		{"flat_one", "Flat One", true},
		{"use-pnpm-9", "Use `pnpm` 9!", true},
		{"flat-one", "flat_one", true},
		{"übersicht-1", "Übersicht 1", true},
		{"ubersicht", "Übersicht", true},
		{"bersicht", "Übersicht", true},
		{"部署-1", "部署 1", true},
		{"flat-one", "flat-one", false}, // the same name
		{"Flat-One", "Flat One", false}, // not in lower case
		{"flat one", "Flat One", false}, // not in one word
		{"flat-two", "Flat One", false},
		{"flat", "Flat One", false},
		{"-", "部署", false},
		{"", "部署", false},
	} {
		if got := memories.IsSlugOf(c.slug, c.name); got != c.want {
			t.Errorf("IsSlugOf(%q, %q) = %t", c.slug, c.name, got)
		}
	}
}
