package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

func (e *Engine) partHere(ctx context.Context, slug string, _ nothing) (nothing, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return nothing{}, err
	}
	if row.JoinedTo == "" {
		if mayBeDone(ctx) {
			return nothing{}, nil
		}
		return nothing{}, &memories.ConflictError{Reason: slug + " is not joined to another agent. Nothing was changed."}
	}
	err = e.withBoth(ctx, slug, row.JoinedTo, func(h, into *hold) error {
		begun, err := h.w.BegunJoin(ctx)
		switch {
		case err != nil:
			return err
		case begun != nil && begun.Doing == postgres.Parting:
			return h.part(ctx, into, *begun)
		case begun != nil:
			return &memories.ConflictError{Reason: slug + " is still being joined. Nothing was changed. The next scan goes on with that: try again after it."}
		}
		if into.root == nil {
			return into.errNoDirectory()
		}
		if why := h.noPart(into); why != "" {
			return &memories.ConflictError{Reason: why + " Nothing was changed."}
		}
		if _, err := into.look(ctx, []string{"."}, cause{}); err != nil {
			return err
		}
		aside, err := h.asideOf(whileParting)
		if err != nil {
			return err
		}
		j := postgres.Join{AgentID: h.id, IntoID: into.id, IntoSlug: into.onDisk.Slug, Doing: postgres.Parting, Beside: filepath.Base(aside), Actor: actorOf(ctx)}
		if err := h.w.BeginJoin(ctx, j); err != nil {
			return err
		}
		return h.part(ctx, into, j)
	})
	if err != nil {
		return nothing{}, err
	}
	if err := e.seeJoined(ctx, slug, row.JoinedTo); err != nil {
		return nothing{}, err
	}
	_, err = e.scan(ctx, slug)
	return nothing{}, err
}

// noPart says why an agent that shares another's directory cannot get one of its own, as a sentence.
func (h *hold) noPart(into *hold) string {
	isLink := agents.IsLink(h.onDisk.Dir)
	if isLink && h.onDisk.Layout == agents.Hive {
		return h.onDisk.Dir + " is a link that somebody has made to another agent's directory. Remove the link, or put a directory in its place by hand."
	}
	if isLink {
		return ""
	}
	if h.onDisk.Dir == into.onDisk.Dir {
		return "The settings name " + h.onDisk.Dir + " twice, so there is nothing to part. Take it out of the settings once."
	}
	return "It is not " + h.onDisk.Dir + " that is a link, but a directory above it, which is not Memoir's to change. Put a directory in the place of that link by hand."
}

// part takes the steps that are left of what was begun: a copy of everything is made beside the link, complete and on disk before it takes
// the link's place. Where it fails with a conflict before that, it gives up, and the two stay joined.
func (h *hold) part(ctx context.Context, into *hold, j postgres.Join) error {
	at, err := spotOf(h.onDisk.Dir)
	if err != nil {
		return err
	}
	defer at.close()
	if err := h.disk.FinishSwap(at.root, at.name, j.Beside); err != nil {
		return notSwapped(h.onDisk.Dir, err)
	}
	if kind, err := at.kind(at.name); err == nil && kind == fs.ModeSymlink {
		err := h.replaceByCopy(ctx, at, into, j)
		var conflict *memories.ConflictError
		if errors.As(err, &conflict) && agents.IsLink(h.onDisk.Dir) {
			if err := h.disk.RemoveTree(at.root, j.Beside); err != nil {
				return laterOn(h.onDisk.Slug, into.onDisk.Slug, notSwapped(j.Beside, err))
			}
			if err := h.w.GiveUpJoin(ctx); err != nil {
				return err
			}
			return &memories.ConflictError{Reason: conflict.Reason + " " + h.onDisk.Slug + " stays joined to " + into.onDisk.Slug + ", and everything is as it was. Mend it and try again."}
		}
		if err != nil {
			return err
		}
	}
	if kind, err := at.kind(j.Beside); err == nil && kind == fs.ModeSymlink {
		if err := h.disk.RemoveLink(at.root, j.Beside); err != nil {
			return laterOn(h.onDisk.Slug, into.onDisk.Slug, notLinked(j.Beside, err))
		}
	}
	// The copy is the agent's directory now, in the place of what the two shared.
	info, err := os.Stat(h.onDisk.Dir)
	if err != nil {
		return laterOn(h.onDisk.Slug, into.onDisk.Slug, notRead(h.onDisk.Dir, err))
	}
	_, inode, device := agents.Identity(info)
	if err := h.w.DurableIs(ctx, postgres.DirectoryID{Device: device, Inode: inode}); err != nil {
		return err
	}
	h.relinked.Add(1)
	if err := h.w.EndJoin(ctx, j, h.onDisk.Slug); err != nil {
		return err
	}
	h.onDisk.JoinedTo = ""
	h.forgetLooks()
	return nil
}

// replaceByCopy makes the copy, and lets it and the link change places.
func (h *hold) replaceByCopy(ctx context.Context, at spot, into *hold, j postgres.Join) error {
	if into.root == nil {
		return into.errNoDirectory()
	}
	if !at.leadsTo(at.name, into) {
		return &memories.ConflictError{Reason: h.onDisk.Dir + " leads elsewhere by now."}
	}
	// Of an attempt that was cut short nothing counts: what was in it may have been deleted since.
	err := h.disk.RemoveTree(at.root, j.Beside)
	if err == nil {
		err = h.disk.MakeDirectory(at.root, j.Beside)
	}
	if err != nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be made (%v).", filepath.Join(at.dir, j.Beside), plain(err))}
	}
	to, err := files.OpenRoot(filepath.Join(at.dir, j.Beside))
	if err != nil {
		return notRead(filepath.Join(at.dir, j.Beside), err)
	}
	defer to.Close() //nolint:errcheck // nothing is written through the handle itself
	keptOut, err := h.store.Blocked(ctx, into.id)
	if err != nil {
		return err
	}
	if err := h.copyAll(into.root, to, keptOut); err != nil {
		return err
	}
	if err := h.disk.Swap(at.root, at.name, j.Beside); err != nil {
		return notSwapped(h.onDisk.Dir, err)
	}
	return nil
}

// copyAll copies every file, with its age, and every link that leads to one of them. What is hidden is not the agent's memory, and what is
// kept out was deleted: in a directory where nobody knows of that, it would come back.
func (h *hold) copyAll(from, to *os.Root, keptOut []memories.Blocked) error {
	found, left, err := everythingIn(from)
	if err != nil {
		return err
	}
	for _, file := range found {
		if slices.ContainsFunc(keptOut, func(b memories.Blocked) bool { return b.Path == file }) {
			continue
		}
		raw, modTime, err := readToBring(from, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return notRead(file, err)
		}
		if err := h.disk.Write(to, file, raw, files.Options{New: true, ModTime: modTime}); err != nil {
			return notCopied(file, err)
		}
	}
	for _, l := range left {
		target, err := from.Readlink(l.Path)
		if err != nil || path.IsAbs(target) {
			continue
		}
		if _, err := files.Resolve(from, l.Path); err != nil {
			continue
		}
		if err := h.disk.MakeDirectory(to, path.Dir(l.Path)); err != nil {
			return notCopied(l.Path, err)
		}
		if err := h.disk.Link(to, target, l.Path); err != nil {
			return notCopied(l.Path, err)
		}
	}
	return nil
}

func notCopied(file string, err error) error {
	return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be copied (%v).", file, plain(err))}
}
