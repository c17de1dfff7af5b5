package sync

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
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/sync/publish"
)

const (
	// maxClaudeMD is the largest CLAUDE.md that Memoir writes, in bytes: an agent skips a larger one.
	maxClaudeMD = 4 << 20
	// maxClaudeMDRead is the largest that it reads, to make it a shorter one.
	maxClaudeMDRead = 4 * maxClaudeMD
)

// publish brings the agent's CLAUDE.md up to date with its memories, and returns only when it is on disk. What stands in
// its way is recorded with the agent and is no error: the memories themselves are safe. So do those of all others, where this one shares
// what it remembers.
func (h *hold) publish(ctx context.Context) error {
	if err := h.publishOwn(ctx); err != nil {
		return err
	}
	return h.publishShared(ctx)
}

// publishOwn publishes the agent's own CLAUDE.md. With it goes the record of the files that have been removed: that is one round
// trip less.
func (h *hold) publishOwn(ctx context.Context) error {
	if h.root == nil {
		return nil
	}
	row, err := h.w.Agent(ctx)
	if err != nil {
		return err
	}
	h.claudeMD = &row.ClaudeMD
	path := h.onDisk.ClaudeMDPath(h.root)
	if err := h.checkPublish(); err != nil {
		return h.refusePublication(ctx, row.ClaudeMD, err)
	}
	done, err := h.isPublished(ctx, row, path)
	if done && err == nil {
		err = h.recordRemoved(ctx)
	}
	if done || err != nil {
		return err
	}
	sources, err := h.published.Take(ctx, h.w, row.ID, row.ClaudeMD.Version, h.changedIDs)
	if err != nil {
		return err
	}
	sections, err := h.w.Sections(ctx, row, sources.Summaries)
	if err != nil {
		return err
	}
	h.syncRemoved()
	state, p, err := h.writeClaudeMD(ctx, sections, sources)
	if err == nil && state.Problem == "" {
		state.Problem, err = h.removeOldBlock(row.ClaudeMD.Path, state.Path)
	}
	if state.Problem != "" {
		state.Path = row.ClaudeMD.Path // the block may still be there
	}
	if err != nil {
		return err
	}
	h.claudeMD = &state
	removed, err := h.removedForGood(ctx)
	if err != nil {
		return err
	}
	publication := records.Publication{ClaudeMD: state, Costs: changedCosts(p.Costs, sections.Headings), Removed: removed}
	if err := h.recordPublication(ctx, publication, row.ClaudeMD.Problem); err != nil {
		return err
	}
	h.published.Put(row.ID, row.ClaudeMD.Version+1, sources, publication.Costs)
	h.changedIDs = nil
	return nil
}

// publishAttempts is how often CLAUDE.md is compiled anew when somebody else writes it meanwhile.
const publishAttempts = 5

// writeClaudeMD compiles the memories into what CLAUDE.md says now. An edit by hand that comes in between is read and
// kept, never written over.
func (h *hold) writeClaudeMD(ctx context.Context, sections postgres.Sections, sources *publish.Sources) (records.ClaudeMD, Preview, error) {
	if !h.onDisk.Published() {
		p, err := h.compile(ctx, sections, sources, "", nil, nil)
		if err != nil || p.Problem != "" {
			return records.ClaudeMD{Chars: p.Chars, Problem: p.Problem}, p, err
		}
		return h.publishedState(p, "", files.Hash(p.Text)), p, nil
	}
	for attempt := 1; ; attempt++ {
		path := h.onDisk.ClaudeMDPath(h.root)
		raw, unread := readClaudeMD(h.root, h.onDisk, path, h.links)
		if raw != nil && len(raw) == 0 {
			awaitBytes(h.root, path)
			raw, unread = readClaudeMD(h.root, h.onDisk, path, h.links)
		}
		p, err := h.compile(ctx, sections, sources, path, raw, unread)
		if err != nil {
			return records.ClaudeMD{}, p, err
		}
		if files.IsExhausted(unread) {
			h.publishLater(path)
		}
		if p.Problem != "" {
			return records.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: p.Problem}, p, nil
		}
		hash := files.Hash(p.Text)
		state := h.publishedState(p, path, hash)
		if raw != nil && bytes.Equal(raw, p.Text) {
			return state, p, nil
		}
		err = h.overwriteClaudeMD(path, raw, p.Text, hash)
		changed := errors.Is(err, files.ErrChanged) || errors.Is(err, files.ErrExists)
		switch {
		case err == nil:
			state.PublishedAt = records.Now()
			return state, p, nil
		case !changed || attempt == publishAttempts:
			if files.IsExhausted(err) {
				h.publishLater(path)
			}
			return records.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: claudeMDProblem(path, err)}, p, nil
		}
	}
}

// removeOldBlock removes the block from the file that it was in, at a path, after it was written into another. All other bytes of the file
// are kept. It returns the problem that a person has to solve.
func (h *hold) removeOldBlock(from, to string) (problem string, err error) {
	if from == "" || from == to || h.isSameFile(from, to) {
		return "", nil
	}
	for range publishAttempts {
		raw, err := readAll(h.root, from, maxClaudeMDRead)
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
		err = h.overwrite(from, without, files.Options{IfHash: files.Hash(raw)})
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
func (h *hold) isSameFile(a, b string) bool {
	first, err := files.Stat(h.root, a)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	second, err := files.Stat(h.root, b)
	return err != nil || os.SameFile(first, second)
}

// publishLater has CLAUDE.md published again in a moment, rather than by the next scan: there is nothing that a person should do about
// the file.
func (h *hold) publishLater(path string) { h.queue.AddLater(h.onDisk.Slug, path, retry) }

// publishedState is how the CLAUDE.md at a path stands when it has the compiled text, of that hash.
func (h *hold) publishedState(p Preview, path, hash string) records.ClaudeMD {
	value := publishKey{recipe: h.recipe(p.MemoryOff, p.shared), hash: hash}
	if !p.nextStaleAt.IsZero() {
		value.expiresAt = strconv.FormatInt(p.nextStaleAt.Unix()+1, 10) // no sooner than it is
	}
	return records.ClaudeMD{Path: path, Chars: p.Chars, InStep: value.String()}
}

// overwriteClaudeMD writes a text of that hash where a CLAUDE.md still has the bytes that were read; nil: where there was none. A link
// whose target is yet to be made is written through.
func (h *hold) overwriteClaudeMD(path string, was, text []byte, hash string) error {
	if was != nil {
		return h.overwrite(path, text, files.Options{IfHash: files.Hash(was), Was: was, Hash: hash})
	}
	if target, err := files.Resolve(h.root, path); err == nil || errors.Is(err, fs.ErrNotExist) {
		path = target
	}
	return h.overwrite(path, text, files.Options{New: true, Hash: hash})
}

// recordPublication keeps how CLAUDE.md stands, and tells those who listen when it was written, or when what is in its way is another
// thing than before.
func (h *hold) recordPublication(ctx context.Context, p records.Publication, problemBefore string) error {
	if err := h.w.Published(ctx, p); err != nil {
		return err
	}
	if !p.PublishedAt.IsZero() || p.Problem != problemBefore {
		h.hub.Emit(events.Event{Agent: h.onDisk.Slug, Kind: events.Published})
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
	raw, err := readAll(root, path, maxClaudeMDRead)
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
		return ownershipProblem(err)
	case errors.Is(err, files.ErrLeaves):
		return "CLAUDE.md is a link that leads out of the agent's directory. It was not followed and nothing was written. " +
			"Replace the link by a file, or let it lead to one inside the directory."
	case errors.Is(err, errIsMemory):
		return "CLAUDE.md is a link to one of the memory files that are compiled into it, or to a MEMORY.md of theirs. Nothing was written. " +
			"Replace the link by a file, or let it lead to one that is not in a memory directory."
	case errors.Is(err, errTooLarge):
		return fmt.Sprintf("CLAUDE.md is larger than %d MiB, and agents skip a file of that size. Nothing was written. Shorten what stands outside of Memoir's markers, and it is published.", maxClaudeMD>>20)
	case errors.Is(err, files.ErrNotRegular):
		return "CLAUDE.md is not a regular file. Nothing was written. Rename what is there, and it is published."
	case errors.Is(err, fs.ErrPermission):
		return "CLAUDE.md cannot be read or written: permission denied. Nothing was written. Give the user that Memoir runs as the right to write it and its directory."
	default:
		return "CLAUDE.md cannot be written: " + err.Error() + ". What was there is kept. It is tried again at the next scan."
	}
}
