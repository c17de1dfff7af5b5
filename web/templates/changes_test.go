package templates_test

import (
	"strings"
	"testing"

	"memoir/internal/diff"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

func TestDeletionPage_Numbers(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]templates.ClaudeMDChange{
		"12,480 → 11,469 characters 1,011 characters fewer, about 253 tokens": {CharsBefore: 12480, CharsAfter: 11469},
		"11 → 10 characters 1 character fewer, about 1 token":                 {CharsBefore: 11, CharsAfter: 10},
		"39,990 → 40,002 characters 12 characters more, about 3 tokens":       {CharsBefore: 39990, CharsAfter: 40002},
		"40,000 → 40,000 characters no change":                                {CharsBefore: 40000, CharsAfter: 40000},
	} {
		c.Published, c.Diff = true, diff.Texts("a", "b", 10)
		v := deletionPage()
		v.ClaudeMD = c
		expect(t, templates.DeletionPage(v), in(".change:nth-of-type(1) .facts", text(want)))
	}
}

func TestDeletionPage_NotPublished(t *testing.T) {
	t.Parallel()
	v := deletionPage()
	v.ClaudeMD.Published = false
	expect(t, templates.DeletionPage(v), in(".change:nth-of-type(1)", says("Claude Code loads these memories itself"), in(".diff", count(1))))
}

func TestDiff_IsEscaped(t *testing.T) {
	t.Parallel()
	const before, after = "a  <b>bold</b>\tend", "a  <i>bold</i>\tend"
	history := historyPage()
	history.Revisions = history.Revisions[1:2]
	history.Revisions[0].Body = diff.Texts(before, after, 10)
	v := memoryPage(t, believableRows()[0])
	v.History = &history
	page := parse(t, tabOf(v, address.HistoryTab))
	if err := in("main", without(".diff b"), without(".diff i"))(page); err != nil {
		t.Error(err)
	}
	lines := page.Find(".line [dir=auto]")
	if got := lines.First().Text() + "|" + lines.Last().Text(); got != before+"|"+after {
		t.Errorf("the lines are %q", got)
	}
	if got := strings.Count(textIn(page.Find(".line mark").First()), "b"); got == 0 {
		t.Error("the word that changed is not marked")
	}
}
