package templates_test

import (
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/fileview"
	"memoir/internal/pages/xray"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

const (
	textBefore = "# Support bot\n\nYou answer tickets of Example GmbH.\n\n"

	believableIndex = "---\nkind: index\n---\n# What I know\n\n<!-- by hand -->\n- [Refund dates](feedback_refunds.md) — never promise one\n- [Gone](gone.md)\n- We say “ticket”, not “case”\n"
)

// claudeMDParts returns Memoir's block with memories in full and in one line.
func claudeMDParts() []claudemd.Part {
	rows := believableRows()[:8]
	parts := []claudemd.Part{
		{Text: "<!-- memoir:begin -->\n# Memory System\n\nSave who a user is, preferences, corrections, recurring tasks and where resources live.\n\n# Learned Memory\n\n> The following was learned from past interactions. Apply this knowledge in all responses.\n"},
		{Text: "\n## Feedback Memory\n"},
		{Text: "\n### Answer in the customer's language\n\n" + believableBody + "\n", Memory: rows[0].ID, Name: rows[0].Name, Type: rows[0].Type},
		{Text: "\n### Never promise a refund date\n\nSay “within five working days”.\n", Memory: rows[1].ID, Name: rows[1].Name, Type: rows[1].Type},
	}
	for i, row := range rows[2:] {
		part := claudemd.Part{Text: "\n### " + row.Name + "\n\n" + strings.Repeat("A fact. ", 100/(i+1)) + "\n", Memory: row.ID, Name: row.Name, Type: row.Type}
		if i > 3 {
			part.Text, part.Listed = "- "+row.Name+" — "+row.Description+"\n", true
		}
		parts = append(parts, part)
	}
	parts = append(parts, claudemd.Part{Text: "\n<!-- memoir:end -->"})
	for i := range parts {
		parts[i].Chars = utf8.RuneCountInString(parts[i].Text)
	}
	return parts
}

// claudeMDText returns a whole CLAUDE.md.
func claudeMDText() string {
	text := textBefore
	for _, p := range claudeMDParts() {
		text += p.Text
	}
	return text + "\n"
}

func xrayInput() xray.Input {
	return xray.Input{
		Agent: slug, Published: true, Before: textBefore, After: "\n", Parts: claudeMDParts(), Limit: 40_000,
		Carried: records.Carried{IndexChars: 1944, RecalledBytes: 1096, Conversations: 4},
	}
}

// contextPage returns the Context tab of an agent with recent prompts.
func contextPage() templates.Context {
	prompt := promptView()
	return templates.Context{
		Frame: ui.Frame{Live: address.AgentPath(slug, "events")}, Agent: supportBot(), Xray: xray.Of(xrayInput()), Price: 3,
		File: templates.File{
			Kind: address.ClaudeMDFile, Published: true, Path: "/srv/agents/support-bot/CLAUDE.md", WrittenAt: noon,
			Page: fileview.ClaudeMD(slug, textBefore, claudeMDParts(), "\n", 1), Index: indexState(),
		},
		Prompt: &prompt,
	}
}

func unpublishedContext() templates.Context {
	v := contextPage()
	in := xrayInput()
	in.Published = false
	v.Agent.Layout, v.File.Published, v.Xray = "claude", false, xray.Of(in)
	return v
}

func damagedContext() templates.Context {
	v := contextPage()
	const raw = "# Support bot\n\n<!-- memoir:begin -->\n<!-- memoir:begin -->\n"
	in := xrayInput()
	in.OnDisk = raw
	v.Xray, v.File.Damaged, v.File.Problem, v.File.Page = xray.Of(in), true, "The markers are damaged.", fileview.Damaged(raw, 0)
	return v
}

func loadedIndex() memorymd.Loaded {
	return memorymd.Read([]byte(believableIndex + strings.Repeat("- [Languages](feedback_language.md) — "+strings.Repeat("long ", 40)+"\n", 210)))
}

// indexState returns the state of an index that an agent loads only partly, with every finding.
func indexState() templates.IndexState {
	loaded := loadedIndex()
	files := []memorymd.IndexedFile{
		{ID: "0198c0de-0000-7000-8000-000000000001", Path: "feedback_language.md", Name: "Answer in the customer's language", Type: memories.Feedback},
		{ID: "0198c0de-0000-7000-8000-000000000002", Path: "feedback_refunds.md", Name: "Never promise a refund date", Type: memories.Feedback},
		{ID: "0198c0de-0000-7000-8000-000000000003", Path: "user_mira.md", Name: "Mira", Type: memories.User},
	}
	there := func(target string) (string, bool) { return target, target != "gone.md" }
	return templates.IndexState{
		Present: true, Seen: loaded.Seen(), LineCount: loaded.LineCount, Warning: loaded.Warning, Others: []string{"memory/memory.md"},
		NeedsRepair: true, Findings: memorymd.Lint(loaded, files, there), Wanted: []memories.WantedMemory{{Name: "Refund form", Links: 2}},
	}
}

// indexContext returns the Context tab with a MEMORY.md that is cut.
func indexContext() templates.Context {
	v := contextPage()
	v.File.Kind, v.Prompt.File = address.MemoryMDFile, address.MemoryMDFile
	v.File.Page = fileview.MemoryMD(loadedIndex(), v.File.Index.Findings, map[int]string{9: "fact-1"}, 1)
	v.File.Page.Link("", slug, map[string]string{"feedback_refunds.md": "0198c0de-0000-7000-8000-000000000002"})
	return v
}

func indexRepairPage() templates.IndexRepair {
	after := strings.Replace(believableIndex, "- [Gone](gone.md)\n", "- [Mira](user_mira.md) — reads in the morning\n", 1)
	return templates.IndexRepair{
		Frame: ui.Frame{Live: address.AgentPath(slug, "events"), Banners: []ui.Banner{{Tone: ui.Danger, Title: "This changed while you read it", Text: "Nothing was written."}}},
		Agent: supportBot(), Path: "memory/MEMORY.md", ETag: `"1"`, Diff: diff.Texts(believableIndex, after, 100),
	}
}

func contextAsOf() templates.Context {
	v := contextPage()
	v.Agent = supportBotThen()
	then := past(address.ContextPath(slug))
	v.AsOf, v.Prompt, v.File.Index = &then, nil, templates.IndexState{}
	v.Since = diff.Texts(claudeMDText(), claudeMDText()+"\n### One more\n", 100)
	return v
}

// promptView returns the prompts on record of a month.
func promptView() templates.Prompt {
	const language, refunds = "0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000002"
	v := templates.Prompt{
		Agent: supportBot(), File: address.ClaudeMDFile, Now: noon,
		Past: []templates.PastRecall{
			{
				ID: "0198c0de-0000-7000-8000-0000000000f1", At: noon, Session: "U07AB12CD-C02SUPPORT-1741512345.123456", AskedBy: "hook", Query: "May I tell her when\nthe refund comes?",
				State: "handed_out", SelectedBy: "keyword", Candidates: 3,
				Memories: []templates.PastMemory{
					{ID: refunds, Name: "Never promise a refund date", Bytes: 812, There: true},
					{ID: language, Name: "Refunds take a week", Bytes: 300},
				},
			},
			{ID: "0198c0de-0000-7000-8000-0000000000f2", At: noon.Add(-time.Hour), AskedBy: "mcp", Query: "thanks", State: "handed_out", Skipped: "short_query"},
			{ID: "0198c0de-0000-7000-8000-0000000000f3", At: noon.AddDate(0, 0, -1), AskedBy: "script", Query: "who is Mira", State: "settled", SelectedBy: "model", Candidates: 40},
			{ID: "0198c0de-0000-7000-8000-0000000000f4", At: noon.AddDate(0, 0, -1), AskedBy: "script", Query: "who is Jonas", State: "pending"},
			{ID: "0198c0de-0000-7000-8000-0000000000f5", At: noon.AddDate(0, 0, -1), AskedBy: "script", Query: "who is Ines", State: "handed_out", SelectedBy: "keyword", Candidates: 7},
		},
		Later: address.ContextPath(slug) + "?cursor=later",
	}
	all := templates.RecallCount{Recalls: 40, Giving: 31, NoneOfMany: 2}
	for _, days := range []int{30, 90} {
		v.Spans = append(v.Spans, templates.RecallSpan{
			Days: days, All: all, AskedBy: map[string]templates.RecallCount{"hook": all},
			SelectedBy: map[string]templates.RecallCount{"keyword": {Recalls: 35, Giving: 31, NoneOfMany: 2}, "": {Recalls: 5}},
		})
	}
	return v
}

// triedContext returns the tab with a prompt, recalled memories, close ones with every reason, and a
// description that is edited.
func triedContext() templates.Context {
	v := contextPage()
	v.Prompt.Query = "may I promise a refund on friday"
	v.Prompt.Explained = &templates.Explained{
		Words: []templates.RecallWord{{Text: "promise"}, {Text: "refund"}, {Text: "friday", Unknown: true}}, Candidates: 9,
		Given: []templates.ExplainedMemory{
			{ID: "0198c0de-0000-7000-8000-000000000002", Owner: slug, Name: "Never promise a refund date", Type: memories.Feedback, Tokens: 81, Score: 1.6,
				Matches: []templates.RecallMatch{{Searched: "refund", Word: "refund", Field: "name"}, {Searched: "tell", Word: "promise", Field: "name"}}},
			{ID: "0198c0de-0000-7000-8000-000000000003", Owner: slug, Name: "MEMORY.md", Type: memories.Project, Line: 9, Tokens: 28, Score: 1.2},
		},
		Close: []templates.ExplainedMemory{
			{ID: "0198c0de-0000-7000-8000-000000000004", Owner: slug, Name: "Refund form", Type: memories.Reference, Score: 1.1, Shortfall: "past_limit"},
			{ID: "0198c0de-0000-7000-8000-000000000005", Owner: slug, Name: "Billing", Score: 0.8, Shortfall: "much_less", Missing: []string{"promise", "friday"}},
			{ID: "0198c0de-0000-7000-8000-000000000006", Owner: slug, Name: "Mira", Type: memories.User, Score: 0.35, Shortfall: "too_little", Missing: []string{"refund", "friday"}},
			{ID: "0198c0de-0000-7000-8000-000000000007", Owner: "shared", Name: "Of all", Type: memories.User, Score: 0.3, Shortfall: "too_little", Missing: []string{"refund"}},
		},
	}
	v.Prompt.Find = &templates.Find{ID: "0198c0de-0000-7000-8000-000000000006", ETag: `"6"`, Phrase: "when can I tell her about the refund on friday"}
	return v
}
