package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// The families of an agent's memories. The first letter of a memory's name is its family, which
// determines the changes made to it and the checks.
const (
	ofMinutes = 'M' // one file of the agent: rewritten, saved by renaming, removed
	// moved, copied with times, edited through the API, given another name in the file
	ofCopies   = 'C'
	ofSessions = 'X' // only in sessions, which start and end
	ofPerson   = 'S' // saved, edited and renamed only through the API
	ofRenamed  = 'T' // the other name of a memory of ofPerson, between two renames
)

const (
	minutes  = 8
	copies   = 4
	talks    = 10 // maximum number of open sessions; each writes two memories
	personal = 5
)

const handwritten = "# Mine\n"

// ledger contains the known state of one agent. Requests without an answer leave several
// possibilities.
type ledger struct {
	*place
	slug, dir string

	mu sync.Mutex
	// possible contains the possible bodies of each memory that only the API changes; "" means
	// deleted or never saved. After an answer there is one, after a lost answer also the requested
	// one.
	possible map[string][]string
	// late contains the bodies that unanswered calls may still write if there are several servers.
	late map[string][]string
	// renaming contains both names of each unanswered rename without a later change. One of them is
	// active.
	renaming map[string]string
	// deletedBodies contains the bodies that were deleted with an answer, and not requested later.
	deletedBodies map[string]map[string]bool
	// mayBeDeleted contains the memories that a request was to delete, answered or not.
	mayBeDeleted map[string]bool
	// unlinked contains the files of such memories. Their lines may be missing from the index.
	unlinked map[string]bool
	// answeredBodies contains the bodies in answers since the last check, by memory id.
	answeredBodies map[string]map[string]bool
	// purged contains the ids of purged memories. The value is false if the purge had no answer.
	purged map[string]bool
	// named contains the ids of all memories that had a name.
	named map[string]map[string]bool
	// taken maps the id of a deleted memory to the id of the memory with its name and history.
	taken map[string]string
	// above is the text above Memoir's block in CLAUDE.md, noted the lines added to MEMORY.md by
	// hand.
	above string
	noted []string
}

func newLedger(p *place, slug string) *ledger {
	l := &ledger{
		place: p, slug: slug, dir: filepath.Join(p.agents, slug), above: handwritten,
		possible: map[string][]string{}, late: map[string][]string{}, renaming: map[string]string{}, deletedBodies: map[string]map[string]bool{},
		mayBeDeleted: map[string]bool{}, unlinked: map[string]bool{}, answeredBodies: map[string]map[string]bool{}, purged: map[string]bool{},
		named: map[string]map[string]bool{}, taken: map[string]string{},
	}
	p.ledgers = append(p.ledgers, l)
	mustWrite(p, l.path("CLAUDE.md"), handwritten)
	index := indexHeading
	for i := range minutes {
		index += indexLine(i)
	}
	mustWrite(p, l.path("memory/MEMORY.md"), index)
	for i := range personal {
		for _, family := range []rune{ofPerson, ofRenamed} {
			l.possible[nameOf(family, i)] = []string{""}
		}
	}
	return l
}

func mustWrite(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func nameOf(family rune, i int) string { return fmt.Sprintf("%c%d", family, i) }

func familyOf(name string) rune { return rune(name[0]) }

// path returns the file system path of a slash-separated path below the agent's directory.
func (l *ledger) path(rel string) string { return filepath.Join(l.dir, filepath.FromSlash(rel)) }

// api returns the URL path of an API call for this agent.
func (l *ledger) api(rest string) string { return "/api/v1/agents/" + l.slug + rest }

// refused reports whether the server rejected the request, so that nothing has changed. After a
// status of 500 or more, or without an answer (0), the result is unknown.
func refused(status int) bool { return status >= 400 && status < 500 }

// asksToDelete records that a memory may be deleted. Call it before the request.
func (l *ledger) asksToDelete(m memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mayBeDeleted[m.Name] = true
	// At the time of the deletion, the memory may have other files as well.
	for i := range minutes {
		if m.Name == nameOf(ofMinutes, i) {
			l.unlinked[minuteFile(i)] = true
		}
	}
}

// becomes records the possible bodies of a memory after a call; "" means deleted. Without an
// answer, the earlier bodies remain possible.
func (l *ledger) becomes(name string, status int, bodies ...string) {
	if refused(status) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, body := range bodies {
		if body != "" { // a requested body is no longer blocked
			delete(l.deletedBodies[name], body)
		}
	}
	delete(l.renaming, name)
	possible, known := l.possible[name]
	if !known {
		return
	}
	if answered(status) {
		possible = slices.Clone(l.late[name])
	} else if len(l.servers) > 1 {
		l.late[name] = append(l.late[name], bodies...)
	}
	l.possible[name] = append(possible, bodies...)
}

// maySay returns the bodies that a memory may have during a call: the listed one, and all that
// unanswered saves may have left in its file.
func (l *ledger) maySay(listed memory) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	possible := []string{listed.Body}
	for _, body := range l.possible[listed.Name] {
		if body != "" && body != listed.Body {
			possible = append(possible, body)
		}
	}
	return possible
}

// isSurelyFree reports whether no memory has the name or can get it from an unanswered call. The
// tests rename only to such names.
func (l *ledger) isSurelyFree(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	possible := l.possible[name]
	return len(possible) == 1 && possible[0] == ""
}

func answered(status int) bool { return status >= 200 && status < 300 }

// isDeleted records that a body was deleted with an answer.
func (l *ledger) isDeleted(name, body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.deletedBodies[name] == nil {
		l.deletedBodies[name] = map[string]bool{}
	}
	l.deletedBodies[name][body] = true
}

// mayReturn records that all earlier bodies of a memory may be active again.
func (l *ledger) mayReturn(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.deletedBodies, name)
}

// remembers is the maximum number of memories whose bodies the ledger stores between two checks.
const remembers = 200

// saw records a memory from an answer: from now on its history must have this body.
func (l *ledger) saw(m memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isNamed(m.Name, m.ID)
	bodies := l.answeredBodies[m.ID]
	if bodies == nil && len(l.answeredBodies) >= remembers {
		return
	}
	if bodies == nil {
		bodies = map[string]bool{}
		l.answeredBodies[m.ID] = bodies
	}
	if len(bodies) < remembers/4 {
		bodies[m.Body] = true
	}
}

// isNamed records the id of a memory. The caller holds the lock.
func (l *ledger) isNamed(name, id string) {
	if l.named[name] == nil {
		l.named[name] = map[string]bool{}
	}
	l.named[name][id] = true
}

// isRenamed records a rename. A deleted memory with that name loses its history to the renamed one.
func (l *ledger) isRenamed(m memory, to string, status int) {
	if refused(status) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.named[to] {
		if id != m.ID {
			l.taken[id] = m.ID
		}
	}
	if answered(status) {
		delete(l.named[m.Name], m.ID)
	}
	l.isNamed(to, m.ID)
}

// historyOf returns the id of the memory that may have taken over the history of a deleted one.
func (l *ledger) historyOf(id string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	by, ok := l.taken[id]
	return by, ok
}

func (l *ledger) isPurged(id string, status int) {
	if refused(status) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.purged[id] = answered(status)
}
