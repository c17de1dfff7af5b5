package templates_test

import (
	"testing"

	"memoir/internal/memories"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

func TestMemoryPage_DeadCitations(t *testing.T) {
	t.Parallel()
	v := memoryPage(t, believableRows()[5])
	v.Citations = believableCitations()
	expect(t, readingPage(v),
		in("#cites-gone", in("h3", text("3 dead references")), says("Searched in /srv/code/ledger on 9 Mar 2026, 12:00"),
			in("code", count(4)), in(`form[action$="/citations"] button`, count(1))),
		in("#cites-gone .problems", says("billing/freeze.go is not in the project any more."), says("which has 96 lines now.")),
	)
	expect(t, tabOf(v, address.CostTab), in(".pane-facts", says("Citations 5 citations, 1 found")))
	v.State, v.DeletedAt = memories.Deleted, noon
	expect(t, readingPage(v), in("#cites-gone", without("form")))

	v.Citations.Checked = v.Citations.Checked[3:4]
	expect(t, readingPage(v), in(".pane", without("#cites-gone")))
	expect(t, tabOf(v, address.CostTab), in(".pane-facts", says("1 citation, found")))
	v.Citations = &templates.Citations{}
	expect(t, readingPage(v), in(".pane", without("#cites-gone")))
}
