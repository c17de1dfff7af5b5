package local_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/local"
)

// limit limits every wait, for slow and busy machines.
const limit = 2 * time.Minute

// TestMain makes the test binary act as another process if a variable names a role.
func TestMain(m *testing.M) {
	switch os.Getenv("LOCAL_TEST_PART") {
	case "":
		code := m.Run()
		_ = os.RemoveAll(filepath.Dir(copiedBinary()))
		os.Exit(code)
	case "serve":
		playServer()
	case "connect":
		playClient()
	}
}

// playServer is a Memoir that runs its Postgres until SIGINT, then writes and stops.
func playServer() {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	interrupted, ignore := signal.NotifyContext(context.Background(), os.Interrupt)
	defer ignore()
	opts := local.Options{DataDir: os.Getenv("LOCAL_TEST_DIR"), NoSync: true, Log: slog.New(slog.DiscardHandler)}
	if binDir := os.Getenv("LOCAL_TEST_BIN"); binDir != "" {
		opts.BinDirs = []string{binDir}
	}
	server, err := local.Start(ctx, opts)
	if err != nil {
		fmt.Println("failed:", err)
		return
	}
	fmt.Println("ready:", server.URL())
	<-interrupted.Done()
	fmt.Println("wrote:", execute(ctx, server.URL(), "CREATE TABLE written_after_interrupt ()"))
	fmt.Println("stopped:", server.Stop(ctx))
}

// playClient reports whether this user may connect.
func playClient() {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, os.Getenv("LOCAL_TEST_URL"))
	if err != nil {
		fmt.Println("refused:", strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Println("connected:", conn.Close(ctx))
}

// actor is another process with a role.
type actor struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// act starts a process with the role, as the given user if not empty.
func act(t *testing.T, as *user.User, part string, environment ...string) *actor {
	t.Helper()
	cmd := exec.Command(copiedBinary())
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "LOCAL_TEST_PART="+part)
	cmd.Env = append(cmd.Env, environment...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: credential(t, as)}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &actor{t, cmd, bufio.NewScanner(output)}
}

// says returns the text after the word on the actor's next line.
func (a *actor) says(word string) string {
	a.t.Helper()
	if !a.lines.Scan() {
		a.t.Fatalf("the process ended instead of saying %q: %v", word, a.lines.Err())
	}
	rest, ok := strings.CutPrefix(a.lines.Text(), word+": ")
	if !ok {
		a.t.Fatalf("said %q, want %q", a.lines.Text(), word)
	}
	return rest
}

func (a *actor) kill() {
	a.t.Helper()
	if err := a.cmd.Process.Kill(); err != nil {
		a.t.Fatal(err)
	}
	_ = a.cmd.Wait()
}

// copiedBinary is the test binary in a directory that every user can access.
var copiedBinary = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "memoir-local-test-")
	if err != nil {
		panic(err)
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		executable, _ := os.Executable()
		if self, err = os.Open(executable); err != nil {
			panic(err)
		}
	}
	defer self.Close()
	path := filepath.Join(dir, "actor")
	copied, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		panic(err)
	}
	if _, err := io.Copy(copied, self); err != nil {
		panic(err)
	}
	if err := copied.Close(); err != nil {
		panic(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		panic(err)
	}
	return path
})

// ordinary returns an unprivileged user. Without root it is the user of the tests.
func ordinary(t *testing.T) *user.User {
	t.Helper()
	find := user.Current
	if os.Geteuid() == 0 {
		find = func() (*user.User, error) { return user.Lookup("nobody") }
	}
	found, err := find()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func ids(t *testing.T, u *user.User) (uid, gid int) {
	t.Helper()
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		t.Fatal(err)
	}
	gid, err = strconv.Atoi(u.Gid)
	if err != nil {
		t.Fatal(err)
	}
	return uid, gid
}

// credential returns the credential to run as the user, or nil for this process's user.
func credential(t *testing.T, u *user.User) *syscall.Credential {
	t.Helper()
	if u == nil {
		return nil
	}
	uid, gid := ids(t, u)
	if uid == os.Geteuid() {
		return nil
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func execute(ctx context.Context, url, statement string, arguments ...any) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement, arguments...)
	return err
}
