package indexfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories/memorymd"
	"memoir/internal/sync/agenttx"
)

var (
	hive      = agents.Agent{Slug: "ada", Layout: agents.Hive, Dir: "/agents/ada"}
	directory = agents.Agent{Slug: "ada", Layout: agents.Directory, Dir: "/agents/ada"}
)

// openRoot opens a new directory with the given files, by path. An empty text creates a directory.
func openRoot(t *testing.T, texts map[string]string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for file, text := range texts {
		dir := path.Dir(file)
		if text == "" {
			dir = file
		}
		if err := root.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := root.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDirectoriesAbove(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		agent agents.Agent
		file  string
		want  []string
	}{
		{"top of primary directory", hive, "memory/a.md", []string{"memory"}},
		{"below primary directory", hive, "memory/sub/deep/a.md", []string{"memory/sub/deep", "memory/sub", "memory"}},
		{"session", hive, "sessions/s/memory/sub/a.md", []string{"sessions/s/memory/sub", "sessions/s/memory"}},
		{"outside memory", hive, "notes/a.md", nil},
		{"agent's directory", hive, "CLAUDE.md", nil},
		{"similar name", hive, "memory2/a.md", nil},
		{"whole directory is memory", directory, "sub/a.md", []string{"sub", "."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := directoriesAbove(tt.agent, tt.file); !slices.Equal(got, tt.want) {
				t.Errorf("directoriesAbove(%q) = %q, want %q", tt.file, got, tt.want)
			}
		})
	}
}

func TestIndexesFor(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{
		"memory/MEMORY.md": "x", "memory/memory.md": "x", "memory/memory.txt": "x", "memory/team/MEMORY.md": "x",
		"memory/sub/Memory.MD": "x", "memory/other/MEMORY.md": "x",
		"sessions/s/memory/MEMORY.md": "x", "sessions/t/memory/MEMORY.md": "x",
	})
	for _, tt := range []struct {
		name  string
		root  *os.Root
		files []string
		want  []string
	}{
		{"no file", root, nil, []string{"memory/MEMORY.md", "memory/memory.md", "memory/team/MEMORY.md"}},
		{
			"file in a subdirectory", root, []string{"memory/sub/a.md"},
			[]string{"memory/MEMORY.md", "memory/memory.md", "memory/sub/Memory.MD", "memory/team/MEMORY.md"},
		},
		{
			"session's file", root, []string{"sessions/s/memory/a.md"},
			[]string{"memory/MEMORY.md", "memory/memory.md", "memory/team/MEMORY.md", "sessions/s/memory/MEMORY.md"},
		},
		{
			"missing directory", root, []string{"memory/gone/a.md"},
			[]string{"memory/MEMORY.md", "memory/memory.md", "memory/team/MEMORY.md"},
		},
		{"directory is not open", nil, []string{"memory/a.md"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := IndexesFor(tt.root, hive, tt.files); !slices.Equal(got, tt.want) {
				t.Errorf("IndexesFor(%q) = %q, want %q", tt.files, got, tt.want)
			}
		})
	}
}

func TestIndexChanges(t *testing.T) {
	t.Parallel()
	const top = "# Index\n- [A](a.md) — first\n- [B](sub/b.md) and [C](c.md)\n- [Out](../../a.md)\n"
	root := openRoot(t, map[string]string{
		"memory/MEMORY.md": top, "memory/sub/MEMORY.md": "- [B](b.md)\n- [A](../a.md)\n- [Abs](/agents/ada/memory/c.md)\n", "memory/dir/MEMORY.md": "",
	})
	t.Cleanup(func() {
		if raw, err := root.ReadFile("memory/MEMORY.md"); err != nil || string(raw) != top {
			t.Errorf("the index is %q, %v after IndexChanges, want it unchanged", raw, err)
		}
	})
	for _, tt := range []struct {
		name    string
		indexes []string
		paths   []string
		want    []string // "path: text after"
		listed  []string
	}{
		{"no file", []string{"memory/MEMORY.md"}, nil, nil, nil},
		{"unlisted file", []string{"memory/MEMORY.md"}, []string{"memory/d.md"}, nil, nil},
		{
			"entry with one link", []string{"memory/MEMORY.md"}, []string{"memory/a.md"},
			[]string{"memory/MEMORY.md: # Index\n- [B](sub/b.md) and [C](c.md)\n- [Out](../../a.md)\n"}, []string{"memory/a.md"},
		},
		{
			"two indexes", []string{"memory/MEMORY.md", "memory/sub/MEMORY.md"}, []string{"memory/a.md", "memory/x.md"},
			[]string{
				"memory/MEMORY.md: # Index\n- [B](sub/b.md) and [C](c.md)\n- [Out](../../a.md)\n",
				"memory/sub/MEMORY.md: - [B](b.md)\n- [Abs](/agents/ada/memory/c.md)\n",
			},
			[]string{"memory/a.md"},
		},
		{
			"absolute link", []string{"memory/sub/MEMORY.md"}, []string{"memory/c.md"},
			[]string{"memory/sub/MEMORY.md: - [B](b.md)\n- [A](../a.md)\n"}, []string{"memory/c.md"},
		},
		{"unreadable indexes", []string{"memory/gone/MEMORY.md", "memory/dir/MEMORY.md"}, []string{"memory/a.md"}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			changes, listed := IndexChanges(root, hive, tt.indexes, OfMemory("", tt.paths...))
			var got, gotListed []string
			for _, c := range changes {
				got = append(got, c.Path+": "+string(c.After))
				if c.Before == nil || len(c.Gone) == 0 {
					t.Errorf("change of %s has %q before and %d removed lines", c.Path, c.Before, len(c.Gone))
				}
			}
			for file := range listed {
				gotListed = append(gotListed, file)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("changes = %q, want %q", got, tt.want)
			}
			if !slices.Equal(gotListed, tt.listed) {
				t.Errorf("listed = %q, want %q", gotListed, tt.listed)
			}
		})
	}
}

func TestIndexChanges_LineWithTwoLinks(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{"memory/MEMORY.md": "- [B](b.md) and [C](c.md)\n"})
	changes, _ := IndexChanges(root, hive, []string{"memory/MEMORY.md"}, OfMemory("", "memory/b.md"))
	if len(changes) != 1 || strings.Contains(string(changes[0].After), "b.md") || !strings.Contains(string(changes[0].After), "[C](c.md)") {
		t.Errorf("changes = %+v, want the line without the link to b.md", changes)
	}
}

func TestEditIndex_LeavesOtherFiles(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{"memory/MEMORY.md": "text\n", "memory/dir/MEMORY.md": ""})
	if err := root.Symlink("../../outside.md", "memory/memory.md"); err != nil {
		t.Fatal(err)
	}
	tx := &agenttx.Tx{Agent: hive, Root: root, State: agenttx.NewState(1)} // no disk: a write panics
	for _, tt := range []struct{ name, index string }{
		{"missing", "memory/gone/MEMORY.md"},
		{"directory", "memory/dir/MEMORY.md"},
		{"link out of directory", "memory/memory.md"},
		{"unchanged", "memory/MEMORY.md"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := EditIndex(tx, tt.index, func(raw []byte) []byte { return raw }); err != nil {
				t.Errorf("EditIndex() error = %v, want nil", err)
			}
		})
	}
}

func TestRemoveFromIndexes_UnreadableIndex(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{"memory/MEMORY.md": "x"})
	file, err := root.OpenFile("memory/MEMORY.md", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(maxIndex + 1); err != nil {
		t.Fatal(err)
	}
	tx := &agenttx.Tx{Agent: hive, Root: root, State: agenttx.NewState(1)}
	left := RemoveFromIndexes(tx, OfMemory("", "memory/a.md"), []string{"memory/MEMORY.md", "memory/team/MEMORY.md"})
	reason, ok := left["memory/a.md"]
	if !ok || len(left) != 1 || !errors.Is(reason.err, agenttx.ErrTooLarge) {
		t.Fatalf("RemoveFromIndexes() = %v, want the file with ErrTooLarge", left)
	}
	if want := "An entry for it may still be in memory/MEMORY.md, which cannot be read: "; !strings.HasPrefix(reason.String(), want) {
		t.Errorf("reason = %q, want it to begin with %q", reason, want)
	}
}

func TestListedReason_UnwritableIndex(t *testing.T) {
	t.Parallel()
	reason := ListedReason{index: "memory/MEMORY.md", err: &fs.PathError{Op: "open", Path: "memory/MEMORY.md", Err: fs.ErrPermission}}
	if got, want := reason.String(), "Its entry is still in memory/MEMORY.md, which cannot be written: permission denied."; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

func TestRecordIndexes(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{"memory/MEMORY.md": "text", "memory/sub/MEMORY.md": "x"})
	// Has no subscribers: an event panics.
	tx := &agenttx.Tx{Agent: hive, Root: root, State: agenttx.NewState(1)}
	walk := func() {
		RecordIndexes(tx, agents.Walk(root, hive, []string{"."}, func(string) {}))
	}
	walk()
	if got, want := tx.State.Indexes["memory/MEMORY.md"], StampOf(tx, "memory/MEMORY.md"); got != want || got.Size != 4 {
		t.Errorf("stamp = %+v, want %+v", got, want)
	}
	tx.State.FullyScanned = true
	walk() // changes nothing, so it emits nothing
	tx.State.FullyScanned = false
	if err := root.Remove("memory/sub/MEMORY.md"); err != nil {
		t.Fatal(err)
	}
	walk()
	if _, ok := tx.State.Indexes["memory/sub/MEMORY.md"]; ok || len(tx.State.Indexes) != 1 {
		t.Errorf("indexes = %v, want without the removed one", tx.State.Indexes)
	}
}

func TestIndexChange_ETag(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i, c := range []IndexChange{
		{Path: "a", Before: nil, After: []byte("x")},
		{Path: "a", Before: []byte{}, After: []byte("x")},
		{Path: "b", Before: []byte{}, After: []byte("x")},
		{Path: "a", Before: []byte("x"), After: []byte{}},
		{Path: "a", Before: []byte("x"), After: []byte("y")},
	} {
		etag := c.ETag()
		if before, ok := seen[etag]; ok {
			t.Errorf("changes %d and %d have the same ETag", before, i)
		}
		seen[etag] = i
		if c.Gone = []memorymd.RemovedLine{{}}; c.ETag() != etag {
			t.Errorf("the ETag of change %d depends on Gone", i)
		}
		if !strings.HasPrefix(etag, `"`) || !strings.HasSuffix(etag, `"`) {
			t.Errorf("ETag() = %s, want it in quotes", etag)
		}
	}
}

func TestIndexView_ResolveLink(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{"memory/a.md": "x", "memory/sub/b.md": "x", "sessions/s/memory/c.md": "x"})
	open := func(root *os.Root) *indexView {
		return &indexView{
			ctx: t.Context(), agent: hive, root: root, dir: "memory", path: "memory/MEMORY.md",
			missing: map[string]bool{"missing.md": true},
		}
	}
	for _, tt := range []struct {
		name, target string
		root         *os.Root
		want         string // "file exists"
	}{
		{"file", "a.md", root, "a.md true"},
		{"file in a subdirectory", "sub/b.md", root, "sub/b.md true"},
		{"removed file", "gone.md", root, "gone.md false"},
		{"through a file", "a.md/x.md", root, "a.md/x.md false"},
		{"absolute path", "/agents/ada/memory/a.md", root, "a.md true"},
		{"session's file", "../sessions/s/memory/c.md", root, "../sessions/s/memory/c.md true"},
		{"outside counts as existing", "../../x.md", root, "../../x.md true"},
		{"missing memory", "missing.md", root, "missing.md true"},
		{"absolute path, missing memory", "/agents/ada/memory/missing.md", root, "missing.md true"},
		{"no directory", "gone.md", nil, "gone.md true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, exists := open(tt.root).resolveLink(tt.target)
			if got := fmt.Sprint(file, " ", exists); got != tt.want {
				t.Errorf("resolveLink(%q) = %s, want %s", tt.target, got, tt.want)
			}
		})
	}
}

func TestListIndexes_DirectoryIsFile(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{"memory": "x"})
	if got, err := listIndexes(root, "memory"); err == nil {
		t.Errorf("listIndexes() = %q, nil, want an error", got)
	}
	if got := IndexesFor(root, hive, nil); got != nil {
		t.Errorf("IndexesFor() = %q, want nil", got)
	}
	if got, err := listIndexes(root, "gone"); err != nil || got != nil {
		t.Errorf("listIndexes() of a missing directory = %q, %v, want nil", got, err)
	}
	if err := root.Symlink("../outside", "link"); err != nil {
		t.Fatal(err)
	}
	if got, err := listIndexes(root, "link"); !errors.Is(err, files.ErrLeaves) {
		t.Errorf("listIndexes() of a link out = %q, %v, want ErrLeaves", got, err)
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	root := openRoot(t, map[string]string{"memory/MEMORY.md": "x", "memory/team/MEMORY.md": "x"})
	tx := &agenttx.Tx{Agent: hive, Root: root, State: agenttx.NewState(1)}
	const text = "- [A](a.md) [B](team/b.md)\n- [Out](../../x.md)\n- [NUL](a%00b.md)\n- [Bytes](%ff.md)\n"
	for _, tt := range []struct {
		index string
		want  map[string]bool
	}{
		{"memory/MEMORY.md", map[string]bool{"memory/a.md": true, "memory/team/b.md": true}},
		{"memory/team/MEMORY.md", map[string]bool{"memory/team/a.md": false, "memory/team/team/b.md": false, "x.md": false}},
	} {
		got, isLoaded, err := Entries(tx, tt.index, []byte(text))
		if err != nil || !maps.Equal(got, tt.want) || isLoaded != (tt.index == "memory/MEMORY.md") {
			t.Errorf("Entries(%s) = %v, %v, %v, want %v", tt.index, got, isLoaded, err, tt.want)
		}
	}
}
