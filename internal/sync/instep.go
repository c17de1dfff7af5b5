package sync

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/records"
)

// inStep is by what the CLAUDE.md is known that says what the memories say. It is kept with the agent, and whatever changes
// a memory empties it in the same transaction, so that it holds through a restart, and for every server of the database.
type inStep struct {
	recipe string // how it was compiled
	hash   string // of all of its bytes
	until  string // when the text changes by age alone, in seconds since 1970; empty: it does not
	file   string // the signature of a file that was found to have these bytes; empty: not looked at since it was written
}

func (s inStep) String() string {
	return strings.Join([]string{s.recipe, s.hash, s.until, s.file}, " ")
}

// readInStep returns the zero inStep, which no CLAUDE.md is known by, for what it cannot read.
func readInStep(mark string) inStep {
	parts := strings.Split(mark, " ")
	if len(parts) != 4 {
		return inStep{}
	}
	return inStep{parts[0], parts[1], parts[2], parts[3]}
}

// isOver says whether a memory has become stale since, and the text is to say so.
func (s inStep) isOver(now time.Time) bool {
	until, err := strconv.ParseInt(s.until, 10, 64)
	return err == nil && now.Unix() >= until
}

// nextStale returns when the next of the memories becomes stale; zero: all are.
func nextStale(ms []claudemd.Summary, now time.Time) (next time.Time) {
	for _, m := range ms {
		if at := memories.StaleFrom(m.ModifiedAt); at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// recipe is what the text of a CLAUDE.md depends on besides the agent's own memories and what stands around them.
func (e *Engine) recipe(memoryOff bool, shared string) string {
	recipe := fmt.Sprintf("%d/%d", claudemd.CompilerVersion, e.options.ClaudeMDLimit)
	if e.options.AgeNotes {
		recipe += "/notes"
	}
	if memoryOff {
		recipe += "/off"
	}
	if shared != "" {
		recipe += "/shared=" + shared
	}
	return recipe
}

// isInStep says whether CLAUDE.md has the text of the memories as they are. The signature is taken before the file is
// read, and noted once it is old enough to be relied on.
func (h *hold) isInStep(ctx context.Context, row records.Agent, path string) (bool, error) {
	known := readInStep(row.ClaudeMD.InStep)
	if known.recipe != h.recipe(row.MemoryOff, row.Shared) || known.isOver(time.Now()) {
		return false, nil
	}
	if row.ClaudeMD.Path != path {
		return false, nil
	}
	if path == "" {
		return true, nil
	}
	signature := h.signatureOf(path)
	if signature != "" && signature == known.file && !agents.ClaudeMDIsMemory(h.root, h.onDisk, path, maps.Keys(h.links)) {
		return true, nil
	}
	raw, err := readClaudeMD(h.root, h.onDisk, path, h.links)
	if err != nil || raw == nil || files.Hash(raw) != known.hash {
		return false, nil
	}
	if signature == "" {
		return true, nil
	}
	known.file = signature
	return true, h.w.InStep(ctx, known.String())
}

// signatureOf returns what tells a file from what it was before any change: its size, times and inode. It is empty where
// there is no file, and while a further change could carry the same signature.
func (h *hold) signatureOf(path string) string {
	info, err := files.Stat(h.root, path)
	if err != nil {
		return ""
	}
	changed, inode, _ := agents.Identity(info)
	if isFresh(changed) || isFresh(info.ModTime()) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), inode)
}

func isFresh(t time.Time) bool { return time.Since(t) <= agents.TimestampSlack }
