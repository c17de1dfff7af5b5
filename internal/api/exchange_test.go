package api_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/exporter"
	"memoir/internal/gate"
	"memoir/internal/importer"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/masked"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
	"memoir/internal/wire"
)

// exchanging serves a Memoir with exports and imports.
func exchanging(t *testing.T, files memoirtest.Files) *server {
	t.Helper()
	return exchangingOf(t, memoirtest.Start(t, files))
}

func exchangingOf(t *testing.T, m *memoirtest.Memoir) *server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	reviewer := review.Start(m.Engine, m.Store, review.Options{Settle: 10 * time.Millisecond, Log: log})
	t.Cleanup(reviewer.Close)
	return serve(t, m, api.Options{Exporter: exporter.New(m.Engine, m.Store), Importer: importer.New(m.Engine, m.Store, log), Reviewer: reviewer})
}

// exported returns an export.
func (s *server) exported(query string) []byte {
	s.Helper()
	r := s.call("GET", "/api/v1/export"+query, nil)
	if r.status != http.StatusOK {
		s.Fatalf("export%s: status %d\n%s", query, r.status, r.raw)
	}
	return r.raw
}

// imported imports a file, and returns the report.
func (s *server) imported(query string, file []byte) wire.ImportReport {
	s.Helper()
	r := s.call("POST", "/api/v1/import"+query, string(file), "Content-Type", "application/octet-stream")
	if r.status != http.StatusOK {
		s.Fatalf("import%s: status %d\n%s", query, r.status, r.raw)
	}
	var report wire.ImportReport
	if err := json.Unmarshal(r.raw, &report); err != nil {
		s.Fatal(err)
	}
	return report
}

// unpacked returns the text of an archive, for messages.
func unpacked(t *testing.T, raw []byte) string {
	t.Helper()
	d, err := zstd.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var text strings.Builder
	for r := tar.NewReader(d); ; {
		header, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.Fatal(err)
			}
			return text.String()
		}
		part, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "== %s\n%s", header.Name, part)
	}
}

// differing returns the lines of which only one text has some.
func differing(a, b string) string {
	in := func(text string) map[string]bool {
		lines := map[string]bool{}
		for line := range strings.Lines(text) {
			lines[line] = true
		}
		return lines
	}
	var out strings.Builder
	mine, theirs := in(a), in(b)
	for line := range strings.Lines(a) {
		if !theirs[line] {
			out.WriteString("- " + line)
		}
	}
	for line := range strings.Lines(b) {
		if !mine[line] {
			out.WriteString("+ " + line)
		}
	}
	return out.String()
}

// token looks like a secret.
const token = "ghp_" + "x4Bq7Lw9Zt2Rk8Vn3Jd6Mf1Hs5Gc0Ya4Pe2U"

// lived returns a Memoir in which much has happened.
func lived(t *testing.T) *server {
	t.Helper()
	s := exchanging(t, memoirtest.Files{
		"ada/memory/MEMORY.md":                   "# Mine\n\nBy hand.\n\n- [Tabs](tabs.md) — hook\n",
		"ada/memory/tabs.md":                     memoirtest.Note("tabs", memories.Feedback, "Use tabs."),
		"ada/memory/odd name's (1) ünïcode 漢.md": memoirtest.Note("odd/name \\\"quoted\\\" 漢字 🙂 & <b>", memories.User, "Odd."),
		"ada/memory/keys.md":                     "---\nname: keys\ndescription: d\ntype: project\nextra: kept\nmetadata:\n  modified: 2026-01-02T03:04:05.000Z\n---\n\nBody\r\nwith CRLF\r\n",
		"ada/memory/untyped.md":                  "No frontmatter here.\n",
		"ada/memory/latin1.md":                   "---\nname: latin\ntype: user\n---\n\ncaf\xe9\n",
		"ada/memory/sub/deep.md":                 memoirtest.Note("deep", memories.Reference, "Deep."),
		"ada/memory/secret.md":                   memoirtest.Note("secret", memories.Reference, "The token is "+token+"."),
		"ada/memory/held.md":                     memoirtest.Note("held", memories.Reference, "Another token is "+token+"x7."),
		"ada/memory/team/shared.md":              memoirtest.Note("tabs", memories.Feedback, "The team uses spaces."),
		"ada/sessions/u-c-1/memory/fresh.md":     memoirtest.Note("from a session", memories.Project, "Session fact."),
		"bob/memory/only.md":                     memoirtest.Note("only", memories.User, "Bob's."),
	})
	ctx := engine.As(t.Context(), memories.ByScript)
	must := func(_ engine.Result, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range []string{"Two spaces.", "Four spaces.", "Tabs again."} {
		must(s.Engine.Save(ctx, "ada", memories.Draft{Name: "tabs", Type: memories.Feedback, Description: "indent", Body: body, AskedAs: []string{"how to indent " + body}}))
	}
	must(s.Engine.Save(ctx, "ada", memories.Draft{Name: "old", Type: memories.Project, Body: "Deleted content."}))
	must(s.Engine.Delete(ctx, "ada", s.Memory("ada", "old").ID, ""))
	must(s.Engine.Save(ctx, "ada", memories.Draft{Name: "back", Type: memories.Project, Body: "First."}))
	must(s.Engine.Delete(ctx, "ada", s.Memory("ada", "back").ID, ""))
	must(s.Engine.Save(ctx, "ada", memories.Draft{Name: "back", Type: memories.Project, Body: "Learned again."}))
	must(s.Engine.Save(ctx, "ada", memories.Draft{Name: "purged", Type: memories.Project, Body: "Purged content."}))
	must(s.Engine.Purge(ctx, "ada", s.Memory("ada", "purged").ID, ""))
	must(s.Engine.Verify(ctx, "ada", s.Memory("ada", "deep").ID, ""))
	name := "renamed"
	must(s.Engine.Patch(ctx, "ada", s.Memory("ada", "deep").ID, "", memories.Patch{Name: &name}))
	must(s.Engine.LetIn(ctx, "ada", s.Memory("ada", "secret").ID, ""))
	s.Remove("ada/memory/keys.md")
	s.Scan("ada")
	s.Write("ada/memory/keys.md", "---\nname: keys\ntype: project\nextra: kept\n---\n\nReturned.\n")
	s.Scan("ada")
	return s
}

func TestExport_ImportGivesSameBytes(t *testing.T) {
	t.Parallel()
	a := lived(t)
	before := a.exported("")
	if again := a.exported("?format=archive"); !bytes.Equal(before, again) {
		t.Fatalf("two exports differ:\n%s", differing(unpacked(t, before), unpacked(t, again)))
	}
	if dir := os.Getenv("MEMOIR_TEST_KEEP"); dir != "" {
		_ = os.WriteFile(dir, before, 0o600)
	}
	for _, part := range []string{`"decision":"allow"`, `"kind":"purged"`, `"kind":"verified"`, `"kind":"renamed"`, `"asked_as":{`, "== agents/ada/index/MEMORY.md", `"base64":`, token} {
		if !strings.Contains(unpacked(t, before), part) {
			t.Errorf("the archive lacks %s", part)
		}
	}
	b := exchanging(t, nil)
	if dry := b.imported("", before); dry.Applied || len(dry.Agents) != 2 || !dry.Agents[0].Creates || dry.Agents[0].Counts.New == 0 {
		t.Errorf("dry run = %+v, want two new agents", dry)
	}
	if r := b.call("GET", "/api/v1/agents", nil); strings.Contains(string(r.raw), "ada") {
		t.Errorf("the dry run has created an agent: %s", r.raw)
	}
	report := b.imported("?dry_run=false", before)
	if c := report.Agents[0].Counts; !report.Applied || c.Failed+c.Conflict != 0 {
		t.Errorf("import = %+v, want no failure", report)
	}
	after := b.exported("")
	if !bytes.Equal(before, after) {
		t.Fatalf("the export after an import differs:\n%s", differing(unpacked(t, before), unpacked(t, after)))
	}
	b.Scan("ada")
	b.Scan("bob")
	if after = b.exported(""); !bytes.Equal(before, after) {
		t.Fatalf("the export after a scan differs:\n%s", differing(unpacked(t, before), unpacked(t, after)))
	}
	second := b.imported("?dry_run=false", before)
	for _, agent := range second.Agents {
		if c := agent.Counts; c.New+c.Changed+c.Deleted+c.Conflict+c.Failed+c.History != 0 {
			t.Errorf("second import of %s = %+v, want no change", agent.Agent, agent)
		}
	}
	if after = b.exported(""); !bytes.Equal(before, after) {
		t.Fatalf("the export after a second import differs:\n%s", differing(unpacked(t, before), unpacked(t, after)))
	}

	t.Run("files and index", func(t *testing.T) {
		for _, file := range []string{"ada/memory/MEMORY.md", "ada/memory/tabs.md", "ada/memory/keys.md", "ada/memory/team/shared.md", "ada/memory/latin1.md"} {
			if got, want := b.Read(file), a.Read(file); got != want || got == "" {
				t.Errorf("%s = %q, want %q", file, got, want)
			}
		}
		if got := b.Read("ada/CLAUDE.md"); !strings.Contains(got, "Tabs again.") || !strings.Contains(got, "Session fact.") {
			t.Errorf("CLAUDE.md lacks imported memories:\n%s", got)
		}
	})
	t.Run("decisions about secrets", func(t *testing.T) {
		if m := b.Memory("ada", "secret"); m.IsQuarantined() {
			t.Errorf("secret = %v, want it let in", m.Problems)
		}
		if m := b.Memory("ada", "held"); !m.IsQuarantined() {
			t.Error("held is not held back")
		}
	})
	t.Run("deleted content stays blocked", func(t *testing.T) {
		for i, body := range []string{"Deleted content.", "Purged content."} {
			b.Write(fmt.Sprintf("ada/memory/return%d.md", i), "---\nname: "+[]string{"old", "purged"}[i]+"\ntype: project\n---\n\n"+body+"\n")
		}
		waittest.For(t, "both to be blocked", func() bool {
			return strings.Count(string(b.call("GET", "/api/v1/agents/ada/blocked", nil).raw), `"hash"`) == 2
		})
	})
	t.Run("search finds imported memories", func(t *testing.T) {
		waittest.For(t, "the search", func() bool {
			return strings.Contains(string(b.call("GET", "/api/v1/agents/ada/memories?q=session+fact", nil).raw), "from a session")
		})
	})
}

func TestImport_AgentWithKeeper(t *testing.T) {
	t.Parallel()
	start := func(group, name string) (*server, *memoirtest.Memoir) {
		codex := &memoirtest.Memoir{TB: t, Dir: t.TempDir()}
		codex.Write("memories/MEMORY.md", "# Task Group: "+group+"\nscope: how releases are cut\n\n- tag first\n")
		hive := &memoirtest.Memoir{TB: t, Dir: t.TempDir()}
		hive.Write("ada/memory/a.md", memoirtest.Note(name, memories.User, "Uses vim."))
		return exchangingOf(t, memoirtest.StartIn(t, agents.Settings{AgentsDir: hive.Dir, CodexDir: codex.Dir})), codex
	}
	a, _ := start("shop", "editor")
	b, codex := start("site", "shell")
	archive := a.exported("")
	for _, query := range []string{"?dry_run=true", "?dry_run=false"} {
		report := b.imported(query, archive)
		if len(report.Agents) != 2 || report.Agents[0].Counts.New != 1 || report.Agents[1].Problem == nil || len(report.Agents[1].Items) > 0 {
			t.Fatalf("%s: %+v", query, report)
		}
	}
	if problem := b.imported("?into=codex", a.exported("?agent=ada")).Agents[0].Problem; problem == nil || !strings.Contains(*problem, "A job of Codex writes this memory") {
		t.Errorf("into codex: %v", problem)
	}
	if _, err := os.Stat(codex.Path("memories/extensions")); !os.IsNotExist(err) {
		t.Errorf("the import has written notes: %v", err)
	}
	if same := a.imported("", archive).Agents[1]; same.Problem != nil || same.Counts.Same != 1 {
		t.Errorf("the same memories: %+v", same)
	}
}

func TestExport_DamagedArchive(t *testing.T) {
	t.Parallel()
	s := exchanging(t, memoirtest.Files{"ada/memory/a.md": memoirtest.Note("a", memories.User, strings.Repeat("long text ", 1000))})
	whole := s.exported("")
	b := exchanging(t, nil)
	for _, part := range [][]byte{whole[:len(whole)/2], whole[:len(whole)-1], {}} {
		r := b.call("POST", "/api/v1/import?dry_run=false", string(part), "Content-Type", "application/octet-stream")
		if r.status != http.StatusUnprocessableEntity {
			t.Errorf("import of %d of %d bytes: status %d\n%s", len(part), len(whole), r.status, r.raw)
		}
	}
	if all, err := b.Store.AgentsUncounted(context.Background()); err != nil || len(all) > 0 {
		t.Errorf("agents after damaged imports = %v, %v", all, err)
	}
}

// zipped returns a zip file with the texts.
func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unzipped returns the names and texts in a zip file.
func unzipped(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		files[f.Name] = string(text)
	}
	return files
}

func TestExport_Formats(t *testing.T) {
	t.Parallel()
	s := exchanging(t, memoirtest.Files{
		"ada/memory/tabs.md":      memoirtest.Note("tabs", memories.Feedback, "Use tabs."),
		"ada/memory/held.md":      memoirtest.Note("held", memories.Reference, "The token is "+token+"."),
		"ada/memory/team/days.md": memoirtest.Note("days", memories.Project, "Release on Friday."),
		"bob/memory/only.md":      memoirtest.Note("only", memories.User, "Bob's."),
	})
	s.RepairIndex("ada")
	for _, format := range []string{"markdown", "jsonl", "okf"} {
		plain, secret := s.exported("?format="+format), s.exported("?secrets=include&format="+format)
		text := func(raw []byte) string {
			if format == "jsonl" {
				return string(raw)
			}
			return fmt.Sprint(unzipped(t, raw))
		}
		if strings.Contains(text(plain), token) || !strings.Contains(text(secret), token) {
			t.Errorf("%s: the secret is in the export, or not in the one with secrets", format)
		}
		if one := text(s.exported("?agent=bob&format=" + format)); strings.Contains(one, "Use tabs.") || !strings.Contains(one, "Bob's.") {
			t.Errorf("%s of bob: %s", format, one)
		}
		if two := text(s.exported("?agent=bob&agent=ada&format=" + format)); !strings.Contains(two, "Use tabs.") || !strings.Contains(two, "Bob's.") {
			t.Errorf("%s of two agents: %s", format, two)
		}
		t.Run(format+" comes back", func(t *testing.T) {
			b := exchanging(t, nil)
			report := b.imported("?dry_run=false", secret)
			if len(report.Agents) != 2 || report.Agents[0].Counts.New != 3 || report.Agents[1].Counts.New != 1 {
				t.Fatalf("import = %+v", report)
			}
			for name, body := range map[string]string{"tabs": "Use tabs.", "days": "Release on Friday."} {
				if m := b.Memory("ada", name); m.Body != body || m.Team != (name == "days") || m.Description != "About "+name {
					t.Errorf("%s = %+v", name, m)
				}
			}
			if again := b.imported("?dry_run=false", secret); again.Agents[0].Counts.Same != 3 || len(again.Agents[0].Items) != 0 {
				t.Errorf("second import = %+v, want all the same", again)
			}
			b.ExpectIndexTrue("ada", format)
			if masked := b.imported("", plain); len(masked.Skipped) != 1 || masked.Agents[0].Counts.Same != 2 || masked.Agents[0].Counts.Conflict != 0 {
				t.Errorf("import of masked texts = %+v, want one skipped", masked)
			}
		})
	}
	if files := unzipped(t, s.exported("?format=markdown")); files["ada/memory/tabs.md"] != s.Read("ada/memory/tabs.md") || files["ada/memory/MEMORY.md"] == "" {
		t.Errorf("markdown = %v", files)
	}
	if index := unzipped(t, s.exported("?format=okf"))["ada/index.md"]; !strings.Contains(index, "* [tabs](tabs.md) - About tabs") {
		t.Errorf("index of the bundle = %s", index)
	}
	if r := s.call("GET", "/api/v1/export?agent=eve", nil); r.status != http.StatusNotFound {
		t.Errorf("export of an unknown agent: status %d", r.status)
	}
	if r := s.call("GET", "/api/v1/activity?kind=revealed", nil); !strings.Contains(string(r.raw), `"held"`) {
		t.Errorf("the journal has no reveal: %s", r.raw)
	}
}

func TestImport_IntoExisting(t *testing.T) {
	t.Parallel()
	s := exchanging(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("tabs", memories.Feedback, "Use tabs."),
		"ada/memory/gone.md": memoirtest.Note("gone", memories.Feedback, "Deleted."),
		"ada/memory/held.md": memoirtest.Note("held", memories.Feedback, "Deleted."),
	})
	held := s.Memory("ada", "held").ID
	for _, id := range []string{held, s.Memory("ada", "gone").ID} {
		if _, err := s.Engine.Delete(t.Context(), "ada", id, ""); err != nil {
			t.Fatal(err)
		}
	}
	notes := zipped(t, map[string]string{
		"tabs.md": memoirtest.Note("tabs", memories.Feedback, "Use spaces."), "gone.md": memoirtest.Note("gone", memories.Feedback, "Deleted."),
		"held.md": memoirtest.Note("held", memories.Feedback, "The token is "+token+"."), "new.md": "Just a note.\n", "picture.png": "x", "half.md": "",
	})
	if r := s.imported("?dry_run=false", notes); len(r.Agents) != 1 || r.Agents[0].Problem == nil {
		t.Errorf("import without an agent = %+v, want a problem", r)
	}
	if r := s.call("POST", "/api/v1/import?into=eve", string(notes)); r.status != http.StatusUnprocessableEntity {
		t.Errorf("import into an unknown agent: status %d %s", r.status, r.raw)
	}
	dry := s.imported("?into=ada", notes)
	if c := dry.Agents[0].Counts; c.New != 1 || c.Conflict != 3 {
		t.Errorf("dry run = %+v", dry)
	}
	if got := s.Read("ada/memory/new.md"); got != "" {
		t.Errorf("the dry run has written %q", got)
	}
	s.imported("?into=ada&dry_run=false&type=user", notes)
	if m := s.Memory("ada", "new"); m.Type != memories.User || m.Body != "Just a note." {
		t.Errorf("new = %+v", m)
	}
	if m := s.Memory("ada", "tabs"); m.Body != "Use tabs." {
		t.Errorf("tabs = %q, want it unchanged", m.Body)
	}
	if m := s.Memory("ada", "gone"); m.State != memories.Deleted {
		t.Errorf("gone is %s", m.State)
	}
	var list wire.ReviewList
	waittest.For(t, "the questions about deletions", func() bool {
		list = wire.ReviewList{}
		r := s.call("GET", "/api/v1/review?kind=deletion", nil)
		return json.Unmarshal(r.raw, &list) == nil && len(list.Items) == 2
	})
	for _, item := range list.Items {
		if item.Reason != "Deleted here, changed elsewhere" || !slices.Equal(item.Decisions, []string{"keep", "delete", "snooze", "never"}) {
			t.Errorf("item = %+v", item)
		}
	}
	if r := s.call("GET", "/api/v1/agents/ada/memories/"+held, nil); r.status != http.StatusOK || !strings.Contains(string(r.raw), "The token is") || strings.Contains(string(r.raw), token) {
		t.Errorf("the changed text in the trash has no mask: %d %s", r.status, r.raw)
	}
	if r := s.call("GET", "/api/v1/agents/ada/disagreements", nil); !strings.Contains(string(r.raw), `"primary_versions":2`) {
		t.Errorf("no conflict for a person: %s", r.raw)
	}
	if again := s.imported("?into=ada&dry_run=false&type=user", notes); again.Agents[0].Counts.Pending == 0 || again.Agents[0].Counts.New != 0 {
		t.Errorf("second import = %+v", again)
	}
}

// The time limit of an answer does not count the import.
func TestImport_LongerThanLimit(t *testing.T) {
	t.Parallel()
	const limit = 500 * time.Millisecond
	m := memoirtest.Start(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("tabs", memories.Feedback, "Use tabs.")})
	log := slog.New(slog.DiscardHandler)
	g, err := gate.New(gate.Options{Addr: "127.0.0.1:0", Limits: gate.Limits{Answer: limit}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	calls := api.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, api.Options{Importer: importer.New(m.Engine, m.Store, log), Log: log})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	running := g.Server(calls, func() {})
	go running.Serve(listener) //nolint:errcheck // ends with the test
	t.Cleanup(func() { running.Close() })
	notes := map[string]string{}
	for i := range 200 { // the report does not fit into a buffer
		name := fmt.Sprintf("note %03d", i)
		notes[name+".md"] = memoirtest.Note(name, memories.Feedback, "A fact.")
	}
	other := pgtest.Connect(t, m.URL)
	pgtest.Execute(t, other, "BEGIN; LOCK TABLE tombstones")
	var unlocking sync.WaitGroup
	unlocking.Go(func() { // whatever happens to the request
		time.Sleep(3 * limit / 2)
		if _, err := other.Exec(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(unlocking.Wait) // the request can end before the statement has
	client := http.Client{Transport: &http.Transport{DisableCompression: true}}
	response, err := client.Post("http://"+listener.Addr().String()+"/api/v1/import?into=ada", "application/octet-stream", bytes.NewReader(zipped(t, notes)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var report wire.ImportReport
	if err := json.NewDecoder(response.Body).Decode(&report); err != nil || len(report.Agents) != 1 || report.Agents[0].Counts.New != len(notes) {
		t.Errorf("status %d, report %+v, %v", response.StatusCode, report, err)
	}
}

func TestExport_Reader(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{"ada/memory/held.md": memoirtest.Note("held", memories.Reference, "The token is "+token+".")})
	log := slog.New(slog.DiscardHandler)
	g, err := gate.New(gate.Options{Addr: "127.0.0.1:8080", Token: "owner-token-of-a-test", ReadToken: "reader-token-of-a-test", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	calls := api.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, api.Options{
		Exporter: exporter.New(m.Engine, m.Store), Importer: importer.New(m.Engine, m.Store, log), Log: log,
	})
	running := httptest.NewServer(g.Around(calls))
	t.Cleanup(running.Close)
	s := &server{Memoir: m, url: running.URL}
	for path, want := range map[string]int{
		"/api/v1/export": 403, "/api/v1/export?format=archive": 403, "/api/v1/export?format=jsonl&secrets=include": 403, "/api/v1/export?format=jsonl": 200, "/api/v1/export?format=markdown": 200, "/api/v1/export?format=okf": 200,
	} {
		r := s.call("GET", path, nil, "Authorization", "Bearer reader-token-of-a-test")
		if r.status != want || bytes.Contains(r.raw, []byte(token)) {
			t.Errorf("%s by a reader: status %d, want %d\n%s", path, r.status, want, r.raw)
		}
	}
	if r := s.call("POST", "/api/v1/import", "x", "Authorization", "Bearer reader-token-of-a-test"); r.status != http.StatusForbidden {
		t.Errorf("import by a reader: status %d", r.status)
	}
	if r := s.call("GET", "/api/v1/export", nil, "Authorization", "Bearer owner-token-of-a-test"); r.status != http.StatusOK {
		t.Errorf("export by the owner: status %d", r.status)
	}
}
