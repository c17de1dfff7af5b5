package review

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/findings"
	"memoir/internal/findings/expiry"
	"memoir/internal/findings/junk"
	"memoir/internal/findings/links"
	"memoir/internal/findings/pairs"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/memories/memtext"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// recallDays is the number of days whose recalls raise an item in the queue. It is arbitrary.
const recallDays = 30

// examination collects the items of one agent.
type examination struct {
	agent   records.Agent
	now     time.Time
	off     map[findings.Kind]bool
	targets links.Targets
	index   *pairs.Index
	items   []records.ReviewItem
	// replaced are the items about memories that say of themselves that they are replaced, by id.
	replaced map[string]int
	missing  []records.ReviewText
	// conflicting are the memories whose files have different contents.
	conflicting []records.ReviewText

	verdicts []records.ReviewVerdict
	merges   map[sides]*records.MergedText
	// former are the kinds by rules of the pairs whose kind the model has changed.
	former map[sides]findings.Kind
	// contents are those of the compared memories, by id, and candidates the pairs for the model.
	// Both are nil without a model.
	contents   map[string]findings.Content
	candidates []candidate
}

func newExamination(agent records.Agent, now time.Time, off map[findings.Kind]bool, targets links.Targets) *examination {
	return &examination{
		agent: agent, now: now, off: off, targets: targets, index: pairs.NewIndex(), replaced: map[string]int{}, merges: map[sides]*records.MergedText{},
		former: map[sides]findings.Kind{},
	}
}

// add appends an item about memories, unless its kind is switched off. Fields that follow from the
// kind and the memories are set here.
func (x *examination) add(item records.ReviewItem, of ...records.ReviewText) {
	if x.off[item.Kind] {
		return
	}
	item.AgentID, item.Agent, item.Rank = x.agent.ID, x.agent.Slug, rankOf(item.Kind)
	for _, t := range of {
		item.Memories = append(item.Memories, shownMemory(t))
		item.Weight += float64(1+t.Recalls) * float64(max(t.ClaudeMDChars, 1))
	}
	if item.ID == "" {
		item.ID = itemID(item.Kind, x.agent.Slug, of...)
	}
	x.items = append(x.items, item)
}

// itemID returns the id of an item about memories.
func itemID(k findings.Kind, slug string, of ...records.ReviewText) string {
	contents := make([]findings.Content, len(of))
	for i, t := range of {
		contents[i] = findings.Content{Name: t.Name, Fingerprint: t.Fingerprint}
	}
	return findings.ItemID(k, slug, contents...)
}

func shownMemory(t records.ReviewText) records.ReviewMemory {
	shown := records.ReviewMemory{ID: t.ID, Name: t.Name, Path: t.Path, ETag: engine.ETag(t.Memory)}
	if t.IsQuarantined() {
		shown.Name = quarantine.Mask(t.Name)
	}
	return shown
}

// match appends an item about one memory.
func (x *examination) match(t records.ReviewText, m findings.Match) {
	x.add(records.ReviewItem{Kind: m.Kind, Reason: m.Reason, Evidence: evidenceOf(t.ID, m.Spans)}, t)
}

func evidenceOf(id string, spans []findings.Span) []records.Evidence {
	all := make([]records.Evidence, len(spans))
	for i, s := range spans {
		all[i] = records.Evidence{Memory: id, Field: s.Field, Start: s.Start, End: s.End}
	}
	return all
}

// textOf returns the examined part of a memory.
func textOf(t records.ReviewText) findings.Text {
	return findings.Text{Name: t.Name, Description: t.Description, Body: t.Body}
}

// compared returns a memory for the search of pairs.
func compared(t records.ReviewText) findings.Memory {
	return findings.Memory{ID: t.ID, Type: string(t.Type), File: path.Base(t.Path), Text: textOf(t), Changed: t.ContentAt}
}

// memory examines one memory by itself. A memory that a client was asked to forget needs nothing else.
func (x *examination) memory(t records.ReviewText) {
	if t.Pending() == memories.PendingDeletion {
		return
	}
	if t.State == memories.Missing {
		x.missing = append(x.missing, t)
	}
	if t.Conflict != memories.NoConflict {
		x.conflicting = append(x.conflicting, t)
	}
	if t.IsQuarantined() {
		// Nothing else is decided about it before, and its text is not compared with others.
		for _, m := range quarantine.Examine(textOf(t)) {
			if hasProblem(t, string(m.Kind)) {
				x.match(t, m)
			}
		}
		return
	}
	switch reason, isBroken := brokenReason(t); {
	case hasProblem(t, memories.CodeLastGood):
		x.add(records.ReviewItem{Kind: findings.Unfinished, Reason: "File is unfinished; last good in use"}, t)
	case isBroken:
		x.add(records.ReviewItem{Kind: findings.Broken, Reason: reason}, t)
	}
	if !t.Readable {
		return
	}
	text := textOf(t)
	if m, ok := expiry.Match(text, t.ModifiedAt, x.now); ok {
		x.match(t, m)
	}
	if m, ok := junk.Match(text); ok {
		x.match(t, m)
	}
	m, ok := links.Match(text, t.Path, x.targets)
	if t.Dead > 0 {
		if m.Kind, ok = findings.Link, true; m.Reason == "" {
			m.Reason = "Dead references"
		}
	}
	if ok {
		x.match(t, m)
	}
	if age := t.Age(x.now); age.IsUnchecked(t.Type) {
		x.add(records.ReviewItem{Kind: findings.Unchecked, Reason: fmt.Sprintf("Not checked for %d days", age.Days)}, t)
	}
	if m, ok := pairs.Superseded(text); ok {
		x.replaced[t.ID] = len(x.items)
		m.Kind = findings.Contradiction
		x.match(t, m)
	}
	x.index.Add(compared(t))
	if x.contents != nil {
		x.contents[t.ID] = findings.Content{Name: t.Name, Fingerprint: t.Fingerprint}
	}
}

var conflictReasons = map[memories.Conflict]string{
	memories.PrimaryConflict: "Two files, different content",
	memories.SessionConflict: "A session's file is newer and differs",
}

// brokenReasons are the problems for which a person should look at a memory, with the reason in a
// few words.
var brokenReasons = []struct{ code, reason string }{
	{memories.CodeMergeConflict, "Markers of a merge conflict"},
	{memories.CodeTypeConflict, "Two different types"},
	{memories.CodeInvalidUTF8, "Text is not UTF-8"},
	{memories.CodeNUL, "Text has NUL characters"},
	{memories.CodeDuplicateName, "Another file has the same name"},
	{memories.CodeTypeMissing, "No type; agents do not see it"},
	{memories.CodeTypeUnknown, "Unknown type; agents do not see it"},
	{memories.CodeTypeNotText, "Type is a list or a table"},
	{memories.CodeNoFrontmatter, "Frontmatter is missing or not closed"},
	{memories.CodeNotMarkdown, "File name does not end in .md"},
	{memories.CodeNotMemory, "File is for people or tools"},
	{memories.CodeTooLarge, "File is larger than 1 MiB"},
	{memories.CodeTooDeep, "File is more than 4 directories deep"},
}

// brokenReason reports whether a memory needs attention because of its file, and why in a few words.
func brokenReason(t records.ReviewText) (reason string, isBroken bool) {
	for _, known := range brokenReasons {
		if known.code == memories.CodeDuplicateName && t.Conflict == memories.PrimaryConflict {
			continue // the conflict asks for the same decision
		}
		if hasProblem(t, known.code) && (t.State == memories.NeedsAttention || !isTypeProblem(known.code)) {
			return known.reason, true
		}
	}
	return "File cannot be read", t.State == memories.NeedsAttention
}

// isTypeProblem reports whether a problem only matters while the memory has no type.
func isTypeProblem(code string) bool {
	return slices.Contains([]string{memories.CodeTypeMissing, memories.CodeTypeUnknown, memories.CodeTypeNotText, memories.CodeNoFrontmatter}, code)
}

func hasProblem(t records.ReviewText, code string) bool {
	return slices.ContainsFunc(t.Problems, func(p memories.Problem) bool { return p.Code == code })
}

// missingItem appends one item for all missing memories.
func (x *examination) missingItem() {
	if n := len(x.missing); n > 0 {
		reason := fmt.Sprintf("%d files missing at once", n)
		if n == 1 {
			reason = "File missing since a mass removal"
		}
		x.add(records.ReviewItem{Kind: findings.Missing, Reason: reason}, x.missing...)
	}
}

// loader reads memories for comparisons and items.
type loader func(ctx context.Context, ids []string) ([]records.ReviewText, error)

// decisions returns which of the items with the ids have a decision that holds.
type decisions func(ctx context.Context, ids []string) (map[string]bool, error)

// pairItems appends the items about two to four memories, as rules and the model see them. It leaves
// out decided pairs, also by their kind before the model changed it. It drops the item about one
// replaced memory if a pair says so too.
func (x *examination) pairItems(ctx context.Context, load loader, isDecided decisions) error {
	if x.off[findings.Duplicate] && x.off[findings.Contradiction] {
		return nil
	}
	found, err := x.index.Pairs(ctx, func(ctx context.Context, ids []string) ([]findings.Memory, error) {
		texts, err := load(ctx, ids)
		all := make([]findings.Memory, len(texts))
		for i, t := range texts {
			all[i] = compared(t)
		}
		return all, err
	})
	if err != nil {
		return err
	}
	if x.contents != nil {
		x.candidates = x.candidatesOf(found)
	}
	involved := map[string]records.ReviewText{}
	var ids []string
	for _, p := range found {
		ids = append(ids, p.A, p.B)
	}
	for _, v := range x.verdicts {
		if v.Kind == string(pairKind) {
			ids = append(ids, v.Memories...)
		}
	}
	slices.Sort(ids)
	for chunk := range slices.Chunk(slices.Compact(ids), 500) {
		texts, err := load(ctx, chunk)
		if err != nil {
			return err
		}
		for _, t := range texts {
			if !canBeCompared(t) {
				continue
			}
			t.Body = "" // only the shown part is needed
			involved[t.ID] = t
		}
	}
	found = x.judgePairs(found, involved)
	pairIDs := make([]string, 0, 2*len(found))
	for _, p := range found {
		for _, k := range []findings.Kind{p.Kind, cmp.Or(x.former[sidesOf(p.A, p.B)], p.Kind)} {
			pairIDs = append(pairIDs, itemID(k, x.agent.Slug, involved[p.A], involved[p.B]))
		}
	}
	decided, err := isDecided(ctx, pairIDs)
	if err != nil {
		return err
	}
	open := found[:0]
	for i, p := range found {
		_, hasA := involved[p.A]
		_, hasB := involved[p.B]
		if hasA && hasB && !decided[pairIDs[2*i]] && !decided[pairIDs[2*i+1]] {
			open = append(open, p)
		}
	}
	dropped := map[int]bool{}
	for _, set := range pairs.Group(open) {
		item := setItem(set)
		if len(set.IDs) == 2 {
			item.Merge = x.merges[sides(set.IDs)]
		}
		x.add(item, textsOf(set.IDs, involved)...)
		for _, id := range set.IDs {
			if at, ok := x.replaced[id]; ok && set.Kind == findings.Contradiction {
				dropped[at] = true
			}
		}
	}
	kept := x.items[:0]
	for i, item := range x.items {
		if !dropped[i] {
			kept = append(kept, item)
		}
	}
	x.items = kept
	return nil
}

// canBeCompared reports whether the text of a memory is compared with others, and may be sent to a
// model.
func canBeCompared(t records.ReviewText) bool {
	return t.Readable && t.State != memories.Deleted && !t.IsQuarantined()
}

func textsOf(ids []string, all map[string]records.ReviewText) []records.ReviewText {
	texts := make([]records.ReviewText, len(ids))
	for i, id := range ids {
		texts[i] = all[id]
	}
	return texts
}

// setItem returns the item of a set of pairs, without its memories. A side is recommended if all
// pairs recommend it.
func setItem(set pairs.Set) records.ReviewItem {
	item := records.ReviewItem{Kind: set.Kind, Reason: set.Pairs[0].Reason, Keep: set.Pairs[0].Keep}
	var seen []records.Evidence
	for _, p := range set.Pairs {
		if p.Keep != item.Keep {
			item.Keep = ""
		}
		seen = append(seen, evidenceOf(p.A, p.Spans[0])...)
		seen = append(seen, evidenceOf(p.B, p.Spans[1])...)
	}
	slices.SortFunc(seen, func(a, b records.Evidence) int {
		return cmp.Or(cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	item.Evidence = slices.Compact(seen)
	return item
}

// indexItems appends the items about MEMORY.md: lines that the agent does not load, and entries
// without a file.
func (x *examination) indexItems(index engine.Index) {
	unloaded, dead := 0, 0
	for _, f := range index.Findings {
		switch f.Code {
		case memorymd.FindingNotLoaded:
			unloaded++
		case memorymd.FindingDeadLink:
			dead++
		}
	}
	if unloaded > 0 {
		x.add(records.ReviewItem{ID: indexItemID(findings.Index, x.agent.Slug, index), Kind: findings.Index, Subject: index.Path, Reason: memtext.Counted(unloaded, "line is not loaded", "lines are not loaded")})
	}
	if dead > 0 {
		x.add(records.ReviewItem{ID: indexItemID(findings.Link, x.agent.Slug, index), Kind: findings.Link, Subject: index.Path, Reason: memtext.Counted(dead, "entry without a file", "entries without a file")})
	}
}

// indexItemID returns the id of an item about a MEMORY.md.
func indexItemID(k findings.Kind, slug string, index engine.Index) string {
	return findings.ItemID(k, slug, findings.Content{Name: index.Path, Fingerprint: memories.FingerprintOf("", "", string(index.Raw))})
}

// other appends an item about something that is no memory: a blocked content, a proposal or a step.
func (x *examination) other(k findings.Kind, subject, reason string) {
	x.add(records.ReviewItem{ID: findings.ItemID(k, x.agent.Slug, findings.Content{Name: subject}), Kind: k, Subject: subject, Reason: reason})
}

// stepReasons are the kinds of plan steps in a few words.
var stepReasons = map[string]string{"merge": "Merge memories into one", "update": "Change a memory", "delete": "Delete a memory", "reindex": "Update MEMORY.md"}

// planItems appends the proposed steps of a plan. Those that rules found about duplicates and
// superseded memories have items of their kinds already.
func (x *examination) planItems(plan records.Plan) {
	for _, step := range plan.Steps {
		isListed := step.Source != "found" || step.Kind != "merge" && step.Kind != "delete"
		if isListed && step.State == records.StepProposed {
			x.other(findings.Plan, step.ID.String(), cmp.Or(stepReasons[step.Kind], strings.ToLower(step.Kind)))
		}
	}
}
