package sync_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"memoir/internal/longrun"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// More of them: go test -run Broken ./internal/sync -broken=10000
var broken = flag.Int("broken", 1000, "how many broken files lie among as many good ones in the test of broken files")

// A breakage is a way to make a file unreadable or flawed.
type breakage struct {
	code string // what is said about it
	most int    // 0: any number of such files; they may be costly
	make func(path string) error
}

func says(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
}

func links(target string) func(string) error {
	return func(path string) error { return os.Symlink(target, path) }
}

func node(kind uint32, device int) func(string) error {
	return func(path string) error { return syscall.Mknod(path, kind|0o644, device) }
}

// breakages returns all breakages except those of a file's place or name.
func breakages() []breakage {
	all := []breakage{
		{memories.CodeNoFrontmatter, 0, says("Just a text.\n")},
		{memories.CodeNoFrontmatter, 0, says("")},
		{memories.CodeNoFrontmatter, 0, says("---\nname: never closed\ntype: user\n")},
		{memories.CodeNoFrontmatter, 0, says("---\r\rname: a")},
		{memories.CodeReadLeniently, 0, withName("description: a: b\n---\nBody\n")},
		{memories.CodeReadLeniently, 0, withName("x: [\n---\nBody\n")},
		{memories.CodeReadLeniently, 10, withName("x: " + strings.Repeat("[", 10_000) + "\n---\nBody\n")},
		{memories.CodeReadLeniently, 10, withName("x: " + strings.Repeat("{a: ", 10_000) + "\n---\nBody\n")},
		{memories.CodeReadLeniently, 0, withName("description: x # y\n---\nBody\n")},
		{memories.CodeOddFrontmatter, 0, func(path string) error {
			return says("\n---\nname: " + filepath.Base(path) + "\ntype: user\n---\nBody\n")(path)
		}},
		{memories.CodeFrontmatterTooLarge, 3, withName(strings.Repeat("x: y\n", 200_000) + "---\nBody\n")},
		{memories.CodeNUL, 0, withName("---\n\nA\x00B\n")},
		{memories.CodeInvalidUTF8, 0, withName("---\n\nA\xff\xfeB\n")},
		{memories.CodeTooLarge, 3, func(path string) error {
			return os.WriteFile(path, make([]byte, memories.MaxFileSize+1), 0o644)
		}},
		{memories.CodeTooLarge, 1, func(path string) error { // a hole, as large as a disk
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		}},
		{memories.CodeAliasBomb, 50, says("---\n" + aliasBomb() + "---\nBody\n")},
		{memories.CodeNotRegular, 0, node(syscall.S_IFIFO, 0)},
		{memories.CodeNotRegular, 0, node(syscall.S_IFSOCK, 0)},
		{memories.CodeLinkLeaves, 0, links("/etc/hostname")},
		{memories.CodeLinkLeaves, 0, links("../../../../../../../../../etc")},
		{memories.CodeLinkBroken, 0, links("nothing.md")},
		{memories.CodeLinkBroken, 0, func(path string) error { return os.Symlink(filepath.Base(path), path) }},
		{memories.CodeTypeMissing, 0, says("---\ndescription: d\n---\nBody\n")},
		{memories.CodeTypeUnknown, 0, withName("type: banana\n---\nBody\n", "type: user\n")},
		{memories.CodeTypeNotText, 0, withName("type: [user]\n---\nBody\n", "type: user\n")},
		{memories.CodeTypeConflict, 0, withName("metadata:\n  type: project\n---\nBody\n")},
		{memories.CodeNameMissing, 0, says("---\ntype: user\n---\nBody\n")},
		{memories.CodeNameNotText, 0, func(path string) error {
			return says("---\nname:\n- " + filepath.Base(path) + "\n- b\ntype: user\n---\nBody\n")(path)
		}},
		{memories.CodeNameTooLong, 0, func(path string) error {
			return says("---\nname: " + filepath.Base(path) + strings.Repeat(" long", 60) + "\ntype: user\n---\nBody\n")(path)
		}},
		{memories.CodeDescriptionNotText, 0, withName("description: [a, b]\n---\nBody\n")},
	}
	if os.Geteuid() == 0 {
		// Only as root.
		all = append(all, breakage{memories.CodeNotRegular, 0, node(syscall.S_IFCHR, 1<<8|3)})
	} else {
		// Not as root.
		all = append(all, breakage{memories.CodeUnreadable, 0, func(path string) error { return os.WriteFile(path, nil, 0) }})
	}
	return all
}

// withName writes a frontmatter with a name of its own and the type user, and then the rest.
// without is left out of it.
func withName(rest string, without ...string) func(string) error {
	return func(path string) error {
		head := "---\nname: " + filepath.Base(path) + "\ntype: user\n"
		for _, w := range without {
			head = strings.Replace(head, w, "", 1)
		}
		return says(head + rest)(path)
	}
}

func aliasBomb() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}

// oddNames are those of files that are as good as any other.
var oddNames = []string{
	"line\nend %d.md", "\"quote'd %d\".md", "\x07bell\x1b %d.md", "\u202eltr %d.md", "%d .MD", " %d.Md", "日本語 %d.md", "🙂 %d.mD", "-rf %d.md", "~ $HOME `id` %d.md", "a;b|c&%d.md", "%%00 %d.md", "{\"}%d.md", "a..%d.md.md", "e\u0301 %d.md",
	strings.Repeat("n", 244) + " %06d.md",
}

func TestScan_BrokenFiles(t *testing.T) {
	t.Parallel()
	want := map[string]string{} // what is said about each broken file, by path
	good := map[string]bool{}   // the names of the good ones
	b := setup(t, func(dir string) { want, good = breakFiles(t, filepath.Join(dir, "ada"), *broken) })
	var heap runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&heap)
	t.Logf("%d broken files, %d good ones, %d KB on the heap after them", len(want), len(good), heap.HeapAlloc>>10)

	// An empty file may be one that is being written: it is scanned again before it is listed.
	waittest.For(b, "the empty files", func() bool { return len(b.everything("ada")) >= len(want)+len(good) })
	listed := b.everything("ada")
	for path, code := range want {
		m, ok := listed[path]
		if !ok {
			t.Errorf("%q (%s) is not listed", path, code)
			continue
		}
		if !slices.ContainsFunc(m.Problems, func(p memories.Problem) bool { return p.Code == code && p.Message != "" }) {
			t.Errorf("%q is listed with %v, not %s", path, m.Problems, code)
		}
		if (m.State == memories.NeedsAttention) != (m.Type == "" || m.Hash == "") {
			t.Errorf("%q has the state %s, the type %q and the hash %q", path, m.State, m.Type, m.Hash)
		}
	}
	arrived := 0
	for path, m := range listed {
		if _, isBroken := want[path]; isBroken {
			continue
		}
		problems := m.Problems
		if strings.ContainsFunc(path, unicode.IsControl) { // it is flagged, and good
			problems = slices.DeleteFunc(problems, func(p memories.Problem) bool { return p.Code == memories.CodeFileNameControl })
		}
		if !good[m.Name] || m.State != memories.Active || len(problems) > 0 {
			t.Errorf("%q is %q, %s, with %v", path, m.Name, m.State, m.Problems)
		}
		arrived++
	}
	if arrived != len(good) {
		t.Errorf("of %d good files %d have arrived", len(good), arrived)
	}

	again := b.scan("ada")
	if again.Added+again.Updated+again.Removed != 0 {
		t.Errorf("a second look found something new: %+v", again)
	}
	b.write("ada/memory/last.md", note("Last", memories.User, "Written among them."))
	waittest.For(b, "a good file that is written among them", func() bool { return b.hasNamed("ada", "Last") })
	longrun.Passed(t, "broken files among good ones", fmt.Sprintf("%s broken, %s good", longrun.Count(len(want)), longrun.Count(len(good))),
		"the good ones arrived, the broken ones are listed")
}

// breakFiles writes n broken files and n good ones, over the primary directory and some sessions.
func breakFiles(t *testing.T, dir string, n int) (want map[string]string, good map[string]bool) {
	t.Helper()
	want, good = map[string]string{}, map[string]bool{}
	dirs := []string{"memory", "memory/team", "memory/d.md", "sessions/U1-C1-1700000000.1/memory", "sessions/not of that form/memory"}
	deep := "memory/1/2/3/4"
	for _, d := range append(dirs, deep) {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	kinds := breakages()
	made := make([]int, len(kinds))
	for i := 0; len(want) < n; i++ {
		in := dirs[i%len(dirs)]
		kind := i % (len(kinds) + 3)
		switch {
		case kind == len(kinds): // too deep
			path := fmt.Sprintf("%s/deep %d.md", deep, i)
			want[path] = memories.CodeTooDeep
			must(t, says(note(path, memories.User, "B"))(filepath.Join(dir, path)))
		case kind == len(kinds)+1: // a name that is no text
			path := fmt.Sprintf("%s/no text \xff %d.md", in, i)
			want[strings.ReplaceAll(path, "\xff", `\xff`)] = memories.CodeFileNameNotUTF8
			must(t, says(note(path, memories.User, "B"))(filepath.Join(dir, path)))
		case kind == len(kinds)+2: // two of one name; the newer holds
			older, newer := fmt.Sprintf("%s/older %d.md", in, i), fmt.Sprintf("%s/newer %d.md", in, i)
			for j, path := range []string{older, newer} {
				must(t, says(note(fmt.Sprint("twice ", i), memories.User, path))(filepath.Join(dir, path)))
				at := time.Date(2026, 1, 1+j, 0, 0, 0, 0, time.UTC)
				must(t, os.Chtimes(filepath.Join(dir, path), at, at))
			}
			want[newer] = memories.CodeDuplicateName
		case kinds[kind].most > 0 && made[kind] == kinds[kind].most:
		default:
			path := fmt.Sprintf("%s/broken %d.md", in, i)
			must(t, kinds[kind].make(filepath.Join(dir, path)))
			want[path] = kinds[kind].code
			made[kind]++
		}
	}
	for i := range n {
		path := fmt.Sprintf("%s/%s", dirs[i%len(dirs)], fmt.Sprintf(oddNames[i/2%len(oddNames)], i))
		if i%2 == 0 {
			path = fmt.Sprintf("%s/good %d.md", dirs[i%len(dirs)], i)
		}
		name, body := fmt.Sprint("good ", i), "Body"
		if i < 3 {
			body = strings.Repeat("one line ", 100_000)
		}
		must(t, says(note(name, memories.Types()[i%4], body))(filepath.Join(dir, path)))
		good[name] = true
	}
	must(t, says(strings.Repeat("- [X](nothing.md) and more of it\n", 300_000))(filepath.Join(dir, "memory", "MEMORY.md")))
	return want, good
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// everything returns all memories of an agent that are not deleted, by path.
func (b *bench) everything(slug string) map[string]memories.Memory {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	found := map[string]memories.Memory{}
	request := memories.PageRequest{Limit: 500}
	for {
		page, err := b.store.Memories(b.Context(), agent, memories.Filter{Sort: memories.ByName}, request)
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range page.Memories {
			if _, twice := found[m.Path]; twice {
				b.Errorf("%q is listed twice", m.Path)
			}
			found[m.Path] = m
		}
		if request.Cursor = page.NextCursor; request.Cursor == "" {
			return found
		}
	}
}

// hasNamed reports whether the agent has a memory of that name.
func (b *bench) hasNamed(slug, name string) bool {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	page, err := b.store.Memories(b.Context(), agent, memories.Filter{Name: name}, memories.PageRequest{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	return len(page.Memories) == 1
}
