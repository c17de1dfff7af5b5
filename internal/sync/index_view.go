package sync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
)

// indexFile is what a new index is called.
const indexFile = "MEMORY.md"

// Index is the MEMORY.md of an agent's primary directory.
type Index struct {
	Path    string // relative to the agent's directory: where it is, or would be
	Present bool
	// Others are further indexes in the same directory, in other letter case. An agent loads one.
	Others   []string
	Raw      []byte
	Loaded   memorymd.Loaded `json:"-"` // read from Raw
	Findings []memorymd.Finding
	// IsCurrent says that a rebuild would change nothing.
	IsCurrent bool `json:"InStep"`
}

// Index returns an agent's index as it is on disk, and what is to be said about it. It fails with memories.ErrNotFound,
// and with *memories.ConflictError for one that cannot be read.
func (e *Engine) Index(ctx context.Context, slug string) (Index, error) {
	index, err := callIndex.read(ctx, e, slug, indexOp{})
	index.Loaded = memorymd.Read(index.Raw)
	return index, err
}

func (e *Engine) indexLocal(ctx context.Context, slug string, _ indexOp) (Index, error) {
	view, err := e.openIndexView(ctx, slug)
	if err != nil {
		return Index{}, err
	}
	defer view.close()
	index := Index{Path: view.path, Present: view.raw != nil, Others: view.others, Raw: view.raw}
	index.Findings = memorymd.Lint(memorymd.Read(view.raw), view.listed, view.resolveLink)
	index.IsCurrent = string(view.rebuilt().After) == string(view.raw)
	return index, ctx.Err()
}

// PreviewIndex says what RebuildIndex would write, while nothing has changed. It fails as Index does.
func (e *Engine) PreviewIndex(ctx context.Context, slug string) (IndexChange, error) {
	return callPreviewIndex.read(ctx, e, slug, previewIndexOp{})
}

// PreviewPrunedIndex is PreviewIndex for an index that is to be brought under what an agent loads of it as well.
func (e *Engine) PreviewPrunedIndex(ctx context.Context, slug string) (IndexChange, error) {
	return callPreviewIndex.read(ctx, e, slug, previewIndexOp{Prune: true})
}

func (e *Engine) previewIndexLocal(ctx context.Context, slug string, op previewIndexOp) (IndexChange, error) {
	view, err := e.openIndexView(ctx, slug)
	if err != nil {
		return IndexChange{}, err
	}
	defer view.close()
	change := view.rebuilt()
	if op.Prune {
		change.After = memorymd.Prune(change.After, view.resolveLink)
	}
	return change, ctx.Err()
}

// RebuildIndex brings an agent's index up to date with its memory files, and makes one where there is none. When it
// returns, that is on disk. match is the ETag of the change that the user saw; empty: whatever it is.
//
// It fails with memories.ErrNotFound, with memories.ErrChanged when the change would be another one, and with
// *memories.ConflictError when the index cannot be read or written. Then nothing has happened.
func (e *Engine) RebuildIndex(ctx context.Context, slug, etag string) (IndexChange, error) {
	return callRebuildIndex.do(ctx, e, slug, rebuildIndexOp{etag})
}

func (e *Engine) rebuildIndexLocal(ctx context.Context, slug string, op rebuildIndexOp) (IndexChange, error) {
	var change IndexChange
	err := e.withAgent(ctx, slug, func(h *hold) error {
		view, err := e.openIndexView(ctx, slug)
		if err != nil {
			return err
		}
		defer view.close()
		change = view.rebuilt()
		if err := ctx.Err(); err != nil {
			return err
		}
		if op.Match != "" && op.Match != "*" && op.Match != change.ETag() {
			return memories.ErrChanged
		}
		if string(change.Before) == string(change.After) {
			return nil
		}
		if err := h.canWrite(ctx); err != nil {
			return err
		}
		options := files.Options{New: change.Before == nil}
		if change.Before != nil {
			options.IfHash = files.Hash(change.Before)
		}
		if err := h.overwrite(change.Path, change.After, options); err != nil {
			return writeConflict(change.Path, err)
		}
		_, err = h.runScan(ctx, []string{change.Path}, scanOrigin{actor: actorOf(ctx)})
		return err
	})
	return change, err
}

// ETag returns a strong entity tag, quotes included, of what the change starts from and of what it leads to.
func (c IndexChange) ETag() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%t\x00%d\x00%s%s", c.Path, c.Before == nil, len(c.Before), c.Before, c.After))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// indexView is what an index is held against: the directory that it is in, and the memory files that it is to list.
type indexView struct {
	ctx    context.Context // when it ends, no more links are looked up, and the result is wrong
	agent  agents.Agent
	root   *os.Root // nil: the agent's directory is not there
	dir    string   // of the index, relative to root
	path   string   // of the index, relative to root
	others []string
	raw    []byte // nil: there is no index
	listed []memorymd.IndexedFile
	known  map[string]linkTarget
}

// linkTarget is where a link leads.
type linkTarget struct {
	file   string // relative to the index's directory
	exists bool
}

// openIndexView opens an agent's directory. The caller closes it.
func (e *Engine) openIndexView(ctx context.Context, slug string) (*indexView, error) {
	row, err := e.store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	agent := onDisk(row)
	v := &indexView{ctx: ctx, agent: agent, dir: agent.PrimaryDir(), known: map[string]linkTarget{}}
	v.path = path.Join(v.dir, indexFile)
	listed, missing, err := e.store.FilesToIndex(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range listed {
		f.Path = v.fromIndex(f.Path)
		v.listed = append(v.listed, f)
	}
	for _, f := range missing {
		// They may yet be written back, and their lines with them.
		file := v.fromIndex(f)
		v.known[file] = linkTarget{file, true}
	}
	if err := v.open(row); err != nil {
		v.close()
		return nil, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read: %v. It is unchanged.", v.path, fsCause(err))}
	}
	return v, nil
}

func (v *indexView) open(row records.Agent) error {
	root, err := files.OpenRoot(row.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	v.root = root
	found, err := listIndexes(root, v.dir)
	if err != nil || len(found) == 0 {
		return err
	}
	v.path, v.others = found[0], found[1:]
	v.raw, err = readAll(root, v.path, maxIndex)
	if errors.Is(err, errTooLarge) {
		return fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	if v.raw == nil && err == nil {
		v.raw = []byte{} // there is one, and it is empty
	}
	return err
}

func (v *indexView) close() {
	if v.root != nil {
		_ = v.root.Close() // only read through
	}
}

func (v *indexView) rebuilt() IndexChange {
	after := memorymd.Rebuild(v.raw, v.listed, v.resolveLink)
	return IndexChange{Path: v.path, Before: v.raw, After: after}
}

// resolveLink says where a link of the index leads. A place outside of the agent's directory is none of Memoir's, and not
// looked at: it counts as there, so that no line goes because of it.
func (v *indexView) resolveLink(target string) (file string, there bool) {
	if p, ok := v.known[target]; ok {
		return p.file, p.exists
	}
	p := v.lookUpLink(target)
	v.known[target] = p
	return p.file, p.exists
}

func (v *indexView) lookUpLink(target string) linkTarget {
	if v.root == nil || v.ctx.Err() != nil {
		return linkTarget{target, true} // nothing is concluded from a directory that is not there
	}
	at, inside := v.agent.Linked(v.path, target)
	if !inside {
		return linkTarget{target, true}
	}
	file := v.fromIndex(at)
	if p, ok := v.known[file]; ok {
		return p
	}
	_, err := files.Lstat(v.root, at)
	return linkTarget{file, !isNotFound(err)}
}

// fromIndex returns a path of the agent's directory as links of the index write it.
func (v *indexView) fromIndex(at string) string {
	rel, err := filepath.Rel(filepath.FromSlash(v.dir), filepath.FromSlash(at))
	if err != nil {
		return at
	}
	return filepath.ToSlash(rel)
}

// isNotFound reports whether an error means that there is nothing at a path, and not merely that it cannot be scanned.
func isNotFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)
}
