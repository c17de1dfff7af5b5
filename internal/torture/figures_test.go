package torture

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/longrun"
)

// figure is one value of a server that a soak test watches.
type figure struct {
	name string
	unit float64 // divisor for printing: bytes are printed in MiB
	// drift is the maximum growth per hour, in the printed unit, that still counts as flat. The
	// slope of about 180 readings varies by that much without a leak. A leak under 100 changes a
	// second grows thousands of times as fast.
	drift float64
	read  func(*reading) (float64, error)
}

const mib = 1 << 20

// watched contains every figure that a leak would raise.
var watched = []figure{
	{"resident memory, MiB", mib, 4, func(r *reading) (float64, error) { return r.status(r.pid, "VmRSS") }},
	{"Go heap in use, MiB", mib, 3, func(r *reading) (float64, error) { return r.logged["heap_live"], nil }},
	{"goroutines", 1, 5, func(r *reading) (float64, error) { return r.logged["goroutines"], nil }},
	{"threads", 1, 2, func(r *reading) (float64, error) { return r.status(r.pid, "Threads") }},
	{"open descriptors", 1, 5, (*reading).descriptors},
	{"watched directories", 1, 20, (*reading).watches},
	{"connections to Postgres", 1, 1, func(r *reading) (float64, error) { return float64(len(r.backends)), nil }},
	{"their memory in Postgres, MiB", mib, 6, (*reading).backendMemory},
}

// reading reads the figures of a server from outside, on Linux from /proc.
type reading struct {
	pid      int
	logged   map[string]float64 // the server's own figures, which it logs on a signal
	backends []int
}

// status returns one line of a process' /proc status. Values in kB are returned in bytes.
func (r *reading) status(pid int, line string) (float64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for text := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(text, ":")
		if name != line {
			continue
		}
		fields := strings.Fields(value)
		n, err := strconv.ParseFloat(fields[0], 64)
		if len(fields) > 1 {
			n *= 1 << 10
		}
		return n, err
	}
	return 0, fmt.Errorf("process %d has no %s", pid, line)
}

func (r *reading) descriptors() (float64, error) {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", r.pid))
	return float64(len(open)), err
}

// watches counts the inotify watches in the descriptions of the server's descriptors.
func (r *reading) watches() (float64, error) {
	described, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", r.pid))
	n := 0
	for _, path := range described {
		raw, err := os.ReadFile(path)
		if err == nil {
			n += strings.Count(string(raw), "inotify wd:")
		}
	}
	return float64(n), err
}

// backendMemory returns the private memory of all Postgres backends, in bytes. Shared memory is
// Postgres' cache.
func (r *reading) backendMemory() (sum float64, err error) {
	for _, pid := range r.backends {
		n, err := r.status(pid, "RssAnon")
		if err == nil { // on an error, the connection has just ended
			sum += n
		}
	}
	return sum, nil
}

// series contains the readings of each figure in order of time.
type series struct {
	at     []time.Duration
	values [][]float64
}

// sample reads all figures until then: every ten seconds, in a short soak every second.
func (p *place) sample(until time.Time) *series {
	p.Helper()
	start := time.Now()
	s := &series{values: make([][]float64, len(watched))}
	pause := 10 * time.Second
	if time.Until(until) < 2*time.Minute {
		pause = time.Second
	}
	for time.Now().Before(until) && !p.Failed() {
		time.Sleep(pause)
		r := &reading{pid: p.servers[0].process.Pid, logged: p.askForFigures()}
		r.backends = p.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'memoir' AND usename = 'memoir'")
		s.at = append(s.at, time.Since(start))
		for i, f := range watched {
			value, err := f.read(r)
			if err != nil {
				p.Fatalf("reading %s: %v", f.name, err)
			}
			s.values[i] = append(s.values[i], value/f.unit)
		}
		p.Log(s.last())
	}
	return s
}

// last returns the last reading as one line of text.
func (s *series) last() string {
	end := len(s.at) - 1
	line := s.at[end].Round(time.Second).String()
	for i, f := range watched {
		line += fmt.Sprintf("; %s: %.4g", f.name, s.values[i][end])
	}
	return line
}

// askForFigures makes the server log its figures, and returns them.
func (p *place) askForFigures() map[string]float64 {
	p.Helper()
	log, err := os.Open(p.logPath)
	if err != nil {
		p.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // only read
	end, err := log.Seek(0, 2)
	if err != nil {
		p.Fatal(err)
	}
	if err := p.servers[0].process.Signal(syscall.SIGUSR1); err != nil {
		p.Fatal(err)
	}
	raw := make([]byte, 1<<20)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		n, _ := log.ReadAt(raw, end) //nolint:errcheck // as far as it goes
		_, line, found := strings.Cut(string(raw[:n]), "msg=figures ")
		line, _, whole := strings.Cut(line, "\n")
		if !found || !whole {
			continue
		}
		figures := map[string]float64{}
		for _, pair := range strings.Fields(line) {
			name, value, _ := strings.Cut(pair, "=")
			if figures[name], err = strconv.ParseFloat(value, 64); err != nil {
				p.Fatal(err)
			}
		}
		return figures
	}
	p.Fatal("the server does not log its figures when it gets a SIGUSR1")
	return nil
}

// judge reports for each figure whether it was flat over the second half, after the warm-up.
func (s *series) judge() []longrun.Judgement {
	var all []longrun.Judgement
	half := len(s.at) / 2
	for i, f := range watched {
		values := s.values[i]
		if len(values) < 2 {
			continue
		}
		j := longrun.Judgement{
			Name: f.name, First: values[0], Half: values[half], Last: values[len(values)-1], Least: slices.Min(values), Most: slices.Max(values),
			PerHour: slope(s.at[half:], values[half:]), Drift: f.drift,
		}
		j.Flat = j.PerHour <= j.Drift
		all = append(all, j)
	}
	return all
}

// slope returns the median slope per hour between any two readings (Theil and Sen). A burst of load
// hardly moves it, unlike a line of least squares.
func slope(at []time.Duration, values []float64) float64 {
	var between []float64
	for i := range at {
		for k := range i {
			between = append(between, (values[i]-values[k])/(at[i]-at[k]).Hours())
		}
	}
	if len(between) == 0 {
		return 0
	}
	slices.Sort(between)
	return between[len(between)/2]
}

func TestSlope_IgnoresBurst(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	for _, grows := range []float64{0, 8} { // growth per hour
		var at []time.Duration
		var values []float64
		for i := range 180 {
			value := 60 + grows*float64(i)/360 + random.Float64()
			if i > 160 && i < 172 {
				value += 20
			}
			at, values = append(at, time.Duration(i)*10*time.Second), append(values, value)
		}
		if got := slope(at, values); math.Abs(got-grows) > 1 {
			t.Errorf("what grows by %v an hour is said to grow by %.2f", grows, got)
		}
	}
}
