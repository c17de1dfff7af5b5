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

// proposal is a step proposed by the model. It must be checked.
type proposal struct {
	Kind        string   `json:"kind"`
	Memories    []string `json:"memories"`
	Keep        string   `json:"keep"`
	Description string   `json:"description"`
	Body        string   `json:"body"`
	Reason      string   `json:"reason"`
}

const (
	// maxMerged is the maximum number of memories in one proposal (arbitrary).
	maxMerged = 6
	// maxReason and maxDescription are maximum lengths in Unicode characters (arbitrary).
	maxReason, maxDescription = 400, 300
	// minGrounded is the minimum share of words in a new text that its sources must contain
	// (arbitrary).
	minGrounded = 0.6
	// maxGrowth is the maximum number of bytes that a text may be longer than its sources together
	// (arbitrary).
	maxGrowth = 400
)

// addTo checks the proposal and adds it to the draft as a step. It returns the number of memories
// that the step deletes, at most deletions. The proposal may only name memories in sent, each once
// and of no other step. If a check fails or the draft is full, it adds nothing; the error is the
// end of a sentence for users. The checks keep a malicious memory from changing others.
func (p proposal) addTo(d *draftPlan, sent map[string]note, deletions int) (deletes int, err error) {
	var targets []note
	for _, name := range p.Memories {
		n, ok := sent[name]
		switch {
		case !ok:
			return 0, errors.New("named an unknown memory")
		case d.touched[n.ID]:
			return 0, errors.New("named a memory of another step")
		case slices.ContainsFunc(targets, func(m note) bool { return m.ID == n.ID }):
			return 0, errors.New("named a memory twice")
		}
		targets = append(targets, n)
	}
	reason := strings.Join(strings.Fields(p.Reason), " ")
	if reason == "" || !isPlainText([]byte(reason)) {
		return 0, errors.New("gave no reason")
	}
	reason = cut(reason, maxReason)
	switch {
	case p.Kind == kindMerge && len(targets) >= 2 && len(targets) <= maxMerged:
		return p.merge(d, targets, reason, deletions)
	case p.Kind == kindUpdate && len(targets) == 1:
		return 0, p.update(d, targets[0], reason)
	case p.Kind == kindDelete && len(targets) == 1:
		if deletions < 1 {
			return 0, errors.New("was one deletion too many")
		}
		if !d.add(kindDelete, sourceModel, fmt.Sprintf("Delete “%s”", targets[0].Name), reason, remove(targets[0])) {
			return 0, errors.New("did not fit into the plan")
		}
		return 1, nil
	}
	return 0, errors.New("was no step")
}

// merge adds a step that gives the memory named p.Keep the proposed text and deletes the other
// targets. It returns the number of deleted memories. If no target has that name, or more than
// deletions would be deleted, it adds nothing and returns an error. It also does so if text
// returns an error or the draft is full.
func (p proposal) merge(d *draftPlan, targets []note, reason string, deletions int) (deletes int, err error) {
	at := slices.IndexFunc(targets, func(n note) bool { return n.Name == p.Keep })
	if at < 0 {
		return 0, errors.New("did not say which memory stays")
	}
	keep := targets[at]
	gone := slices.Delete(slices.Clone(targets), at, at+1)
	if len(gone) > deletions {
		return 0, errors.New("was one deletion too many")
	}
	to, err := p.text(keep, targets)
	if err != nil {
		return 0, err
	}
	if !d.addMerge(sourceModel, fmt.Sprintf("Merge %s into “%s”", quotedNames(gone), keep.Name), reason, keep, to, gone) {
		return 0, errors.New("did not fit into the plan")
	}
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

// text returns the proposed text for memory n as it would be read back from a file. An empty
// description keeps the present one, and a long one is cut to maxDescription. It returns an error
// if the body is empty, the text is invalid or over maxGrowth bytes longer than sources together,
// or isGrounded is false.
func (p proposal) text(n note, sources []note) (records.StepText, error) {
	description := cut(strings.Join(strings.Fields(p.Description), " "), maxDescription)
	if description == "" {
		description = n.Description
	}
	if !isPlainText([]byte(p.Body + description)) {
		return records.StepText{}, errors.New("was no text")
	}
	to := canonical(n.Name, records.StepText{Type: n.Type, Description: description, Body: p.Body})
	check := memories.Content{Name: n.Name, Type: to.Type, Description: to.Description, Body: to.Body}
	var sourceText strings.Builder
	for _, s := range sources {
		sourceText.WriteString(s.Name + "\n" + s.Description + "\n" + s.Body + "\n")
	}
	switch {
	case strings.TrimSpace(to.Body) == "":
		return to, errors.New("left nothing of a memory")
	case check.Check() != nil:
		return to, errors.New("was no memory")
	case len(to.Body) > sourceText.Len()+maxGrowth:
		return to, errors.New("was longer than its sources")
	case !isGrounded(to.Description+"\n"+to.Body, sourceText.String()):
		return to, errors.New("said what none of its memories says")
	}
	return to, nil
}

// absoluteDate matches dates. The model replaces relative dates by these, so sources do not contain
// them.
var absoluteDate = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)

// isGrounded reports whether sources contain at least minGrounded of the words of text, and all
// its words with a digit or one of /.:@_. Stop words count as contained. Dates such as 2026-01-31
// are ignored.
func isGrounded(text, sources string) bool {
	known := wordSet(sources)
	text = absoluteDate.ReplaceAllString(text, "")
	all, theirs := 0, 0
	for _, word := range wordsOf(text) {
		if all++; known[word] || stopWords[word] {
			theirs++
		}
	}
	named := tokensOf(sources)
	for token := range tokensOf(text) {
		if !named[token] && strings.ContainsAny(token, "0123456789/.:@_") && !strings.Contains(sources, token) {
			return false
		}
	}
	return float64(theirs) >= minGrounded*float64(all)
}
