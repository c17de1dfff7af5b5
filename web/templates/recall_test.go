package templates_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/web/templates"
)

func TestRecallPage_Verdicts(t *testing.T) {
	t.Parallel()
	expect(t, templates.RecallPage(triedRecall()),
		in(".try-recall",
			says("It is not asked by a page: this is what the words choose"),
			in("[role=status]", text("2 memories given, of 9 candidates.")),
			in(".words-sought", text("Looked for “promise”, “refund” . No memory has “friday” .")),
			in(".score span", each(
				"The best.", "75 % of the best.", "As many better ones are given as there may be.", "Much less than the best: 50 % of it.",
				"Too little of what was asked: 50 % of what it takes.")),
		),
		in(".explained:not([data-short]) meter", count(2), attr("value", "1.600"), attr("max", "1.600")),
	)
}

func TestRecallPage_PastResults(t *testing.T) {
	t.Parallel()
	expect(t, templates.RecallPage(recallPage()),
		in(".event .badge", each("2 given", "not looked", "not fetched", "not settled")),
		in("#recall-0198c0de-0000-7000-8000-0000000000f1",
			says("May I tell her when the refund comes?"), says("The model did not choose (it took too long), so the words did."),
			says("the words chose, of 3 candidates 4.2 ms"), says("1.1 KiB"),
			in(".given a", count(1), attr("href", "/agents/support-bot/memory/0198c0de-0000-7000-8000-000000000002")),
			in(".given strong", text("Refunds take a week")),
		),
		in("#recall-0198c0de-0000-7000-8000-0000000000f2", says("One word says too little to choose by"), says("over MCP")),
		in("#recall-0198c0de-0000-7000-8000-0000000000f3", says("a model chose, of 40 candidates 812 ms")),
		in(".recall-table", says("gave something 31 · 77 % 31 · 77 % nothing, of many candidates 2 2 nothing, of few 2 2 nothing was looked at 5 5"),
			says("Choosing lately took 4.2 ms by the words, and 812 ms by a model (the median).")),
		in("section:has(#never-title)", says("Never recalled 22"), says("of 40 recalls"), says("And 21 others.")),
		in("section:has(#most-title)", says("31 of 40 · 77 %")),
		in("main", without(".try-recall meter")),
	)
}

func TestRecallPage_QueryIsEscaped(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror=alert(1)>" onclick="x`
	v := triedRecall()
	v.Query, v.Session, v.Past[0].Query, v.Past[0].Session, v.Past[0].Reason = evil, evil, evil, evil, evil
	v.Past[0].Memories[0].Name, v.Past[0].Memories[0].Why = evil, []string{evil}
	v.Explained.Words[0].Text, v.Explained.Given[0].Name, v.Explained.Given[0].Why = evil, evil, []string{evil}
	v.Use.Most[0].Name = evil
	expect(t, templates.RecallPage(v), in("html", without("img[onerror]"), without("[onclick]")), in("#q", attr("value", evil)))
}

func TestMemoryPage_RecallCount(t *testing.T) {
	t.Parallel()
	for want, recalls := range map[string]templates.RecallsOfMemory{
		"Recalled 3 times, last 2 hours ago":                 {Recalls: 3, Last: noon.Add(-150 * time.Minute), Now: noon},
		"Recalled 1 time, last just now":                     {Recalls: 1, Last: noon, Now: noon},
		"Recalled 1,200 times, last 1 minute ago":            {Recalls: 1200, Last: noon.Add(-time.Minute), Now: noon},
		"Recalled 2 times, last yesterday":                   {Recalls: 2, Last: noon.Add(-30 * time.Hour), Now: noon},
		"Recalled 2 times, last 80 days ago":                 {Recalls: 2, Last: noon.AddDate(0, 0, -80), Now: noon},
		"Recalled never, of 40 recalls since it was learned": {Chances: 40, Now: noon},
		"Recalled never, of 1 recall since it was learned":   {Chances: 1, Now: noon},
		memories.Age{}.String():                              {}, // only the age is shown
	} {
		m := memoryPage(t, believableRows()[0])
		m.Recalls = recalls
		checks := []check{in(".memory", says(want))}
		if recalls == (templates.RecallsOfMemory{}) {
			checks = append(checks, in(".provenance", without("[title]")))
		}
		expect(t, readingPage(m), checks...)
	}
}
