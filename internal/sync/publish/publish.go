// Package publish writes the agents' CLAUDE.md files and previews them. It keeps the sources of the
// files that were published last, so that a publication reads the changed memories alone.
//
// It does not decide which memories exist, and does not know who asked.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"

	"github.com/google/uuid"
)

const (
	// maxClaudeMD is the largest CLAUDE.md that Memoir writes, in bytes: an agent skips a larger one.
	maxClaudeMD = 4 << 20
	// maxClaudeMDRead is the largest that it reads, to make it a shorter one.
	maxClaudeMDRead = 4 * maxClaudeMD
)

// Run publishes the agent, and returns when its CLAUDE.md is on disk. changed are the memories that
// the caller has changed since the last publication, each as often as it has raised the agent's
// version. The result's Problem says why CLAUDE.md is not written; that is no error, because the
// memories are safe. If the agent shares its memories, Run publishes all other agents too.
func (p *Publisher) Run(ctx context.Context, tx *agenttx.Tx, changed []uuid.UUID) (records.ClaudeMD, error) {
	state, err := p.publishOwn(ctx, tx, changed)
	if err != nil || tx.Agent.Layout != agents.Shared {
		return state, err
	}
	problem, err := p.PublishOthers(ctx)
	if problem != "" {
		state.Problem = problem
	}
	if err != nil {
		tx.RescanLater(".", agenttx.Retry)
	}
	return state, err
}

// publishOwn publishes the agent's own CLAUDE.md.
func (p *Publisher) publishOwn(ctx context.Context, tx *agenttx.Tx, changed []uuid.UUID) (records.ClaudeMD, error) {
	row, err := tx.DB.Agent(ctx)
	if err != nil || tx.Root == nil {
		return row.ClaudeMD, err
	}
	path := tx.Agent.ClaudeMDPath(tx.Root)
	if err := tx.CheckPublish(); err != nil {
		return refusePublication(ctx, tx, row.ClaudeMD, err)
	}
	if done, err := p.isPublished(ctx, tx, row, path); done || err != nil {
		return row.ClaudeMD, err
	}
	sources, err := p.Cache.Take(ctx, tx.DB, row.ID, row.ClaudeMD.Version, changed)
	if err != nil {
		return row.ClaudeMD, err
	}
	sections, err := tx.DB.Sections(ctx, row, sources.Summaries)
	if err != nil {
		return row.ClaudeMD, err
	}
	state, preview, err := p.writeClaudeMD(ctx, tx, sections, sources)
	if err == nil && state.Problem == "" {
		state.Problem, err = removeOldBlock(tx, row.ClaudeMD.Path, state.Path)
	}
	if err != nil {
		return row.ClaudeMD, err
	}
	if state.Problem != "" {
		state.Path = row.ClaudeMD.Path // the block may still be there
	}
	publication := records.Publication{ClaudeMD: state, Costs: changedCosts(preview.Costs, sections.Headings)}
	if err := recordPublication(ctx, tx, publication, row.ClaudeMD.Problem); err != nil {
		return row.ClaudeMD, err
	}
	p.Cache.Put(row.ID, row.ClaudeMD.Version+1, sources, publication.Costs)
	return state, nil
}

// refusePublication records why CLAUDE.md must not be written.
func refusePublication(ctx context.Context, tx *agenttx.Tx, before records.ClaudeMD, why error) (records.ClaudeMD, error) {
	state := records.ClaudeMD{Path: before.Path, Chars: before.Chars, Problem: claudeMDProblem(tx.Agent.ClaudeMDPath(tx.Root), why)}
	if before.Problem == state.Problem {
		return before, nil
	}
	return state, recordPublication(ctx, tx, records.Publication{ClaudeMD: state}, before.Problem)
}

// publishAttempts is how often CLAUDE.md is compiled anew when somebody else writes it meanwhile.
const publishAttempts = 5

// writeClaudeMD compiles the memories into what CLAUDE.md says now. An edit by hand that comes in between is read and
// kept, never written over.
func (p *Publisher) writeClaudeMD(ctx context.Context, tx *agenttx.Tx, sections postgres.Sections, sources *Sources) (records.ClaudeMD, Preview, error) {
	if !tx.Agent.Published() {
		preview, err := p.compile(ctx, sections, sources, "", nil, nil)
		if err != nil || preview.Problem != "" {
			return records.ClaudeMD{Chars: preview.Chars, Problem: preview.Problem}, preview, err
		}
		return p.publishedState(tx, preview, "", files.Hash(preview.Text)), preview, nil
	}
	for attempt := 1; ; attempt++ {
		path := tx.Agent.ClaudeMDPath(tx.Root)
		raw, unread := readClaudeMD(tx.Root, tx.Agent, path, tx.State.Links)
		if raw != nil && len(raw) == 0 {
			agenttx.AwaitBytes(tx.Root, path)
			raw, unread = readClaudeMD(tx.Root, tx.Agent, path, tx.State.Links)
		}
		preview, err := p.compile(ctx, sections, sources, path, raw, unread)
		if err != nil {
			return records.ClaudeMD{}, preview, err
		}
		if files.IsExhausted(unread) {
			publishLater(tx, path)
		}
		if preview.Problem != "" {
			return records.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: preview.Problem}, preview, nil
		}
		hash := files.Hash(preview.Text)
		state := p.publishedState(tx, preview, path, hash)
		if raw != nil && bytes.Equal(raw, preview.Text) {
			return state, preview, nil
		}
		err = overwriteClaudeMD(tx, path, raw, preview.Text, hash)
		changed := errors.Is(err, files.ErrChanged) || errors.Is(err, files.ErrExists)
		switch {
		case err == nil:
			state.PublishedAt = records.Now()
			return state, preview, nil
		case !changed || attempt == publishAttempts:
			if files.IsExhausted(err) {
				publishLater(tx, path)
			}
			return records.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: claudeMDProblem(path, err)}, preview, nil
		}
	}
}

// removeOldBlock removes the block from the file that it was in, at a path, after it was written into another. All other bytes of the file
// are kept. It returns the problem that a person has to solve.
func removeOldBlock(tx *agenttx.Tx, from, to string) (problem string, err error) {
	if from == "" || from == to || isSameFile(tx, from, to) {
		return "", nil
	}
	for range publishAttempts {
		raw, err := agenttx.ReadAll(tx.Root, from, maxClaudeMDRead)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return claudeMDProblem(from, err), nil
		}
		document, err := claudemd.ReadDocument(raw)
		if err != nil {
			return claudeMDProblem(from, err), nil
		}
		without := document.Without()
		if bytes.Equal(without, raw) {
			return "", nil
		}
		err = tx.Overwrite(from, without, files.Options{IfHash: files.Hash(raw)})
		if !errors.Is(err, files.ErrChanged) {
			if err != nil {
				problem = claudeMDProblem(from, err)
			}
			return problem, nil
		}
	}
	return claudeMDProblem(from, files.ErrChanged), nil
}

// isSameFile reports whether two paths lead to one file, or may do so.
func isSameFile(tx *agenttx.Tx, a, b string) bool {
	first, err := files.Stat(tx.Root, a)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	second, err := files.Stat(tx.Root, b)
	return err != nil || os.SameFile(first, second)
}

// publishLater has CLAUDE.md published again in a moment, rather than by the next scan: there is nothing that a person should do about
// the file.
func publishLater(tx *agenttx.Tx, path string) { tx.RescanLater(path, agenttx.Retry) }

// publishedState is how the CLAUDE.md at a path stands when it has the compiled text, of that hash.
func (p *Publisher) publishedState(tx *agenttx.Tx, preview Preview, path, hash string) records.ClaudeMD {
	value := publishKey{recipe: p.recipe(preview.MemoryOff, preview.shared), hash: hash}
	if !preview.nextStaleAt.IsZero() {
		value.expiresAt = strconv.FormatInt(preview.nextStaleAt.Unix()+1, 10) // no sooner than it is
	}
	return records.ClaudeMD{Path: path, Chars: preview.Chars, InStep: value.String()}
}

// overwriteClaudeMD writes a text of that hash where a CLAUDE.md still has the bytes that were read; nil: where there was none. A link
// whose target is yet to be made is written through.
func overwriteClaudeMD(tx *agenttx.Tx, path string, was, text []byte, hash string) error {
	if was != nil {
		return tx.Overwrite(path, text, files.Options{IfHash: files.Hash(was), Was: was, Hash: hash})
	}
	if target, err := files.Resolve(tx.Root, path); err == nil || errors.Is(err, fs.ErrNotExist) {
		path = target
	}
	return tx.Overwrite(path, text, files.Options{New: true, Hash: hash})
}

// recordPublication keeps how CLAUDE.md stands, and tells those who listen when it was written, or when what is in its way is another
// thing than before.
func recordPublication(ctx context.Context, tx *agenttx.Tx, p records.Publication, problemBefore string) error {
	if err := tx.DB.Published(ctx, p); err != nil {
		return err
	}
	if !p.PublishedAt.IsZero() || p.Problem != problemBefore {
		tx.Emit(events.Published, "")
	}
	return nil
}

// changedCosts returns what each memory of the agent takes in CLAUDE.md where something else is on record. What others share has its own
// agent's on record. Both are in the order of the block.
func changedCosts(costs []claudemd.Cost, headings []claudemd.Summary) []claudemd.Cost {
	var changed []claudemd.Cost
	for i, cost := range costs {
		if headings[i].Shared == "" && cost != headings[i].Recorded {
			changed = append(changed, cost)
		}
	}
	return changed
}

// errIsMemory means that a CLAUDE.md is a link to what is compiled into it: it would be a memory of itself, and grow with each scan.
var errIsMemory = errors.New("CLAUDE.md is a link to a memory file")

// readClaudeMD returns what the agent's CLAUDE.md at a path says, nil where there is none. links are those that are known in its directory. It fails
// with errIsMemory.
func readClaudeMD(root *os.Root, a agents.Agent, path string, links map[string]struct{}) ([]byte, error) {
	if agents.ClaudeMDIsMemory(root, a, path, maps.Keys(links)) {
		return nil, errIsMemory
	}
	raw, err := agenttx.ReadAll(root, path, maxClaudeMDRead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// claudeMDProblem says in plain words why the CLAUDE.md at a path is not written.
func claudeMDProblem(path string, err error) string {
	return strings.ReplaceAll(claudeMDReason(err), "CLAUDE.md", path)
}

func claudeMDReason(err error) string {
	switch {
	case errors.Is(err, claudemd.ErrDamagedMarkers):
		return "CLAUDE.md has its memoir:begin and memoir:end markers damaged: there must be one of each, in this order, each on a line of its own. " +
			"Nothing was written. Mend or remove the markers and it is published again."
	case errors.Is(err, claudemd.ErrUnclosedCode):
		return "CLAUDE.md ends in a code block that is not closed, so whatever is put below it would be code. Nothing was written. Close the code block and it is published again."
	case files.IsOwnership(err):
		return agenttx.OwnershipProblem(err)
	case errors.Is(err, files.ErrLeaves):
		return "CLAUDE.md is a link that leads out of the agent's directory. It was not followed and nothing was written. " +
			"Replace the link by a file, or let it lead to one inside the directory."
	case errors.Is(err, errIsMemory):
		return "CLAUDE.md is a link to one of the memory files that are compiled into it, or to a MEMORY.md of theirs. Nothing was written. " +
			"Replace the link by a file, or let it lead to one that is not in a memory directory."
	case errors.Is(err, agenttx.ErrTooLarge):
		return fmt.Sprintf("CLAUDE.md is larger than %d MiB, and agents skip a file of that size. Nothing was written. Shorten what stands outside of Memoir's markers, and it is published.", maxClaudeMD>>20)
	case errors.Is(err, files.ErrNotRegular):
		return "CLAUDE.md is not a regular file. Nothing was written. Rename what is there, and it is published."
	case errors.Is(err, fs.ErrPermission):
		return "CLAUDE.md cannot be read or written: permission denied. Nothing was written. Give the user that Memoir runs as the right to write it and its directory."
	default:
		return "CLAUDE.md cannot be written: " + err.Error() + ". What was there is kept. It is tried again at the next scan."
	}
}

// Publisher writes the agents' CLAUDE.md files.
type Publisher struct {
	Store    *postgres.Store
	Limit    int  // of CLAUDE.md, in Unicode characters
	AgeNotes bool // stale memories are marked in CLAUDE.md
	Log      *slog.Logger
	Queue    *watch.Queue
	Agents   *agenttx.Manager
	// ready reports whether the first full scan is done. Before, agents do not publish each other.
	Ready func() bool
	// late returns the agents whose scans take longer than overdue.
	Late    func() []string
	Overdue time.Duration
	// holdsLease reports whether this server holds the agent's lease.
	HoldsLease func(agentID int64) bool
	Cache      *Cache
	sharing    sharing
	// publishAgent publishes an agent on the server that holds its lease.
	PublishAgent func(ctx context.Context, slug string) (PublishResult, error)
}
