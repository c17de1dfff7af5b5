// Package longrun stores the results of the last long test runs and writes docs/RELIABILITY.md from
// them. It owns its testdata, the page and its template. Tests call it after they have passed;
// tools/longrun calls it for the fuzzing. It measures nothing.
//
// Results are stored only if -record names the tested commit, as the Makefile does for long runs.
// Failed runs are not stored, so the page shows the last success and its commit.
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

// Run is one row of the page's table of long runs.
type Run struct {
	What    string // the key: a later run with the same name replaces it
	Much    string // amount of work
	Date    string
	Commit  string // ends in + if there were uncommitted changes
	Outcome string
}

// mu serialises the writes of one process.
var mu sync.Mutex

// Recording reports whether this process stores results: the flag -record names a commit.
func Recording() bool { return *commit != "" }

// Passed stores the run of a test in place of the last run with the same what, and writes the page.
// It does nothing if t has failed or Recording is false. what, much and outcome are the fields
// What, Much and Outcome of Run; an empty outcome means that all checks passed. If it cannot store
// the run, t fails.
func Passed(t testing.TB, what, much, outcome string) {
	t.Helper()
	if t.Failed() {
		return
	}
	if err := PassedAll(what, much, outcome); err != nil {
		t.Error(err)
	}
}

// PassedAll stores a run of all tests of a process in place of the last run with the same what, and
// writes the page. It does nothing and returns nil if Recording is false. The caller must know that
// no test has failed. what, much and outcome are the fields What, Much and Outcome of Run.
func PassedAll(what, much, outcome string) error {
	if !Recording() {
		return nil
	}
	return Record(Run{What: what, Much: much, Commit: *commit, Outcome: outcome})
}

// Record stores a run in place of the last run with the same What, and writes the page. It replaces
// Date by today's date and an empty Outcome by a default text. It also stores the run if Recording
// is false.
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

// Keep stores a detailed result in place of the last one of its type, and writes the page. It also
// does so if Recording is false.
func Keep(result Result) error {
	mu.Lock()
	defer mu.Unlock()
	root, err := root()
	if err != nil {
		return err
	}
	return write(root, result.name(), result)
}

// root returns the directory of the module that has the working directory. It asks the go command
// for it.
func root() (string, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("where the project is: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(mod))), nil
}

func resultFile(root, name string) string {
	return filepath.Join(root, "internal", "longrun", "testdata", name+".json")
}

func pageIn(root string) string { return filepath.Join(root, "docs", "RELIABILITY.md") }

func read(root, name string, into any) error {
	raw, err := os.ReadFile(resultFile(root, name))
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
	if err := os.WriteFile(resultFile(root, name), raw.Bytes(), 0o644); err != nil {
		return err
	}
	page, err := page(root)
	if err != nil {
		return err
	}
	return os.WriteFile(pageIn(root), page, 0o644)
}
