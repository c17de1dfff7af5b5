package torture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"memoir/internal/postgres/pgtest"
)

// check compares the state that each server reports with the ledgers. Nobody may work meanwhile.
func (p *place) check(databaseURL string) {
	p.Helper()
	for _, s := range p.servers {
		s.awaitReady() // Postgres may still be coming back
		s.must("POST", "/api/v1/scan", nil)
		for _, l := range p.ledgers {
			l.check(s)
		}
		s.checkSync()
	}
	for _, gap := range pgtest.JournalGaps(context.Background(), databaseURL) {
		p.Error(gap)
	}
	if p.Failed() {
		p.Fatalf("the log:\n%s", p.log())
	}
}

// found is an agent's state: the answers of one server, and the files on its disk.
type found struct {
	*ledger
	server  *server
	alive   map[string]memory // by name
	trash   map[string]memory
	blocked map[string]blocked // by path
	disk    map[string]string  // the texts of memory files by path
}

func (l *ledger) check(s *server) {
	l.Helper()
	f := found{ledger: l, server: s, alive: map[string]memory{}, trash: map[string]memory{}, blocked: map[string]blocked{}, disk: l.disk()}
	for _, m := range f.list("active") {
		f.alive[m.Name] = m
	}
	for _, m := range f.list("deleted") {
		f.trash[m.Name] = m
	}
	for _, state := range []string{"needs_attention", "missing"} {
		for _, m := range f.list(state) {
			l.Errorf("%s is %s, and nothing has happened that would make it so", m.Name, state)
		}
	}
	var answer struct{ Blocked []blocked }
	s.must("GET", l.api("/blocked"), &answer)
	for _, b := range answer.Blocked {
		f.blocked[b.Path] = b
	}
	f.checkFiles()
	f.checkMinutes()
	f.checkPersonal()
	f.checkDeletions()
	f.checkNothingIsLost()
	f.checkClaudeMD()
	f.checkIndex()
	f.checkPages()
	f.checkPresentAsPast()
}

func (f *found) list(state string) []memory {
	f.Helper()
	var answer struct {
		Memories []memory
		Total    int
	}
	f.server.must("GET", f.api("/memories?sort=name&limit=500&state="+state), &answer)
	if answer.Total != len(answer.Memories) {
		f.Errorf("%d are %s, and %d are listed", answer.Total, state, len(answer.Memories))
	}
	return answer.Memories
}

// disk returns the texts of the memory files by path. It reports each remainder of an interrupted
// write or removal as a test error.
func (l *ledger) disk() map[string]string {
	l.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(l.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if strings.HasPrefix(entry.Name(), ".memoir-") {
			l.Errorf("%s is left over", path)
		}
		rel, err := filepath.Rel(l.dir, path)
		if err != nil || filepath.Ext(path) != ".md" || entry.Name() == "MEMORY.md" || rel == "CLAUDE.md" {
			return err
		}
		raw, err := os.ReadFile(path)
		texts[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		l.Fatal(err)
	}
	return texts
}

var nameLine = regexp.MustCompile(`(?m)^name: "?([A-Z]\d+)"?$`)

// bodyOf returns the body of a memory file as the API returns it.
func bodyOf(text string) string {
	_, body, _ := strings.Cut(text, "\n---\n")
	return strings.TrimSpace(body)
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// checkFiles checks that each file is carried by the memory that it names, or is blocked. Each file
// of a memory must exist, with the memory's body.
func (f *found) checkFiles() {
	f.Helper()
	for path, text := range f.disk {
		stated := nameLine.FindStringSubmatch(text)
		if stated == nil {
			f.Errorf("%s has no name: %q", path, text)
			continue
		}
		m := f.alive[stated[1]]
		carried := slices.ContainsFunc(m.Files, func(file struct{ Path, Hash string }) bool {
			return file.Path == path && file.Hash == hashOf(text)
		})
		if b := f.blocked[path]; !carried && b.Hash != hashOf(text) {
			f.Errorf("%s says %q, and is neither carried by %s (%+v) nor kept out (%+v)", path, text, stated[1], m, b)
		}
	}
	for name, m := range f.alive {
		for _, file := range m.Files {
			text, there := f.disk[file.Path]
			if !there || hashOf(text) != file.Hash {
				f.Errorf("%s has the file %s as %s, and it is %q (there: %t)", name, file.Path, file.Hash, text, there)
			}
			if file.Path == m.Path && file.Hash == m.Hash && bodyOf(text) != m.Body {
				f.Errorf("%s says %q, and its file %s says %q", name, m.Body, file.Path, text)
			}
		}
	}
}

// checkMinutes checks that a memory with one file has its body, and is deleted if the file is gone.
// A restore adds a second file if a blocked file has the first one's path.
func (f *found) checkMinutes() {
	f.Helper()
	for i := range minutes {
		name, place := nameOf(ofMinutes, i), minuteFile(i)
		m, lives := f.alive[name]
		text, there := f.disk[place]
		_, keptOut := f.blocked[place]
		switch {
		case lives && len(m.Files) == 0 && !f.keepsOut(name):
			f.Errorf("%s is gone, and its memory lives with %q in %v", place, m.Body, m.Files)
		case there && !keptOut && len(m.Files) < 2 && m.Body != bodyOf(text):
			f.Errorf("%s says %q, and its memory (alive: %t) says %q", place, text, lives, m.Body)
		}
	}
}

// keepsOut reports whether a blocked file carries the name. Such a file keeps its memory active.
func (f *found) keepsOut(name string) bool {
	for _, b := range f.blocked {
		if b.Name == name {
			return true
		}
	}
	return false
}

// checkPersonal checks each memory that only the API changes. It must have the last answered body,
// or one of the bodies requested since then without an answer.
func (f *found) checkPersonal() {
	f.Helper()
	for name, may := range f.said {
		m := f.alive[name]
		if !slices.Contains(may, m.Body) {
			f.Errorf("%s says %q, and may be one of %q", name, m.Body, may)
		}
	}
	for from, to := range f.renaming {
		_, old := f.alive[from]
		_, new := f.alive[to]
		if f.renaming[to] == from && old == new {
			f.Errorf("%s was being renamed to %s; the old one lives: %t, the new one: %t", from, to, old, new)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.said {
		f.said[name] = []string{f.alive[name].Body}
	}
	f.renaming, f.late = map[string]string{}, map[string][]string{}
}

// checkDeletions checks that no deleted body is active again, and that no memory was deleted
// without a request.
func (f *found) checkDeletions() {
	f.Helper()
	for name, m := range f.alive {
		if f.ended[name][m.Body] {
			f.Errorf("%s says %q again, which was deleted", name, m.Body)
		}
	}
	for name := range f.trash {
		// The agent itself removes and renames the files of the other families.
		byTheAPIAlone := strings.ContainsRune(string([]rune{ofSessions, ofPerson, ofRenamed}), familyOf(name))
		if byTheAPIAlone && !f.doomed[name] {
			f.Errorf("%s is in the trash, and nobody has deleted it", name)
		}
	}
}

// checkNothingIsLost checks that each body from an earlier answer is in the history of its memory,
// or of the memory that took over its name. Purged memories are excepted.
func (f *found) checkNothingIsLost() {
	f.Helper()
	for id, bodies := range f.seen {
		at := id
		known, status := f.history(at)
		for tries := 0; status == http.StatusNotFound && tries < len(f.taken); tries++ {
			by, taken := f.historyOf(at)
			if _, purged := f.purged[at]; purged || !taken {
				break
			}
			at = by
			known, status = f.history(at)
		}
		answered, purged := f.purged[at]
		if purged && !answered {
			continue
		}
		if gone := status == http.StatusNotFound; gone != purged {
			f.Errorf("the memory %s, which said %q: %d; purged: %t", id, slices.Collect(maps.Keys(bodies)), status, purged)
		}
		for body := range bodies {
			if !purged && !known[body] {
				f.Errorf("the memory %s has said %q, and its history does not know of it", id, body)
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = map[string]map[string]bool{}
}

// history returns the bodies in a memory's history, and the status: 200, or 404 if there is no such
// memory.
func (f *found) history(id string) (known map[string]bool, status int) {
	f.Helper()
	known = map[string]bool{}
	path := f.api("/memories/" + id + "/revisions?limit=500")
	for cursor := ""; ; {
		var page struct {
			Revisions  []struct{ Body string }
			NextCursor string `json:"next_cursor"`
		}
		status, err := f.server.call("GET", path+cursor, nil, &page)
		switch status {
		case http.StatusServiceUnavailable:
			continue
		case http.StatusNotFound:
			return nil, status
		case http.StatusOK:
		default:
			f.Fatal(status, err)
		}
		for _, r := range page.Revisions {
			known[r.Body] = true
		}
		if page.NextCursor == "" {
			return known, status
		}
		cursor = "&cursor=" + url.QueryEscape(page.NextCursor)
	}
}

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

// checkIndex checks that MEMORY.md has lost no line, except lines that link to a file of a deleted
// memory.
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
		rest = strings.Replace(rest, indexLine(i), "", 1)
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
	if rest != "" {
		f.Errorf("the index has more than was written into it: %q in %q", rest, raw)
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
