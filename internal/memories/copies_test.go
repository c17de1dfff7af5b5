package memories_test

import (
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
)

func TestCopyOf_Sure(t *testing.T) {
	t.Parallel()
	for file, original := range map[string]string{
		"memory/tabs.sync-conflict-20261103-101112-ABCDEFG.md": "memory/tabs.md",
		"memory/tabs (conflicted copy 2026-11-03).md":          "memory/tabs.md",
		"memory/tabs (Ada's conflicted copy 2026-11-03).md":    "memory/tabs.md",
		"memory/tabs (conflicted copy 2026-11-03 101112).md":   "memory/tabs.md",
		"memory/tabs (Adas Konflikt Kopie 2026-11-03).md":      "memory/tabs.md",
		"memory/tabs (Copie en conflit de Ada 2026-11-03).md":  "memory/tabs.md",
		"memory/tabs (Copia en conflicto de Ada).md":           "memory/tabs.md",
		"memory/tabs (Ada の競合コピー 2026-11-03).md":               "memory/tabs.md",
		"memory/tabs (Case Conflict).md":                       "memory/tabs.md",
		"memory/tabs_conflict-20261103-101112.md":              "memory/tabs.md",
		"memory/tabs - Copy.md":                                "memory/tabs.md",
		"memory/tabs - Copy (2).md":                            "memory/tabs.md",
		"memory/tabs - Kopie.md":                               "memory/tabs.md",
		"memory/tabs.orig.md":                                  "memory/tabs.md",
		"memory/sub/tabs.bak.MD":                               "memory/sub/tabs.MD",
		"memory/tabs~.md":                                      "memory/tabs.md",
		"memory/tabs.~1~.md":                                   "memory/tabs.md",
		"memory/tabs_REMOTE_4711.md":                           "memory/tabs.md",
		"memory/tabs.bak 2.md":                                 "memory/tabs.bak.md",
		"memory/tabs.bak 2 (1).md":                             "memory/tabs.bak 2.md",
	} {
		if originals, sure := memories.CopyOf(file); !sure || !slices.Contains(originals, original) {
			t.Errorf("CopyOf(%q) = %q, %t, want %q among them, and true", file, originals, sure, original)
		}
	}
	for _, file := range []string{"memory/backup/tabs.md", "memory/sub/Archive/2026/tabs.md", "backup/tabs.md"} {
		if _, sure := memories.CopyOf(file); !sure {
			t.Errorf("CopyOf(%q) is not sure", file)
		}
	}
}

func TestCopyOf_Possible(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"memory/tabs 2.md":               {"memory/tabs.md"},
		"memory/tabs (1).md":             {"memory/tabs.md"},
		"memory/tabs(1).md":              {"memory/tabs.md"},
		"memory/tabs copy.md":            {"memory/tabs.md"},
		"memory/Copy of tabs.md":         {"memory/tabs.md"},
		"memory/tabs-DESKTOP-1A2B3C4.md": {"memory/tabs-DESKTOP.md", "memory/tabs.md"},
		"use-tabs 2.md":                  {"use-tabs.md", "use.md"},
		"memory/tabs.md":                 nil,
		"memory/backup.md":               nil,
		"memory/archive_rules.md":        nil,
		"memory/conflict.md":             nil,
		"memory/-tabs.md":                nil,
		"memory/tabs 2026.md":            nil,
		"memory/backups/tabs.md":         nil,
		"memory/feedback_tabs_2.md":      nil,
		"memory/how to resolve (git).md": nil,
	} {
		if originals, sure := memories.CopyOf(file); sure || !slices.Equal(originals, want) {
			t.Errorf("CopyOf(%q) = %q, %t, want %q and false", file, originals, sure, want)
		}
	}
}

func TestCopyOf_ManyHyphens(t *testing.T) {
	t.Parallel()
	if originals, sure := memories.CopyOf("memory/" + strings.Repeat("a-", 120) + "a.md"); sure || len(originals) != 120 {
		t.Errorf("CopyOf() = %d originals, %t, want 120 and false", len(originals), sure)
	}
}
