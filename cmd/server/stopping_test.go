package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/servertest"
	"memoir/internal/waittest"
)

// promised is the documented time to stop after a signal.
const promised = 15 * time.Second

// program returns the path of the built program, and built is its directory.
var (
	built   string
	program = sync.OnceValues(func() (string, error) {
		var err error
		if built, err = os.MkdirTemp("", "memoir-server-"); err != nil {
			return "", err
		}
		path := filepath.Join(built, "memoir")
		_, err = servertest.Build(path)
		return path, err
	})
)

func TestMain(m *testing.M) {
	code := pgtest.Run(m)
	if built != "" {
		os.RemoveAll(built) //nolint:errcheck // only a temporary directory
	}
	os.Exit(code)
}

// started is the running program with its own directory of agents.
type started struct {
	*testing.T
	agents  string
	url     string
	command *exec.Cmd
	out     *bufio.Reader
}

// start starts the program and does not wait for it.
func start(t *testing.T, env []string, flags ...string) *started {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	s := &started{T: t, agents: filepath.Join(t.TempDir(), "agents")}
	s.launch(exec.Command(path, append([]string{"--agents-dir=" + s.agents}, flags...)...), append([]string{"HOME=" + t.TempDir()}, env...))
	return s
}

// launch starts the program with common flags and without the caller's settings.
func (s *started) launch(command *exec.Cmd, env []string) {
	s.Helper()
	s.command = command
	usual := []string{"--addr=127.0.0.1:0", "--rescan=1h", "--claude-dir="}
	command.Args = slices.Concat(command.Args[:1], usual, command.Args[1:])
	command.Env = append(slices.DeleteFunc(os.Environ(), isSetting), env...)
	command.Stderr = s.Output()
	out, err := command.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := command.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if command.ProcessState == nil {
			command.Process.Kill() //nolint:errcheck // it has not ended
			command.Wait()         //nolint:errcheck // the result does not matter
		}
	})
}

// serves waits until the program listens and has scanned everything.
func (s *started) serves() {
	s.Helper()
	line, err := s.out.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "memoir: listening on ")
	if !ok {
		s.Fatalf("the server said %q (%v)", line, err)
	}
	s.url = url
	waittest.For(s, "the first scan", func() bool { return s.ask(http.MethodGet, "/readyz", "") == http.StatusOK })
}

// ask returns the status of a response, or 0 without one.
func (s *started) ask(method, path, body string) int {
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Error(err)
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	io.Copy(io.Discard, answer.Body) //nolint:errcheck // only the status is needed
	answer.Body.Close()              //nolint:errcheck // only the status is needed
	return answer.StatusCode
}

// endsWell stops the program. It must end in the promised time, as after a signal.
func (s *started) endsWell() {
	s.Helper()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.command.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			s.Errorf("the program ended with %v", err)
		}
	case <-time.After(promised):
		s.command.Process.Kill() //nolint:errcheck // it may end just now
		<-ended
		s.Errorf("the program was still there %v after the signal", promised)
	}
}

func (s *started) write(name string) {
	s.Helper()
	path := filepath.Join(s.agents, "ada", "memory", name+".md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(memoirtest.Note(name, memories.User, "Text.")), 0o644); err != nil {
		s.Fatal(err)
	}
}

func TestSignal_DuringScan(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--data-dir="+filepath.Join(t.TempDir(), "data"), "--watch=poll")
	s.serves()
	for i := range 20_000 {
		s.write(fmt.Sprintf("m%05d", i))
	}
	var asking sync.WaitGroup
	asking.Go(func() { s.ask(http.MethodPost, "/api/v1/scan", "") })
	waittest.For(s, "the scan to have begun", func() bool { return s.ask(http.MethodGet, "/api/v1/agents/ada", "") == http.StatusOK })
	s.endsWell()
	asking.Wait()
}

func TestSignal_HangingDisk(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	s := start(t, nil, "--database-url="+url)
	s.write("one")
	s.serves()
	// Another server holds the agent's lock and hangs.
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // releases the lock
	waittest.For(s, "the agent to be known", func() bool {
		var held int
		err := conn.QueryRow(t.Context(), "SELECT count(pg_advisory_lock(1835363695, id::integer)) FROM agents WHERE slug = 'ada'").Scan(&held)
		return err == nil && held == 1
	})
	var asking sync.WaitGroup
	asking.Go(func() {
		s.ask(http.MethodPost, "/api/v1/agents/ada/memories", `{"name":"Two","type":"user","description":"","body":"Text."}`)
	})
	waits := func() bool {
		var waiting int
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").Scan(&waiting)
		return err == nil && waiting > 0
	}
	waittest.For(s, "the write to wait for the agent", waits)
	asking.Go(func() { s.ask(http.MethodPost, "/api/v1/agents/ada/scan", "") })
	s.endsWell()
	asking.Wait()
}

func TestSignal_DuringStart(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	asked := filepath.Join(bin, "asked")
	for _, name := range []string{"postgres", "initdb"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n: > "+asked+"\nexec sleep 600\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, "--database-url=", "--data-dir="+filepath.Join(t.TempDir(), "data"))
	waittest.For(s, "a PostgreSQL to be asked for its version", func() bool { _, err := os.Stat(asked); return err == nil })
	s.endsWell()
}

// isSetting reports whether an entry is one of the caller's settings.
func isSetting(entry string) bool {
	return strings.HasPrefix(entry, "MEMOIR_") || strings.HasPrefix(entry, "DATABASE_URL=") || strings.HasPrefix(entry, "HOME=")
}
