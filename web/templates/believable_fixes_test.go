package templates_test

import (
	"strings"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

func typeChoice(guessed memories.Type) templates.FixChoice {
	const raw = "---\nname: vpn notes\n---\n\nHow to reach the staging network\n"
	c := templates.FixChoice{Shown: "Feedback", Change: diff.Texts(raw, strings.Replace(raw, "notes\n", "notes\ntype: feedback\n", 1), 60)}
	for _, t := range memories.Types() {
		c.Fixes = append(c.Fixes, templates.FixView{
			ID: "type:" + string(t), Label: "It is " + string(t), Type: t, Guessed: t == guessed,
			Explanation: "Writes the type " + string(t) + " into the frontmatter, and changes nothing else.",
		})
	}
	return c
}

func mendings() []templates.BrokenMemory {
	rows := believableRows()
	back := address.AgentReviewPath(slug)
	return []templates.BrokenMemory{
		{MemoryRow: rows[8], Back: back, Files: []templates.FlawedFile{{
			Path: "memory/vpn notes.md", Hash: "77af", Problems: []memories.Problem{memories.ProblemOf(memories.CodeTypeMissing)},
			Choices: []templates.FixChoice{typeChoice(memories.Reference)},
		}, {
			Path: "sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/" + strings.Repeat("endless", 30) + ".md", Hash: "77b0",
			Session: "U07AB12CD-C02SUPPORT-1741512345.123456", Problems: []memories.Problem{memories.ProblemOf(memories.CodeInvalidUTF8)},
			Choices: []templates.FixChoice{
				{Fixes: []templates.FixView{{ID: "windows-1252", Label: "Read as Windows-1252", Guessed: true, Explanation: "Writes the text as UTF-8, read as Windows-1252. No byte is lost."}}, Change: diff.Texts("caf‹E9›", "café", 60)},
				{Otherwise: true, Fixes: []templates.FixView{{ID: "replace", Label: "Replace invalid bytes", Explanation: "What they stood for is lost."}}, Change: diff.Texts("caf‹E9›", "caf\uFFFD", 60)},
			},
		}}},
		{MemoryRow: rows[9], Back: back, Files: []templates.FlawedFile{{Path: "memory/broken_export.md", Problems: []memories.Problem{memories.ProblemOf(memories.CodeTooLarge)}}}},
	}
}

func believableCitations() *templates.Citations {
	return &templates.Citations{Project: "/srv/code/ledger", CheckedAt: noon, Checked: []memories.CheckedCitation{
		{Kind: memories.CitesPath, Text: "billing/freeze.go", Status: memories.CitationGone, Message: "`billing/freeze.go` is not in the project any more."},
		{Kind: memories.CitesLine, Text: "billing/run.go:412", Status: memories.CitationGone, Message: "`billing/run.go:412` is past the end of its file, which has 96 lines now."},
		{Kind: memories.CitesPath, Text: "endless", Status: memories.CitationGone, Message: "`" + strings.Repeat("endless/", 30) + "x.go` is not in the project any more."},
		{Kind: memories.CitesFunction, Text: "runBilling()", Status: memories.CitationFound},
		{Kind: memories.CitesFlag, Text: "--dry-run", Status: memories.CitationUnknown, Message: "It was not found, but it may never have been of this project."},
	}}
}

func disagreement() templates.DisagreementRow {
	return templates.DisagreementRow{
		Agent: slug, ID: "0198c0de-0000-7000-8000-000000000005", Name: "Jonas is on call on Thursdays", Versions: 3, Sessions: 2,
		HasPrimary: true, NewestAt: noon,
	}
}
