package words

import "testing"

// TestFold_Latin compares the fast folding of Latin with the general one. It folds
// each character between letters and next to characters that decompose into a space and a mark.
func TestFold_Latin(t *testing.T) {
	t.Parallel()
	for r := range rune(firstMark) {
		if r == ' ' || r == '\n' {
			continue // pieces end at this character
		}
		for _, text := range []string{
			"a" + string(r) + "b", "É" + string(r) + "É", string(r) + "´", "¨" + string(r), string(r) + "ǆ" + string(r), "ß" + string(r) + "¸ŉ",
		} {
			if !isLatin(text) {
				t.Fatalf("%q is taken for something else", text)
			}
			if got, want := fold(text), foldAny(text); got != want {
				t.Errorf("%q is folded to %q, and should be to %q", text, got, want)
			}
		}
	}
}
