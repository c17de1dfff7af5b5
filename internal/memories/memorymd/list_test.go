package memorymd_test

import (
	"maps"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

func TestRelist(t *testing.T) {
	t.Parallel()
	before := indexed("Use pnpm", memories.Feedback, "use_pnpm.md", "not npm")
	renamed := indexed("Use [pnpm] 10", memories.Feedback, "feedback/use 10.md", "not npm")
	described := indexed("Use pnpm", memories.Feedback, "use_pnpm.md", "not npm, and never yarn")
	for _, tt := range []struct {
		name, index string
		after       memorymd.IndexedFile
		want        string
	}{
		{"link, title and hook", "- [Use pnpm](use_pnpm.md) — not npm\n", renamed, "- [Use \\[pnpm\\] 10](feedback/use%2010.md) — not npm\n"},
		{"handwritten title and hook", "* see **[the rule](use_pnpm.md#why)**: by hand\r\n", renamed, "* see **[the rule](feedback/use%2010.md#why)**: by hand\r\n"},
		{"target in angle brackets", "- [Use pnpm](<use_pnpm.md>)\n", renamed, "- [Use \\[pnpm\\] 10](<feedback/use%2010.md>)\n"},
		{"bare file", "- text [use_pnpm.md]\n", renamed, "- text [feedback/use 10.md]\n"},
		{"wiki link", "- [[use_pnpm|the rule]] x\n", renamed, "- [[feedback/use 10|the rule]] x\n"},
		{"wiki link by name", "- [[Use pnpm]]\n", renamed, "- [[feedback/use 10]]\n"},
		{"reference link", "- [the rule][p]\n\n[p]: use_pnpm.md\n", renamed, "- [the rule][p]\n\n[p]: feedback/use%2010.md\n"},
		{"two links", "- [Use pnpm](use_pnpm.md), [B](b.md) — not npm\n", described, "- [Use pnpm](use_pnpm.md), [B](b.md) — not npm\n"},
		{"other lines", "# pnpm\nnot npm\n- [B](b.md) — not npm\n", renamed, "# pnpm\nnot npm\n- [B](b.md) — not npm\n"},
		{"description", "- [Use pnpm](use_pnpm.md) — not npm\n", described, "- [Use pnpm](use_pnpm.md) — not npm, and never yarn\n"},
		{"description after type", "- **[Use pnpm](use_pnpm.md)** (feedback) -- not npm\n", described, "- **[Use pnpm](use_pnpm.md)** (feedback) -- not npm, and never yarn\n"},
		{"handwritten hook", "- [Use pnpm](use_pnpm.md) — everywhere\n", described, "- [Use pnpm](use_pnpm.md) — everywhere\n"},
		{"cut hook", "- [Use pnpm](use_pnpm.md) — not…\n", described, "- [Use pnpm](use_pnpm.md) — not npm, and never yarn\n"},
		{"description removed", "- [Use pnpm](use_pnpm.md) — not npm\n", indexed("Use pnpm", memories.Feedback, "use_pnpm.md", ""), "- [Use pnpm](use_pnpm.md)\n"},
		{"new path is listed", "- [A](feedback/use%2010.md) — mine\n- [Use pnpm](use_pnpm.md) — not npm\n", renamed, "- [A](feedback/use%2010.md) — mine\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			leads := among("use_pnpm.md", "b.md")
			if got := string(memorymd.Relist([]byte(tt.index), before, tt.after, leads)); got != tt.want {
				t.Errorf("Relist() =\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

func TestRelist_CutsLongHook(t *testing.T) {
	t.Parallel()
	before := indexed("A", memories.User, "a.md", strings.Repeat("old ", 100))
	after := indexed("A", memories.User, "a.md", strings.Repeat("new ", 100))
	index := "- " + strings.TrimPrefix(memorymd.Entry("A", "a.md", before.Description), "- ") + "\n"
	got := string(memorymd.Relist([]byte(index), before, after, among("a.md")))
	if want := memorymd.Entry("A", "a.md", after.Description) + "\n"; got != want {
		t.Errorf("Relist() =\n%q, want\n%q", got, want)
	}
}

func TestList_KeepsOtherLines(t *testing.T) {
	t.Parallel()
	index := "\uFEFF# Mine\r\n- [X](gone.md)\r\n- [Tabs](tabs.md)\r\n\r\nBye."
	got := string(memorymd.List([]byte(index), fourFiles[:2], among("tabs.md")))
	want := "\uFEFF# Mine\r\n- [X](gone.md)\r\n- [Tabs](tabs.md)\r\n- [Release](release.md) — how to release\r\n\r\nBye."
	if got != want {
		t.Errorf("List() =\n%q, want\n%q", got, want)
	}
}

func TestListedLinks(t *testing.T) {
	t.Parallel()
	index := "---\na: [F](front.md)\n---\n<!-- [C](comment.md) -->\n- [A](a.md)\n- [[b]] [ref][r]\n\n[r]: r.md\n" +
		strings.Repeat("x\n", memorymd.IndexLineCap) + "- [Z](z.md)\n"
	got := map[string]bool{}
	for _, link := range memorymd.ListedLinks(memorymd.Read([]byte(index))) {
		got[link.Target] = link.Loaded
	}
	want := map[string]bool{"front.md": false, "comment.md": false, "a.md": true, "b.md": true, "r.md": true, "z.md": false}
	if !maps.Equal(got, want) {
		t.Errorf("ListedLinks() = %v, want %v", got, want)
	}
}

func TestList_AddsOneBlankLine(t *testing.T) {
	t.Parallel()
	index := []byte("# Mine\n")
	for range 3 {
		index = memorymd.List(index, fourFiles[:1], among("release.md"))
		if got, want := string(index), "# Mine\n\n- [Release](release.md) — how to release\n"; got != want {
			t.Fatalf("List() = %q, want %q", got, want)
		}
		index, _ = memorymd.Remove(index, func(l memorymd.Link) bool { return l.Target == "release.md" })
	}
}
