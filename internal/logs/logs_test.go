package logs_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"memoir/internal/logs"
	"memoir/internal/memories"
)

var noon = time.Date(2026, 3, 1, 12, 0, 5, 0, time.FixedZone("east", 2*3600))

func TestCheck_Invalid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, title string
		at          time.Time
		field       string // empty: it is taken
	}{
		"now":                     {"x", "", noon, ""},
		"a clock that is ahead":   {"x", "", noon.Add(time.Minute), ""},
		"the future":              {"x", "", noon.Add(time.Minute + time.Nanosecond), "at"},
		"yesterday's first":       {"x", "", time.Date(2026, 2, 28, 0, 0, 0, 0, noon.Location()), ""},
		"before yesterday":        {"x", "", time.Date(2026, 2, 27, 23, 59, 59, 0, noon.Location()), "at"},
		"yesterday by our zone":   {"x", "", time.Date(2026, 2, 27, 22, 0, 0, 0, time.UTC), ""},
		"no text":                 {" \n\t", "", noon, "text"},
		"all that there may be":   {strings.Repeat("x", logs.MaxText), "", noon, ""},
		"too much":                {strings.Repeat("x", logs.MaxText+1), "", noon, "text"},
		"NUL":                     {"a\x00", "", noon, "text"},
		"no UTF-8":                {"a\xff", "", noon, "text"},
		"a title of two lines":    {"x", "a\nb", noon, "title"},
		"a title that is a path":  {"x", "../../etc", noon, ""},
		"a title that is endless": {"x", strings.Repeat("é", 257), noon, "title"},
	} {
		err := logs.Check(c.text, c.title, c.at, noon)
		var invalid *memories.InvalidError
		if errors.As(err, &invalid) != (c.field != "") || c.field != "" && invalid.Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEntry_Format(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Deployed.":                   "- 12:00:05 Deployed.\n",
		"\r\nDeployed.  \r\n\r\n":     "- 12:00:05 Deployed.\n",
		"Deployed.\n- one\n\n\ttwo":   "- 12:00:05 Deployed.\n  - one\n\n  \ttwo\n",
		"# no heading\r- no bullet\n": "- 12:00:05 # no heading\n  - no bullet\n",
	} {
		if got := logs.Entry(noon, text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if c := logs.Read([]byte(logs.Heading("2026-03-01", "")+logs.Entry(noon, text)), false); c.Entries != 1 || len(c.Problems) != 0 {
			t.Errorf("%q is read as %+v", text, c)
		}
	}
	if got := logs.File(noon, ""); got != "2026/03/2026-03-01.md" {
		t.Errorf("the log of the day is %s", got)
	}
	a, b := logs.File(noon, "../../Q1: Plan"), logs.File(noon, "Q1 plan")
	if !strings.HasPrefix(a, "2026/03/01/") || !strings.HasSuffix(a, "-q1_plan.md") || strings.Contains(a, "..") || a == b {
		t.Errorf("titled logs are %s and %s", a, b)
	}
}

func TestPlaceOf_Day(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]logs.Place{
		"2026/03/2026-03-01.md":       {Day: "2026-03-01", Usual: true},
		"2026/03/01/17-big_plan.md":   {Day: "2026-03-01", Title: "big plan", Usual: true},
		"2026/03/01/notes.md":         {Day: "2026-03-01", Title: "notes", Usual: true},
		"2026-03-01.md":               {Day: "2026-03-01"},
		"2026/04/2026-03-01.md":       {Day: "2026-03-01"},
		"2026/03/2026-03-01-later.md": {Day: "2026-03-01", Title: "later"},
		"2026/02/2026-02-30.md":       {Title: "2026-02-30"},
		"2026/02/30/1-a.md":           {Title: "1-a"},
		"notes.md":                    {Title: "notes"},
	} {
		if got := logs.PlaceOf(path); got != want {
			t.Errorf("%s is %+v, want %+v", path, got, want)
		}
	}
	if first, last := logs.Month("2028-02").Days(); first != "2028-02-01" || last != "2028-02-29" {
		t.Errorf("February 2028 has %s to %s", first, last)
	}
	for _, wrong := range []string{"", "2026", "2026-3-01", "2026-02-30", "2026-03-01x", "0000-01-01", "../2026-03-01"} {
		if day, ok := logs.ParseDay(wrong); ok {
			t.Errorf("%q is the day %s", wrong, day)
		}
	}
}

func TestRead_Problems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw  string
		cut  bool
		want logs.Content
	}{
		"as it should be": {raw: "# Plan\n\n- 10:00 a\n  b\n- 11:00 c\n", want: logs.Content{Text: "# Plan\n\n- 10:00 a\n  b\n- 11:00 c\n", Title: "Plan", Entries: 2}},
		"nothing":         {},
		"prose":           {raw: "Just text", want: logs.Content{Text: "Just text", Problems: []string{logs.CodeNoEntries}}},
		"its end":         {raw: "lf a line\n- 10:00 a\n", cut: true, want: logs.Content{Text: "- 10:00 a\n", Entries: 1, Problems: []string{memories.CodeTooLarge}}},
		"bytes": {raw: "\xff\x00\n* a", want: logs.Content{
			Text: "\uFFFD\uFFFD\n* a", Entries: 1, Problems: []string{memories.CodeNUL, memories.CodeInvalidUTF8},
		}},
		"of Windows": {raw: "\uFEFF- a\r\n+ b\r\n", want: logs.Content{Text: "- a\n+ b\n", Entries: 2}},
	} {
		if got := logs.Read([]byte(c.raw), c.cut); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s is read as %+v, want %+v", name, got, c.want)
		}
	}
}
