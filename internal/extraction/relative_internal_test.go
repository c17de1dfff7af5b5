package extraction

import "testing"

func TestRelativeDate_Found(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mira said so yesterday.":                          "yesterday",
		"The freeze begins Next Tuesday":                   "Next Tuesday",
		"Released last week (2026-11-13), next month too.": "next month",
		"It moved two weeks ago; see the wiki.":            "two weeks ago",
		"Done by Friday":                                   "by Friday",
		"They move in 3 days.":                             "in 3 days",
		"Mira hat es gestern gesagt.":                      "gestern",
		"Umzug nächsten Montag":                            "nächsten Montag",
		"Vor zwei Wochen umgestellt":                       "Vor zwei Wochen",
		"Bis Freitag fertig":                               "Bis Freitag",
		"last year, the wiki":                              "last year",

		"Never deploy on a Friday.":                             "",
		"Releases are cut on the last Friday of each month.":    "",
		"Last Friday of the month is for cleaning up.":          "",
		"Use `git log --since=yesterday`.":                      "",
		"It was yesterday, 2026-11-20.":                         "",
		"The table yesterdays_totals holds todayCount.":         "",
		"Guten Morgen sagen, jeden Morgen, und am letzten Tag.": "",
		"The weekly meeting; each week, this way, next steps.":  "",
		"Since 2026-03-02, by the team.":                        "",
	} {
		if got := relativeDate(text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
