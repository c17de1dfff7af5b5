package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postmasterFile is where a running postgres says who it is.
func (c *cluster) postmasterFile() string { return filepath.Join(c.pgdata, "postmaster.pid") }

// postmasterRecord reads that file's lines: the first is the process id, the eighth the state.
func (c *cluster) postmasterRecord() (pid int, state string) {
	content, err := os.ReadFile(c.postmasterFile())
	if err != nil {
		return 0, ""
	}
	lines := strings.Split(string(content), "\n")
	pid, _ = strconv.Atoi(strings.TrimSpace(lines[0]))
	if len(lines) > 7 {
		state = strings.TrimSpace(lines[7])
	}
	return pid, state
}

// farewells are the ways to ask the processes of a server to end, each with the time it gets to do so.
var farewells = []struct {
	signal   syscall.Signal
	patience time.Duration
}{
	{syscall.SIGINT, 30 * time.Second},  // Postgres' fast shutdown, which writes everything down
	{syscall.SIGQUIT, 10 * time.Second}, // its immediate one
	{syscall.SIGKILL, 10 * time.Second},
}

// endOrphans ends the processes that a killed Memoir or a killed postmaster left on the cluster, and removes the record
// of them. This process holds the lock, so whatever runs on the cluster is an orphan. The record alone proves nothing:
// its process id may by now belong to anybody, whom Postgres would take for a running server and refuse to start.
func (c *cluster) endOrphans(ctx context.Context) error {
	recorded, _ := c.postmasterRecord()
	for _, farewell := range farewells {
		orphans := serverProcesses(c.pgdata, recorded)
		if len(orphans) == 0 {
			break
		}
		c.log.Info("ending a Postgres that was left running", "pids", orphans)
		c.bid(farewell.signal, orphans, recorded)
		if err := c.awaitNone(ctx, recorded, farewell.patience); err != nil {
			return err
		}
	}
	if orphans := serverProcesses(c.pgdata, recorded); len(orphans) > 0 {
		return fmt.Errorf("a Postgres that was left running on %s does not end (processes %v)", c.pgdata, orphans)
	}
	if err := os.Remove(c.postmasterFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// bid sends the signal to the postmaster, who passes it on in its way; without a postmaster to all, who then have
// nothing left to write.
func (c *cluster) bid(signal syscall.Signal, orphans []int, postmaster int) {
	if slices.Contains(orphans, postmaster) && signal != syscall.SIGKILL {
		_ = syscall.Kill(postmaster, signal)
		return
	}
	for _, pid := range orphans {
		_ = syscall.Kill(pid, max(signal, syscall.SIGQUIT))
	}
}

// awaitNone waits until no process works on the cluster, for as long as the patience lasts.
func (c *cluster) awaitNone(ctx context.Context, recorded int, patience time.Duration) error {
	enough := time.After(patience)
	for len(serverProcesses(c.pgdata, recorded)) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-enough:
			return nil
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
