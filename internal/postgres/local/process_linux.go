package local

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// reach opens the directories, adds them to the files that cmd inherits, and returns a path to each
// for the program. So the program needs no access to their parents. The caller must call
// closeInherited, also after an error.
func (a account) reach(cmd *exec.Cmd, dirs []string) (paths []string, err error) {
	for _, dir := range dirs {
		handle, err := os.Open(dir)
		if err != nil {
			return nil, err
		}
		// Descriptors 0 to 2 are the standard ones; inherited files follow.
		paths = append(paths, fmt.Sprintf("/proc/self/fd/%d", 3+len(cmd.ExtraFiles)))
		cmd.ExtraFiles = append(cmd.ExtraFiles, handle)
	}
	return paths, nil
}

func dieWithParent(attributes *syscall.SysProcAttr, signal syscall.Signal) {
	attributes.Pdeathsig = signal
}

// serverProcesses returns the ids of the Postgres processes with pgdata as working directory. It
// returns nil without such a process, or if pgdata is missing. It ignores its second argument.
func serverProcesses(pgdata string, _ int) []int {
	cluster, err := os.Stat(pgdata)
	if err != nil {
		return nil
	}
	entries, _ := os.ReadDir("/proc")
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		proc := filepath.Join("/proc", entry.Name())
		name, err := os.ReadFile(filepath.Join(proc, "comm"))
		if err != nil || !strings.Contains(string(name), "postgres") {
			continue
		}
		if cwd, err := os.Stat(filepath.Join(proc, "cwd")); err == nil && os.SameFile(cwd, cluster) {
			found = append(found, pid)
		}
	}
	return found
}
