package sync_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// pair is two agents to which the same happens. One of them also gets so much else that its looks
// are divided.
type pair struct {
	*bench
	began   time.Time
	ballast int // files so far
}

const (
	whole   = "whole"
	divided = "divided"
)

func newPair(t *testing.T) *pair {
	b := setup(t)
	b.stopWatching()
	return &pair{bench: b, began: time.Now().Add(-time.Minute)}
}

// both does the same to both agents.
func (p *pair) both(do func(slug string)) { do(whole); do(divided) }

// writeBoth writes a file of that age, in whole hours since a moment that is the same for all of
// them.
func (p *pair) writeBoth(path, text string, hours int) {
	p.Helper()
	p.both(func(slug string) {
		p.writeAged(slug+"/"+path, text, time.Since(p.began)+time.Duration(hours)*time.Hour)
	})
}

// addBallast gives one agent 24 MB of new files, more than a batch has room for. They are almost
// only blanks, because words take much longer to examine and to index.
func (p *pair) addBallast() {
	p.Helper()
	body := "ballast" + strings.Repeat(" ", memories.MaxFileSize-1024) + "ballast"
	for range 24 {
		p.ballast++
		p.write(fmt.Sprintf("%s/sessions/M-ballast/memory/%d.md", divided, p.ballast), note(fmt.Sprint("Ballast ", p.ballast), memories.User, body))
	}
}

// scanBoth scans both agents, one of them in batches.
func (p *pair) scanBoth() {
	p.Helper()
	p.addBallast()
	before := p.commits()
	p.scanAll()
	if n := p.commits() - before; n < 2 {
		p.Fatalf("the look was committed in %d portion(s), so this test shows nothing", n)
	}
}

// commits counts the transactions that have written the ballast.
func (p *pair) commits() (n int) {
	p.Helper()
	conn, err := pgx.Connect(p.Context(), p.url)
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // only read through
	err = conn.QueryRow(p.Context(), "SELECT count(DISTINCT xmin::text) FROM revisions WHERE path LIKE 'sessions/M-ballast/%'").Scan(&n)
	if err != nil {
		p.Fatal(err)
	}
	return n
}

// agree compares all that is known of both agents.
func (p *pair) agree() {
	p.Helper()
	want, got := p.known(whole), p.known(divided)
	for _, line := range want {
		if !slices.Contains(got, line) {
			p.Errorf("only when looked at whole: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			p.Errorf("only when looked at in portions: %s", line)
		}
	}
}

// known says, a line each, all that is known of an agent, without ids and without what depends on
// when it was scanned.
func (p *pair) known(slug string) []string {
	p.Helper()
	agent := p.agent(slug)
	when := func(at time.Time) string {
		if at.Before(p.began.Add(-time.Minute)) {
			return at.Sub(p.began).Round(time.Hour).String()
		}
		return "now"
	}
	var lines []string
	for _, state := range []memories.State{"", memories.Deleted} {
		page, err := p.store.Memories(p.Context(), agent, memories.Filter{State: state}, memories.PageRequest{Limit: records.MaxLimit})
		if err != nil {
			p.Fatal(err)
		}
		for _, m := range page.Memories {
			if strings.HasPrefix(m.Name, "Ballast") {
				continue
			}
			full, err := p.store.Memory(p.Context(), agent, m.ID)
			if err != nil {
				p.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%s %q at %s of %s: %q, problems %v, created %s, updated %s, age from %s", full.State, full.Name,
				full.Path, full.Session, full.Body, full.Problems, when(full.CreatedAt), when(full.UpdatedAt), when(full.ModifiedAt)))
			for _, f := range full.Files {
				lines = append(lines, fmt.Sprintf("%q is in %s with %s", full.Name, f.Path, f.Hash))
			}
			for i, r := range p.revisions(slug, m) {
				lines = append(lines, fmt.Sprintf("%q said %d ago %q in %s, seen %s", full.Name, i, r.Body, r.Path, when(r.SeenAt)))
			}
		}
	}
	for _, b := range p.blocked(slug) {
		lines = append(lines, fmt.Sprintf("kept out: %q at %s", b.Name, b.Path))
	}
	page, err := p.store.Activity(p.Context(), records.ActivityList{AgentID: agent.ID, Limit: records.MaxLimit})
	if err != nil {
		p.Fatal(err)
	}
	steps := map[string]int{}
	for _, h := range page.Activity {
		if !strings.HasPrefix(h.Name, "Ballast") {
			steps[h.Name]++
			lines = append(lines, fmt.Sprintf("%q, %d from the last: %s by %s at %s, then %s, renamed %q, %s", h.Name, steps[h.Name], h.Kind, h.Actor, h.Path, h.State, h.Renamed, when(h.At)))
		}
	}
	return lines
}

func TestBatches_SameResult(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	feedback := func(name, body string) string { return note(name, memories.Feedback, body) }
	first, last := "sessions/A-1-1/memory/", "sessions/Z-1-1/memory/" // with other files in between

	p.writeBoth("memory/shared.md", feedback("Shared", "durable"), 5)
	p.writeBoth(first+"shared.md", feedback("Shared", "newest"), 1)
	p.writeBoth(last+"shared.md", feedback("Shared", "oldest"), 9)
	p.writeBoth("memory/twin-1.md", feedback("Twins", "one"), 3)
	p.writeBoth("memory/twin-2.md", feedback("Twins", "two"), 2)
	p.writeBoth("memory/odd.md", "No frontmatter, no type.", 2)
	p.writeBoth("memory/broken.md", feedback("Broken", "still whole"), 7)
	p.writeBoth("memory/nul.md", "nothing but \x00", 7)
	p.writeBoth("memory/leaves.md", feedback("Leaves", "text"), 7)
	p.writeBoth("memory/stays.md", feedback("Goes", "text"), 7)
	p.writeBoth("memory/swap-1.md", feedback("Left", "left"), 7)
	p.writeBoth("memory/swap-2.md", feedback("Right", "right"), 6)
	p.writeBoth("memory/trashed.md", feedback("Trashed", "stale"), 7)
	p.writeBoth("memory/back.md", feedback("Back", "here again"), 7)
	p.writeBoth("memory/edited.md", feedback("Edited", "before"), 7)
	p.scanBoth()
	p.agree()

	p.both(func(slug string) {
		p.delete(slug, "Trashed")
		p.remove(slug + "/memory/back.md")
		p.scan(slug)
		// A file moves to the far end, another goes while a session says the same, two change places.
		p.rename(slug+"/memory/leaves.md", slug+"/"+last+"arrives.md")
		p.remove(slug + "/memory/shared.md")
		p.rename(slug+"/memory/swap-1.md", slug+"/aside")
		p.rename(slug+"/memory/swap-2.md", slug+"/memory/swap-1.md")
		p.rename(slug+"/aside", slug+"/memory/swap-2.md")
	})
	p.writeBoth(last+"trashed.md", feedback("Trashed", "stale"), 6) // the same content, kept out
	p.writeBoth(last+"back.md", feedback("Back", "here again"), 6)
	p.writeBoth("memory/stays.md", feedback("Comes", "the file has another name"), 3)
	p.writeBoth(last+"comes.md", feedback("Comes", "a session says so too"), 4)
	p.writeBoth("memory/broken.md", "now it has a \x00", 2)
	p.writeBoth(last+"broken.md", feedback("Broken", "a session has it"), 4)
	p.writeBoth("memory/nul.md", feedback("Mended", "it can be read"), 1)
	p.writeBoth("memory/edited.md", feedback("Edited", "after"), 4)
	p.writeBoth(last+"edited.md", feedback("Edited", "by a session"), 2)
	p.writeBoth(first+"twin-3.md", feedback("Twins", "three"), 1)
	p.scanBoth()
	p.agree()
	p.scanAll()
	p.agree()
}

// elevenOfTwentyGo removes eleven of twenty files from each agent, and adds thirty new ones. The
// new files must not change the share of removed files.
func (p *pair) elevenOfTwentyGo() {
	p.Helper()
	for i := range 20 {
		p.writeBoth(fmt.Sprintf("memory/m%02d.md", i), note(fmt.Sprintf("M%02d", i), memories.User, "text"), 5)
	}
	p.scanBoth()
	p.both(func(slug string) {
		for i := range 11 {
			p.remove(fmt.Sprintf("%s/memory/m%02d.md", slug, i))
		}
		for i := range 30 {
			p.write(fmt.Sprintf("%s/memory/n%02d.md", slug, i), note(fmt.Sprintf("N%02d", i), memories.User, "text"))
		}
	})
}

func TestBatches_MassRemovalWithNewFiles(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.elevenOfTwentyGo()
	p.scanBoth()
	p.agree()
	if n := len(p.list(divided, memories.Missing)); n != 11 {
		t.Errorf("%d memories are missing, want 11", n)
	}
}

func TestBatches_MassRemovalAfterInterruption(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.elevenOfTwentyGo()
	p.addBallast()
	// As if Postgres, or the server, went away between two batches.
	p.execute(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut short'; END $$;
		CREATE TRIGGER cut BEFORE UPDATE ON memories FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION cut()`)
	if _, err := p.engine.ScanAll(t.Context()); err == nil {
		t.Fatal("the scan was not cut short")
	}
	p.execute("DROP TRIGGER cut ON memories")
	p.scanAll()
	p.agree()
	if n := len(p.list(divided, memories.Missing)); n != 11 {
		t.Errorf("%d memories are missing, want 11", n)
	}
}
