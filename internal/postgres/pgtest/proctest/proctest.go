// Package proctest stops or kills the processes of a private Postgres in tests. It finds them
// through the cluster's files and /proc.
package proctest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Server is a private Postgres server of package local, identified by its data directory.
type Server struct{ DataDir string }

// Freeze stops all processes of the server with SIGSTOP, until Thaw. Connections stay open and get
// no answers. If the server does not run, it marks the test as failed and returns.
func (s Server) Freeze(t testing.TB) { s.signal(t, syscall.SIGSTOP) }

// Thaw continues all processes of the server after Freeze. If the server does not run, it marks the
// test as failed and returns.
func (s Server) Thaw(t testing.TB) { s.signal(t, syscall.SIGCONT) }

// Kill sends SIGKILL to the server's parent process, and does not wait for its end. The other
// processes end on their own or at the next start. If the server does not run, Kill marks the test
// as failed and returns.
func (s Server) Kill(t testing.TB) {
	t.Helper()
	if pid := s.postmaster(t); pid != 0 {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
}

func (s Server) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	postmaster := s.postmaster(t)
	if postmaster == 0 {
		return
	}
	// The parent is first, so that it starts no other processes.
	for _, pid := range append([]int{postmaster}, childrenOf(postmaster)...) {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
	}
}

// postmaster returns the process id of the server's parent process, from postmaster.pid. If it
// cannot read that, it marks the test as failed and returns 0.
func (s Server) postmaster(t testing.TB) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.DataDir, "postgres", "postmaster.pid"))
	if err != nil {
		t.Error(err)
		return 0
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Errorf("postmaster.pid holds %q", raw)
		return 0
	}
	return pid
}

// childrenOf returns the ids of the child processes of the process parent, from /proc. It skips
// processes that end during the call. It returns nil if there are none.
func childrenOf(parent int) []int {
	var children []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, stat := range stats {
		raw, err := os.ReadFile(stat)
		if err != nil {
			continue // the process has ended
		}
		// The fields are: pid (name) state ppid. The name may contain any character.
		rest := string(raw[strings.LastIndexByte(string(raw), ')')+1:])
		var state string
		var ppid int
		if _, err := fmt.Sscan(rest, &state, &ppid); err != nil || ppid != parent {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat))); err == nil {
			children = append(children, pid)
		}
	}
	return children
}
