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
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// indexFile is what a new index is called.
const indexFile = "MEMORY.md"

// Index is the MEMORY.md of an agent's primary directory.
type View struct {
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

func (v *Viewer) Read(ctx context.Context, slug string, _ IndexOp) (View, error) {
	shelf, err := v.OpenIndexView(ctx, slug)
	if err != nil {
		return View{}, err
	}
	defer shelf.Close()
	index := View{Path: shelf.path, Present: shelf.raw != nil, Others: shelf.others, Raw: shelf.raw}
	index.Findings = memorymd.Lint(memorymd.Read(shelf.raw), shelf.listed, shelf.resolveLink)
	index.IsCurrent = string(shelf.Rebuilt().After) == string(shelf.raw)
	return index, ctx.Err()
}

func (v *Viewer) Preview(ctx context.Context, slug string, op PreviewIndexOp) (IndexChange, error) {
	shelf, err := v.OpenIndexView(ctx, slug)
	if err != nil {
		return IndexChange{}, err
	}
	defer shelf.Close()
	change := shelf.Rebuilt()
	if op.Prune {
		change.After = memorymd.Prune(change.After, shelf.resolveLink)
	}
	return change, ctx.Err()
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

// shelf opens an agent's directory. The caller closes it.
func (v *Viewer) OpenIndexView(ctx context.Context, slug string) (*indexView, error) {
	row, err := v.Store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	agent := agenttx.OnDisk(row)
	s := &indexView{ctx: ctx, agent: agent, dir: agent.PrimaryDir(), known: map[string]linkTarget{}}
	s.path = path.Join(s.dir, indexFile)
	listed, missing, err := v.Store.FilesToIndex(ctx, row.ID)
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
		s.known[file] = linkTarget{file, true}
	}
	if err := s.open(row); err != nil {
		s.Close()
		return nil, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read: %v. It is unchanged.", s.path, agenttx.FSCause(err))}
	}
	return s, nil
}

func (s *indexView) open(row records.Agent) error {
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
	s.raw, err = agenttx.ReadAll(root, s.path, maxIndex)
	if errors.Is(err, agenttx.ErrTooLarge) {
		return fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	if s.raw == nil && err == nil {
		s.raw = []byte{} // there is one, and it is empty
	}
	return err
}

func (s *indexView) Close() {
	if s.root != nil {
		_ = s.root.Close() // only read through
	}
}

func (s *indexView) Rebuilt() IndexChange {
	after := memorymd.Rebuild(s.raw, s.listed, s.resolveLink)
	return IndexChange{Path: s.path, Before: s.raw, After: after}
}

// resolveLink says where a link of the index leads. A place outside of the agent's directory is none of Memoir's, and not
// looked at: it counts as there, so that no line goes because of it.
func (s *indexView) resolveLink(target string) (file string, there bool) {
	if p, ok := s.known[target]; ok {
		return p.file, p.exists
	}
	p := s.lookUpLink(target)
	s.known[target] = p
	return p.file, p.exists
}

func (s *indexView) lookUpLink(target string) linkTarget {
	if s.root == nil || s.ctx.Err() != nil {
		return linkTarget{target, true} // nothing is concluded from a directory that is not there
	}
	at, inside := s.agent.Linked(s.path, target)
	if !inside {
		return linkTarget{target, true}
	}
	file := s.fromIndex(at)
	if p, ok := s.known[file]; ok {
		return p
	}
	_, err := files.Lstat(s.root, at)
	return linkTarget{file, !agenttx.IsNotFound(err)}
}

// fromIndex returns a path of the agent's directory as links of the index write it.
func (s *indexView) fromIndex(at string) string {
	rel, err := filepath.Rel(filepath.FromSlash(s.dir), filepath.FromSlash(at))
	if err != nil {
		return at
	}
	return filepath.ToSlash(rel)
}

type IndexOp struct{}

type PreviewIndexOp struct{ Prune bool }
