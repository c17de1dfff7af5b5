package words

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestFold_ASCII(t *testing.T) {
	t.Parallel()
	for c := range byte(utf8.RuneSelf) {
		text := "a" + string(rune(c)) + "Z"
		if got, want := fold(text), withoutAccents(cases.Fold().String(norm.NFKC.String(text))); got != want {
			t.Errorf("%q folds to %q, and as Unicode does to %q", text, got, want)
		}
	}
}

func TestFold_Pieces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Inés asked\nTomáš  for it ", "a \u0301 b\u0301 \u0301\u0323", "ΣΊΣΥΦΟΣ ΣΑΣ", "ﬁne Ｗｉｄｅ ㎏ text", "日本語 の テスト", "\xff é \xc3", "e\u0301\n\u0323x", " é", "é ",
	} {
		if got, want := fold(text), withoutAccents(foldCase(norm.NFKC.String(text))); got != want {
			t.Errorf("%q folds to %q, and as a whole to %q", text, got, want)
		}
	}
}
