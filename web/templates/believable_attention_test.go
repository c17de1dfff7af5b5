package templates_test

import (
	"strings"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates"
)

func typeChoice(guessed memories.Type) templates.FixChoice {
	const raw = "---\nname: vpn notes\n---\n\nHow to reach the staging network\n"
	c := templates.FixChoice{Shown: "It is feedback", Change: diff.Texts(raw, strings.Replace(raw, "notes\n", "notes\ntype: feedback\n", 1), 60)}
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
	back := templates.AttentionPath(slug)
	return []templates.BrokenMemory{
		{MemoryRow: rows[8], Back: back, Files: []templates.FlawedFile{{
			Path: "memory/vpn notes.md", Hash: "77af", Problems: []memories.Problem{memories.ProblemOf(memories.CodeTypeMissing)},
			Choices: []templates.FixChoice{typeChoice(memories.Reference)},
		}, {
			Path: "sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/" + strings.Repeat("endless", 30) + ".md", Hash: "77b0",
			Session: "U07AB12CD-C02SUPPORT-1741512345.123456", Problems: []memories.Problem{memories.ProblemOf(memories.CodeInvalidUTF8)},
			Choices: []templates.FixChoice{
				{Fixes: []templates.FixView{{ID: "windows-1252", Label: "Read as Windows-1252", Guessed: true, Explanation: "Writes the text as UTF-8, read as Windows-1252. No byte is lost."}}, Change: diff.Texts("caf‹E9›", "café", 60)},
				{Otherwise: true, Fixes: []templates.FixView{{ID: "replace", Label: "Replace what is not UTF-8", Explanation: "What they stood for is lost."}}, Change: diff.Texts("caf‹E9›", "caf\uFFFD", 60)},
			},
		}}},
		{MemoryRow: rows[9], Back: back, Files: []templates.FlawedFile{{Path: "memory/broken_export.md", Problems: []memories.Problem{memories.ProblemOf(memories.CodeTooLarge)}}}},
	}
}

func attentionPage() templates.Attention {
	rows := believableRows()
	gone := rows[6:7]
	left := trashPage().Rows[:1]
	left[0].ID = "0198c0de-0000-7000-8000-000000000077"
	left[0].Left = []string{"memory/old.md could not be removed: permission denied. The memory is deleted all the same."}
	typeless := rows[8]
	typeless.ID = "0198c0de-0000-7000-8000-000000000078"
	careful := templates.BrokenMemory{MemoryRow: rows[0], Back: templates.AttentionPath(slug), Files: []templates.FlawedFile{{
		Path: "memory/feedback_language.md", Hash: "77b1", Problems: []memories.Problem{memories.ProblemOf(memories.CodeReadLeniently)},
		Choices: []templates.FixChoice{{
			Fixes:  []templates.FixView{{ID: "yaml", Label: "Write it as valid YAML", Explanation: "Quotes what YAML refuses."}},
			Change: diff.Texts("description: a: b\n", "description: 'a: b'\n", 60),
		}},
	}}}
	v := templates.Attention{
		Frame: templates.Frame{Live: templates.AgentPath(slug, "events")}, Agent: supportBot(),
		Broken: append(mendings(), templates.BrokenMemory{MemoryRow: typeless}), MoreHref: templates.AttentionPath(slug) + "?cursor=x",
		Missing: gone, MissingAll: templates.MissingActions(slug), NotRemoved: left, Flagged: []templates.BrokenMemory{careful},
		Blocked: []templates.BlockedRow{{
			Agent: slug, Blocked: memories.Blocked{
				ID: "0198c0de-0000-7000-8000-000000000031", Name: "Use the old ticket form", Type: memories.Feedback,
				Description: "The new one loses attachments", Body: "# Why\n\n<script>alert(1)</script> " + strings.Repeat("wordwithoutend", 100),
				Path: "sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/form.md", SeenAt: noon,
			},
		}},
		Disagreements: []templates.DisagreementRow{disagreement()},
		Doubtful:      []templates.DoubtfulRow{{MemoryRow: rows[5], Citations: *believableCitations(), Back: templates.AttentionPath(slug)}},
	}
	v.Agent.Counts.NeedsAttention, v.Agent.Counts.Missing, v.Agent.Counts.Blocked = 30, 14, 1
	return v
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

func versionsPage() templates.Versions {
	row := believableRows()[4]
	now := "Escalate to Jonas first on Thursdays.\n\n" + strings.Repeat("wordwithoutend", 60)
	version := func(id, body string, files ...templates.VersionFile) templates.Version {
		return templates.Version{
			Agent: slug, Memory: row.ID, ETag: row.ETag, ID: id, TypeBefore: row.Type, Type: row.Type, Body: diff.Texts(now, body, 200), Files: files,
		}
	}
	current := version(strings.Repeat("a1", 32), now, templates.VersionFile{
		Path: "sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/jonas.md", Session: "U07AB12CD-C02SUPPORT-1741512345.123456",
		User: "U07AB12CD", Channel: "C02SUPPORT", ThreadAt: noon, NewAt: noon,
	})
	current.Current, current.Description, current.Body = true, diff.Texts("", row.Description, 10), diff.Texts("", now, 200)
	retyped := version(strings.Repeat("c3", 32), now, templates.VersionFile{Path: "sessions/night shift/memory/jonas.md", Session: "night shift", NewAt: noon})
	retyped.Type = memories.Project
	return templates.Versions{
		Frame: templates.Frame{Live: templates.AgentPath(slug, "events")}, Agent: supportBot(), MemoryRow: row,
		Versions: []templates.Version{
			current, version(strings.Repeat("b2", 32), "Escalate to Jonas first on Fridays.", templates.VersionFile{Path: "memory/jonas.md", NewAt: noon}), retyped,
		},
	}
}
