package templates_test

import (
	"strings"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

func deletionPage() templates.Deletion {
	compiled := claudeMDText()
	section := "### Never promise a refund date\n\nSay “within five working days”.\n"
	index := "# What I know\n\n- [Refund dates](feedback_refunds.md) — never promise one, see also [the runbooks](reference_runbooks.md)\n- [Languages](feedback_language.md) — answer in the customer’s\n"
	row := believableRows()[1]
	return templates.Deletion{
		Frame: ui.Frame{Live: address.AgentPath(slug, "events")}, Agent: supportBot(), MemoryRow: row,
		Change: templates.Change{
			ClaudeMD: templates.ClaudeMDChange{
				Published: true, CharsBefore: 12480, CharsAfter: 11469, Diff: diff.Texts(compiled, strings.Replace(compiled, section, "", 1), 300),
			},
			Files: []memories.MemoryFile{
				{Path: "memory/feedback_refunds.md", ModifiedAt: noon},
				{Path: "sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/feedback_refunds.md", ModifiedAt: noon},
			},
			Indexes: []templates.IndexChange{{Path: "memory/MEMORY.md", Diff: diff.Texts(index, strings.Replace(index, "[Refund dates](feedback_refunds.md) — never promise one, see also ", "", 1), 300)}},
		},
	}
}

func historyPage() templates.History {
	row := believableRows()[0]
	texts := []string{
		"Reply in the language of the ticket.\n\n**Why:** a customer asked for it.\n\nשלום עולם, זה טקסט מימין לשמאל",
		"Reply in the language of the last message of the ticket.\n\n**Why:** a customer asked for it.\n\nשלום חבר, זה טקסט מימין לשמאל",
		"Reply in the language of the last message of the ticket, also when the console is in English.\n\n**Why:** three customers asked for it.\n\n" + strings.Repeat("wordwithoutend", 200),
		strings.Repeat("| Language | Template | Tickets |\n", 500),
	}
	view := templates.History{Total: 14, Older: strings.Repeat("e", 64), IsLater: true}
	for i := len(texts) - 1; i >= 0; i-- {
		r := templates.Revision{
			Revision: memories.Revision{
				ID: strings.Repeat(string("abcd"[i]), 64), SeenAt: noon.Add(time.Duration(i-9) * time.Hour), Path: "memory/feedback_language.md", Type: memories.Feedback,
			},
			Agent: slug, MemoryID: row.ID, ETag: `"1"`, TypeNow: memories.Feedback,
			Current: i == len(texts)-1, First: i == 0, Restorable: i < len(texts)-1, Readable: true,
		}
		if i == 1 {
			r.Type = memories.User
			r.Session, r.Path = "U07AB12CD-C02SUPPORT-1741512345.123456", "sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/feedback_language.md"
			r.Description = diff.Texts("How to answer", "How and when to answer", 100)
		}
		if !r.Current {
			r.Body = diff.Texts(texts[i], texts[len(texts)-1], 20)
		}
		view.Revisions = append(view.Revisions, r)
	}
	return view
}

func withHistory(v templates.Memory) templates.Memory {
	history := historyPage()
	v.History = &history
	return v
}
