package templates_test

import (
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/web/templates"
)

func reviewCards() []templates.ReviewCard {
	text := "No production deploys until 3 March 2025, as Mira asked."
	marked, _ := templates.MarkSpans(text, []templates.TextSpan{{Start: 28, End: 40}}, 1000)
	other, _ := templates.MarkSpans(text+" "+strings.Repeat("endless", 60), nil, 300)
	choices := []templates.ReviewChoice{
		{Value: "keep_1", Label: "Keep 1"}, {Value: "keep_2", Label: "Keep 2", Recommended: true}, {Value: "keep_both", Label: "Keep both"},
		{Value: "merge", Label: "Merge…", Href: "/review/contradiction-1#merge"}, {Value: "snooze", Label: "Snooze 30 days"}, {Value: "never", Label: "Never ask again"},
	}
	found := time.Date(2026, 3, 9, 14, 2, 0, 0, time.UTC)
	return []templates.ReviewCard{{
		ID: "secret-1", Kind: "Secret", Tone: templates.Danger, Agent: slug, Name: "support-bot", Reason: "Password in plain text", FoundAt: found, Back: "/review",
		Sides: []templates.ReviewSide{{
			Name: "warehouse_login", Href: "/agents/support-bot/memory/1", Type: memories.Reference, HasType: true, Age: templates.Age{Text: "77 days ago", Stale: true},
			Body: other, IsCut: true, Masked: true, RevealHref: "/review/secret-1?reveal=true",
		}},
		Choices: []templates.ReviewChoice{{Value: "remove_value", Label: "Remove the value…", Destroys: true, Confirm: "This cannot be undone."}, {Value: "allow", Label: "Not a secret"}},
		ETags:   []string{`"e"`},
	}, {
		ID: "contradiction-1", Kind: "Contradiction", Agent: slug, Name: "support-bot", Reason: "Different dates for one freeze", FoundAt: found, Back: "/review",
		Sides: []templates.ReviewSide{
			{Name: "freeze_december", Href: "/agents/support-bot/memory/2", Type: memories.Project, HasType: true, Description: marked, Body: marked, Recalls: 3},
			{Name: strings.Repeat("endless", 20), Href: "/agents/support-bot/memory/3", Type: memories.Project, HasType: true, Body: other, Recommended: true},
		},
		Choices: choices, Links: []templates.Link{{Label: "Edit", Href: "/agents/support-bot/memory/2/edit"}},
	}}
}

func reviewPage() templates.Review {
	cards := reviewCards()
	return templates.Review{
		Total: 37, Query: "freeze", Kinds: "secret,contradiction",
		Groups: []templates.ReviewFilter{{Label: "All", Href: "/review", Count: 37}, {Label: "Safety", Href: "/review?kind=secret", Count: 1, Current: true}},
		Each:   []templates.ReviewFilter{{Label: "Secret", Href: "/review?kind=secret", Count: 1}, {Label: "Contradiction", Href: "/review?kind=contradiction", Count: 36}},
		Agents: []templates.ReviewFilter{{Label: "All agents", Href: "/review", Count: 37, Current: true}, {Label: "support-bot", Href: "/agents/support-bot/review", Count: 1234}},
		Sections: []templates.ReviewSection{
			{ID: "safety", Label: "Safety", Count: 1, Items: cards[:1]}, {ID: "wrong", Label: "Wrong", Count: 36, Items: cards[1:]},
		},
		MoreHref: "/review?cursor=x",
	}
}

func reviewOfAgent() templates.Review {
	agent, v := supportBot(), reviewPage()
	v.Agent, v.FirstHref = &agent, "/agents/support-bot/review"
	return v
}

func reviewOne() templates.ReviewOne {
	card := reviewCards()[1]
	card.Whole, card.More, card.Merging = true, 3, &templates.ReviewMerge{Name: "freeze_december", Description: "When the freeze ends", Body: "Both texts."}
	return templates.ReviewOne{Card: card}
}
