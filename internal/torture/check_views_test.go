package torture

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// checkClaudeMD checks that CLAUDE.md has the text written by hand, then each active memory and no
// other.
func (f *found) checkClaudeMD() {
	f.Helper()
	raw, err := os.ReadFile(f.path("CLAUDE.md"))
	if err != nil {
		f.Fatal(err)
	}
	text := string(raw)
	f.mu.Lock()
	f.checkAbove(text)
	f.mu.Unlock()
	if strings.Count(text, blockBegins) != 1 || !strings.HasSuffix(text, "\n"+blockEnds) {
		f.Errorf("CLAUDE.md of %s does not have one block at its end: %q", f.slug, text)
	}
	if sections := strings.Count(text, "\n### "); sections != len(f.alive) {
		f.Errorf("CLAUDE.md of %s has %d memories, and %d live", f.slug, sections, len(f.alive))
	}
	for name, m := range f.alive {
		if !strings.Contains(text, "\n### "+name+"\n\n"+m.Body+"\n") {
			f.Errorf("CLAUDE.md of %s does not say that %s is %q", f.slug, name, m.Body)
		}
	}
	var compiled string
	f.server.must("GET", f.api("/claude-md"), &compiled)
	if compiled != text {
		f.Errorf("CLAUDE.md of %s is %q, and would be compiled to %q", f.slug, text, compiled)
	}
}

// entry matches the line that Memoir adds to MEMORY.md for a memory that it has saved.
var entry = regexp.MustCompile(`^- \[[^\]]+\]\([^)]+\) — d\n$`)

// indexLineAnywhere matches indexLine(i) with any path: a restore may have given the memory another
// file.
func indexLineAnywhere(i int) *regexp.Regexp {
	before, after, _ := strings.Cut(indexLine(i), fmt.Sprintf("(m%d.md)", i))
	return regexp.MustCompile("(?m)^" + regexp.QuoteMeta(before) + `\([^)]+\)` + regexp.QuoteMeta(after))
}

// checkIndex checks that MEMORY.md has lost no line, except lines that link to a file of a deleted
// memory, and that all other lines are entries.
func (f *found) checkIndex() {
	f.Helper()
	raw, err := os.ReadFile(f.path("memory/MEMORY.md"))
	if err != nil {
		f.Fatal(err)
	}
	rest, heads := strings.CutPrefix(string(raw), indexHeading)
	if !heads {
		f.Errorf("the index begins with something else: %q", raw)
	}
	for i := range minutes {
		before := len(rest)
		if at := indexLineAnywhere(i).FindStringIndex(rest); at != nil {
			rest = rest[:at[0]] + rest[at[1]:]
		}
		if before == len(rest) && !f.unlinked[minuteFile(i)] {
			f.Errorf("the index has lost its line for m%d.md, whose memory was never deleted: %q", i, raw)
		}
	}
	for _, line := range f.noted {
		before := len(rest)
		rest = strings.Replace(rest, line, "", 1)
		if before == len(rest) {
			f.Errorf("the index has lost %q: %q", line, raw)
		}
	}
	for line := range strings.Lines(rest) {
		if line == "\n" {
			continue // above the first entry
		}
		if !entry.MatchString(line) {
			f.Errorf("the index has more than was written into it: %q in %q", line, raw)
		}
	}
}

// shownName matches the names of memories on a page. A memory whose file was read half-written has
// its file name's stem as its name.
var shownName = regexp.MustCompile(`<a [^>]*data-open[^>]*>\s*(?:<bdi>\s*)?([A-Za-z]\d+)\s*<`)

// checkPages checks that the Memory tab and the trash show the memories of the API, and that the
// agent's count is right.
func (f *found) checkPages() {
	f.Helper()
	for tab, memories := range map[string]map[string]memory{"/memory": f.alive, "/trash": f.trash} {
		var html string
		f.server.must("GET", "/agents/"+f.slug+tab, &html)
		shown := map[string]bool{}
		for _, match := range shownName.FindAllStringSubmatch(html, -1) {
			shown[match[1]] = true
		}
		if listed := slices.Sorted(maps.Keys(memories)); !slices.Equal(slices.Sorted(maps.Keys(shown)), listed) {
			f.Errorf("the page %s of %s shows %v, and the API lists %v", tab, f.slug, slices.Sorted(maps.Keys(shown)), listed)
		}
	}
	var agent struct {
		Counts   struct{ Total, Deleted int }
		ClaudeMD struct{ Problem *string } `json:"claude_md"`
	}
	f.server.must("GET", f.api(""), &agent)
	if agent.Counts.Total != len(f.alive) || agent.Counts.Deleted != len(f.trash) {
		f.Errorf("%s counts %+v, and %d live and %d are in the trash", f.slug, agent.Counts, len(f.alive), len(f.trash))
	}
	if agent.ClaudeMD.Problem != nil {
		f.Errorf("%s has a problem with its CLAUDE.md: %s", f.slug, *agent.ClaudeMD.Problem)
	}
}

// checkPresentAsPast checks that the lists as of now, read from the journal, match the current
// state.
func (f *found) checkPresentAsPast() {
	f.Helper()
	for state, present := range map[string]map[string]memory{"active": f.alive, "deleted": f.trash} {
		var past struct{ Memories []memory }
		at := url.QueryEscape(time.Now().Format(time.RFC3339Nano))
		f.server.must("GET", f.api("/memories?limit=500&state="+state+"&as_of="+at), &past)
		if len(past.Memories) != len(present) {
			f.Errorf("%d are %s as of now, and it is %d", len(past.Memories), state, len(present))
		}
		for _, m := range past.Memories {
			if now := present[m.Name]; m.ID != now.ID || m.Type != now.Type || m.Body != now.Body {
				f.Errorf("%s as of now is %+v, and it is %+v", state, m, now)
			}
		}
	}
}

// checkSync checks that the sync status reports every file as mirrored, and that nothing is
// pending.
func (s *server) checkSync() {
	s.Helper()
	onDisk := 0
	for _, l := range s.ledgers {
		onDisk += len(l.disk())
	}
	var meter struct {
		FilesOnDisk int `json:"files_on_disk"`
		Mirrored    int
		Pending     int
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		s.must("GET", "/api/v1/sync", &meter)
		if meter.FilesOnDisk == onDisk && meter.Mirrored == onDisk && meter.Pending == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.Errorf("the meter says %+v, and there are %d memory files", meter, onDisk)
			return
		}
	}
}
