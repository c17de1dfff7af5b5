// Package publish writes the agents' CLAUDE.md files and previews them. It caches the summaries and
// sections of the files that were published last, so that the next publication reads only changed
// memories.
//
// It does not decide which memories exist, and does not know HTTP.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
)

const (
	// maxClaudeMD is the size of the largest CLAUDE.md that Memoir writes, in bytes. Claude Code
	// ignores a larger one.
	maxClaudeMD = 4 << 20
	// maxClaudeMDRead is the size of the largest CLAUDE.md that Memoir reads, in bytes. A file above
	// maxClaudeMD may become smaller when it is published. Arbitrary.
	maxClaudeMDRead = 4 * maxClaudeMD
)

// Publisher writes the agents' CLAUDE.md files. All fields but Limit and AgeNotes are required. Its
// methods are safe for concurrent use. Run must be called inside the agent's transaction.
type Publisher struct {
	Store    *postgres.Store
	Limit    int  // size in Unicode characters above which memories become entries; 0 means no limit
	AgeNotes bool // add notes about their age to stale memories
	Agents   *agenttx.Manager
	// Ready reports whether the first full scan is done. Until then, PublishOthers does nothing.
	Ready func() bool
	// Late returns the slugs of agents whose scan takes longer than Overdue. They are not published by
	// PublishOthers, which also waits at most Overdue for agents of this server.
	Late    func() []string
	Overdue time.Duration
	// HoldsLease reports whether this server holds the agent's lease.
	HoldsLease func(agentID int64) bool
	Cache      *Cache
	sharing    sharing
	// PublishAgent calls Publish on the server that holds the agent's lease.
	PublishAgent func(ctx context.Context, slug string) (Result, error)
}

// Run compiles the agent's CLAUDE.md and writes it if it differs. changed are the memories that the
// caller has changed since the last call, each once per increase of the agent's version. If the
// file cannot be written, Problem of the result is the reason, without an error. If all agents
// share this agent's memories, Run also writes the files of the others; Problem then names the
// agents without a new file. Without an open directory it returns the recorded state.
func (p *Publisher) Run(ctx context.Context, tx *agenttx.Tx, changed []uuid.UUID) (records.ClaudeMD, error) {
	state, err := p.publishOwn(ctx, tx, changed)
	if err != nil || !tx.Agent.Rules().IsShared {
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

// publishOwn compiles the agent's CLAUDE.md, writes it if it differs, and saves its state. Then it
// writes the agent's targets. It never writes the files of other agents. If a file cannot be
// written, Problem of the result is the reason, without an error. If the file is up to date, or the
// agent's directory is not open, it returns the recorded state.
func (p *Publisher) publishOwn(ctx context.Context, tx *agenttx.Tx, changed []uuid.UUID) (records.ClaudeMD, error) {
	row, err := tx.Rows.Agent(ctx)
	if err != nil {
		return row.ClaudeMD, err
	}
	state := row.ClaudeMD
	if tx.Root != nil {
		state, err = p.publishClaudeMD(ctx, tx, row, changed)
	}
	if err != nil || !row.HasTargets {
		return state, err
	}
	problem, err := p.publishTargets(ctx, tx)
	if state.Problem == "" {
		state.Problem = problem
	}
	return state, err
}

// publishClaudeMD is publishOwn for CLAUDE.md alone, with an open directory. row is the agent's.
func (p *Publisher) publishClaudeMD(ctx context.Context, tx *agenttx.Tx, row records.Agent, changed []uuid.UUID) (records.ClaudeMD, error) {
	path := tx.Agent.ClaudeMDPath(tx.Root)
	if err := tx.CheckPublish(); err != nil {
		return refusePublication(ctx, tx, row.ClaudeMD, err)
	}
	if done, err := p.isPublished(ctx, tx, row, path); done || err != nil {
		return row.ClaudeMD, err
	}
	sources, err := p.Cache.Take(ctx, tx.Rows, row.ID, row.ClaudeMD.Version, changed)
	if err != nil {
		return row.ClaudeMD, err
	}
	sections, err := tx.Rows.Sections(ctx, row, sources.Summaries)
	if err != nil {
		return row.ClaudeMD, err
	}
	state, preview, err := p.writeClaudeMD(ctx, tx, sections, sources)
	if err != nil {
		return row.ClaudeMD, err
	}
	if state.Problem == "" {
		state.Problem = removeOldBlock(tx, row.ClaudeMD.Path, state.Path)
	}
	if state.Problem != "" {
		state.Path = row.ClaudeMD.Path // the old file may still have the block
	}
	publication := records.Publication{ClaudeMD: state, Costs: changedCosts(preview.Costs, sections.Summaries)}
	if err := recordPublication(ctx, tx, publication, row.ClaudeMD.Problem); err != nil {
		return row.ClaudeMD, err
	}
	p.Cache.Put(row.ID, row.ClaudeMD.Version+1, sources, publication.Costs)
	return state, nil
}

// refusePublication records in the agent's row that CLAUDE.md must not be written because of
// reason, sends an event, and returns the new state. If before, the recorded state, has the same
// problem, it does nothing and returns before. It never returns reason as an error.
func refusePublication(ctx context.Context, tx *agenttx.Tx, before records.ClaudeMD, reason error) (records.ClaudeMD, error) {
	state := records.ClaudeMD{Path: before.Path, Chars: before.Chars, Problem: claudeMDProblem(tx.Agent.ClaudeMDPath(tx.Root), reason)}
	if before.Problem == state.Problem {
		return before, nil
	}
	return state, recordPublication(ctx, tx, records.Publication{ClaudeMD: state}, before.Problem)
}

// publishAttempts is how often CLAUDE.md is compiled again, if other programs change the file
// between read and write. Arbitrary.
const publishAttempts = 5

// writeClaudeMD compiles the memories into the present CLAUDE.md and writes it if its bytes differ.
// An edit between read and write is read and kept. If the file cannot be written, Problem of the
// state is the reason, without an error. For an agent without a CLAUDE.md it only compiles.
// PublishedAt of the state is zero unless it has written the file.
func (p *Publisher) writeClaudeMD(ctx context.Context, tx *agenttx.Tx, sections postgres.Sections, sources *Sources) (records.ClaudeMD, Preview, error) {
	if !tx.Agent.Published() {
		preview, err := p.compile(ctx, sections, sources, "", nil, nil)
		if err != nil || preview.Problem != "" {
			return records.ClaudeMD{Chars: preview.Chars, Problem: preview.Problem}, preview, err
		}
		return p.publishedState(preview, "", files.Hash(preview.Text)), preview, nil
	}
	for attempt := 1; ; attempt++ {
		path := tx.Agent.ClaudeMDPath(tx.Root)
		raw, readErr := readClaudeMD(tx.Root, tx.Agent, path, tx.State.Links)
		if raw != nil && len(raw) == 0 {
			agenttx.AwaitBytes(tx.Root, path)
			raw, readErr = readClaudeMD(tx.Root, tx.Agent, path, tx.State.Links)
		}
		preview, err := p.compile(ctx, sections, sources, path, raw, readErr)
		if err != nil {
			return records.ClaudeMD{}, preview, err
		}
		if files.IsExhausted(readErr) {
			tx.RescanLater(path, agenttx.Retry)
		}
		if preview.Problem != "" {
			return records.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: preview.Problem}, preview, nil
		}
		hash := files.Hash(preview.Text)
		state := p.publishedState(preview, path, hash)
		if raw != nil && bytes.Equal(raw, preview.Text) {
			return state, preview, nil
		}
		err = overwriteClaudeMD(tx, path, raw, preview.Text)
		changed := errors.Is(err, files.ErrChanged) || errors.Is(err, files.ErrExists)
		switch {
		case err == nil:
			state.PublishedAt = records.Now()
			return state, preview, nil
		case !changed || attempt == publishAttempts:
			if files.IsExhausted(err) {
				tx.RescanLater(path, agenttx.Retry)
			}
			return records.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: claudeMDProblem(path, err)}, preview, nil
		}
	}
}

// removeOldBlock removes Memoir's block from the file at from, after the block was written into the
// file at to. All other bytes stay. If that fails, problem is the reason, which a user must solve.
// It does nothing and returns "" if from is empty, missing, without a block, or the same file as
// to.
func removeOldBlock(tx *agenttx.Tx, from, to string) (problem string) {
	if from == "" || from == to || isSameFile(tx, from, to) {
		return ""
	}
	for range publishAttempts {
		raw, err := agenttx.ReadAll(tx.Root, from, maxClaudeMDRead)
		if errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		if err != nil {
			return claudeMDProblem(from, err)
		}
		document, err := claudemd.ReadDocument(raw)
		if err != nil {
			return claudeMDProblem(from, err)
		}
		without := document.Without()
		if bytes.Equal(without, raw) {
			return ""
		}
		err = tx.Overwrite(from, without, files.Options{IfHash: files.Hash(raw)})
		if err == nil {
			return ""
		}
		if !errors.Is(err, files.ErrChanged) {
			return claudeMDProblem(from, err)
		}
	}
	return claudeMDProblem(from, files.ErrChanged)
}

// isSameFile reports whether two paths are or may be the same file. It is true if one of them
// cannot be examined, and false if a is missing.
func isSameFile(tx *agenttx.Tx, a, b string) bool {
	first, err := files.Stat(tx.Root, a)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	second, err := files.Stat(tx.Root, b)
	return err != nil || os.SameFile(first, second)
}

// publishedState returns the state of a CLAUDE.md at path that has the compiled text, with its
// publish key. hash is the hash of the text. It saves nothing.
func (p *Publisher) publishedState(preview Preview, path, hash string) records.ClaudeMD {
	key := publishKey{recipe: p.recipe(preview.MemoryOff, preview.shared), hash: hash}
	if !preview.nextStaleAt.IsZero() {
		key.expiresAt = strconv.FormatInt(preview.nextStaleAt.Unix()+1, 10) // rounded up
	}
	return records.ClaudeMD{Path: path, Chars: preview.Chars, PublishKey: key.String()}
}

// overwriteClaudeMD replaces CLAUDE.md if it still has the bytes before; otherwise it returns
// files.ErrChanged. If before is nil, it creates the file, and returns files.ErrExists if the file
// exists. If path is a link to a missing file, it creates that file.
func overwriteClaudeMD(tx *agenttx.Tx, path string, before, text []byte) error {
	if before != nil {
		return tx.Overwrite(path, text, files.Options{IfHash: files.Hash(before)})
	}
	if target, err := files.Resolve(tx.Root, path); err == nil || errors.Is(err, fs.ErrNotExist) {
		path = target
	}
	return tx.Overwrite(path, text, files.Options{New: true})
}

// recordPublication saves the new state of CLAUDE.md and the sizes of its memories. It sends an
// event if CLAUDE.md was written or its problem is not problemBefore.
func recordPublication(ctx context.Context, tx *agenttx.Tx, p records.Publication, problemBefore string) error {
	if err := tx.DB.Published(ctx, p); err != nil {
		return err
	}
	if !p.PublishedAt.IsZero() || p.Problem != problemBefore {
		tx.Emit(events.Published, "")
	}
	return nil
}

// changedCosts returns the costs (sizes in CLAUDE.md) that differ from the recorded ones. It omits
// those of shared memories, which the shared agent records. costs and summaries have the same order
// and length.
func changedCosts(costs []claudemd.Cost, summaries []claudemd.Summary) []claudemd.Cost {
	var changed []claudemd.Cost
	for i, cost := range costs {
		if summaries[i].Shared == "" && cost != summaries[i].Recorded {
			changed = append(changed, cost)
		}
	}
	return changed
}

// errLinkToMemory means that CLAUDE.md is a link to a file that is compiled into it. Writing it
// would change a memory, and the file would grow with each scan.
var errLinkToMemory = errors.New("CLAUDE.md is a link to a memory file")

// readClaudeMD returns the bytes of the CLAUDE.md at path, or nil without an error if it does not
// exist. links are the known links in the agent's directory. It returns errLinkToMemory if path
// leads to a memory file, and agenttx.ErrTooLarge for more than maxClaudeMDRead bytes. Other errors
// are those of reading the file.
func readClaudeMD(root *os.Root, a agents.Agent, path string, links map[string]struct{}) ([]byte, error) {
	if agents.ClaudeMDIsMemory(root, a, path, maps.Keys(links)) {
		return nil, errLinkToMemory
	}
	raw, err := agenttx.ReadAll(root, path, maxClaudeMDRead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// claudeMDProblem returns the text for users about an error that prevents writing the CLAUDE.md at
// path. The text has the cause and the remedy.
func claudeMDProblem(path string, err error) string {
	return strings.ReplaceAll(claudeMDReason(err), "CLAUDE.md", path)
}

// claudeMDReason returns the text of claudeMDProblem, with the name CLAUDE.md in place of the path.
func claudeMDReason(err error) string {
	switch {
	case errors.Is(err, claudemd.ErrDamagedMarkers):
		return "CLAUDE.md has damaged memoir:begin and memoir:end markers. " +
			"Nothing was written. Restore both lines in this order, or remove both."
	case errors.Is(err, claudemd.ErrUnclosedCode):
		return "CLAUDE.md ends in an unclosed code block. Nothing was written. Close the code block."
	case files.IsOwnership(err):
		return agenttx.OwnershipProblem(err)
	case errors.Is(err, files.ErrLeaves):
		return "CLAUDE.md is a link out of the agent's directory. Nothing was written. " +
			"Replace it with a file, or with a link to a file in the directory."
	case errors.Is(err, errLinkToMemory):
		return "CLAUDE.md is a link to a memory file or a MEMORY.md. Nothing was written. " +
			"Replace it with a file, or with a link to a file outside memory directories."
	case errors.Is(err, agenttx.ErrTooLarge):
		return fmt.Sprintf("CLAUDE.md is larger than %d MiB, and agents skip such files. Nothing was written. Shorten the text outside Memoir's markers.", maxClaudeMD>>20)
	case errors.Is(err, files.ErrNotRegular):
		return "CLAUDE.md is not a regular file. Nothing was written. Rename or remove it."
	case errors.Is(err, fs.ErrPermission):
		return "CLAUDE.md cannot be read or written: permission denied. Nothing was written. Give Memoir's user write access to it and its directory."
	default:
		return "CLAUDE.md cannot be written: " + err.Error() + ". It is unchanged. Memoir tries again at the next scan."
	}
}
