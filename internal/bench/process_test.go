package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/servertest"
)

// patience is the maximum wait for anything that normally takes seconds.
const patience = 5 * time.Minute

// debounce is the server's default quiet time after a change.
const debounce = 200 * time.Millisecond

// binary is the path of the server built for this run.
var binary string

func build(dir string) error {
	binary = filepath.Join(dir, "memoir")
	_, err := servertest.Build(binary)
	return err
}

// process is a running server with its settings.
type process struct {
	*testing.B
	command *exec.Cmd
	url     string
	client  *http.Client
	started time.Time
}

// launch starts a server with additional environment variables, and returns when it listens.
func launch(b *testing.B, databaseURL, agentsDir string, env ...string) *process {
	b.Helper()
	// One connection for each client; no compression, as with curl.
	p := &process{B: b, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}}}
	p.command = exec.Command(binary, "--addr=127.0.0.1:0", "--agents-dir="+agentsDir, "--claude-dir=", "--database-url="+databaseURL)
	p.command.Env = append([]string{"HOME=" + b.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	p.command.Stderr = &complaints{}
	out, err := p.command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.started = time.Now()
	if err := p.command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.command.Process.Kill() }) //nolint:errcheck // usually ended
	line, err := bufio.NewReader(out).ReadString('\n')
	url, announced := strings.CutPrefix(strings.TrimSpace(line), "memoir: listening on ")
	if !announced {
		b.Fatalf("the server said %q: %v", line, err)
	}
	p.url = url
	return p
}

// complaints prints the server's unexpected log lines.
type complaints struct{}

func (complaints) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
			fmt.Fprint(os.Stderr, line)
		}
	}
	return len(text), nil
}

// stop ends the server with SIGTERM and waits for it.
func (p *process) stop() {
	p.Helper()
	p.client.CloseIdleConnections()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		p.Error(err)
	}
	if err := p.command.Wait(); err != nil {
		p.Errorf("the server ended badly: %v", err)
	}
}

// untilReady returns the time from the server's start to the end of its first scan, as it reports
// it.
func (p *process) untilReady() time.Duration {
	p.Helper()
	until(p.B, "the first scan", func() bool {
		response, err := p.client.Get(p.url + "/readyz")
		if err != nil {
			p.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return time.Since(p.started)
}

// get returns the answer to a request, and fails the benchmark if the status is not 200.
func (p *process) get(path string) []byte {
	p.Helper()
	return p.ask(http.MethodGet, path)
}

func (p *process) ask(method, path string) []byte {
	p.Helper()
	request, err := http.NewRequest(method, p.url+path, nil)
	if err != nil {
		p.Fatal(err)
	}
	response, err := p.client.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.Fatalf("%s %s answered %s: %v\n%s", method, path, response.Status, err, body)
	}
	return body
}

// page contains the fields of a list answer that the benchmarks use.
type page struct {
	Memories []struct{ ID, Name, Description string }
	Total    int
	Next     *string `json:"next_cursor"`
}

func (p *process) list(query string) page {
	p.Helper()
	return p.listOf("agent-00", query)
}

func (p *process) listOf(agent, query string) page {
	p.Helper()
	var list page
	if err := json.Unmarshal(p.get("/api/v1/agents/"+agent+"/memories"+query), &list); err != nil {
		p.Fatal(err)
	}
	return list
}

// untilQuiet waits until no change on disk is pending.
func (p *process) untilQuiet() {
	p.Helper()
	until(p.B, "quiet", func() bool {
		var status struct{ Pending int }
		if err := json.Unmarshal(p.get("/api/v1/sync"), &status); err != nil {
			p.Fatal(err)
		}
		return status.Pending == 0
	})
}

// memory returns the server's resident memory now and at its peak, in bytes.
func (p *process) memory() (resident, peak int64) {
	p.Helper()
	path := fmt.Sprintf("/proc/%d/status", p.command.Process.Pid)
	return kilobytes(procField(path, "VmRSS")), kilobytes(procField(path, "VmHWM"))
}

// forgetPeak resets the peak in the system's figures for the server.
func (p *process) forgetPeak() {
	p.Helper()
	const peak = "5" // see proc(5), clear_refs
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.command.Process.Pid), []byte(peak), 0); err != nil {
		p.Logf("the peak of its memory stays that of all its time: %v", err)
	}
}

func kilobytes(field string) int64 {
	var n int64
	fmt.Sscanf(field, "%d kB", &n) //nolint:errcheck // 0 where the system does not tell
	return n << 10
}

// until checks a cheap condition every millisecond until it is true.
func until(b *testing.B, what string, holds func() bool) {
	b.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			b.Fatalf("waited %v in vain for %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

func timed(do func()) time.Duration {
	started := time.Now()
	do()
	return time.Since(started)
}
