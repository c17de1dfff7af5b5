package sync_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memoir/internal/files/filestest"
	"memoir/internal/longrun"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// In the model-based tests an agent, a person and a careless program do random things in random
// order. After them, files, rows and CLAUDE.md must agree. To run more: go test -run Model
// ./internal/sync -rapid.checks=1000
const (
	modelChecks = 12 // runs of each test, unless -rapid.checks says otherwise
	modelLimit  = 4_000
)

var fewChecks = sync.OnceFunc(func() {
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.checks": fmt.Sprint(modelChecks), "rapid.nofailfile": "true"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err) // both are flags of the library
			}
		}
	}
})

func TestModel_ScansFollowRules(t *testing.T) {
	t.Parallel()
	model(t, "looks and rules", func(b *bench) {
		b.options.WriterPause = time.Nanosecond // so that each scan takes each file
		b.restart()
		b.stopWatching()
	}, func(w *world) {
		w.rules = newRules()
		w.rules.noteAway(w, true) // the engine has looked at all of it already
		actions := w.actions()
		actions["scan"] = func(t *rapid.T) { w.t = t; w.scan() }
		actions["set the clock"] = func(t *rapid.T) { w.t = t; w.setClock() }
		actions["time passes"] = func(t *rapid.T) { w.t = t; w.timePasses() }
		w.t.Repeat(actions)
		w.scan()
		w.remembers()
	})
}

func TestModel_TwoServersAgree(t *testing.T) {
	t.Parallel()
	var disk filling
	var other *bench
	model(t, "two servers", func(b *bench) {
		b.stop()
		if small := filestest.NewSmallDisk(t, smallDiskSize); small != nil {
			b.dir, b.options.Places.AgentsDir, disk = small.Dir, small.Dir, smallDisk{small, t}
		} else {
			instead := &fillingDisk{}
			b.options.Disk, disk = instead, instead
		}
		b.start()
		other = b.another(b.dir)
	}, func(w *world) {
		w.filling, w.other = disk, other
		defer w.makeRoom()
		actions := w.actions()
		actions["fill the disk"] = func(*rapid.T) { w.fillDisk() }
		actions["set the clock"] = func(t *rapid.T) { w.t = t; w.setClock() }
		actions["scan"] = func(t *rapid.T) { w.t = t; w.scanAll(); w.agrees() }
		w.t.Repeat(actions)
		w.scanAll()
		w.agrees()
	})
}

func TestModel_WatcherConverges(t *testing.T) {
	t.Parallel()
	model(t, "the watcher", func(*bench) {}, func(w *world) {
		actions := w.actions()
		actions["set the clock"] = func(t *rapid.T) { w.t = t; w.setClock() }
		actions["wait for the watcher"] = func(t *rapid.T) { w.t = t; w.agrees() }
		w.t.Repeat(actions)
		w.agrees()
	})
}

// model runs a state machine repeatedly over one engine, each time on an agent of its own, and logs
// what it has covered.
func model(t *testing.T, what string, prepare func(*bench), run func(*world)) {
	t.Helper()
	fewChecks()
	b := setup(t)
	b.options.ClaudeMDLimit = modelLimit // so that some of the memories become one-line entries
	b.restart()
	prepare(b)
	journal, tallies := pgtest.Journal(t, b.url), pgtest.Tallies(t, b.url)
	repository := sync.OnceValues(func() (string, error) { return repositoryIn(t.TempDir()) })
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		w := newWorld(rt, b, fmt.Sprintf("agent%d", runs))
		w.journal, w.tallies, w.repository = journal, tallies, repository
		defer w.end()
		run(w)
	})
	longrun.Passed(t, "model: "+what, fmt.Sprintf("%s random histories", longrun.Count(runs)), "")
}

// world is one agent, with all that the test has done to it and so knows of it.
type world struct {
	t    *rapid.T
	b    *bench
	slug string

	hand  handwritten
	index map[string][]string                      // the lines of each MEMORY.md, by absolute path
	aside map[string]string                        // moved directories, by their former paths
	ever  contents                                 // every content that was ever written
	left  map[string]map[memories.Fingerprint]bool // contents of renamed memories, by id and old key
	ended contents                                 // blocked contents of deleted memories
	taken map[string][]string                      // index lines of each deletion, by the memory's id
	// journal returns where the journal contradicts the state; tallies returns where counters are
	// wrong.
	journal, tallies func() []string
	pasts            []knownState
	repository       func() (dir string, err error) // what branches are checked out from
	clockSet         bool
	filling          filling // nil: it never is
	full             bool    // that disk
	owing            bool    // an index has lines to remove when the disk has room
	other            *bench  // a second server; nil if there is only one
	rules            *rules  // what each scan has to lead to; nil while the engine looks by itself
}

// contents are fingerprints by the keys of memories.
type contents map[string]map[memories.Fingerprint]bool

func (c contents) add(name string, f memories.Fingerprint) {
	if c[name] == nil {
		c[name] = map[memories.Fingerprint]bool{}
	}
	c[name][f] = true
}

func newWorld(t *rapid.T, b *bench, slug string) *world {
	w := &world{
		t: t, b: b, slug: slug, index: map[string][]string{}, aside: map[string]string{}, ever: contents{}, ended: contents{}, left: map[string]map[memories.Fingerprint]bool{},
		taken: map[string][]string{}, hand: handwritten{after: "\n"},
	}
	w.must(os.MkdirAll(w.path("memory"), 0o755))
	_, err := b.engine.ScanAll(context.Background())
	w.must(err)
	return w
}

// end takes the agent away, so that the next one is alone.
func (w *world) end() {
	// The engine may be writing into the directory meanwhile, which is then not empty after all.
	waittest.For(w.b, "the agent's directory to go", func() bool { return os.RemoveAll(w.path(".")) == nil })
	for _, dir := range w.aside {
		os.RemoveAll(dir) //nolint:errcheck // the test's own directory goes with the test
	}
	if _, err := w.b.engine.ScanAll(context.Background()); err != nil {
		w.b.Error(err)
	}
	_, err := w.b.engine.Forget(context.Background(), w.slug)
	var conflict *memories.ConflictError
	// It is known for some minutes.
	if handedOver := w.other != nil && errors.As(err, &conflict); err != nil && !handedOver {
		w.b.Error(err)
	}
}

func (w *world) must(err error) {
	if err != nil {
		w.t.Helper()
		w.t.Fatal(err)
	}
}

// path is where a slash-separated path of the agent is on this machine.
func (w *world) path(rel string) string {
	return filepath.Join(w.b.dir, w.slug, filepath.FromSlash(rel))
}

func (w *world) scanAll() {
	_, err := w.asked().ScanAll(context.Background())
	w.must(err)
}

// scan scans everything and compares the result with the rules. It waits for programs that may be
// writing, so that no file is left out.
func (w *world) scan() {
	w.look(".", func() {
		w.scanAll()
		if relPath := w.emptyUnseen(); w.rules != nil && relPath != "" {
			w.t.Fatalf("a scan has been answered, and %s is not known without a byte", relPath)
		}
	})
	w.agreesNow()
}

// look is one scan of the engine at a part of the agent, as the rules see it.
func (w *world) look(paths string, do func()) {
	if w.rules == nil {
		do()
		return
	}
	before := time.Now().Add(-time.Microsecond)
	do()
	w.takesEmptyFiles()
	w.rules.look(w, paths, span{before, time.Now()})
}

// takesEmptyFiles looks again until what a scan may have left out is taken: a file without a byte
// counts for a moment as one that is just being written. It says whether it has looked.
func (w *world) takesEmptyFiles() (looked bool) {
	waittest.NoError(w.t, "files without a byte", func() error {
		relPath := w.emptyUnseen()
		if relPath == "" {
			return nil
		}
		w.scanAll()
		looked = true
		return fmt.Errorf("%s is not known without a byte", relPath)
	})
	return looked
}

// emptyUnseen returns a place where a file has no bytes and is not known, or with some; none: the
// empty string.
func (w *world) emptyUnseen() string {
	disk := w.disk()
	maps.DeleteFunc(disk, func(relPath string, f diskFile) bool { return f.bad || f.text != "" || !w.isKnown(relPath) })
	if len(disk) == 0 {
		return ""
	}
	agent, err := w.b.store.Agent(context.Background(), w.slug)
	w.must(err)
	rows := w.rows(agent)
	for relPath := range disk {
		if row := rows[relPath]; row.Status != records.Removing && !(row.Present && row.Hash == hashOf("")) {
			return relPath
		}
	}
	return ""
}

func (w *world) restart() {
	server := w.b
	if w.other != nil && rapid.Bool().Draw(w.t, "the other") {
		server = w.other
	}
	w.look(".", server.restart)
	if w.rules != nil {
		w.agreesNow()
	}
}

// asked is the server that is asked for something.
func (w *world) asked() *engine.Engine {
	if w.other != nil && rapid.Bool().Draw(w.t, "of the other server") {
		return w.other.engine
	}
	return w.b.engine
}

// agrees waits until files, rows and CLAUDE.md agree, for which there has to be room on the disk.
func (w *world) agrees() {
	w.makeRoom()
	waittest.NoError(w.t, "files, rows and CLAUDE.md to agree", func() error {
		if disagreements := w.disagreements(); len(disagreements) > 0 {
			return errors.New(strings.Join(disagreements, "\n"))
		}
		return nil
	})
}

func (w *world) agreesNow() {
	if disagreements := w.disagreements(); len(disagreements) > 0 {
		w.t.Fatalf("after the look:\n%s", strings.Join(disagreements, "\n"))
	}
	w.remember()
}

// find returns the memory that lives under a key, a readable one.
func (w *world) find(key string) (memories.Memory, bool) {
	for _, m := range w.memories("") {
		if keyOf(m) == key && m.Readable {
			return m, true
		}
	}
	return memories.Memory{}, false
}

// oneOf draws a memory in a state. It returns false if no memory has it.
func (w *world) oneOf(state memories.State) (memories.Memory, bool) {
	list := w.memories(state)
	if len(list) == 0 {
		return memories.Memory{}, false
	}
	names := make([]string, len(list))
	byName := map[string]memories.Memory{}
	for i, m := range list {
		names[i] = fmt.Sprintf("%s at %s", m.Name, m.Path)
		byName[names[i]] = m
	}
	return byName[rapid.SampledFrom(names).Draw(w.t, "memory")], true
}
