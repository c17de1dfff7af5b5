package words_test

import (
	"slices"
	"testing"

	"memoir/internal/words"
)

func TestReadings_Scripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"顺丰面单": {"shunfeng", "shunfengmian"}, "丰": nil, "таможня": {"tamozhnia"}, "αθήνα": {"athena"}, "tests": nil, "さい": nil, "丰 x": nil,
	} {
		if got := words.Readings(slices.Collect(words.All(text))); !slices.Equal(got, want) {
			t.Errorf("Readings(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOtherScripts(t *testing.T) {
	t.Parallel()
	for run, want := range map[string][]string{
		"順豐": {"顺丰"}, "顺丰": {"順豐"}, "ラベル": {"らべる"}, "らべ": {"ラベ"}, "ラー": {"らー"}, "배포": nil,
	} {
		if got := words.OtherScripts(run); !slices.Equal(got, want) {
			t.Errorf("OtherScripts(%q) = %q, want %q", run, got, want)
		}
	}
}

func TestKana_Romaji(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"saihaitatsu": "さいはいたつ", "uketsuke": "うけつけ", "kyatto": "きゃっと", "shinbun": "しんぶん", "jisho": "じしょ", "fuzaihyou": "ふざいひょう",
		"deploy": "", "test": "", "x": "",
	} {
		if got := words.Kana(word); got != want {
			t.Errorf("Kana(%q) = %q, want %q", word, got, want)
		}
	}
}
