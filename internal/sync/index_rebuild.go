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

// Index is the MEMORY.md of an agent's durable directory.
type Index struct {
	Path    string // relative to the agent's directory: where it is, or would be
	Present bool
	// Others are further indexes in the same directory, in other letter case. An agent loads one.
	Others   []string
	Raw      []byte
	Loaded   memorymd.Loaded `json:"-"` // read from Raw
	Findings []memorymd.Finding
	// InStep says that a rebuild would change nothing.
	InStep bool
}

// Index returns an agent's index as it is on disk, and what is to be said about it. It fails with memories.ErrNotFound,
// and with *memories.ConflictError for one that cannot be read.
func (e *Engine) Index(ctx context.Context, slug string) (Index, error) {
	index, err := callIndex.read(ctx, e, slug, indexOp{})
	index.Loaded = memorymd.Read(index.Raw)
	return index, err
}

func (e *Engine) indexHere(ctx context.Context, slug string, _ indexOp) (Index, error) {
	shelf, err := e.shelf(ctx, slug)
	if err != nil {
		return Index{}, err
	}
	defer shelf.close()
	index := Index{Path: shelf.path, Present: shelf.raw != nil, Others: shelf.others, Raw: shelf.raw}
	index.Findings = memorymd.Lint(memorymd.Read(shelf.raw), shelf.listed, shelf.leads)
	index.InStep = string(shelf.rebuilt().After) == string(shelf.raw)
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

func (e *Engine) previewIndexHere(ctx context.Context, slug string, op previewIndexOp) (IndexChange, error) {
	shelf, err := e.shelf(ctx, slug)
	if err != nil {
		return IndexChange{}, err
	}
	defer shelf.close()
	change := shelf.rebuilt()
	if op.Prune {
		change.After = memorymd.Prune(change.After, shelf.leads)
	}
	return change, ctx.Err()
}

// RebuildIndex brings an agent's index in step with its memory files, and makes one where there is none. When it
// returns, that is on disk. match is the ETag of the change that the user saw; empty: whatever it is.
//
// It fails with memories.ErrNotFound, with memories.ErrChanged when the change would be another one, and with
// *memories.ConflictError when the index cannot be read or written. Then nothing has happened.
func (e *Engine) RebuildIndex(ctx context.Context, slug, match string) (IndexChange, error) {
	return callRebuildIndex.do(ctx, e, slug, rebuildIndexOp{match})
}

func (e *Engine) rebuildIndexHere(ctx context.Context, slug string, op rebuildIndexOp) (IndexChange, error) {
	var change IndexChange
	err := e.withAgent(ctx, slug, func(h *hold) error {
		shelf, err := e.shelf(ctx, slug)
		if err != nil {
			return err
		}
		defer shelf.close()
		change = shelf.rebuilt()
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
		_, err = h.look(ctx, []string{change.Path}, cause{actor: actorOf(ctx)})
		return err
	})
	return change, err
}

// ETag returns a strong entity tag, quotes included, of what the change starts from and of what it leads to.
func (c IndexChange) ETag() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%t\x00%d\x00%s%s", c.Path, c.Before == nil, len(c.Before), c.Before, c.After))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// shelf is what an index is held against: the directory that it is in, and the memory files that it is to list.
type shelf struct {
	ctx    context.Context // when it ends, no more links are looked up, and the result is wrong
	agent  agents.Agent
	root   *os.Root // nil: the agent's directory is not there
	dir    string   // of the index, relative to root
	path   string   // of the index, relative to root
	others []string
	raw    []byte // nil: there is no index
	listed []memorymd.IndexedFile
	known  map[string]place
}

// place is where a link leads.
type place struct {
	file  string // relative to the index's directory
	there bool
}

// shelf opens an agent's directory. The caller closes it.
func (e *Engine) shelf(ctx context.Context, slug string) (*shelf, error) {
	row, err := e.store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	agent := onDisk(row)
	s := &shelf{ctx: ctx, agent: agent, dir: agent.PrimaryDir(), known: map[string]place{}}
	s.path = path.Join(s.dir, indexFile)
	listed, missing, err := e.store.FilesToIndex(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range listed {
		f.Path = s.fromIndex(f.Path)
		s.listed = append(s.listed, f)
	}
	for _, f := range missing {
		// They may yet be written back, and their lines with them.
		file := s.fromIndex(f)
		s.known[file] = place{file, true}
	}
	if err := s.open(row); err != nil {
		s.close()
		return nil, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read: %v. It is unchanged.", s.path, plain(err))}
	}
	return s, nil
}

func (s *shelf) open(row records.Agent) error {
	root, err := files.OpenRoot(row.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.root = root
	found, err := listIndexes(root, s.dir)
	if err != nil || len(found) == 0 {
		return err
	}
	s.path, s.others = found[0], found[1:]
	s.raw, err = readAll(root, s.path, maxIndex)
	if errors.Is(err, errTooLarge) {
		return fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	if s.raw == nil && err == nil {
		s.raw = []byte{} // there is one, and it is empty
	}
	return err
}

func (s *shelf) close() {
	if s.root != nil {
		_ = s.root.Close() // only read through
	}
}

func (s *shelf) rebuilt() IndexChange {
	after := memorymd.Rebuild(s.raw, s.listed, s.leads)
	return IndexChange{Path: s.path, Before: s.raw, After: after}
}

// leads says where a link of the index leads. A place outside of the agent's directory is none of Memoir's, and not
// looked at: it counts as there, so that no line goes because of it.
func (s *shelf) leads(target string) (file string, there bool) {
	if p, ok := s.known[target]; ok {
		return p.file, p.there
	}
	p := s.look(target)
	s.known[target] = p
	return p.file, p.there
}

func (s *shelf) look(target string) place {
	if s.root == nil || s.ctx.Err() != nil {
		return place{target, true} // nothing is concluded from a directory that is not there
	}
	at, inside := s.agent.Linked(s.path, target)
	if !inside {
		return place{target, true}
	}
	file := s.fromIndex(at)
	if p, ok := s.known[file]; ok {
		return p
	}
	_, err := files.Lstat(s.root, at)
	return place{file, !isNothing(err)}
}

// fromIndex returns a path of the agent's directory as links of the index write it.
func (s *shelf) fromIndex(at string) string {
	rel, err := filepath.Rel(filepath.FromSlash(s.dir), filepath.FromSlash(at))
	if err != nil {
		return at
	}
	return filepath.ToSlash(rel)
}

// isNothing says whether an error means that there is nothing at a path, and not merely that it cannot be looked at.
func isNothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)
}
