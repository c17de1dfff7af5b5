package templates_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"memoir/internal/memories"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

const firstID = "0198c0de-0000-7000-8000-000000000001"

func TestPages_Accessible(t *testing.T) {
	t.Parallel()
	for name, component := range everyPage(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := parse(t, component)
			for _, c := range []check{
				in("html", attr("lang", "en")), in("title", says("Memoir")), in("main", count(1)), in("h1", count(1)),
				in(".skip", attr("href", "#main")), in("#notices", attr("aria-live", "polite")),
			} {
				if err := c(page); err != nil {
					t.Error(err)
				}
			}
			level := 0
			page.Find("main :is(h1, h2, h3, h4, h5, h6)").Each(func(_ int, heading *goquery.Selection) {
				next := int(goquery.NodeName(heading)[1] - '0')
				if next > level+1 {
					t.Errorf("heading %q is of level %d after one of level %d", heading.Text(), next, level)
				}
				level = next
			})
			page.Find("button, a").Each(func(_ int, control *goquery.Selection) {
				if strings.TrimSpace(control.Text()) == "" && control.AttrOr("aria-label", "") == "" {
					html, _ := goquery.OuterHtml(control)
					t.Errorf("a control has no name: %s", html)
				}
			})
			page.Find("input:not([type=hidden], [hidden], [disabled])").Each(func(_ int, input *goquery.Selection) {
				if page.Find(`label[for="`+input.AttrOr("id", "")+`"]`).Length()+input.Closest("label:not([for])").Length() != 1 {
					t.Errorf("a field has no label: %v", input.Nodes[0].Attr)
				}
			})
			seen := map[string]bool{}
			page.Find("[id]").Each(func(_ int, element *goquery.Selection) {
				if id := element.AttrOr("id", ""); seen[id] {
					t.Errorf("two elements have the id %s", id)
				} else {
					seen[id] = true
				}
			})
		})
	}
}

var scripted = regexp.MustCompile(`^(on|hx-on)|^(style)$`)

func TestPages_NothingInline(t *testing.T) {
	t.Parallel()
	for name, component := range everyPage(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parse(t, component).Find("*").Each(func(_ int, element *goquery.Selection) {
				for _, a := range element.Nodes[0].Attr {
					if scripted.MatchString(a.Key) || strings.HasPrefix(a.Val, "js:") || strings.HasPrefix(a.Val, "javascript:") {
						t.Errorf("%s has %s=%q", goquery.NodeName(element), a.Key, a.Val)
					}
				}
				if n := goquery.NodeName(element); n == "style" || n == "script" && element.Text() != "" {
					t.Errorf("the page has an inline %s", n)
				}
			})
		})
	}
}

func TestMemoriesPage_GroupsByType(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	rows := believableRows()
	slices.Reverse(rows)
	v.Groups = grouped(rows)
	expect(t, templates.MemoriesPage(v),
		in(".group h2", each(
			"Feedback 3", "User 2", "Project 2", "Reference 1", "Needs attention 2",
		)),
		in("#group-feedback h3", each("short-replies", "Never promise a refund date", "Answer in the customer's language")),
	)
}

func TestMemoriesPage_Unreadable(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	rows := believableRows()[:1]
	rows[0].State = memories.NeedsAttention
	v.Groups = grouped(rows)
	expect(t, templates.MemoriesPage(v), in("main", without("#group-feedback")), in("#group-attention .row", count(1)))
}

func TestMemoryRow_ShowsFacts(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	v.Groups[0].Rows[0].Chip = templates.Chip{Tone: ui.Danger, Text: "Secret"}
	expect(t, templates.MemoriesPage(v),
		in("#memory-"+firstID,
			in("h3 a", text("Answer in the customer's language"), attr("href", "/agents/support-bot/memory/"+firstID)),
			in("p", text("Reply in the language of the ticket, also when the agent console is in English")),
			in("time", text("12 d"), attr("title", "Changed 9 Mar 2026, 12:00")),
			in(".chip", text("Secret"), attr("data-tone", "danger")),
			in(".tokens", text("253")),
			in("input", attr("value", firstID+" 1"), attr("form", "selection")),
			without("form"), without("button"),
		),
	)
}

func TestMemories_ReaderCannotSelect(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	if err := templates.MemoriesPage(memoriesPage()).Render(ui.ForReader(t.Context(), ui.Reader{}), &page); err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(page.String(), `class="list-column"`)
	list, _, _ = strings.Cut(list, `id="pane"`)
	for _, control := range []string{"checkbox", `method="post"`, "data-action"} {
		if strings.Contains(list, control) {
			t.Errorf("a reader gets %q", control)
		}
	}
}

func TestMemoryRow_IsEscaped(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror=alert(1)>" onclick="x`
	v := memoriesPage()
	v.View.Query, v.View.Session = evil, evil
	v.Agent.Name, v.Agent.Dir = evil, evil
	rows := believableRows()[:1]
	rows[0].Name, rows[0].Description, rows[0].Session, rows[0].ID = evil, evil, evil, evil
	v.Groups = grouped(rows)
	notice := deletedNotice(evil, evil)
	v.Notice = &notice
	v.Banners = []ui.Banner{templates.MissingMemories(evil, []string{evil}, "etag"), templates.ClaudeMDProblem(evil, evil)}
	expect(t, templates.MemoriesPage(v), in("html", without("img[onerror]"), without("[onclick]")), in(".row h3", text(evil)))
}

func TestSearchForm_KeepsFilters(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	v.View.Query, v.View.Type, v.View.Name, v.Found = "a&b", memories.Project, address.UncheckedView, 1204
	v.Groups = grouped(believableRows()[5:7])
	v.Groups[0].Total = 1204
	expect(t, templates.MemoriesPage(v),
		in("#q", attr("value", "a&b")),
		in("#search input[name=type]", attr("value", "project")),
		in("#search input[name=view]", attr("value", "unchecked")),
		in(".clears", says("1,204 memories")),
		in(".views a", each("All 10", "New 3", "Unchecked 2", "Trash 2")),
		in(".clear", each("Clear the filter words", "Clear the filter Project")),
		in(".views [aria-current]", text("Unchecked 2"), attr("href", "/agents/support-bot/memory?view=unchecked")),
		in("#more-project a", text("Next 100"), attr("href", "/agents/support-bot/memory?after=0198c0de-0000-7000-8000-000000000007&q=a%26b&type=project&view=unchecked")),
		in("#selection input[name=back]", attr("value", "/agents/support-bot/memory")),
	)
}

// deletedNotice returns the notice that a memory was deleted.
func deletedNotice(name, back string) ui.Notice {
	return ui.Notice{Text: "Deleted " + name, Actions: []ui.Action{ui.Undo("event", "the deletion of "+name, back)}}
}

func TestNotice_DeletionHasUndo(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	notice := deletedNotice("Answer in the customer's language", "/agents/support-bot/memory?q=a")
	v.Notice = &notice
	expect(t, templates.MemoriesPage(v), in("#notices",
		in("p", text("Deleted Answer in the customer's language")),
		in("form", attr("method", "post"), attr("action", "/undo/event")),
		in("input[name=back]", attr("value", "/agents/support-bot/memory?q=a")),
	))
}

func TestVisible_ShowsCodePoints(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	v.Groups[0].Rows[0].Name = "invoice\u202egnp.md"
	v.Groups[0].Rows[0].Description = "no\u200bwidth"
	notice := deletedNotice("invoice\u202egnp.md", "")
	v.Notice = &notice
	expect(t, templates.MemoriesPage(v),
		in("#memory-"+firstID+" h3", text("invoice[U+202E]gnp.md")),
		in("#memory-"+firstID+" p", text("no[U+200B]width")),
		in("#notices p", text("Deleted invoice[U+202E]gnp.md")),
	)
}

func TestBanner_MissingHasActions(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	v.Banners = []ui.Banner{templates.MissingMemories(slug, []string{"One", "Two"}, "etag")}
	expect(t, templates.MemoriesPage(v), in(".banner",
		in("h2", text("2 missing memories")),
		in(".items li", each("One", "Two")),
		in(`form[action="/agents/support-bot/missing/restore"] button`, text("Write all back")),
		in(`form[action="/agents/support-bot/missing/delete"] button`, text("Delete all")),
	))
}

func TestBanner_LinksToBlocked(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	v.Banners = []ui.Banner{templates.BlockedReturns(slug, 1)}
	expect(t, templates.MemoriesPage(v), in(".banner",
		in("h2", text("1 blocked file")),
		in("a", text("Review"), attr("href", "/agents/support-bot/review?kind=blocked")),
	))
}

func TestBanner_ForgetAsksAgain(t *testing.T) {
	t.Parallel()
	v := memoriesPage()
	v.Agent.Present = false
	v.Banners = []ui.Banner{v.Agent.Gone()}
	expect(t, templates.MemoriesPage(v),
		in("header.agent", says("Directory not found")),
		in(".banner details.confirm", in("p", says("cannot be undone")), in("form", attr("action", "/agents/support-bot/forget"))),
		in("main", without(`.actions > form`)),
	)
}

func TestMemoryPage_ShowsAll(t *testing.T) {
	t.Parallel()
	open := memoryPage(t, believableRows()[1])
	expect(t, readingPage(open),
		in(".pane h2", text("Never promise a refund date")),
		in(".prose h3", text("Exceptions")),
		in(".prose a", count(2)),
		in(".pane .meta", says("12 days old"), says("253 tokens")),
		in(".pane-tabs a", each("Text", "History 14", "Cost and recall", "File")),
		in(".pane-note", each("Contradicts freeze_december Different dates Compare", "Expired Date passed: 30 Nov 2025 Review")),
		in(".pane-facts", says("Linked from Billing migration freeze"), without("code")),
		in(".asked-as", in("h3", says("Asked as by the model, for an earlier text")), in("li", count(3)), in("a", attr("href", "/agents/support-bot/memory/"+open.ID+"?ask=true")), without("form")),
		in(`.menu a[href$="/raw"]`, text("Raw file")),
		in(`.pane form[action$="/delete"]`, count(1)),
		in(`.pane form[action$="/verify"] button`, text("Still true Never promise a refund date V")),
		in("main", without(`form[action$="/type"]`)),
	)
	expect(t, tabOf(open, address.FileTab),
		in(".pane-facts", says("memory/feedback_language.md"), says("1.2 KiB"), says("9f86d081884c7d65")),
		in(".files li", each("sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/feedback_language.md 9 Mar 2026, 11:00")),
	)
	expect(t, tabOf(costs(open), address.CostTab),
		in(".pane-facts", says("1,011 characters, 253 tokens"), says("line 14, loaded")),
		in(".recalls tbody tr", count(3)), in(".recalls tbody tr:nth-child(2)", says("Near miss")),
	)
}

func TestMemoryPage_ReaderCannotWrite(t *testing.T) {
	t.Parallel()
	open := masked(memoryPage(t, believableRows()[1]))
	open.CanWrite = false
	for _, tab := range []address.PaneTab{address.TextTab, address.FileTab, address.CostTab} {
		expect(t, tabOf(open, tab), in("#pane", without("form"), without(`a[href*="/edit"]`)))
	}
	open = asking(memoryPage(t, believableRows()[1]))
	open.CanWrite = false
	expect(t, readingPage(open), in(".asked-as", in("li", count(3)), without("form"), without("a")))
}

func TestMemoryPage_Masked(t *testing.T) {
	t.Parallel()
	expect(t, readingPage(masked(memoryPage(t, believableRows()[1]))),
		in(`form[action$="/reveal"] button`, text("Reveal R")), in("#pane", without("[data-copy]"), without(`form[action*="/move"]`), without(`a[data-action="edit"]`)),
	)
	expect(t, readingPage(asking(masked(memoryPage(t, believableRows()[1])))), in(".asked-as", without("form")))
}

func TestMemoryPage_OffersTypes(t *testing.T) {
	t.Parallel()
	expect(t, readingPage(memoryPage(t, believableRows()[8])),
		in(`form[action$="/type"]`, in("input[name=etag]", attr("value", `"9"`)), in("button[name=type]", count(4)), in("strong", each("Feedback", "User", "Project", "Reference"))),
	)
}

func TestMemoryPage_Unreadable(t *testing.T) {
	t.Parallel()
	expect(t, readingPage(memoryPage(t, believableRows()[9])),
		in(".pane", without(".prose"), in(`.pane-body p a[href$="/raw"]`, text("Raw file"))),
	)
}

func TestMemoryPage_Deleted(t *testing.T) {
	t.Parallel()
	v := memoryPage(t, believableRows()[1])
	v.State, v.DeletedAt, v.Files = memories.Deleted, noon, nil
	expect(t, readingPage(v), in(`.pane form[action$="/restore"]`, count(1)), in(".pane", without(`form[action$="/delete"]`)))
	expect(t, tabOf(v, address.FileTab), in(".pane-body", says("No file on disk has this memory now.")))
}

func TestTrash_ActorAndActions(t *testing.T) {
	t.Parallel()
	expect(t, templates.MemoriesPage(trashPage()),
		in("#group-feedback .row .by", each("deleted by a script", "deleted by a script")),
		in("#selection [data-action=restore]", count(1)),
		in("#selection .confirm button", text("Yes, delete permanently")),
	)
}

func TestSyncPage_Numbers(t *testing.T) {
	t.Parallel()
	v := syncPage()
	v.Pending, v.WatchMode, v.WatchNote = 14, "polling", "the file system sends no events"
	expect(t, templates.SyncPage(v),
		in("header.page", says("1 agent cannot be scanned · last full scan 9 Mar 2026, 12:00 Export and import Scan now")),
		in("#unwell-other .facts", says("Cannot be scanned Its directory is still being scanned, after 45 seconds.")),
		in(".facts-list strong", each("1,257", "1,257", "2", "14", "polling", "0", "9 Mar 2026, 12:00", "Complete", "212 ms")),
		in(`main form[action="/scan"]`, count(1)),
	)
}

func TestFailurePage_TextAndLink(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 403, 404, 405, 409, 412, 413, 421, 422, 503} {
		f := templates.FailureOf(status)
		if f.Title == templates.FailureOf(500).Title {
			t.Errorf("%d has no words of its own", status)
		}
		expect(t, templates.FailurePage(f), in("h1", text(f.Title)), in(".failure", says(f.Text), in("a", attr("href", "/"))), in("main", attr("data-events", "(none)")))
	}
	broken := templates.FailureOf(500)
	broken.RequestID = "b7f1c0d2"
	expect(t, templates.FailurePage(broken), in(".failure code", text("b7f1c0d2")))
}

func TestSignInPage_Problem(t *testing.T) {
	t.Parallel()
	expect(t, templates.SignInPage(templates.SignIn{Next: "/sync", Problem: "Wrong token. Use the value of --token."}),
		in("form.sign-in", attr("action", "/sign-in"), attr("method", "post"), attr("hx-post", "(none)")),
		in("input[name=next]", attr("value", "/sync")),
		in("#token", attr("type", "password"), attr("aria-invalid", "true"), attr("aria-describedby", "token-problem")),
		in("#token-problem", text("Wrong token. Use the value of --token.")),
		in("body:not(:has(nav))", count(1)),
	)
}

func TestAgentPath_Escapes(t *testing.T) {
	t.Parallel()
	if got, want := address.MemoryPath("a/../b", "?x#y", "raw"), "/agents/a%2F..%2Fb/memory/%3Fx%23y/raw"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
