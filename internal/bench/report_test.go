package bench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/template"
	"time"

	"github.com/jackc/pgx/v5"
)

// write says whether the figures go into docs/BENCHMARKS.md.
var write = flag.Bool("write", false, "write docs/BENCHMARKS.md; all benchmarks must have run")

const reportPath = "../../docs/BENCHMARKS.md"

//go:embed report.md.tmpl
var reportText string

// report has the figures of this run.
var report figures

type figures struct {
	Machine, Go, Postgres   string
	Date                    string
	Debounce                time.Duration
	Rounds, Saved, Openings int
	Mirrors                 []named[mirrored]
	Saves                   []named[saved]
	Tabs                    []opened
}

// named is a figure with the layout that it was taken on.
type named[F any] struct {
	Layout layout
	Figure F
}

// write renders the report. It refuses to write one that lacks figures.
func (f figures) write(url string) error {
	if len(f.Mirrors) == 0 || len(f.Saves) == 0 || len(f.Tabs) == 0 {
		return errors.New("docs/BENCHMARKS.md was not written: -write needs -bench=. so that every figure is of one run")
	}
	var err error
	if f.Postgres, err = postgresVersion(url); err != nil {
		return err
	}
	f.Machine, f.Go, f.Date = machine(), strings.TrimPrefix(runtime.Version(), "go"), time.Now().Format("2 January 2006")
	f.Debounce, f.Rounds, f.Saved, f.Openings = debounce, rounds, saves, openings
	var out bytes.Buffer
	page := template.New("report").Funcs(template.FuncMap{"ms": inMilliseconds, "seconds": inSeconds, "times": inTimes})
	if err := template.Must(page.Parse(reportText)).Execute(&out, f); err != nil {
		return err
	}
	return os.WriteFile(reportPath, out.Bytes(), 0o644)
}

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", milliseconds(d)) }
func inSeconds(d time.Duration) string      { return fmt.Sprintf("%.2f s", d.Seconds()) }
func inTimes(ratio float64) string          { return fmt.Sprintf("%.1f ×", ratio) }

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

// machine describes where the figures were taken, as far as the system tells.
func machine() string {
	described := fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if model := procField("/proc/cpuinfo", "model name"); model != "" {
		described += " (" + model + ")"
	}
	var kilobytes int
	if n, _ := fmt.Sscanf(procField("/proc/meminfo", "MemTotal"), "%d kB", &kilobytes); n == 1 {
		described += fmt.Sprintf(", %.0f GiB of memory", float64(kilobytes)/(1<<20))
	}
	return described
}

// procField returns the value of the first line of that name, empty where there is none.
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
