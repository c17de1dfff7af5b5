package publish

import (
	"context"
	"fmt"
	"maps"
	"os"
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

// publishKey identifies a CLAUDE.md that is up to date. It is stored with the agent. Each change of
// a memory clears it in the same transaction, so it is correct after a restart and on every server.
type publishKey struct {
	recipe    string // result of Publisher.recipe
	hash      string // hash of the whole file
	expiresAt string // Unix seconds at which a memory becomes stale; empty if none will
	file      string // signature of the file when it had this hash; empty if it is not known yet
}

// String returns the stored form of the key, which parsePublishKey parses.
func (k publishKey) String() string {
	return strings.Join([]string{k.recipe, k.hash, k.expiresAt, k.file}, " ")
}

// parsePublishKey parses a text that publishKey.String has returned. For other text it returns the
// zero publishKey, which matches no CLAUDE.md.
func parsePublishKey(value string) publishKey {
	parts := strings.Split(value, " ")
	if len(parts) != 4 {
		return publishKey{}
	}
	return publishKey{parts[0], parts[1], parts[2], parts[3]}
}

// isExpired reports whether a memory has become stale between the publication and now, so that the
// text must change. It is false without an expiry.
func (k publishKey) isExpired(now time.Time) bool {
	until, err := strconv.ParseInt(k.expiresAt, 10, 64)
	return err == nil && now.Unix() >= until
}

// nextStale returns the first time after now at which one of the memories becomes stale. It is zero
// if there is no such memory.
func nextStale(ms []claudemd.Summary, now time.Time) (next time.Time) {
	for _, m := range ms {
		if at := memories.StaleFrom(m.ModifiedAt); at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// recipe returns a text that identifies all inputs of a CLAUDE.md besides the agent's memories and
// the text around the block. shared is the stamp of the shared memories.
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

// isPublished reports whether the CLAUDE.md at path is up to date, by the key in the agent's row.
// If only the signature of the file differs, it reads the file; if the bytes are the same, it saves
// the new signature. It reports false if the file is missing or cannot be read. An empty path means
// that the agent has no CLAUDE.md.
func (p *Publisher) isPublished(ctx context.Context, tx *agenttx.Tx, row records.Agent, path string) (bool, error) {
	key := parsePublishKey(row.ClaudeMD.PublishKey)
	if key.recipe != p.recipe(row.MemoryOff, row.Shared) || key.isExpired(time.Now()) {
		return false, nil
	}
	if row.ClaudeMD.Path != path {
		return false, nil
	}
	if path == "" {
		return true, nil
	}
	signature := signatureOf(tx.Root, path)
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
	return true, tx.DB.SetPublishKey(ctx, key.String())
}

// signatureOf returns the size, times and inode of the file at path below root as text. It is "" if
// the file cannot be examined, or changed so recently that a later change could have the same times.
func signatureOf(root *os.Root, path string) string {
	info, err := files.Stat(root, path)
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
