package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
)

// person changes memories of some families through the API, one call after the other.
type person struct {
	*ledger
	random   *rand.Rand
	families string
}

func (l *ledger) newPerson(families ...rune) *person {
	return &person{ledger: l, random: l.draws(l.slug + string(families)), families: string(families)}
}

// persons returns two workers: one for the families that only persons change, one for the agent's.
func (l *ledger) persons() []*person {
	return []*person{l.newPerson(ofPerson, ofRenamed), l.newPerson(ofMinutes, ofCopies, ofSessions)}
}

func (p *person) work(ctx context.Context) {
	for ctx.Err() == nil {
		p.act()
	}
}

// act makes one random call.
func (p *person) act() {
	own := strings.ContainsRune(p.families, ofPerson)
	switch n := p.random.IntN(20); {
	case n < 5 && own:
		p.save()
	case n < 8 && own:
		p.rename()
	case n < 3:
		p.allow()
	case n < 10:
		p.edit()
	case n < 13:
		p.delete()
	case n < 16:
		p.restore()
	case n < 17:
		p.purge()
	case n < 18:
		p.verify()
	default:
		p.batch()
	}
}

// anyServer returns a random server: a person does not know which of them are healthy.
func (p *person) anyServer() *server { return p.servers[p.random.IntN(len(p.servers))] }

// ask sends a request and returns the status, 0 without an answer. Pass no answer if only the
// status matters.
func (p *person) ask(method, path string, body, answer any) (status int) {
	status, _ = p.anyServer().call(method, path, body, answer)
	return status
}

// memory contains the fields of an API memory that the tests use.
type memory struct {
	ID, Name, Type, Body, State, Path, Hash string
	Files                                   []struct{ Path, Hash string }
}

// pick returns a random memory of the person's families in a state. It returns false without an
// answer or without such a memory.
func (p *person) pick(state string, families string) (memory, bool) {
	var answer struct{ Memories []memory }
	if status := p.ask("GET", p.api("/memories?sort=name&limit=500&state="+state), nil, &answer); !answered(status) {
		return memory{}, false
	}
	var mine []memory
	for _, m := range answer.Memories {
		p.saw(m)
		if strings.ContainsRune(families, familyOf(m.Name)) {
			mine = append(mine, m)
		}
	}
	if len(mine) == 0 {
		return memory{}, false
	}
	return mine[p.random.IntN(len(mine))], true
}

// words returns a body that no earlier memory had.
func (p *person) words() string { return fmt.Sprintf("from a person, %d", p.random.Uint64()) }

func (p *person) save() {
	name, body := nameOf(ofPerson, p.random.IntN(personal)), p.words()
	var saved memory
	status := p.ask("POST", p.api("/memories"), map[string]string{"name": name, "type": "user", "description": "d", "body": body}, &saved)
	p.becomes(name, status, body)
	if answered(status) {
		p.saw(saved)
	}
}

// edit changes the body of a random memory.
func (p *person) edit() {
	m, found := p.pick("active", strings.ReplaceAll(p.families, string(ofMinutes), ""))
	if !found {
		return
	}
	body := p.words()
	var edited memory
	status := p.ask("PATCH", p.api("/memories/"+m.ID), map[string]string{"body": body}, &edited)
	p.becomes(m.Name, status, body)
	if answered(status) {
		p.saw(edited)
	}
}

// rename gives a random memory its other name.
func (p *person) rename() {
	m, found := p.pick("active", p.families)
	if !found {
		return
	}
	to := string(ofPerson+ofRenamed-familyOf(m.Name)) + m.Name[1:]
	p.asksToDelete(m)
	free := p.isSurelyFree(to)
	mayTake := p.maySay(m)
	var renamed memory
	status := p.ask("PATCH", p.api("/memories/"+m.ID), map[string]string{"name": to}, &renamed)
	if answered(status) {
		mayTake = []string{renamed.Body}
	}
	p.isRenamed(m, to, status)
	p.becomes(to, status, mayTake...)
	p.becomes(m.Name, status, "")
	switch {
	case answered(status):
		p.isDeleted(m.Name, renamed.Body)
	case !refused(status) && free && len(p.servers) == 1:
		p.mu.Lock()
		p.renaming[m.Name], p.renaming[to] = to, m.Name
		p.mu.Unlock()
	}
}

func (p *person) delete() {
	m, found := p.pick("active", p.families)
	if !found {
		return
	}
	p.asksToDelete(m)
	var deleted memory
	status := p.ask("DELETE", p.api("/memories/"+m.ID), nil, &deleted)
	p.becomes(m.Name, status, "")
	if answered(status) {
		p.isDeleted(m.Name, deleted.Body)
	}
}

func (p *person) purge() {
	state := "active"
	if p.random.IntN(2) == 0 {
		state = "deleted"
	}
	m, found := p.pick(state, p.families)
	if !found {
		return
	}
	p.asksToDelete(m)
	status := p.ask("DELETE", p.api("/memories/"+m.ID+"?purge=true"), nil, nil)
	p.isPurged(m.ID, status)
	if state == "active" {
		p.becomes(m.Name, status, "")
	}
}

func (p *person) restore() {
	m, found := p.pick("deleted", p.families)
	if !found {
		return
	}
	p.restored(m, p.ask("POST", p.api("/memories/"+m.ID+"/restore"), nil, nil))
}

func (p *person) restored(m memory, status int) {
	if !refused(status) { // without an answer it may have happened
		p.mayReturn(m.Name)
	}
	p.becomes(m.Name, status, m.Body)
}

func (p *person) verify() {
	if m, found := p.pick("active", p.families); found {
		p.ask("POST", p.api("/memories/"+m.ID+"/verify"), nil, nil)
	}
}

// batch deletes, restores and verifies a few memories in one call.
func (p *person) batch() {
	request := map[string][]string{}
	about := map[string]memory{}
	for op, state := range map[string]string{"delete": "active", "restore": "deleted", "verify": "active"} {
		if m, found := p.pick(state, p.families); found && about[m.ID].ID == "" {
			request[op] = append(request[op], m.ID)
			about[m.ID] = m
		}
	}
	for _, id := range request["delete"] {
		p.asksToDelete(about[id])
	}
	var answer struct {
		Results []struct {
			ID, Op string
			Status int
		}
	}
	status := p.ask("POST", p.api("/memories:batch"), request, &answer)
	result := map[string]int{} // the status by id; 0 if unknown
	for _, r := range answer.Results {
		result[r.ID] = r.Status
	}
	if refused(status) {
		return
	}
	for _, id := range request["delete"] {
		p.becomes(about[id].Name, result[id], "")
	}
	for _, id := range request["restore"] {
		p.restored(about[id], result[id])
	}
}

// blocked contains the fields of a blocked file that the tests use.
type blocked struct{ ID, Name, Path, Body, Hash string }

// allow accepts a random blocked file.
func (p *person) allow() {
	var answer struct{ Blocked []blocked }
	if status := p.ask("GET", p.api("/blocked"), nil, &answer); status != http.StatusOK || len(answer.Blocked) == 0 {
		return
	}
	b := answer.Blocked[p.random.IntN(len(answer.Blocked))]
	p.becomes(b.Name, p.ask("POST", p.api("/blocked/"+url.PathEscape(b.ID)+"/allow"), nil, nil), b.Body)
}
