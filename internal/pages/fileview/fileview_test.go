package fileview_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/fileview"
)

func TestClaudeMD_LinesAreTheFile(t *testing.T) {
	t.Parallel()
	before, after := "# Mine\n\n", "\n\nBehind.\n"
	parts := []claudemd.Part{
		{Text: "<!-- memoir:begin -->\n# Memory System\n"}, {Text: "\n## Feedback Memory\n"},
		{Text: "\n### Tabs\n\nUse tabs.\n", Memory: "1", Type: memories.Feedback}, {Text: "\nIn one line each:\n\n"},
		{Text: "- Wiki — where it is\n", Memory: "2", Shared: "all", Listed: true}, {Text: "", Memory: "3", Listed: true}, {Text: "\n<!-- memoir:end -->"},
	}
	whole := before
	for _, p := range parts {
		whole += p.Text
	}
	whole += after
	lines := fileview.ClaudeMD("ada", before, parts, after, 1).Lines
	var text, owned, links []string
	for i, l := range lines {
		if l.Number != i+1 {
			t.Fatalf("line %d has the number %d", i+1, l.Number)
		}
		text = append(text, l.Text)
		if l.Owned {
			owned = append(owned, l.Text)
		}
		if l.Memory != "" {
			links = append(links, fmt.Sprintf("%d %s/%s %q %q", l.Number, l.Owner, l.Memory, l.Before, l.Title))
		}
	}
	if got := strings.Join(text, "\n") + "\n"; got != whole {
		t.Errorf("the lines are\n%s\nwant\n%s", got, whole)
	}
	if got := strings.Join(owned, "\n"); !strings.HasPrefix(got, "<!-- memoir:begin -->") || !strings.HasSuffix(got, "<!-- memoir:end -->") {
		t.Errorf("Memoir's lines are\n%s", got)
	}
	if want := []string{`8 ada/1 "### " "Tabs"`, `14 all/2 "- " "Wiki — where it is"`}; !slices.Equal(links, want) {
		t.Errorf("links = %q, want %q", links, want)
	}
}

func TestMemoryMD_Cut(t *testing.T) {
	t.Parallel()
	raw := "---\nx: y\n---\n" + strings.Repeat("- [Tabs](tabs.md) — how\n", 202)
	loaded := memorymd.Read([]byte(raw))
	page := fileview.MemoryMD(loaded, []memorymd.Finding{{Line: 5, Code: memorymd.FindingDeadLink, Message: "No file."}}, map[int]string{6: "fact"}, 0)
	lines := page.Lines
	if len(lines) != 205 || lines[0].Fate != memorymd.LineLeftOut || !slices.Equal(lines[4].Findings, []string{"No file."}) || lines[5].Fact != "fact" {
		t.Fatalf("%d lines: %+v", len(lines), lines[:6])
	}
	if cut := slices.IndexFunc(lines, func(l fileview.Line) bool { return l.Cut }); cut != 203 || lines[204].Cut {
		t.Errorf("the first cut line is number %d", cut)
	}
	folds := page.Fold()
	if len(folds) != 3 || folds[0].Hidden || !folds[1].Hidden || len(folds[0].Lines) != 8 || len(folds[2].Lines) != 5 {
		t.Errorf("the middle is not folded: %d runs", len(folds))
	}
	if short := (fileview.Page{Lines: lines[:9]}).Fold(); len(short) != 1 || len(short[0].Lines) != 9 {
		t.Errorf("a short file is folded")
	}
}

func TestMemoryMD_LongComment(t *testing.T) {
	t.Parallel()
	loaded := memorymd.Read([]byte("<!--\n" + strings.Repeat("comment\n", 5000) + "-->\n\n- entry\n"))
	if page := fileview.MemoryMD(loaded, nil, nil, 1); len(page.Lines) > 5 || page.Total > 5 {
		t.Errorf("%d lines of a comment are shown", len(page.Lines))
	}
	long := memorymd.Read([]byte(strings.Repeat("- entry of some length\n", 300_000)))
	if page := fileview.MemoryMD(long, nil, nil, 250_000); len(page.Lines) != fileview.PageLines || page.Lines[0].Number != 250_000 || page.Total != 300_000 {
		t.Errorf("%d lines of %d", len(page.Lines), page.Total)
	}
	// An index of long lines is shown up to the cut.
	wide := memorymd.Read([]byte(strings.Repeat("- [x](y.md) "+strings.Repeat("é", 200)+"\n", 500)))
	if page := fileview.MemoryMD(wide, nil, nil, 1); !slices.ContainsFunc(page.Lines, func(l fileview.Line) bool { return l.Cut }) || len(page.Lines) == 500 {
		t.Errorf("the cut is not among %d lines", len(page.Lines))
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	short, long := strings.Repeat("\n", 1200), strings.Repeat(strings.Repeat("x", 500)+"\n", 1200)
	for _, tt := range []struct {
		name, text                 string
		from, first, n, back, next int
	}{
		{"first", short, 1, 1, 500, 0, 501},
		{"none named", short, 0, 1, 500, 0, 501},
		{"second", short, 501, 501, 500, 1, 1001},
		{"last", short, 1001, 1001, 200, 501, 0},
		{"past the end", short, 5000, 1200, 1, 700, 0},
		{"before the start", short, -3, 1, 500, 0, 501},
		{"long lines", long, 1, 1, 114, 0, 115},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for kind, p := range map[string]fileview.Page{"whole": fileview.ClaudeMD("ada", tt.text, nil, "", tt.from), "damaged": fileview.Damaged(tt.text, tt.from)} {
				if len(p.Lines) != tt.n || p.Lines[0].Number != tt.first || p.Earlier != tt.back || p.Later != tt.next || p.Total != 1200 {
					t.Errorf("%s: %d lines from %d, before %d, after %d, of %d", kind, len(p.Lines), p.Lines[0].Number, p.Earlier, p.Later, p.Total)
				}
			}
		})
	}
	if p := fileview.ClaudeMD("ada", "", nil, "", 7); len(p.Lines) != 0 || p.Earlier != 0 || p.Later != 0 {
		t.Errorf("an empty file has %+v", p)
	}
}

func TestPage_Link(t *testing.T) {
	t.Parallel()
	p := fileview.Page{Lines: []fileview.Line{
		{Text: "- [Tabs](tabs.md) — how"}, {Text: "  * [A \\[b\\]](<team/a b.md>)"}, {Text: "- [Out](https://x.test/a.md)"}, {Text: "text [x](tabs.md)"}, {Text: "- [%](%zz.md)"},
	}}
	if got, want := p.Targets("memory"), []string{"memory/tabs.md", "memory/team/a b.md"}; !slices.Equal(got, want) {
		t.Errorf("Targets() = %q, want %q", got, want)
	}
	p.Link("memory", "ada", map[string]string{"memory/tabs.md": "1"})
	if l := p.Lines[0]; l.Memory != "1" || l.Owner != "ada" || l.Before+"["+l.Title+"]("+l.File+")"+l.After != l.Text {
		t.Errorf("the line is %+v", l)
	}
	if p.Lines[1].Memory != "" {
		t.Error("a line without a memory leads to one")
	}
}

func TestDamaged_Markers(t *testing.T) {
	t.Parallel()
	lines := fileview.Damaged("text\r\n<!-- memoir:end -->\nlast", 0).Lines
	if len(lines) != 3 || lines[0].Text != "text" || !lines[1].Marker || lines[2].Marker || lines[2].Text != "last" {
		t.Errorf("the lines are %+v", lines)
	}
	if far := fileview.Damaged(strings.Repeat("\n", 900)+"<!-- memoir:end -->\n", 0); far.Lines[0].Number != 896 || !far.Lines[5].Marker {
		t.Errorf("a marker far down is shown from line %d", far.Lines[0].Number)
	}
}
