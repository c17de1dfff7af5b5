package publish

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres"
)

// Edit is what becomes of one memory in a preview.
type Edit struct {
	ID     string // of a memory that lives; one that nobody has is a new memory's
	Delete bool
	Draft  memories.Draft // what it says then; nothing where it is deleted
}

// ClaudeMDSizes are the lengths of a CLAUDE.md, in Unicode characters of the whole file.
type ClaudeMDSizes struct {
	Now   int
	After []int // each set of edits alone
	All   int   // all of them together
	Limit int
}

func (p *Publisher) PreviewEdits(ctx context.Context, slug string, op PreviewEditsOp) (ClaudeMDSizes, error) {
	row, err := p.Store.Agent(ctx, slug)
	if err != nil {
		return ClaudeMDSizes{}, err
	}
	sizes := ClaudeMDSizes{Limit: p.Limit, After: make([]int, len(op.Sets))}
	empty := p.emptyPreview(claudeMDOf(row))
	empty.MemoryOff = row.MemoryOff
	err = p.Store.ReadSections(ctx, row, time.Time{}, func(sections postgres.Sections) error {
		texts := p.sectionText(ctx, sections, &Sources{})
		empty.sharedDirs = sections.SharedDirs
		measure := func(edits []Edit) (int, error) {
			headings, bodies := edited(sections.Headings, edits)
			preview, err := empty.fill(headings, func(next []claudemd.Summary) (string, error) {
				if body, ok := bodies[next[0].Revision]; ok {
					return claudemd.FullSection(next[0], body), nil
				}
				return texts(next)
			})
			return preview.Chars, err
		}
		var err error
		if sizes.Now, err = measure(nil); err != nil {
			return err
		}
		for i, edits := range op.Sets {
			if sizes.After[i], err = measure(edits); err != nil {
				return err
			}
		}
		sizes.All, err = measure(slices.Concat(op.Sets...))
		return err
	})
	return sizes, err
}

// edited returns the memories with edits carried out, and the bodies that are new, by the revisions that they are given.
func edited(headings []claudemd.Summary, edits []Edit) ([]claudemd.Summary, map[[16]byte]string) {
	bodies := map[[16]byte]string{}
	if len(edits) == 0 {
		return headings, bodies
	}
	byID := make(map[string]Edit, len(edits))
	for _, edit := range edits {
		byID[edit.ID] = edit
	}
	heading := func(h claudemd.Summary, d memories.Draft) claudemd.Summary {
		sum := sha256.Sum256([]byte(h.ID + "\x00" + d.Body))
		h.Name, h.Team, h.Type, h.Description, h.Size = d.Name, d.Team, d.Type, d.Description, len(d.Body)
		h.Revision, h.ModifiedAt = [16]byte(sum[:16]), time.Now()
		bodies[h.Revision] = d.Body
		return h
	}
	var after []claudemd.Summary
	for _, h := range headings {
		edit, touched := byID[h.ID]
		delete(byID, h.ID)
		switch {
		case !touched:
			after = append(after, h)
		case !edit.Delete:
			after = append(after, heading(h, edit.Draft))
		}
	}
	for id, edit := range byID {
		if !edit.Delete {
			after = append(after, heading(claudemd.Summary{ID: id}, edit.Draft))
		}
	}
	return after, bodies
}

type PreviewEditsOp struct{ Sets [][]Edit }
