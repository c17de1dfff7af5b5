package indexfile

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

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// Viewer reads the primary indexes of agents. It does not lock the agents.
type Viewer struct{ Store *postgres.Store }

// IndexOp is the operation that Viewer.Read runs.
type IndexOp struct{}

// PreviewIndexOp is the operation that Viewer.Preview runs.
type PreviewIndexOp struct {
	Prune bool // also shorten the index until an agent loads all of it
}

// View is the index of an agent's primary directory, compared with its memory files.
type View struct {
	Path    string // relative to the agent's directory; where a new index would be if not Present
	Present bool
	// Others are the paths of further indexes in the same directory, in other letter case. An agent
	// loads only one.
	Others []string
	Raw    []byte // the content; nil if not Present
	// Loaded describes which lines of Raw an agent loads. Read does not set it; the caller does.
	Loaded   memorymd.Loaded `json:"-"`
	Findings []memorymd.Finding
	// IsCurrent means that a rebuild would change nothing.
	IsCurrent bool `json:"InStep"`
}

// Read returns an agent's primary index and the findings about it. It writes nothing. If the index
// or the directory is missing, Present is false, without an error. It returns memories.ErrNotFound
// for an unknown slug, and *memories.ConflictError if the index or its directory cannot be read.
func (v *Viewer) Read(ctx context.Context, slug string, _ IndexOp) (View, error) {
	view, err := v.Open(ctx, slug)
	if err != nil {
		return View{}, err
	}
	defer view.Close()
	index := View{Path: view.path, Present: view.raw != nil, Others: view.others, Raw: view.raw}
	index.Findings = memorymd.Lint(memorymd.Read(view.raw), view.listed, view.resolveLink)
	index.IsCurrent = string(view.Rebuilt().After) == string(view.raw)
	return index, ctx.Err()
}

// Preview returns the change that a rebuild of an agent's primary MEMORY.md would make, and writes
// nothing. Before is nil if the file is missing. With op.Prune, the change also shortens the file.
// It returns memories.ErrNotFound for an unknown slug, and *memories.ConflictError if the file or
// its directory cannot be read.
func (v *Viewer) Preview(ctx context.Context, slug string, op PreviewIndexOp) (IndexChange, error) {
	view, err := v.Open(ctx, slug)
	if err != nil {
		return IndexChange{}, err
	}
	defer view.Close()
	change := view.Rebuilt()
	if op.Prune {
		change.After = memorymd.Prune(change.After, view.resolveLink)
	}
	return change, ctx.Err()
}

// ETag returns a strong entity tag, with quotes, that depends on Path, Before and After.
func (c IndexChange) ETag() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%t\x00%d\x00%s%s", c.Path, c.Before == nil, len(c.Before), c.Before, c.After))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// indexView is a primary index, the memory files that it should list, and the open directory for
// its links.
type indexView struct {
	ctx    context.Context // once it ends, links are not looked up and results are wrong
	agent  agents.Agent
	root   *os.Root // the agent's directory; nil if it is missing
	dir    string   // of the index, relative to root
	path   string   // of the index, relative to root
	others []string // further indexes in dir, relative to root
	raw    []byte   // nil if the index does not exist
	listed []memorymd.IndexedFile
	// missing are the files of missing memories, relative to dir. Their links count as valid: a user
	// may write missing memories back.
	missing map[string]bool
}

// Open reads an agent's primary index from disk, and the paths of its memory files from the
// database. A missing index or directory is not an error. The caller must close the result. Once
// ctx ends, the results of the view are wrong: the caller must check ctx.Err before it uses them.
// It returns memories.ErrNotFound for an unknown slug, and *memories.ConflictError if the index or
// its directory cannot be read.
func (v *Viewer) Open(ctx context.Context, slug string) (*indexView, error) {
	row, err := v.Store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	agent := agenttx.AgentOf(row)
	view := &indexView{ctx: ctx, agent: agent, dir: agent.PrimaryDir(), missing: map[string]bool{}}
	view.path = path.Join(view.dir, indexFile)
	listed, missing, err := v.Store.FilesToIndex(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range listed {
		f.Path = view.fromIndex(f.Path)
		view.listed = append(view.listed, f)
	}
	for _, f := range missing {
		view.missing[view.fromIndex(f)] = true
	}
	if err := view.open(row); err != nil {
		view.Close()
		return nil, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read: %v. It is unchanged.", view.path, agenttx.FSCause(err))}
	}
	return view, nil
}

// open opens the agent's directory and reads the index into v. If the directory or the index is
// missing, it returns nil, and v.raw stays nil.
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
	v.raw, err = agenttx.ReadAll(root, v.path, maxIndex)
	if errors.Is(err, agenttx.ErrTooLarge) {
		return fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	if v.raw == nil && err == nil {
		v.raw = []byte{} // nil would mean that the index does not exist
	}
	return err
}

// Close closes the agent's directory, if it is open.
func (v *indexView) Close() {
	if v.root != nil {
		_ = v.root.Close() // only read through
	}
}

// Rebuilt returns the change that a rebuild of the index would make, without Gone. It writes
// nothing. If Before and After are equal, the index is up to date.
func (v *indexView) Rebuilt() IndexChange {
	after := memorymd.Rebuild(v.raw, v.listed, v.resolveLink)
	return IndexChange{Path: v.path, Before: v.raw, After: after}
}

// resolveLink is the memorymd.LinkResolver of the index. It returns the path of a link's target,
// relative to the index's directory, and whether it exists. A target outside the agent's directory
// counts as existing, and is returned as it is. A target of a missing memory, or that cannot be
// examined, counts as existing too. So a rebuild keeps its entry.
func (v *indexView) resolveLink(target string) (file string, exists bool) {
	relPath, inside := v.agent.Linked(v.path, target)
	if v.root == nil || v.ctx.Err() != nil || !inside {
		return target, true
	}
	file = v.fromIndex(relPath)
	if v.missing[file] {
		return file, true
	}
	_, err := files.Lstat(v.root, relPath)
	return file, !agenttx.IsNotFound(err)
}

// fromIndex converts a path relative to the agent's directory into a path relative to the index's
// directory, as in a link.
func (v *indexView) fromIndex(relPath string) string {
	rel, err := filepath.Rel(filepath.FromSlash(v.dir), filepath.FromSlash(relPath))
	if err != nil {
		return relPath
	}
	return filepath.ToSlash(rel)
}
