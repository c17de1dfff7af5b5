// Package proctest takes the processes of a private Postgres away from it, for tests: it stops them in their tracks, or kills
// their parent, as the system would. It knows them from what the cluster and /proc say.
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

// Server is a private Postgres, as the system sees it, by its data directory.
type Server struct{ DataDir string }

// Freeze stops every process of it in its tracks: connections stay open, and nobody answers.
func (s Server) Freeze(t testing.TB) { s.signal(t, syscall.SIGSTOP) }

// Thaw lets them go on.
func (s Server) Thaw(t testing.TB) { s.signal(t, syscall.SIGCONT) }

// Kill ends the parent of all its processes as a power cut would; they end by themselves, or are ended by whoever starts it again.
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
	// The parent comes first, so that it starts no more of them meanwhile.
	for _, pid := range append([]int{postmaster}, childrenOf(postmaster)...) {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
	}
}

// postmaster returns its process id; 0: there is none, and the test has failed.
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

// childrenOf reads from /proc which processes have that parent.
func childrenOf(parent int) []int {
	var children []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
	for _, stat := range stats {
		raw, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended meanwhile
		}
		// pid (name) state ppid …, and the name may hold anything.
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
