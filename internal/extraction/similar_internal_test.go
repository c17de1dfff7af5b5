package extraction

import (
	"testing"

	"memoir/internal/memories"
)

func TestIsSimilar_OneWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The release is made on each Tuesday, before the shop opens.", "The release is made on each Tuesday before the shop opens", true},
		{"The release is made on each Tuesday, before the shop opens.", "The release is made on each Thursday, before the shop opens.", false},
		{"배포는 매주 화요일 오전에 한다", "배포는 매주 화요일 오전에 한다.", true},
		{"배포는 매주 화요일 오전에 한다", "배포는 매주 수요일 오전에 한다", false},
	} {
		if same := isSimilar(wordsOf(memories.Content{Body: c.a}), wordsOf(memories.Content{Body: c.b})); same != c.same {
			t.Errorf("%q and %q are nearly the same: %v", c.a, c.b, same)
		}
	}
}
