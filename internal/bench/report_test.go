package bench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/template"
	"time"

	"github.com/jackc/pgx/v5"
)

// write is true if the figures are to be written into docs/BENCHMARKS.md.
var write = flag.Bool("write", false, "write docs/BENCHMARKS.md and its picture; all benchmarks must have run")

const (
	reportPath  = "../../docs/BENCHMARKS.md"
	picturePath = "../../docs/pictures/growth.svg"
)

//go:embed report.md.tmpl
var reportText string

// report contains the figures of this run.
var report = figures{Mirrors: map[int]figure{}, Searchable: map[int]figure{}}

type figures struct {
	Machine, Go, Postgres, Date, Commit string

	Mirrors, Searchable        map[int]figure // by the number of files
	Restarts, Saves, Deletions []figure
	// FirstDeletions and LaterDeletions are of agents with 5,000 memories each.
	FirstDeletions, LaterDeletions figure
	Bursts                         []arrived
	Lists                          []named
	Steady, Search, Recall, Tab    figure
	LongRecall                     figure    // of memories of longSize
	BesideFlood, BesideSlow        figure    // a list during invalid requests, and with slow clients
	AtRest, AtWork                 []weighed // the server's memory with the largest corpus
	Prompts                        prompted
	Quality                        []judged
	Growth                         growth
	Paces                          paces
	Examined                       time.Duration // from the start until the review has examined all memories
	ExaminedPeak                   int64         // the server's memory meanwhile, in bytes
	BesideReview                   figure        // lists meanwhile
	SavedBesideReview              figure        // saves meanwhile, with the debounce
	Database                       int64         // size of the largest corpus in Postgres, in bytes
}

// named is a figure with its subject.
type named struct {
	Name   string
	Figure figure
}

// heaviest returns the most resident memory and the highest peak of all readings.
func heaviest(all []weighed) weighed {
	var most weighed
	for _, w := range all {
		most.Resident, most.Peak = max(most.Resident, w.Resident), max(most.Peak, w.Peak)
	}
	return most
}

// At returns the figure for that number of files.
func (f figures) At(files int, all []figure) figure {
	for _, figure := range all {
		if figure.Files == files {
			return figure
		}
	}
	return figure{}
}

func (f figures) complete() bool {
	return f.Mirrors[largest].Took != nil && len(f.Bursts) > 0 && f.Search.Took != nil && len(f.Deletions) == len(sizes) && f.LongRecall.Took != nil && len(f.Quality) > 0
}

// tell prints the table of results, and writes the page if -write is set. If some benchmarks did
// not run, it prints nothing, and returns an error if -write is set.
func (f figures) tell(out io.Writer, url string) error {
	if !f.complete() {
		if *write {
			return errors.New("docs/BENCHMARKS.md was not written: -write needs -bench=. so that every figure is of one run")
		}
		return nil
	}
	var err error
	if f.Postgres, err = postgresVersion(url); err != nil {
		return err
	}
	f.Machine, f.Go, f.Date = machine(), strings.TrimPrefix(runtime.Version(), "go"), time.Now().Format("2 January 2006")
	if f.Commit, err = commit(); err != nil {
		return err
	}
	page := parseReport()
	if err := page.ExecuteTemplate(out, "results", f); err != nil || !*write {
		return err
	}
	var whole bytes.Buffer
	if err := page.Execute(&whole, f); err != nil {
		return err
	}
	if err := os.WriteFile(reportPath, whole.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(picturePath, f.Growth.picture(), 0o644)
}

// parseReport returns the template of the page. Its template "results" is the printed table.
func parseReport() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"ms": inMilliseconds, "seconds": inSeconds, "times": inTimes, "mb": inMegabytes, "heaviest": heaviest,
		"above": func(d time.Duration) string { return inMilliseconds(d - debounce) },
		"met":   func(isMet bool) string { return map[bool]string{true: "yes", false: "**no**"}[isMet] },
		"under": func(d time.Duration, ms float64) bool { return milliseconds(d) <= ms },
	}).Parse(reportText))
}

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", milliseconds(d)) }
func inSeconds(d time.Duration) string      { return fmt.Sprintf("%.2f s", d.Seconds()) }
func inTimes(ratio float64) string          { return fmt.Sprintf("%.1f ×", ratio) }
func inMegabytes(bytes int64) string        { return fmt.Sprintf("%.0f MB", float64(bytes)/1e6) }

// grouped formats a number with a comma between the thousands.
func grouped(n int) string {
	if n < 1_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1_000), n%1_000)
}

func postgresVersion(url string) (version string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SHOW server_version").Scan(&version)
	return version, err
}

// commit returns the measured commit, with a + if the working tree has changes outside the report.
func commit() (string, error) {
	head, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("read the commit: %w", err)
	}
	changes, err := exec.Command("git", "status", "--porcelain", "--", ":/", ":!/docs").Output()
	if err != nil {
		return "", fmt.Errorf("read the changes: %w", err)
	}
	name := strings.TrimSpace(string(head))
	if len(changes) > 0 {
		name += "+"
	}
	return name, nil
}

// machine describes the machine of this run, as far as the system provides it.
func machine() string {
	described := fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if model := procField("/proc/cpuinfo", "model name"); model != "" {
		described += " (" + model + ")"
	}
	if memory := kilobytes(procField("/proc/meminfo", "MemTotal")); memory > 0 {
		described += fmt.Sprintf(", %.0f GiB of memory", float64(memory)/(1<<30))
	}
	return described
}

// procField returns the value of the first line of that name, or "".
func procField(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
