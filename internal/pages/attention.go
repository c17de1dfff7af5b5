package pages

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

const (
	// maxBroken is the maximum number of broken files on a page. Fixes are computed for one of them
	// only: see readBroken. (arbitrary)
	maxBroken = 25
	// maxDecisions is the maximum number of rows of each other kind (arbitrary). Totals and bulk
	// actions include the rest.
	maxDecisions = 100
	// maxFixLines is the maximum number of lines of a fix's diff (arbitrary).
	maxFixLines = 60
)

// attention shows all that needs a decision about an agent: broken memories, warnings, missing
// memories, blocked contents, deleted memories with files left, dead references, conflicts. It
// changes nothing.
func (s *site) attention(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	path := templates.AttentionPath(agent.Slug)
	frame, err := s.frame(r, agent, path)
	if err != nil {
		return err
	}
	v := templates.Attention{Frame: frame, Agent: agentView(agent), Selection: selectionOf(agent, false, path)}
	if err := s.readBroken(r, agent, &v); err != nil {
		return err
	}
	if err := s.readDecisions(r.Context(), agent, &v); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.AttentionPage(v))
}

// readBroken fills v with one page of at most maxBroken broken memories, and separates files that
// are not memories. It adds the first maxBroken memories with warnings. It computes the possible
// fixes of only one of all these, because that is slow: see openFixes.
func (s *site) readBroken(r *http.Request, agent records.Agent, v *templates.Attention) error {
	path := templates.AttentionPath(agent.Slug)
	cursor := r.URL.Query().Get(templates.FieldCursor)
	page, err := s.store.Memories(r.Context(), agent, memories.Filter{State: memories.NeedsAttention, Sort: memories.ByName}, memories.PageRequest{Limit: maxBroken, Cursor: cursor})
	if err != nil {
		return err
	}
	v.MoreHref, v.FirstHref = pageLinks(path, cursor, page.NextCursor)
	flagged, err := s.store.Memories(r.Context(), agent, memories.Filter{Flagged: true, Sort: memories.ByName}, memories.PageRequest{Limit: maxBroken})
	if err != nil {
		return err
	}
	v.Broken, v.Flagged = closedFixes(page.Memories, path), closedFixes(flagged.Memories, path)
	if err := s.openFixes(r, slices.Concat(page.Memories, flagged.Memories), v); err != nil {
		return err
	}
	for i, m := range page.Memories {
		if hasProblem(m, memories.CodeNotMemory) {
			v.NotMemories = append(v.NotMemories, v.Broken[i])
		}
	}
	v.Broken = slices.DeleteFunc(v.Broken, func(m templates.BrokenMemory) bool {
		return slices.ContainsFunc(v.NotMemories, func(other templates.BrokenMemory) bool { return other.ID == m.ID })
	})
	return nil
}

func hasProblem(m memories.Memory, code string) bool {
	return slices.ContainsFunc(m.Problems, func(p memories.Problem) bool { return p.Code == code })
}

// closedFixes returns a row for each memory in found, in the same order, without fixes. The row of
// an unreadable memory lists its file with the problems. back is the page to return to after an
// action.
func closedFixes(found []memories.Memory, back string) []templates.BrokenMemory {
	now := time.Now()
	rows := make([]templates.BrokenMemory, len(found))
	for i, m := range found {
		rows[i] = fixesOf(m, nil, back, now)
		rows[i].Closed = m.Readable && len(m.Files) > 0 || hasProblem(m, memories.CodeNotMarkdown)
		if !m.Readable {
			rows[i].Files = []templates.FlawedFile{{Path: m.Path, Session: m.Session, Hash: m.Hash, Problems: m.Problems}}
		}
	}
	return rows
}

// openFixes computes the possible fixes of one memory in found and puts them into its row in
// v.Broken or v.Flagged. It takes the memory whose id is the parameter FieldOpen, else the first
// without the problem CodeNotMemory. If there is neither, it does nothing.
func (s *site) openFixes(r *http.Request, found []memories.Memory, v *templates.Attention) error {
	id := r.URL.Query().Get(templates.FieldOpen)
	at := slices.IndexFunc(found, func(m memories.Memory) bool { return m.ID == id })
	if at < 0 {
		at = slices.IndexFunc(found, func(m memories.Memory) bool { return !hasProblem(m, memories.CodeNotMemory) })
	}
	if at < 0 {
		return nil
	}
	m := found[at]
	flawed, err := s.engine.ProposeFixes(r.Context(), m.Agent, m.ID)
	if err != nil {
		return err
	}
	for _, rows := range [][]templates.BrokenMemory{v.Broken, v.Flagged} {
		for i := range rows {
			if rows[i].ID == m.ID {
				rows[i] = fixesOf(m, flawed, rows[i].Back, time.Now())
			}
		}
	}
	return nil
}

func fixesOf(m memories.Memory, flawed []engine.Flawed, back string, now time.Time) templates.BrokenMemory {
	v := templates.BrokenMemory{MemoryRow: rowOf(m, now), Back: back}
	for _, f := range flawed {
		v.Files = append(v.Files, templates.FlawedFile{
			Path: f.Path, Session: f.Session, Hash: f.Hash, Problems: f.Problems, Choices: choicesOf(f),
		})
	}
	return v
}

// choicesOf groups the fixes of a file, in their order. Fixes that set a type form one choice,
// which shows the diff of the guessed one, else of the first. Each other fix is a choice of its
// own.
func choicesOf(f engine.Flawed) []templates.FixChoice {
	var choices []templates.FixChoice
	types := -1
	for i, fix := range f.Fixes {
		view := templates.FixView{ID: fix.ID, Label: fix.Label, Explanation: fix.Explanation, Guessed: fix.Guessed}
		name, isType := strings.CutPrefix(fix.ID, "type:")
		if isType {
			view.Type = memories.Type(name)
		}
		if isType && types >= 0 {
			choice := &choices[types]
			choice.Fixes = append(choice.Fixes, view)
			if fix.Guessed {
				choice.Shown, choice.Change = fix.Label, fixDiff(f, fix)
			}
			continue
		}
		choice := templates.FixChoice{Fixes: []templates.FixView{view}, Change: fixDiff(f, fix)}
		choice.Otherwise = slices.ContainsFunc(f.Fixes[:i], func(other frontmatter.Fix) bool { return other.Code == fix.Code })
		if isType {
			types, choice.Shown = len(choices), fix.Label
		}
		choices = append(choices, choice)
	}
	return choices
}

func fixDiff(f engine.Flawed, fix frontmatter.Fix) diff.Diff {
	if fix.NewPath != "" {
		return maskedDiff(f.Path+"\n", fix.NewPath+"\n", maxFixLines)
	}
	return maskedDiff(printable(f.Raw), printable(fix.After), maxFixLines)
}

// printable returns raw as text. It writes each byte that is not valid UTF-8, and each NUL, as its
// hexadecimal number in ‹›.
func printable(raw []byte) string {
	var out strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, "‹%02X›", raw[0])
		} else {
			out.WriteRune(r)
		}
		raw = raw[size:]
	}
	return out.String()
}

// readDecisions fills v with the first missing memories, blocked contents, deleted memories with
// remaining files, memories with dead references, and conflicts. Each list has at most maxDecisions
// rows. v.MissingAll becomes the actions on all missing memories, also those not listed.
func (s *site) readDecisions(ctx context.Context, agent records.Agent, v *templates.Attention) error {
	if agent.Counts.Missing > 0 {
		missing, err := s.missing(ctx, agent)
		if err != nil {
			return err
		}
		v.MissingAll = missingActions(agent, missing)
		for i := range v.MissingAll {
			v.MissingAll[i].Back = templates.AttentionPath(agent.Slug)
		}
		v.Missing = rowsOf(missing[:min(len(missing), maxDecisions)])
	}
	blocked, err := s.store.BlockedPage(ctx, agent.ID, maxDecisions, "")
	if err != nil {
		return err
	}
	for _, b := range blocked.Blocked {
		b.SeenAt = local(b.SeenAt)
		v.Blocked = append(v.Blocked, templates.BlockedRow{Blocked: b, Agent: agent.Slug})
	}
	notRemoved, err := s.store.Memories(ctx, agent, memories.Filter{State: memories.Deleted, NotRemoved: true, Sort: memories.ByName}, memories.PageRequest{Limit: maxDecisions})
	if err != nil {
		return err
	}
	for _, m := range notRemoved.Memories {
		v.NotRemoved = append(v.NotRemoved, trashRow(m))
	}
	if v.Doubtful, err = s.deadReferences(ctx, agent); err != nil {
		return err
	}
	if agent.Counts.Disagreements == 0 {
		return nil
	}
	disagreements, err := s.store.Disagreements(ctx, agent)
	for _, d := range disagreements[:min(len(disagreements), maxDecisions)] {
		v.Disagreements = append(v.Disagreements, disagreementRow(agent, d))
	}
	return err
}

func disagreementRow(agent records.Agent, d records.Disagreement) templates.DisagreementRow {
	return templates.DisagreementRow{
		Agent: agent.Slug, ID: d.ID, Name: d.Name, Versions: d.Versions, Sessions: d.Sessions, HasPrimary: d.HasPrimary, Primary: d.Primary,
		NewestAt: local(d.NewestAt),
	}
}
