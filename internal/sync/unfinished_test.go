package sync_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

const goodTabs = "---\nname: Tabs\ndescription: short\nkept: yes\ntype: user\n---\n\nfour\n"

// unfinishedTexts are texts of a good file after an accident, by description.
var unfinishedTexts = map[string]string{
	"was emptied":        "",
	"is not closed":      "---\nname: Tabs\ntyp",
	"has no name":        "---\nname: \"\"\nmetadata:\n  node_type: memory\n---\n\nfour\n",
	"markers of a merge": "---\nname: Tabs\ntype: user\n---\n<<<<<<< HEAD\nfour\n=======\neight\n>>>>>>> other\n",
}

// withUnfinished returns an agent with a memory whose file was good and has that text now.
func withUnfinished(t *testing.T, text string) *bench {
	b := withAda(t)
	b.writeAged("ada/memory/tabs.md", goodTabs, time.Hour)
	b.scan("ada")
	b.write("ada/memory/tabs.md", text)
	b.scan("ada")
	return b
}

func (b *bench) lastGood(slug, name string) (message string) {
	b.Helper()
	for _, p := range b.memory(slug, name).Problems {
		if p.Code == memories.CodeLastGood {
			message = p.Message
		}
	}
	return message
}

func TestScan_UnfinishedFile(t *testing.T) {
	t.Parallel()
	for why, text := range unfinishedTexts {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			b := withUnfinished(t, text)
			before := b.memory("ada", "Tabs")
			if before.Type != memories.User || before.Description != "short" || before.Body != "four" || before.State != memories.Active {
				t.Errorf("the memory is %+v", before)
			}
			if got := b.lastGood("ada", "Tabs"); !strings.Contains(got, why) {
				t.Errorf("the message is %q", got)
			}
			if !strings.Contains(b.read("ada/CLAUDE.md"), "### Tabs\n\nfour") {
				t.Error("CLAUDE.md does not have the last good content")
			}
			b.restart()
			if alive, dead := b.list("ada", ""), b.list("ada", memories.Deleted); len(alive) != 1 || len(dead) != 0 || b.lastGood("ada", "Tabs") == "" {
				t.Errorf("after a restart %d live and %d are deleted", len(alive), len(dead))
			}
			b.write("ada/memory/tabs.md", note("Tabs", memories.User, "eight"))
			b.scan("ada")
			b.hasBody("ada", "Tabs", "eight")
			if got := b.lastGood("ada", "Tabs"); got != "" {
				t.Errorf("it is good again, and flagged: %s", got)
			}
		})
	}
}

func TestScan_UnfinishedFileWrittenBackByHand(t *testing.T) {
	t.Parallel()
	b := withUnfinished(t, "")
	b.write("ada/memory/tabs.md", goodTabs)
	b.scan("ada")
	if m := b.memory("ada", "Tabs"); m.Body != "four" || len(m.Problems) != 0 || len(b.revisions("ada", m)) != 1 {
		t.Errorf("the memory is %+v", m)
	}
}

func TestScan_UnfinishedFileRemoved(t *testing.T) {
	t.Parallel()
	b := withUnfinished(t, "")
	b.remove("ada/memory/tabs.md")
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
	if _, err := b.engine.Restore(t.Context(), "ada", b.list("ada", memories.Deleted)["Tabs"].ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.read("ada/memory/tabs.md"); got != goodTabs {
		t.Errorf("the file is %q", got)
	}
}

func TestScan_FlawedFromTheBeginning(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", "plain text")
	b.write("ada/memory/b.md", "---\nname: Merged\ntype: user\n---\n<<<<<<< a\n=======\n>>>>>>> b\n")
	b.scan("ada")
	if m := b.memory("ada", "Merged"); m.State != memories.Active || !slices.ContainsFunc(m.Problems, func(p memories.Problem) bool { return p.Code == memories.CodeMergeConflict }) {
		t.Errorf("a new file with markers is %+v", m)
	}
	b.write("ada/memory/a.md", "other text")
	b.write("ada/memory/b.md", "---\nname: Merged\ntype: user\n---\nmore\n<<<<<<< a\n=======\n>>>>>>> b\n")
	b.scan("ada")
	b.hasBody("ada", "a", "other text")
	if m := b.memory("ada", "Merged"); !strings.HasPrefix(m.Body, "more") || b.lastGood("ada", "Merged") != "" {
		t.Errorf("an edit of a file with markers is %+v", m)
	}
}

func TestScan_NamelessFileOfTheSameStem(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/tabs.md", note("tabs", memories.User, "four"))
	b.scan("ada")
	b.write("ada/memory/tabs.md", "---\nname: \"\"\n---\nfour\n")
	b.scan("ada")
	if m := b.memory("ada", "tabs"); m.Type != memories.User || b.lastGood("ada", "tabs") == "" {
		t.Errorf("the memory is %+v", m)
	}
}

func TestFix_UnfinishedFile(t *testing.T) {
	t.Parallel()
	t.Run("write back", func(t *testing.T) {
		t.Parallel()
		b := withUnfinished(t, unfinishedTexts["has no name"])
		b.fix("Tabs", "memory/tabs.md", "last-good")
		if got := b.read("ada/memory/tabs.md"); got != goodTabs {
			t.Errorf("the file is %q", got)
		}
		b.hasBody("ada", "Tabs", "four")
		if got := b.lastGood("ada", "Tabs"); got != "" {
			t.Errorf("it is flagged: %s", got)
		}
	})
	t.Run("as it is, under the same name", func(t *testing.T) {
		t.Parallel()
		b := withUnfinished(t, unfinishedTexts["markers of a merge"])
		b.fix("Tabs", "memory/tabs.md", "as-is")
		if m := b.memory("ada", "Tabs"); !strings.Contains(m.Body, "=======") || b.lastGood("ada", "Tabs") != "" {
			t.Errorf("the memory is %+v", m)
		}
		b.scan("ada")
		b.restart()
		if m := b.memory("ada", "Tabs"); !strings.Contains(m.Body, "=======") {
			t.Errorf("after a restart it is %+v", m)
		}
	})
	t.Run("as it is, without a name", func(t *testing.T) {
		t.Parallel()
		b := withUnfinished(t, unfinishedTexts["has no name"])
		b.fix("Tabs", "memory/tabs.md", "as-is")
		b.isIn("ada", "Tabs", memories.Deleted)
		b.isIn("ada", "tabs", memories.NeedsAttention)
	})
}

func TestSave_UnfinishedFile(t *testing.T) {
	t.Parallel()
	for why, text := range unfinishedTexts {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			b := withUnfinished(t, text)
			m := b.memory("ada", "Tabs")
			body := "eight"
			result, err := b.engine.Patch(t.Context(), "ada", m.ID, engine.ETag(m), engine.Patch{Body: &body})
			if err != nil {
				t.Fatal(err)
			}
			if m := result.Memory; m.ID != b.memory("ada", "Tabs").ID || m.Body != "eight" || len(m.Problems) != 0 || m.Description != "short" {
				t.Errorf("the memory is %+v", m)
			}
			if got := b.read("ada/memory/tabs.md"); got != strings.Replace(goodTabs, "four", "eight", 1) {
				t.Errorf("the file is %q", got)
			}
		})
	}
}

func TestVerify_UnfinishedFile(t *testing.T) {
	t.Parallel()
	text := "---\nname: \"\"\nmetadata:\n  modified: 2026-01-02T03:04:05Z\n---\nfour\n"
	b := withUnfinished(t, text)
	m := b.memory("ada", "Tabs")
	if _, err := b.engine.Verify(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	if got := b.read("ada/memory/tabs.md"); got != text {
		t.Errorf("the file is %q", got)
	}
	if m := b.memory("ada", "Tabs"); m.Body != "four" || b.lastGood("ada", "Tabs") == "" {
		t.Errorf("the memory is %+v", m)
	}
}

func TestDelete_UnfinishedFile(t *testing.T) {
	t.Parallel()
	b := withUnfinished(t, "")
	m := b.memory("ada", "Tabs")
	if _, err := b.engine.Delete(t.Context(), "ada", m.ID, engine.ETag(m)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.path("ada/memory/tabs.md")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	b.isIn("ada", "Tabs", memories.Deleted)
}

func TestScan_SlowWriter(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]string{"existing": goodTabs, "new": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.options.WriterPause = time.Hour // so that only the test ends it
			b.restart()
			if of != "" {
				b.write("ada/memory/tabs.md", of)
				b.scan("ada")
			}
			text := "---\nname: Tabs\ntype: user\n---\n\neight, and all the rest\n"
			for _, upTo := range []int{0, 8, 20, strings.Index(text, "---\n\n") + 4, len(text) - 10, len(text)} {
				b.write("ada/memory/tabs.md", text[:upTo])
				b.age("ada/memory/tabs.md", time.Minute) // an empty file is not waited for
				probe := fmt.Sprint("Probe ", upTo)
				b.write("ada/memory/probe.md", note(probe, memories.User, "looked at with the file"))
				waittest.For(b, "the file to be looked at", func() bool { _, is := b.list("ada", "")[probe]; return is })
				b.remove("ada/memory/probe.md")
				waittest.For(b, "the probe to be gone", func() bool { _, is := b.list("ada", memories.Deleted)[probe]; return is })
				dead := b.list("ada", memories.Deleted)
				maps.DeleteFunc(dead, func(name string, _ memories.Memory) bool { return strings.HasPrefix(name, "Probe") })
				if len(dead) != 0 {
					t.Errorf("after %d bytes in the trash: %+v", upTo, dead)
				}
				if of != "" {
					b.hasBody("ada", "Tabs", "four")
				}
			}
			b.age("ada/memory/tabs.md", 2*time.Hour)
			b.scan("ada")
			b.hasBody("ada", "Tabs", "eight, and all the rest")
			if alive := b.list("ada", ""); len(alive) != 1 {
				t.Errorf("in the end %d live", len(alive))
			}
		})
	}
}
