package publish

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
	"memoir/internal/sync/agenttx"
)

// publishKey is by what the CLAUDE.md is known that says what the memories say. It is kept with the agent, and whatever changes
// a memory empties it in the same transaction, so that it holds through a restart, and for every server of the database.
type publishKey struct {
	recipe    string // how it was compiled
	hash      string // of all of its bytes
	expiresAt string // when the text changes by age alone, in seconds since 1970; empty: it does not
	file      string // the signature of a file that was found to have these bytes; empty: not scanned since it was written
}

func (k publishKey) String() string {
	return strings.Join([]string{k.recipe, k.hash, k.expiresAt, k.file}, " ")
}

// parsePublishKey returns the zero publishKey, which no CLAUDE.md is known by, for what it cannot read.
func parsePublishKey(value string) publishKey {
	parts := strings.Split(value, " ")
	if len(parts) != 4 {
		return publishKey{}
	}
	return publishKey{parts[0], parts[1], parts[2], parts[3]}
}

// isExpired reports whether a memory has become stale since, and the text is to say so.
func (k publishKey) isExpired(now time.Time) bool {
	until, err := strconv.ParseInt(k.expiresAt, 10, 64)
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
func (p *Publisher) recipe(memoryOff bool, shared string) string {
	recipe := fmt.Sprintf("%d/%d", claudemd.CompilerVersion, p.Limit)
	if p.AgeNotes {
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

// isPublished reports whether CLAUDE.md has the text of the memories as they are. The signature is taken before the file is
// read, and noted once it is old enough to be relied on.
func (p *Publisher) isPublished(ctx context.Context, tx *agenttx.Tx, row records.Agent, path string) (bool, error) {
	key := parsePublishKey(row.ClaudeMD.InStep)
	if key.recipe != p.recipe(row.MemoryOff, row.Shared) || key.isExpired(time.Now()) {
		return false, nil
	}
	if row.ClaudeMD.Path != path {
		return false, nil
	}
	if path == "" {
		return true, nil
	}
	signature := signatureOf(tx, path)
	if signature != "" && signature == key.file && !agents.ClaudeMDIsMemory(tx.Root, tx.Agent, path, maps.Keys(tx.State.Links)) {
		return true, nil
	}
	raw, err := readClaudeMD(tx.Root, tx.Agent, path, tx.State.Links)
	if err != nil || raw == nil || files.Hash(raw) != key.hash {
		return false, nil
	}
	if signature == "" {
		return true, nil
	}
	key.file = signature
	return true, tx.DB.InStep(ctx, key.String())
}

// signatureOf returns what tells a file from what it was before any change: its size, times and inode. It is empty where
// there is no file, and while a further change could carry the same signature.
func signatureOf(tx *agenttx.Tx, path string) string {
	info, err := files.Stat(tx.Root, path)
	if err != nil {
		return ""
	}
	changed, inode, _ := agents.Identity(info)
	if isWithinSlack(changed) || isWithinSlack(info.ModTime()) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), inode)
}

func isWithinSlack(t time.Time) bool { return time.Since(t) <= agents.TimestampSlack }
