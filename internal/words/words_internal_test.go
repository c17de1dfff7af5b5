package words

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestASCIIFoldsAsAnyTextDoes(t *testing.T) {
	t.Parallel()
	for c := range byte(utf8.RuneSelf) {
		text := "a" + string(rune(c)) + "Z"
		if got, want := fold(text), withoutAccents(cases.Fold().String(norm.NFKC.String(text))); got != want {
			t.Errorf("%q folds to %q, and as Unicode does to %q", text, got, want)
		}
	}
}
