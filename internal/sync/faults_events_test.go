package sync_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/waittest"
)

// What a server tells the others is no part of an operation, and comes at its own time: its steps
// fail here, alone and together with the writing of CLAUDE.md, which comes last before it.
func TestFaults_EventsReachOtherServers(t *testing.T) {
	t.Parallel()
	for _, op := range []operation{
		{name: "save", before: tabs, do: saveOf("New", "Learned.")},
		{name: "delete", before: tabs, do: deleteOf("Tabs")},
		{name: "restore", before: inTrash, do: restoreOf("Tabs")},
		{name: "publish", before: tabs, do: one(func(s *stage) error {
			s.write(s.slug+"/CLAUDE.md", "# Mine\n")
			_, err := s.engine.Scan(context.Background(), s.slug)
			return err
		})},
	} {
		for told, fate := range map[string]linetest.Fate{"before it is told": linetest.NotSent, "after it was told": linetest.Unanswered} {
			for _, written := range []failure{works, failsBefore, failsAfter} {
				t.Run(fmt.Sprintf("%s, which fails %s, and CLAUDE.md %v", op.name, told, written), func(t *testing.T) {
					t.Parallel()
					newsFails(t, op, fate, written)
				})
			}
		}
	}
}

// newsFails carries out an operation whose news has that fate, while CLAUDE.md is written so, and
// starts the server again.
func newsFails(t *testing.T, op operation, fate linetest.Fate, written failure) {
	t.Helper()
	var armed atomic.Bool
	url := pgtest.New(t)
	line := linetest.New(t, url, func(request string) linetest.Fate {
		if request == "Notify" && armed.CompareAndSwap(true, false) {
			return fate
		}
		return linetest.Answered
	})
	direct, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { direct.Close(context.Background()) }) //nolint:errcheck // the database goes with the test
	disk := &claudeMDDisk{brokenDisk: brokenDisk{&breaker{}}}
	s := &stage{
		bench:  &bench{T: t, dir: t.TempDir(), url: line.URL},
		direct: direct, gaps: pgtest.Journal(t, url), began: time.Now().Add(-time.Hour), slug: "ada",
	}
	s.options = optionsFor(s.dir)
	s.options.Disk = disk
	s.options.Debounce, s.options.Rescan = 1e15, 1e15 // it looks when it is told to
	s.start()
	other := &bench{T: t, dir: t.TempDir(), url: url}
	other.options = optionsFor(other.dir)
	other.start()
	page := openPage(other, s.slug)
	op.before(s)
	page.follows("what was there before")
	waittest.For(s, "the search index", s.engine.Searchable)

	disk.how.Store(int32(written))
	armed.Store(true)
	if err := errors.Join(op.do(s)...); err != nil {
		t.Fatalf("it failed because the others could not be told, or CLAUDE.md could not be written: %v", err)
	}
	waittest.For(s, "the news to fail", func() bool { return !armed.Load() })
	page.follows("what happened")
	if struck := disk.struck.Load(); struck != (written != works) {
		t.Errorf("that CLAUDE.md could not be written: %t", struck)
	}
	disk.how.Store(int32(works))
	s.restart()
	// The former connection may hold the agent's lease for a moment, so the first scan can leave it out.
	waittest.For(s, "CLAUDE.md to be written again", func() bool {
		agent, err := s.store.Agent(context.Background(), s.slug)
		return err == nil && agent.ClaudeMD.Problem == ""
	})
	page.follows("what was there after the next start")
	is, wrong := s.picture()
	if len(wrong) > 0 {
		t.Errorf("after the next start: %s", strings.Join(wrong, "\n"))
	}

	s.slug = "bob" // who goes through the same without any failure
	op.before(s)
	s.mustDo(op.do(s))
	done, wrong := s.picture()
	if len(wrong) > 0 {
		t.Fatalf("without any failure: %s", strings.Join(wrong, "\n"))
	}
	if !slices.Equal(is, done) {
		t.Errorf("after the next start it is not done:\n%s", is.unlike(done))
	}
}

// claudeMDDisk is a disk on which writing CLAUDE.md may fail, either before it takes effect or
// after.
type claudeMDDisk struct {
	brokenDisk
	how    atomic.Int32 // a failure
	struck atomic.Bool
}

func (d *claudeMDDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	return d.unless(name, func() error { return d.brokenDisk.Write(root, name, data, options) })
}

func (d *claudeMDDisk) unless(name string, write func() error) error {
	how := failure(d.how.Load())
	if name != "CLAUDE.md" || how == works {
		return write()
	}
	d.struck.Store(true)
	failed := error(&fs.PathError{Op: "write", Path: name, Err: syscall.EIO})
	if how == failsAfter {
		failed = errors.Join(failed, write())
	}
	return failed
}

// openedPage is a page that a user has opened on one server. It reads its data again after each
// event.
type openedPage struct {
	*bench
	slug  string
	news  *events.Subscription
	shows string
}

func openPage(b *bench, slug string) *openedPage {
	b.Helper()
	p := &openedPage{bench: b, slug: slug, news: b.engine.Hub().Subscribe()}
	b.Cleanup(p.news.Close)
	p.shows = p.isNow()
	return p
}

// isNow is all that there is to see of the agent.
func (p *openedPage) isNow() string {
	p.Helper()
	agent, err := p.store.Agent(context.Background(), p.slug)
	if errors.Is(err, memories.ErrNotFound) {
		return "nothing"
	}
	if err != nil {
		p.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%+v; CLAUDE.md: %d characters, %q\n", agent.Counts, agent.ClaudeMD.Chars, agent.ClaudeMD.Problem)
	for _, state := range []memories.State{"", memories.Deleted} {
		page, err := p.store.Memories(context.Background(), agent, memories.Filter{State: state, Sort: memories.ByName}, memories.PageRequest{Limit: records.MaxLimit})
		if err != nil {
			p.Fatal(err)
		}
		for _, m := range page.Memories {
			fmt.Fprintf(&b, "%s %s: %s\n", m.State, m.Name, m.Body)
		}
	}
	return b.String()
}

// follows waits until the page shows what is, though it is only looked at where there is news of
// the agent.
func (p *openedPage) follows(what string) {
	p.Helper()
	waittest.For(p, "the other server to show "+what, func() bool {
		for len(p.news.Events) > 0 {
			if event := <-p.news.Events; event.Agent == p.slug || event.Agent == "" {
				p.shows = p.isNow()
			}
		}
		return p.shows == p.isNow()
	})
}
