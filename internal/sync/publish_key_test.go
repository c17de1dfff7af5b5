package sync_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// query runs a statement past Memoir.
func (b *bench) query(statement string, into ...any) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), b.url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context()) //nolint:errcheck // the database goes with the test
	if len(into) == 0 {
		_, err = conn.Exec(b.Context(), statement)
	} else {
		err = conn.QueryRow(b.Context(), statement).Scan(into...)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func TestPublish_UnchangedAtStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	b.query("UPDATE revisions SET body = 'What nobody has looked at.'")
	b.restart()
	if got := b.read("ada/CLAUDE.md"); !strings.Contains(got, "Use tabs.") {
		t.Errorf("CLAUDE.md was compiled anew: %s", got)
	}
	b.write("ada/memory/b.md", note("Lines", memories.Feedback, "Short ones."))
	b.scanAll()
	if got := b.read("ada/CLAUDE.md"); !strings.Contains(got, "What nobody has looked at.") || !strings.Contains(got, "Short ones.") {
		t.Errorf("CLAUDE.md does not say what the memories say: %s", got)
	}
}

func TestPublish_NewLimitAtStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	b.options.ClaudeMDLimit = 1
	b.restart()
	if got := b.read("ada/CLAUDE.md"); strings.Contains(got, "Use tabs.") || !strings.Contains(got, "\n- … and 1 more. ") {
		t.Errorf("the limit is not kept to: %s", got)
	}
}

// An editor may give a file back its time, and the same number of bytes.
func TestPublish_EditedBlockOldTime(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*bench){
		"at the next scan":  func(b *bench) { b.scan("ada") },
		"at the next start": (*bench).restart,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
			b.scanAll()
			waittest.For(b, "the file's time to be relied on", func() bool {
				b.scan("ada")
				return !strings.HasSuffix(b.inStep(), " ")
			})
			before, err := os.Stat(b.path("ada/CLAUDE.md"))
			if err != nil {
				t.Fatal(err)
			}
			b.write("ada/CLAUDE.md", strings.Replace(b.read("ada/CLAUDE.md"), "Use tabs.", "Use cats.", 1))
			if err := os.Chtimes(b.path("ada/CLAUDE.md"), before.ModTime(), before.ModTime()); err != nil {
				t.Fatal(err)
			}
			again(b)
			if got := b.read("ada/CLAUDE.md"); !strings.Contains(got, "Use tabs.") {
				t.Errorf("CLAUDE.md is %s", got)
			}
		})
	}
}

// inStep returns the publish key of the agent's CLAUDE.md.
func (b *bench) inStep() (value string) {
	b.Helper()
	b.query("SELECT coalesce(claude_md_publish_key, ' ') FROM agents WHERE slug = 'ada'", &value)
	return value
}

// Bodies are read only as far as they are compiled, and compiled sections are used again. Neither
// must change the text.
func TestPublish_ManyBodies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.options.ClaudeMDLimit = 6_000
	var all []memoirtest.Section
	for i := range 40 {
		m := memoirtest.Section{
			Name: fmt.Sprintf("Memory %02d", i), Type: memories.Types()[i%2], Body: strings.TrimSpace(strings.Repeat(fmt.Sprintf("word %d ", i), 1+i*i%37)),
		}
		all = append(all, m)
		b.write(fmt.Sprintf("ada/memory/%d.md", i), note(m.Name, m.Type, m.Body))
	}
	b.restart()
	b.scanAll()
	for i := range all {
		all[i].ID = b.memory("ada", all[i].Name).ID
		all[i].Description = b.memory("ada", all[i].Name).Description
	}
	check := func() {
		t.Helper()
		block, _ := memoirtest.Compile(all, b.options.ClaudeMDLimit, 1) // the line end behind it
		if got := b.read("ada/CLAUDE.md"); got != string(block)+"\n" {
			t.Fatalf("CLAUDE.md is\n%s\nand not\n%s", got, block)
		}
	}
	check()
	for i := 0; len(all) > 0; i++ {
		at := i * 7 % len(all)
		preview, err := b.engine.Preview(t.Context(), "ada", all[at].ID)
		if err != nil {
			t.Fatal(err)
		}
		b.delete("ada", all[at].Name)
		all = append(all[:at], all[at+1:]...)
		check()
		if got := b.read("ada/CLAUDE.md"); got != string(preview.Text) {
			t.Fatalf("the preview was\n%s\nand CLAUDE.md is\n%s", preview.Text, got)
		}
		if i == 12 {
			b.restart()
		}
	}
}

func TestDelete_CommitFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	m := b.memory("ada", "Tabs")
	// The row in memory_growth is the last write of a deletion.
	b.query("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'")
	b.query("CREATE TRIGGER refuse BEFORE INSERT ON memory_growth FOR EACH ROW EXECUTE FUNCTION refuse()")
	if _, err := b.engine.Delete(engine.As(t.Context(), memories.ByBrowser), "ada", m.ID, ""); err == nil {
		t.Fatal("a deletion that Postgres refuses went through")
	}
	var tombstones int
	b.query("SELECT count(*) FROM tombstones", &tombstones)
	if got := b.memory("ada", "Tabs"); got.State != memories.Active || tombstones != 0 || b.read("ada/memory/a.md") == "" {
		t.Errorf("it is %s, with %d tombstones", got.State, tombstones)
	}
	b.query("DROP TRIGGER refuse ON memory_growth")
	b.delete("ada", "Tabs")
	if b.read("ada/memory/a.md") != "" || strings.Contains(b.read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("the second deletion left something")
	}
}
