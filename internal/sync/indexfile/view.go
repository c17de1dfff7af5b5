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
	"slices"

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
type IndexOp struct {
	// TextOnly leaves out Findings and IsCurrent, which take long for thousands of memories.
	TextOnly bool
}

// PreviewIndexOp is the operation that Viewer.Preview runs.
type PreviewIndexOp struct{}

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
	// IsCurrent means that a repair would change nothing.
	IsCurrent bool `json:"InStep"`
}

// Read returns an agent's primary index and the findings about it. It writes nothing. If the index
// or the directory is missing, Present is false, without an error. It returns memories.ErrNotFound
// for an unknown slug, and *memories.ConflictError if the index or its directory cannot be read.
func (v *Viewer) Read(ctx context.Context, slug string, op IndexOp) (View, error) {
	view, err := v.openText(ctx, slug)
	if err != nil {
		return View{}, err
	}
	defer view.Close()
	index := View{Path: view.path, Present: view.raw != nil, Others: view.others, Raw: view.raw}
	if op.TextOnly {
		return index, nil
	}
	if err := v.addFiles(ctx, view); err != nil {
		return View{}, err
	}
	index.Findings = view.lint()
	index.IsCurrent = view.isCurrent(index.Findings)
	return index, ctx.Err()
}

// isCurrent reports whether a repair would change nothing. It makes the repair only if nothing
// simpler tells. found are the findings of lint.
func (v *indexView) isCurrent(found []memorymd.Finding) bool {
	if v.raw == nil {
		return len(v.listed) == 0
	}
	isUnlisted := func(f memorymd.Finding) bool { return f.Code == memorymd.FindingUnlisted }
	return !slices.ContainsFunc(found, isUnlisted) && v.Repaired().IsEmpty()
}

// Preview returns the change that a repair of an agent's primary MEMORY.md would make, and writes
// nothing. Before is nil if the file is missing. It returns memories.ErrNotFound for an unknown
// slug, and *memories.ConflictError if the file or its directory cannot be read.
func (v *Viewer) Preview(ctx context.Context, slug string, _ PreviewIndexOp) (IndexChange, error) {
	view, err := v.Open(ctx, slug)
	if err != nil {
		return IndexChange{}, err
	}
	defer view.Close()
	return view.Repaired(), ctx.Err()
}

// IsEmpty reports whether the change changes no file.
func (c IndexChange) IsEmpty() bool {
	return c.Before != nil && string(c.Before) == string(c.After) && len(c.Topics) == 0 || c.Before == nil && len(c.After) == 0
}

// ETag returns a strong entity tag, with quotes, that depends on Path, Before, After and Topics.
func (c IndexChange) ETag() string {
	text := fmt.Appendf(nil, "%s\x00%t\x00%d\x00%s%s", c.Path, c.Before == nil, len(c.Before), c.Before, c.After)
	for _, topic := range c.Topics {
		text = append(text, topic.ETag()...)
	}
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// indexView is a primary index, the memory files that it should list, and the open directory for
// its links.
type indexView struct {
	ctx    context.Context // once it ends, links are not looked up and results are wrong
	agent  agents.Agent
	root   *os.Root         // the agent's directory; nil if it is missing
	dir    string           // of the index, relative to root
	path   string           // of the index, relative to root
	others []string         // further indexes in dir, relative to root
	raw    []byte           // nil if the index does not exist
	topics []memorymd.Topic // to which raw links
	listed []memorymd.IndexedFile
	// missing are the files of missing memories, relative to dir. Their links count as valid: a user
	// may write missing memories back.
	missing map[string]bool
	// resolved are the links that resolveLink has looked up.
	resolved map[string]resolvedLink
	rowID    int64 // of the agent
}

// resolvedLink is the result of links.resolve.
type resolvedLink struct {
	file   string
	exists bool
}

// Open reads an agent's primary index from disk, and the paths of its memory files from the
// database. A missing index or directory is not an error. The caller must close the result. Once
// ctx ends, the results of the view are wrong: the caller must check ctx.Err before it uses them.
// It returns memories.ErrNotFound for an unknown slug, and *memories.ConflictError if the index or
// its directory cannot be read.
func (v *Viewer) Open(ctx context.Context, slug string) (*indexView, error) {
	view, err := v.openText(ctx, slug)
	if err != nil {
		return nil, err
	}
	if err := v.addFiles(ctx, view); err != nil {
		view.Close()
		return nil, err
	}
	return view, nil
}

// openText is Open without the memory files.
func (v *Viewer) openText(ctx context.Context, slug string) (*indexView, error) {
	row, err := v.Store.Agent(ctx, slug)
	if err != nil {
		return nil, err
	}
	agent := agenttx.AgentOf(row)
	view := &indexView{ctx: ctx, agent: agent, dir: agent.PrimaryDir(), missing: map[string]bool{}, rowID: row.ID}
	view.path = path.Join(view.dir, indexFile)
	if err := view.open(row); err != nil {
		view.Close()
		return nil, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read: %v. It is unchanged.", view.path, agenttx.FSCause(err))}
	}
	return view, nil
}

// addFiles reads the paths of the memory files.
func (v *Viewer) addFiles(ctx context.Context, view *indexView) error {
	listed, missing, err := v.Store.FilesToIndex(ctx, view.rowID)
	if err != nil {
		return err
	}
	for _, f := range listed {
		f.Path = view.fromIndex(f.Path)
		view.listed = append(view.listed, f)
	}
	for _, f := range missing {
		view.missing[view.fromIndex(f)] = true
	}
	return nil
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
	if !v.agent.HasIndex() {
		return nil
	}
	found, err := listIndexes(root, v.dir)
	if err != nil || len(found) == 0 {
		return err
	}
	v.path, v.others = found[0], found[1:]
	v.raw, err = agenttx.ReadAll(root, v.path, maxIndex)
	if errors.Is(err, agenttx.ErrTooLarge) {
		return fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	if err != nil {
		return err
	}
	if v.raw == nil {
		v.raw = []byte{} // nil would mean that the index does not exist
	}
	v.topics, err = readTopics(root, v.links(), v.raw)
	return err
}

// Close closes the agent's directory, if it is open.
func (v *indexView) Close() {
	if v.root != nil {
		_ = v.root.Close() // only read through
	}
}

// lint returns the findings about the index. A file that a topic lists does not count as unlisted.
func (v *indexView) lint() []memorymd.Finding {
	if !v.agent.HasIndex() {
		return nil
	}
	inTopic := map[string]bool{}
	for _, topic := range v.topics {
		for _, file := range topic.Files() {
			inTopic[file] = true
		}
	}
	findings := memorymd.Lint(memorymd.Read(v.raw), v.listed, v.resolveLink)
	isWhole := v.agent.Rules().IndexIsWhole
	return slices.DeleteFunc(findings, func(f memorymd.Finding) bool {
		return f.Code == memorymd.FindingUnlisted && inTopic[f.File] || isWhole && f.Code.IsAboutCaps()
	})
}

// Repaired returns the change that a repair of the index would make, without Gone. It writes
// nothing.
func (v *indexView) Repaired() IndexChange {
	after, topics := memorymd.Repair(v.raw, v.listed, v.topics, v.resolveLink)
	change := IndexChange{Path: v.path, Before: v.raw, After: after}
	for _, topic := range topics {
		inTopic := IndexChange{Path: path.Join(v.dir, topic.Path), After: topic.Raw}
		if at := slices.IndexFunc(v.topics, func(t memorymd.Topic) bool { return t.Path == topic.Path }); at >= 0 {
			inTopic.Before = v.topics[at].Raw
		} else if raw, err := agenttx.ReadAll(v.root, inTopic.Path, maxIndex); err == nil {
			// A topic to which nothing links any more. Its entries come before the new ones.
			inTopic.Before, inTopic.After = raw, append(slices.Clone(raw), topic.Raw...)
		}
		change.Topics = append(change.Topics, inTopic)
	}
	return change
}

// resolveLink is the memorymd.LinkResolver of the index. It is that of links, but once the view's
// context ends, or without a directory, every target counts as existing.
func (v *indexView) resolveLink(target string) (file string, exists bool) {
	if v.root == nil || v.ctx.Err() != nil {
		return target, true
	}
	if found, ok := v.resolved[target]; ok {
		return found.file, found.exists
	}
	file, exists = v.links().resolve(target)
	if v.resolved == nil {
		v.resolved = map[string]resolvedLink{}
	}
	v.resolved[target] = resolvedLink{file, exists}
	return file, exists
}

func (v *indexView) links() links { return links{v.agent, v.root, v.path, v.missing} }

// fromIndex converts a path relative to the agent's directory into a path relative to the index's
// directory, as in a link.
func (v *indexView) fromIndex(relPath string) string { return v.links().relative(relPath) }
