package prefix_test

import (
	"slices"
	"testing"

	"memoir/internal/findings/prefix"
)

func TestIndex_At(t *testing.T) {
	t.Parallel()
	var words prefix.Index[string]
	for _, word := range []string{"token", "to", "key", "密码", "tofu"} {
		words.Add(word, word)
	}
	text := "a token, 密码 k"
	for at, want := range map[int][]string{
		0: nil, 2: {"token", "to", "tofu"}, 3: nil, 9: {"密码"}, len(text) - 1: nil, len(text): nil,
	} {
		if got := words.At(text, at); !slices.Equal(got, want) {
			t.Errorf("At(%q, %d) = %q, want %q", text, at, got, want)
		}
	}
}
