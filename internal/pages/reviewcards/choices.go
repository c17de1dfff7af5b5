package reviewcards

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memoir/internal/diff"
	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// KeepDecision returns the decision that keeps the memory at an index.
func KeepDecision(n int) string { return fmt.Sprintf("keep_%d", n+1) }

// keys are the keys of decisions. Digits keep, a says yes, d says no or deletes.
var keys = map[string]string{
	review.Merge: "m", review.KeepBoth: "b", review.Delete: "d", review.Allow: "a", review.StillTrue: "v", review.Fix: "f", review.WriteBack: "w",
	review.RemoveValue: "1", review.UseFile: "2", review.Keep: "a", review.Accept: "a", review.Dismiss: "d", review.Apply: "a", review.Skip: "d",
	review.Snooze: "z",
}

// Key returns the key of a decision about an item of a kind. It is empty without one.
func Key(kind findings.Kind, decision string) string {
	if n, isKeep := strings.CutPrefix(decision, "keep_"); isKeep && decision != review.KeepBoth {
		return n
	}
	if kind == findings.Unfinished && decision == review.WriteBack {
		return "1"
	}
	return keys[decision]
}

// addChoices adds the decisions about the item, with those that need a page of their own.
func (c *card) addChoices() {
	item := c.item
	recommended := review.Recommended(item)
	for _, d := range review.Decisions(item) {
		if item.Kind == findings.Broken && d == review.Fix && len(c.Changes) == 0 {
			continue // no fix is known
		}
		choice := templates.ReviewChoice{
			Value: d, Label: templates.DecisionLabel(c.KindID, d), Key: Key(item.Kind, d), Recommended: d == recommended, Destroys: d == review.Delete,
		}
		switch d {
		case review.KeepBoth:
			if len(item.Memories) > 2 {
				choice.Label = "Keep all"
			}
		case review.RemoveValue:
			choice.Destroys, choice.Confirm = true, "Writes [removed] in all files and revisions. This cannot be undone."
		case review.Merge:
			choice.Href = address.WithQuery(c.Here, map[string]string{address.FieldMerge: "true"})
			if c.Merge {
				c.Merging = c.merging()
			}
		}
		c.Choices = append(c.Choices, choice)
	}
	snooze := func() int {
		return slices.IndexFunc(c.Choices, func(choice templates.ReviewChoice) bool { return choice.Value == review.Snooze })
	}
	if c.mergeHref != "" {
		c.Choices = slices.Insert(c.Choices, snooze(), templates.ReviewChoice{Value: review.Merge, Label: templates.ReviewWord(review.Merge), Key: "m", Href: c.mergeHref})
	}
	if href := c.editHref(); href != "" {
		c.Choices = slices.Insert(c.Choices, snooze(), templates.ReviewChoice{Value: "edit", Label: "Edit", Key: "e", Href: href})
	}
}

// editable are the kinds that an edit of the memory can settle.
var editable = map[findings.Kind]bool{
	findings.Injection: true, findings.Broken: true, findings.Expired: true, findings.Junk: true, findings.Link: true, findings.Unchecked: true,
}

// editHref returns the form to edit what the item is about. It is empty if that settles nothing.
func (c *card) editHref() string {
	switch {
	case c.item.Kind == findings.Suggestion:
		return address.ProposalPath(c.item.Agent, c.item.Subject, "edit")
	case len(c.item.Memories) == 1 && len(c.Sides) == 1 && !c.Sides[0].Masked && editable[c.item.Kind]:
		return address.MemoryPath(c.item.Agent, c.item.Memories[0].ID, "edit")
	}
	return ""
}

// merging returns the form to merge the memories of the card: the text that the model proposes, or
// all texts.
func (c *card) merging() *templates.ReviewMerge {
	first := c.texts[c.item.Memories[0].ID]
	m := &templates.ReviewMerge{Name: first.Name, Description: first.Description, CancelHref: address.WithQuery(c.Here, map[string]string{address.FieldMerge: ""})}
	var texts []string
	for _, of := range c.item.Memories {
		if body := strings.TrimSpace(c.texts[of.ID].Body); !slices.Contains(texts, body) {
			texts = append(texts, body)
		}
	}
	m.Body = strings.Join(texts, "\n\n")
	if len(texts) > 1 {
		m.Diff = diff.Texts(texts[0], texts[1], maxLines)
	}
	if proposed := c.item.Merge; proposed != nil {
		m.Description, m.Body = proposed.Description, proposed.Body
	}
	return m
}

// addFixes adds what fixes write: of a broken or unfinished file, and of an index.
func (c *card) addFixes() error {
	item := c.item
	switch {
	case item.Kind == findings.Link && len(item.Memories) == 1:
		return c.addCitations()
	case item.Kind == findings.Index, item.Kind == findings.Link && len(item.Memories) == 0:
		return c.addIndexFix()
	case item.Kind != findings.Broken && item.Kind != findings.Unfinished:
		return nil
	}
	m := item.Memories[0]
	t, ok := c.texts[m.ID]
	if !ok {
		return nil
	}
	flawed, err := c.Engine.ProposeFixes(c.ctx, item.Agent, m.ID)
	if err != nil {
		return err
	}
	for _, f := range flawed {
		if item.Kind == findings.Unfinished {
			c.addUnfinished(f)
			continue
		}
		for _, p := range f.Problems {
			c.addProblem(p.Message)
		}
		for i, fix := range f.Fixes {
			if i == firstFix(f) {
				c.Changes = append(c.Changes, fileChange(f, "Fix: "+fixLabel(fix), fix.After, fix.NewPath))
			}
			if c.CanDecide {
				c.Fixes = append(c.Fixes, c.otherFix(m, f, i))
			}
		}
	}
	if len(flawed) == 0 {
		for _, p := range t.Problems {
			c.addProblem(p.Message)
		}
		c.addTypes(t, m)
	}
	return nil
}

// addProblem adds a problem of a file. Several files can have the same one, for example one name.
func (c *card) addProblem(message string) {
	if fact := (templates.ReviewFact{Label: "Problem", Text: message}); !slices.Contains(c.Facts, fact) {
		c.Facts = append(c.Facts, fact)
	}
}

// addCitations adds what a memory cites and its project no longer has, with the action to check it
// again.
func (c *card) addCitations() error {
	m := c.item.Memories[0]
	t := c.texts[m.ID]
	if t.Dead == 0 {
		return nil
	}
	dead, err := c.Store.DeadCitations(c.ctx, c.agent, []string{m.ID})
	for _, cited := range dead[m.ID] {
		c.Facts = append(c.Facts, templates.ReviewFact{Label: "Not found", Text: cited.Text})
	}
	if c.CanDecide {
		c.Fixes = append(c.Fixes, templates.ReviewFix{Action: ui.Action{
			Label: "Check again", About: t.Name, Path: address.MemoryPath(c.item.Agent, m.ID, "citations"), Back: c.Here,
		}})
	}
	return err
}

// firstFix returns the index of the fix that the decision "fix" applies, or -1 without a fix. It is
// the first one. If several fixes are for its problem, it is the one that the file suggests.
func firstFix(f engine.Flawed) int {
	if len(f.Fixes) == 0 {
		return -1
	}
	for i, fix := range f.Fixes {
		if fix.Guessed && fix.Code == f.Fixes[0].Code {
			return i
		}
	}
	return 0
}

// otherFix returns the form that applies one fix of a file.
func (c *card) otherFix(m records.ReviewMemory, f engine.Flawed, n int) templates.ReviewFix {
	fix := f.Fixes[n]
	v := templates.ReviewFix{
		Action: ui.Action{Label: fix.Label, About: c.Sides[0].Name, Path: address.MemoryPath(c.item.Agent, m.ID, "fix"), ETag: m.ETag, Back: c.Here},
		Fields: []templates.ReviewField{{Name: address.FieldPath, Value: f.Path}, {Name: address.FieldHash, Value: f.Hash}, {Name: address.FieldFix, Value: fix.ID}},
	}
	v.Action.Label = fixLabel(fix)
	if name, isType := strings.CutPrefix(fix.ID, typeFix); isType {
		v.Type, v.HasType = memories.Type(name), true
	}
	return v
}

// typeFix begins the ids of fixes that set a type.
const typeFix = "type:"

// fixLabel returns the label of a fix: that of its type, if it sets one.
func fixLabel(fix frontmatter.Fix) string {
	if name, isType := strings.CutPrefix(fix.ID, typeFix); isType {
		return wording.TypeName(memories.Type(name))
	}
	return fix.Label
}

// addTypes adds the choice of a type for a memory that no file on disk has. With a type, it gets a
// file.
func (c *card) addTypes(t records.ReviewText, m records.ReviewMemory) {
	if t.Type != "" || t.State != memories.NeedsAttention || !c.CanDecide {
		return
	}
	for _, of := range memories.Types() {
		c.Fixes = append(c.Fixes, templates.ReviewFix{
			Action: ui.Action{Label: wording.TypeName(of), About: t.Name, Path: address.MemoryPath(c.item.Agent, m.ID, "type"), ETag: m.ETag, Back: c.Here},
			Fields: []templates.ReviewField{{Name: address.FieldType, Value: string(of)}}, Type: of, HasType: true,
		})
	}
}

// addUnfinished adds the difference of the last good content and the file.
func (c *card) addUnfinished(f engine.Flawed) {
	for _, fix := range f.Fixes {
		if fix.ID == engine.FixLastGood {
			c.Changes = append(c.Changes, templates.ReviewChange{
				Title: f.Path, Path: true, Note: "The last good content compared with the file.", Diff: shown.Diff(shown.Printable(fix.After), shown.Printable(f.Raw), maxLines),
			})
		}
	}
}

// addIndexFix adds what a repair writes to MEMORY.md and its topics.
func (c *card) addIndexFix() error {
	change, err := c.Engine.PreviewIndex(c.ctx, c.item.Agent)
	if reason := (*memories.ConflictError)(nil); errors.As(err, &reason) {
		c.Facts = append(c.Facts, templates.ReviewFact{Label: "Problem", Text: reason.Reason})
		return nil
	}
	if err != nil {
		return err
	}
	c.ETags = []string{change.ETag()}
	for _, f := range append([]engine.IndexChange{change}, change.Topics...) {
		if d := shown.Diff(string(f.Before), string(f.After), maxLines); len(d.Hunks) > 0 {
			// A repair also adds lines for memories that have none.
			note := wording.Count(d.Removed, "line", "lines") + " removed, " + wording.Number(d.Added) + " added"
			c.Changes = append(c.Changes, templates.ReviewChange{Title: f.Path, Path: true, Note: note, Diff: d})
		}
	}
	return nil
}

func fileChange(f engine.Flawed, note string, after []byte, newPath string) templates.ReviewChange {
	v := templates.ReviewChange{Title: f.Path, Path: true, Note: note}
	if newPath != "" {
		v.Diff = shown.Diff(f.Path+"\n", newPath+"\n", maxLines)
		return v
	}
	v.Diff = shown.Diff(shown.Printable(f.Raw), shown.Printable(after), maxLines)
	return v
}
