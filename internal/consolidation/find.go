package consolidation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
)

const (
	// mostSteps is how many steps a plan has at most: what a person looks through at once. The next plan has the rest.
	mostSteps = 50
	// mostFindings is how many findings it has at most.
	mostFindings = 50
	// shortestDuplicate is from how many Unicode characters on a body says enough to be called the same as another.
	shortestDuplicate = 24
	// longestCompared is the longest body that is looked at, in bytes, and mostCompared how much of all bodies together.
	longestCompared = 64 << 10
	mostCompared    = 128 << 20
	// mostRelinked is how many memories one step may write because they link what goes.
	mostRelinked = 20
)

// The kinds of steps, and where they come from.
const (
	kindMerge   = "merge"
	kindUpdate  = "update"
	kindDelete  = "delete"
	kindReindex = "reindex"

	sourceFound = "found"
	sourceModel = "model"
)

// note is a memory as the plan is made of it.
type note struct {
	memories.Memory
	etag     string
	shingles []uint64
	linkedBy []int // the places of the memories that link it
}

func (n note) text() *records.StepText {
	return &records.StepText{Type: n.Type, Description: n.Description, Body: n.Body}
}

// draftPlan is a plan while it is made. Each memory is in one step at most, so that no step takes another's ground away.
type draftPlan struct {
	notes    []note
	byID     map[string]int
	byName   map[string]int
	names    names
	touched  map[string]bool // memories that a step is about, by id
	steps    []records.Step
	findings []records.PlanFinding
	left     int // steps that there was no room for
}

func newDraftPlan(notes []note, known names) *draftPlan {
	d := &draftPlan{notes: notes, byID: map[string]int{}, byName: map[string]int{}, names: known, touched: map[string]bool{}}
	for i := range notes {
		d.byID[notes[i].ID], d.byName[notes[i].Name] = i, i
	}
	for i := range notes {
		for _, link := range linksIn(notes[i].Body) {
			if to, ok := d.byName[known.living[link]]; ok && to != i && !slices.Contains(notes[to].linkedBy, i) {
				notes[to].linkedBy = append(notes[to].linkedBy, i)
			}
		}
	}
	return d
}

// add takes a step in, unless one of its memories is another step's already, or there is no room.
func (d *draftPlan) add(kind, source, title, reason string, changes ...records.StepChange) bool {
	for _, c := range changes {
		if c.Memory != "" && d.touched[c.Memory] {
			return false
		}
	}
	if len(d.steps) >= mostSteps && kind != kindReindex {
		d.left++
		return false
	}
	for _, c := range changes {
		if c.Memory != "" {
			d.touched[c.Memory] = true
		}
	}
	d.steps = append(d.steps, records.Step{
		ID: uuid.New(), Kind: kind, Source: source, Title: title, Reason: reason, State: records.StepProposed, Changes: changes,
	})
	return true
}

func (d *draftPlan) find(memory note, text string) {
	if len(d.findings) < mostFindings {
		d.findings = append(d.findings, records.PlanFinding{Memory: memory.ID, Name: memory.Name, Text: text})
	}
}

func write(n note, to records.StepText) records.StepChange {
	return records.StepChange{Op: records.ChangeWrite, Memory: n.ID, Name: n.Name, Seen: n.etag, Before: n.text(), After: &to}
}

func remove(n note) records.StepChange {
	return records.StepChange{Op: records.ChangeDelete, Memory: n.ID, Name: n.Name, Seen: n.etag, Before: n.text()}
}

// relinking returns the changes by which the memories that link what goes link another one instead. Those of which another step is
// about are left out, as are too many: their links are mended by a later plan.
func (d *draftPlan) relinking(gone []note, instead note) []records.StepChange {
	going := map[string]bool{}
	for _, n := range gone {
		going[n.Name] = true
	}
	var changes []records.StepChange
	written := map[string]bool{}
	for _, n := range gone {
		for _, i := range n.linkedBy {
			by := d.notes[i]
			if by.ID == instead.ID || going[by.Name] || written[by.ID] || d.touched[by.ID] || len(changes) == mostRelinked {
				continue
			}
			written[by.ID] = true
			to := *by.text()
			to.Body = relinked(by.Body, func(name string) (string, bool) { return "[[" + instead.Name + "]]", going[d.names.living[name]] })
			changes = append(changes, write(by, to))
		}
	}
	return changes
}

// merged is the step that keeps one of several memories that say the same.
func (d *draftPlan) merged(keep note, gone []note, reason string) {
	gone = slices.DeleteFunc(slices.Clone(gone), func(n note) bool { return d.touched[n.ID] })
	gone = gone[:min(len(gone), mostRelinked)]
	if d.touched[keep.ID] || len(gone) == 0 {
		return
	}
	going := map[string]bool{}
	after := *keep.text()
	titles := make([]string, len(gone))
	for i, n := range gone {
		going[n.Name], titles[i] = true, "“"+n.Name+"”"
		if strings.TrimSpace(after.Description) == "" {
			after.Description = n.Description
		}
	}
	after.Body = relinked(after.Body, func(name string) (string, bool) { return keep.Name, going[d.names.living[name]] })
	var changes []records.StepChange
	if after != *keep.text() {
		changes = append(changes, write(keep, after))
	}
	changes = append(changes, d.relinking(gone, keep)...)
	for _, n := range gone {
		changes = append(changes, remove(n))
	}
	if d.add(kindMerge, sourceFound, fmt.Sprintf("Keep “%s”, delete %s", keep.Name, strings.Join(titles, ", ")), reason, changes...) {
		d.touched[keep.ID] = true
	}
}

// sameBody is a body as duplicates are told by: however it is broken into lines.
func sameBody(body string) string { return strings.Join(strings.Fields(body), " ") }

// exactDuplicates finds memories that say the same under two names.
func (d *draftPlan) exactDuplicates() {
	groups := map[string][]int{}
	var order []string
	for i, n := range d.notes {
		body := sameBody(n.Body)
		if utf8.RuneCountInString(body) < shortestDuplicate {
			continue
		}
		if groups[body] == nil {
			order = append(order, body)
		}
		groups[body] = append(groups[body], i)
	}
	for _, body := range order {
		same := groups[body]
		slices.SortStableFunc(same, func(a, b int) int { return byWorth(d.notes[a], d.notes[b]) })
		keep := d.notes[same[0]]
		var gone []note
		types := ""
		for _, i := range same[1:] {
			if gone = append(gone, d.notes[i]); d.notes[i].Type != keep.Type && types == "" {
				types = fmt.Sprintf(" “%s” is a %s memory, “%s” a %s memory.", keep.Name, keep.Type, d.notes[i].Name, d.notes[i].Type)
			}
		}
		if len(gone) > 0 {
			d.merged(keep, gone, "They say the same, word for word."+types)
		}
	}
}

// byWorth puts the memory first that is to stay of several that say the same.
func byWorth(a, b note) int {
	has := func(n note) int {
		if n.Type == "" || n.Session != "" {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(has(b), has(a)), cmp.Compare(len(b.linkedBy), len(a.linkedBy)), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.Name, b.Name))
}

// superseded finds memories that say what another one does not say any more.
func (d *draftPlan) superseded(found []records.SupersededMemory) {
	for _, s := range found {
		at, ok := d.byID[s.ID]
		by, known := d.byID[s.By]
		if !ok || !known {
			continue
		}
		gone, now := d.notes[at], d.notes[by]
		changes := append(d.relinking([]note{gone}, now), remove(gone))
		d.add(kindDelete, sourceFound, fmt.Sprintf("Delete “%s”", gone.Name),
			fmt.Sprintf("It says, word for word, what “%s” said on %s and does not say any more.", now.Name, s.SaidAt.Format(time.DateOnly)), changes...)
	}
}

// nearDuplicates finds memories that say nearly the same. Where one says all that the other says, that one is enough. Where each says
// something of its own, it may be another fact: that is for a person to tell, or for the model.
func (d *draftPlan) nearDuplicates() {
	signatures := make([]signature, len(d.notes))
	for i := range d.notes {
		d.notes[i].shingles = shinglesOf(d.notes[i].Body)
		signatures[i] = signatureOf(d.notes[i].shingles)
	}
	for _, p := range candidates(signatures) {
		a, b := d.notes[p.a], d.notes[p.b]
		if d.touched[a.ID] || d.touched[b.ID] || sameBody(a.Body) == sameBody(b.Body) || min(utf8.RuneCountInString(a.Body), utf8.RuneCountInString(b.Body)) < 2*shortestDuplicate {
			continue
		}
		if likeness(a.shingles, b.shingles) < alike {
			continue
		}
		onlyA, onlyB := ownWords(a.Body, b.Body), ownWords(b.Body, a.Body)
		switch {
		case sayDifferentThings(a.Body, b.Body):
		case len(onlyB) == 0 && (len(onlyA) > 0 || byWorth(a, b) <= 0):
			d.merged(a, []note{b}, fmt.Sprintf("“%s” says all that “%s” says, nearly in the same words.", a.Name, b.Name))
		case len(onlyA) == 0:
			d.merged(b, []note{a}, fmt.Sprintf("“%s” says all that “%s” says, nearly in the same words.", b.Name, a.Name))
		default:
			d.find(a, fmt.Sprintf("It says nearly the same as “%s”. Look at both: they may be one memory, or about two things.", b.Name))
		}
	}
}

// deadLinks finds links to memories that are no more.
func (d *draftPlan) deadLinks() {
	for _, n := range d.notes {
		if d.touched[n.ID] {
			continue
		}
		var why []string
		to := *n.text()
		to.Body = relinked(n.Body, func(name string) (string, bool) {
			text, reason, ok := d.names.mended(name)
			if ok && !slices.Contains(why, reason) {
				why = append(why, reason)
			}
			return text, ok
		})
		if len(why) > 0 {
			d.add(kindUpdate, sourceFound, fmt.Sprintf("Mend the links of “%s”", n.Name), "It links what is not there: "+strings.Join(why, "; ")+".", write(n, to))
		}
	}
}

// cited notes the memories that cite what is gone from their project: what becomes of them, only who knows the project can say.
func (d *draftPlan) cited(doubtful []records.DoubtfulMemory) {
	for _, m := range doubtful {
		at, ok := d.byID[m.ID]
		if !ok || d.touched[m.ID] {
			continue
		}
		var texts []string
		for _, c := range memories.GoneCitations(m.Citations) {
			if c.Kind != memories.CitesMemory && len(texts) < 5 {
				texts = append(texts, c.Text)
			}
		}
		if len(texts) > 0 {
			d.find(d.notes[at], "It cites what is gone from the project: "+strings.Join(texts, ", ")+".")
		}
	}
}

func (d *draftPlan) disagreeing(found []records.Disagreement) {
	for _, f := range found {
		if at, ok := d.byID[f.ID]; ok {
			d.find(d.notes[at], fmt.Sprintf("Its files say %d different things. Keep the one that holds.", f.Versions))
		}
	}
}

// edits are the steps as the preview of CLAUDE.md takes them.
func edits(step records.Step) []sync.Edit {
	var all []sync.Edit
	for _, c := range step.Changes {
		switch c.Op {
		case records.ChangeDelete:
			all = append(all, sync.Edit{ID: c.Memory, Delete: true})
		case records.ChangeWrite:
			all = append(all, sync.Edit{ID: c.Memory, Draft: sync.Draft{Name: c.Name, Type: c.After.Type, Description: c.After.Description, Body: c.After.Body}})
		}
	}
	return all
}
