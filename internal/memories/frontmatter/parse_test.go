package frontmatter_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

func TestParse_Content(t *testing.T) {
	t.Parallel()
	user := func(name, description, body string) memories.Content {
		return memories.Content{Name: name, Type: memories.User, Description: description, Body: body}
	}
	for _, tt := range []struct {
		name, raw string
		want      memories.Content
		problems  []string
	}{
		{"flat frontmatter", "---\nname: a\ndescription: d\ntype: user\n---\n\nBody\n", user("a", "d", "Body"), nil},
		{"a byte order mark and CRLF", "\uFEFF---\r\nname: a\r\ntype: user\r\n---\r\n\r\nB\r\nC\r\n", user("a", "", "B\nC"), nil},
		{"lone CR as line end", "---\rname: a\rtype: user\r---\rB\rC", user("a", "", "B\nC"), nil},
		{"white space behind the fences", "---  \nname: a\ntype: user\n---\t \nB", user("a", "", "B"), nil},
		{"a fence at the very end", "---\nname: a\ntype: user\n---", user("a", "", ""), nil},
		{"the first closing fence closes", "---\nname: a\ntype: user\n---\nB\n---\nC", user("a", "", "B\n---\nC"), nil},
		{"an indented fence closes nothing", "---\nname: a\ntype: user\ndescription: |\n ---\n---\nB", user("a", "---", "B"), nil},
		{"an indented first line keeps its indent", "---\nname: a\ntype: user\n---\n\n \n    code\n\n", user("a", "", "    code"), nil},

		{"a nested type", "---\nname: a\nmetadata: \n  node_type: memory\n  type: user\n---\nB", user("a", "", "B"), nil},
		{"the type's letter case and quotes", "---\nname: a\ntype: \" 'UsEr' \"\n---\nB", user("a", "", "B"), nil},
		{"two types that agree", "---\nname: a\ntype: user\nmetadata: {type: USER}\n---\nB", user("a", "", "B"), nil},
		{"two types that differ: the top level wins", "---\nname: a\ntype: user\nmetadata:\n  type: project\n---\nB",
			user("a", "", "B"), []string{memories.CodeTypeConflict}},
		{"an unknown type above a known one", "---\nname: a\ntype: banana\nmetadata:\n  type: user\n---\nB",
			memories.Content{Name: "a", Body: "B"}, []string{memories.CodeTypeUnknown, memories.CodeTypeConflict}},
		{"an empty type above a known one", "---\nname: a\ntype:\nmetadata:\n  type: user\n---\nB", user("a", "", "B"), nil},
		{"no type", "---\nname: a\n---\nB", memories.Content{Name: "a", Body: "B"}, []string{memories.CodeTypeMissing}},
		{"an unknown type", "---\nname: a\ntype: banana\n---\nB", memories.Content{Name: "a", Body: "B"}, []string{memories.CodeTypeUnknown}},
		{"a list as type", "---\nname: a\ntype: [user]\n---\nB", memories.Content{Name: "a", Body: "B"}, []string{memories.CodeTypeNotText}},

		{"no name", "---\ntype: user\n---\nB", user("stem", "", "B"), []string{memories.CodeNameMissing}},
		{"an empty name", "---\nname: ''\ntype: user\n---\nB", user("stem", "", "B"), []string{memories.CodeNameMissing}},
		{"null as name", "---\nname: null\ntype: user\n---\nB", user("stem", "", "B"), []string{memories.CodeNameMissing}},
		{"a mapping as name", "---\nname: {{x}}\ntype: user\n---\nB", user("{{x}}", "", "B"), []string{memories.CodeNameNotText}},
		{"a name on two lines", "---\nname: \"a  b \\n\\t c\\u0007\"\ntype: user\n---\nB", user("a  b c", "", "B"), nil},
		{"a list as description", "---\nname: a\ntype: user\ndescription: [x]\n---\nB", user("a", "[x]", "B"), []string{memories.CodeDescriptionNotText}},

		{"scalars are the text that was written", "---\nname: 012\ntype: user\ndescription: 2026-01-02\n---\n1e3", user("012", "2026-01-02", "1e3"), nil},
		{"a Boolean is a text", "---\nname: true\ntype: user\ndescription: 0x1F\n---\n", user("true", "0x1F", ""), nil},
		{"block scalars", "---\nname: >-\n  a\n  b\ntype: user\ndescription: |\n  one\n    two\n---\nB", user("a b", "one\n  two", "B"), nil},
		{"a value on the next lines", "---\nname: a\n  b\ntype:\n  user\n---\nB", user("a b", "", "B"), nil},
		{"anchors and aliases", "---\nname: &n a\ntype: &t user\ndescription: *n\n---\nB", user("&n a", "*n", "B"), []string{memories.CodeReadLeniently}},
		{"quoted keys", "---\n\"name\": a\n'type': user\n---\nB", user("a", "", "B"), nil},
		{"a mapping in braces", "---\n{name: a, type: user}\n---\nB", user("a", "", "B"), nil},
		{"comments", "---\n# one\nname: a\ntype: user # two\n---\nB", user("a", "", "B"), nil},

		{"a colon in an unquoted description", "---\nname: a\ndescription: use x: y # z\ntype: user\n---\nB",
			user("a", "use x: y # z", "B"), []string{memories.CodeReadLeniently}},
		{"no space behind the colon", "---\nname:a\ntype:user\n---\nB", user("a", "", "B"), []string{memories.CodeReadLeniently}},
		{"a key twice: the last counts", "---\nname: a\nname: b\ntype: user\n---\nB", user("b", "", "B"), []string{memories.CodeReadLeniently}},
		{"a nested key twice", "---\nname: a\nmetadata:\n  type: project\n  type: user\n---\nB", user("a", "", "B"), []string{memories.CodeReadLeniently}},
		{"tabs as indent", "---\nname: a\nmetadata:\n\tnode_type: memory\n\ttype: user\n---\nB", user("a", "", "B"), []string{memories.CodeReadLeniently}},
		{"nested keys of a frontmatter that YAML refuses", "---\ndescription: a: b\nname: a\nmetadata:\n  type: user\n---\nB",
			user("a", "a: b", "B"), []string{memories.CodeReadLeniently}},
		{"a block scalar beside a slip", "---\nname: x: y\ndescription: |\n  one\n  two\ntype: user\n---\nB",
			user("x: y", "one\ntwo", "B"), []string{memories.CodeReadLeniently}},
		{"a quote that never closes", "---\nname: \"a\ntype: user\n---\nB", user("\"a", "", "B"), []string{memories.CodeReadLeniently}},
		{"quotes within quotes", "---\nname: a\ndescription: \"say \"hi\" to\"\ntype: user\n---\nB",
			user("a", "say \"hi\" to", "B"), []string{memories.CodeReadLeniently}},
		{"a value in brackets that never close", "---\nname: a\ndescription: [x\ntype: user\n---\nB",
			user("a", "[x", "B"), []string{memories.CodeReadLeniently}},
		{"an indented frontmatter with a slip", "---\n  name: a: b\n  type: user\n---\nB", user("a: b", "", "B"), []string{memories.CodeReadLeniently}},
		{"a document end in the middle", "---\nname: a\n...\ntype: user\n---\nB", user("a", "", "B"), []string{memories.CodeReadLeniently}},
		{"a control character", "---\nname: a\x07b\ntype: user\n---\nB", user("ab", "", "B"), []string{memories.CodeReadLeniently}},

		{"no frontmatter", "\n# Title\n\ntext\n", memories.Content{Name: "stem", Body: "# Title\n\ntext"}, []string{memories.CodeNoFrontmatter}},
		{"nothing at all", "", memories.Content{Name: "stem"}, []string{memories.CodeNoFrontmatter}},
		{"a frontmatter that never closes", "---\nname: a\ntype: user\n", memories.Content{Name: "stem", Body: "---\nname: a\ntype: user"}, []string{memories.CodeNoFrontmatter}},
		{"a blank line before the frontmatter", "\n---\nname: a\n---\n", memories.Content{Name: "a"}, []string{memories.CodeOddFrontmatter, memories.CodeTypeMissing}},
		{"an empty frontmatter", "---\n---\nB", memories.Content{Name: "stem", Body: "B"}, []string{memories.CodeNameMissing, memories.CodeTypeMissing}},
		{"only comments", "---\n# x\n---\nB", memories.Content{Name: "stem", Body: "B"}, []string{memories.CodeNameMissing, memories.CodeTypeMissing}},
		{"a list as frontmatter", "---\n- name: a\n- type: user\n---\nB", memories.Content{Name: "stem", Body: "B"},
			[]string{memories.CodeReadLeniently, memories.CodeNameMissing, memories.CodeTypeMissing}},
		{"a text between two rules", "---\nhello\n---\nB", memories.Content{Name: "stem", Body: "---\nhello\n---\nB"}, []string{memories.CodeNoFrontmatter}},

		{"NUL", "---\nname: a\x00\ntype: user\n---\nB\x00C", user("a", "", "BC"), []string{memories.CodeNUL}},
		{"bytes that are not UTF-8", "---\nname: a\ntype: user\ndescription: \xc3\x28\n---\n\xff\xfe", user("a", "\uFFFD(", "\uFFFD\uFFFD"), []string{memories.CodeInvalidUTF8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := frontmatter.Parse([]byte(tt.raw), "stem")
			if got.Unreadable {
				t.Fatalf("unreadable: %v", got.Problems)
			}
			if got.Content() != tt.want {
				t.Errorf("it says\n%+v, not\n%+v", got.Content(), tt.want)
			}
			if codes := codesOf(got.Problems); !slices.Equal(codes, tt.problems) {
				t.Errorf("its problems are %v, not %v", codes, tt.problems)
			}
		})
	}
}

func TestParse_Unreadable(t *testing.T) {
	t.Parallel()
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for level := range 9 {
		reference := "*a" + string(rune('0'+level))
		laughs += "a" + string(rune('1'+level)) + ": &a" + string(rune('1'+level)) + " [" +
			strings.TrimSuffix(strings.Repeat(reference+", ", 9), ", ") + "]\n"
	}
	for _, tt := range []struct{ name, raw, code string }{
		{"too large", strings.Repeat("x", memories.MaxFileSize+1), memories.CodeTooLarge},
		{"an alias bomb", "---\nname: a\ntype: user\n" + laughs + "---\nB", memories.CodeAliasBomb},
		{"an alias bomb beside a slip", "---\nname: a: b\nx:\n  " + strings.ReplaceAll(laughs, "\n", "\n  ") + "\n---\nB", memories.CodeAliasBomb},
		{"a value within itself", "---\nname: &a [*a]\n---\nB", memories.CodeAliasBomb},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := frontmatter.Parse([]byte(tt.raw), "stem")
			if !got.Unreadable || got.Name != "stem" || !slices.Equal(codesOf(got.Problems), []string{tt.code}) {
				t.Errorf("it reads %.200v", got)
			}
		})
	}
	if got := frontmatter.Parse([]byte(strings.Repeat("x", memories.MaxFileSize)), "stem"); got.Unreadable {
		t.Errorf("a file of exactly 1 MiB is unreadable: %v", got.Problems)
	}
}

func TestParse_LongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("长", 300)
	one := frontmatter.Parse([]byte("---\nname: "+long+"1\ntype: user\n---\n"), "stem")
	two := frontmatter.Parse([]byte("---\nname: "+long+"2\ntype: user\n---\n"), "stem")
	if n := len([]rune(one.Name)); n != memories.MaxNameLength {
		t.Errorf("the name has %d characters", n)
	}
	if one.Name == two.Name {
		t.Errorf("two names became one")
	}
	if !slices.Equal(codesOf(one.Problems), []string{memories.CodeNameTooLong}) {
		t.Errorf("its problems are %v", one.Problems)
	}
	if again := (memories.Content{Name: one.Name}).Canonical(); again.Name != one.Name {
		t.Errorf("cut again it is %q", again.Name)
	}
}

func TestParse_ModifiedAndSession(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]time.Time{
		"2026-07-29T13:16:34.420Z":        time.Date(2026, 7, 29, 13, 16, 34, 420_000_000, time.UTC),
		"'2026-07-29T15:16:34+02:00'":     time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
		"2026-07-29 13:16:34":             time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
		"2026-07-29":                      time.Date(2026, 7, 29, 0, 0, 0, 0, time.UTC),
		"2026-07-29T15:16:34+0200":        time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
		"2026-07-29T15:16:34+02":          time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
		"2026-07-29 15:16:34.5 +0200":     time.Date(2026, 7, 29, 13, 16, 34, 500_000_000, time.UTC),
		"2026-07-29 13:16:34 UTC":         time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
		"2026-07-29t13:16:34z":            time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
		"2026-07-29 13:16":                time.Date(2026, 7, 29, 13, 16, 0, 0, time.UTC),
		"1785330994":                      time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
		"1785330994.25":                   time.Date(2026, 7, 29, 13, 16, 34, 250_000_000, time.UTC),
		"'1785330994420'":                 time.Date(2026, 7, 29, 13, 16, 34, 420_000_000, time.UTC),
		"last week":                       {},
		"29/07/2026":                      {},
		"2026-07-29 13:16:34 PST":         {},
		"20260729":                        {},
		"-1785330994":                     {},
		".inf":                            {},
		"1e300":                           {},
		"[2026-07-29T13:16:34.420Z]":      {},
		"":                                {},
		"2026-02-30T00:00:00Z":            {},
		"9999-12-31T23:59:59-01:00":       {}, // the UTC year has five digits
		"9999-12-31T23:59:59Z":            time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		"0000-01-01T00:00:00Z":            {},
		"0001-01-01T00:00:00+01:00":       {},
		"0001-01-01T00:00:01Z":            time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC),
		"\"2026-07-29T13:16:34Z\" # note": time.Date(2026, 7, 29, 13, 16, 34, 0, time.UTC),
	} {
		raw := "---\nname: a\nmetadata: \n  type: user\n  originSessionId: 4f0c-11\n  modified: " + written + "\n---\nB"
		got := frontmatter.Parse([]byte(raw), "stem")
		if !got.Modified.Equal(want) {
			t.Errorf("%q was read as %v", written, got.Modified)
		}
		if flagged := hasCode(got, memories.CodeModifiedUnknown); flagged != (want.IsZero() && written != "") {
			t.Errorf("%q: flagged = %v", written, flagged)
		}
		if got.OriginSession != "4f0c-11" {
			t.Errorf("the session is %q", got.OriginSession)
		}
	}
}

func hasCode(f frontmatter.File, code string) bool {
	return slices.ContainsFunc(f.Problems, func(p memories.Problem) bool { return p.Code == code })
}

func TestParse_ModifiedElsewhere(t *testing.T) {
	t.Parallel()
	day := func(day int) time.Time { return time.Date(2026, 7, day, 0, 0, 0, 0, time.UTC) }
	for front, want := range map[string]time.Time{
		"modified: 2026-07-01":                                    day(1),
		"updated: 2026-07-02":                                     day(2),
		"updated: 2026-07-02\nmodified: 2026-07-01":               day(1),
		"modified: 2026-07-01\nmetadata:\n  modified: 2026-07-03": day(3),
		"modified: 2026-07-01\nmetadata:\n  modified:":            day(1),
		"metadata: {updated: 2026-07-03}":                         {},
		"created: 2026-07-03":                                     {},
		"name: a":                                                 {},
	} {
		if got := frontmatter.Parse([]byte("---\n"+front+"\n---\nB"), "stem"); !got.Modified.Equal(want) || hasCode(got, memories.CodeModifiedUnknown) {
			t.Errorf("%q: Modified = %v, problems %v", front, got.Modified, got.Problems)
		}
	}
}

func TestParse_NamesInNFC(t *testing.T) {
	t.Parallel()
	const nfc, nfd = "Über Café 한글", "U\u0308ber Cafe\u0301 \u1112\u1161\u11ab\u1100\u1173\u11af"
	for _, raw := range []string{"---\nname: " + nfc + "\ntype: user\n---\n", "---\nname: " + nfd + "\ntype: user\n---\n"} {
		if got := frontmatter.Parse([]byte(raw), "stem"); got.Name != nfc || len(codesOf(got.Problems)) > 0 {
			t.Errorf("%q: Name = %q, problems %v", raw, got.Name, got.Problems)
		}
	}
	if got := frontmatter.Parse([]byte("text"), nfd).Name; got != nfc {
		t.Errorf("name of a stem = %q", got)
	}
	raw := []byte("---\nname: " + nfd + "\ntype: user\n---\nB\n")
	out := frontmatter.Rewrite(raw, memories.Content{Name: nfc, Type: memories.Feedback, Description: "new", Body: "C"}, time.Now())
	if want := "---\nname: " + nfd + "\ndescription: new\ntype: feedback\n---\n\nC\n"; string(out) != want {
		t.Errorf("Rewrite() = %q, want %q", out, want)
	}
	if err := (memories.Content{Name: nfd, Type: memories.User}).Check(); err != nil {
		t.Errorf("Check() error = %v", err)
	}
}

func TestParse_InvisibleNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"\u200b", "\u200b \u2060", "\ufeff\u00ad", "\u0301", "\u3164", "\u2800\u115f", "\u202e\u202c", "\U000e0041"} {
		got := frontmatter.Parse([]byte("---\nname: \""+name+"\"\ntype: user\n---\nB"), "stem")
		if got.Name != "stem" || !hasCode(got, memories.CodeNameInvisible) {
			t.Errorf("%q: Name = %q, problems %v", name, got.Name, got.Problems)
		}
		var invalid *memories.InvalidError
		if err := (memories.Content{Name: name, Type: memories.User}).Check(); !errors.As(err, &invalid) || invalid.Field != "name" {
			t.Errorf("%q: Check() error = %v, want InvalidError of name", name, err)
		}
		fixes := frontmatter.Fixes([]byte("---\nname: \""+name+"\"\ntype: user\n---\nB"), "memory/stem.md")
		if len(fixes) != 1 || fixes[0].ID != "name" || hasCode(frontmatter.Parse(fixes[0].After, "other"), memories.CodeNameInvisible) {
			t.Errorf("%q: fixes = %v", name, fixes)
		}
		if stem := frontmatter.Parse([]byte("text"), name).Name; len(stem) != 8 {
			t.Errorf("%q: name of a stem = %q", name, stem)
		}
	}
	for _, name := range []string{"a\u200b", "🚀", "👨\u200d👩", ".", "한", "\ue000"} {
		if got := frontmatter.Parse([]byte("---\nname: \""+name+"\"\ntype: user\n---\nB"), "stem"); got.Name != name {
			t.Errorf("%q: Name = %q", name, got.Name)
		}
	}
}

func TestParse_NameFromStem(t *testing.T) {
	t.Parallel()
	for stem, want := range map[string]string{
		"user_role":   "user_role",
		"two\nlines":  "two lines",
		"not\xffutf8": "not\uFFFDutf8",
		" padded ":    "padded",
		"\x01":        "4bf5122f",
	} {
		if got := frontmatter.Parse(nil, stem).Name; got != want {
			t.Errorf("the stem %q gives the name %q, not %q", stem, got, want)
		}
		if got := frontmatter.UnreadableFile(stem, memories.ProblemOf(memories.CodeUnreadable)).Name; got != want {
			t.Errorf("the stem %q of an unreadable file gives the name %q, not %q", stem, got, want)
		}
	}
}

func TestFingerprint_Differs(t *testing.T) {
	t.Parallel()
	fingerprint := func(raw string) memories.Fingerprint {
		return frontmatter.Parse([]byte(raw), "stem").Fingerprint([]byte(raw))
	}
	base := fingerprint("---\nname: a\ntype: user\ndescription: d\n---\nB")
	for raw, same := range map[string]bool{
		"---\r\nname: other\r\nmetadata:\r\n  type: User\r\ndescription: 'd'\r\n---\r\n\r\nB\r\n": true,
		"---\nname: a\ntype: user\ndescription: d\n---\nC":                                        false,
		"---\nname: a\ntype: user\ndescription: e\n---\nB":                                        false,
		"---\nname: a\ntype: project\ndescription: d\n---\nB":                                     false,
		"---\nname: a\ntype: user\ndescription: dB\n---\n":                                        false,
	} {
		if (fingerprint(raw) == base) != same {
			t.Errorf("%q: same is not %v", raw, same)
		}
	}
	unreadable := frontmatter.UnreadableFile("a", memories.ProblemOf(memories.CodeUnreadable))
	if unreadable.Fingerprint([]byte("x")) == unreadable.Fingerprint([]byte("y")) {
		t.Errorf("unreadable files with other bytes have one fingerprint")
	}
	if unreadable.Fingerprint(nil) == fingerprint("") {
		t.Errorf("an unreadable file has the fingerprint of a readable one")
	}
}

func TestParseType_Spellings(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]memories.Type{
		"feedback": memories.Feedback, " User\t": memories.User, "'PROJECT'": memories.Project, "“reference”": memories.Reference,
		"": "", "users": "", "feed back": "",
	} {
		got, ok := memories.ParseType(written)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", written, got, ok)
		}
	}
}

func TestProblemOf_EveryCode(t *testing.T) {
	t.Parallel()
	if p := memories.ProblemOf(memories.CodeLinkLeaves); p.Code != "link_leaves" || !strings.Contains(p.Message, "Replace it with the file") {
		t.Errorf("%+v", p)
	}
	if p := memories.ProblemOf("unheard_of"); p.Code != "unheard_of" || p.Message == "" {
		t.Errorf("%+v", p)
	}
}

// codesOf returns the codes of problems, without no_description: most of the tests' files have no
// description, and TestParse_NoDescription has that problem.
func codesOf(problems []memories.Problem) []string {
	var codes []string
	for _, p := range problems {
		if p.Code != memories.CodeNoDescription {
			codes = append(codes, p.Code)
		}
	}
	return codes
}

func TestParse_NoDescription(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw string
		want      bool
	}{
		{"none", "---\nname: a\ntype: user\n---\n\nB\n", true},
		{"empty", "---\nname: a\ntype: user\ndescription:\n---\n\nB\n", true},
		{"only spaces", "---\nname: a\ntype: user\ndescription: '  '\n---\n\nB\n", true},
		{"stated", "---\nname: a\ntype: user\ndescription: d\n---\n\nB\n", false},
		{"stated in metadata", "---\nname: a\nmetadata:\n  type: user\n  description: d\n---\n\nB\n", false},
		{"without frontmatter", "B\n", false}, // no_frontmatter says so
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := frontmatter.Parse([]byte(tt.raw), "stem")
			if got := file.Problems; hasProblem(got, memories.CodeNoDescription) != tt.want {
				t.Errorf("Parse().Problems = %v, want no_description: %v", got, tt.want)
			}
			if fixes := frontmatter.Fixes([]byte(tt.raw), "memory/a.md"); tt.want && len(fixes) > 0 {
				t.Errorf("Fixes() = %v, want none", ids(fixes))
			}
		})
	}
}
