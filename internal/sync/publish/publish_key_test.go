package publish

import (
	"cmp"
	"os"
	"strconv"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

func TestPublishKey_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, key := range []publishKey{
		{},
		{recipe: "1/40000", hash: "abc"},
		{recipe: "1/40000/notes", hash: "abc", expiresAt: "1780000000", file: "1.2.3.4"},
	} {
		if got := parsePublishKey(key.String()); got != key {
			t.Errorf("parsePublishKey(%q) = %+v, want %+v", key.String(), got, key)
		}
	}
	for _, text := range []string{"", "true", "1/40000 abc", "a b c d e"} {
		if got := parsePublishKey(text); got != (publishKey{}) {
			t.Errorf("parsePublishKey(%q) = %+v, want the zero key", text, got)
		}
	}
}

func TestPublishKey_IsExpired(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_780_000_000, 0)
	for _, tt := range []struct {
		name      string
		expiresAt string
		want      bool
	}{
		{"never expires", "", false},
		{"in a second", "1780000001", false},
		{"now", "1780000000", true},
		{"in the past", "1", true},
		{"not a number", "soon", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (publishKey{expiresAt: tt.expiresAt}).isExpired(now); got != tt.want {
				t.Errorf("isExpired() = %t, want %t", got, tt.want)
			}
		})
	}
}

func TestNextStale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)
	staleSince := memories.StaleSince(now)
	for _, tt := range []struct {
		name     string
		modified []time.Time
		want     time.Time
	}{
		{"no memory", nil, time.Time{}},
		{"all are stale", []time.Time{staleSince, staleSince.Add(-time.Hour), {}}, time.Time{}},
		{"first of two", []time.Time{staleSince.Add(2 * time.Hour), staleSince.Add(time.Hour)}, now.Add(time.Hour)},
		{"stale one does not count", []time.Time{staleSince, staleSince.Add(time.Hour)}, now.Add(time.Hour)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var summaries []claudemd.Summary
			for _, modified := range tt.modified {
				summaries = append(summaries, claudemd.Summary{ModifiedAt: modified})
			}
			if got := nextStale(summaries, now); !got.Equal(tt.want) {
				t.Errorf("nextStale() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPublishedState_ExpiryIsRoundedUp(t *testing.T) {
	t.Parallel()
	var p Publisher
	state := p.publishedState(Preview{Chars: 7, nextStaleAt: time.Unix(100, 1)}, "CLAUDE.md", "abc")
	key := parsePublishKey(state.PublishKey)
	if state.Path != "CLAUDE.md" || state.Chars != 7 || key.hash != "abc" || key.expiresAt != "101" || key.file != "" {
		t.Errorf("publishedState() = %+v, want the path, 7 characters, the hash, expiry 101 and no signature", state)
	}
	if state := p.publishedState(Preview{}, "", "abc"); parsePublishKey(state.PublishKey).expiresAt != "" {
		t.Errorf("publishedState() = %+v, want no expiry", state)
	}
}

func TestPublisher_RecipeDiffers(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, recipe := range []string{
		(&Publisher{}).recipe(false, ""),
		(&Publisher{Limit: 40000}).recipe(false, ""),
		(&Publisher{AgeNotes: true}).recipe(false, ""),
		(&Publisher{}).recipe(true, ""),
		(&Publisher{}).recipe(false, "5"),
		(&Publisher{}).recipe(false, "6"),
		(&Publisher{AgeNotes: true}).recipe(true, "6"),
	} {
		if seen[recipe] {
			t.Errorf("two inputs have the recipe %q", recipe)
		}
		seen[recipe] = true
		if parsePublishKey(publishKey{recipe: recipe}.String()).recipe != recipe {
			t.Errorf("the recipe %q cannot be part of a key", recipe)
		}
	}
}

// isPublishedCase changes one thing about an agent whose CLAUDE.md is up to date.
type isPublishedCase struct {
	name   string
	change func(c *isPublishedInput)
	want   bool
}

type isPublishedInput struct {
	publisher Publisher
	row       records.Agent
	key       publishKey
	text      string // of CLAUDE.md on disk; empty if it does not exist
	path      string
}

// The file of these cases is too young for a signature, so the bytes decide.
func TestIsPublished(t *testing.T) {
	t.Parallel()
	in := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	for _, tt := range []isPublishedCase{
		{"up to date", func(*isPublishedInput) {}, true},
		{"no key", func(c *isPublishedInput) { c.key = publishKey{} }, false},
		{"older compiler", func(c *isPublishedInput) { c.key.recipe = "0/40000" }, false},
		{"other limit", func(c *isPublishedInput) { c.publisher.Limit++ }, false},
		{"age notes switched on", func(c *isPublishedInput) { c.publisher.AgeNotes = true }, false},
		{"memory switched off", func(c *isPublishedInput) { c.row.MemoryOff = true }, false},
		{"shared memories changed", func(c *isPublishedInput) { c.row.Shared = "7" }, false},
		{"expires later", func(c *isPublishedInput) { c.key.expiresAt = in(time.Hour) }, true},
		{"expired", func(c *isPublishedInput) { c.key.expiresAt = in(-time.Hour) }, false},
		{"other path", func(c *isPublishedInput) { c.path = "AGENTS.md" }, false},
		{"edited on disk", func(c *isPublishedInput) { c.text = "edited" }, false},
		{"removed on disk", func(c *isPublishedInput) { c.text = "" }, false},
		{"agent without CLAUDE.md", func(c *isPublishedInput) { c.path, c.row.ClaudeMD.Path, c.text = "", "", "" }, true},
		{"without CLAUDE.md, expired", func(c *isPublishedInput) {
			c.path, c.row.ClaudeMD.Path, c.text, c.key.expiresAt = "", "", "", in(-time.Hour)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := isPublishedInput{publisher: Publisher{Limit: 40000}, text: "text", path: "CLAUDE.md"}
			c.row.ClaudeMD.Path = "CLAUDE.md"
			c.key = publishKey{recipe: c.publisher.recipe(false, ""), hash: files.Hash([]byte("text"))}
			tt.change(&c)
			c.row.ClaudeMD.PublishKey = c.key.String()
			root := openRoot(t)
			if c.text != "" {
				if err := root.WriteFile(cmp.Or(c.path, "CLAUDE.md"), []byte(c.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			tx := &agenttx.Tx{Agent: agents.Agent{Layout: agents.Hive}, Root: root, State: agenttx.NewState(1)}
			got, err := c.publisher.isPublished(t.Context(), tx, c.row, c.path)
			if err != nil || got != tt.want {
				t.Errorf("isPublished() = %t, %v, want %t", got, err, tt.want)
			}
		})
	}
}

func openRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}
