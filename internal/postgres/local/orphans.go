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

// postmasterFile returns the path of the file into which a running server writes its process id and
// state.
func (c *cluster) postmasterFile() string { return filepath.Join(c.pgdata, "postmaster.pid") }

// postmasterRecord returns the process id and the state, such as "ready", in the file of a running
// or killed server. pid is 0, or state "", if the file is missing or has no such line.
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

// endSignals are the signals that end the processes of a server, each with the time to wait. The
// times are arbitrary.
var endSignals = []struct {
	signal  syscall.Signal
	timeout time.Duration
}{
	{syscall.SIGINT, 30 * time.Second},  // fast shutdown, which writes everything to disk
	{syscall.SIGQUIT, 10 * time.Second}, // immediate shutdown
	{syscall.SIGKILL, 10 * time.Second},
}

// endOrphans ends the server processes that a killed Memoir or server left on the cluster. It sends
// SIGINT, after a wait SIGQUIT, and at last SIGKILL. Then it removes the server's file with its
// process id. The caller must have the lock, so that all such processes are orphans. It returns an
// error if some still run, or ctx ends.
func (c *cluster) endOrphans(ctx context.Context) error {
	recorded, _ := c.postmasterRecord()
	for _, step := range endSignals {
		orphans := serverProcesses(c.pgdata, recorded)
		if len(orphans) == 0 {
			break
		}
		c.log.Info("ending orphaned Postgres", "pids", orphans)
		c.signalOrphans(step.signal, orphans, recorded)
		if err := c.awaitNone(ctx, recorded, step.timeout); err != nil {
			return err
		}
	}
	if orphans := serverProcesses(c.pgdata, recorded); len(orphans) > 0 {
		return fmt.Errorf("end orphaned Postgres on %s: processes %v still run", c.pgdata, orphans)
	}
	if err := os.Remove(c.postmasterFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// signalOrphans sends the signal to the postmaster alone, which ends the others, if it is among the
// orphans and the signal is not SIGKILL. Otherwise it sends the signal, or SIGQUIT in place of
// SIGINT, to all orphans. It ignores errors.
func (c *cluster) signalOrphans(signal syscall.Signal, orphans []int, postmaster int) {
	if slices.Contains(orphans, postmaster) && signal != syscall.SIGKILL {
		_ = syscall.Kill(postmaster, signal)
		return
	}
	for _, pid := range orphans {
		_ = syscall.Kill(pid, max(signal, syscall.SIGQUIT))
	}
}

// awaitNone waits until no server process uses the cluster, for at most timeout. It returns nil
// also after timeout, when some may still run, and ctx's error if ctx ends.
func (c *cluster) awaitNone(ctx context.Context, recorded int, timeout time.Duration) error {
	timer := time.After(timeout)
	for len(serverProcesses(c.pgdata, recorded)) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer:
			return nil
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
