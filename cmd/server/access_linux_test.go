package main

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/files/filestest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
)

// Two users without privileges. Postgres needs a user with a name.
const (
	alice = filestest.Nobody
	bob   = 64002
)

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can run programs as other users")
	}
}

func credentialOf(uid uint32) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
}

// openDir returns a temporary directory that every user can enter, as /tmp is.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "memoir-access-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // other users have to enter it
		t.Fatal(err)
	}
	return dir
}

// makeDir creates a directory with the given owner and permissions.
func makeDir(t *testing.T, path string, uid int, mode os.FileMode) {
	t.Helper()
	if err := os.Mkdir(path, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, uid, uid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // regardless of the umask
		t.Fatal(err)
	}
}

// programFor returns a copy of the program that every user can run.
func programFor(t *testing.T, dir string) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "memoir")
	if err := os.WriteFile(path, raw, 0o755); err != nil { //nolint:gosec // other users run it
		t.Fatal(err)
	}
	return path
}

func TestAccess_OnlyOwnerAndRoot(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := openDir(t)
	path := programFor(t, dir)
	makeDir(t, filepath.Join(dir, "home"), alice, 0o700)
	makeDir(t, filepath.Join(dir, "agents"), alice, 0o755)
	for _, sub := range []string{"agents/ada", "agents/ada/memory"} {
		makeDir(t, filepath.Join(dir, sub), alice, 0o755)
	}
	s := &started{T: t, agents: filepath.Join(dir, "agents")}
	command := exec.Command(path, "--agents-dir="+s.agents, "--data-dir="+filepath.Join(dir, "home", "data"))
	command.SysProcAttr, command.Dir = credentialOf(alice), "/"
	s.launch(command, []string{"HOME=" + filepath.Join(dir, "home")})
	s.serves()

	list := func(uid uint32) (string, error) {
		command := exec.Command(path, "memory", "list", "--agent=ada", "--url="+s.url)
		command.SysProcAttr, command.Dir = credentialOf(uid), "/"
		command.Env = []string{"HOME=" + filepath.Join(dir, "home")}
		said, err := command.CombinedOutput()
		return string(said), err
	}
	for _, uid := range []uint32{alice, 0} {
		if said, err := list(uid); err != nil {
			t.Errorf("user %d: %v: %s", uid, err, said)
		}
	}
	if said, err := list(bob); err == nil || !strings.Contains(said, "can use this Memoir") || !strings.Contains(said, "--token") {
		t.Errorf("another user: error = %v: %s", err, said)
	}
	for path, want := range map[string]int{
		"/": 403, "/api/v1/agents": 403, "/hooks/stop": 403, "/mcp": 403, "/healthz": 200, "/readyz": 200,
	} {
		if got := s.askAs(bob, http.MethodGet, path); got != want {
			t.Errorf("another user: GET %s: %d, want %d", path, got, want)
		}
	}
	if got := s.askAs(alice, http.MethodGet, "/api/v1/agents"); got != http.StatusOK {
		t.Errorf("the owner: %d", got)
	}
}

func TestAccess_TokenDecidesAlone(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	s := start(t, nil, "--database-url="+pgtest.New(t), "--token=a-token-for-everybody")
	s.serves()
	if got := s.askAs(bob, http.MethodGet, "/api/v1/agents"); got != http.StatusUnauthorized {
		t.Errorf("another user: %d, want 401", got)
	}
}

// askAs makes a request over a connection of another user, and returns the status.
func (s *started) askAs(uid int, method, path string) int {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
		return dialAs(uid, network, address)
	}}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// dialAs connects as another user. A socket belongs to the user of the thread that creates it.
func dialAs(uid int, network, address string) (conn net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if _, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); failed != 0 {
			err = failed
			return
		}
		conn, err = net.Dial(network, address)
	}()
	<-done
	return conn, err
}

// writeAs writes a file with the given owner.
func writeAs(t *testing.T, path string, uid int, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, uid, uid); err != nil {
		t.Fatal(err)
	}
}

// makeAgent creates the directory of an agent with one memory.
func makeAgent(t *testing.T, dir string, uid int, mode os.FileMode) {
	t.Helper()
	makeDir(t, dir, uid, mode)
	makeDir(t, filepath.Join(dir, "memory"), uid, 0o755)
	writeAs(t, filepath.Join(dir, "memory", "tabs.md"), uid, memoirtest.Note("Tabs", memories.Feedback, "Use tabs."))
}

func TestAccess_RootWritesOnlyWhatOneUserOwns(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := openDir(t)
	agentsDir := filepath.Join(dir, "agents")
	makeDir(t, agentsDir, 0, 0o777|os.ModeSticky) // every user may create an agent in it
	makeAgent(t, filepath.Join(agentsDir, "own"), alice, 0o755)
	makeAgent(t, filepath.Join(agentsDir, "open"), alice, 0o777)
	private := filepath.Join(dir, "private")
	makeAgent(t, private, 0, 0o700)
	link := filepath.Join(agentsDir, "link")
	if err := os.Symlink(private, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(link, bob, bob); err != nil {
		t.Fatal(err)
	}
	// A link inside an agent's directory to a file of root.
	makeAgent(t, filepath.Join(agentsDir, "inner"), bob, 0o755)
	writeAs(t, filepath.Join(agentsDir, "inner", "secret.md"), 0, "root's\n")
	if err := os.Symlink("secret.md", filepath.Join(agentsDir, "inner", "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(filepath.Join(agentsDir, "inner", "CLAUDE.md"), bob, bob); err != nil {
		t.Fatal(err)
	}

	s := start(t, nil, "--database-url="+pgtest.New(t), "--agents-dir="+agentsDir)
	s.serves()

	info, err := os.Stat(filepath.Join(agentsDir, "own", "CLAUDE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != alice {
		t.Errorf("the new CLAUDE.md belongs to user %d, want %d", owner.Uid, alice)
	}
	for _, at := range []string{filepath.Join(agentsDir, "open", "CLAUDE.md"), filepath.Join(private, "CLAUDE.md")} {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error = %v, want none", at, err)
		}
	}
	if raw, err := os.ReadFile(filepath.Join(agentsDir, "inner", "secret.md")); err != nil || string(raw) != "root's\n" {
		t.Errorf("the file behind the link says %q (%v)", raw, err)
	}
	for slug, want := range map[string]int{"own": http.StatusCreated, "open": http.StatusConflict, "link": http.StatusNotFound} {
		const draft = `{"name":"New","type":"user","description":"x","body":"x"}`
		if got := s.ask(http.MethodPost, "/api/v1/agents/"+slug+"/memories", draft); got != want {
			t.Errorf("a save for %s: %d, want %d", slug, got, want)
		}
	}
	info, err = os.Stat(filepath.Join(agentsDir, "own", "memory", "user_new.md"))
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != alice {
		t.Errorf("the saved memory belongs to user %d, want %d", owner.Uid, alice)
	}
}
