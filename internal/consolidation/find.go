package consolidation

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"memoir/internal/findings"
	"memoir/internal/findings/pairs"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

const (
	// maxSteps is the maximum number of steps in a plan, so that a person can review it
	// (arbitrary). Later plans contain the rest.
	maxSteps = 50
	// maxFindings is the maximum number of findings in a plan (arbitrary).
	maxFindings = 50
	// minDuplicateChars is the minimum length of duplicate bodies, in Unicode characters
	// (arbitrary).
	minDuplicateChars = 24
	// maxBody is the maximum size of a compared body, and maxBodies of all compared bodies
	// together, in bytes (arbitrary).
	maxBody   = 64 << 10
	maxBodies = 128 << 20
	// maxRelinked is the maximum number of other memories whose links a step changes, and of
	// memories that it merges (arbitrary).
	maxRelinked = 20
	// clearAge is the difference in age from which an older memory does not replace a newer one, as
	// in package pairs.
	clearAge = time.Hour
)

// The kinds of steps and their sources.
const (
	kindMerge   = "merge"
	kindUpdate  = "update"
	kindDelete  = "delete"
	kindReindex = "reindex"

	sourceFound = "found"
	sourceModel = "model"
)

// note is a memory during the making of a plan.
type note struct {
	memories.Memory
	etag     string
	linkedBy []int // indexes of the memories with links to it
}

func (n note) text() *records.StepText {
	return &records.StepText{Type: n.Type, Description: n.Description, Body: n.Body}
}

// draftPlan is a plan in the making. Each memory belongs to one step at most, so that steps are
// independent.
type draftPlan struct {
	notes    []note
	byID     map[string]int
	names    names
	touched  map[string]bool // ids of memories in a step
	steps    []records.Step
	findings []records.PlanFinding
	left     int // steps beyond maxSteps
}

func newDraftPlan(notes []note, known names) *draftPlan {
	d := &draftPlan{notes: notes, byID: map[string]int{}, names: known, touched: map[string]bool{}}
	byName := map[string]int{}
	for i := range notes {
		d.byID[notes[i].ID], byName[notes[i].Name] = i, i
	}
	for i := range notes {
		for _, link := range linksIn(notes[i].Body) {
			if to, ok := byName[known.living[link]]; ok && to != i && !slices.Contains(notes[to].linkedBy, i) {
				notes[to].linkedBy = append(notes[to].linkedBy, i)
			}
		}
	}
	return d
}

// add appends a step with these changes to the draft. It returns false and adds nothing if one of
// the memories belongs to another step. It also does so if the draft has maxSteps; then it counts
// the step in d.left. A step for the index is added to a full draft too.
func (d *draftPlan) add(kind, source, title, reason string, changes ...records.StepChange) bool {
	for _, c := range changes {
		if d.touched[c.Memory] {
			return false
		}
	}
	if len(d.steps) >= maxSteps && kind != kindReindex {
		d.left++
		return false
	}
	for _, c := range changes {
		d.touched[c.Memory] = true
	}
	d.steps = append(d.steps, records.Step{
		ID: uuid.New(), Kind: kind, Source: source, Title: title, Reason: reason, State: records.StepProposed, Changes: changes,
	})
	return true
}

// find adds a finding about a memory, unless the plan has maxFindings already.
func (d *draftPlan) find(memory note, text string) {
	if len(d.findings) < maxFindings {
		d.findings = append(d.findings, records.PlanFinding{Memory: memory.ID, Name: memory.Name, Text: text})
	}
}

func write(n note, to records.StepText) records.StepChange {
	return records.StepChange{Op: records.ChangeWrite, Memory: n.ID, Name: n.Name, Seen: n.etag, Before: n.text(), After: &to}
}

func remove(n note) records.StepChange {
	return records.StepChange{Op: records.ChangeDelete, Memory: n.ID, Name: n.Name, Seen: n.etag, Before: n.text()}
}

// relinkChanges returns changes that make links to memories in deleted point to instead. It leaves
// out instead itself, the deleted memories, and memories that belong to another step. It returns
// at most maxRelinked changes; the other links stay, and later plans fix them. It does not change
// the draft.
func (d *draftPlan) relinkChanges(deleted []note, instead note) []records.StepChange {
	deletedNames := map[string]bool{}
	for _, n := range deleted {
		deletedNames[n.Name] = true
	}
	var changes []records.StepChange
	written := map[string]bool{}
	for _, n := range deleted {
		for _, i := range n.linkedBy {
			by := d.notes[i]
			if by.ID == instead.ID || deletedNames[by.Name] || written[by.ID] || d.touched[by.ID] || len(changes) == maxRelinked {
				continue
			}
			written[by.ID] = true
			to := *by.text()
			to.Body = replaceLinks(by.Body, func(name string) (string, bool) {
				return "[[" + instead.Name + "]]", deletedNames[d.names.living[name]]
			})
			changes = append(changes, write(by, to))
		}
	}
	return changes
}

// addMerge adds a step that gives keep the text after, deletes the memories in deleted, and makes
// links to them point to keep (see relinkChanges). It returns false without adding it if the draft
// is full, or keep or a deleted memory belongs to another step.
func (d *draftPlan) addMerge(source, title, reason string, keep note, after records.StepText, deleted []note) bool {
	if d.touched[keep.ID] {
		return false
	}
	var changes []records.StepChange
	if after != *keep.text() {
		changes = append(changes, write(keep, after))
	}
	changes = append(changes, d.relinkChanges(deleted, keep)...)
	for _, n := range deleted {
		changes = append(changes, remove(n))
	}
	if !d.add(kindMerge, source, title, reason, changes...) {
		return false
	}
	d.touched[keep.ID] = true
	return true
}

func quotedNames(notes []note) string {
	quoted := make([]string, len(notes))
	for i, n := range notes {
		quoted[i] = "“" + n.Name + "”"
	}
	return strings.Join(quoted, ", ")
}

// mergeDuplicates adds a step that keeps one memory and deletes its duplicates, at most
// maxRelinked. An empty description of keep is replaced by a duplicate's, and its links to
// duplicates by keep's name. It skips duplicates of other steps. It adds no step if keep or all
// duplicates belong to other steps, or the draft is full.
func (d *draftPlan) mergeDuplicates(keep note, duplicates []note, reason string) {
	deleted := slices.DeleteFunc(slices.Clone(duplicates), func(n note) bool { return d.touched[n.ID] })
	deleted = deleted[:min(len(deleted), maxRelinked)]
	if len(deleted) == 0 {
		return
	}
	deletedNames := map[string]bool{}
	after := *keep.text()
	for _, n := range deleted {
		deletedNames[n.Name] = true
		if strings.TrimSpace(after.Description) == "" {
			after.Description = n.Description
		}
	}
	after.Body = replaceLinks(after.Body, func(name string) (string, bool) { return keep.Name, deletedNames[d.names.living[name]] })
	d.addMerge(sourceFound, fmt.Sprintf("Keep “%s”, delete %s", keep.Name, quotedNames(deleted)), reason, keep, after, deleted)
}

// normalBody returns body trimmed, with each run of white space replaced by one space.
func normalBody(body string) string { return strings.Join(strings.Fields(body), " ") }

// addExactDuplicates adds a step for each group of memories whose bodies differ at most in white
// space. The step keeps the first one in the order of byWorth and deletes the others. It ignores
// bodies shorter than minDuplicateChars.
func (d *draftPlan) addExactDuplicates() {
	groups := map[string][]note{}
	var order []string
	for _, n := range d.notes {
		body := normalBody(n.Body)
		if utf8.RuneCountInString(body) < minDuplicateChars {
			continue
		}
		if groups[body] == nil {
			order = append(order, body)
		}
		groups[body] = append(groups[body], n)
	}
	for _, body := range order {
		same := groups[body]
		slices.SortStableFunc(same, byWorth)
		keep, duplicates := same[0], same[1:]
		reason := "Same text."
		if i := slices.IndexFunc(duplicates, func(n note) bool { return n.Type != keep.Type }); i >= 0 {
			reason += fmt.Sprintf(" “%s” is a %s memory, “%s” a %s memory.", keep.Name, keep.Type, duplicates[i].Name, duplicates[i].Type)
		}
		d.mergeDuplicates(keep, duplicates, reason)
	}
}

// byWorth compares two memories for sorting. A memory with a type and without a session is first,
// then one with more links to it, then the older one. The last criterion is the name.
func byWorth(a, b note) int {
	has := func(n note) int {
		if n.Type == "" || n.Session != "" {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(has(b), has(a)), cmp.Compare(len(b.linkedBy), len(a.linkedBy)), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.Name, b.Name))
}

// addSuperseded adds a step for each memory in found, whose text is an earlier text of another
// memory. The step deletes it and makes links to it point to the other memory. It skips memories
// of other steps, and memories that the draft does not contain.
func (d *draftPlan) addSuperseded(found []records.SupersededMemory) {
	for _, s := range found {
		at, ok := d.byID[s.ID]
		by, known := d.byID[s.By]
		if !ok || !known {
			continue
		}
		deleted, now := d.notes[at], d.notes[by]
		changes := append(d.relinkChanges([]note{deleted}, now), remove(deleted))
		d.add(kindDelete, sourceFound, fmt.Sprintf("Delete “%s”", deleted.Name),
			fmt.Sprintf("It has the text that “%s” had on %s.", now.Name, s.SaidAt.Format(time.DateOnly)), changes...)
	}
}

// addPairs compares the memories as the review does. It adds a step for each memory that another one
// names as replaced, or that names its replacement, if the other one is not older. The step deletes
// it and makes links to it point to the other. addPairs adds findings about other pairs, which a person or the model decides.
// It skips memories of other steps, and returns the error of ctx.
func (d *draftPlan) addPairs(ctx context.Context) error {
	index := pairs.NewIndex()
	for _, n := range d.notes {
		index.Add(n.compared())
	}
	found, err := index.Pairs(ctx, func(_ context.Context, ids []string) ([]findings.Memory, error) {
		all := make([]findings.Memory, len(ids))
		for i, id := range ids {
			all[i] = d.notes[d.byID[id]].compared()
		}
		return all, nil
	})
	// The steps first: what they change needs no finding.
	slices.SortStableFunc(found, func(a, b findings.Pair) int {
		switch {
		case a.IsStated == b.IsStated:
			return 0
		case a.IsStated:
			return -1
		}
		return 1
	})
	for _, p := range found {
		a, b := d.notes[d.byID[p.A]], d.notes[d.byID[p.B]]
		if d.touched[a.ID] || d.touched[b.ID] {
			continue
		}
		keep, deleted := a, b
		if p.Keep == b.ID {
			keep, deleted = b, a
		}
		switch {
		case p.Kind == findings.Contradiction && p.IsStated && deleted.ContentAt.Sub(keep.ContentAt) < clearAge:
			changes := append(d.relinkChanges([]note{deleted}, keep), remove(deleted))
			if d.add(kindDelete, sourceFound, fmt.Sprintf("Delete “%s”", deleted.Name), fmt.Sprintf("One of the two texts says that “%s” replaces it.", keep.Name), changes...) {
				d.touched[keep.ID] = true // what it replaces must stay linked
			}
		case p.Kind == findings.Contradiction:
			d.find(a, fmt.Sprintf("“%s” may contradict it: %s. Compare both.", b.Name, p.Reason))
		default:
			d.find(a, fmt.Sprintf("It is nearly the same as “%s”. Compare both.", b.Name))
		}
	}
	return err
}

// compared returns the memory for the search of pairs.
func (n note) compared() findings.Memory {
	return findings.Memory{
		ID: n.ID, Type: string(n.Type), File: path.Base(n.Path), Changed: n.ContentAt,
		Text: findings.Text{Name: n.Name, Description: n.Description, Body: n.Body},
	}
}

// addDeadLinks adds a step for each memory with links that fixedLink can fix. The step replaces
// them by a link with the right name, or by plain text if the target was deleted. It skips
// memories of other steps.
func (d *draftPlan) addDeadLinks() {
	for _, n := range d.notes {
		if d.touched[n.ID] {
			continue
		}
		var why []string
		to := *n.text()
		to.Body = replaceLinks(n.Body, func(name string) (string, bool) {
			text, reason, ok := d.names.fixedLink(name)
			if ok && !slices.Contains(why, reason) {
				why = append(why, reason)
			}
			return text, ok
		})
		if len(why) > 0 {
			d.add(kindUpdate, sourceFound, fmt.Sprintf("Fix the links of “%s”", n.Name), "Broken links: "+strings.Join(why, "; ")+".", write(n, to))
		}
	}
}

// addCitations adds a finding for each memory with citations of files or names that no longer
// exist in the project. The finding lists the first five. It ignores citations of memories, and
// skips memories that belong to a step or that the draft does not contain.
func (d *draftPlan) addCitations(doubtful []records.DoubtfulMemory) {
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
			d.find(d.notes[at], "Dead references: "+strings.Join(texts, ", ")+".")
		}
	}
}

func (d *draftPlan) addConflicts(found []records.Disagreement) {
	for _, f := range found {
		if at, ok := d.byID[f.ID]; ok {
			d.find(d.notes[at], fmt.Sprintf("Its files have %d different contents. Keep one.", f.Versions))
		}
	}
}

// edits returns the step's changes of memories as edits for Engine.PreviewEdits. An edit deletes
// the memory with its id, or gives it a whole new text. Changes of the index are left out.
func edits(step records.Step) []engine.Edit {
	var all []engine.Edit
	for _, c := range step.Changes {
		switch c.Op {
		case records.ChangeDelete:
			all = append(all, engine.Edit{ID: c.Memory, Delete: true})
		case records.ChangeWrite:
			all = append(all, engine.Edit{ID: c.Memory, Draft: engine.Draft{Name: c.Name, Type: c.After.Type, Description: c.After.Description, Body: c.After.Body}})
		}
	}
	return all
}
