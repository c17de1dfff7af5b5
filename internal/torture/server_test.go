package torture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/longrun"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/servertest"
	"memoir/internal/waittest"
)

// patience is the maximum time for a server to answer or to be ready, on a slow and shared machine.
var patience = 2 * waittest.Patience()

// given is an already built binary. With it, edits of the source do not affect a long run.
var given = flag.String("binary", "", "the server's binary; empty: it is built")

// built is the directory of the built binary; empty if no test has needed it.
var built string

// binary builds the server once for all tests of the process.
var binary = sync.OnceValues(func() (path string, err error) {
	if *given != "" {
		return filepath.Abs(*given)
	}
	if built, err = os.MkdirTemp("", "memoir-torture-"); err != nil {
		return "", err
	}
	path = filepath.Join(built, "memoir")
	_, err = servertest.Build(path)
	return path, err
})

func TestMain(m *testing.M) {
	code := pgtest.Run(m)
	if code == 0 && longrun.Recording() && len(fallen.blows) > 0 {
		if err := fallen.keep(); err != nil {
			fmt.Fprintln(os.Stderr, "torture:", err)
			code = 1
		}
	}
	if built != "" {
		os.RemoveAll(built) //nolint:errcheck // it is a temporary directory
	}
	os.Exit(code)
}

// place is one installation of Memoir: its agents, its database, and the servers of both.
type place struct {
	testing.TB
	binary  string
	agents  string // agents directory
	data    string // data directory of the private Postgres
	logPath string
	flags   []string // for every server, in addition to the directories
	env     []string // for every server, in addition to the test's environment
	seed    uint64
	random  *rand.Rand // for choices that concern the whole place
	servers []*server
	ledgers []*ledger
	// answers counts the answers, so that a blow can come right after one.
	answers atomic.Int64
	// failures counts the answers with a status of 500 or more.
	failures atomic.Int64
	// lastFailure is the request and answer of the last failure.
	lastFailure atomic.Value
	// faults counts the failures that were not caused by the absence of Postgres.
	faults    atomic.Int64
	lastFault atomic.Value
	edits     edits
	// killed counts servers ended by kill -9. The functions that kill Postgres count its processes.
	killed, postmasters, backends atomic.Int64
}

// newPlace returns an empty place with some servers. None of them runs yet.
func newPlace(t testing.TB, seed uint64, servers int) *place {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	dir, err := os.MkdirTemp("", "memoir-torture-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("everything is as it was found: %s", dir)
			return
		}
		os.RemoveAll(dir) //nolint:errcheck // it is a temporary directory
	})
	p := &place{
		TB: t, binary: path, agents: filepath.Join(dir, "agents"), data: filepath.Join(dir, "data"), logPath: filepath.Join(dir, "log"),
		seed: seed,
	}
	p.random = p.draws("blows")
	for range servers {
		p.servers = append(p.servers, &server{place: p})
	}
	t.Cleanup(p.killAll)
	return p
}

// draws returns a random source for one worker of the place, derived from the seed.
func (p *place) draws(who string) *rand.Rand {
	named := fnv.New64a()
	io.WriteString(named, p.Name()+who) //nolint:errcheck // it never fails
	return rand.New(rand.NewPCG(p.seed, named.Sum64()))
}

// server is one process of Memoir.
type server struct {
	*place
	mu      sync.Mutex
	url     string // empty while the server does not run
	process *os.Process
	ended   chan struct{} // closed when the process has ended
	code    int           // exit code
}

// launch starts the server and waits until it prints its address. It returns false if the server
// ends before that.
func (s *server) launch() (announced bool) {
	s.Helper()
	cmd := exec.Command(s.binary, append([]string{"--addr=127.0.0.1:0", "--agents-dir=" + s.agents, "--claude-dir=", "--data-dir=" + s.data}, s.flags...)...)
	cmd.Env = append(withoutSettings(os.Environ()), "HOME="+s.data)
	cmd.Env = append(cmd.Env, s.env...)
	log, err := os.OpenFile(s.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // the server has it open itself
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	ended := make(chan struct{})
	s.mu.Lock()
	s.process, s.ended = cmd.Process, ended
	s.mu.Unlock()
	line, _ := bufio.NewReader(out).ReadString('\n')
	go func() {
		cmd.Wait() //nolint:errcheck // how it ended is in its state
		s.mu.Lock()
		s.code, s.url = cmd.ProcessState.ExitCode(), ""
		s.mu.Unlock()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			s.killed.Add(1)
		}
		close(ended)
	}()
	url, announced := strings.CutPrefix(strings.TrimSpace(line), "memoir: listening on ")
	if announced {
		s.mu.Lock()
		s.url = url
		s.mu.Unlock()
	}
	return announced
}

// start runs the server and waits until its first scan is finished.
func (s *server) start() {
	s.Helper()
	if !s.launch() {
		s.Fatalf("the server did not say where it listens\n%s", s.log())
	}
	s.awaitReady()
}

func (s *server) awaitReady() {
	s.Helper()
	s.await("the server to be ready", func() bool {
		status, _ := s.call("GET", "/readyz", nil, nil)
		return status == http.StatusOK
	})
}

// startAll starts each server that does not run.
func (p *place) startAll() {
	p.Helper()
	for _, s := range p.servers {
		if !s.runs() {
			s.start()
		}
	}
}

func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

func (s *server) runs() bool { return s.address() != "" }

// kill ends the server with SIGKILL, as a power cut would.
func (s *server) kill() {
	s.mu.Lock()
	process, ended := s.process, s.ended
	s.mu.Unlock()
	if process == nil {
		return
	}
	process.Kill() //nolint:errcheck // it may have ended by itself
	<-ended
}

func (p *place) killAll() {
	for _, s := range p.servers {
		s.kill()
	}
}

// farewell is the documented maximum time of a server's shutdown.
const farewell = 15 * time.Second

// terminate stops the server with SIGTERM. It must end in time and with code 0.
func (s *server) terminate() {
	s.Helper()
	s.mu.Lock()
	process, ended := s.process, s.ended
	s.mu.Unlock()
	start := time.Now()
	if err := process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	<-ended
	// The machine may be busy with other work, so twice the documented time is accepted.
	if took := time.Since(start); took > 2*farewell {
		s.Errorf("the server took %v to end, and %v is promised\n%s", took, farewell, s.log())
	}
	if s.code != 0 {
		s.Errorf("the server ended with code %d\n%s", s.code, s.log())
	}
}

// withoutSettings removes Memoir's settings from the test's environment.
func withoutSettings(env []string) []string {
	var kept []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, "MEMOIR_") && !strings.HasPrefix(entry, "DATABASE_URL=") && !strings.HasPrefix(entry, "HOME=") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// log returns the end of the servers' log, without the lines about success.
func (p *place) log() string {
	raw, err := os.ReadFile(p.logPath)
	if err != nil {
		return err.Error()
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(raw), "\n"), func(line string) bool {
		return strings.Contains(line, "method=GET") && strings.Contains(line, "status=200")
	})
	return strings.Join(lines[max(0, len(lines)-40):], "")
}

// client uses a time limit, because a stopped server never answers.
var client = &http.Client{Timeout: patience}

// call sends a request and decodes the answer; the status is 0 if there was no answer.
func (s *server) call(method, path string, body, answer any) (status int, problem error) {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		sent = bytes.NewReader(raw)
	}
	request, err := http.NewRequest(method, s.address()+path, sent)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	s.answers.Add(1)
	if response.StatusCode >= http.StatusInternalServerError {
		failure := fmt.Sprintf("%s %s: %d %s", method, path, response.StatusCode, raw)
		s.failures.Add(1)
		s.lastFailure.Store(failure)
		if response.StatusCode != http.StatusServiceUnavailable {
			s.faults.Add(1)
			s.lastFault.Store(failure)
		}
	}
	switch into := answer.(type) {
	case nil:
	case *string:
		*into = string(raw)
	default:
		if response.StatusCode < 300 {
			err = json.Unmarshal(raw, answer)
		}
	}
	return response.StatusCode, err
}

// must calls the server until it answers 200, and decodes the answer. It accepts a 503 for a while:
// a server answers so when it notices a cut connection to Postgres.
func (s *server) must(method, path string, answer any) {
	s.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		status, err := s.call(method, path, nil, answer)
		if status == http.StatusOK && err == nil {
			return
		}
		if status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			s.Fatalf("%s %s: %d, %v\n%s", method, path, status, err, s.log())
		}
	}
}

// work runs all workers until the returned function is called.
func (p *place) work(everybody ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var group errgroup.Group
	for _, somebody := range everybody {
		group.Go(func() error {
			somebody(ctx)
			return nil
		})
	}
	return func() {
		cancel()
		group.Wait() //nolint:errcheck // no worker returns an error
	}
}
