// Package packaging_test installs the packages of a release as a new user without root and without
// PostgreSQL, and runs them. It only runs with -dist, as `make packages` does.
package packaging_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/waittest"
)

var (
	dist     = flag.String("dist", "", "directory of a release for this machine, with an absolute path")
	platform = runtime.GOOS + "-" + runtime.GOARCH
)

// limit limits each command: npm downloads 24 MB, and the machine may be busy.
const limit = 5 * time.Minute

// file returns the only file of the release whose name has the pattern.
func file(t *testing.T, pattern string) string {
	t.Helper()
	if *dist == "" {
		t.Skip("needs the packages of a release; make packages builds them and runs this test")
	}
	found, err := filepath.Glob(filepath.Join(*dist, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in %s: %q, %v; want one file", pattern, *dist, found, err)
	}
	return found[0]
}

// account is a new user with an empty home. The user's programs do not see the PostgreSQL of this
// machine.
type account struct {
	*testing.T
	name, home string
}

// newAccount creates a user and removes it after the test. Only root can do that, and hide the
// machine's PostgreSQL.
func newAccount(t *testing.T) account {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can create a user without PostgreSQL")
	}
	for _, program := range []string{"useradd", "userdel", "unshare", "setpriv", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir, err := os.MkdirTemp("", "memoir-account-")
	if err != nil {
		t.Fatal(err)
	}
	a := account{t, "memoir-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano()%1_000_000, 10), filepath.Join(dir, "home")}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the user has to enter it
		t.Fatal(err)
	}
	if out, err := exec.Command("useradd", "--create-home", "--home-dir", a.home, a.name).CombinedOutput(); err != nil {
		t.Fatalf("useradd: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("userdel", a.name).CombinedOutput(); err != nil {
			t.Errorf("userdel: %v: %s", err, out)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return a
}

// bareShell runs its arguments as the user $0. In its mount namespace the directories with the
// machine's PostgreSQL are empty.
const bareShell = `
for dir in /usr/lib/postgresql /usr/pgsql-* /usr/local/pgsql; do
	if [ -d "$dir" ]; then mount -t tmpfs none "$dir" || exit 1; fi
done
exec setpriv --reuid="$0" --regid="$0" --init-groups -- "$@"`

// command returns a command that runs as the user, in the home and with the user's own environment.
func (a account) command(args ...string) *exec.Cmd {
	command := exec.Command("unshare", append([]string{"--mount", "sh", "-c", bareShell, a.name}, args...)...)
	command.Dir = a.home
	command.Env = []string{
		"HOME=" + a.home, "USER=" + a.name, "PATH=" + filepath.Join(a.home, ".local", "bin") + ":/usr/local/bin:/usr/bin:/bin",
		// npm needs these where connections are inspected.
		"NODE_EXTRA_CA_CERTS=" + os.Getenv("NODE_EXTRA_CA_CERTS"), "NPM_CONFIG_UPDATE_NOTIFIER=false",
	}
	return command
}

// try runs a command and returns its output and error.
func (a account) try(args ...string) (output string, err error) {
	a.Helper()
	command := a.command(args...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		a.Fatal(err)
	}
	defer time.AfterFunc(limit, func() { _ = command.Process.Kill() }).Stop()
	err = command.Wait()
	return out.String(), err
}

// run runs a command that must succeed, and returns its output.
func (a account) run(args ...string) string {
	a.Helper()
	out, err := a.try(args...)
	if err != nil {
		a.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// put copies a file into the user's home and returns its path.
func (a account) put(path string) string {
	a.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		a.Fatal(err)
	}
	path = filepath.Join(a.home, filepath.Base(path))
	if err := os.WriteFile(path, raw, 0o644); err != nil { //nolint:gosec // the user reads it
		a.Fatal(err)
	}
	return path
}

// server is a running Memoir of an account.
type server struct {
	account
	command *exec.Cmd
	url     string
}

// serve starts the program with its private Postgres, and returns when it listens and is ready.
func (a account) serve(program string) *server {
	a.Helper()
	s := &server{account: a, command: a.command(program, "--addr=127.0.0.1:0", "--agents-dir="+filepath.Join(a.home, "agents"))}
	var log bytes.Buffer
	s.command.Stderr = &log
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		a.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { _ = s.command.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, listens := strings.CutPrefix(strings.TrimSpace(line), "memoir: listening on ")
	if !listens {
		_ = s.command.Wait()
		a.Fatalf("%s: said %q (%v)\n%s", program, line, err, &log)
	}
	s.url = url
	waittest.For(a, "Memoir to be ready", func() bool {
		response, err := http.Get(url + "/readyz")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	return s
}

// stop ends the program as a service manager does. It must end cleanly.
func (s *server) stop() {
	s.Helper()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	if err := s.command.Wait(); err != nil {
		s.Errorf("after SIGTERM: %v", err)
	}
}

// memories returns the names of ada's memories, from the API.
func (s *server) memories() (names []string) {
	s.Helper()
	response, err := http.Get(s.url + "/api/v1/agents/ada/memories")
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	var list struct{ Memories []struct{ Name string } }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil || response.StatusCode != http.StatusOK {
		s.Fatalf("status %d: %v", response.StatusCode, err)
	}
	for _, m := range list.Memories {
		names = append(names, m.Name)
	}
	return names
}

// works runs the program, saves a memory, stops it, and expects the memory from a second run, with
// the private Postgres from npm.
func (a account) works(program string) {
	a.Helper()
	a.run("mkdir", "-p", "agents/ada/memory")
	s := a.serve(program)
	a.run(program, "memory", "save", "Small diffs", "--type=feedback", "--description=one concern", "--body=Ask for a split.", "--agent=ada", "--url="+s.url)
	if got := s.memories(); len(got) != 1 || got[0] != "Small diffs" {
		a.Errorf("memories = %q, want the saved one", got)
	}
	s.stop()
	s = a.serve(program)
	if got := s.memories(); len(got) != 1 {
		a.Errorf("memories = %q after a restart, want the saved one", got)
	}
	s.stop()
	version, err := os.ReadFile(filepath.Join(a.home, ".local", "share", "memoir", "postgres", "PG_VERSION"))
	if err != nil || strings.TrimSpace(string(version)) != "18" {
		a.Errorf("the private Postgres has version %q (%v), want npm's", version, err)
	}
	if memory, err := os.ReadFile(filepath.Join(a.home, "agents", "ada", "CLAUDE.md")); err != nil || !bytes.Contains(memory, []byte("Ask for a split.")) {
		a.Errorf("CLAUDE.md has no memory: %v", err)
	}
}

// TestNPM_OneCommand installs the package of one platform from its file, as INSTALL.md says.
func TestNPM_OneCommand(t *testing.T) {
	t.Parallel()
	path := file(t, "npm/memoir-server-"+strings.Replace(platform, "amd64", "x64", 1)+"-*.tgz")
	a := newAccount(t)
	a.run("npm", "install", "--global", "--prefix=.local", a.put(path))
	a.works("memoir")
}

// TestNPM_FromRegistry installs the package for all platforms from a registry that has the
// release's packages.
func TestNPM_FromRegistry(t *testing.T) {
	t.Parallel()
	file(t, "npm/memoir-server-[0-9]*.tgz")
	a := newAccount(t)
	url := serveRegistry(t, filepath.Join(*dist, "npm"))
	a.run("npm", "config", "set", "--location=user", "@memoir:registry="+url)
	a.run("npm", "install", "--global", "--prefix=.local", "@memoir/server")
	a.works("memoir")
	if out, err := a.try("memoir", "nonsense"); exitCode(err) != 2 || !strings.Contains(out, "unknown command") {
		t.Errorf("memoir nonsense: %v\n%s", err, out)
	}
}

func exitCode(err error) int {
	exit, isExit := err.(*exec.ExitError)
	if !isExit {
		return -1
	}
	return exit.ExitCode()
}

// TestArchive_WaysOut starts the program of the archive, which has no PostgreSQL, and follows the
// error's advice.
func TestArchive_WaysOut(t *testing.T) {
	t.Parallel()
	path := file(t, "memoir-*-"+platform+".tar.gz")
	a := newAccount(t)
	a.run("tar", "--extract", "--strip-components=1", "--file="+a.put(path))
	out, err := a.try("./memoir")
	if exitCode(err) != 1 || strings.Count(out, "\n") != 1 {
		t.Fatalf("without PostgreSQL: %v, want exit code 1 and one line\n%s", err, out)
	}
	_, advice, _ := strings.Cut(out, "without root: ")
	advice, _, found := strings.Cut(advice, ")")
	if !found || !strings.HasPrefix(advice, "npm install ") {
		t.Fatalf("no command of npm in: %s", out)
	}
	a.run(strings.Fields(advice)...)
	a.works("./memoir")
}

// TestSetup_FromNPM runs scripts/setup, as `make run` does.
func TestSetup_FromNPM(t *testing.T) {
	t.Parallel()
	path := file(t, "memoir-*-"+platform+".tar.gz")
	a := newAccount(t)
	a.run("tar", "--extract", "--strip-components=1", "--file="+a.put(path))
	for _, name := range []string{"scripts/setup", "tools/postgres/package.json", "tools/postgres/package-lock.json"} {
		a.run("mkdir", "-p", filepath.Dir(name))
		if err := os.Rename(a.put(filepath.Join("..", name)), filepath.Join(a.home, name)); err != nil {
			t.Fatal(err)
		}
	}
	a.run("bash", "scripts/setup", "postgres")
	if out := a.run("bash", "scripts/setup", "postgres"); out != "" {
		t.Errorf("the second run printed %q", out)
	}
	a.works("./memoir")
}

// TestRelease_SameBytes builds the release again with other settings of the user.
func TestRelease_SameBytes(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile(file(t, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(file(t, "memoir-*-"+platform+".tar.gz"))
	version := strings.TrimSuffix(strings.TrimPrefix(name, "memoir-"), "-"+platform+".tar.gz")
	again := filepath.Join(t.TempDir(), "again")
	release := exec.Command("sh", "-c", `umask 077; exec "$@"`, "sh", "../scripts/release", "v"+version, again, runtime.GOOS+"/"+runtime.GOARCH)
	release.Env = append(os.Environ(), "TZ=Asia/Tokyo", "TMPDIR="+t.TempDir())
	if out, err := release.CombinedOutput(); err != nil {
		t.Fatalf("release: %v\n%s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(again, "SHA256SUMS")); err != nil || !bytes.Equal(got, sums) {
		t.Errorf("the second release has other bytes (%v):\n%s--- the first:\n%s", err, got, sums)
	}
}

// TestDebian_Contents unpacks the Debian package and checks that its program runs and that the
// package recommends PostgreSQL.
func TestDebian_Contents(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("Debian packages are for Linux")
	}
	path := file(t, "memoir_*_"+runtime.GOARCH+".deb")
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("dpkg-deb", "--extract", path, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	version, err := exec.Command("dpkg-deb", "--field", path, "Version", "Recommends").CombinedOutput()
	if err != nil || !strings.Contains(string(version), "Recommends: postgresql") {
		t.Errorf("fields: %v: %s", err, version)
	}
	out, err := exec.Command(filepath.Join(dir, "usr", "bin", "memoir"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "memoir v") {
		t.Errorf("memoir version: %v: %s", err, out)
	}
	for _, name := range []string{"copyright", "CHANGELOG.md", "docs/INSTALL.md"} {
		if _, err := os.Stat(filepath.Join(dir, "usr", "share", "doc", "memoir", name)); err != nil {
			t.Error(err)
		}
	}
}
