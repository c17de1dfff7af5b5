package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/words"
)

// shown writes the hits of a text in brackets.
func shown(parts []words.Part) string {
	var s strings.Builder
	for _, p := range parts {
		if p.Hit {
			s.WriteString("[" + p.Text + "]")
		} else {
			s.WriteString(p.Text)
		}
	}
	return s.String()
}

func whole(parts []words.Part) string {
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.Text)
	}
	return s.String()
}

func TestAll_Words(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                nil,
		"Release day: Tuesdays.":          {"release", "day", "tuesdays"},
		"internal/postgres/list.go:12":    {"internal", "postgres", "list", "go", "12"},
		"snake_case --agents-dir C++":     {"snake", "case", "agents", "dir", "c"},
		"Straße CAFÉ İstanbul ŒUVRE":      {"strasse", "cafe", "istanbul", "œuvre"},
		"数据库 in 東京":                       {"数", "据", "库", "in", "東", "京"},
		"한국어 API를":                        {"한", "국", "어", "api", "를"},
		"мой Дом":                         {"мой", "дом"},
		"①② ½ №5 …":                       {"12", "1", "2", "no5"},
		"हिन्दी بِسم":                     {"हिन्दी", "بِسم"},
		strings.Repeat("x", 300) + " end": {strings.Repeat("x", 255), "end"},
	} {
		if got := slices.Collect(words.All(text)); !slices.Equal(got, want) {
			t.Errorf("%.40q falls apart into %q, want %q", text, got, want)
		}
	}
}

func TestSpaced_Hangul(t *testing.T) {
	t.Parallel()
	if got := slices.Collect(words.Spaced("한국어 API를 数据, Café")); !slices.Equal(got, []string{"한국어", "api를", "数", "据", "cafe"}) {
		t.Errorf("got %q", got)
	}
}

func TestMark_Hits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, query, want string }{
		{"Release on Tuesday", "rel tues", "[Rel]ease on [Tues]day"},
		{"Release on Tuesday", "", "Release on Tuesday"},
		{"Release on Tuesday", "... &", "Release on Tuesday"},
		{"", "rel", ""},
		{"unreleased", "rel", "unreleased"},
		{"release_notes/release.md", "release", "[release]_notes/[release].md"},
		{"RELEASE", "release", "[RELEASE]"},
		{"release", "r rel relea", "[relea]se"},
		{"Die Straße, STRASSE", "strasse", "Die [Straße], [STRASSE]"},
		{"Die Straße", "stras", "Die [Straß]e"},
		{"Café crème", "cafe creme", "[Café] [crème]"},
		{"re\u0301sume\u0301 re\u0301", "resume", "[re\u0301sume\u0301] re\u0301"},
		{"İstanbul", "istan", "[İstan]bul"},
		{"Ωμέγα", "ωμεγα", "[Ωμέγα]"},
		{"Мой дом", "мой", "[Мой] дом"},
		{"数据库在东京，东西", "东京", "数据库在[东京]，东西"},
		{"东西", "东", "[东]西"},
		{"ﾃﾞｰﾀﾍﾞｰｽの設定", "データ", "[ﾃﾞｰﾀ]ﾍﾞｰｽの設定"},
		{"ガラス", "カ", "ガラス"},
		{"データベース", "ベース", "データ[ベース]"},
		{"한국어 문서", "국어", "한[국어] 문서"},
		{"보고문서를 API로", "문서 api", "보고[문서]를 [API]로"},
		{norm.NFD.String("보고문서"), "문서", norm.NFD.String("보고") + "[" + norm.NFD.String("문서") + "]"},
		{"보고문서", norm.NFD.String("문서"), "보고[문서]"},
		{"\uffa1\uffc2\uffb5\uffdc", "가시", "[\uffa1\uffc2\uffb5\uffdc]"},
		{"문과 서", "문서", "문과 서"},
		{"우리 문", "문", "우리 [문]"},
		{"5 km ㎏ ①", "kg 1", "5 km [㎏] [①]"},
		{"bad \xff\xfe bytes é", "bytes", "bad \xff\xfe [bytes] é"},
		{"<b>bold</b>", "bold b", "<[b]>[bold]</[b]>"},
		{strings.Repeat("x", 1000), strings.Repeat("x", 999), "[" + strings.Repeat("x", 255) + "]" + strings.Repeat("x", 745)},
	} {
		if got := shown(words.For(c.query).Mark(c.text)); got != c.want {
			t.Errorf("%q in %.60q is %.80q, want %.80q", c.query, c.text, got, c.want)
		}
	}
}

func TestMark_Near(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, query, want string }{
		{"The release is on Tuesday", "releese", "The [release] is on Tuesday"},
		{"The releases", "relaese", "The [releases]"},
		{"The release is on Tuesday", "releas tuesdy", "The [releas]e is on [Tuesday]"},
		{"The relevance", "releese", "The relevance"},
		{"not now", "nut", "not now"},
		{"Über Köln", "koeln kolm", "Über [Köln]"},
	} {
		if got := shown(words.For(c.query).Near().Mark(c.text)); got != c.want {
			t.Errorf("%q near %q is %q, want %q", c.query, c.text, got, c.want)
		}
	}
	if got := shown(words.For("releese").Mark("The release")); got != "The release" {
		t.Errorf("a search for what is there marks %q", got)
	}
}

func TestDistance_Typos(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, word string
		slips       int
		close       bool
	}{
		{"release", "release", 0, true},
		{"rel", "release", 0, true},
		{"releese", "release", 1, true},
		{"relese", "release", 1, true},
		{"relaese", "released", 1, true},
		{"relaeze", "release", 0, false},
		{"certifcate", "certificates", 1, true},
		{"certifacite", "certificate", 2, true},
		{"cat", "car", 0, false},
		{"kat", "cat", 0, false},
		{"0123", "0124", 0, false},
		{"ferry", "fery", 1, true},
		{"длинное", "длинное", 0, true},
		{"длиное", "длинное", 1, true},
	} {
		slips, close := words.Distance(c.typed, c.word)
		if close != c.close || close && slips != c.slips {
			t.Errorf("%s is %d slips from %s (%v), want %d (%v)", c.typed, slips, c.word, close, c.slips, c.close)
		}
	}
}

func TestExcerpt_MostHits(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("Nothing of interest stands here at all. ", 20)
	for _, c := range []struct {
		body, query string
		length      int
		want        string
	}{
		{"Short and **whole**.", "whole", 100, "Short and [whole]."},
		{"# Heading\n\n- [ ] a *task* in `code` at <http://y.z>\n- see [the wiki](http://x.y/z) and [[Release day]]\n\n```go\nfunc f() {}\n```\n> quoted\n\n| a | b |\n|---|---|\n| c | d |\n", "wiki", 200,
			"Heading a task in code at http://y.z see the [wiki] and Release day func f() {} quoted | a · b | | c · d |"},
		{"snake_case and 2 * 3 stay", "", 100, "snake_case and 2 * 3 stay"},
		{filler + "The ferry leaves. " + filler + "The ferry leaves from the harbour at six. " + filler, "ferry harbour", 60,
			"… all. The [ferry] leaves from the [harbour] at six. Nothing of …"},
		{filler, "absent", 40, "Nothing of interest stands here at all. …"},
		{"", "x", 10, ""},
		{strings.Repeat("字", 100) + "東京" + strings.Repeat("字", 100), "東京", 30, "… 字字[東京]字字字字字 …"},
		{strings.Repeat("x", 100) + " needle " + strings.Repeat("y", 100), "needle", 20, "… [needle] …"},
	} {
		if got := shown(words.Excerpt(c.body, c.query, c.length)); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.query, got, c.want)
		}
	}
}

func FuzzMark(f *testing.F) {
	for _, c := range [][2]string{
		{"Release on Tuesday", "rel tues"}, {"Straße ﾃﾞｰﾀ ㎏ ½ re\u0301", "strass データ kg 1 re"}, {"东京东京", "东京 京东 东"},
		{"\xff\xfe\u0301\u0301", "\u0301"}, {"보고\u1106\u116e\u11ab서를 \uffa1", "문서 \u1106"}, {strings.Repeat("a\u0301", 50), "aaaa"}, {"", ""},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		for _, search := range []words.Search{words.For(query), words.For(query).Near()} {
			parts := search.Mark(text)
			if got := whole(parts); got != text {
				t.Errorf("the parts are %q, the text %q", got, text)
			}
			for i, p := range parts {
				if p.Text == "" || i > 0 && p.Hit == parts[i-1].Hit {
					t.Errorf("part %d of %v is not one", i, parts)
				}
			}
			const length = 40
			excerpt := whole(search.Excerpt(text, length))
			if utf8.ValidString(text) && !utf8.ValidString(excerpt) {
				t.Errorf("a character is cut: %q", excerpt)
			}
			if len(excerpt) > max(length, words.Longest*8)+len("…  …") {
				t.Errorf("the excerpt is %d bytes long", len(excerpt))
			}
		}
	})
}

// FuzzWords checks what the search index relies on: each word can be quoted for Postgres, is not
// too long, and consists of one word, itself.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"Release on Tuesday", "Straße ﾃﾞｰﾀ ㎏ ½ re\u0301", "it's a \\ 'quoted' | & ! :* <-> word", "东京タワー ไทย", "보고문서를 API로 \u1106\u116e\u11ab \u3131\u302e \uffa1\uffc2", "\xff\x00a", strings.Repeat("é", 300), "a\u200db", "ΐ\u0345", "ﬀ"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for word := range words.All(text) {
			if word == "" || len(word) > words.Longest || strings.ContainsAny(word, "'\\\x00 &|!:*<>()^#@") || !utf8.ValidString(word) {
				t.Errorf("%q of %q is no word", word, text)
			}
			// Invalid UTF-8 is not searched; the library does not normalise text after it.
			if again := slices.Collect(words.All(word)); utf8.ValidString(text) && len(word) < words.Longest-3 && !slices.Equal(again, []string{word}) {
				t.Errorf("%q of %q is %q", word, text, again)
			}
		}
		for _, run := range words.Runs(text) {
			if utf8.ValidString(text) && (!utf8.ValidString(run) || strings.Contains(run, "\x00")) {
				t.Errorf("%q of %q is no run", run, text)
			}
		}
	})
}

func TestRuns_TwoByteCharacters(t *testing.T) {
	t.Parallel()
	for r := range rune(0x800) {
		for _, folded := range norm.NFKC.String(string(r)) {
			if words.SetsNoSpaces(string(folded)) {
				t.Errorf("%U becomes %U, and nobody looks for runs in a text of such characters", r, folded)
			}
		}
	}
	if got := words.Runs("Mira und Tomáš 設定 — ﾒﾓ"); !slices.Equal(got, []string{"設定", "メモ"}) {
		t.Errorf("the runs are %q", got)
	}
}
