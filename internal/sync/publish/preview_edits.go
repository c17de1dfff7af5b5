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

// Edit is a change of one memory in PreviewEdits.
type Edit struct {
	ID     string // id of a living memory; an unknown id adds a memory
	Delete bool
	Draft  memories.Draft // new content; ignored with Delete
}

// ClaudeMDSizes are lengths of a whole CLAUDE.md, in Unicode characters.
type ClaudeMDSizes struct {
	Now   int   // without edits
	After []int // with each set of edits alone
	All   int   // with all sets together
	Limit int   // Publisher.Limit
}

// PreviewEditsOp configures PreviewEdits.
type PreviewEditsOp struct{ Sets [][]Edit }

// PreviewEdits returns the length of the agent's CLAUDE.md now, after each set of edits alone, and
// after all sets. It changes nothing. If the present file cannot be read, the lengths are those of
// Memoir's block alone. It returns memories.ErrNotFound for an unknown slug.
func (p *Publisher) PreviewEdits(ctx context.Context, slug string, op PreviewEditsOp) (ClaudeMDSizes, error) {
	row, err := p.Store.Agent(ctx, slug)
	if err != nil {
		return ClaudeMDSizes{}, err
	}
	sizes := ClaudeMDSizes{Limit: p.Limit, After: make([]int, len(op.Sets))}
	path, raw, readErr := claudeMDOf(row)
	err = p.Store.ReadSections(ctx, row, time.Time{}, func(sections postgres.Sections) error {
		empty := p.emptyPreview(sections, path, raw, readErr)
		texts := p.sectionText(ctx, sections, &Sources{})
		measure := func(edits []Edit) (int, error) {
			summaries, bodies := applyEdits(sections.Summaries, edits)
			preview, err := empty.fill(summaries, func(next []claudemd.Summary) (string, error) {
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

// applyEdits returns the memories after the edits, and the new bodies by their new revisions. An
// edit with an unknown id adds a memory, unless it is a deletion. Added memories are last, in no
// order. It does not change summaries.
func applyEdits(summaries []claudemd.Summary, edits []Edit) ([]claudemd.Summary, map[[16]byte]string) {
	bodies := map[[16]byte]string{}
	if len(edits) == 0 {
		return summaries, bodies
	}
	byID := make(map[string]Edit, len(edits))
	for _, edit := range edits {
		byID[edit.ID] = edit
	}
	summary := func(h claudemd.Summary, d memories.Draft) claudemd.Summary {
		sum := sha256.Sum256([]byte(h.ID + "\x00" + d.Body))
		h.Name, h.Team, h.Type, h.Description, h.Size = d.Name, d.Team, d.Type, d.Description, len(d.Body)
		h.Revision, h.ModifiedAt = [16]byte(sum[:16]), time.Now()
		bodies[h.Revision] = d.Body
		return h
	}
	var after []claudemd.Summary
	for _, h := range summaries {
		edit, isEdited := byID[h.ID]
		delete(byID, h.ID)
		switch {
		case !isEdited:
			after = append(after, h)
		case !edit.Delete:
			after = append(after, summary(h, edit.Draft))
		}
	}
	for id, edit := range byID {
		if !edit.Delete {
			after = append(after, summary(claudemd.Summary{ID: id}, edit.Draft))
		}
	}
	return after, bodies
}
