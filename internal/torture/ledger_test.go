package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// The memories of an agent are of five families, told by the first letter of their names. What may happen to one, and so
// what has to hold of it afterwards, is a matter of its family.
const (
	ofMinutes  = 'M' // each is one file of the agent, written again and again, removed, and saved by renaming
	ofCopies   = 'C' // files that are moved, copied with their times, edited through the API, or come to state another name
	ofSessions = 'X' // only sessions carry them, which come and go
	ofPerson   = 'S' // saved, edited and renamed through the API alone
	ofRenamed  = 'T' // what a memory of that family is called between two renames
)

const (
	minutes  = 8
	copies   = 4
	talks    = 10 // sessions that there may be at a time; each writes two memories
	personal = 5
)

const handwritten = "# Mine\n"

// ledger is one agent that everything happens to, with what can be known of it although answers get lost.
type ledger struct {
	*place
	slug, dir string

	mu sync.Mutex
	// said is what each memory of the API alone may be: bodies, and "" for one that is deleted or was never there. After
	// an answer it is one of them; after a lost one, it may be what it was or what it was to be.
	said map[string][]string
	// late are what unanswered calls may still do, where another server may be at it.
	late map[string][]string
	// renaming are the names of renames without an answer, to which nothing else has been done since: one of two lives.
	renaming map[string]string
	// ended are bodies that were deleted, with an answer, and that nobody has asked back since.
	ended map[string]map[string]bool
	// doomed are memories that somebody has asked to delete, with or without an answer.
	doomed map[string]bool
	// unlinked are files whose memory was deleted, with or without an answer: their lines may be gone from the index.
	unlinked map[string]bool
	// seen is what answers said of memories, by id, since it was last checked that it is all still known.
	seen map[string]map[string]bool
	// purged are the ids of memories that are gone for good: true with an answer, false perhaps.
	purged map[string]bool
	// named are the ids that memories of a name have had.
	named map[string]map[string]bool
	// taken are the memories that may have been given the name of a deleted one, and its history, by the id of that one.
	taken map[string]string
	// above is what stands above Memoir's block in CLAUDE.md, and noted are the lines that were put into MEMORY.md by hand.
	above string
	noted []string
}

func newLedger(p *place, slug string) *ledger {
	l := &ledger{
		place: p, slug: slug, dir: filepath.Join(p.agents, slug), above: handwritten,
		said: map[string][]string{}, late: map[string][]string{}, renaming: map[string]string{}, ended: map[string]map[string]bool{},
		doomed: map[string]bool{}, unlinked: map[string]bool{}, seen: map[string]map[string]bool{}, purged: map[string]bool{},
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
			l.said[nameOf(family, i)] = []string{""}
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

// path is where a slash-separated path of the agent is on this machine.
func (l *ledger) path(rel string) string { return filepath.Join(l.dir, filepath.FromSlash(rel)) }

// api is the address of a call about this agent.
func (l *ledger) api(rest string) string { return "/api/v1/agents/" + l.slug + rest }

// refused says that nothing has happened. Of an answer in the 500s, as of none at all, nobody knows.
func refused(status int) bool { return status >= 400 && status < 500 }

// asksToDelete notes, before it is asked, that a memory may go.
func (l *ledger) asksToDelete(m memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doomed[m.Name] = true
	// By the time the deletion is carried out the memory may be carried by other files too.
	for i := range minutes {
		if m.Name == nameOf(ofMinutes, i) {
			l.unlinked[minuteFile(i)] = true
		}
	}
}

// becomes notes what a memory is after a call: one of the bodies that it may have been asked to be, "" for none, or, without
// an answer, what it was before.
func (l *ledger) becomes(name string, status int, bodies ...string) {
	if refused(status) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, body := range bodies {
		if body != "" { // asked for, it is not kept out any more
			delete(l.ended[name], body)
		}
	}
	delete(l.renaming, name)
	may, known := l.said[name]
	if !known {
		return
	}
	if answered(status) {
		may = slices.Clone(l.late[name])
	} else if len(l.servers) > 1 {
		l.late[name] = append(l.late[name], bodies...)
	}
	l.said[name] = append(may, bodies...)
}

// maySay is what a memory of the API alone may say by the time of a call: what a list gave, or what a save without an
// answer has left in its file, which whoever comes next takes up.
func (l *ledger) maySay(listed memory) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	may := []string{listed.Body}
	for _, body := range l.said[listed.Name] {
		if body != "" && body != listed.Body {
			may = append(may, body)
		}
	}
	return may
}

// isSurelyFree says that no memory lives under a name, and that none is about to. A rename to any other name is refused, and
// says nothing of the two when that answer is lost.
func (l *ledger) isSurelyFree(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	may := l.said[name]
	return len(may) == 1 && may[0] == ""
}

func answered(status int) bool { return status >= 200 && status < 300 }

// isDeleted notes that a body was deleted with an answer.
func (l *ledger) isDeleted(name, body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended[name] == nil {
		l.ended[name] = map[string]bool{}
	}
	l.ended[name][body] = true
}

// mayReturn notes that everything that a memory has said may be back.
func (l *ledger) mayReturn(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ended, name)
}

// remembers is how many memories the ledger keeps in mind at a time to ask for again.
const remembers = 200

// saw notes what an answer said of a memory: from then on it must be known.
func (l *ledger) saw(m memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isNamed(m.Name, m.ID)
	bodies := l.seen[m.ID]
	if bodies == nil && len(l.seen) >= remembers {
		return
	}
	if bodies == nil {
		bodies = map[string]bool{}
		l.seen[m.ID] = bodies
	}
	if len(bodies) < remembers/4 {
		bodies[m.Body] = true
	}
}

// isNamed notes the id of a memory. The caller holds the lock.
func (l *ledger) isNamed(name, id string) {
	if l.named[name] == nil {
		l.named[name] = map[string]bool{}
	}
	l.named[name][id] = true
}

// isRenamed notes a rename. If a deleted memory had the name, its history is that of the renamed one now.
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

// historyOf returns the memory that may have the history of another one, which is gone.
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
