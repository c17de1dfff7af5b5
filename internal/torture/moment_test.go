package torture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// moment determines when a blow comes. It is prepared before the load starts, and waited for during
// it.
type moment struct {
	name  string
	await func(p *place) (wait func())
	// stepwise is true if the moment itself kills the server, so that no other blow is possible.
	stepwise bool
}

// longest is the maximum time to wait for a moment: its event may never come.
const longest = 5 * time.Second

func moments() []moment {
	all := []moment{
		{"at any time", anyTime, false},
		{"after an answer", afterAnAnswer, false},
		{"at a change of the files", func(p *place) func() { return atFileEvent(p, "") }, false},
		{"while a file is being written", func(p *place) func() { return atFileEvent(p, ".memoir-") }, false},
	}
	if _, err := exec.LookPath("strace"); err == nil {
		all = append(all, moment{"at a step of the server", atSystemCall, true})
	}
	return all
}

func anyTime(p *place) func() {
	return func() { time.Sleep(time.Duration(p.random.IntN(700)) * time.Millisecond) }
}

// afterAnAnswer returns a wait that ends directly after one of the next 60 answers.
func afterAnAnswer(p *place) func() {
	at := p.answers.Load() + int64(1+p.random.IntN(60))
	return func() {
		for deadline := time.Now().Add(longest); p.answers.Load() < at && time.Now().Before(deadline); {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// atFileEvent returns a wait that ends after one of the next 40 file events for names with the
// prefix.
func atFileEvent(p *place, prefix string) func() {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		p.Fatal(err)
	}
	for _, l := range p.ledgers {
		for _, dir := range []string{".", "memory"} {
			if err := watcher.Add(l.path(dir)); err != nil {
				p.Fatal(err)
			}
		}
	}
	left := 1 + p.random.IntN(40)
	return func() {
		defer watcher.Close() //nolint:errcheck // nothing is written
		for timeout := time.After(longest); left > 0; {
			select {
			case event := <-watcher.Events:
				if strings.HasPrefix(filepath.Base(event.Name), prefix) {
					left--
				}
			case <-watcher.Errors:
			case <-timeout:
				return
			}
		}
	}
}

// steps are the system calls that a crash can separate: of files and their names, and writes to
// Postgres and to clients.
var steps = []string{"fsync", "renameat,renameat2", "unlinkat", "linkat", "write"}

// atSystemCall makes strace kill the server right before one of its next 20 calls of one kind. The
// returned function waits for that.
func atSystemCall(p *place) func() {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	calls := steps[p.random.IntN(len(steps))]
	pid := p.servers[0].process.Pid
	cmd := exec.CommandContext(ctx, "strace", "-f", "-p", fmt.Sprint(pid), "-e", "trace="+calls, "-e", "signal=none",
		"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", calls, 1+p.random.IntN(20)), "-o", "/dev/null")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	lines.ReadString('\n')        //nolint:errcheck // if it cannot attach, the blow comes late
	go io.Copy(io.Discard, lines) //nolint:errcheck // what else it says is of no interest
	return func() {
		defer cancel()
		cmd.Wait() //nolint:errcheck // it ends with the server
	}
}
