package templates_test

import (
	"time"

	"memoir/internal/memories"
	"memoir/web/templates"
)

// recallPage returns the Recall tab of an agent with a month of recalls.
func recallPage() templates.Recall {
	const language, refunds = "0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000002"
	v := templates.Recall{
		Frame: templates.Frame{Live: templates.AgentPath(slug, "events")}, Agent: supportBot(), Now: noon,
		Use: templates.RecallUse{
			Many: 10, MostTotal: 1, NeverTotal: 22, Medians: map[string]time.Duration{"keyword": 4200 * time.Microsecond, "model": 812 * time.Millisecond},
			Most:  []templates.RecalledMemory{{ID: refunds, Name: "Never promise a refund date", Type: memories.Feedback, Recalls: 31, Chances: 40}},
			Never: []templates.RecalledMemory{{ID: language, Name: "Answer in the customer's language", Type: memories.Feedback, Chances: 40, Age: templates.Age{Text: "12 days ago", Stale: true}}},
		},
		Past: []templates.PastRecall{
			{
				ID: "0198c0de-0000-7000-8000-0000000000f1", At: noon, Session: "U07AB12CD-C02SUPPORT-1741512345.123456", AskedBy: "hook", Query: "May I tell her when\nthe refund comes?",
				State: "handed_out", SelectedBy: "keyword", Reason: "The model did not choose (it took too long), so the words did.", Candidates: 3, Took: 4200 * time.Microsecond,
				Memories: []templates.PastMemory{
					{ID: refunds, Name: "Never promise a refund date", Bytes: 812, Why: []string{"“refund” is in its name", "“promise” is in its name, for “tell”"}, There: true},
					{ID: language, Name: "Refunds take a week", Bytes: 300, Why: []string{"“refund” is in its name"}},
				},
			},
			{ID: "0198c0de-0000-7000-8000-0000000000f2", At: noon.Add(-time.Hour), AskedBy: "mcp", Query: "thanks", State: "handed_out", Skipped: "short_query"},
			{ID: "0198c0de-0000-7000-8000-0000000000f3", At: noon.AddDate(0, 0, -1), AskedBy: "script", Query: "who is Mira", State: "settled", SelectedBy: "model", Candidates: 40, Took: 812 * time.Millisecond},
			{ID: "0198c0de-0000-7000-8000-0000000000f4", At: noon.AddDate(0, 0, -1), AskedBy: "script", Query: "who is Jonas", State: "pending"},
		},
		Later: templates.RecallPath(slug) + "?cursor=later",
	}
	all := templates.RecallCount{Recalls: 40, Giving: 31, NoneOfMany: 2}
	for _, days := range []int{30, 90} {
		v.Use.Spans = append(v.Use.Spans, templates.RecallSpan{
			Days: days, All: all, AskedBy: map[string]templates.RecallCount{"hook": all},
			SelectedBy: map[string]templates.RecallCount{"keyword": {Recalls: 35, Giving: 31, NoneOfMany: 2}, "": {Recalls: 5}},
		})
	}
	for i := range 30 {
		v.Use.Days = append(v.Use.Days, templates.RecallDay{Day: noon.AddDate(0, 0, i-29), Recalls: i % 4, Giving: i % 3 * (i % 4) / 3})
	}
	return v
}

// triedRecall returns the tab with a query, recalled memories and close ones with every reason.
func triedRecall() templates.Recall {
	v := recallPage()
	v.Model, v.Query = true, "may I promise a refund on friday"
	v.Explained = &templates.Explained{
		Words: []templates.RecallWord{{Text: "promise"}, {Text: "refund"}, {Text: "friday", Unknown: true}}, Candidates: 9, Enough: 0.7,
		Given: []templates.ExplainedMemory{
			{ID: "0198c0de-0000-7000-8000-000000000002", Name: "Never promise a refund date", Type: memories.Feedback, Why: []string{"“refund” is in its name"}, Score: 1.6},
			{ID: "0198c0de-0000-7000-8000-000000000003", Name: "Refunds", Type: memories.Project, Why: []string{"“refund” is in its name"}, Score: 1.2},
		},
		Close: []templates.ExplainedMemory{
			{ID: "0198c0de-0000-7000-8000-000000000004", Name: "Refund form", Type: memories.Reference, Why: []string{"“refund” is in its text"}, Score: 1.1, Shortfall: "past_limit"},
			{ID: "0198c0de-0000-7000-8000-000000000005", Name: "Billing", Why: []string{"“refund” is in its text"}, Score: 0.8, Shortfall: "much_less"},
			{ID: "0198c0de-0000-7000-8000-000000000006", Name: "Mira", Type: memories.User, Why: []string{"“promise” is in its text"}, Score: 0.35, Shortfall: "too_little"},
		},
	}
	return v
}
