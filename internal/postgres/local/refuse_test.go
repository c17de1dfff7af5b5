package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/postgres/local"
)

// refused starts a server that must not start, and returns the error.
func (f *fixture) refused(opts local.Options, why error, words ...string) {
	f.t.Helper()
	server, err := local.Start(f.ctx, opts)
	if err == nil {
		f.stop(server)
		f.t.Fatalf("started, want %v", why)
	}
	if !errors.Is(err, why) {
		f.t.Fatalf("%v, want %v", err, why)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			f.t.Errorf("%q does not say %q", err, word)
		}
	}
}

func TestStart_InUse(t *testing.T) {
	t.Parallel()
	f := setup(t)
	memoir := act(t, nil, "serve", "LOCAL_TEST_DIR="+f.dir)
	url := memoir.says("ready")
	f.remember(url)
	f.refused(f.options(), local.ErrInUse, fmt.Sprintf("process %d)", memoir.cmd.Process.Pid), f.dir, "--data-dir")
	f.remembers(url)
}

func TestStart_Cancelled(t *testing.T) {
	t.Parallel()
	f := setup(t)
	ctx, callOff := context.WithCancel(f.ctx)
	callOff()
	f.ctx = ctx
	f.refused(f.options(), context.Canceled)
	if _, err := os.Stat(f.pgdata()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a cluster was begun: %v", err)
	}
}

func TestStart_TwiceInProcess(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := f.start()
	f.refused(f.options(), local.ErrInUse)
	f.execute(server.URL(), "SELECT 1")
}

func TestStart_OtherVersion(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := f.start()
	f.remember(server.URL())
	f.stop(server)
	file := f.pgdata("PG_VERSION")
	here := string(f.read(file))
	for _, version := range []string{"14", "99", "9.6"} {
		f.overwrite(file, version+"\n")
		before := snapshot(t, f.dir)
		major, _, _ := strings.Cut(version, ".")
		f.refused(f.options(), local.ErrVersion, "PostgreSQL "+major, strings.TrimSpace(here), "pg_upgrade", "--data-dir", f.dir)
		if after := snapshot(t, f.dir); after != before {
			t.Errorf("version %s: the directory was touched:\n%s\nbefore:\n%s", version, after, before)
		}
	}
	f.overwrite(file, here)
	f.remembers(f.start().URL())
}

func TestStart_ForeignDirectory(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"beside the cluster":       "holiday.jpg",
		"a cluster of somebody":    "PG_VERSION",
		"in the cluster's place":   "postgres/holiday.jpg",
		"an unfinished old initdb": "postgres/base/1/PG_VERSION",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			at := filepath.Join(f.dir, path)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			f.overwrite(at, "15\n")
			before := snapshot(t, f.dir)
			f.refused(f.options(), local.ErrForeign, f.dir, "nothing was changed")
			if after := snapshot(t, f.dir); after != before {
				t.Errorf("the directory was touched:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

func TestStart_ForeignCluster(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.stop(f.start())
	if err := os.Remove(f.pgdata("PG_VERSION")); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, f.dir)
	f.refused(f.options(), local.ErrForeign, f.pgdata(), "nothing was changed")
	if after := snapshot(t, f.dir); after != before {
		t.Errorf("the directory was touched:\n%s\nbefore:\n%s", after, before)
	}
}

func TestStart_FileAsDataDir(t *testing.T) {
	t.Parallel()
	f := setup(t)
	if err := os.MkdirAll(filepath.Dir(f.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	f.overwrite(f.dir, "a file")
	f.refused(f.options(), local.ErrForeign, f.dir, "--data-dir")
}

func TestStart_NoPostgres(t *testing.T) {
	t.Parallel()
	f := setup(t)
	opts := f.options()
	opts.BinDirs = []string{t.TempDir()}
	f.refused(opts, local.ErrNoPostgres, "install PostgreSQL", "npm install --prefix", "--database-url", "PATH")
	if _, err := os.Stat(f.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory was made all the same: %v", err)
	}
}

func TestStart_TooOld(t *testing.T) {
	t.Parallel()
	f := setup(t)
	opts := f.options()
	opts.BinDirs = []string{f.pretendPostgres("14.9")}
	f.refused(opts, local.ErrNoPostgres, "14", "older than 15", "--database-url", "PATH")
}

// pretendPostgres returns a directory with a postgres that only prints its version.
func (f *fixture) pretendPostgres(version string) string {
	f.t.Helper()
	dir := f.t.TempDir()
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	for _, program := range []string{"postgres", "initdb"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755); err != nil {
			f.t.Fatal(err)
		}
	}
	return dir
}

func TestStart_MatchingInstallation(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.stop(f.start())
	opts := f.options()
	opts.BinDirs = []string{f.pretendPostgres("99.1"), filepath.Dir(installed(f, "postgres"))}
	server, err := local.Start(f.ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	f.stop(server)
}

func (f *fixture) read(path string) []byte {
	f.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		f.t.Fatal(err)
	}
	return content
}

func (f *fixture) overwrite(path, content string) {
	f.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}
