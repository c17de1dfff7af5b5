package local_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"memoir/internal/postgres/local"
)

// awaitConnection waits until the restarted server accepts connections.
func (f *fixture) awaitConnection(server *local.Server) {
	f.t.Helper()
	for {
		err := execute(f.ctx, server.URL(), "SELECT 1")
		if err == nil {
			return
		}
		select {
		case <-f.ctx.Done():
			f.t.Fatalf("the server does not come back: %v\n%s", err, f.log)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ownerCredential returns the credential of the server's user, or nil for this process's user.
func (f *fixture) ownerCredential() *syscall.Credential {
	f.t.Helper()
	info, err := os.Stat(f.pgdata())
	if err != nil {
		f.t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if int(owner.Uid) == os.Geteuid() {
		return nil
	}
	return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
}

// orphan starts the cluster's Postgres as a killed Memoir would leave it. The channel is closed at
// its end.
func (f *fixture) orphan() <-chan struct{} {
	f.t.Helper()
	sockets, err := os.MkdirTemp("", "memoir-orphan-")
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { os.RemoveAll(sockets) })
	path := f.pgdata()
	cmd := exec.Command(installed(f, "postgres"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: f.ownerCredential()}
	if cmd.SysProcAttr.Credential != nil {
		if err := os.Chown(sockets, int(cmd.SysProcAttr.Credential.Uid), -1); err != nil {
			f.t.Fatal(err)
		}
		handle, err := os.Open(path)
		if err != nil {
			f.t.Fatal(err)
		}
		defer handle.Close()
		cmd.ExtraFiles = []*os.File{handle}
		path = "/proc/self/fd/3"
	}
	cmd.Dir = "/"
	cmd.Env = []string{"LC_ALL=C"}
	cmd.Args = append(cmd.Args, "-D", path, "-c", "listen_addresses=", "-k", sockets)
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	for !strings.Contains(f.record(), "\nready") {
		select {
		case <-ended:
			f.t.Fatal("the orphan did not start")
		case <-time.After(10 * time.Millisecond):
		}
	}
	return ended
}

// installed returns the path of a program of the newest installation.
func installed(f *fixture, program string) string {
	f.t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if len(found) == 0 {
		f.t.Fatalf("no %s found", program)
	}
	return found[len(found)-1]
}

// record returns the content of postmaster.pid, or "".
func (f *fixture) record() string {
	content, _ := os.ReadFile(f.pgdata("postmaster.pid"))
	return string(content)
}

// forge writes a pid file that names another process.
func (f *fixture) forge(record string, pid int) {
	f.t.Helper()
	_, rest, _ := strings.Cut(record, "\n")
	path := f.pgdata("postmaster.pid")
	if err := os.WriteFile(path, []byte(strconv.Itoa(pid)+"\n"+rest), 0o600); err != nil {
		f.t.Fatal(err)
	}
	if owner := f.ownerCredential(); owner != nil {
		if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
			f.t.Fatal(err)
		}
	}
}

// stuckInitdb returns a directory with an initdb that writes part of a cluster, opens the pipe, and
// hangs.
func (f *fixture) stuckInitdb() (binDir, begun string) {
	f.t.Helper()
	binDir, err := os.MkdirTemp("", "memoir-bin-")
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { os.RemoveAll(binDir) })
	begun = filepath.Join(binDir, "begun")
	script := `#!/bin/sh
for argument; do
	case $argument in --pgdata=*) dir=${argument#--pgdata=} ;; esac
done
mkdir "$dir/base" && echo 15 >"$dir/PG_VERSION"
: >'` + begun + `'
exec sleep 600
`
	if err := os.WriteFile(filepath.Join(binDir, "initdb"), []byte(script), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Symlink(installed(f, "postgres"), filepath.Join(binDir, "postgres")); err != nil {
		f.t.Fatal(err)
	}
	if err := syscall.Mkfifo(begun, 0o666); err != nil {
		f.t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{begun: 0o666, binDir: 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			f.t.Fatal(err)
		}
	}
	return binDir, begun
}
