package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// passes is how often a directory is gone through before it is set aside, while somebody keeps writing there; what is written after that is
// brought over from where it is then.
const passes = 5

func postgresTombstone(f fact) postgres.Tombstone {
	return postgres.Tombstone{Key: f.key, Fingerprint: f.fingerprint}
}

// spot is where an agent's directory has its name.
type spot struct {
	root *os.Root // the directory above it
	dir  string   // the absolute path of that
	name string
}

func spotOf(dir string) (spot, error) {
	s := spot{dir: filepath.Dir(dir), name: filepath.Base(dir)}
	var err error
	if s.root, err = files.OpenRoot(s.dir); err != nil {
		return spot{}, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be opened (%v). Nothing was changed.", s.dir, plain(err))}
	}
	return s, nil
}

func (s spot) close() { s.root.Close() } //nolint:errcheck // nothing is written through the handle itself

// leadsTo says whether what has a name there is the directory of an agent, or a link to it.
func (s spot) leadsTo(name string, h *hold) bool {
	if h.root == nil {
		return false
	}
	found, err := os.Stat(filepath.Join(s.dir, name))
	is, errIs := h.root.Stat(".")
	return err == nil && errIs == nil && os.SameFile(found, is)
}

// kind returns the type of what has a name there, links not followed; fs.ErrNotExist: nothing.
func (s spot) kind(name string) (fs.FileMode, error) {
	info, err := s.root.Lstat(name)
	if err != nil {
		return 0, err
	}
	return info.Mode().Type(), nil
}

// join takes the steps that are left of what was begun. Where it fails with a conflict before the link is in place, it gives up: the agent's
// directory is as it was.
func (h *hold) join(ctx context.Context, into *hold, j postgres.Join) error {
	at, err := spotOf(h.onDisk.Dir)
	if err != nil {
		return err
	}
	defer at.close()
	if err := h.disk.FinishSwap(at.root, at.name, j.Beside); err != nil {
		return notSwapped(h.onDisk.Dir, err)
	}
	linked, err := h.isLinked(at, into)
	if err == nil && !linked {
		err = h.giveUpOnConflict(ctx, at, j, into, h.replaceByLink(ctx, at, into, j))
	}
	if err != nil {
		return err
	}
	// What was written at the last moment is in what is set aside.
	if err := h.bringFrom(ctx, at, j.Beside, into, j.Actor); err != nil {
		return laterOn(h.onDisk.Slug, into.onDisk.Slug, err)
	}
	h.relinked.Add(1)
	if err := h.w.EndJoin(ctx, j, h.onDisk.Slug); err != nil {
		return err
	}
	h.onDisk.JoinedTo = into.onDisk.Slug
	h.forgetLooks()
	return nil
}

// isLinked says whether the link is in place.
func (h *hold) isLinked(at spot, into *hold) (bool, error) {
	kind, err := at.kind(at.name)
	switch {
	case err == nil && kind == fs.ModeSymlink && at.leadsTo(at.name, into):
		return true, nil
	case err == nil && kind.IsDir():
		return false, nil
	case err != nil:
		return false, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked at (%v), so it was not joined.", h.onDisk.Dir, plain(err))}
	}
	return false, &memories.ConflictError{Reason: h.onDisk.Dir + " is no directory any more, so it was not joined."}
}

// replaceByLink brings everything over and puts the link in the directory's place.
func (h *hold) replaceByLink(ctx context.Context, at spot, into *hold, j postgres.Join) error {
	// The link is made first: where that is not possible, nothing has changed yet.
	if err := h.disk.RemoveLink(at.root, j.Beside); err != nil {
		return notLinked(j.Beside, err)
	}
	if err := h.disk.Link(at.root, h.linkTo(into.onDisk.Dir, at.dir), j.Beside); err != nil {
		return notLinked(j.Beside, err)
	}
	if !at.leadsTo(j.Beside, into) {
		return &memories.ConflictError{Reason: "A link to " + into.onDisk.Dir + " does not lead there, so nothing was joined."}
	}
	if err := h.bringFrom(ctx, at, at.name, into, j.Actor); err != nil {
		return err
	}
	if err := h.disk.Swap(at.root, at.name, j.Beside); err != nil {
		return notSwapped(h.onDisk.Dir, err)
	}
	return nil
}

// bringFrom brings what is in a directory over until there is nothing new in it, and mirrors it.
func (h *hold) bringFrom(ctx context.Context, at spot, name string, into *hold, actor memories.Actor) error {
	from, err := at.root.OpenRoot(name)
	if err != nil {
		return notRead(filepath.Join(at.dir, name), err)
	}
	defer from.Close() //nolint:errcheck // only read
	changed := false
	b := bringing{to: into, write: true}
	for range passes {
		if err := b.bring(from); err != nil {
			_, lookErr := into.look(ctx, []string{"."}, cause{actor: actor})
			return errors.Join(err, lookErr)
		}
		if !b.changed {
			break
		}
		changed = true
	}
	if !changed {
		return nil
	}
	if _, err := into.look(ctx, []string{"."}, cause{actor: actor}); err != nil {
		return err
	}
	return into.publish(ctx)
}

// linkTo returns what a link in a directory says to lead to another: the way there where both are in Claude Code's directory, which may be
// moved as a whole, and else the absolute path.
func (h *hold) linkTo(dir, from string) string {
	if h.options.Places.ClaudeDir == "" {
		return dir
	}
	claude, err := filepath.Abs(h.options.Places.ClaudeDir)
	if err != nil {
		return dir
	}
	claude = agents.RealDir(claude)
	to, here := agents.RealDir(dir), agents.RealDir(from)
	if rel, err := filepath.Rel(here, to); err == nil && agents.Beneath(to, claude) && agents.Beneath(here, claude) {
		return rel
	}
	return dir
}

// giveUpOnConflict forgets what was begun where it cannot be done, and says what was kept. What failed otherwise, the next scan goes on with.
func (h *hold) giveUpOnConflict(ctx context.Context, at spot, j postgres.Join, into *hold, err error) error {
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	if linked, wrong := h.isLinked(at, into); wrong != nil || linked {
		return err // it was done after all, or nobody can tell: the next scan can
	}
	if kind, lost := at.kind(j.Beside); lost == nil && kind == fs.ModeSymlink {
		if err := h.disk.RemoveLink(at.root, j.Beside); err != nil {
			return laterOn(h.onDisk.Slug, into.onDisk.Slug, err)
		}
	}
	if err := h.w.GiveUpJoin(ctx); err != nil {
		return err
	}
	return &memories.ConflictError{Reason: conflict.Reason + " " + h.onDisk.Slug + " is not joined, and its directory is as it was. What was brought to " + into.onDisk.Slug + " before that stays there too. Mend it and try again."}
}

func notLinked(name string, err error) error {
	return &memories.ConflictError{Reason: fmt.Sprintf("The link %s cannot be made (%v).", name, plain(err))}
}

func notSwapped(dir string, err error) error {
	return &memories.ConflictError{Reason: fmt.Sprintf("%s and what is to take its place cannot change places (%v).", dir, plain(err))}
}

// laterOn says that what was begun goes on at the next scan.
func laterOn(slug, into string, err error) error {
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	return &memories.ConflictError{Reason: conflict.Reason + " The rest of what was begun with " + slug + " and " + into + " is done at the next scan; nothing is lost until then."}
}

// goOnJoining goes on with what was begun, and has agents looked for again where anything came of it.
func (e *Engine) goOnJoining(ctx context.Context) error {
	done, err := e.finishJoins(ctx)
	if done {
		_, found := e.discover(ctx)
		err = errors.Join(err, found)
	}
	return err
}

// finishJoins goes on with what was begun with agents that this server looks after, and says whether anything was done. What cannot be done
// now is tried again at the next scan.
func (e *Engine) finishJoins(ctx context.Context) (done bool, err error) {
	begun, err := e.store.BegunJoins(ctx)
	if err != nil {
		return false, err
	}
	for _, j := range begun {
		slug := e.byID(j.AgentID)
		if slug == "" || !e.looksAfter(slug) {
			continue
		}
		err := e.withBoth(ctx, slug, j.IntoSlug, func(h, into *hold) error {
			left, err := h.w.BegunJoin(ctx)
			if err != nil || left == nil {
				return err
			}
			if left.Doing == postgres.Parting {
				return h.part(ctx, into, *left)
			}
			return h.join(ctx, into, *left)
		})
		var conflict *memories.ConflictError
		switch {
		case err == nil:
			done = true
		case errors.As(err, &conflict):
			e.log.Warn("two agents could not be joined or parted as was begun", "agent", slug, "other", j.IntoSlug, "error", err)
		case errors.Is(err, errElsewhere), errors.Is(err, memories.ErrNotFound):
		default:
			return done, err
		}
	}
	return done, nil
}
