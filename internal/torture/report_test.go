package torture

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"
)

// write says whether what a run has shown goes into docs/RELIABILITY.md.
var write = flag.Bool("write", false, "keep the results of this run, and write docs/RELIABILITY.md with them")

const (
	reportPath = "../../docs/RELIABILITY.md"
	// The last results of the long runs are kept beside the tests, for the two are not run together.
	killsPath = "testdata/kills.json"
	soakPath  = "testdata/soak.json"
)

//go:embed report.md.tmpl
var reportText string

// occasion is when, where and from what a result was drawn.
type occasion struct {
	Date, Machine, Go string
	Seed              uint64
}

func describe(seed uint64) occasion {
	return occasion{
		Date: time.Now().Format("2 January 2006"), Go: strings.TrimPrefix(runtime.Version(), "go"), Seed: seed,
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
	}
}

// killed is what the blows have shown.
type killed struct {
	occasion
	Blows, Moments []counted
	Handovers      []handover
}

// All is how many blows fell.
func (k killed) All() (all int) {
	for _, b := range k.Blows {
		all += b.Times
	}
	return all
}

// Deletion is how long deletions took whose server was killed right before, and File how long files that were written then.
func (k killed) Deletion() spread {
	return spreadOf(k.Handovers, func(h handover) time.Duration { return h.Deletion })
}

func (k killed) File() spread {
	return spreadOf(k.Handovers, func(h handover) time.Duration { return h.File })
}

// spread is how long something took that was done a few times.
type spread struct{ Median, Slowest time.Duration }

func spreadOf(all []handover, took func(handover) time.Duration) spread {
	if len(all) == 0 {
		return spread{}
	}
	var times []time.Duration
	for _, h := range all {
		times = append(times, took(h).Round(10*time.Millisecond))
	}
	slices.Sort(times)
	return spread{times[len(times)/2], times[len(times)-1]}
}

type counted struct {
	Name  string
	Times int
}

// soaked is what a soak has shown.
type soaked struct {
	occasion
	Lasted                           time.Duration
	Changes, Late, Answers, Failures int64
	Grown                            int // bytes of the database
	Figures                          []judgement
}

// fallen counts the blows after which everything held.
var fallen count

type count struct {
	mu             sync.Mutex
	blows, moments map[string]int
	handovers      []handover
}

func (c *count) addHandover(h handover) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handovers = append(c.handovers, h)
}

func (c *count) add(blow, moment string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blows == nil {
		c.blows, c.moments = map[string]int{}, map[string]int{}
	}
	c.blows[blow]++
	c.moments[moment]++
}

func (c *count) result() killed {
	c.mu.Lock()
	defer c.mu.Unlock()
	return killed{occasion: describe(seed()), Blows: sorted(c.blows), Moments: sorted(c.moments), Handovers: c.handovers}
}

func sorted(times map[string]int) (all []counted) {
	for _, name := range slices.Sorted(maps.Keys(times)) {
		all = append(all, counted{name, times[name]})
	}
	return all
}

// keep writes a result to its place, and the report anew.
func keep(path string, result any) error {
	raw, err := json.MarshalIndent(result, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
		return err
	}
	page, err := rendered()
	if err != nil {
		return err
	}
	return os.WriteFile(reportPath, page, 0o644)
}

// rendered is the report with the results that are kept.
func rendered() ([]byte, error) {
	var data struct {
		Kills killed
		Soak  soaked
	}
	if err := errors.Join(read(killsPath, &data.Kills), read(soakPath, &data.Soak)); err != nil {
		return nil, err
	}
	page, err := template.New("report").Funcs(template.FuncMap{
		"mib":     func(bytes int) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/mib) },
		"figure":  func(f float64) string { return fmt.Sprintf("%.4g", f) },
		"perHour": func(f float64) string { return fmt.Sprintf("%+.2g", f) },
	}).Parse(reportText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, data)
	return out.Bytes(), err
}

func read(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func TestTheReportSaysWhatTheLastLongRunsHaveShown(t *testing.T) {
	want, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	if *write {
		if err := os.WriteFile(reportPath, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(reportPath); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s (%v) is not what its template makes of the results that are kept; after a change of the template: go test ./internal/torture -run Report -write", reportPath, err)
	}
}
