package sync_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/longrun"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/waittest"
)

// Each step of one operation: go test -run TestFaults_OperationsAreAtomic/rename ./internal/sync
// -faults=each All pairs too, which takes hours: go test -run TestFaults_OperationsAreAtomic
// ./internal/sync -faults=all -timeout 12h
var faults = flag.String("faults", "some", "what the fault matrix lets fail: some of the steps and pairs of steps, each step, or all pairs too")

// The fault matrix. Each operation runs once, and its steps on disk and in Postgres are recorded.
// Then it runs once for each of these steps, which fails before or after it takes effect, or is the
// last one before a crash. It also runs for pairs of steps; the second may belong to the recovery
// from the first. Memoir then starts again, or scans again, and its whole state is compared with
// the state without a failure. A new step of an operation is tested automatically.
func TestFaults_OperationsAreAtomic(t *testing.T) {
	t.Parallel()
	var done, steps, trials atomic.Int64
	t.Cleanup(func() {
		if *faults == "each" {
			much := fmt.Sprintf("%d operations, %s steps, %s trials", done.Load(), longrun.Count(steps.Load()), longrun.Count(trials.Load()))
			longrun.Passed(t, "faults: each step", much, "")
		}
	})
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t, op)
			m.singles()
			m.pairs()
			t.Logf("%d steps, %d trials", len(m.steps), m.trials)
			done.Add(1)
			steps.Add(int64(len(m.steps)))
			trials.Add(int64(m.trials))
			if *faults == "all" { // they take hours, and may be tried one operation at a time
				longrun.Passed(t, "faults: each step and all pairs: "+op.name, fmt.Sprintf("%d steps, %s trials", len(m.steps), longrun.Count(m.trials)), "")
			}
		})
	}
}

// operation is an operation that the matrix tests.
type operation struct {
	name string
	// before brings about what the operation needs; it does not fail.
	before func(*stage)
	// do is the operation, with an error for each of its items: nil says that it is done.
	do func(*stage) []error
	// items are words that tell apart what is about each item; without any the operation is done or
	// not done as a whole.
	items []string
	// partly is a part of the operation that may be what is left of it, because it is a step of its
	// own to its user.
	partly func(*stage)
	// entry is a line of a MEMORY.md, as in a picture, that may take the place of another one.
	entry string
	// always means that the operation follows from the files on disk: it is done in the end, although
	// steps fail.
	always bool
}

// matrix tries one operation again and again, each time on an agent of its own, over one database.
type matrix struct {
	*stage
	op     operation
	steps  []string // that it takes when nothing fails
	was    picture  // before
	partly []picture
	done   picture // after
	trials int
}

// stage is one agent in a Memoir whose steps can fail.
type stage struct {
	*bench
	breaker *breaker
	direct  *pgx.Conn // to the database, where nothing fails
	gaps    func() []string
	slug    string
	began   time.Time // what is older was there before
	runs    int
}

func newMatrix(t *testing.T, op operation) *matrix {
	t.Helper()
	url := pgtest.New(t)
	direct, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { direct.Close(context.Background()) }) //nolint:errcheck // the database goes with the test
	s := &stage{breaker: &breaker{}, direct: direct, gaps: pgtest.Journal(t, url), began: time.Now().Add(-time.Hour)}
	s.bench = &bench{T: t, dir: t.TempDir(), url: linetest.New(t, url, s.breaker.fate).URL}
	s.options = optionsFor(s.dir)
	s.options.Disk = brokenDisk{s.breaker}
	s.options.Debounce, s.options.Rescan = 1e15, 1e15 // scans on request only, for the same steps
	s.options.ScanRetry = 5 * time.Millisecond
	s.start()

	m := &matrix{stage: s, op: op}
	m.was = m.rehearse(func() {})
	if op.partly != nil {
		m.partly = append(m.partly, m.rehearse(func() { op.partly(s) }))
	}
	m.done = m.rehearse(func() {
		s.breaker.arm(nil, 0)
		errs := op.do(s)
		m.steps = s.breaker.disarm()
		for _, err := range errs {
			if err != nil {
				t.Fatalf("without any failure: %v", err)
			}
		}
	})
	if slices.Equal(m.was, m.done) && !op.always {
		t.Fatal("the operation changes nothing")
	}
	return m
}

// rehearse returns what there is after do, when nothing fails.
func (m *matrix) rehearse(do func()) picture {
	m.Helper()
	defer m.leave()
	m.enter()
	do()
	m.scanAll()
	p, wrong := m.picture()
	if len(wrong) > 0 {
		m.Fatalf("without any failure: %s", strings.Join(wrong, "\n"))
	}
	return p
}

// enter makes a new agent as the operation needs it.
func (m *matrix) enter() {
	m.Helper()
	m.runs++
	m.slug = fmt.Sprintf("agent%d", m.runs)
	m.op.before(m.stage)
	m.ageEmptied()
}

// ageEmptied sets old times for the files that were emptied before the operation, so that no trial
// waits for their writers.
func (s *stage) ageEmptied() {
	s.Helper()
	texts, _ := s.disk()
	for name, text := range texts {
		if text == "" {
			s.age(s.slug+"/"+name, long)
		}
	}
}

// leave takes the agent away.
func (m *matrix) leave() {
	// A scan that is tried again may be writing there at the same time.
	waittest.For(m, "the agent's directory to be gone", func() bool { return os.RemoveAll(m.path(m.slug)) == nil })
	m.scanAll()
	// The crashed server may still hold the agent's lease. Then the agent stays, which does no harm.
	var elsewhere *memories.ConflictError
	if _, err := m.engine.Forget(context.Background(), m.slug); err != nil && !errors.Is(err, memories.ErrNotFound) && !errors.As(err, &elsewhere) {
		m.Fatal(err)
	}
}

// scanAll scans all agents, as soon as a connection that was lost in a failed step is open again.
func (s *stage) scanAll() {
	s.Helper()
	waittest.For(s, "a scan", func() bool {
		_, err := s.engine.ScanAll(context.Background())
		if err != nil && !errors.Is(err, memories.ErrUnavailable) {
			s.Fatal(err)
		}
		return err == nil
	})
}

// A trial is the operation with failures at the steps of those numbers.
type trial struct {
	plan    map[int]failure
	errno   syscall.Errno
	restart bool // afterwards Memoir is started again; otherwise it goes on
	changes bool // the step that fails, the last one, may change something
}

func (t trial) String() string {
	var b strings.Builder
	for _, n := range sortedKeys(t.plan) {
		fmt.Fprintf(&b, "step %d %v, ", n+1, t.plan[n])
	}
	how := "goes on"
	if t.restart {
		how = "starts again"
	}
	return b.String() + fmt.Sprintf("the disk says %q, Memoir %s", t.errno, how)
}

func sortedKeys(plan map[int]failure) []int {
	var keys []int
	for n := range plan {
		keys = append(keys, n)
	}
	slices.Sort(keys)
	return keys
}

// singles makes each step fail in each way.
func (m *matrix) singles() {
	var all []trial
	for n, step := range m.steps {
		for _, how := range failuresOf(step) {
			for _, errno := range errnosOf(step, how) {
				for _, restart := range restartsAfter(how) {
					all = append(all, trial{map[int]failure{n: how}, errno, restart, changesSomething(step)})
				}
			}
		}
	}
	for _, t := range m.chosen(all, 2) {
		m.try(t)
	}
}

// pairs makes a second step fail among the steps after the first failure, also during the recovery.
// Only steps that change something count.
func (m *matrix) pairs() {
	if *faults == "each" {
		return
	}
	var firsts []trial
	for n, step := range m.steps {
		if !changesSomething(step) {
			continue
		}
		for _, how := range failuresOf(step) {
			for _, restart := range restartsAfter(how) {
				firsts = append(firsts, trial{map[int]failure{n: how}, syscall.EIO, restart, true})
			}
		}
	}
	for _, first := range m.chosen(firsts, 1) {
		taken := m.try(first)
		n := sortedKeys(first.plan)[0]
		var seconds []trial
		for k := n + 1; k < len(taken); k++ {
			if !changesSomething(taken[k]) {
				continue
			}
			for _, then := range failuresOf(taken[k]) {
				seconds = append(seconds, trial{map[int]failure{n: first.plan[n], k: then}, syscall.EIO, first.restart, true})
			}
		}
		for _, both := range m.chosen(seconds, 1) {
			m.try(both)
		}
	}
}

// chosen returns all of the trials. If fewer are requested, it returns that many, always the same
// ones. It prefers trials with a failing step that changes something.
func (m *matrix) chosen(all []trial, some int) []trial {
	if *faults != "some" {
		return all
	}
	order := func(t trial) uint32 {
		h := fnv.New32a()
		fmt.Fprint(h, m.op.name, t)
		if t.changes {
			return h.Sum32() / 4
		}
		return h.Sum32()
	}
	slices.SortFunc(all, func(a, b trial) int { return cmp.Compare(order(a), order(b)) })
	return all[:min(some, len(all))]
}

func failuresOf(step string) []failure {
	for _, prefix := range []string{"disk: write", "disk: remove"} {
		if strings.HasPrefix(step, prefix) {
			return []failure{failsBefore, failsAfter, diesAfter, diesAmid}
		}
	}
	return []failure{failsBefore, failsAfter, diesAfter}
}

func errnosOf(step string, how failure) []syscall.Errno {
	if !strings.HasPrefix(step, "disk: ") || how != failsBefore {
		return []syscall.Errno{syscall.EIO}
	}
	return []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EROFS}
}

func restartsAfter(how failure) []bool {
	if how == diesAfter || how == diesAmid {
		return []bool{true}
	}
	return []bool{true, false}
}

// try does the operation with the failures, lets Memoir recover, and checks what there is then. It
// returns the steps that were taken, those of the recovery among them.
func (m *matrix) try(t trial) (taken []string) {
	m.Helper()
	m.trials++
	m.enter()
	m.breaker.arm(t.plan, t.errno)
	errs := m.op.do(m.stage)
	m.recover(t.restart || m.breaker.isDead())
	taken = m.breaker.disarm()
	m.scanAll()
	told := func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "%v; it answered %v, and took these steps:\n", t, errs)
		for n, step := range taken {
			value := "  "
			if t.plan[n] != works {
				value = "->"
			}
			fmt.Fprintf(&b, "%s %d %s\n", value, n+1, step)
		}
		return b.String()
	}
	p, wrong := m.picture()
	if len(wrong) > 0 {
		m.Errorf("%s%s", told(), strings.Join(wrong, "\n"))
	}
	if complaint := m.judge(p, errs); complaint != "" {
		m.Errorf("%s%s", told(), complaint)
	} else if complaint := m.again(p); complaint != "" {
		m.Errorf("%sdone once more afterwards, %s", told(), complaint)
	}
	m.leave()
	return taken
}

// recover starts Memoir again, or scans again, until that succeeds without a crash.
func (m *matrix) recover(restart bool) {
	m.Helper()
	for {
		if restart {
			m.stop()
			m.breaker.revive()
			if m.startUnlessDead() {
				return
			}
			continue
		}
		if _, err := m.engine.ScanAll(context.Background()); err == nil {
			return
		}
		restart = m.breaker.isDead()
	}
}

// startUnlessDead starts Memoir and waits for its first scan, or for its next crash.
func (m *matrix) startUnlessDead() bool {
	m.Helper()
	store, err := postgres.Open(context.Background(), m.url)
	if err != nil {
		return false // as a server does that finds no database
	}
	m.startOver(store)
	waittest.For(m, "the first scan, or a crash", func() bool { return m.engine.Ready() || m.breaker.isDead() })
	return !m.breaker.isDead()
}

// judge returns the faults in the state after an operation that returned these errors, item by
// item.
func (m *matrix) judge(is picture, errs []error) string {
	items := m.op.items
	if len(items) == 0 {
		items = []string{""}
	}
	for i, item := range items {
		allowed := []picture{m.done}
		if errs[i] != nil && !m.op.always {
			allowed = append(append(allowed, m.was), m.partly...)
		}
		now, done, was := is.of(item, m.op.items), m.done.of(item, m.op.items), m.was.of(item, m.op.items)
		if !now.isButForEntries(done, was, m.op.entry) && !slices.ContainsFunc(allowed, func(p picture) bool {
			return slices.Equal(now, p.of(item, m.op.items))
		}) {
			complaint := item + " is neither done nor not done. Unlike when it is done:\n" + is.of(item, m.op.items).unlike(m.done.of(item, m.op.items))
			if len(allowed) > 1 {
				complaint += "Unlike before:\n" + is.of(item, m.op.items).unlike(m.was.of(item, m.op.items))
			}
			return complaint
		}
	}
	return ""
}

// again repeats the operation and returns the faults after it: a failed operation must succeed now,
// and a successful one must change nothing.
func (m *matrix) again(is picture) string {
	if slices.Equal(is, m.done) {
		return ""
	}
	isPart := func(p picture) bool {
		return slices.ContainsFunc(m.partly, func(part picture) bool { return slices.Equal(p, part) })
	}
	for i, err := range m.op.do(m.stage) {
		item := ""
		if len(m.op.items) > 0 {
			item = m.op.items[i]
		}
		wasDone := is.of(item, m.op.items).isButForEntries(m.done.of(item, m.op.items), m.was.of(item, m.op.items), m.op.entry)
		if err != nil && !wasDone && !isPart(is) {
			return "it fails: " + err.Error()
		}
	}
	m.scanAll()
	p, wrong := m.picture()
	if len(wrong) > 0 {
		return strings.Join(wrong, "\n")
	}
	if !p.isButForEntries(m.done, m.was, m.op.entry) && !(isPart(is) && isPart(p)) {
		return "it is not done:\n" + p.unlike(m.done)
	}
	return ""
}

// TestFaults_AllWritesUseDisk keeps steps from going past the matrix.
func TestFaults_AllWritesUseDisk(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{"*.go", "*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") || name == "agenttx/disk.go" {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, past := range []string{"files.Write(", "files.SyncDirectory(", "oot.Chtimes(", "oot.Remove(", "oot.Rename(", "oot.WriteFile(", "oot.Create(", "oot.Mkdir(", "os.WriteFile(", "os.Remove(", "os.Rename("} {
			if strings.Contains(string(raw), past) {
				t.Errorf("%s changes something on disk by %s…); it has to go through agenttx.Disk", name, past)
			}
		}
	}
}
