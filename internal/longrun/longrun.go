// Package longrun keeps what the last long runs of the tests have shown, and writes docs/RELIABILITY.md from it. It owns
// testdata, the page and its template; tests call it when they have passed, and tools/longrun does for the fuzzing. It
// measures nothing itself.
//
// Results are kept only where -record names the commit that is tested, which the Makefile does for its long runs. What has
// failed is not kept: the page goes on showing what held last, and of which commit.
package longrun

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var commit = flag.String("record", "", "the commit that is tested: keep what this run shows, and write docs/RELIABILITY.md with it")

// Run is one line of the page's table of last long runs.
type Run struct {
	What    string // tells it from the others: the next run of the same takes its place
	Much    string // how much of it was done
	Date    string
	Commit  string // + at its end: with changes that were in no commit
	Outcome string
}

// mu keeps the tests of one process from writing at the same time.
var mu sync.Mutex

// Recording says whether the results of this process are kept.
func Recording() bool { return *commit != "" }

// Passed keeps the run of a test that has come to its end, if results are kept and it has not failed. An empty
// outcome is that everything held.
func Passed(t testing.TB, what, much, outcome string) {
	t.Helper()
	if t.Failed() {
		return
	}
	if err := PassedAll(what, much, outcome); err != nil {
		t.Error(err)
	}
}

// PassedAll is Passed for what all tests of a process have shown, none of which has failed.
func PassedAll(what, much, outcome string) error {
	if !Recording() {
		return nil
	}
	return Record(Run{What: what, Much: much, Commit: *commit, Outcome: outcome})
}

// Record puts a run of today that has passed in the place of the last one of its kind, and writes the page.
func Record(run Run) error {
	mu.Lock()
	defer mu.Unlock()
	root, err := root()
	if err != nil {
		return err
	}
	var runs []Run
	if err := read(root, "runs", &runs); err != nil {
		return err
	}
	run.Date = today()
	if run.Outcome == "" {
		run.Outcome = "everything held"
	}
	runs = slices.DeleteFunc(runs, func(r Run) bool { return r.What == run.What })
	runs = append(runs, run)
	slices.SortFunc(runs, func(a, b Run) int { return strings.Compare(a.What, b.What) })
	return write(root, "runs", runs)
}

func today() string { return time.Now().Format("2 January 2006") }

// Keep keeps what a run has shown beyond its line of the table, and writes the page.
func Keep(result Result) error {
	mu.Lock()
	defer mu.Unlock()
	root, err := root()
	if err != nil {
		return err
	}
	return write(root, result.name(), result)
}

// root is the directory of the module: tests run in those of their packages.
func root() (string, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("where the project is: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(mod))), nil
}

func kept(root, name string) string {
	return filepath.Join(root, "internal", "longrun", "testdata", name+".json")
}

func pageIn(root string) string { return filepath.Join(root, "docs", "RELIABILITY.md") }

func read(root, name string, into any) error {
	raw, err := os.ReadFile(kept(root, name))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func write(root, name string, result any) error {
	var raw bytes.Buffer
	encoder := json.NewEncoder(&raw)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(result); err != nil {
		return err
	}
	if err := os.WriteFile(kept(root, name), raw.Bytes(), 0o644); err != nil {
		return err
	}
	page, err := page(root)
	if err != nil {
		return err
	}
	return os.WriteFile(pageIn(root), page, 0o644)
}
