package local_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/postgres/local"
)

func TestStart_SocketOnly(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := f.start()
	if got := scan[string](f, server.URL(), "SHOW listen_addresses"); got != "" {
		t.Errorf("listens on %q", got)
	}
	if scan[bool](f, server.URL(), "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") {
		t.Error("Memoir's role is a superuser")
	}
	parsed, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(parsed.Query().Get("host"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the directory of the socket has mode %v", info.Mode())
	}
}

func TestStart_Unicode(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := f.start()
	if got := scan[string](f, server.URL(), "SELECT lower('ÉTÉ')"); got != "été" {
		t.Errorf("lower case of ÉTÉ is %q", got)
	}
	if got := scan[string](f, server.URL(), "SELECT string_agg(c, '' ORDER BY c) FROM unnest(ARRAY['é','b','Z','a']) c"); got != "Zabé" {
		t.Errorf("order is %q", got)
	}
}

func TestStop_KeepsData(t *testing.T) {
	t.Parallel()
	f := setup(t)
	first := f.start()
	f.remember(first.URL())
	f.stop(first)
	if _, err := os.Stat(f.pgdata("postmaster.pid")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the server was not shut down cleanly: %v", err)
	}
	second := f.start()
	f.remembers(second.URL())
	if first.URL() != second.URL() {
		t.Errorf("the URL changed from %s to %s", first.URL(), second.URL())
	}
	select {
	case <-first.Done():
		if first.Err() != nil {
			t.Error(first.Err())
		}
	default:
		t.Error("the stopped server is not done")
	}
}

func TestStart_PrivateParent(t *testing.T) {
	t.Parallel()
	f := setup(t)
	home := filepath.Dir(filepath.Dir(f.dir))
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	f.remember(f.start().URL())
	info, err := os.Stat(home)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the directory above was opened up to %v", info.Mode())
	}
	owner, err := os.Stat(f.pgdata("PG_VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	if owner.Sys().(*syscall.Stat_t).Uid == 0 {
		t.Error("the server runs as root")
	}
}

func TestStart_OrdinaryUser(t *testing.T) {
	t.Parallel()
	f := setup(t)
	as := ordinary(t)
	home := filepath.Dir(filepath.Dir(f.dir))
	uid, gid := ids(t, as)
	if err := os.Chown(home, uid, gid); err != nil {
		t.Fatal(err)
	}
	memoir := act(t, as, "serve", "LOCAL_TEST_DIR="+f.dir)
	memoir.says("ready")
	if err := memoir.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if got := memoir.says("wrote"); got != "<nil>" {
		t.Error(got)
	}
	if got := memoir.says("stopped"); got != "<nil>" {
		t.Error(got)
	}
	// The same data, started by the user of the tests: root runs the server as the owner.
	if !scan[bool](f, f.start().URL(), "SELECT to_regclass('written_after_interrupt') IS NOT NULL") {
		t.Error("what the ordinary user wrote is not there")
	}
}

func TestServer_OtherUserRefused(t *testing.T) {
	t.Parallel()
	f := setup(t)
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := f.dir; dir != filepath.Dir(filepath.Dir(filepath.Dir(f.dir))); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	server := f.start()
	for _, role := range []string{"template1", "nobody", "root"} {
		other := strings.Replace(server.URL(), "user=memoir", "user="+role, 1)
		if err := execute(f.ctx, other, "SELECT 1"); err == nil || !strings.Contains(err.Error(), "Peer authentication failed") {
			t.Errorf("as the role %s: %v", role, err)
		}
	}
	// The server's user can reach the socket, but may connect only if it runs Memoir.
	info, err := os.Stat(f.pgdata())
	if err != nil {
		t.Fatal(err)
	}
	uid := info.Sys().(*syscall.Stat_t).Uid
	owner, err := user.LookupId(itoa(uid))
	if err != nil {
		t.Fatal(err)
	}
	client := act(t, owner, "connect", "LOCAL_TEST_URL="+server.URL())
	if int(uid) == os.Geteuid() {
		client.says("connected")
	} else if said := client.says("refused"); !strings.Contains(said, "Peer authentication failed") {
		t.Error(said)
	}
}

func TestServerLog_NoMemories(t *testing.T) {
	t.Parallel()
	f := setup(t)
	server := f.start()
	f.execute(server.URL(), "CREATE TABLE memories (body text PRIMARY KEY)")
	f.execute(server.URL(), "INSERT INTO memories VALUES ('the-secret')")
	if err := execute(f.ctx, server.URL(), "INSERT INTO memories VALUES ('the-secret')"); err == nil {
		t.Fatal("a duplicate was taken")
	}
	if err := execute(f.ctx, server.URL(), "SELECT 'the-secret'::int"); err == nil {
		t.Fatal("text was taken for a number")
	}
	f.stop(server)
	if log := f.log.String(); strings.Contains(log, "the-secret") {
		t.Error(log)
	} else if !strings.Contains(log, "database system is shut down") {
		t.Errorf("the server's lines do not arrive in the log:\n%s", log)
	}
}

func TestStart_LongPath(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.dir = filepath.Join(f.dir, strings.Repeat("long", 25))
	first := f.start()
	f.remember(first.URL())
	f.stop(first)
	second := f.start()
	f.remembers(second.URL())
	parsed, err := url.Parse(second.URL())
	if err != nil {
		t.Fatal(err)
	}
	f.stop(second)
	if _, err := os.Stat(parsed.Query().Get("host")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary directory is left: %v", err)
	}
}

func TestStart_OddPath(t *testing.T) {
	t.Parallel()
	// A comma separates hosts in a connection string, so the socket must be elsewhere.
	for _, name := range []string{`a "b" 100% +&=é`, "a,b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.dir = filepath.Join(f.dir, name)
			f.remember(f.start().URL())
		})
	}
}

func TestStop_Timeout(t *testing.T) {
	t.Parallel()
	f := setup(t)
	first := f.start()
	f.remember(first.URL())
	over, cancel := context.WithCancel(f.ctx)
	cancel()
	if err := first.Stop(over); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-first.Done()
	f.remembers(f.start().URL())
}

func TestStart_Timeout(t *testing.T) {
	t.Parallel()
	f := setup(t)
	over, cancel := context.WithCancel(f.ctx)
	cancel()
	if _, err := local.Start(over, f.options()); err == nil {
		t.Fatal("started")
	}
	f.start()
}
