package verification_test

import (
	"fmt"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/verification"
)

func TestCitations_Found(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		// Paths.
		{"The cache lives in `internal/cache/cache.go`.", "path internal/cache/cache.go"},
		{"The cache lives in internal/cache/cache.go.", "path internal/cache/cache.go"},
		{"See internal/cache/cache.go, and web/app.ts; both matter.", "path internal/cache/cache.go, path web/app.ts"},
		{"(see docs/ARCHITECTURE.md)", "path docs/ARCHITECTURE.md"},
		{"**internal/cache.go** is the heart of it", "path internal/cache.go"},
		{"“scripts/setup.sh” installs what is needed", "path scripts/setup.sh"},
		{"Start with `./scripts/setup.sh`.", "path ./scripts/setup.sh"},
		{"Read `cmd/server/` first.", "path cmd/server/"},
		{"Read `internal/postgres/local` first.", "path internal/postgres/local"},
		{"The workflow is `.github/workflows/ci.yml`.", "path .github/workflows/ci.yml"},
		{"Settings are in `pyproject.toml`.", "path pyproject.toml"},
		{"The entry point is main.go here.", "path main.go"},
		{"`__init__.py` re-exports it", "path __init__.py"},
		{"Absolute: /home/mira/ledger/internal/api.go is it", "path /home/mira/ledger/internal/api.go"},
		{"- `db/schema.sql` is the truth\n- `db/queries/a.sql` are the queries", "path db/schema.sql, path db/queries/a.sql"},
		{"| file | what |\n| --- | --- |\n| `src/a.ts` | one |\n| `src/b.ts` | two |", "path src/a.ts, path src/b.ts"},
		{"> `src/quoted.ts` is meant", "path src/quoted.ts"},
		{"1. Open src/first.py\n2. Open src/second.py", "path src/first.py, path src/second.py"},
		{"Run `go run ./cmd/tool/main.go -x` for it", "path ./cmd/tool/main.go"},
		{"缓存在internal/cache.go中。", "path internal/cache.go"},
		{"キャッシュは `internal/cache.go` にある。", "path internal/cache.go"},
		{"[the handler](internal/api/api.go) decides", "path internal/api/api.go"},
		{"The same twice: `a/b.go` and `a/b.go`.", "path a/b.go"},
		{"Never edit `internal/queries/a.sql.go` by hand.", "path internal/queries/a.sql.go"},
		{"The bug was in `internal/cache.go`.", "path internal/cache.go"},

		// Lines.
		{"The retry is at `client.go:42`.", "line client.go:42 (42)"},
		{"The retry is at client.go:42.", "line client.go:42 (42)"},
		{"internal/http/client.go:42-50 has it", "line internal/http/client.go:42-50 (50)"},
		{"internal/http/client.go:42:7 has it", "line internal/http/client.go:42:7 (42)"},
		{"`internal/http/client.go#L42` has it", "line internal/http/client.go#L42 (42)"},
		{"`internal/http/client.go#L42-L60` has it", "line internal/http/client.go#L42-L60 (60)"},
		{"Look at src/app.ts:7, then src/lib.ts:9!", "line src/app.ts:7 (7), line src/lib.ts:9 (9)"},
		{"`docs/API.md#limits` lists them", "path docs/API.md#limits"},
		{"In src/app.ts: the loop", "path src/app.ts"},

		// Functions.
		{"It begins in `parseConfig()`.", "function parseConfig()"},
		{"It begins in `config.ParseConfig()`.", "function config.ParseConfig()"},
		{"`Ledger::post_entry()` books it", "function Ledger::post_entry()"},
		{"`store->flush_all()` books it", "function store->flush_all()"},
		{"`self.client.send_all()` books it", "function self.client.send_all()"},

		// Flags.
		{"Start it with `--claude-dir`.", "flag --claude-dir"},
		{"Start it with `--claude-dir=PATH`.", "flag --claude-dir"},
		{"Start it with `--claude-dir PATH`.", "flag --claude-dir"},

		// Links to memories.
		{"As in [[small-diffs]].", "link small-diffs"},
		{"As in [[Small diffs]] and [[retry policy|the policy]].", "link Small diffs, link retry policy|the policy"},
		{"As in [[small_diffs.md]].", "link small_diffs.md"},
		{"As in [[团队约定]].", "link 团队约定"},

		// A sentence applies only to itself.
		{"`old/a.go` was removed. Use `new/b.go`.", "path new/b.go"},
		{"We never call `resetAll()`. `flushAll()` is right.", "function flushAll()"},
		{"Removed:\n\n- `old/a.go`\n- `old/b.go`\n\nStill there: `new/c.go`", "path new/c.go"},
		{"## Removed in May\n\n`old/a.go`\n\n## Today\n\n`new/c.go`", "path new/c.go"},
		{"```\ncat old/a.go\n```\n`new/c.go`", "path new/c.go"},
		{"~~~sh\ncat old/a.go\n```\ncat old/b.go\n~~~~\n`new/c.go`", "path new/c.go"},
		{"Text `with `` two` and `new/c.go`", "path new/c.go"},
	} {
		if got := listed(verification.Citations(c.body)); got != c.want {
			t.Errorf("%q\n cites %q,\n  want %q", c.body, got, c.want)
		}
	}
}

func TestCitations_FalseOnes(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		// Prose with slashes and dots.
		"Answer in German and/or English.", "It takes 5 km/h, 24/7, 1/2 of the time.", "TCP/IP and client/server apply.",
		"Released on 2026/11/21 and 21/11/2026.", "e.g. this, i.e. that, etc.", "Version 1.2.3, v1.2.3 or v2/beta.",
		"We use Node.js, Next.js and `Vue.js`.", "Ask on docs.rs or crates.io.", "U.S. and U.K. prices", "He said yes...no/maybe.",
		"The ratio a/b matters.", "Use input/output streams/pipes.", "Tickets owner/repo#12 and org/project",
		// Addresses.
		"https://example.com/docs/index.html", "See `https://github.com/a/b/blob/main/x.go#L10`.", "http://localhost:8080/app.js",
		"git@github.com:owner/repo.git", "s3://bucket/file.json", "mailto:a@b.com", "localhost:8080/index.html", "example.com/index.html",
		"The module is `github.com/jackc/pgx/v5`.", "`golang.org/x/sync/errgroup`", "registry.npmjs.org/left-pad/index.js", "10.0.0.1/a.go",
		// MIME types.
		"Send `application/json` or `text/html`.", "`image/svg+xml` is refused", "It answers application/problem+json.",
		// Patterns and placeholders.
		"`path/to/file.go`", "`path/to/anything.py`", "`src/**/*.ts`", "`*.go`", "`internal/{a,b}.go`", "`memory/{type}_{slug}.md`",
		"`internal/<name>/x.go`", "internal/<name>/x.go", "`$HOME/x.go`", "`~/notes/x.md`", "`%APPDATA%/x.ini`", "`../other/x.go`",
		"`db/migrations/NNNN_name.sql`", "`journal/YYYY-MM-DD.md`", "`issues/12345.md`", "`foo/bar.go`", "`internal/.../x.go`", "`internal/…/x.go`",
		"`@scope/package`", "`@docs/setup.md`", "`src/[slug]/page.tsx`", "`a/b.go?x=1`",
		// Other code.
		"`map[string]any`", "`a.b.c`", "`x := y/z`", "`--`", "`-v`", "`--x`", "`if a < b/c.go`", "`cmd > out/log.txt`", "`fmt.Sprintf`",
		"`foo(bar)`", "`count(*)`", "`()`", "`.method()`", "`1abc()`", "`größe()`", "parseConfig() without backticks",
		"--flag without backticks", "`git commit --no-verify`", "`1.5.h`", "`sys.FS`", "`v1.2.c`", "main.yaml", "config.json", "notes.md",
		// Not links.
		"`[[small-diffs]]` in backticks", "[[ -f x ]]", "[[name]]", "Write [[memory-name]] for it.", "[[nodiscard]]", "![[picture.png]]",
		"[[diagram.svg]]", "[[1,2],[3,4]]", "[[]]", "[[ ]]", "[[x](y)]", "[[text]](a)", "[[...]]", "[[<slug>]]", "[[a\nb]]", "[[$x]]", "[[unclosed",
		// The sentence calls it absent.
		"`internal/old.go` was removed.", "`internal/old.go` no longer exists.", "We deleted `internal/old.go` in May.",
		"`internal/old.go` is gone", "It used to live in `internal/old.go`.", "Renamed from `a/old.go` to `a/new.go`.",
		"`internal/new.go` will be added later.", "Create `internal/new.go` for that.", "TODO: `internal/new.go`", "`dist/app.js` is generated.",
		"The file `config/local.yaml` is optional.", "`.cache/x.json` is gitignored.", "In another repository: `src/a.go`", "Names such as `src/a.go` are fine.",
		"Removed:\n- `old/a.go`", "### Obsolete\n- `old/a.go`", "`old/a.go` 已删除。", "`old/a.go` doesn’t exist any more.",
		"Never use `resetAll()`.", "Prefer `slog.Info()` here.", "Don't call `time.Sleep()`.", "Use `flushAll()` instead of `resetAll()`.",
		"Never pass `--no-verify`.", "With git, pass `--force-with-lease`.", "In `pytest -q` add `--last-failed`.", "We dropped `--old-flag`.",
		"[[old-note]] was deleted.",
		// Code blocks.
		"```\ninternal/old.go\n```", "~~~\n`internal/old.go`\n~~~", "    internal/old.go", "```go\ninternal/old.go", "1. Do\n   ```\n   a/old.go\n   ```\n",
		"> ```\n> a/old.go\n> ```",
	} {
		if got := listed(verification.Citations(body)); got != "" {
			t.Errorf("%q cites %q", body, got)
		}
	}
}

func TestCitations_Limit(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&body, "`dir/file%d.go` [[note %d]] ", i, i)
	}
	if got := len(verification.Citations(body.String())); got != 200 {
		t.Errorf("%d are found", got)
	}
	if got := verification.Citations("`dir/" + strings.Repeat("x", 5000) + ".go`"); len(got) != 0 {
		t.Errorf("an endless path is one: %.60v", got)
	}
}

// listed returns citations in the form of the tables.
func listed(all []verification.Citation) string {
	var said []string
	for _, c := range all {
		line := ""
		if c.Kind == memories.CitesLine {
			line = fmt.Sprintf(" (%d)", c.Line)
		}
		said = append(said, string(c.Kind)+" "+c.Text+line)
	}
	return strings.Join(said, ", ")
}
