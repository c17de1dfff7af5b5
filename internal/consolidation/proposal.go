package consolidation

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// proposal is a step as the model proposes it. Nothing in it is believed.
type proposal struct {
	Kind        string   `json:"kind"`
	Memories    []string `json:"memories"`
	Keep        string   `json:"keep"`
	Description string   `json:"description"`
	Body        string   `json:"body"`
	Reason      string   `json:"reason"`
}

const (
	// mostMerged is how many memories one proposal may be about.
	mostMerged = 6
	// longestReason and longestDescription are in Unicode characters.
	longestReason, longestDescription = 400, 300
	// grounded is the share of the words of a new text that have to be in the texts that it is made of.
	grounded = 0.6
	// headroom is by how many bytes a text may be longer than those that it is made of together.
	headroom = 400
)

// into adds the step to the plan, and returns how many memories it deletes. It fails, with the end of a sentence, for what cannot be
// taken: memories that it was not sent, more deletions than are left, and a text that says what none of its sources says. So a memory
// that was written to mislead whoever reads it can at most propose something about itself.
func (p proposal) into(d *draftPlan, sent map[string]note, deletions int) (going int, err error) {
	var of []note
	for _, name := range p.Memories {
		n, ok := sent[name]
		switch {
		case !ok:
			return 0, errors.New("named a memory that there is not")
		case d.touched[n.ID]:
			return 0, errors.New("was about a memory that another step is about")
		case slices.ContainsFunc(of, func(m note) bool { return m.ID == n.ID }):
			return 0, errors.New("named a memory twice")
		}
		of = append(of, n)
	}
	reason := strings.Join(strings.Fields(p.Reason), " ")
	if reason == "" || !isPlainText([]byte(reason)) {
		return 0, errors.New("gave no reason")
	}
	reason = cut(reason, longestReason)
	switch {
	case p.Kind == kindMerge && len(of) >= 2 && len(of) <= mostMerged:
		return p.merge(d, of, reason, deletions)
	case p.Kind == kindUpdate && len(of) == 1:
		return 0, p.update(d, of[0], reason)
	case p.Kind == kindDelete && len(of) == 1:
		if deletions < 1 {
			return 0, errors.New("was one deletion too many")
		}
		if !d.add(kindDelete, sourceModel, fmt.Sprintf("Delete “%s”", of[0].Name), reason, remove(of[0])) {
			return 0, errors.New("did not fit into the plan")
		}
		return 1, nil
	}
	return 0, errors.New("was no step")
}

func (p proposal) merge(d *draftPlan, of []note, reason string, deletions int) (going int, err error) {
	at := slices.IndexFunc(of, func(n note) bool { return n.Name == p.Keep })
	if at < 0 {
		return 0, errors.New("did not say which memory stays")
	}
	keep := of[at]
	gone := slices.Delete(slices.Clone(of), at, at+1)
	if len(gone) > deletions {
		return 0, errors.New("was one deletion too many")
	}
	to, err := p.text(keep, of)
	if err != nil {
		return 0, err
	}
	changes := []records.StepChange{}
	if to != *keep.text() {
		changes = append(changes, write(keep, to))
	}
	changes = append(changes, d.relinking(gone, keep)...)
	titles := make([]string, len(gone))
	for i, n := range gone {
		changes, titles[i] = append(changes, remove(n)), "“"+n.Name+"”"
	}
	if !d.add(kindMerge, sourceModel, fmt.Sprintf("Merge %s into “%s”", strings.Join(titles, ", "), keep.Name), reason, changes...) {
		return 0, errors.New("did not fit into the plan")
	}
	d.touched[keep.ID] = true
	return len(gone), nil
}

func (p proposal) update(d *draftPlan, n note, reason string) error {
	to, err := p.text(n, []note{n})
	if err != nil {
		return err
	}
	if to == *n.text() {
		return errors.New("changed nothing")
	}
	if !d.add(kindUpdate, sourceModel, fmt.Sprintf("Update “%s”", n.Name), reason, write(n, to)) {
		return errors.New("did not fit into the plan")
	}
	return nil
}

// text is what a memory is to say, when that can be taken.
func (p proposal) text(n note, sources []note) (records.StepText, error) {
	description := cut(strings.Join(strings.Fields(p.Description), " "), longestDescription)
	if description == "" {
		description = n.Description
	}
	if !isPlainText([]byte(p.Body + description)) {
		return records.StepText{}, errors.New("was no text")
	}
	to := canonical(n.Name, records.StepText{Type: n.Type, Description: description, Body: p.Body})
	check := memories.Content{Name: n.Name, Type: to.Type, Description: to.Description, Body: to.Body}
	var said strings.Builder
	for _, s := range sources {
		said.WriteString(s.Name + "\n" + s.Description + "\n" + s.Body + "\n")
	}
	switch {
	case strings.TrimSpace(to.Body) == "":
		return to, errors.New("left nothing of a memory")
	case check.Check() != nil:
		return to, errors.New("was no memory")
	case len(to.Body) > said.Len()+headroom:
		return to, errors.New("was longer than what it was made of")
	case !isGrounded(to.Description+"\n"+to.Body, said.String()):
		return to, errors.New("said what none of its memories says")
	}
	return to, nil
}

// absoluteDate is what relative dates become: it is in no source.
var absoluteDate = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)

// isGrounded reports whether a text says what its sources say: most of its words are theirs, and all that names something is, be it a
// number, a path or an address.
func isGrounded(text, sources string) bool {
	known := map[string]bool{}
	for _, word := range wordsOf(sources) {
		known[word] = true
	}
	text = absoluteDate.ReplaceAllString(text, "")
	all, theirs := 0, 0
	for _, word := range wordsOf(text) {
		if all++; known[word] || slight[word] {
			theirs++
		}
	}
	named := tokensOf(sources)
	for token := range tokensOf(text) {
		if !named[token] && strings.ContainsAny(token, "0123456789/.:@_") && !strings.Contains(sources, token) {
			return false
		}
	}
	return float64(theirs) >= grounded*float64(all)
}
