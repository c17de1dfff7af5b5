package sync

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"memoir/internal/files"
	"memoir/internal/postgres"
)

// replacement is a CLAUDE.md as it was read, and what it is to say.
type replacement struct {
	Preview
	hash    string // of the Preview's text
	was     []byte // nil: there was none
	wasHash string
	// staged is its text on the way to disk; nil: it is yet to be written.
	staged Staged
}

// foreseen is a replacement for the memories of one version of the agent, made before they were that.
type foreseen struct {
	version int64
	path    string // of the CLAUDE.md
	replacement
}

// foresee compiles CLAUDE.md for what the memories will be after a deletion, and takes it to disk beside the one that is there, while
// Postgres commits that deletion and its file is removed, which saves more than half a millisecond of some 4. What is not at hand for it is read later, and then
// CLAUDE.md is compiled later.
func (h *hold) foresee(ctx context.Context, after postgres.Sections, version int64) {
	if h.root == nil {
		return
	}
	path := h.onDisk.ClaudeMDPath(h.root)
	if path == "" {
		return
	}
	raw, err := readClaudeMD(h.root, h.onDisk, path, h.links)
	if err != nil || len(raw) == 0 {
		return
	}
	p, err := h.compile(ctx, after, path, raw, nil)
	if err != nil || p.Problem != "" || bytes.Equal(raw, p.Text) {
		return
	}
	staged := h.disk.Stage(h.root, path, p.Text)
	r := replacementBy(raw, p) // it hashes both while the disk is at it
	r.staged = staged
	h.foreseen = &foreseen{version, path, r}
}

// publishForeseen puts what was foreseen in place, where it is still what CLAUDE.md is to say, while Postgres writes down that it is
// there; that counts once it is. Of a deletion that saves 4 %. done says that nothing is left to do. Whatever the disk has against it is
// left to who publishes otherwise.
func (h *hold) publishForeseen(ctx context.Context, path string, sections postgres.Sections) (done bool, err error) {
	f := h.foreseen
	if f == nil || h.readBack == "" {
		return false, nil
	}
	p := postgres.Publication{ClaudeMD: h.inStepWith(f.Preview, path, f.hash), Costs: changedCosts(f.Costs, sections.Headings)}
	p.PublishedAt = postgres.Now()
	for _, removed := range h.removed {
		p.Removed = append(p.Removed, removed.Path)
	}
	var onDisk error
	m, err := h.w.PublishedAndRead(ctx, p, h.onDisk.Slug, h.readBack, func() error {
		h.foreseen = nil // it can be put in place once
		onDisk = errors.Join(h.put(path, f.replacement), h.removalsSynced())
		return onDisk
	})
	if onDisk != nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	h.claudeMD, h.found = &p.ClaudeMD, &m
	h.hub.publish(Event{Agent: h.onDisk.Slug, Kind: KindPublished})
	_, err = h.removedForGood(ctx)
	return true, err
}

// forget takes back what was foreseen. What cannot be removed is cleared at the next start.
func (h *hold) forget() {
	if h.foreseen != nil {
		_ = h.foreseen.staged.Discard()
		h.foreseen = nil
	}
}

// replacementOf returns what a CLAUDE.md that says raw, or cannot be read, is to say.
func (h *hold) replacementOf(ctx context.Context, sections postgres.Sections, path string, raw []byte, unread error) (replacement, error) {
	if f := h.foreseen; f != nil && f.path == path && unread == nil && bytes.Equal(raw, f.was) {
		h.foreseen = nil // it can be put in place once
		return f.replacement, nil
	}
	h.forget()
	return h.compose(ctx, sections, path, raw, unread)
}

// put gives a CLAUDE.md that was read the place of what it was.
func (h *hold) put(path string, r replacement) error {
	if r.staged == nil {
		options := h.onlyOver(path, r)
		if options.New { // through a link whose target is yet to be made
			if target, err := files.Resolve(h.root, path); err == nil || errors.Is(err, fs.ErrNotExist) {
				path = target
			}
		}
		return h.overwrite(path, r.Text, options)
	}
	options := h.holdingOn(path, r.Text, h.onlyOver(path, r))
	return h.overwritten(path, options, r.staged.Put(options))
}

func (h *hold) compose(ctx context.Context, sections postgres.Sections, path string, raw []byte, unread error) (replacement, error) {
	p, err := h.compile(ctx, sections, path, raw, unread)
	if err != nil || p.Problem != "" {
		return replacement{Preview: p}, err
	}
	return replacementBy(raw, p), nil
}

// replacementBy is the replacement of what was read by what was compiled.
func replacementBy(raw []byte, p Preview) replacement {
	return replacement{Preview: p, hash: files.Hash(p.Text), was: raw, wasHash: files.Hash(raw)}
}
