package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// More crashes, or the same ones again: go test -run Crash ./cmd/server -crashes=200 -crash-seed=7
var (
	crashes   = flag.Int("crashes", 12, "how often the crash test kills the server")
	crashSeed = flag.Uint64("crash-seed", 0, "what the crash test draws its load and its moments from; 0: something new")
)

// crashPatience is how long a server may take to be ready again, on a slow and shared machine.
const crashPatience = 2 * time.Minute

func TestNothingIsLostOrHalfDoneAfterACrash(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "memoir")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	seed := *crashSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for name, test := range map[string]struct {
		times int
		crash func(*victim)
	}{
		"of the server":                       {*crashes, (*victim).kill},
		"of the server and its Postgres":      {max(1, *crashes/6), (*victim).killWithPostgres},
		"of Postgres, and then of the server": {max(1, *crashes/6), (*victim).killAfterPostgres},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Logf("again with -crash-seed=%d", seed)
			v := newVictim(t, binary, seed)
			for range test.times {
				v.start()
				stop := v.load()
				time.Sleep(time.Duration(v.random.IntN(700)) * time.Millisecond) // the moment of the crash: any will do
				test.crash(v)
				stop()
				v.start()
				v.check()
				v.kill()
			}
		})
	}
}

// victim is a server that is killed again and again, over one agents directory and one data directory.
type victim struct {
	*testing.T
	binary string
	agents string
	data   string
	random *rand.Rand
	url    string
	server *exec.Cmd
	ended  chan struct{} // closes when the server has
	agent  *crashAgent
}

func newVictim(t *testing.T, binary string, seed uint64) *victim {
	t.Helper()
	v := &victim{
		T: t, binary: binary, agents: filepath.Join(t.TempDir(), "agents"), data: filepath.Join(t.TempDir(), "data"),
		random: rand.New(rand.NewPCG(seed, uint64(len(t.Name())))),
	}
	v.agent = newCrashAgent(v, rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2)))
	t.Cleanup(v.kill)
	return v
}

// start runs the server and waits until its first scan is done.
func (v *victim) start() {
	v.Helper()
	v.server = exec.Command(v.binary, "--addr=127.0.0.1:0", "--agents-dir="+v.agents, "--claude-dir=", "--data-dir="+v.data,
		"--database-url=", "--debounce=20ms", "--claude-md-limit=1000000")
	v.server.Env = append(withoutSettings(os.Environ()), "HOME="+v.data)
	log, err := os.OpenFile(filepath.Join(filepath.Dir(v.data), "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		v.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // the server has it open itself
	v.server.Stderr = log
	out, err := v.server.StdoutPipe()
	if err != nil {
		v.Fatal(err)
	}
	if err := v.server.Start(); err != nil {
		v.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	v.ended = make(chan struct{})
	go func(server *exec.Cmd, ended chan struct{}) {
		server.Wait() //nolint:errcheck // it is to be killed
		close(ended)
	}(v.server, v.ended)
	url, announced := strings.CutPrefix(strings.TrimSpace(line), "memoir: listening on ")
	if !announced {
		v.Fatalf("the server said %q (%v)\n%s", line, err, v.log())
	}
	v.url = url
	for deadline := time.Now().Add(crashPatience); ; time.Sleep(10 * time.Millisecond) {
		if status, _ := v.call("GET", "/readyz", nil, nil); status == 200 {
			return
		}
		if time.Now().After(deadline) {
			v.Fatalf("the server is not ready after %v\n%s", crashPatience, v.log())
		}
	}
}

// withoutSettings keeps the caller's own settings out of the test.
func withoutSettings(env []string) []string {
	var kept []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, "MEMOIR_") && !strings.HasPrefix(entry, "DATABASE_URL=") && !strings.HasPrefix(entry, "HOME=") {
			kept = append(kept, entry)
		}
	}
	return kept
}

func (v *victim) log() string {
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(v.data), "log"))
	if err != nil {
		return err.Error()
	}
	return string(raw[max(0, len(raw)-8_000):])
}

// kill ends the server at once, as a power cut would.
func (v *victim) kill() {
	if v.server == nil {
		return
	}
	v.server.Process.Kill() //nolint:errcheck // it may have ended by itself
	<-v.ended
	v.server = nil
}

// killWithPostgres ends both at the same moment.
func (v *victim) killWithPostgres() {
	v.killPostgres()
	v.kill()
}

// killAfterPostgres leaves the server without a database for a while.
func (v *victim) killAfterPostgres() {
	v.killPostgres()
	time.Sleep(time.Duration(v.random.IntN(300)) * time.Millisecond)
	v.kill()
}

func (v *victim) killPostgres() {
	v.Helper()
	killed := false
	err := filepath.WalkDir(v.data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "postmaster.pid" {
			return nil // what goes while we look is no concern
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(string(raw), "\n")
		pid, err := strconv.Atoi(first)
		if err != nil {
			return fmt.Errorf("postmaster.pid holds %q", raw)
		}
		killed = true
		return syscall.Kill(pid, syscall.SIGKILL)
	})
	if err != nil || !killed {
		v.Fatalf("Postgres was not killed: %v", err)
	}
}

// load lets the agent and a person work until the returned function is called.
func (v *victim) load() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	for _, work := range []func(context.Context){v.agent.writeFiles, v.agent.useTheAPI} {
		go func() {
			work(ctx)
			done <- struct{}{}
		}()
	}
	return func() {
		cancel()
		<-done
		<-done
	}
}
