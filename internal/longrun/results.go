package longrun

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed report.md.tmpl
var reportText string

// Result is what a run has shown beyond its line of the table: a section of the page, and a file of testdata.
type Result interface{ name() string }

// Occasion is when, where and from what a result was drawn.
type Occasion struct {
	Date, Machine, Go string
	Seed              uint64
}

// Now is the occasion of a run that has just ended.
func Now(seed uint64) Occasion {
	return Occasion{
		Date: today(), Go: strings.TrimPrefix(runtime.Version(), "go"), Seed: seed,
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
	}
}

// Struck is how many processes were ended by kill -9.
type Struck struct{ Servers, Postmasters, Backends int }

// Plus adds what another blow has ended.
func (s Struck) Plus(more Struck) Struck {
	return Struck{s.Servers + more.Servers, s.Postmasters + more.Postmasters, s.Backends + more.Backends}
}

func (s Struck) String() string {
	return fmt.Sprintf("`kill -9` of a server %s times, of Postgres' postmaster %s times, of one of its backends %s times",
		Count(s.Servers), Count(s.Postmasters), Count(s.Backends))
}

// Killed is what the blows have shown.
type Killed struct {
	Occasion
	Struck         Struck
	Blows, Moments []Counted
	Handovers      []Handover
}

func (Killed) name() string { return "kills" }

// Counted is how often something was done.
type Counted struct {
	Name  string
	Times int
}

// All is how many blows fell.
func (k Killed) All() (all int) {
	for _, b := range k.Blows {
		all += b.Times
	}
	return all
}

// Handover is how long it has taken, from the moment in which the server that looked after an agent was killed, until the other
// one had carried out a deletion, and until it showed a file that was written right after.
type Handover struct{ Deletion, File time.Duration }

// Deletion is how long deletions took whose server was killed right before, and File how long files that were written then.
func (k Killed) Deletion() Spread {
	return spreadOf(k.Handovers, func(h Handover) time.Duration { return h.Deletion })
}

// File is how long the files took.
func (k Killed) File() Spread {
	return spreadOf(k.Handovers, func(h Handover) time.Duration { return h.File })
}

// Shown is how long changes took that were made at one of two servers until the other one showed them.
type Shown struct {
	Occasion
	Kinds []ShownKind
}

func (Shown) name() string { return "shown" }

// ShownKind are changes that were made in the same way.
type ShownKind struct {
	How   string
	Times []ShownTimes
}

// ShownTimes is how long after a change the other server had told of it on its event stream, and showed it in its list.
type ShownTimes struct{ Event, List time.Duration }

// Event is how long the event stream took.
func (k ShownKind) Event() Spread {
	return spreadOf(k.Times, func(t ShownTimes) time.Duration { return t.Event })
}

// List is how long the list took.
func (k ShownKind) List() Spread {
	return spreadOf(k.Times, func(t ShownTimes) time.Duration { return t.List })
}

// Spread is how long something took that was done a few times.
type Spread struct{ Median, Slowest time.Duration }

func spreadOf[T any](all []T, took func(T) time.Duration) Spread {
	if len(all) == 0 {
		return Spread{}
	}
	var times []time.Duration
	for _, one := range all {
		times = append(times, took(one).Round(10*time.Millisecond))
	}
	slices.Sort(times)
	return Spread{times[len(times)/2], times[len(times)-1]}
}

// Soaked is what a soak has shown.
type Soaked struct {
	Occasion
	Lasted                           time.Duration
	Changes, Late, Answers, Failures int64
	Grown                            int // bytes of the database
	Figures                          []Judgement
}

func (Soaked) name() string { return "soak" }

// Judgement is what became of a figure.
type Judgement struct {
	Name                           string
	First, Half, Last, Least, Most float64
	PerHour                        float64 // the slope of the second half of the readings
	Drift                          float64 // how much that may be
	Flat                           bool
}

func (j Judgement) String() string {
	verdict := "flat"
	if !j.Flat {
		verdict = "NOT FLAT"
	}
	return fmt.Sprintf("%s: %.4g at first, %.4g half way, %.4g in the end (%.4g to %.4g), %+.3g an hour: %s",
		j.Name, j.First, j.Half, j.Last, j.Least, j.Most, j.PerHour, verdict)
}

const mib = 1 << 20

// Count is a number as people read it: 12,345.
func Count[N ~int | ~int64](n N) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// page is the report with the results that are kept.
func page(root string) ([]byte, error) {
	var data struct {
		Runs  []Run
		Kills Killed
		Shown Shown
		Soak  Soaked
	}
	err := errors.Join(read(root, "runs", &data.Runs), read(root, "kills", &data.Kills), read(root, "shown", &data.Shown), read(root, "soak", &data.Soak))
	if err != nil {
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
