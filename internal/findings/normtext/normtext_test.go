package normtext_test

import (
	"strings"
	"testing"

	"memoir/internal/findings/normtext"
)

func TestNew_Plain(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                         "",
		"nothing to do":            "nothing to do",
		`api\_key \*is\* set\.`:    "api_key *is* set.",
		`C:\Users\ada`:             `C:\Users\ada`,
		"a&amp;b &lt;x&gt; &#64;":  "a&b <x> @",
		"R&D; AT&T":                "R&D; AT&T",
		"pass\u200bword":           "password",
		"co\u00adop":               "coop",
		"ｐａｓｓ：ｗｏｒｄ":                "pass:word",
		"ﾊﾟｽﾜｰﾄﾞ":                  "パスワード",
		"cafe\u0301":               "café",
		"Contrasen\u0303a":         "Contraseña",
		"x\U000E0061\U000E0062y":   "xy",
		"&#8203;a":                 "a",
		"broken \xff\xfe bytes":    "broken \xff\xfe bytes",
		"\\":                       "\\",
		"&":                        "&",
		"&bogus; &amp":             "&bogus; &amp",
		"line one\nline\u00a0two":  "line one\nline two",
		"\u202eevil\u202c \ufeffx": "evil x",
	} {
		if got := normtext.New(source).Plain; got != want {
			t.Errorf("New(%q).Plain = %q, want %q", source, got, want)
		}
	}
}

func TestText_Source(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, plain, want string }{
		{"the key is abc", "abc", "abc"},
		{`my a\_b here`, "a_b", `a\_b`},
		{"x &amp;y z", "&y", "&amp;y"},
		{"se\u200bcr\u200bet!", "secret", "se\u200bcr\u200bet"},
		{"è ｓｅｃ ok", "sec", "ｓｅｃ"},
		{"è ｓｅｃ ok", "ok", "ok"},
		{"\u200bab\u200b", "ab", "ab"},
	} {
		text := normtext.New(c.source)
		at := strings.Index(text.Plain, c.plain)
		if at < 0 {
			t.Fatalf("%q is not in %q", c.plain, text.Plain)
		}
		from, to := text.Source(at, at+len(c.plain))
		if got := c.source[from:to]; got != c.want {
			t.Errorf("source of %q in %q = %q, want %q", c.plain, c.source, got, c.want)
		}
	}
}

func FuzzText_Source(f *testing.F) {
	for _, seed := range []string{"a&amp;b\\_c\u200bd", "ｐｗ：é\u0301", "\xff&#", "&#x200b;&lt;", "e\u0301\u0302x", "ﾊﾟ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		text := normtext.New(source)
		if len(text.Lower) != len(text.Plain) {
			t.Fatalf("lower case has %d bytes, the text has %d", len(text.Lower), len(text.Plain))
		}
		end := 0
		for i := range len(text.Plain) {
			from, to := text.Source(i, i+1)
			if from < 0 || from > to || to > len(source) {
				t.Fatalf("Source(%d, %d) of %q = %d, %d", i, i+1, source, from, to)
			}
			if to < end {
				t.Fatalf("Source(%d, %d) of %q goes back to %d from %d", i, i+1, source, to, end)
			}
			end = to
		}
	})
}

func BenchmarkNew(b *testing.B) {
	text := strings.Repeat("The release of café runs on `deploy_prod`, see docs\\_old & ask.\n", 16)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		normtext.New(text)
	}
}
