package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
)

// A target is a file besides CLAUDE.md, for other agents than Claude Code: see agents.Target. Its
// block has the memories without the instructions of Claude Code. The row of each target has a
// publish key of its own, which includes the version of the agent's memories.

// publishTargets removes Memoir's block from the targets that are not wanted any more, and writes the
// others if they differ. If a file cannot be written, problem is the first reason, without an error.
// It never creates a project's directory.
func (p *Publisher) publishTargets(ctx context.Context, tx *agenttx.Tx) (problem string, err error) {
	if tx.Closed != nil {
		return "", nil // the directory is another agent's, or cannot be read
	}
	rows, err := tx.Rows.Targets().List(ctx)
	if err != nil {
		return "", err
	}
	w := targetWriter{Publisher: p, tx: tx, roots: map[string]*os.Root{}}
	defer w.close()
	unwanted, wanted := inOrder(rows, false), inOrder(rows, true)
	if err := w.recover(slices.Concat(unwanted, wanted)); err != nil {
		return "", err
	}
	for _, t := range unwanted {
		if err := w.remove(ctx, t); err != nil {
			return "", err
		}
	}
	for _, t := range wanted {
		if err := w.publish(ctx, t); err != nil {
			return "", err
		}
	}
	return w.problem, nil
}

// targetWriter writes the targets of one agent.
type targetWriter struct {
	*Publisher
	tx      *agenttx.Tx
	roots   map[string]*os.Root // open directories by path; nil values could not be opened
	problem string              // the first one
	written []publishedFile
	// agent and memories are nil until a target needs them.
	agent    *records.Agent
	memories *postgres.Sections
	sources  *Sources
}

// publishedFile is a file with a block that a later target must not write again.
type publishedFile struct {
	dir, path string
	root      *os.Root
	target    string // target of the link at path, or path
}

// target is a row with its definition.
type target struct {
	row    records.Target
	before records.Target // the row without changes that are not saved yet
	kind   agents.Target
}

// inOrder returns the rows that are wanted, or not, in the order of agents.Targets. A row of a target
// that this version does not know is left alone.
func inOrder(rows []records.Target, wanted bool) (found []target) {
	for _, known := range agents.Targets() {
		for _, row := range rows {
			if row.Name == known.Name && row.Wanted == wanted {
				found = append(found, target{row, row, known})
			}
		}
	}
	return found
}

// root returns the directory of a target, or the problem for users.
func (w *targetWriter) root(t target) (*os.Root, string) {
	if t.row.Dir == "" {
		if w.tx.Root == nil {
			return nil, "Directory " + w.tx.Agent.Dir + " not found. " + t.kind.Path + " is unchanged."
		}
		return w.tx.Root, ""
	}
	root, known := w.roots[t.row.Dir]
	if !known {
		var err error
		if root, err = files.OpenRoot(t.row.Dir); err != nil {
			w.roots[t.row.Dir] = nil
			return nil, fmt.Sprintf("Project %s cannot be opened (%v). %s is unchanged.", t.row.Dir, agenttx.FSCause(err), t.kind.Path)
		}
		w.roots[t.row.Dir] = root
	}
	if root == nil {
		return nil, "Project " + t.row.Dir + " cannot be opened. " + t.kind.Path + " is unchanged."
	}
	return root, ""
}

func (w *targetWriter) close() {
	for _, root := range w.roots {
		if root != nil {
			root.Close() //nolint:errcheck // nothing is written through the handle itself
		}
	}
}

// recover removes what a crash has left in the directories of the targets, once per lease term. It
// fails only with memories.ErrOutOfFiles.
func (w *targetWriter) recover(all []target) error {
	if w.tx.State.TargetsRecovered {
		return nil
	}
	done := true
	for _, t := range all {
		root, problem := w.root(t)
		if problem != "" {
			continue
		}
		at, err := files.Resolve(root, t.kind.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue // nothing is written there
		}
		if _, err := w.tx.Disk.Recover(root, []string{path.Dir(at)}); err != nil {
			if err := agenttx.OutOfFiles(err); err != nil {
				return err
			}
			done = false
			w.tx.Log.Warn("leftovers of an earlier run not cleared, will retry", "agent", w.tx.Agent.Slug, "path", t.kind.Path, "error", err)
		}
	}
	w.tx.State.TargetsRecovered = done
	return nil
}

// isPublishedFile returns the path of the file with a block that the target's file is too, by a link.
// It is "" if there is none.
func (w *targetWriter) isPublishedFile(root *os.Root, dir, at string) string {
	candidates := w.written
	if dir == "" {
		claudeMD := w.tx.Agent.ClaudeMDPath(w.tx.Root)
		resolved, err := files.Resolve(w.tx.Root, claudeMD)
		if err == nil {
			candidates = append([]publishedFile{{"", claudeMD, w.tx.Root, resolved}}, candidates...)
		}
	}
	for _, other := range candidates {
		if other.dir != dir {
			continue
		}
		if other.target == at || isSameIn(root, other.target, at) {
			return other.path
		}
	}
	return ""
}

// isSameIn reports whether both paths are one file. It is false if one of them is missing.
func isSameIn(root *os.Root, a, b string) bool {
	first, err := files.Stat(root, a)
	if err != nil {
		return false
	}
	second, err := files.Stat(root, b)
	return err == nil && os.SameFile(first, second)
}

// save records the state of a target if it has changed, and sends an event.
func (w *targetWriter) save(ctx context.Context, t target) error {
	if t.row.Problem != "" {
		w.problem = cmp.Or(w.problem, t.row.Problem)
	}
	if t.row == t.before {
		return nil
	}
	if err := w.tx.Rows.Targets().Save(ctx, t.row); err != nil {
		return err
	}
	if !t.row.PublishedAt.Equal(t.before.PublishedAt) || t.row.Problem != t.before.Problem {
		w.tx.Emit(events.Published, "")
	}
	return nil
}

// failed records why a target could not be written or removed.
func (w *targetWriter) failed(ctx context.Context, t target, problem string) error {
	t.row.Problem, t.row.PublishKey = problem, ""
	return w.save(ctx, t)
}

// publish writes a target if it differs.
func (w *targetWriter) publish(ctx context.Context, t target) error {
	root, problem := w.root(t)
	if problem != "" {
		return w.failed(ctx, t, problem)
	}
	agent, err := w.agentRow(ctx)
	if err != nil {
		return err
	}
	at, err := files.Resolve(root, t.kind.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w.failed(ctx, t, claudeMDProblem(t.kind.Path, err))
	}
	if t.row.SameAs = w.isPublishedFile(root, t.row.Dir, at); t.row.SameAs != "" {
		t.row.Problem, t.row.PublishKey, t.row.Bytes, t.row.Added, t.row.Created = "", "", 0, "", ""
		return w.save(ctx, t)
	}
	w.written = append(w.written, publishedFile{t.row.Dir, t.kind.Path, root, at})
	key := parsePublishKey(t.row.PublishKey)
	recipe := fmt.Sprintf("%s/%s=%d/%d", w.recipe(agent.MemoryOff, agent.Shared), t.row.Name, t.kind.Limit, agent.ClaudeMD.Version)
	if key.recipe == recipe && !key.isExpired(time.Now()) {
		signature := signatureOf(root, at)
		if signature != "" && signature == key.file && !w.isMemory(root, t) {
			return w.save(ctx, t)
		}
		if raw, err := w.read(root, t); err == nil && raw != nil && files.Hash(raw) == key.hash {
			if key.file = signature; signature != "" {
				t.row.PublishKey = key.String()
			}
			return w.save(ctx, t)
		}
	}
	return w.write(ctx, root, at, recipe, t)
}

// agentRow returns the agent's row after the publication of CLAUDE.md.
func (w *targetWriter) agentRow(ctx context.Context) (records.Agent, error) {
	if w.agent == nil {
		row, err := w.tx.Rows.Agent(ctx)
		if err != nil {
			return records.Agent{}, err
		}
		w.agent = &row
	}
	return *w.agent, nil
}

// isMemory reports whether the target's file is a link to a memory of the agent.
func (w *targetWriter) isMemory(root *os.Root, t target) bool {
	return t.row.Dir == "" && agents.ClaudeMDIsMemory(root, w.tx.Agent, t.kind.Path, maps.Keys(w.tx.State.Links))
}

// read returns the bytes of a target's file, or nil without an error if it does not exist.
func (w *targetWriter) read(root *os.Root, t target) ([]byte, error) {
	if w.isMemory(root, t) {
		return nil, errLinkToMemory
	}
	raw, err := agenttx.ReadAll(root, t.kind.Path, maxClaudeMDRead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// write compiles the memories into the file of a target, which is at the path at with links followed,
// and writes it if its bytes differ. An edit between read and write is read and kept.
func (w *targetWriter) write(ctx context.Context, root *os.Root, at, recipe string, t target) error {
	for attempt := 1; ; attempt++ {
		raw, err := w.read(root, t)
		if raw != nil && len(raw) == 0 {
			agenttx.AwaitBytes(root, t.kind.Path)
			raw, err = w.read(root, t)
		}
		var document claudemd.Document
		if err == nil {
			base := raw
			if raw == nil {
				base = []byte(t.kind.Head)
			}
			document, err = claudemd.ReadDocument(base)
		}
		if err != nil {
			if files.IsExhausted(err) {
				w.tx.RescanLater(w.tx.Agent.PrimaryDir(), agenttx.Retry)
			}
			return w.failed(ctx, t, claudeMDProblem(t.kind.Path, err))
		}
		text, expiresAt, err := w.compileTarget(ctx, document, t)
		if err != nil {
			return err
		}
		if len(text) > maxClaudeMD {
			return w.failed(ctx, t, claudeMDProblem(t.kind.Path, agenttx.ErrTooLarge))
		}
		key := publishKey{recipe: recipe, hash: files.Hash(text), expiresAt: expiresAt}
		if raw == nil || !bytes.Equal(raw, text) {
			if err = w.overwrite(ctx, root, at, raw, document, text, &t); err != nil {
				var dbErr *intentError
				if errors.As(err, &dbErr) {
					return dbErr.error
				}
				changed := errors.Is(err, files.ErrChanged) || errors.Is(err, files.ErrExists)
				if changed && attempt < publishAttempts {
					continue
				}
				if files.IsExhausted(err) {
					w.tx.RescanLater(w.tx.Agent.PrimaryDir(), agenttx.Retry)
				}
				return w.failed(ctx, t, claudeMDProblem(t.kind.Path, err))
			}
			t.row.PublishedAt = records.Now()
		}
		t.row.Problem, t.row.Bytes, t.row.PublishKey = "", len(text), key.String()
		return w.save(ctx, t)
	}
}

// intentError is an error of the database before a write.
type intentError struct{ error }

// overwrite writes the text to the path at. Before it adds the first block to a file, or creates the
// file, it records what remove needs to restore the present bytes.
func (w *targetWriter) overwrite(ctx context.Context, root *os.Root, at string, raw []byte, document claudemd.Document, text []byte, t *target) error {
	if raw == nil || document.Block() == nil {
		t.row.Added, t.row.Created = document.Added(), ""
		if raw == nil {
			t.row.Created = topmostMissing(root, at)
		}
		if err := w.tx.Rows.Targets().Save(ctx, t.row); err != nil {
			return &intentError{err}
		}
		t.before = t.row
	}
	if raw == nil {
		return w.tx.OverwriteIn(root, at, text, files.Options{New: true})
	}
	return w.tx.OverwriteIn(root, at, text, files.Options{IfHash: files.Hash(raw)})
}

// topmostMissing returns the first element of a path that does not exist.
func topmostMissing(root *os.Root, at string) string {
	missing := at
	for dir := path.Dir(at); dir != "." && agenttx.IsFree(root, dir); dir = path.Dir(dir) {
		missing = dir
	}
	return missing
}

// compileTarget returns the text of a target's file with the agent's memories, and when a memory
// becomes stale, in the form of publishKey.
func (w *targetWriter) compileTarget(ctx context.Context, document claudemd.Document, t target) (text []byte, expiresAt string, err error) {
	if w.memories == nil {
		agent, err := w.agentRow(ctx)
		if err != nil {
			return nil, "", err
		}
		own, err := w.tx.Rows.Summaries(ctx)
		if err != nil {
			return nil, "", err
		}
		sections, err := w.tx.Rows.Sections(ctx, agent, own)
		if err != nil {
			return nil, "", err
		}
		w.memories, w.sources = &sections, &Sources{Summaries: own}
	}
	before, after := document.Around()
	text = []byte(before)
	err = claudemd.CompileParts(w.memories.Summaries, claudemd.Intro{OtherAgents: true}, t.kind.Limit, len(before)+len(after),
		w.sectionText(ctx, *w.memories, w.sources), func(part claudemd.Part) { text = append(text, part.Text...) })
	if at := nextStale(w.memories.Summaries, time.Now()); w.AgeNotes && !at.IsZero() {
		expiresAt = strconv.FormatInt(at.Unix()+1, 10) // rounded up
	}
	return append(text, after...), expiresAt, err
}

// remove removes Memoir's block from a target that is not wanted any more, and deletes its row. If
// Memoir has created the file and nothing else is in it, it removes the file and the directories that
// Memoir has created for it. If that fails, it records the reason, and the next scan tries again.
func (w *targetWriter) remove(ctx context.Context, t target) error {
	root, problem := w.root(t)
	if problem == "" {
		problem = w.removeBlock(root, t)
	} else if _, err := os.Lstat(cmp.Or(t.row.Dir, w.tx.Agent.Dir)); errors.Is(err, fs.ErrNotExist) && t.row.Dir != "" {
		problem = "" // the project was removed with the file
	}
	if problem != "" {
		return w.failed(ctx, t, problem)
	}
	if err := w.tx.Rows.Targets().Delete(ctx, t.row.Name); err != nil {
		return err
	}
	w.tx.Emit(events.Published, "")
	return nil
}

// removeBlock is remove for the file alone. It returns the problem for users.
func (w *targetWriter) removeBlock(root *os.Root, t target) (problem string) {
	at, err := files.Resolve(root, t.kind.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && w.isPublishedFile(root, t.row.Dir, at) != "" || t.row.SameAs != "" {
		return ""
	}
	for range publishAttempts {
		var raw []byte
		if err == nil {
			raw, err = w.read(root, t)
		}
		if raw == nil && err == nil {
			return ""
		}
		var document claudemd.Document
		if err == nil {
			document, err = claudemd.ReadDocument(raw)
		}
		if err != nil {
			return claudeMDProblem(t.kind.Path, err)
		}
		rest := document.WithoutAdded(t.row.Added)
		switch {
		case document.Block() == nil:
			return ""
		case t.row.Created != "" && string(rest) == t.kind.Head:
			err = w.removeCreated(root, at, files.Hash(raw), t.row.Created)
		default:
			err = w.tx.OverwriteIn(root, at, rest, files.Options{IfHash: files.Hash(raw)})
		}
		if err == nil {
			return ""
		}
		if !errors.Is(err, files.ErrChanged) {
			return claudeMDProblem(t.kind.Path, err)
		}
		err = nil
	}
	return claudeMDProblem(t.kind.Path, files.ErrChanged)
}

// removeCreated removes the file at the path at if it has the hash, and then the directories above it
// from created on, if they are empty.
func (w *targetWriter) removeCreated(root *os.Root, at, hash, created string) error {
	if err := w.tx.Disk.RemoveIf(root, at, hash); err != nil {
		return err
	}
	dir := path.Dir(at)
	for ; agenttx.Under(dir, created) && dir != "."; dir = path.Dir(dir) {
		if err := w.tx.Disk.RemoveDirectory(root, dir); err != nil {
			break // another program has put something into it
		}
	}
	return w.tx.Disk.SyncDirectory(root, dir)()
}
