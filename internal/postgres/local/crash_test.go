package local_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/postgres/local"
)

func itoa(id uint32) string { return strconv.FormatUint(uint64(id), 10) }

func TestSupervise_KilledPostgres(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := f.start()
	f.remember(server.URL())
	for range 2 {
		before := f.postmaster()
		if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		f.awaitConnection(server)
		f.remembers(server.URL())
		if f.postmaster() == before {
			t.Error("the killed server still has its record")
		}
	}
}

func TestStart_AfterKilledMemoir(t *testing.T) {
	t.Parallel()
	f := setup(t)
	memoir := act(t, nil, "serve", "LOCAL_TEST_DIR="+f.dir)
	f.remember(memoir.says("ready"))
	memoir.kill()
	f.remembers(f.start().URL())
}

func TestStart_AfterBothKilled(t *testing.T) {
	t.Parallel()
	f := setup(t)
	memoir := act(t, nil, "serve", "LOCAL_TEST_DIR="+f.dir)
	f.remember(memoir.says("ready"))
	postmaster := f.postmaster()
	memoir.kill()
	_ = syscall.Kill(postmaster, syscall.SIGKILL)
	f.remembers(f.start().URL())
}

func TestStart_EndsOrphan(t *testing.T) {
	t.Parallel()
	f := setup(t)
	first := f.start()
	f.remember(first.URL())
	f.stop(first)
	orphan := f.orphan()
	second := f.start()
	f.remembers(second.URL())
	<-orphan
}

func TestServer_TerminalInterrupt(t *testing.T) {
	t.Parallel()
	f := setup(t)
	memoir := act(t, nil, "serve", "LOCAL_TEST_DIR="+f.dir)
	memoir.says("ready")
	if err := syscall.Kill(-memoir.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := memoir.says("wrote"); got != "<nil>" {
		t.Error(got)
	}
	if got := memoir.says("stopped"); got != "<nil>" {
		t.Error(got)
	}
}

func TestStart_StalePidFile(t *testing.T) {
	t.Parallel()
	f := setup(t)
	first := f.start()
	f.remember(first.URL())
	record := f.record()
	f.stop(first)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	f.forge(record, gone.Process.Pid)
	f.remembers(f.start().URL())
}

func TestStart_ReusedPid(t *testing.T) {
	t.Parallel()
	f := setup(t)
	first := f.start()
	f.remember(first.URL())
	record := f.record()
	f.stop(first)
	// Postgres would take a process of the server's user for a running server.
	other := exec.Command("sleep", "600")
	other.SysProcAttr = &syscall.SysProcAttr{Credential: f.ownerCredential()}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	f.forge(record, other.Process.Pid)
	f.remembers(f.start().URL())
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other program was ended: %v", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = other.Wait()
}

func TestStart_IncompleteCluster(t *testing.T) {
	t.Parallel()
	f := setup(t)
	binDir, begun := f.stuckInitdb()
	memoir := act(t, nil, "serve", "LOCAL_TEST_DIR="+f.dir, "LOCAL_TEST_BIN="+binDir)
	// Opening the pipe waits until initdb has written a part of the cluster.
	if _, err := os.ReadFile(begun); err != nil {
		t.Fatal(err)
	}
	halfMade, _ := filepath.Glob(f.dir + "/postgres.init-*/PG_VERSION")
	if len(halfMade) != 1 {
		t.Fatalf("half-made clusters: %v", halfMade)
	}
	memoir.kill()
	if _, err := os.Stat(f.pgdata()); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the half-made cluster has its place: %v", err)
	}
	f.remember(f.start().URL())
	if left, _ := filepath.Glob(f.dir + "/postgres.init-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestServer_MissingCluster(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := f.start()
	postmaster := f.postmaster()
	if err := os.Rename(f.pgdata(), f.pgdata()+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(postmaster, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-server.Done():
	case <-f.ctx.Done():
		t.Fatal("the server does not end")
	}
	if err := server.Err(); !errors.Is(err, local.ErrForeign) || !strings.Contains(err.Error(), "no cluster in") {
		t.Error(err)
	}
}
