package api_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"memoir/internal/api"
	"memoir/internal/exporter"
	"memoir/internal/importer"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
	"memoir/internal/wire"
)

// exchanging serves a Memoir with exports and imports.
func exchanging(t *testing.T, files memoirtest.Files) *server {
	t.Helper()
	m := memoirtest.Start(t, files)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	return serve(t, m, api.Options{Exporter: exporter.New(m.Engine, m.Store), Importer: importer.New(m.Engine, m.Store, log)})
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
