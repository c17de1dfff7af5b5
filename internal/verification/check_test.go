package verification_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/verification"
)

// project is a directory with code.
type project struct {
	testing.TB
	dir    string
	own    string // directory of the memories
	limits verification.Limits
}

func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{TB: t, dir: t.TempDir(), limits: verification.DefaultLimits()}
	p.limits.Time = time.Minute // slow machines are not tested here
	p.write("go.mod", "module ledger\n")
	p.write("cmd/ledger/main.go", "package main\n\nfunc main() {\n\tflag.String(\"data-dir\", \"\", \"\")\n}\n")
	p.write("internal/cache/cache.go", "package cache\n\ntype Cache struct{}\n\nfunc (c *Cache) evictOldest() {}\n")
	p.write("web/src/components/Button.tsx", "export const Button = () => null\n")
	p.write("scripts/setup.sh", "set -e\nexport LEDGER_LOG_FILE=x\n./run --old-flag --no-color-output # for a Timer")
	p.write("docs/README.md", "# Docs\n")
	return p
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *project) write(name, text string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *project) link(target, name string) {
	p.Helper()
	if err := os.Symlink(target, p.path(name)); err != nil {
		p.Fatal(err)
	}
}

// check returns the statuses of a body's citations, as "found, gone".
func (p *project) check(body string, foundBefore bool) string {
	p.Helper()
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		p.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // only read
	cited := verification.Citations(body)
	for i := range cited {
		cited[i].FoundBefore = foundBefore
	}
	at := verification.Project{Root: root, Own: p.own, HasMemory: func(name string) bool { return name == "small-diffs" }, HadMemory: func(name string) bool { return name == "old-diffs" }}
	var said []string
	for _, c := range verification.Check(p.Context(), at, cited, p.limits) {
		said = append(said, string(c.Status))
		if (c.Message == "") != (c.Status == memories.CitationFound || c.Status == "") {
			p.Errorf("%s is %q and says %q", c.Text, c.Status, c.Message)
		}
	}
	return strings.Join(said, ", ")
}

// said returns the message about the only citation of a body.
func (p *project) said(body string) string {
	p.Helper()
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		p.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // only read
	return verification.Check(p.Context(), verification.Project{Root: root}, verification.Citations(body), p.limits)[0].Message
}

func (p *project) expect(body, want string) {
	p.Helper()
	if got := p.check(body, false); got != want {
		p.Errorf("what %q cites is %q, want %q", body, got, want)
	}
}

func TestCheck_Project(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for _, c := range []struct{ body, want string }{
		// Existing paths: at their place, deeper, in another case, as a directory, absolute.
		{"`internal/cache/cache.go`", "found"}, {"`cache/cache.go`", "found"}, {"`Cache.go`", "found"}, {"`components/Button.tsx`", "found"},
		{"`internal/cache/`", "found"}, {"`docs/readme.md`", "found"}, {p.path("internal/cache/cache.go"), "found"},
		// Missing paths.
		{"`internal/old.go`", "gone"}, {"internal/cache/lru.go", "gone"}, {"`web/src/components/Old.tsx`", "gone"}, {"`components/Old.tsx`", "gone"},
		{"`internal/old/`", "gone"}, {"`internal/cache/lru`", "gone"}, {p.path("internal/old.go"), "gone"},
		// Paths that may belong to another place.
		{"`lib/router.js`", "unknown"}, {"`old.py`", "unknown"}, {"`settings.json`", "unknown"}, {"old.go", "unknown"}, {"`old.go`", "unknown"}, {"`internal/old`", "unknown"},
		{"`other/thing/here`", "unknown"}, {"`dist/app.js`", "unknown"}, {"`web/settings.local.json`", "unknown"}, {"`web/dist/app.js`", "unknown"}, {"`NOTES.md`", "unknown"},
		// Paths that surely belong to another place.
		{"`/etc/passwd.conf`", ""}, {"`/etc/hosts/x.go`", ""},

		// Lines.
		{"`internal/cache/cache.go:5`", "found"}, {"`internal/cache/cache.go:6`", "gone"}, {"`cache.go:3-5`", "found"}, {"cache.go:50", "gone"},
		{"`scripts/setup.sh:3`", "found"}, {"`scripts/setup.sh:4`", "gone"}, // its last line has no end
		{"`internal/old.go:3`", "gone"}, {"old.go:3", "gone"}, {"`lib/router.js:3`", "unknown"},

		// Functions.
		{"`evictOldest()`", "found"}, {"`Cache.evictOldest()`", "found"}, {"`evict_oldest()`", "found"}, {"`main()`", "found"},
		{"`evictNewest()`", "gone"}, {"`Cache.Close()`", "gone"}, {"`cache.Close()`", "gone"}, {"`self.flush_all()`", "gone"},
		{"`eval()`", "unknown"}, {"`time.Sleep()`", "unknown"}, {"`Timer.Stop()`", "unknown"}, {"`useState()`", "unknown"}, {"`errors.Is()`", "unknown"},

		// Flags, also as variables in code or the environment.
		{"`--data-dir`", "found"}, {"`--old-flag`", "found"}, {"`--ledger-log-file`", "found"}, {"`--set`", "found"}, {"`--color-output`", "found"},
		{"`--cache-dir`", "gone"}, {"`--verbose`", "unknown"}, {"`--frozen-lockfile`", "unknown"},

		// Memories.
		{"[[small-diffs]]", "found"}, {"[[large-diffs]]", "wanted"}, {"[[old-diffs]]", "gone"},
		{"`internal/old.go`, `cmd/ledger/main.go` and `lib/router.js`", "gone, found, unknown"},
	} {
		p.expect(c.body, c.want)
	}
}

func TestCheck_FoundBefore(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for body, want := range map[string]string{
		"`lib/router.js`": "gone", "`settings.json`": "gone", "`eval()`": "gone", "`time.Sleep()`": "gone", "`--verbose`": "gone", "`internal/old`": "gone",
		"`dist/app.js`": "unknown", // generated by builds
		"`main()`":      "found",
	} {
		if got := p.check(body, true); got != want {
			t.Errorf("%s is %s, want %s", body, got, want)
		}
	}
}

func TestCheck_OwnMemories(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("memory/note.md", "evictNewest, --cache-dir")
	p.expect("`evictNewest()` `--cache-dir`", "found, found")
	p.own = p.path("memory")
	p.expect("`evictNewest()` `--cache-dir`", "gone, gone")
}

func TestCheck_ThirdPartyCode(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for i, dir := range []string{"node_modules/a", "vendor/b", ".git", ".cache", "web/node_modules/c"} {
		p.write(dir+"/x.go", fmt.Sprintf("hiddenName%d evictNewest", i))
	}
	p.write(".env.go", "evictNewest")
	p.write("logo.png", "evictNewest")
	p.write("data.txt", "evictNewest \x00")
	p.expect("`evictNewest()`", "gone")
	p.expect("`vendor/b/x.go` `.cache/x.go` `vendor/b/y.go`", "found, found, gone")
	p.write(".github/workflows/ci.yml", "run: evictNewest")
	p.expect("`evictNewest()`", "found")
}

func TestCheck_IgnoredFiles(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write(".gitignore", "# made\n/gen/\nsecrets\n*.log\n!keep\nweb/cache\n")
	p.write("gen/x.go", "evictNewest")
	p.write("internal/secrets/x.go", "evictNewest")
	p.expect("`evictNewest()`", "gone")
	p.expect("`gen/x.go` `gen/y.go` `internal/secrets/y.go` `web/cache/y.go`", "found, unknown, unknown, gone")
	p.write("internal/gen/x.go", "evictNewest") // only the root's is ignored
	p.expect("`evictNewest()`", "found")
}

func TestCheck_LinkOutOfProject(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.go"), []byte("evictNewest"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.link(outside, "internal/away")
	p.link("../../..", "internal/up")
	p.link("nowhere", "internal/dangling")
	p.link("loop", "internal/loop")
	p.link("cache/cache.go", "internal/inside.go")
	p.expect("`internal/away/secret.go`", "unknown")
	p.expect("`internal/away/secret.go:1`", "unknown")
	p.expect("`internal/away/other.go`", "unknown")
	p.expect("`internal/up/x.go`", "unknown")
	p.expect("`internal/dangling/x.go`", "unknown")
	p.expect("`internal/loop/x.go`", "unknown")
	p.expect("`internal/inside.go`", "found")
	p.expect("`internal/inside.go:5`", "found")
	p.expect("`internal/inside.go:500`", "gone")
	p.expect("`evictNewest()`", "gone") // files outside do not count
	if got := p.said("`internal/away/secret.go`"); got != "A link on the path leads out of the project." {
		t.Errorf("it says %q", got)
	}
}

func TestCheck_PipesAndDirectories(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	if err := syscall.Mkfifo(p.path("internal/pipe.go"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.write("internal/dir.go/x.txt", "x")
	p.expect("`internal/pipe.go`", "found")
	p.expect("`internal/pipe.go:3`", "unknown")
	p.expect("`internal/dir.go:3`", "found") // a directory has no lines, but the name exists
	p.expect("`internal/dir.go/x.txt/y.go`", "gone")
	p.expect("`evictNewest()`", "gone")
}

func TestCheck_Limits(t *testing.T) {
	t.Parallel()
	const names = "`evictNewest()` `--cache-dir`"
	for what, shrink := range map[string]func(*verification.Limits){
		"entries": func(l *verification.Limits) { l.Entries = 3 },
		"bytes":   func(l *verification.Limits) { l.Bytes = 20 },
		"time":    func(l *verification.Limits) { l.Time = 0 },
	} {
		p := newProject(t)
		p.expect(names, "gone, gone")
		shrink(&p.limits)
		if got := p.check(names, true); got != "unknown, unknown" {
			t.Errorf("with too few %s the names are %q", what, got)
		}
		if got := p.check("`components/Old.tsx` `old.go`", true); what != "bytes" && got != "unknown, unknown" {
			t.Errorf("with too few %s the paths are %q", what, got)
		}
	}
}

func TestCheck_LargeSource(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.limits.FileSize = 4096
	p.write("data.csv", strings.Repeat("x,y\n", 4000))
	p.expect("`evictNewest()`", "gone")
	p.write("internal/generated.go", strings.Repeat("// x\n", 4000))
	p.expect("`evictNewest()`", "unknown")
	p.expect("`internal/generated.go:4000`", "found")
	p.expect("`internal/generated.go:4001`", "gone")
}

func TestCheck_Unreadable(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		// Root can read everything, so a directory below the maximum depth replaces an unreadable
		// one.
		p := newProject(t)
		p.write(strings.Repeat("d/", 60)+"x.go", "package x")
		p.expect("`evictNewest()`", "unknown")
		p.expect("`components/Old.tsx`", "unknown")
		p.expect("`internal/old.go`", "gone") // its directory exists
		return
	}
	p := newProject(t)
	p.write("closed/x.go", "package x")
	if err := os.Chmod(p.path("closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(p.path("closed"), 0o755) })
	p.expect("`evictNewest()`", "unknown")
	p.expect("`components/Old.tsx`", "unknown")
	p.expect("`closed/x.go`", "unknown")
	p.expect("`internal/old.go`", "gone")
}

func TestCheck_EmptyProject(t *testing.T) {
	t.Parallel()
	p := &project{TB: t, dir: t.TempDir(), limits: verification.DefaultLimits()}
	if got := p.check("`internal/old.go` `evictNewest()` `--cache-dir` `old.go:3`", true); got != "unknown, unknown, unknown, unknown" {
		t.Errorf("it is %q", got) // it may only not be mounted
	}
}
