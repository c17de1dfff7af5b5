package pages_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// TestProposals_InBrowser decides proposals with keys only and without scripts.
func TestProposals_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"one key each":       atDesk(decideWithKeys),
		"without JavaScript": onPhone(decideWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

const adaProposals = "/agents/ada/proposals"

// proposing returns a site with three proposals: one changes a memory and two are new.
func proposing(t *testing.T) *site {
	t.Helper()
	s := serve(t, memoirtest.Files{"ada/memory/user_tea.md": memoirtest.Note("Tea", memories.User, "Drinks green tea.")})
	s.propose(t, "ada", "Tea", memories.User, "Drinks black tea.")
	s.propose(t, "ada", "Use tabs", memories.Feedback, "Always **tabs**. <script>alert(1)</script>")
	s.propose(t, "ada", "Small commits", memories.Feedback, "Commit often.")
	return s
}

// propose stores a proposal as if it came from a conversation.
func (s *site) propose(t *testing.T, slug, name string, kind memories.Type, body string) {
	t.Helper()
	agent, err := s.Store.Agent(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	session, now := uuid.NewString(), records.Now()
	if err := s.Store.TouchConversation(t.Context(), agent.ID, session, "/x.jsonl", now); err != nil {
		t.Fatal(err)
	}
	c := memories.Content{Name: name, Type: kind, Description: "About " + name, Body: body}
	_, err = s.Store.SaveFinding(t.Context(), records.Finding{AgentID: agent.ID, Session: session, ReadAt: now, Proposals: []records.Proposal{{
		ID: uuid.New(), AgentID: agent.ID, State: records.ProposalWaiting, Content: c, Fingerprint: memories.FingerprintOf(kind, name, body),
		Quote: "they said " + name + " <b>themselves</b>", QuotedAt: now.Add(-time.Hour), Session: "s-one", ProposedAt: now,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Engine.Emit(slug, "proposed")
}

// proposal returns the id of a proposal.
func (s *site) proposal(t *testing.T, name string) string {
	t.Helper()
	agent, err := s.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.Store.Proposals(t.Context(), agent.ID, "", 10, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range page.Proposals {
		if p.Name == name {
			return p.ID.String()
		}
	}
	t.Fatalf("there is no proposal %q", name)
	return ""
}

func decideWithKeys(t *testing.T, browser context.Context) {
	s := proposing(t)
	p := open(t, browser, s, adaList, person{allowed: []string{"status of 412"}})
	p.press("g")
	p.follow(stroke("p"))
	p.at(adaProposals)
	p.live()
	p.mark()
	p.until(`document.querySelector('.tabs [aria-current] .count').textContent === "3"`)
	p.shows("they said Use tabs <b>themselves</b>")
	p.until(`document.querySelector(".proposal script") === null && document.querySelectorAll(".proposal .diff mark").length === 2`)
	p.fits()
	p.press("j") // Small commits, the newest
	p.press("a")
	p.shows("Accepted Small commits")
	p.until(`document.querySelectorAll(".proposal").length === 2`)
	if got := s.Read("ada/memory/feedback_small_commits.md"); !strings.Contains(got, "originSessionId: s-one") || !strings.Contains(s.Read("ada/CLAUDE.md"), "### Small commits") {
		t.Errorf("the file is %q", got)
	}
	p.until(`document.activeElement.textContent === "Use tabs"`)
	p.press("r")
	p.shows("Dismissed")
	p.until(`document.querySelectorAll(".proposal").length === 1 && document.activeElement.textContent === "Tea"`)
	s.propose(t, "ada", "Found meanwhile", memories.User, "It comes by itself.")
	p.shows("It comes by itself.")
	p.isMarked()
	p.press("j", "k")
	p.until(`document.activeElement.textContent === "Found meanwhile"`)
	p.press("j")
	// The memory changes before the proposal is accepted. It must not be overwritten.
	p.follow(stroke("e"))
	p.at(adaProposals + "/" + s.proposal(t, "Tea"))
	s.Write("ada/memory/user_tea.md", memoirtest.Note("Tea", memories.User, "Drinks white tea."))
	s.Scan("ada")
	p.do(chromedp.SetValue("#body", "Drinks black tea, mostly."))
	p.follow(click("Accept as it is here"))
	p.shows("It changed while you were editing")
	p.shows("Drinks white tea.")
	p.follow(click("Accept as it is here"))
	p.at(adaProposals)
	p.shows("Accepted Tea")
	if got := s.Memory("ada", "Tea").Body; got != "Drinks black tea, mostly." {
		t.Errorf("Tea says %q", got)
	}
}

func decideWithoutScripts(t *testing.T, browser context.Context) {
	s := proposing(t)
	p := open(t, browser, s, adaProposals, person{withoutScripts: true})
	p.fits()
	p.follow(chromedp.Click(chromedp.CSS("#" + templates.ProposalRowID(s.proposal(t, "Use tabs")) + ` [data-action="accept"]`)))
	p.shows("Accepted Use tabs")
	p.follow(chromedp.Click(chromedp.CSS("#" + templates.ProposalRowID(s.proposal(t, "Small commits")) + ` [data-action="refuse"]`)))
	p.shows("It is refused")
	p.follow(chromedp.Click(chromedp.CSS("#" + templates.ProposalRowID(s.proposal(t, "Tea")) + ` [data-action="edit"]`)))
	p.shows("they said Tea <b>themselves</b>")
	p.follow(click("Accept as it is here"))
	p.shows("Nothing is proposed")
	p.shows("It is switched off now.")
	if s.Memory("ada", "Tea").Body != "Drinks black tea." || !strings.Contains(s.Read("ada/CLAUDE.md"), "### Use tabs") {
		t.Error("what was accepted is not written")
	}
	p.fits()
}
