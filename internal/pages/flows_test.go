package pages_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/examples"
	"memoir/internal/access"
	"memoir/internal/access/directory"
	"memoir/internal/access/oidc/oidctest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// quoted returns a text as a JavaScript string.
func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // text always marshals
	}
	return string(raw)
}

// TestFlows_InBrowser runs user flows in a real browser, with the headers of the real server.
func TestFlows_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"a file written by hand appears in the open page":                 atDesk(newFileAppears),
		"a memory is read whole and as its raw file":                      everywhere(readOne),
		"a memory of one endless line is read without sideways scrolling": everywhere(readEndlessLine),
		"a text is as wide as eyes follow":                                everywhere(readAtItsMeasure),
		"a deleted memory is gone and undo brings it back":                everywhere(deleteAndUndo),
		"a memory is deleted from its own page":                           everywhere(deleteFromItsPage),
		"a memory that changed meanwhile is not deleted":                  onPhone(deleteChanged),
		"a refusal stays when the page was to be refreshed meanwhile":     onPhone(refusedMeanwhile),
		"the trash restores and deletes for good":                         onPhone(useTheTrash),
		"a memory without a type is fixed with one click":                 onPhone(fixType),
		"the CLAUDE.md tab follows the memories":                          atDesk(watchClaudeMD),
		"the search finds while typing":                                   onPhone(search),
		"the sample agents come with one click":                           atDesk(addSampleAgents),
		"the first agent appears on the empty first page":                 onPhone(firstAgentAppears),
		"who signs in with the token comes back to where they wanted to":  onPhone(signIn),
		"who signs in at a provider comes back to where they wanted to":   atDesk(signInAtProvider(person{})),
		"a provider signs in without JavaScript":                          atDesk(signInAtProvider(person{withoutScripts: true})),
		"everything that matters works without JavaScript":                everywhere(withoutScripts),
		"a deletion is looked at, put off and done":                       onPhone(deleteWithOpenEyes),
		"a memory is given to the team, and the move is undone":           everywhere(moveToTeam),
		"an old version is found in the history and restored":             onPhone(goBackInHistory),
		"hostile versions fit every screen":                               everywhere(readHostileHistory),
		"history and deletions work without JavaScript":                   atDesk(changesWithoutScripts),
		"writing works without JavaScript":                                atDesk(writeWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func newFileAppears(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, "/", person{})
	p.follow(chromedp.Click(chromedp.CSS("#agent-ada [data-open]")))
	p.until(`location.pathname.startsWith("` + adaList + `")`)
	p.shows("About Tabs")
	p.live()
	p.mark()
	s.Write("ada/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	p.shows("About Kettle")
	s.Write("ada/memory/kettle.md", strings.Replace(memoirtest.Note("Kettle", memories.User, "Coffee."), "About Kettle", "No tea", 1))
	p.shows("No tea")
	s.Remove("ada/memory/kettle.md")
	p.hides("Kettle")
	p.isMarked()
}

func readOne(t *testing.T, browser context.Context) {
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use **tabs**.\n\n<img src=x onerror=alert(1)>")})
	p := open(t, browser, s, adaList, person{})
	p.do(chromedp.Click(chromedp.CSS(".row h3 a")))
	p.until(`document.querySelector(".prose strong")?.textContent === "tabs"`)
	p.shows("<img src=x onerror=alert(1)>")
	p.do(chromedp.Click(chromedp.CSS("#pane .more-menu summary")))
	p.follow(click("Raw file"))
	p.until(`document.body.innerText === ` + quoted(s.Read("ada/memory/tabs.md")))
}

func readEndlessLine(t *testing.T, browser context.Context) {
	for _, line := range []string{strings.Repeat("*a [b](http://c.example) ", 2_000), "<div>" + strings.Repeat("word ", 5_000)} {
		s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, line)})
		p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
		p.until(`(pre => pre.scrollWidth <= pre.clientWidth)(document.querySelector(".prose pre"))`)
	}
}

// lineLengths is a script that returns the length of each line of the only paragraph.
const lineLengths = `(text => {
  const range = document.createRange(), lengths = [];
  for (let i = 0, top = -1; i < text.length; i++) {
    range.setStart(text, i);
    range.setEnd(text, i + 1);
    const line = range.getBoundingClientRect().top;
    if (line > top + 5) { lengths.push(0); top = line; }
    lengths[lengths.length - 1]++;
  }
  return lengths.slice(0, -1); // the last line ends with the text
})(document.querySelector(".prose p").firstChild)`

func readAtItsMeasure(t *testing.T, browser context.Context) {
	prose := strings.Repeat("Ask for a split before reviewing when a change passes three hundred lines, and propose where to cut. ", 12)
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, prose)})
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	lengths := evaluate[[]int](p, lineLengths)
	longest := slices.Max(lengths)
	// A phone has shorter lines.
	wide := evaluate[bool](p, `innerWidth > 1000`)
	if longest > 80 || wide && longest < 60 {
		t.Errorf("the lines are %d characters long", lengths)
	}
}

func deleteAndUndo(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.live()
	p.mark()
	p.do(click("Delete Tabs"))
	p.shows("Deleted Tabs")
	p.until(`document.querySelectorAll(".row").length === 1`)
	if s.Read("ada/memory/tabs.md") != "" || strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("the memory is still on disk")
	}
	p.do(click("Undo the deletion of Tabs"))
	p.shows("Restored Tabs")
	p.until(`document.querySelectorAll(".row").length === 2`)
	if s.Read("ada/memory/tabs.md") != twoMemories()["ada/memory/tabs.md"] || !strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("the memory is not back on disk")
	}
	p.isMarked()
}

func deleteFromItsPage(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.live()
	p.do(click("Delete Tabs"))
	p.shows("Deleted Tabs")
	p.until(`document.querySelectorAll(".row").length === 1`)
	// The page that replaced the other follows the disk too.
	s.Write("ada/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	p.until(`document.querySelectorAll(".row").length === 2 || document.body.textContent.includes("1 new")`)
}

func deleteChanged(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{allowed: []string{"412 (Precondition Failed)"}})
	p.live()
	field := `document.querySelector("#pane form:has([data-action=delete]) input[name=etag]")`
	seen := evaluate[string](p, field+`.value`)
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Scan("ada")
	p.until(field + `.value !== ` + quoted(seen))
	// The page has followed the change by now, so restore the ETag of a faster click.
	p.do(chromedp.Evaluate[chromedp.Void](field + `.value = ` + quoted(seen)))
	p.do(click("Delete Tabs"))
	p.shows("Memory has changed")
	p.shows("Use spaces.")
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("the file is gone")
	}
	p.do(click("Delete Tabs"))
	p.shows("Deleted Tabs")
}

// refusedMeanwhile refreshes the page during a deletion that is refused.
func refusedMeanwhile(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{allowed: []string{"412 (Precondition Failed)"}})
	p.live()
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const send = window.fetch;
		window.fetch = (...request) => request[1]?.method !== "POST" ? send(...request)
			: new Promise((answered) => { window.answer = () => answered(send(...request)); });
		new EventSource(document.getElementById("main").dataset.events).addEventListener("changed", () => { window.changed = true; });
	}`))
	p.do(click("Delete Tabs"))
	p.until(`window.answer !== undefined`)
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Scan("ada")
	p.until(`window.changed === true`)
	// The refresh was requested by now, or is due within half a second, and waits for the deletion.
	p.do(chromedp.Evaluate[chromedp.Void](`setTimeout(() => { window.answer(); setTimeout(() => { window.late = true; }, 1500); }, 1000)`))
	p.until(`window.late === true`)
	p.shows("Memory has changed")
}

func useTheTrash(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	tabs, release := s.Memory("ada", "Tabs"), s.Memory("ada", "Release")
	for _, m := range []memories.Memory{tabs, release} {
		s.submit(t, s.get(t, pageOf(m)), "Delete "+m.Name)
	}
	p := open(t, browser, s, adaList+"?view=trash", person{})
	p.until(`document.querySelectorAll(".row").length === 2`)
	p.follow(chromedp.Navigate(s.address + pageOf(tabs)))
	p.live()
	p.do(chromedp.Click(chromedp.CSS(`#pane [data-action="restore"]`)))
	p.shows("Restored Tabs")
	p.follow(chromedp.Navigate(s.address + pageOf(release)))
	p.live()
	p.do(chromedp.Click(chromedp.CSS("#pane details.confirm summary")), chromedp.Click(chromedp.CSS("#pane .confirm-step button")))
	p.shows("Deleted permanently")
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("the restored file is not there")
	}
}

func fixType(t *testing.T, browser context.Context) {
	s := serve(t, memoirtest.Files{"ada/memory/printer.md": "---\nname: Printer\n---\nIt jams.\n"})
	p := open(t, browser, s, adaList, person{})
	p.shows("Needs attention")
	p.live()
	p.do(chromedp.Click(chromedp.CSS("#group-attention h3 a")))
	p.do(click("Reference where things live"))
	p.shows("Printer: reference")
	p.until(`document.querySelector(".choose-type") === null`)
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "### Printer") {
		t.Error("it is not compiled")
	}
}

func watchClaudeMD(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{})
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href$="/context"]`)))
	text := `[...document.querySelectorAll(".source li > [dir]")].map((l) => l.textContent + "\n").join("")`
	p.until(text + ` === ` + quoted(s.Read("ada/CLAUDE.md")))
	p.live()
	s.Write("ada/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	p.until(text + `.includes("### Kettle")`)
	p.until(`document.querySelector(".xray-bar [data-kind=user] title")?.textContent.startsWith("Kettle: ")`)
}

func search(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{})
	p.live()
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "tues"))
	p.until(`document.querySelectorAll(".row").length === 1`)
	p.until(`document.querySelectorAll(".row").length === 1`)
	p.until(`new URLSearchParams(location.search).get("q") === "tues"`)
}

func addSampleAgents(t *testing.T, browser context.Context) {
	m := memoirtest.Start(t, nil)
	s := serveMemoir(t, m, setting{addSamples: func() error { return examples.Copy(m.Dir) }})
	p := open(t, browser, s, "/", person{})
	p.shows("No agents yet")
	p.live()
	p.do(click("Add sample agents"))
	p.until(`document.querySelectorAll(".agents tbody tr").length === 3`)
	p.shows("Added 3 sample agents")
}

func firstAgentAppears(t *testing.T, browser context.Context) {
	s := serve(t, nil)
	p := open(t, browser, s, "/", person{})
	p.shows("No agents yet")
	p.live()
	p.mark()
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use tabs."))
	p.until(`document.querySelector("#agent-ada a")?.textContent === "ada"`)
	p.isMarked()
}

func signIn(t *testing.T, browser context.Context) {
	s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the token"})
	p := open(t, browser, s, adaList+"?q=tabs", person{allowed: []string{"403 (Forbidden)"}})
	p.at("/sign-in")
	p.do(chromedp.SendKeys(chromedp.CSS("#token"), "a guess"))
	p.follow(click("Sign in"))
	p.shows("Wrong token. Use the value of --token.")
	p.do(chromedp.SendKeys(chromedp.CSS("#token"), "the token"))
	p.follow(click("Sign in"))
	p.until(`location.pathname.startsWith("` + adaList + `")`)
	p.until(`document.querySelectorAll(".row").length === 1`)
	p.live()
	s.Write("ada/memory/more.md", memoirtest.Note("More tabs", memories.Feedback, "Always."))
	p.until(`document.querySelectorAll(".row").length === 2`)
}

// signInAtProvider returns a flow of a person who signs in at a provider, which is another site.
func signInAtProvider(as person) flow {
	return func(t *testing.T, browser context.Context) {
		provider := oidctest.New(t)
		s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the token", provider: provider})
		mira := access.Principal{Name: "mira", Login: "mira@example.org", Scope: access.Write, Agents: []string{access.AllAgents}}
		if _, _, err := directory.New(s.Store, slog.New(slog.DiscardHandler)).CreateToken(t.Context(), mira); err != nil {
			t.Fatal(err)
		}
		host := strings.TrimPrefix(provider.Issuer, "http://")
		as.allowed = []string{"403 (Forbidden)", "401 (Unauthorized)"} // a page may ask for news after it has signed out
		provider.Set(oidctest.Behaviour{Denies: "access_denied"})
		p := open(t, browser, s, adaList+"?q=tabs", as)
		p.at("/sign-in")
		p.follow(click("Sign in with " + host))
		p.shows(host + " did not let you in, or you did not agree. Start again, or sign in with a token.")
		provider.Set(oidctest.Behaviour{Asks: true, Claims: oidctest.Mira()})
		p.follow(click("Sign in with " + host))
		p.until(`location.host === ` + quoted(host))
		p.follow(chromedp.Click(chromedp.CSS("#agree")))
		p.until(`location.pathname.startsWith("` + adaList + `") && document.querySelectorAll(".row").length === 1`)
		p.until(`document.querySelector("#account summary").title.startsWith("mira")`)
		p.do(chromedp.Click(chromedp.CSS("#account summary")))
		p.follow(chromedp.Click(chromedp.CSS("#account form button")))
		p.at("/sign-in")
	}
}

func withoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, "/", person{withoutScripts: true})
	p.until(`document.documentElement.dataset.script === undefined`)
	p.follow(chromedp.Click(chromedp.CSS("#agent-ada [data-open]")))
	p.shows("About Tabs")
	p.follow(chromedp.Click(chromedp.CSS("#group-feedback h3 a")))
	p.shows("Use tabs.")
	p.follow(click("Delete Tabs"))
	p.shows("Deleted Tabs")
	if s.Read("ada/memory/tabs.md") != "" {
		t.Error("the file is still there")
	}
	p.follow(click("Undo the deletion of Tabs"))
	p.shows("Restored Tabs")
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("the undo did not bring the file back")
	}
	p.follow(chromedp.Navigate(s.address + adaList))
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "tues"))
	p.follow(click("Show"))
	p.until(`document.querySelectorAll(".row").length === 1`)
}
