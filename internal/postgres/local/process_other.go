//go:build unix && !linux

package local

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// reach returns dirs unchanged. It returns ErrAccess if the account cannot access one of them,
// because a program cannot inherit them on this system. It does not change the command.
func (a account) reach(_ *exec.Cmd, dirs []string) (paths []string, err error) {
	for _, dir := range dirs {
		probe := exec.Command("/bin/test", "-x", dir)
		probe.SysProcAttr = a.processAttributes(0)
		if err := probe.Run(); err != nil {
			return nil, fmt.Errorf("%w: Postgres does not run as root, and the user %s cannot walk to %s; "+
				"start Memoir as another user, or choose a --data-dir whose parents are open to it", ErrAccess, a.name, dir)
		}
	}
	return dirs, nil
}

func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}

// serverProcesses returns the process id recorded if that process runs and its command line has
// "postgres" and pgdata, else nil. It finds no child processes; Postgres refuses to start while one
// exists.
func serverProcesses(pgdata string, recorded int) []int {
	if recorded <= 1 {
		return nil
	}
	command, err := exec.Command("ps", "-o", "state=,command=", "-p", strconv.Itoa(recorded)).Output()
	line := strings.TrimSpace(string(command))
	if err != nil || strings.HasPrefix(line, "Z") || !strings.Contains(line, "postgres") || !strings.Contains(line, pgdata) {
		return nil
	}
	return []int{recorded}
}
