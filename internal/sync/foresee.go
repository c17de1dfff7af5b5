package sync

import (
	"bytes"
	"context"

	"memoir/internal/files"
	"memoir/internal/postgres"
)

// replacement is a CLAUDE.md as it was read, and what it is to say.
type replacement struct {
	Preview
	hash    string // of the Preview's text
	was     []byte // nil: there was none
	wasHash string
}

// foreseen is a replacement for the memories of one version of the agent, made before they were that.
type foreseen struct {
	version int64
	replacement
}

// foresee compiles CLAUDE.md for what the memories will be after a deletion, while Postgres commits that: 0.4 ms of some 4. What is
// not at hand for it is read later, and then CLAUDE.md is compiled later.
func (h *hold) foresee(ctx context.Context, after postgres.Sections, version int64) {
	path := h.onDisk.ClaudeMDPath()
	if path == "" || h.root == nil {
		return
	}
	raw, err := readClaudeMD(h.root, path)
	if err != nil || len(raw) == 0 {
		return
	}
	if r, err := h.compose(ctx, after, raw, nil); err == nil && r.Problem == "" {
		h.foreseen = &foreseen{version, r}
	}
}

// replacementOf returns what a CLAUDE.md that says raw, or cannot be read, is to say.
func (h *hold) replacementOf(ctx context.Context, sections postgres.Sections, raw []byte, unread error) (replacement, error) {
	if f := h.foreseen; f != nil && unread == nil && bytes.Equal(raw, f.was) {
		return f.replacement, nil
	}
	return h.compose(ctx, sections, raw, unread)
}

func (h *hold) compose(ctx context.Context, sections postgres.Sections, raw []byte, unread error) (replacement, error) {
	p, err := h.compile(ctx, sections, raw, unread)
	if err != nil || p.Problem != "" {
		return replacement{Preview: p}, err
	}
	return replacement{Preview: p, hash: files.Hash(p.Text), was: raw, wasHash: files.Hash(raw)}, nil
}
