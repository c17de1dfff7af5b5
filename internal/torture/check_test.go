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
	for name, bodies := range f.possible {
		m := f.alive[name]
		if !slices.Contains(bodies, m.Body) {
			f.Errorf("%s says %q, and may be one of %q", name, m.Body, bodies)
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
	for name := range f.possible {
		f.possible[name] = []string{f.alive[name].Body}
	}
	f.renaming, f.late = map[string]string{}, map[string][]string{}
}

// checkDeletions checks that no deleted body is active again, and that no memory was deleted
// without a request.
func (f *found) checkDeletions() {
	f.Helper()
	for name, m := range f.alive {
		if f.deletedBodies[name][m.Body] {
			f.Errorf("%s says %q again, which was deleted", name, m.Body)
		}
	}
	for name := range f.trash {
		// The agent itself removes and renames the files of the other families.
		byTheAPIAlone := strings.ContainsRune(string([]rune{ofSessions, ofPerson, ofRenamed}), familyOf(name))
		if byTheAPIAlone && !f.mayBeDeleted[name] {
			f.Errorf("%s is in the trash, and nobody has deleted it", name)
		}
	}
}

// checkNothingIsLost checks that each body from an earlier answer is in the history of its memory,
// or of the memory that took over its name. Purged memories are excepted.
func (f *found) checkNothingIsLost() {
	f.Helper()
	for id, bodies := range f.answeredBodies {
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
	f.answeredBodies = map[string]map[string]bool{}
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
