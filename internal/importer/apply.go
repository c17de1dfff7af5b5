package importer

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/exchange"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Sizes of one operation, which may be sent to another server. Arbitrary.
const (
	maxSeeded  = 100     // memories
	maxBytes   = 4 << 20 // of contents
	maxEntries = 5000    // of the journal
)

// apply makes the changes that decide has found.
func (w *work) apply(ctx context.Context) error {
	slug := w.row.Slug
	if w.isFresh {
		indexes, err := w.im.engine.Indexes(ctx, slug)
		if err != nil {
			return err
		}
		w.isFresh = len(indexes) == 0
	}
	// First, because agents must not receive what a person has held back, and what was deleted must
	// not return.
	err := w.im.engine.AddHistory(ctx, slug, engine.HistoryOp{Decisions: w.decisions(), Tombstones: w.tombstones()})
	if err != nil {
		return err
	}
	if err := w.seed(ctx); err != nil {
		return err
	}
	for i := range w.from.Memories {
		if err := w.merge(ctx, &w.from.Memories[i]); err != nil {
			return err
		}
	}
	for i := range w.report.Items {
		if err := w.mergePurged(ctx, &w.report.Items[i]); err != nil {
			return err
		}
	}
	return w.addJournal(ctx)
}

// mergePurged deletes an agent's own memory that was purged there, or asks a person. It does nothing
// for an item about another memory.
func (w *work) mergePurged(ctx context.Context, item *Item) error {
	key := exchange.Key{Name: item.Name, Team: item.Team}
	mine, theirs := w.mine[key], w.theirs[key]
	if theirs.ID != uuid.Nil {
		return nil
	}
	var err error
	switch item.Outcome {
	case exchange.Deleted:
		err = w.delete(ctx, mine.ID)
	case exchange.Conflict:
		err = w.im.engine.AddDeletionConflict(ctx, w.row.Slug, engine.ConflictOp{ID: mine.ID, At: theirs.LastDeletion()})
	default:
		return nil
	}
	if err == nil || isFatal(ctx, err) {
		return err
	}
	w.report.Counts[item.Outcome]--
	w.report.Counts[exchange.Failed]++
	item.Outcome, item.Reason = exchange.Failed, reasonOf(err)
	return nil
}

// isFatal reports whether an error of one memory ends the import.
func isFatal(ctx context.Context, err error) bool {
	return errors.Is(err, memories.ErrUnavailable) || errors.Is(err, memories.ErrInterrupted) || ctx.Err() != nil
}

// decisions returns the decisions, about items of the agent here.
func (w *work) decisions() []exchange.Decision {
	return exchange.Readdressed(w.from, w.row.Slug)
}

// tombstones returns the tombstones of names that need no decision.
func (w *work) tombstones() []exchange.Tombstone {
	var all []exchange.Tombstone
	for _, t := range w.from.Tombstones {
		theirs := w.theirs[t.Key()]
		mine := w.mine[t.Key()]
		isCurrent := theirs.Living && theirs.Current == t.Content || mine.Living && mine.Current == t.Content
		if !w.skipped[t.Key()] && !isCurrent {
			all = append(all, t)
		}
	}
	return all
}

// seed adds the new memories.
func (w *work) seed(ctx context.Context) error {
	var batch []exchange.Memory
	size := 0
	flush := func(isLast bool) error {
		if len(batch) == 0 && !(isLast && w.isFresh) {
			return nil
		}
		// An archive's MEMORY.md replaces the entries of all batches; in a merge, later ones add theirs.
		writesIndex := w.isFresh && (isLast || w.from.IsExchange)
		op := engine.SeedOp{Memories: batch, IsFresh: writesIndex, Indexes: w.from.Indexes, AddsEntries: w.from.IsExchange}
		// A merge or a foreign source without MEMORY.md gets one, with an entry for each memory. An
		// archive gives back what there was.
		if op.Indexes == nil && !w.from.Foreign && !w.from.IsExchange {
			op.Indexes = []exchange.File{}
		}
		seeded, err := w.im.engine.Seed(ctx, w.row.Slug, op)
		if err != nil {
			return err
		}
		for _, m := range batch {
			if id, ok := seeded.IDs[m.ID]; ok {
				w.ids[m.ID] = id
			}
			if reason, failed := seeded.Failed[m.Name]; failed {
				w.set(&m, exchange.Failed, reason)
			}
		}
		batch, size, w.isFresh = nil, 0, w.isFresh && !writesIndex
		return nil
	}
	for i := range w.from.Memories {
		m := w.from.Memories[i]
		if w.outcomes[m.ID] != exchange.New || w.mine[m.Key()].ID != uuid.Nil && m.Readable {
			continue
		}
		for _, r := range m.Revisions {
			size += len(r.Raw) + len(r.Body)
		}
		if batch = append(batch, m); len(batch) >= maxSeeded || size >= maxBytes {
			if err := flush(false); err != nil {
				return err
			}
		}
	}
	return flush(true)
}

// merge changes an agent's own memory, or asks a person. A failure is an outcome.
func (w *work) merge(ctx context.Context, m *exchange.Memory) error {
	mine := w.mine[m.Key()]
	var err error
	switch w.outcomes[m.ID] {
	case exchange.Changed:
		err = w.change(ctx, *m, mine)
	case exchange.New:
		if !m.Readable || mine.ID == uuid.Nil {
			return nil // seeded
		}
		if _, err = w.im.engine.Save(ctx, w.row.Slug, draftOf(*m)); err == nil {
			err = w.addContents(ctx, *m, mine)
		}
	case exchange.Deleted:
		if err = w.delete(ctx, mine.ID); err == nil {
			err = w.addContents(ctx, *m, mine)
		}
	case exchange.Conflict:
		err = w.ask(ctx, *m, mine)
	case exchange.Same, exchange.Newer, exchange.Tombstoned:
		if w.addsHistory(*m) && len(missing(*m, mine)) > 0 {
			err = w.addContents(ctx, *m, mine)
		}
	}
	if err == nil || isFatal(ctx, err) {
		return err
	}
	w.im.log.Warn("memory not imported", "agent", w.row.Slug, "error", err)
	w.set(m, exchange.Failed, reasonOf(err))
	return nil
}

// change gives a memory the newer content of m, in its primary file.
func (w *work) change(ctx context.Context, m exchange.Memory, mine exchange.Known) error {
	at, err := w.primaryFile(ctx, mine.ID)
	if err != nil {
		return err
	}
	if at == "" {
		if _, err := w.im.engine.Save(ctx, w.row.Slug, draftOf(m)); err != nil {
			return err
		}
		return w.addContents(ctx, m, mine)
	}
	// If the change is interrupted here, the next import finds that the content there is the newer
	// one of two that both know.
	current := m
	current.Revisions = []exchange.Revision{*m.Content()}
	if err := w.addContents(ctx, current, mine); err != nil {
		return err
	}
	_, err = w.im.engine.Revert(ctx, w.row.Slug, mine.ID.String(), "", at, m.Content().Hash, m.ModifiedAt)
	if err != nil {
		return err
	}
	return w.addContents(ctx, m, mine)
}

// primaryFile returns the path of a primary file of a memory, relative to the agent's directory, or
// "".
func (w *work) primaryFile(ctx context.Context, id uuid.UUID) (string, error) {
	m, err := w.im.store.Memory(ctx, w.row, id.String())
	if err != nil {
		return "", err
	}
	for _, f := range m.Files {
		if f.Session == "" && f.Path == m.Path {
			return f.Path, nil
		}
	}
	for _, f := range m.Files {
		if f.Session == "" {
			return f.Path, nil
		}
	}
	return "", nil
}

func (w *work) delete(ctx context.Context, id uuid.UUID) error {
	m, err := w.im.store.Memory(ctx, w.row, id.String())
	if err != nil {
		return err
	}
	_, err = w.im.engine.Delete(ctx, w.row.Slug, m.ID, records.ETag(m))
	return err
}

// addContents adds the contents of m that the memory here never had.
func (w *work) addContents(ctx context.Context, m exchange.Memory, mine exchange.Known) error {
	m.ID = mine.ID
	m.Revisions = missing(m, mine)
	return w.im.engine.AddHistory(ctx, w.row.Slug, engine.HistoryOp{Memories: []exchange.Memory{m}})
}

// ask makes an item of the review of a memory that has changed on both sides.
func (w *work) ask(ctx context.Context, m exchange.Memory, mine exchange.Known) error {
	theirs := w.theirs[m.Key()]
	switch {
	case !mine.Living:
		return w.im.engine.AddDeletionConflict(ctx, w.row.Slug, engine.ConflictOp{ID: mine.ID, Changed: &m, At: theirs.Since})
	case !theirs.Living:
		return w.im.engine.AddDeletionConflict(ctx, w.row.Slug, engine.ConflictOp{ID: mine.ID, At: theirs.LastDeletion()})
	}
	at, err := w.primaryFile(ctx, mine.ID)
	if err != nil {
		return err
	}
	if at == "" {
		at = path.Join(w.agent.PrimaryDir(), exchange.UsualPath(string(w.agent.Layout), m))
	}
	// A file of this name never replaces the one that it is a copy of. Both are a conflict.
	stem := strings.TrimSuffix(at, path.Ext(at)) + ".sync-conflict-" + m.ContentAt.UTC().Format("20060102-150405") + "-" + strings.ToUpper(m.Content().Hash[:7])
	raw := frontmatter.WithName(m.Content().Raw, m.Name, path.Base(stem), m.ModifiedAt)
	rel := strings.TrimPrefix(stem+".md", w.agent.PrimaryDir()+"/")
	err = w.im.engine.CreateFile(ctx, w.row.Slug, rel, raw)
	if errors.Is(err, memories.ErrFileExists) {
		return nil
	}
	return err
}

// addJournal adds the entries of the memories that have been imported, and completes the import.
func (w *work) addJournal(ctx context.Context) error {
	byMemory := map[uuid.UUID][]exchange.Entry{}
	var order []uuid.UUID
	for _, e := range w.from.Journal {
		id := uuid.Nil
		if e.Memory != nil {
			id = *e.Memory
		}
		switch w.outcomes[id] {
		case exchange.Conflict, exchange.Pending:
			continue
		}
		if byMemory[id] == nil {
			order = append(order, id)
		}
		byMemory[id] = append(byMemory[id], e)
	}
	if len(order) == 0 {
		return nil
	}
	op := engine.HistoryOp{IDs: map[uuid.UUID]uuid.UUID{}}
	for i, id := range order {
		op.Journal = append(op.Journal, byMemory[id]...)
		if here, ok := w.ids[id]; ok {
			op.IDs[id] = here
		}
		if op.IsLast = i == len(order)-1; op.IsLast || len(op.Journal) >= maxEntries {
			if err := w.im.engine.AddHistory(ctx, w.row.Slug, op); err != nil {
				return err
			}
			op = engine.HistoryOp{IDs: map[uuid.UUID]uuid.UUID{}}
		}
	}
	return nil
}
