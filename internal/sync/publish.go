package sync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// maxClaudeMD is the largest CLAUDE.md that Memoir reads or writes, in bytes: an agent skips a larger one.
const maxClaudeMD = 4 << 20

// published is what this process knows of an agent's CLAUDE.md: while neither the memories nor the file have changed
// since, there is nothing to do.
type published struct {
	known bool      // the memories are those that were compiled
	hash  string    // of the text that was compiled
	file  fileStamp // of a file that was found to have that text; zero: not looked at since it was written
}

type fileStamp struct {
	size    int64
	modTime time.Time
}

func (p *published) stale() { p.known = false }

// publish brings the agent's CLAUDE.md in step with its memories, and returns only when it is on disk. What stands in
// its way is recorded with the agent and is no error: the memories themselves are safe.
func (h *hold) publish(ctx context.Context) error {
	if h.root == nil {
		return nil
	}
	path := h.onDisk.ClaudeMDPath()
	if h.isPublished(path) {
		return nil
	}
	sections, costs, err := h.w.Sections(ctx)
	if err != nil {
		return err
	}
	state, p := h.writeClaudeMD(path, sections)
	if err := h.record(ctx, state, p.Costs, costs); err != nil {
		return err
	}
	h.published = published{known: state.Problem == "", hash: files.Hash(p.Text)}
	return nil
}

// isPublished says whether CLAUDE.md has the text of the memories as they are. The stamp is taken before the file is
// read, and not relied on while it is fresh: a change right after it could carry the same one.
func (h *hold) isPublished(path string) bool {
	if !h.published.known || path == "" {
		return h.published.known
	}
	stamp := h.stampOf(path)
	if stamp != (fileStamp{}) && stamp == h.published.file && time.Since(stamp.modTime) > fresh {
		return true
	}
	raw, err := readClaudeMD(h.root, path)
	if err != nil || raw == nil || files.Hash(raw) != h.published.hash {
		return false
	}
	h.published.file = stamp
	return true
}

// publishAttempts is how often CLAUDE.md is compiled anew when somebody else writes it meanwhile.
const publishAttempts = 5

// writeClaudeMD compiles the memories into what CLAUDE.md says now. An edit by hand that comes in between is read and
// kept, never written over.
func (h *hold) writeClaudeMD(path string, sections []memories.Section) (postgres.ClaudeMD, Preview) {
	if path == "" {
		p := h.compile(sections, nil, nil)
		return postgres.ClaudeMD{Chars: p.Chars, Problem: p.Problem}, p
	}
	for attempt := 1; ; attempt++ {
		raw, unread := readClaudeMD(h.root, path)
		p := h.compile(sections, raw, unread)
		if p.Problem != "" {
			return postgres.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: p.Problem}, p
		}
		if raw != nil && bytes.Equal(raw, p.Text) {
			return postgres.ClaudeMD{Chars: p.Chars}, p
		}
		err := h.disk.Write(h.root, path, p.Text, h.onlyOver(path, raw))
		changed := errors.Is(err, files.ErrChanged) || errors.Is(err, files.ErrExists)
		switch {
		case err == nil:
			return postgres.ClaudeMD{Chars: p.Chars, PublishedAt: postgres.Now()}, p
		case !changed || attempt == publishAttempts:
			return postgres.ClaudeMD{Chars: utf8.RuneCount(raw), Problem: claudeMDProblem(err)}, p
		}
	}
}

// onlyOver writes only where a file still has the bytes that were read; nil: where there was none. A link whose target
// is yet to be made is written through.
func (h *hold) onlyOver(path string, raw []byte) files.Options {
	if raw != nil {
		return files.Options{IfHash: files.Hash(raw)}
	}
	if info, err := h.root.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return files.Options{}
	}
	return files.Options{New: true}
}

// record keeps how CLAUDE.md stands, and what each memory takes in it where that has changed.
func (h *hold) record(ctx context.Context, state postgres.ClaudeMD, costs []memories.Cost, known map[string]memories.Cost) error {
	before, err := h.w.Agent(ctx)
	if err != nil {
		return err
	}
	if err := h.store.SetAgentPublished(ctx, h.id, state); err != nil {
		return err
	}
	var changed []memories.Cost
	for _, cost := range costs {
		if known[cost.ID] != cost {
			changed = append(changed, cost)
		}
	}
	if len(changed) > 0 {
		if err := h.w.SaveCosts(ctx, changed); err != nil {
			return err
		}
	}
	if !state.PublishedAt.IsZero() || before.ClaudeMD.Problem != state.Problem {
		h.hub.publish(Event{Agent: h.onDisk.Slug, Kind: KindPublished})
	}
	return nil
}

func (h *hold) stampOf(path string) fileStamp {
	if path == "" {
		return fileStamp{}
	}
	info, err := h.root.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime()}
}

// readClaudeMD returns nil where there is no such file.
func readClaudeMD(root *os.Root, path string) ([]byte, error) {
	raw, err := readAll(root, path, maxClaudeMD)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// claudeMDProblem says in plain words why CLAUDE.md is not written.
func claudeMDProblem(err error) string {
	switch {
	case errors.Is(err, memories.ErrDamagedMarkers):
		return "CLAUDE.md has its memoir:begin and memoir:end markers damaged: there must be one of each, in this order, each on a line of its own. " +
			"Nothing was written. Mend or remove the markers and it is published again."
	case errors.Is(err, memories.ErrUnclosedCode):
		return "CLAUDE.md ends in a code block that is not closed, so whatever is put below it would be code. Nothing was written. Close the code block and it is published again."
	case errors.Is(err, files.ErrLeaves):
		return "CLAUDE.md is a link that leads out of the agent's directory. It was not followed and nothing was written. " +
			"Replace the link by a file, or let it lead to one inside the directory."
	case errors.Is(err, errTooLarge):
		return fmt.Sprintf("CLAUDE.md is larger than %d MiB, and agents skip a file of that size. Nothing was written. Shorten what stands outside of Memoir's markers.", maxClaudeMD>>20)
	case errors.Is(err, files.ErrNotRegular):
		return "CLAUDE.md is not a regular file. Nothing was written. Rename what is there, and it is published."
	case errors.Is(err, fs.ErrPermission):
		return "CLAUDE.md cannot be read or written: permission denied. Nothing was written. Give the user that Memoir runs as the right to write it and its directory."
	default:
		return "CLAUDE.md cannot be written: " + err.Error() + ". What was there is kept. It is tried again at the next scan."
	}
}
