package extraction_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memoir/internal/extraction"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/records"
)

func TestAccept_PrivateMemory(t *testing.T) {
	// If a private and a team memory have the same name, a proposal is about the private one.
	t.Parallel()
	b := setup(t, extraction.Propose, found(rule("Use tabs", "always use tabs"), rule("Wiki", "it is in the wiki")))
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{"ada/memory/tabs.md", "ada/memory/team/tabs.md", "ada/memory/team/wiki.md"} {
		name := map[string]string{"wiki.md": "Wiki", "tabs.md": "Use tabs"}[filepath.Base(path)]
		b.Write(path, memoirtest.Note(name, memories.Feedback, "Says "+path))
	}
	if err := os.Chtimes(b.Path("ada/memory/tabs.md"), old, old); err != nil { // the team's is newer
		t.Fatal(err)
	}
	b.Scan("ada")
	b.says("s1", said("1", "user", "always use tabs, it is in the wiki"))
	b.run("s1")
	for _, p := range b.proposals(records.ProposalWaiting) {
		if p.Present == nil || p.Present.Team != (p.Name == "Wiki") {
			t.Errorf("%s would change %+v", p.Name, p.Present)
		}
		accept(b, b.extractor, p)
	}
	for path, changed := range map[string]bool{"tabs.md": true, "team/tabs.md": false, "team/wiki.md": true} {
		if got := strings.Contains(b.file(path), "that is the rule."); got != changed {
			t.Errorf("%s is changed: %t", path, got)
		}
	}
}

func TestAuto_WritesMemory(t *testing.T) {
	t.Parallel()
	b := setup(t, extraction.Auto, found(rule("Use tabs", "always use tabs"), rule("tea", "always use tabs")),
		found(rule("Wiki", "always use spaces"), rule("Office", "always use spaces", func(m map[string]any) { m["description"] = "Closed since yesterday" })))
	b.Write("ada/memory/feedback_tea.md", "---\nname: Tea\ntype: feedback\nowner: me\n---\n\nGreen.\n")
	b.Scan("ada")
	b.RepairIndex("ada")
	b.says("s1", said("1", "user", "Please always use tabs."))
	b.run("s1")
	if got := b.names(records.ProposalAccepted); got != "Tea|Use tabs" {
		t.Errorf("accepted: %s", got)
	}
	b.ExpectIndexTrue("ada", "--extract auto", "- [Use tabs](feedback_use_tabs.md) — About Use tabs")
	for _, name := range []string{"Use tabs", "Tea"} {
		journal, err := b.Store.Activity(b.Context(), records.ActivityList{AgentID: b.agent().ID, Name: name, Limit: 1})
		if err != nil || len(journal.Activity) != 1 || journal.Activity[0].Actor != memories.ByExtraction {
			t.Errorf("journal of %s: %+v, %v", name, journal, err)
		}
	}
	if tea := b.file("feedback_tea.md"); !strings.Contains(tea, "owner: me") || !strings.Contains(tea, "tea: that is the rule.") || b.file("feedback_use_tabs.md") == "" {
		t.Errorf("Tea: %s", tea)
	}
	// A change of a team memory and a relative date need a person's decision.
	b.Write("ada/memory/team/wiki.md", memoirtest.Note("Wiki", memories.Feedback, "Of the team."))
	b.Scan("ada")
	b.says("s1", said("2", "user", "Now always use spaces."))
	b.run("s1")
	if got := b.names(records.ProposalWaiting); got != "Office|Wiki" || !strings.Contains(b.file("team/wiki.md"), "Of the team.") {
		t.Errorf("waiting: %s", got)
	}
	for _, p := range b.proposals(records.ProposalWaiting) {
		if got, want := p.Doubt(), "Says “yesterday”: the message is of Monday 2026-03-02. Edit it to say which day that was."; p.Name == "Office" && got != want || p.Name == "Wiki" && got != "" {
			t.Errorf("%s: %q", p.Name, got)
		}
		accept(b, b.extractor, p)
	}
	if got := b.names(records.ProposalWaiting); got != "" || b.proposals(records.ProposalAccepted)[0].Doubt() != "" {
		t.Errorf("a person could not accept %s", got)
	}
}
