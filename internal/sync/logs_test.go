package sync_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/logs"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// logs returns all logs of the agent, by path.
func (b *bench) logs(slug string) map[string]records.Log {
	b.Helper()
	all, err := b.store.Logs(b.Context(), b.agent(slug).ID, records.FirstLogDay, records.LastLogDay, 1<<30)
	if err != nil {
		b.Fatal(err)
	}
	byPath := map[string]records.Log{}
	for _, l := range all {
		byPath[l.Path] = l
	}
	return byPath
}

func (b *bench) untilLog(slug, path, text string) {
	b.Helper()
	waittest.For(b, path+" to say "+text, func() bool { return strings.Contains(b.logs(slug)[path].Text, text) })
}

// today is the path of the log that is written now, and before one of three months ago.
func today() string { return logs.File(time.Now(), "") }

func before() string { return logs.File(time.Now().AddDate(0, -3, 0), "") }

func TestLogs_FollowDisk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(b, "the agent", func() bool { _, ok := b.list("ada", "")["Tabs"]; return ok })
	b.write("ada/memory/logs/"+today(), "- 10:00 first\n")
	b.untilLog("ada", "memory/logs/"+today(), "first")
	b.write("ada/logs/"+logs.File(time.Now(), "Big plan"), "# Big plan\n\n- 10:00 planned\n")
	b.untilLog("ada", "logs/"+logs.File(time.Now(), "Big plan"), "planned")
	b.write("ada/memory/logs/"+today(), "- 10:00 first\n- 10:01 second\n")
	b.untilLog("ada", "memory/logs/"+today(), "second")

	// An older month is not watched, and found by the next scan.
	b.write("ada/memory/logs/"+before(), "- 10:00 long ago\n")
	b.scanAll()
	b.untilLog("ada", "memory/logs/"+before(), "long ago")
	b.write("ada/memory/logs/"+before(), "- 10:00 long ago\n- 10:01 and later\n")
	b.scanAll()
	b.untilLog("ada", "memory/logs/"+before(), "and later")

	b.remove("ada/memory/logs/" + today())
	waittest.For(b, "the log to be gone", func() bool { return len(b.logs("ada")) == 2 })
	// In one step: no scan sees half of it.
	must(t, os.Rename(b.path("ada/memory/logs"), b.TempDir()+"/aside"))
	b.scanAll()
	b.restart()
	if left := b.logs("ada"); len(left) != 2 {
		t.Errorf("when all logs are gone at once, %d of 2 are kept", len(left))
	}
	if counts := b.agent("ada").Counts; counts.Total != 1 || strings.Contains(b.read("ada/CLAUDE.md"), "planned") {
		t.Errorf("logs became memories: %+v", counts)
	}
}

func TestLogs_FewWatches(t *testing.T) {
	t.Parallel()
	b, system := limited(t, func(*system) {})
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	newest := time.Date(time.Now().Year(), time.Now().Month(), 15, 12, 0, 0, 0, time.Local)
	for back := range 120 {
		day := newest.AddDate(0, -back, 0)
		b.write("ada/memory/logs/"+logs.File(day, ""), "- 12:00 a\n")
		b.write("ada/memory/logs/"+logs.File(day, "Plan"), "- 12:00 b\n")
	}
	b.scanAll()
	waittest.For(b, "all logs", func() bool { return len(b.logs("ada")) == 240 })
	b.scanAll()
	system.mu.Lock()
	defer system.mu.Unlock()
	ofLogs := 0
	for dir := range system.watched {
		if strings.Contains(dir, "/logs") {
			ofLogs++
		}
	}
	// All logs, this year and maybe the last, and of two months the month and one day.
	if years := len(map[int]bool{newest.Year(): true, newest.AddDate(0, -1, 0).Year(): true}); ofLogs != 1+years+4 {
		t.Errorf("%d directories of logs are watched", ofLogs)
	}
}

func TestLogs_Problems(t *testing.T) {
	t.Parallel()
	const top = "ada/memory/logs/"
	b := setup(t, func(dir string) {
		b := &bench{T: t, dir: dir}
		b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
		b.write(top+"2026/03/2026-03-01.md", "- 10:00 good\n")
		b.write(top+"2026/03/01/7-plan.md", "- 10:00 good\n")
		b.write(top+"2026/03/2026-03-02.md", "no bullet")
		b.write(top+"2026/03/2026-03-03.md", "\xff\x00- x")
		b.write(top+"2026/03/2025-01-01.md", "- 10:00 of another year\n")
		b.write(top+"notes.md", "- 10:00 without a day\n")
		b.write(top+"2026/03/2026-03-04.md/inside.md", "- 10:00 in a directory\n")
		b.write(top+"2026/03/01/deeper/x.md", "- 10:00 too deep\n")
		b.write(top+"2026/03/.hidden.md", "- 10:00 hidden\n")
		b.write(top+"2026/03/picture.png", "- no log\n")
		b.write(top+"2026/03/na\xffme.md", "- 10:00 x\n")
		huge := b.path(top + "2026/03/2026-03-05.md")
		must(t, os.WriteFile(huge, []byte("- 10:00 its beginning\n"), 0o644))
		must(t, os.Truncate(huge, 100<<20))
		f, err := os.OpenFile(huge, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteString("\n- 11:00 its end\n")
		must(t, errors.Join(err, f.Close()))
		must(t, os.Symlink("/etc/passwd", b.path(top+"2026/03/2026-03-06.md")))
		must(t, os.Symlink("2026-03-01.md", b.path(top+"2026/03/latest.md")))
		must(t, syscall.Mkfifo(b.path(top+"2026/03/2026-03-07.md"), 0o644))
	})
	got := b.logs("ada")
	for path, want := range map[string]string{
		"2026/03/2026-03-01.md": "",
		"2026/03/01/7-plan.md":  "",
		"2026/03/2026-03-02.md": logs.CodeNoEntries,
		"2026/03/2026-03-03.md": memories.CodeNUL + " " + memories.CodeInvalidUTF8 + " " + logs.CodeNoEntries,
		"2026/03/2025-01-01.md": logs.CodeMisplaced,
		"notes.md":              logs.CodeNoDay,
		"2026/03/2026-03-04.md": memories.CodeNotRegular,
		"2026/03/01/deeper":     memories.CodeTooDeep,
		`2026/03/na\xffme.md`:   memories.CodeFileNameNotUTF8,
		"2026/03/2026-03-05.md": memories.CodeTooLarge,
		"2026/03/2026-03-06.md": memories.CodeLinkLeaves,
		"2026/03/2026-03-07.md": memories.CodeNotRegular,
	} {
		l, listed := got["memory/logs/"+path]
		if problems := strings.Join(l.Problems, " "); !listed || problems != want {
			t.Errorf("%s: listed %v, with %q, want %q", path, listed, problems, want)
		}
		for _, code := range l.Problems {
			if logs.ProblemOf(code).Message == "" {
				t.Errorf("nothing is said about %s", code)
			}
		}
		delete(got, "memory/logs/"+path)
	}
	for path := range got {
		t.Errorf("%s is listed", path)
	}
	if end := b.logs("ada")["memory/logs/2026/03/2026-03-05.md"]; !strings.HasSuffix(end.Text, "- 11:00 its end\n") || len(end.Text) > 3*logs.MaxRead {
		t.Errorf("of a huge log %d bytes are kept", len(end.Text))
	}
	found, err := b.store.SearchLogs(t.Context(), b.agent("ada").ID, "without DAY", 10, "")
	if err != nil || len(found.Logs) != 1 || found.Logs[0].Path != "memory/logs/notes.md" {
		t.Errorf("a search finds %+v, %v", found, err)
	}
	// What consolidation reads is bounded.
	some, err := b.store.Logs(t.Context(), b.agent("ada").ID, "2026-03-01", "2026-03-02", 20)
	if err != nil || len(some) != 4 || !some[0].LeftOut || some[0].Text != "" || some[3].LeftOut || some[3].Text != "no bullet" {
		t.Errorf("20 bytes of logs are %+v, %v", some, err)
	}
}

func TestLogs_ConcurrentAppends(t *testing.T) {
	t.Parallel()
	const each = 15
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(b, "the agent", func() bool { _, ok := b.list("ada", "")["Tabs"]; return ok })
	servers := []*bench{b, b.another(b.dir)}
	at := time.Now().Truncate(time.Second)
	path := "memory/logs/" + logs.File(at, "")
	var group errgroup.Group
	for n, server := range servers {
		for writer := range 2 {
			group.Go(func() error {
				for i := range each {
					done, err := server.engine.AppendLog(t.Context(), "ada", engine.LogEntry{Text: fmt.Sprintf("server %d.%d: %d\nand more", n, writer, i), At: at})
					if err != nil || done.Path != path {
						return fmt.Errorf("%+v: %w", done, err)
					}
				}
				return nil
			})
		}
	}
	group.Go(func() error {
		for i := range each {
			f, err := os.OpenFile(b.path("ada/"+path), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				waittest.For(b, "the log", func() bool { return b.read("ada/"+path) != "" })
				continue
			}
			_, err = fmt.Fprintf(f, "- by hand: %d\n", i)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	text := b.read("ada/" + path)
	if got := strings.Count(text, "\n  and more\n"); got != 4*each || strings.Count(text, "# ") != 1 || !strings.HasPrefix(text, "# "+string(logs.DayOf(at))+"\n\n- ") {
		t.Errorf("%d entries of %d are in the log:\n%s", got, 4*each, text)
	}
	for n := range servers {
		for writer := range 2 {
			from := 0
			for i := range each {
				at := strings.Index(text[from:], fmt.Sprintf("server %d.%d: %d\n", n, writer, i))
				if at < 0 {
					t.Fatalf("entry %d of %d.%d is not where it should be", i, n, writer)
				}
				from += at
			}
		}
	}
	waittest.For(b, "the row", func() bool { return b.logs("ada")[path].Text == b.read("ada/"+path) })

	// Where an entry cannot be written, nothing is said to be.
	b.remove("ada/" + path)
	must(t, os.Symlink("/etc/passwd", b.path("ada/"+path)))
	_, err := b.engine.AppendLog(t.Context(), "ada", engine.LogEntry{Text: "x", At: at})
	b.isConflict(err, "leads out")
	var invalid *memories.InvalidError
	if _, err := servers[1].engine.AppendLog(t.Context(), "ada", engine.LogEntry{Text: "x", At: at.Add(time.Hour)}); !errors.As(err, &invalid) || invalid.Field != "at" {
		t.Errorf("an entry of the future: %v", err)
	}
	if _, err := b.engine.AppendLog(t.Context(), "eve", engine.LogEntry{Text: "x"}); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("an entry of nobody: %v", err)
	}
}

func TestLogs_ReadAgainAfterError(t *testing.T) {
	t.Parallel()
	b, n := withHook(t)
	b.write("ada/memory/a.md", note("Known", memories.User, "text"))
	b.scanAll()
	now := time.Now()
	this := time.Date(now.Year(), now.Month(), 1, 12, 0, 0, 0, now.Location())
	for _, day := range []time.Time{this, this.AddDate(0, -1, 0)} { // those months are watched
		b.write("ada/memory/logs/"+day.Format("2006/01/2006-01-02")+".md", "# "+day.Format(time.DateOnly)+"\n\n- 10:00 Something happened.\n")
	}
	written := time.Now()
	waittest.For(b, "time stamps to be old enough to be relied on", func() bool { return time.Since(written) > 2500*time.Millisecond })
	first := ""
	n.set(func(dir string) { // while the second month is listed, the first is closed
		if filepath.Base(filepath.Dir(filepath.Dir(dir))) != "logs" {
			return
		}
		if first == "" {
			first = dir
			return
		}
		n.set(nil)
		b.must(os.Rename(first, first+".aside"))
		b.must(os.Symlink(filepath.Base(first), first))
	})
	b.scan("ada")
	b.must(os.Remove(first))
	b.must(os.Rename(first+".aside", first))
	b.scan("ada")
	b.scan("ada")
	for path, l := range b.logs("ada") {
		if len(l.Problems) > 0 {
			t.Errorf("%s: %v", path, l.Problems)
		}
	}
}
