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

// Result is a detailed result: a section of the page and a file of testdata.
type Result interface{ name() string }

// Occasion is the date, machine, Go version and seed of a run.
type Occasion struct {
	Date, Machine, Go string
	Seed              uint64
}

// Now returns an Occasion with today's date, a description of this machine, the Go version, and
// seed.
func Now(seed uint64) Occasion {
	return Occasion{
		Date: today(), Go: strings.TrimPrefix(runtime.Version(), "go"), Seed: seed,
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
	}
}

// Struck counts the processes killed with SIGKILL.
type Struck struct{ Servers, Postmasters, Backends int }

// Plus returns the sum of two counts, field by field.
func (s Struck) Plus(more Struck) Struck {
	return Struck{s.Servers + more.Servers, s.Postmasters + more.Postmasters, s.Backends + more.Backends}
}

func (s Struck) String() string {
	return fmt.Sprintf("`kill -9` of a server %s times, of Postgres' postmaster %s times, of one of its backends %s times",
		Count(s.Servers), Count(s.Postmasters), Count(s.Backends))
}

// Killed is the result of the kill tests.
type Killed struct {
	Occasion
	Struck         Struck
	Blows, Moments []Counted
	Handovers      []Handover
}

func (Killed) name() string { return "kills" }

// Counted is the number of repetitions of an action.
type Counted struct {
	Name  string
	Times int
}

// All returns the total number of kills: the sum of Times in Blows.
func (k Killed) All() (all int) {
	for _, b := range k.Blows {
		all += b.Times
	}
	return all
}

// Handover is the delay after the kill of an agent's server: until another server had done a
// deletion, and until it showed a new file.
type Handover struct{ Deletion, File time.Duration }

// Deletion returns the median and maximum of the delays of deletions in Handovers, or the zero
// value without any.
func (k Killed) Deletion() Spread {
	return spreadOf(k.Handovers, func(h Handover) time.Duration { return h.Deletion })
}

// File returns the median and maximum of the delays of new files in Handovers, or the zero value
// without any.
func (k Killed) File() Spread {
	return spreadOf(k.Handovers, func(h Handover) time.Duration { return h.File })
}

// Shown is the delay until one server showed changes made at another one.
type Shown struct {
	Occasion
	Kinds []ShownKind
}

func (Shown) name() string { return "shown" }

// ShownKind are the delays of one kind of change.
type ShownKind struct {
	How   string
	Times []ShownTimes
}

// ShownTimes is the delay of one change in the event stream and in the list.
type ShownTimes struct{ Event, List time.Duration }

// Event returns the median and maximum of the delays in the event stream, or the zero value without
// any.
func (k ShownKind) Event() Spread {
	return spreadOf(k.Times, func(t ShownTimes) time.Duration { return t.Event })
}

// List returns the median and maximum of the delays in the list, or the zero value without any.
func (k ShownKind) List() Spread {
	return spreadOf(k.Times, func(t ShownTimes) time.Duration { return t.List })
}

// Spread is the median and maximum of several durations.
type Spread struct{ Median, Slowest time.Duration }

// spreadOf calls took for each element of all, and returns the median and the maximum of the
// results, rounded to 10 ms. It returns the zero value if all is empty.
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

// Soaked is the result of a soak test.
type Soaked struct {
	Occasion
	Lasted                           time.Duration
	Changes, Late, Answers, Failures int64
	Grown                            int // growth of the database in bytes
	Figures                          []Judgement
}

func (Soaked) name() string { return "soak" }

// Judgement is the development of one measured value during a soak test.
type Judgement struct {
	Name                           string
	First, Half, Last, Least, Most float64
	PerHour                        float64 // slope of the second half of the readings
	Drift                          float64 // maximum slope
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

// Count returns a number with thousands separators, such as 12,345. n must not be negative.
func Count[N ~int | ~int64](n N) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// page returns the text of docs/RELIABILITY.md with the results that are stored below root. It does
// not write the file. It returns an error if a result is missing.
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
