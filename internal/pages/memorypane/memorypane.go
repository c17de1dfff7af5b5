// Package memorypane makes the view models of an open memory's tabs: notes from the review, history,
// cost and recall, fixes. Package pages shows them.
package memorypane

import (
	"context"
	"encoding/hex"
	"errors"
	"path"
	"slices"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

const (
	// maxRevisions is the maximum number of revisions on a page (arbitrary).
	maxRevisions = 10
	// maxHistoryBytes is the maximum size of their bodies together, in bytes (arbitrary).
	maxHistoryBytes = 2 << 20
	// maxRevisionLines is the maximum number of lines shown of one revision (arbitrary).
	maxRevisionLines = 100
	// maxRecalls is the maximum number of recalls on the tab (arbitrary).
	maxRecalls = 30
	// maxNotes is the maximum number of notes above a text (arbitrary).
	maxNotes = 5
)

// Store reads the contents of a memory's tabs. Secrets in them are masked.
type Store interface {
	Revisions(ctx context.Context, agent records.Agent, id string, list records.RevisionList) (records.RevisionPage, error)
	RecallsWith(ctx context.Context, m memories.Memory, most int) ([]records.RecallWith, error)
	ReviewOf(ctx context.Context, memory string, most int) ([]records.ReviewItem, error)
}

// Notes returns the notes about what waits for a decision about m: one for each item of the review,
// the most urgent first. If the review has not seen m yet, they are about m's problems.
func Notes(ctx context.Context, store Store, m memories.Memory) ([]templates.MemoryNote, error) {
	if m.State == memories.Deleted {
		return nil, nil
	}
	items, err := store.ReviewOf(ctx, m.ID, maxNotes)
	if err != nil {
		return nil, err
	}
	var notes []templates.MemoryNote
	seen := map[string]bool{}
	for _, item := range items {
		note := templates.MemoryNote{Kind: string(item.Kind), Reason: item.Reason, Href: address.ReviewItemPath(item.ID)}
		if item.Kind != findings.Missing { // it names all memories of the directory
			for _, other := range item.Memories {
				if other.ID != m.ID {
					note.Others = append(note.Others, ui.Link{Label: other.Name, Href: address.MemoryPath(item.Agent, other.ID)})
				}
			}
		}
		notes, seen[note.Kind] = append(notes, note), true
	}
	for _, p := range m.Problems {
		kind := kindOf(m, p)
		switch {
		case p.Code == memories.CodeNoDescription:
			notes = append(notes, templates.MemoryNote{Kind: templates.NoteNoDescription, Reason: "Recall finds a memory more easily with one"})
		case !seen[kind]:
			notes = append(notes, templates.MemoryNote{Kind: kind, Reason: p.Message, IsProblem: true})
		}
	}
	if m.State == memories.Missing && !seen[string(findings.Missing)] {
		notes = append(notes, templates.MemoryNote{Kind: string(findings.Missing), Reason: "File not found", IsProblem: true})
	}
	return notes, nil
}

// kindOf returns the kind of the review's item about a problem of m.
func kindOf(m memories.Memory, p memories.Problem) string {
	switch {
	case p.Code == memories.CodeSecret:
		return string(findings.Secret)
	case p.IsQuarantine():
		return string(findings.Injection)
	case p.Code == memories.CodePendingSave, p.Code == memories.CodePendingDeletion:
		return templates.NotePending
	case m.State == memories.NeedsAttention:
		return string(findings.Broken)
	default:
		return templates.NoteWarning
	}
}

// CountRevisions returns the number of m's revisions.
func CountRevisions(ctx context.Context, store Store, agent records.Agent, m memories.Memory) (int, error) {
	page, err := store.Revisions(ctx, agent, m.ID, records.RevisionList{Limit: 1})
	return page.Total, err
}

// History returns one page of m's revisions, newest first, each older one with its diff to the
// memory now. The page begins with the revision that from names by its id or by the hash of its
// bytes, else with the newest.
func History(ctx context.Context, store Store, agent records.Agent, m memories.Memory, from string) (templates.History, error) {
	list := records.RevisionList{From: from, Limit: maxRevisions + 1}
	page, err := store.Revisions(ctx, agent, m.ID, list)
	if errors.Is(err, records.ErrCursor) {
		list.From = ""
		page, err = store.Revisions(ctx, agent, m.ID, list)
	}
	v := templates.History{Total: page.Total, IsLater: page.Skipped > 0}
	if err != nil {
		return v, err
	}
	shown := compared(page.Revisions)
	for i, revision := range shown {
		if err := ctx.Err(); err != nil {
			return v, err
		}
		isFirst := page.Skipped+i+1 == page.Total
		v.Revisions = append(v.Revisions, revisionOf(m, revision, isFirst))
	}
	if len(shown) < len(page.Revisions) {
		v.Older = page.Revisions[len(shown)].ID
	}
	return v, nil
}

// compared returns the first elements of revisions: at most maxRevisions, and only as many as have
// maxHistoryBytes of body together. The first one is always included. Diffs of more text would be
// slow.
func compared(revisions []memories.Revision) []memories.Revision {
	size := 0
	for i, revision := range revisions {
		if size += len(revision.Body); i == maxRevisions || i > 0 && size > maxHistoryBytes {
			return revisions[:i]
		}
	}
	return revisions
}

// revisionOf returns the view of a revision with its diff to the memory now. The current content has
// no diff. Restorable is false for it, and if the memory is deleted or unreadable.
func revisionOf(m memories.Memory, revision memories.Revision, isFirst bool) templates.Revision {
	revision.SeenAt = shown.Local(revision.SeenAt)
	v := templates.Revision{
		Revision: revision, Agent: m.Agent, MemoryID: m.ID, ETag: engine.ETag(m),
		First: isFirst, Current: revision.ID == hex.EncodeToString(m.Fingerprint[:]), Readable: m.Readable, TypeNow: m.Type,
	}
	v.Restorable = m.Readable && m.State != memories.Deleted && !v.Current
	if !v.Current {
		v.Description = shown.Diff(revision.Description, m.Description, maxRevisionLines)
		v.Body = shown.Diff(revision.Body, m.Body, maxRevisionLines)
	}
	return v
}

// Recalls returns the newest recalls that delivered m, or chose it and did not deliver it.
func Recalls(ctx context.Context, store Store, m memories.Memory) ([]templates.RecallWith, error) {
	found, err := store.RecallsWith(ctx, m, maxRecalls)
	views := make([]templates.RecallWith, len(found))
	for i, r := range found {
		views[i] = templates.RecallWith{At: shown.Local(r.At), Session: r.Session, AskedBy: r.AskedBy, Query: r.Query, Given: r.Given}
	}
	return views, err
}

// Entry returns the line of an index that leads to the file at a path of the agent's directory. It is
// the zero value if no line does.
func Entry(index engine.Index, file string) templates.IndexEntry {
	dir := path.Dir(index.Path)
	for _, line := range index.Loaded.Lines {
		links := memorymd.ListedLinks(memorymd.Loaded{Lines: []memorymd.LoadedLine{line}})
		leads := func(link memorymd.ListedLink) bool { return path.Join(dir, link.Target) == file }
		if slices.ContainsFunc(links, leads) {
			return templates.IndexEntry{Path: index.Path, Line: line.Number, Text: line.Text, Loaded: line.Fate == memorymd.LineSeen}
		}
	}
	return templates.IndexEntry{}
}
