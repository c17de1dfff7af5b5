package sync_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"

	"memoir/internal/files"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// editedDisk opens a file right before Memoir replaces it, and saves it in place right after, as an
// editor may.
type editedDisk struct {
	brokenDisk
	path  string
	saves func(was string) (is string) // nil if the editor does not save
	then  func()
}

func (d *editedDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	saves := d.saves
	if name != d.path || saves == nil || options.IfHash == "" {
		return d.brokenDisk.Write(root, name, data, options)
	}
	d.saves = nil
	was, err := root.ReadFile(name)
	if err != nil {
		return err
	}
	opened, err := root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer opened.Close() //nolint:errcheck // a write that fails shows
	if err := d.brokenDisk.Write(root, name, data, options); err != nil {
		return err
	}
	if err := opened.Truncate(0); err != nil {
		return err
	}
	if _, err := opened.WriteAt([]byte(saves(string(was))), 0); err != nil {
		return err
	}
	if d.then != nil {
		d.then()
	}
	return nil
}

// withEditor returns a bench with the agent ada, the memories Tabs and Other, and an editor of the
// files that Memoir writes.
func withEditor(t *testing.T) (*bench, *editedDisk) {
	t.Helper()
	b := withAda(t)
	b.stop()
	disk := &editedDisk{brokenDisk: brokenDisk{&breaker{}}}
	b.options.Disk = disk
	b.write("ada/CLAUDE.md", "# Mine\n")
	b.write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n- [Other](other.md)\n")
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/memory/other.md", note("Other", memories.Feedback, "Stays."))
	b.start()
	return b, disk
}

func TestLateWrite_ClaudeMD(t *testing.T) {
	t.Parallel()
	b, disk := withEditor(t)
	disk.path, disk.saves = "CLAUDE.md", func(was string) string { return strings.Replace(was, "# Mine\n", "# Mine, and more\n", 1) }
	b.delete("ada", "Tabs")
	waittest.For(b, "the edit, with the memories as they are", func() bool {
		text := b.read("ada/CLAUDE.md")
		return strings.HasPrefix(text, "# Mine, and more\n") && strings.Contains(text, "Stays.") && !strings.Contains(text, "Use tabs.")
	})
}

func TestLateWrite_Index(t *testing.T) {
	t.Parallel()
	b, disk := withEditor(t)
	disk.path, disk.saves = "memory/MEMORY.md", func(was string) string { return was + "- [Site](https://example.org) — by hand\n" }
	b.delete("ada", "Tabs")
	waittest.For(b, "the edit", func() bool { return strings.HasSuffix(b.read("ada/memory/MEMORY.md"), "by hand\n") })
}

func TestLateWrite_Memory(t *testing.T) {
	t.Parallel()
	b, disk := withEditor(t)
	disk.path, disk.saves = "memory/tabs.md", func(string) string { return note("Tabs", memories.Feedback, "Use what is there.") }
	b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "Use spaces."})
	waittest.For(b, "the edit", func() bool { return b.memory("ada", "Tabs").Body == "Use what is there." })
	b.hasRevisions("Tabs", "Use tabs.", "Use spaces.", "Use what is there.")
}

func TestLateWrite_OlderThanNextSave(t *testing.T) {
	t.Parallel()
	b, disk := withEditor(t)
	disk.path, disk.saves = "CLAUDE.md", func(was string) string { return strings.Replace(was, "# Mine\n", "# Lost\n", 1) }
	disk.then = func() {
		b.write("ada/new", strings.Replace(b.read("ada/CLAUDE.md"), "# Mine\n", "# Newest\n", 1))
		b.rename("ada/new", "ada/CLAUDE.md")
	}
	overtaken := make(told, 10)
	b.stop()
	b.options.Log = slog.New(slog.NewTextHandler(overtaken, nil))
	b.start()
	b.delete("ada", "Tabs")
	waittest.For(b, "what the log says of it", func() bool {
		select {
		case line := <-overtaken:
			return strings.Contains(line, "not recovered")
		default:
			return false
		}
	})
	if text := b.read("ada/CLAUDE.md"); !strings.HasPrefix(text, "# Newest\n") || strings.Contains(text, "Use tabs.") {
		t.Errorf("CLAUDE.md says %q", ending(text))
	}
}

// told are the lines of a log.
type told chan string

func (t told) Write(line []byte) (int, error) {
	select {
	case t <- string(line):
	default: // the receiver has ended
	}
	return len(line), nil
}

// hasRevisions checks which texts ada's memory has had, the oldest first.
func (b *bench) hasRevisions(name string, want ...string) {
	b.Helper()
	var had []string
	for _, r := range b.revisions("ada", b.memory("ada", name)) {
		had = append([]string{r.Body}, had...)
	}
	if strings.Join(had, "|") != strings.Join(want, "|") {
		b.Errorf("%s has said %q, want %q", name, had, want)
	}
}
