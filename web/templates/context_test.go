package templates_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

func TestContextPage_Xray(t *testing.T) {
	t.Parallel()
	v := contextPage()
	expect(t, templates.ContextPage(v),
		in("#xray-title", text(numberOf(v.Xray.Tokens)+" tokens enter every conversation")),
		in(".xray-bar", attr("aria-hidden", "true"), in("a", attr("tabindex", "-1")), in("title", count(len(v.Xray.Bar.Segments)))),
		in(".xray-legend a", each("Hand-written", "Memory System", "Feedback", "User", "Project", "One-line entries", "MEMORY.md", "Recalled")),
		in("#xray-numbers tbody th", each("Hand-written", "Memory System", "Feedback", "User", "Project", "One-line entries", "MEMORY.md", "Recalled")),
		in(".xray-labels .end", text("CLAUDE.md limit")),
		in(".xray header .muted", says("per 1,000 conversations")),
	)
	v.Price, v.Xray.Times = 0, 24
	expect(t, templates.ContextPage(v), in(".xray-labels .end", text("24 × the limit")), in(".xray header", without(".muted")))
	expect(t, templates.ContextPage(unpublishedContext()),
		in(".xray-labels", says("MEMORY.md 486 of 6,250, 7 %"), says("Would be in CLAUDE.md")),
		in(".file-note", text("Claude Code loads these memories itself. Preview only.")),
		in(".xray-bar .would", count(7)),
	)
	expect(t, templates.ContextPage(templates.Context{Agent: supportBot(), Prompt: &templates.Prompt{Agent: supportBot()}}), in(".xray", says("Only the Memory System so far.")))
}

func TestContextPage_ClaudeMD(t *testing.T) {
	t.Parallel()
	expect(t, templates.ContextPage(contextPage()),
		in("#line-1", text("1 # Support bot"), attr("class", "(none)")),
		in("#line-5", text("5 <!-- memoir:begin -->"), attr("class", "own")),
		in(`.source a[href$="000000000001"]`, text("Answer in the customer's language")),
	)
	expect(t, templates.ContextPage(damagedContext()),
		in(".source .marker", count(2)), in(".file-note a", text("Show the first"), attr("href", "#line-3")),
	)
}

func TestContextPage_MemoryMD(t *testing.T) {
	t.Parallel()
	expect(t, templates.ContextPage(indexContext()),
		in(".file-tabs [aria-current]", says("MEMORY.md"), says(" lines")),
		in(".cut-here", says("Cut here. The agent does not see the lines below."), in("a", text("Shorten index…"), attr("href", "/agents/support-bot/context/index"))),
		in(".source details", count(1)),
		in("#line-9 .do", text("Make a memory of it : line 9"), attr("href", "/agents/support-bot/context/facts/fact-1")),
		in("#line-8 .finding", says("gone.md")),
		in("#line-7 a", text("Refund dates"), attr("href", "/agents/support-bot/memory/0198c0de-0000-7000-8000-000000000002")),
		in("#line-2", attr("class", "left-out")),
		in(".file", says("1 dead link"), says("memory/memory.md is not loaded"), says("Wanted memories: 1")),
	)
	expect(t, readOnly(templates.ContextPage(indexContext())), in("main", without(".do"), without(`a[href$="/context/index"]`)))
	unreadable := indexContext()
	unreadable.File = templates.File{Kind: address.MemoryMDFile, Problem: "permission denied"}
	expect(t, templates.ContextPage(unreadable), in(".file-note", text("MEMORY.md cannot be read. permission denied")))
}

func TestPromptCard_Reasons(t *testing.T) {
	t.Parallel()
	expect(t, templates.ContextPage(triedContext()),
		in("#prompt", says("This is a test. Nothing is saved."), says("Words only, no model."), says("Given 2 of 9 candidates · 109 tokens"), says("No memory has “friday” .")),
		in(".prompt-found:not(.prompts) .figure", each("100 %", "75 %", "69 %", "50 %", "22 %", "19 %")),
		in(".prompt-found:not(.prompts) > li > p", each("“refund” in name · “tell” ~ promise · 81 tokens", "· 28 tokens", "5 are given", "below 66 % of top score", "below threshold", "below threshold")),
		in("#memory-0198c0de-0000-7000-8000-000000000003 a", attr("href", "/agents/support-bot/context?file=memory-md#line-9")),
		in("#prompt .prompt-found .do", each("Make it find this : Billing")),
		in("#find", attr("action", "/agents/support-bot/context/find/0198c0de-0000-7000-8000-000000000006"),
			in("input[name=phrase]", attr("value", "when can I tell her about the refund on friday")), in("input[name=etag]", attr("value", `"6"`))),
	)
	expect(t, readOnly(templates.ContextPage(triedContext())), in("#prompt", without(".do"), without("form[method=post]")))
}

func TestPromptCard_RecentPrompts(t *testing.T) {
	t.Parallel()
	expect(t, templates.ContextPage(contextPage()),
		in(".prompts > li > p > span:first-child", each("2 given · 278 tokens", "skipped", "not delivered", "running", "none of 7")),
		in("#recall-0198c0de-0000-7000-8000-0000000000f1",
			says("May I tell her when the refund comes?"), says("by a hook"),
			in("ul a", count(1), attr("href", "/agents/support-bot/memory/0198c0de-0000-7000-8000-000000000002")),
			in("ul bdi", each("Never promise a refund date", "Refunds take a week")),
		),
		in("#recall-0198c0de-0000-7000-8000-0000000000f2", says("Prompt too short"), says("over MCP")),
		in("#recall-numbers", says("Given 31 · 77 % 31 · 77 % None of many 2 2 None of few 2 2 Skipped 5 5"), says("Few: the fact is missing.")),
	)
}

func TestContextPage_IsEscaped(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror=alert(1)>" onclick="x`
	v := triedContext()
	v.Prompt.Query, v.Prompt.Session, v.Prompt.Past[0].Query, v.Prompt.Past[0].Session = evil, evil, evil, evil
	v.Prompt.Past[0].Memories[0].Name, v.Prompt.Find.Phrase = evil, evil
	v.Prompt.Explained.Words[0].Text, v.Prompt.Explained.Given[0].Name, v.Prompt.Explained.Given[0].Matches[0].Word = evil, evil, evil
	v.Xray.Bar.Segments[2].Name, v.Xray.Bar.Segments[2].ID = evil, evil
	for i := range v.File.Page.Lines {
		l := &v.File.Page.Lines[i]
		l.Text, l.Title, l.Before, l.File, l.After, l.Findings, l.Fact = evil, evil, evil, evil, evil, []string{evil}, evil
	}
	expect(t, templates.ContextPage(v), in("html", without("img[onerror]"), without("[onclick]")), in("#q", attr("value", evil)))
}

func TestMemoryPage_RecallCount(t *testing.T) {
	t.Parallel()
	for want, recalls := range map[string]templates.RecallsOfMemory{
		"recalled 3 times, last 2 hours ago":                 {Recalls: 3, Last: noon.Add(-150 * time.Minute), Now: noon},
		"recalled 1 time, last just now":                     {Recalls: 1, Last: noon, Now: noon},
		"recalled 1,200 times, last 1 minute ago":            {Recalls: 1200, Last: noon.Add(-time.Minute), Now: noon},
		"recalled 2 times, last yesterday":                   {Recalls: 2, Last: noon.Add(-30 * time.Hour), Now: noon},
		"recalled 2 times, last 80 days ago":                 {Recalls: 2, Last: noon.AddDate(0, 0, -80), Now: noon},
		"recalled never, of 40 recalls since it was learned": {Chances: 40, Now: noon},
		"recalled never, of 1 recall since it was learned":   {Chances: 1, Now: noon},
	} {
		m := memoryPage(t, believableRows()[0])
		m.Recalls = recalls
		expect(t, readingPage(m), in(".memory", says(want)))
	}
}

// readOnly renders a page for a reader.
func readOnly(page templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return page.Render(ui.ForReader(ctx, ui.Reader{}), w)
	})
}

func numberOf(n int) string { return message.NewPrinter(language.English).Sprintf("%d", n) }
