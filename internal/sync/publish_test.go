package sync_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

func TestPublish_HiveAgent(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	got := b.read("ada/CLAUDE.md")
	if !strings.HasPrefix(got, "<!-- memoir:begin -->\n# Memory System\n") || !strings.HasSuffix(got, "<!-- memoir:end -->\n") {
		t.Errorf("CLAUDE.md of an agent without memories is %q", got)
	}
}

func TestPublish_KeepsTextOutsideMarkers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before, after := "# Ada\r\n\r\nBy hand.\r\n", "\ntrailing \t text without an end"
	b.write("ada/CLAUDE.md", before+"<!-- memoir:begin -->\nstale\n<!-- memoir:end -->\n"+after)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	got := b.read("ada/CLAUDE.md")
	if !strings.HasPrefix(got, before+"<!-- memoir:begin -->\n# Memory System") || !strings.HasSuffix(got, "<!-- memoir:end -->\n"+after) || !strings.Contains(got, "Use tabs.") {
		t.Errorf("CLAUDE.md is now %q", got)
	}
}

func TestPublish_DamagedMarkers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	damaged := "mine\n<!-- memoir:begin -->\nno end\n"
	b.write("ada/CLAUDE.md", damaged)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	if got := b.read("ada/CLAUDE.md"); got != damaged {
		t.Errorf("a damaged CLAUDE.md was written over: %q", got)
	}
	if p := b.agent("ada").ClaudeMD.Problem; !strings.Contains(p, "markers") {
		t.Errorf("the agent says %q", p)
	}
	result, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Tabs").ID, "")
	if err != nil || result.ClaudeMDProblem == "" || result.Memory.State != memories.Deleted {
		t.Errorf("the deletion answers %+v, %v", result, err)
	}
	b.write("ada/CLAUDE.md", "mine\n")
	waittest.For(b, "the mended CLAUDE.md", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "# Memory System") })
	waittest.For(b, "the problem to go", func() bool { return b.agent("ada").ClaudeMD.Problem == "" })
}

// An agent skips a CLAUDE.md of more than 4 MiB.
func TestPublish_TooLarge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := strings.Repeat("By hand, and at great length.\n", 4<<20/30)
	b.write("ada/CLAUDE.md", long)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	if b.read("ada/CLAUDE.md") != long {
		t.Error("a CLAUDE.md that agents skip was written")
	}
	if p := b.agent("ada").ClaudeMD.Problem; !strings.Contains(p, "larger than 4 MiB") {
		t.Errorf("the agent says %q", p)
	}
	b.write("ada/CLAUDE.md", long[:3<<20])
	waittest.For(b, "the shorter CLAUDE.md", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "\n- … and 1 more. ") })
	b.write("ada/CLAUDE.md", strings.Replace(b.read("ada/CLAUDE.md"), "By hand", strings.Repeat("By hand\n", 200_000), 1))
	waittest.For(b, "the problem to be told", func() bool { return b.agent("ada").ClaudeMD.Problem != "" })
	b.write("ada/CLAUDE.md", strings.ReplaceAll(b.read("ada/CLAUDE.md"), "By hand\n", ""))
	waittest.For(b, "the problem to go", func() bool { return b.agent("ada").ClaudeMD.Problem == "" })
}

func TestPublish_EditedBlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	want := b.read("ada/CLAUDE.md")
	b.write("ada/CLAUDE.md", strings.Replace(want, "Use tabs.", "Use spaces.", 1))
	waittest.For(b, "the republished CLAUDE.md", func() bool { return b.read("ada/CLAUDE.md") == want })
}

func TestPublish_UnchangedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	stat := func() os.FileInfo {
		info, err := os.Stat(b.path("ada/CLAUDE.md"))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	before := stat()
	b.restart()
	b.scanAll()
	if after := stat(); !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Error("CLAUDE.md was written although nothing had changed")
	}
}

func TestPublish_Links(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("outside.md", "not yours\n")
	b.write("ada/docs/AGENTS.md", "mine\n")
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("eve/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	for link, target := range map[string]string{"ada/CLAUDE.md": "docs/AGENTS.md", "eve/CLAUDE.md": "../outside.md"} {
		b.remove(link)
		if err := os.Symlink(target, b.path(link)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	b.restart()
	waittest.For(b, "the linked file", func() bool { b.scanAll(); return strings.Contains(b.read("ada/docs/AGENTS.md"), "Use tabs.") })
	if info, err := os.Lstat(b.path("ada/CLAUDE.md")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	b.remove("eve/CLAUDE.md")
	if err := os.Symlink("../outside.md", b.path("eve/CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	b.scanAll()
	if got := b.read("outside.md"); got != "not yours\n" {
		t.Errorf("a link that leaves was written through: %q", got)
	}
	if p := b.agent("eve").ClaudeMD.Problem; !strings.Contains(p, "link out of the agent's directory") {
		t.Errorf("the agent says %q", p)
	}
}

func TestPublish_EntriesPastLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 60 {
		b.write(fmt.Sprintf("aside/m%02d.md", i), note(fmt.Sprintf("M%02d", i), memories.Project, strings.Repeat("word ", 200)))
	}
	b.rename("aside", "ada/memory")
	b.scanAll()
	got := b.read("ada/CLAUDE.md")
	for i := range 60 {
		section := strings.Contains(got, fmt.Sprintf("### M%02d\n", i))
		entry := strings.Contains(got, fmt.Sprintf("- M%02d — About M%02d\n", i, i))
		if section == entry {
			t.Errorf("M%02d is there as section: %t, as entry: %t", i, section, entry)
		}
	}
	first, last := b.memory("ada", "M00"), b.memory("ada", "M59")
	if first.ClaudeMDChars < 1000 || last.ClaudeMDChars == 0 || last.ClaudeMDChars > 200 {
		t.Errorf("the first costs %d characters and the last %d", first.ClaudeMDChars, last.ClaudeMDChars)
	}
}

// The sizes of new memories in CLAUDE.md are presumed at first, and corrected for memories in full.
func TestPublish_CostsOfNewMemories(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 400 {
		b.write(fmt.Sprintf("ada/memory/m%03d.md", i), note(fmt.Sprintf("M%03d", i), memories.Types()[i%4], strings.Repeat("é", 400)+fmt.Sprint(i)))
	}
	b.write("ada/memory/untyped.md", "---\nname: Untyped\n---\n\nNo type.\n")
	b.scanAll()
	preview, err := b.engine.Preview(t.Context(), "ada", "")
	if err != nil {
		t.Fatal(err)
	}
	costs := map[string]claudemd.Cost{}
	listed := 0
	for _, cost := range preview.Costs {
		costs[cost.ID] = cost
		if cost.Listed {
			listed++
		}
	}
	if listed == 0 || listed == len(costs) || len(costs) != 400 {
		t.Errorf("%d of %d memories are entries", listed, len(costs))
	}
	for _, m := range b.everything("ada") {
		if want := costs[m.ID]; m.ClaudeMDChars != want.Chars || m.ClaudeMDListed != want.Listed {
			t.Errorf("%s costs %d (one line: %t), and takes %d (%t)", m.Name, m.ClaudeMDChars, m.ClaudeMDListed, want.Chars, want.Listed)
		}
	}
}

func TestPreview_Without(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/CLAUDE.md", "mine\n")
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	m := b.memory("ada", "Tabs")
	whole, err := b.engine.Preview(t.Context(), "ada", "")
	if err != nil || string(whole.Text) != b.read("ada/CLAUDE.md") {
		t.Errorf("the preview is %q, %v", whole.Text, err)
	}
	without, err := b.engine.Preview(t.Context(), "ada", m.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.delete("ada", "Tabs")
	if string(without.Text) != b.read("ada/CLAUDE.md") {
		t.Errorf("the preview of the deletion was %q", without.Text)
	}
}

func TestPublish_ClaudeLayout(t *testing.T) {
	t.Parallel()
	b := setup(t, func(dir string) {})
	b.stop()
	b.options.Places.ClaudeDir = b.path(".claude")
	b.write(".claude/projects/-srv-app/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write(".claude/projects/-srv-app/s.jsonl", `{"cwd":"/srv/app","sessionId":"1"}`+"\n")
	b.write(".claude/agent-memory/reviewer/b.md", note("Review", memories.Feedback, "Kindly."))
	b.start()
	agent := b.agent("-srv-app")
	if agent.DisplayName != "/srv/app" || agent.Layout != "claude" || agent.ClaudeMD.Path != "" {
		t.Errorf("the project is %+v", agent)
	}
	if m := b.memory("-srv-app", "Tabs"); m.Path != "a.md" {
		t.Errorf("its path is %s", m.Path)
	}
	b.memory("reviewer", "Review")
	for _, file := range []string{".claude/projects/-srv-app/memory/CLAUDE.md", ".claude/projects/-srv-app/CLAUDE.md", ".claude/CLAUDE.md"} {
		if b.read(file) != "" {
			t.Errorf("%s was written", file)
		}
	}
	p, err := b.engine.Preview(t.Context(), "-srv-app", "")
	if err != nil || !strings.Contains(string(p.Text), "### Tabs\n\nUse tabs.\n") {
		t.Errorf("the preview is %q, %v", p.Text, err)
	}
	if _, err := b.engine.Save(t.Context(), "-srv-app", engine.Draft{Name: "New", Type: memories.User}); err != nil || b.read(".claude/projects/-srv-app/memory/new.md") == "" {
		t.Errorf("saving there answers %v", err)
	}
}

func TestPublish_EmptiedFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/CLAUDE.md", "# Mine\n")
	b.write("ada/memory/MEMORY.md", "- [Deploy](project_deploy.md) — on Fridays\n")
	b.save(engine.Draft{Name: "Deploy", Type: memories.Project, Body: "text"})
	deploy := b.delete("ada", "Deploy")
	for name, act := range map[string]func(){
		"ada/CLAUDE.md":        func() { b.save(engine.Draft{Name: "Tabs", Type: memories.User, Body: "text"}) },
		"ada/memory/MEMORY.md": func() { b.restore("ada", deploy) },
	} {
		before := b.read(name)
		file, err := os.OpenFile(b.path(name), os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			t.Fatal(err)
		}
		var acting sync.WaitGroup
		acting.Go(act)
		time.Sleep(100 * time.Millisecond) // what the editor takes from emptying the file to filling it
		if _, err := file.WriteString("# Edited by hand\n" + before); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		acting.Wait()
		if now := b.read(name); !strings.Contains(now, "# Edited by hand\n") {
			t.Errorf("%s is %q", name, now)
		}
	}
}

func TestPublish_ClaudeMDInMemoryDirectory(t *testing.T) {
	t.Parallel()
	for name, relPath := range map[string]string{"its own file": "CLAUDE.md", "what it leads to": "docs/rules.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
			b.write("ada/"+relPath, note("Rules", memories.Feedback, "Be kind."))
			if relPath != "CLAUDE.md" {
				b.link("ada/CLAUDE.md", relPath)
			}
			b.link("ada/memory/self.md", "../CLAUDE.md")
			b.scanAll()
			waittest.For(b, "CLAUDE.md", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "### Tabs\n\nUse tabs.\n") })
			before := b.read("ada/CLAUDE.md")
			for range 3 {
				b.write("ada/memory/b.md", note("Spaces", memories.Feedback, "Never."))
				b.scan("ada")
				b.remove("ada/memory/b.md")
				b.scan("ada")
			}
			if after := b.read("ada/CLAUDE.md"); after != before {
				t.Errorf("CLAUDE.md has become %q", after)
			}
			if all := b.list("ada", ""); len(all) != 1 {
				t.Errorf("the memories are %v", all)
			}
		})
	}
}

func TestPublish_LinkToMemoryFile(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{
		"to a memory": "memory/notes.md", "to an index": "memory/MEMORY.md", "to one that is yet to be written": "memory/later.md",
		"to a session's": inSession(sessionA, "s.md")[len("ada/"):], "to one of a linked directory": "shelf/n.md",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			texts := map[string]string{
				"ada/memory/notes.md": note("Notes", memories.Feedback, "Be kind."), "ada/memory/MEMORY.md": "- [Notes](notes.md)\n", "ada/memory/later.md": "",
				inSession(sessionA, "s.md"): note("Said", memories.User, "so"), "ada/shelf/n.md": note("Shelved", memories.User, "so"),
			}
			for file, text := range texts {
				if text != "" {
					b.write(file, text)
				}
			}
			b.link("ada/memory/shelf", "../shelf")
			b.scanAll()
			b.link("ada/CLAUDE.md", target)
			waittest.For(b, "the problem to be told", func() bool {
				return strings.Contains(b.agent("ada").ClaudeMD.Problem, "is a link to a memory file")
			})
			b.write("ada/memory/b.md", note("Spaces", memories.Feedback, "Never."))
			b.scan("ada")
			b.restart()
			for file, text := range texts {
				if got := b.read(file); got != text {
					t.Errorf("%s says %q", file, got)
				}
			}
			b.remove("ada/CLAUDE.md")
			waittest.For(b, "CLAUDE.md", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "### Spaces\n\nNever.\n") })
			waittest.For(b, "the problem to go", func() bool { return b.agent("ada").ClaudeMD.Problem == "" })
		})
	}
}

func TestPublish_LinkTargetEdited(t *testing.T) {
	t.Parallel()
	disk := &takenDisk{brokenDisk: brokenDisk{&breaker{}}, name: "CLAUDE.md", also: "AGENTS.md", text: "# By hand\n"}
	b := withIndexed(t, disk)
	b.stopWatching()
	b.remove("ada/CLAUDE.md")
	b.link("ada/CLAUDE.md", "AGENTS.md")
	disk.on.Store(true)
	b.scan("ada")
	if disk.on.Load() {
		t.Fatal("not reached")
	}
	if got := b.read("ada/AGENTS.md"); !strings.Contains(got, "# By hand") {
		t.Errorf("what was written by hand is gone: %q", got[:60])
	}
}
