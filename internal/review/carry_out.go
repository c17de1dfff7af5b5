package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/files"
	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// carryOut does what a choice says, and returns what that has done. It fails with
// memories.ErrChanged, *memories.ConflictError and *memories.InvalidError, after which all memories
// are as before, except for a part of many missing ones.
func (r *Reviewer) carryOut(ctx context.Context, agent records.Agent, item records.ReviewItem, c Choice) (effect, error) {
	texts, err := r.texts(ctx, item)
	if err != nil {
		return effect{}, err
	}
	if item.Kind == findings.Deletion && (c.Decision == Keep || c.Decision == Delete) {
		return r.deletion(ctx, agent, item, c.Decision)
	}
	if side, isKeep := strings.CutPrefix(c.Decision, "keep_"); isKeep && c.Decision != KeepBoth {
		n, err := strconv.Atoi(side)
		if err != nil {
			return effect{}, err
		}
		if item.Kind == findings.Conflict {
			return r.keepVersion(ctx, agent, item, n-1)
		}
		return r.keepOne(ctx, item, texts, n-1)
	}
	switch c.Decision {
	case Snooze:
		until := records.Now().AddDate(0, 0, cmp.Or(c.Days, DefaultSnooze))
		return effect{undo: undo{Also: related(item, texts)}, holds: true, until: until}, nil
	case Never, Hide, KeepBoth, Keep, Skip:
		return effect{undo: undo{Also: related(item, texts)}, holds: true}, nil
	case Merge:
		return r.merge(ctx, agent, item, texts[0], c)
	case Delete:
		return r.delete(ctx, item)
	case Allow:
		return r.allow(ctx, agent, item)
	case RemoveValue:
		_, err := r.engine.RemoveValue(ctx, item.Agent, item.Memories[0].ID, item.Memories[0].ETag)
		return effect{undo: undo{Final: true}}, err
	case StillTrue:
		return r.stillTrue(ctx, item, texts[0])
	case WriteBack, UseFile, Fix:
		return r.fix(ctx, agent, item, texts, c)
	case Accept, Dismiss:
		return r.suggestion(ctx, agent, item, c)
	case Apply:
		return r.applyStep(ctx, item)
	}
	return effect{}, fmt.Errorf("unknown decision %q", c.Decision)
}

// keepVersion makes one content of a memory's files the memory's. The item's Subject names the
// contents.
func (r *Reviewer) keepVersion(ctx context.Context, agent records.Agent, item records.ReviewItem, n int) (effect, error) {
	m := item.Memories[0]
	dir := primaryFiles{r.engine, r.store, agent}
	before, err := dir.of(ctx, m.ID)
	if err != nil {
		return effect{}, err
	}
	result, err := r.engine.Keep(ctx, item.Agent, m.ID, m.ETag, strings.Split(item.Subject, ",")[n])
	if errors.Is(err, memories.ErrNotFound) {
		err = memories.ErrChanged // the last file with that content is gone
	}
	if err != nil {
		return effect{}, err
	}
	if path, ok := belowPrimary(agent, result.Memory.Path); ok && !slices.ContainsFunc(before, func(f formerFile) bool { return f.Path == path }) {
		before = append(before, formerFile{Path: path})
	}
	changed, err := dir.changed(ctx, before)
	return effect{undo: undo{Files: changed, Final: err != nil || len(changed) == 0}}, nil
}

// keepOne moves all memories but one to the trash.
func (r *Reviewer) keepOne(ctx context.Context, item records.ReviewItem, texts []records.ReviewText, n int) (effect, error) {
	others := slices.Delete(refs(item.Memories), n, n+1)
	if err := r.trash(ctx, item.Agent, others); err != nil {
		return effect{}, err
	}
	done := effect{undo: undo{Restore: idsOf(others)}}
	if item.Kind == findings.Contradiction {
		done.Also = []string{itemID(item.Kind, item.Agent, texts[n])} // it may say that it is replaced
	}
	return done, nil
}

func idsOf(all []engine.MemoryRef) []string {
	ids := make([]string, len(all))
	for i, ref := range all {
		ids[i] = ref.ID
	}
	return ids
}

// trash moves all memories to the trash, or none.
func (r *Reviewer) trash(ctx context.Context, slug string, all []engine.MemoryRef) error {
	return allOrNone(ctx, slug, all, r.engine.DeleteMany, r.engine.RestoreMany)
}

// allOrNone runs do on all memories. If that fails for one, it runs undo on those that were changed,
// and returns the first error.
func allOrNone(ctx context.Context, slug string, all []engine.MemoryRef, do, undo func(context.Context, string, []engine.MemoryRef) []error) error {
	if len(all) == 0 {
		return nil
	}
	var failed error
	var done []engine.MemoryRef
	for i, err := range do(ctx, slug, all) {
		if failed = cmp.Or(failed, err); err == nil {
			done = append(done, engine.MemoryRef{ID: all[i].ID})
		}
	}
	if failed == nil || len(done) == 0 {
		return failed
	}
	return errors.Join(append([]error{failed}, undo(ctx, slug, done)...)...)
}

// merge saves the text of a choice under the first memory, and moves the others to the trash.
func (r *Reviewer) merge(ctx context.Context, agent records.Agent, item records.ReviewItem, first records.ReviewText, c Choice) (effect, error) {
	saved, err := r.engine.Patch(ctx, item.Agent, first.ID, item.Memories[0].ETag, engine.Patch{Name: c.Name, Body: c.Body, Description: c.Description})
	if err != nil {
		return effect{}, err
	}
	others := refs(item.Memories[1:])
	done := effect{undo: undo{Restore: idsOf(others), Final: saved.Memory.Name != first.Name}}
	if err := r.remember(ctx, agent, &done.undo, saved.Memory, saved.Memory.Path, first.Hash, first.ModifiedAt); err != nil {
		return effect{}, err
	}
	if err := r.trash(ctx, item.Agent, others); err != nil {
		return effect{}, errors.Join(err, r.revertText(ctx, item.Agent, done.Text))
	}
	return done, nil
}

// remember records in u how to give a memory's file at path the bytes with a hash and the
// modification time back. If the history lacks the bytes, u becomes final. It does nothing if they
// are the memory's bytes.
func (r *Reviewer) remember(ctx context.Context, agent records.Agent, u *undo, m memories.Memory, path, hash string, modified time.Time) error {
	if m.Hash == hash {
		return nil
	}
	raw, err := r.store.RawOfHash(ctx, agent, m.ID, hash)
	if err != nil {
		return err
	}
	u.Text = &formerText{ID: m.ID, ETag: engine.ETag(m), Path: path, Hash: hash, At: modified}
	u.Final = u.Final || raw == nil
	return nil
}

// delete moves the item's memories to the trash, or removes the file of a blocked content. Of many
// missing memories it may change only a part, and returns the first error.
func (r *Reviewer) delete(ctx context.Context, item records.ReviewItem) (effect, error) {
	if item.Kind == findings.Blocked {
		_, err := r.engine.RemoveBlocked(ctx, item.Agent, item.Subject)
		return effect{undo: undo{Final: true}}, err
	}
	all := refs(item.Memories)
	if item.Kind == findings.Missing {
		return effect{undo: undo{Restore: idsOf(all)}}, cmp.Or(r.engine.DeleteMany(ctx, item.Agent, all)...)
	}
	return effect{undo: undo{Restore: idsOf(all)}}, r.trash(ctx, item.Agent, all)
}

// deletion decides for both machines about a memory that one has deleted and the other has changed.
// The next exchange brings the decision to the other machine.
func (r *Reviewer) deletion(ctx context.Context, agent records.Agent, item records.ReviewItem, decision string) (effect, error) {
	m := item.Memories[0]
	conflicts, err := r.store.DeletionConflicts(ctx, agent.ID)
	if err != nil {
		return effect{}, err
	}
	i := slices.IndexFunc(conflicts, func(of records.DeletionConflict) bool { return of.MemoryID.String() == m.ID })
	if i < 0 {
		return effect{}, memories.ErrChanged
	}
	of := conflicts[i]
	done := effect{undo: undo{Deletion: &of}}
	switch {
	case decision == Keep && of.Deleted:
		result, err := r.engine.Restore(ctx, item.Agent, m.ID, m.ETag)
		done.undo.Delete = &engine.MemoryRef{ID: result.Memory.ID, ETag: engine.ETag(result.Memory)}
		return done, err
	case decision == Keep:
		_, err = r.engine.RefuseDeletion(ctx, item.Agent, m.ID, m.ETag)
		return done, err
	case !of.Deleted:
		done.Restore = []string{m.ID}
	}
	_, err = r.engine.Delete(ctx, item.Agent, m.ID, m.ETag)
	return done, err
}

// allow lets a memory out of quarantine, or a blocked content in.
func (r *Reviewer) allow(ctx context.Context, agent records.Agent, item records.ReviewItem) (effect, error) {
	if item.Kind != findings.Blocked {
		m := item.Memories[0]
		_, err := r.engine.LetIn(ctx, item.Agent, m.ID, m.ETag, string(item.Kind))
		return effect{undo: undo{Hold: m.ID}, holds: true}, err
	}
	name, err := r.blockedName(ctx, agent, item.Subject)
	if err != nil {
		return effect{}, err
	}
	before, err := r.named(ctx, agent, name)
	if err != nil {
		return effect{}, err
	}
	result, err := r.engine.Allow(ctx, item.Agent, item.Subject)
	if err != nil {
		return effect{}, err
	}
	if _, lived := before[result.Memory.ID]; lived {
		return effect{undo: undo{Final: true}}, nil // it may have changed the memory of that name
	}
	return effect{undo: undo{Delete: &engine.MemoryRef{ID: result.Memory.ID, ETag: engine.ETag(result.Memory)}}}, nil
}

// blockedName returns the name of a blocked content. It fails with memories.ErrNotFound for an
// unknown id.
func (r *Reviewer) blockedName(ctx context.Context, agent records.Agent, id string) (string, error) {
	all, err := r.store.Blocked(ctx, agent.ID)
	if err != nil {
		return "", err
	}
	for _, b := range all {
		if b.ID == id {
			return b.Name, nil
		}
	}
	return "", memories.ErrNotFound
}

// named returns the agent's undeleted memories with a name, by their ids.
func (r *Reviewer) named(ctx context.Context, agent records.Agent, name string) (map[string]memories.Memory, error) {
	found := map[string]memories.Memory{}
	page, err := r.store.Memories(ctx, agent, memories.Filter{Name: name}, memories.PageRequest{Limit: records.MaxLimit})
	for _, m := range page.Memories {
		found[m.ID] = m
	}
	return found, err
}

// stillTrue restarts the age of a memory. A date that has passed stays passed, so that decision
// holds. An age grows again.
func (r *Reviewer) stillTrue(ctx context.Context, item records.ReviewItem, t records.ReviewText) (effect, error) {
	result, err := r.engine.Verify(ctx, item.Agent, t.ID, item.Memories[0].ETag)
	return effect{
		undo:  undo{Unverify: &formerAge{ID: t.ID, ETag: engine.ETag(result.Memory), At: t.ModifiedAt}},
		holds: item.Kind == findings.Expired,
	}, err
}

// errNoFix is the error for a file without a fix.
var errNoFix = &memories.ConflictError{Reason: "Memoir knows no fix for this file. Nothing was changed. Edit it, or delete it."}

// fix writes missing files back, repairs an index, or applies a fix of a memory's files.
func (r *Reviewer) fix(ctx context.Context, agent records.Agent, item records.ReviewItem, texts []records.ReviewText, c Choice) (effect, error) {
	switch {
	case item.Kind == findings.Missing:
		return effect{undo: undo{Final: true}}, cmp.Or(r.engine.RestoreMany(ctx, item.Agent, refs(item.Memories))...)
	case len(item.Memories) == 0:
		return r.repairIndex(ctx, agent, item, c)
	}
	m := item.Memories[0]
	flawed, err := r.engine.ProposeFixes(ctx, item.Agent, m.ID)
	if err != nil {
		return effect{}, err
	}
	for _, f := range flawed {
		i := fixFor(f.Fixes, c.Decision)
		if i < 0 {
			continue
		}
		result, err := r.engine.Fix(ctx, item.Agent, m.ID, m.ETag, f.Path, f.Fixes[i].ID)
		if err != nil {
			return effect{}, err
		}
		if c.Decision != Fix {
			return effect{undo: undoUnfinished(agent, f, c.Decision)}, nil
		}
		done := effect{undo: undo{Final: f.Fixes[i].NewPath != ""}}
		return done, r.remember(ctx, agent, &done.undo, result.Memory, f.Path, f.Hash, texts[0].ModifiedAt)
	}
	return effect{}, errNoFix
}

// undoUnfinished returns what takes a decision about an unfinished file back. A file that was taken
// as it is can get the last good content. The unfinished text that this replaces is kept nowhere.
func undoUnfinished(agent records.Agent, f engine.Flawed, decision string) undo {
	good := fixFor(f.Fixes, WriteBack)
	below, isPrimary := belowPrimary(agent, f.Path)
	if decision != UseFile || !isPrimary || good < 0 {
		return undo{Final: true}
	}
	return undo{Files: []formerFile{{Path: below, Hash: f.Hash, Before: f.Fixes[good].After}}}
}

// fixFor returns the index of the fix for a decision, or -1. For Fix that is the first one; of
// several for the same problem, the one that the file suggests.
func fixFor(fixes []frontmatter.Fix, decision string) int {
	switch decision {
	case WriteBack:
		return slices.IndexFunc(fixes, func(f frontmatter.Fix) bool { return f.ID == engine.FixLastGood })
	case UseFile:
		return slices.IndexFunc(fixes, func(f frontmatter.Fix) bool { return f.ID == engine.FixAsIs })
	}
	if len(fixes) == 0 {
		return -1
	}
	return max(0, slices.IndexFunc(fixes, func(f frontmatter.Fix) bool { return f.Guessed && f.Code == fixes[0].Code }))
}

// repairIndex brings MEMORY.md in step, if it is as the item has it. The choice may have the ETag of
// the change that the person saw.
func (r *Reviewer) repairIndex(ctx context.Context, agent records.Agent, item records.ReviewItem, c Choice) (effect, error) {
	index, err := r.engine.Index(ctx, item.Agent)
	if err != nil {
		return effect{}, err
	}
	if indexItemID(item.Kind, item.Agent, index) != item.ID {
		return effect{}, memories.ErrChanged
	}
	change, err := r.engine.PreviewIndex(ctx, item.Agent)
	if err != nil {
		return effect{}, err
	}
	if change, err = r.engine.RepairIndex(ctx, item.Agent, cmp.Or(c.seen(), change.ETag())); err != nil {
		return effect{}, err
	}
	if change.IsEmpty() {
		return effect{}, errNoFix
	}
	var done effect
	for _, f := range append([]engine.IndexChange{change}, change.Topics...) { // the index first: no entry is lost
		below, _ := belowPrimary(agent, f.Path)
		done.Files = append(done.Files, formerFile{Path: below, Hash: files.Hash(f.After), Before: f.Before})
	}
	return done, nil
}

// suggestion accepts or refuses a proposal.
func (r *Reviewer) suggestion(ctx context.Context, agent records.Agent, item records.ReviewItem, c Choice) (effect, error) {
	if r.options.Suggestions == nil {
		return effect{}, errOff
	}
	done := effect{undo: undo{Proposal: item.Subject}}
	if c.Decision == Dismiss {
		return done, r.options.Suggestions.Refuse(ctx, item.Agent, item.Subject, c.seen())
	}
	p, err := r.store.Proposal(ctx, agent.ID, item.Subject)
	if err != nil {
		return effect{}, err
	}
	before, err := r.named(ctx, agent, p.Name)
	if err != nil {
		return effect{}, err
	}
	result, err := r.options.Suggestions.Accept(ctx, item.Agent, item.Subject, c.seen())
	if err != nil {
		return effect{}, err
	}
	if former, lived := before[result.Memory.ID]; lived {
		return done, r.remember(ctx, agent, &done.undo, result.Memory, result.Memory.Path, former.Hash, former.ModifiedAt)
	}
	done.Delete = &engine.MemoryRef{ID: result.Memory.ID, ETag: engine.ETag(result.Memory)}
	return done, nil
}

// applyStep applies a step of the plan.
func (r *Reviewer) applyStep(ctx context.Context, item records.ReviewItem) (effect, error) {
	if r.options.Plans == nil {
		return effect{}, errOff
	}
	return effect{undo: undo{Step: item.Subject}}, r.options.Plans.Apply(ctx, item.Agent, item.Subject)
}
