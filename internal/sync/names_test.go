package sync_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// oddEntries are the ways to bring a name into an agent's directory or into the queue.
var oddEntries = map[string]func(b *bench, name string) error{
	"a memory file": func(b *bench, name string) error {
		return put(b.path("ada/memory") + "/" + name + ".md")
	},
	"another file": func(b *bench, name string) error {
		return putText(b.path("ada/memory")+"/"+name, "text")
	},
	"a directory": func(b *bench, name string) error {
		dir := b.path("ada/memory/") + "/" + name
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		return put(dir + "/x.md")
	},
	"a broken link":        func(b *bench, name string) error { return os.Symlink("nowhere", b.path("ada/memory/")+"/"+name+".md") },
	"a link to a file":     func(b *bench, name string) error { return os.Symlink("good.md", b.path("ada/memory/")+"/"+name+".md") },
	"a link to itself":     func(b *bench, name string) error { return os.Symlink(".", b.path("ada/memory/")+"/"+name) },
	"a pipe":               func(b *bench, name string) error { return syscall.Mkfifo(b.path("ada/memory/")+"/"+name+".md", 0o644) },
	"a memory of a team":   func(b *bench, name string) error { return put(b.path("ada/memory/team") + "/" + name + ".md") },
	"a log":                func(b *bench, name string) error { return put(b.path("ada/memory/logs") + "/" + name + ".md") },
	"a session":            func(b *bench, name string) error { return put(b.path("ada/sessions") + "/" + name + "/memory/x.md") },
	"an index's directory": func(b *bench, name string) error { return put(b.path("ada/memory") + "/" + name + "/MEMORY.md") },
	"an agent":             func(b *bench, name string) error { return put(b.path(".") + "/" + name + "/memory/x.md") },
	"too deep": func(b *bench, name string) error {
		return put(b.path("ada/memory/1/2/3/4") + "/" + name + ".md")
	},
	"what a link leads to": func(b *bench, name string) error {
		if err := put(b.path("ada/memory") + "/" + name); err != nil {
			return err
		}
		return os.Symlink(name, b.path(fmt.Sprintf("ada/memory/link-%x.md", name)))
	},
	"a hook's file": func(b *bench, name string) error {
		b.engine.RequestScan("ada", b.path("ada/memory")+"/"+name)
		return nil
	},
	"in an index": func(b *bench, name string) error {
		return putText(b.path("ada/memory/MEMORY.md"), "- [x]("+name+".md) — "+name+"\n")
	},
}

func put(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return putText(file, note("Odd", memories.User, "text"))
}

// putText writes a file. It fails for a pipe, which would block it forever without a reader.
func putText(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// oddName draws a name of any bytes, often one that is not UTF-8. It cannot lead elsewhere.
func oddName(t *rapid.T) string {
	name := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "bytes")) }),
		rapid.Custom(func(t *rapid.T) string {
			return "caf" + string(rapid.SliceOfN(rapid.ByteMin(0x80), 1, 250).Draw(t, "bytes"))
		}),
		rapid.SampledFrom([]string{"caf\xe9", `caf\xe9`, "n\x00l", "line\nend", "\x1b[2J", "\u202e", "\u0085", "…0123456789abcdef", "%00", "a'b\"c", strings.Repeat("\xff", 252)}),
	).Draw(t, "name")
	name = strings.ReplaceAll(name, "/", "_")
	if strings.Trim(name, ".") == "" {
		return "_" + name
	}
	return name
}

// Next to a file with any name, a good file is mirrored, and no path stays pending.
func TestAnyName_GoodFileArrives(t *testing.T) {
	t.Parallel()
	fewChecks()
	b := setup(t, func(dir string) {
		for _, sub := range []string{"memory/team", "memory/logs", "memory/1/2/3/4", "sessions"} {
			if err := os.MkdirAll(filepath.Join(dir, "ada", sub), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	})
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 4 {
			kind := rapid.SampledFrom(keysOf(oddEntries)).Draw(t, "kind")
			name := oddName(t)
			if err := oddEntries[kind](b, name); err != nil {
				continue // no file can have the name, or one has it
			}
		}
		n++
		good := fmt.Sprintf("Good %d", n)
		b.write(fmt.Sprintf("ada/memory/good%d.md", n), note(good, memories.User, "text"))
		waittest.For(b, good, func() bool { return b.hasNamed("ada", good) })
		waittest.For(b, "that nothing is pending", func() bool {
			status := b.statusOf("ada")
			return status.Pending == 0 && status.FilesOnDisk == status.Mirrored
		})
		if status := b.statusOf("ada"); status.ScanProblem != "" {
			t.Errorf("scan problem: %s", status.ScanProblem)
		}
	})
	before := b.agent("ada").Counts
	b.scanAll()
	if after := b.agent("ada").Counts; after.Total != before.Total {
		t.Errorf("a full scan makes %d memories of %d", after.Total, before.Total)
	}
}

func TestDelete_MisnamedFileIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	b.write("ada/memory/caf\xe9.md", note("Coffee", memories.User, "text"))
	waittest.For(b, "the odd file", func() bool { return len(b.everything("ada")) == 1 })
	m := b.everything("ada")[`memory/caf\xe9.md`]
	if len(m.Problems) != 1 || m.Problems[0].Code != memories.CodeFileNameNotUTF8 {
		t.Fatalf("listed is %+v", m)
	}
	_, err := b.engine.Delete(t.Context(), "ada", m.ID, "")
	b.isConflict(err, "Rename or remove the file")
	if b.read("ada/memory/caf\xe9.md") == "" {
		t.Error("the file is gone")
	}
	b.rename("ada/memory/caf\xe9.md", "ada/memory/cafe.md")
	waittest.For(b, "the memory", func() bool { return b.hasNamed("ada", "Coffee") && len(b.everything("ada")) == 1 })
}

func TestControlCharacters_AreFlagged(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	b.write("ada/memory/line\nend.md", note("Ends", memories.User, "text"))
	waittest.For(b, "the memory", func() bool { return b.hasNamed("ada", "Ends") })
	m := b.memory("ada", "Ends")
	if m.State != memories.Active || len(m.Problems) == 0 || m.Problems[len(m.Problems)-1].Code != memories.CodeFileNameControl {
		t.Errorf("%s with %+v", m.State, m.Problems)
	}
	if agents.SafePath(m.Path) != m.Path {
		t.Errorf("path %q", m.Path)
	}
}

// withMemory prepares an agent ada without memories.
func withMemory(dir string) {
	if err := os.MkdirAll(filepath.Join(dir, "ada", "memory"), 0o755); err != nil {
		panic(err)
	}
}

func keysOf[V any](m map[string]V) []string {
	var all []string
	for key := range m {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}
