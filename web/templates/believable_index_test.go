package templates_test

import (
	"strings"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/web/templates"
)

const believableIndex = "---\nkind: index\n---\n# What I know\n\n<!-- by hand -->\n- [Refund dates](feedback_refunds.md) — never promise one\n- [Gone](gone.md)\n"

// indexPage returns an index that an agent loads only partly, with every finding.
func indexPage() templates.Index {
	loaded := memorymd.Read([]byte(believableIndex + strings.Repeat("- [Languages](feedback_language.md) — "+strings.Repeat("long ", 40)+"\n", 210)))
	files := []memorymd.IndexedFile{
		{ID: "0198c0de-0000-7000-8000-000000000001", Path: "feedback_language.md", Name: "Answer in the customer's language", Type: memories.Feedback},
		{ID: "0198c0de-0000-7000-8000-000000000002", Path: "feedback_refunds.md", Name: "Never promise a refund date", Type: memories.Feedback},
		{ID: "0198c0de-0000-7000-8000-000000000003", Path: "user_mira.md", Name: "Mira", Type: memories.User},
	}
	there := func(target string) (string, bool) { return target, target != "gone.md" }
	return templates.Index{
		Frame: templates.Frame{Live: templates.AgentPath(slug, "events")}, Agent: supportBot(), Path: "memory/MEMORY.md", Present: true,
		Others: []string{"memory/memory.md"}, Loaded: loaded, Findings: memorymd.Lint(loaded, files, there),
	}
}

func indexRepairPage() templates.IndexRepair {
	after := strings.Replace(believableIndex, "- [Gone](gone.md)\n", "- [Mira](user_mira.md) — reads in the morning\n", 1)
	return templates.IndexRepair{
		Frame: templates.Frame{Live: templates.AgentPath(slug, "events"), Banners: []templates.Banner{{Tone: templates.Danger, Title: "It changed since you looked", Text: "Nothing was written."}}},
		Agent: supportBot(), Path: "memory/MEMORY.md", ETag: `"1"`, Diff: diff.Texts(believableIndex, after, 100),
	}
}

func damagedClaudeMD() templates.ClaudeMD {
	v := claudeMDPage()
	v.Damaged = "# Support bot\n\n<!-- memoir:begin -->\n<!-- memoir:begin -->\n"
	return v
}
