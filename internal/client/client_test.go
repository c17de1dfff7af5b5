// Package client_test runs the real Claude Code against a real Memoir. The client comes from npm,
// and a stand-in for the Messages API takes the place of the model. It is all tests. They only run
// with -real, as `make client` does.
package client_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"memoir/internal/postgres/pgtest"
	"memoir/internal/servertest"
	"memoir/internal/waittest"
)

var withClient = flag.Bool("real", false, "install Claude Code from npm and run it")

// pinned is the directory with package.json and package-lock.json of the client.
const pinned = "testdata/claude-code"

// temporary is the directory of the built program. It is empty until a test needs the program.
var temporary string

func TestMain(m *testing.M) {
	flag.Parse()
	if *withClient {
		if reason := missing(); reason != nil {
			fmt.Println("skipped:", reason)
			return
		}
	}
	code := pgtest.Run(m)
	if temporary != "" {
		os.RemoveAll(temporary) //nolint:errcheck // it is a temporary directory
	}
	os.Exit(code)
}

// missing returns why the real client cannot run here, or nil.
func missing() error {
	if runtime.GOOS != "linux" {
		return errors.New("the tests know no token, which Memoir needs on systems other than Linux")
	}
	if _, err := claude(); errors.Is(err, errNoNPM) {
		return err
	}
	return nil
}

// program builds memoir once for all tests.
var program = sync.OnceValues(func() (path string, err error) {
	if temporary, err = os.MkdirTemp("", "memoir-client-"); err != nil {
		return "", err
	}
	path = filepath.Join(temporary, "memoir")
	_, err = servertest.Build(path)
	return path, err
})

// errNoNPM means that npm is missing or cannot reach its registry.
var errNoNPM = errors.New("npm cannot install the client")

// claude installs the client of pinned once, and returns the path of its program. It returns
// errNoNPM if npm cannot.
var claude = sync.OnceValues(func() (path string, err error) {
	const name = "@anthropic-ai/claude-code"
	// The script is the package's own, which npm may be set not to run.
	return install(pinned, name, "claude", []string{"node", filepath.Join("node_modules", name, "install.cjs")})
})

// install installs the package called name, with the version in the directory lock, and returns the
// path of its program. It runs the commands after. It installs into the user's cache directory,
// where the next run finds it. It returns errNoNPM if npm cannot.
func install(lock, name, program string, after ...[]string) (path string, err error) {
	raw, err := os.ReadFile(filepath.Join(lock, "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return "", err
	}
	version := manifest.DevDependencies[name]
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "memoir", filepath.Base(lock)+"-"+version)
	path = filepath.Join(dir, "node_modules", ".bin", program)
	isInstalled := func() bool {
		out, err := exec.Command(path, "--version").Output()
		return err == nil && strings.Contains(string(out), version)
	}
	if isInstalled() {
		return path, nil
	}
	if err := os.CopyFS(dir, os.DirFS(lock)); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	// Not ci, which refuses a lock without the optional packages of other platforms.
	for _, command := range append([][]string{{"npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"}}, after...) {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s: %w %.300s", errNoNPM, command[0], err, bytes.Join(bytes.Fields(out), []byte(" ")))
		}
	}
	if !isInstalled() {
		return "", fmt.Errorf("%s does not run, or is not version %s", path, version)
	}
	return path, nil
}

// user is a person with an empty home directory, a Memoir and Claude Code.
type user struct {
	testing.TB
	claude, memoir string // programs
	home           string
	project        string
	model          *messagesAPI
	server         *exec.Cmd
	url            string   // of Memoir
	log            string   // path of Memoir's log
	variables      []string // of the environment, such as those with which Claude Code signs in
}

// newUser returns a user with an empty project. Memoir does not run yet. Without -real it skips the
// test.
func newUser(t testing.TB) *user {
	t.Helper()
	u := newUserWithoutClaude(t)
	var err error
	if u.claude, err = claude(); err != nil {
		t.Fatal(err)
	}
	return u
}

// newUserWithoutClaude is newUser for a test that does not run Claude Code.
func newUserWithoutClaude(t testing.TB) *user {
	t.Helper()
	if !*withClient {
		t.Skip("this runs clients from npm: make client")
	}
	u := &user{TB: t, variables: []string{"ANTHROPIC_API_KEY=a-key"}}
	var err error
	if u.memoir, err = program(); err != nil {
		t.Fatal(err)
	}
	// On some systems the temporary directory is behind a link, which the client resolves.
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u.home, u.log = filepath.Join(top, "home"), filepath.Join(top, "log")
	u.project = u.newProject("shop")
	u.model = newMessagesAPI(t)
	return u
}

// in returns the user for a subtest.
func (u *user) in(t testing.TB) *user {
	c := *u
	c.TB = t
	return &c
}

// newProject creates an empty directory outside any repository, and returns its path.
func (u *user) newProject(name string) string {
	u.Helper()
	dir := filepath.Join(filepath.Dir(u.home), name)
	u.mkdir(dir)
	u.mkdir(u.home)
	return dir
}

func (u *user) mkdir(dir string) {
	u.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		u.Fatal(err)
	}
}

// memoryDir returns the directory of Claude Code's memories of a project.
func (u *user) memoryDir(project string) string {
	name := regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(project, "-")
	return filepath.Join(u.home, ".claude", "projects", name, "memory")
}

// write writes a file below the memory directory of the user's project.
func (u *user) write(name, text string) {
	u.Helper()
	u.writeIn(u.project, name, text)
}

func (u *user) writeIn(project, name, text string) {
	u.Helper()
	path := filepath.Join(u.memoryDir(project), name)
	u.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		u.Fatal(err)
	}
}

// remember writes a memory and its line in the index, as Claude Code does.
func (u *user) remember(project, stem, description, body string) {
	u.Helper()
	index, err := os.ReadFile(filepath.Join(u.memoryDir(project), "MEMORY.md"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		u.Fatal(err)
	}
	u.writeIn(project, stem+".md", "---\nname: "+stem+"\ndescription: "+description+"\nmetadata:\n  node_type: memory\n  type: feedback\n---\n\n"+body+"\n")
	u.writeIn(project, "MEMORY.md", string(index)+"- ["+stem+"]("+stem+".md) — "+description+"\n")
}

// env returns the user's environment. It has none of the caller's settings of Claude Code or
// Memoir.
func (u *user) env(more ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + u.home, "ANTHROPIC_BASE_URL=" + u.model.url, "TERM=dumb", "LANG=C.UTF-8",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
	return append(env, more...)
}

// start starts Memoir and waits for its first scan.
func (u *user) start(flags ...string) {
	u.Helper()
	u.startWith(nil, flags...)
}

// startWith is start with more variables in Memoir's environment.
func (u *user) startWith(env []string, flags ...string) {
	u.Helper()
	u.server = exec.Command(u.memoir, append([]string{"--addr=127.0.0.1:0", "--agents-dir=", "--database-url=" + pgtest.New(u), "--debounce=50ms"}, flags...)...)
	u.server.Env = u.env(env...)
	out, err := u.server.StdoutPipe()
	if err != nil {
		u.Fatal(err)
	}
	log, err := os.Create(u.log)
	if err != nil {
		u.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // Memoir has it open itself
	u.server.Stderr = log
	if err := u.server.Start(); err != nil {
		u.Fatal(err)
	}
	u.Cleanup(func() {
		u.stop()
		if u.Failed() {
			u.Logf("the log of Memoir:\n%s", u.readLog())
		}
	})
	var line [200]byte
	n, _ := out.Read(line[:])
	var found bool
	if u.url, found = strings.CutPrefix(strings.TrimSpace(string(line[:n])), "memoir: listening on "); !found {
		u.Fatalf("Memoir printed %q", line[:n])
	}
	waittest.For(u, "Memoir to be ready", func() bool {
		response, err := http.Get(u.url + "/readyz")
		if err != nil {
			return false
		}
		response.Body.Close() //nolint:errcheck // only the status counts
		return response.StatusCode == http.StatusOK
	})
}

func (u *user) readLog() string {
	u.Helper()
	raw, err := os.ReadFile(u.log)
	if err != nil {
		u.Fatal(err)
	}
	return string(raw)
}

// stop ends Memoir, if it runs.
func (u *user) stop() {
	if u.server == nil || u.server.ProcessState != nil {
		return
	}
	_ = u.server.Process.Signal(syscall.SIGCONT) // it may hang
	_ = u.server.Process.Signal(syscall.SIGTERM)
	_ = u.server.Wait() // its end is all that counts
}

// signal sends a signal to Memoir.
func (u *user) signal(s syscall.Signal) {
	u.Helper()
	if err := u.server.Process.Signal(s); err != nil {
		u.Fatal(err)
	}
}

// ran is the result of a program.
type ran struct {
	out, errors string
	code        int
	took        time.Duration
}

// run runs a program in a directory with the user's environment.
func (u *user) run(dir, path string, args ...string) ran {
	u.Helper()
	ctx, cancel := context.WithTimeout(u.Context(), waittest.Patience())
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	var out, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(u.env(u.variables...), "PWD="+dir), &out, &stderr
	cmd.WaitDelay = 10 * time.Second // a hook may keep the output open
	begun := time.Now()
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) || ctx.Err() != nil {
		u.Fatalf("%s %q: %v\n%s%s", filepath.Base(path), args, errors.Join(err, ctx.Err()), &out, &stderr)
	}
	return ran{out.String(), stderr.String(), cmd.ProcessState.ExitCode(), time.Since(begun)}
}

// ask runs Claude Code for one prompt in a project, which must succeed. Claude Code may write files.
func (u *user) ask(project, prompt string, args ...string) ran {
	u.Helper()
	r := u.run(project, u.claude, append([]string{"-p", prompt, "--permission-mode", "acceptEdits"}, args...)...)
	if r.code != 0 {
		u.Fatalf("claude -p %q ends with %d: %s%s", prompt, r.code, r.out, r.errors)
	}
	return r
}

// converse runs Claude Code for several prompts of one conversation. It enters each prompt after the
// answer to the one before.
func (u *user) converse(project string, prompts []string, args ...string) {
	u.Helper()
	ctx, cancel := context.WithTimeout(u.Context(), waittest.Patience())
	defer cancel()
	cmd := exec.CommandContext(ctx, u.claude, append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, args...)...)
	cmd.Dir, cmd.Env = project, append(u.env(u.variables...), "PWD="+project)
	in, err := cmd.StdinPipe()
	if err != nil {
		u.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		u.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		u.Fatal(err)
	}
	output := bufio.NewReader(out)
	for _, prompt := range prompts {
		entered := map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}}
		if err := json.NewEncoder(in).Encode(entered); err != nil {
			u.Fatal(err)
		}
		for isResult := false; !isResult; {
			line, err := output.ReadBytes('\n')
			var event struct{ Type string }
			if err = errors.Join(err, json.Unmarshal(line, &event)); err != nil {
				u.Fatalf("no answer to %q: %v", prompt, err)
			}
			isResult = event.Type == "result"
		}
	}
	if err := in.Close(); err != nil {
		u.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, output)
	if err := cmd.Wait(); err != nil {
		u.Fatal(err)
	}
}

// last returns the last request about prompt. It ends the test if there is none.
func (u *user) last(prompt string) request {
	u.Helper()
	found := u.model.about(prompt)
	if len(found) == 0 {
		u.Fatalf("no request about %q arrived", prompt)
	}
	return found[len(found)-1]
}

// installHooks installs Memoir's hooks in the user's settings of Claude Code.
func (u *user) installHooks() {
	u.Helper()
	if r := u.run(u.project, u.memoir, "hooks", "install", "--url", u.url); r.code != 0 {
		u.Fatalf("memoir hooks install: %s%s", r.out, r.errors)
	}
}

// findMemoir puts memoir into PATH, and the server's address into MEMOIR_URL.
func (u *user) findMemoir() {
	u.variables = append(u.variables, "MEMOIR_URL="+u.url, "PATH="+filepath.Dir(u.memoir)+":"+os.Getenv("PATH"))
}

// writeSettings writes the user's settings of Claude Code.
func (u *user) writeSettings(text string) {
	u.Helper()
	u.mkdir(filepath.Join(u.home, ".claude"))
	if err := os.WriteFile(filepath.Join(u.home, ".claude", "settings.json"), []byte(text+"\n"), 0o600); err != nil {
		u.Fatal(err)
	}
}

// settings returns the user's settings of Claude Code.
func (u *user) settings() string {
	u.Helper()
	raw, err := os.ReadFile(filepath.Join(u.home, ".claude", "settings.json"))
	if err != nil {
		u.Fatal(err)
	}
	return string(raw)
}

// call calls Memoir's API below /api/v1 and decodes the answer into out, which may be nil.
func (u *user) call(method, path string, body, out any) {
	u.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		u.Fatal(err)
	}
	request, err := http.NewRequestWithContext(u.Context(), method, u.url+"/api/v1"+path, bytes.NewReader(raw))
	if err != nil {
		u.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		u.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		u.Fatalf("%s %s: %d %s %v", method, path, response.StatusCode, answer, err)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			u.Fatalf("%s %s: %s: %v", method, path, answer, err)
		}
	}
}

// agent returns the slug of the agent with the memory directory of a project. It waits until Memoir
// knows it.
func (u *user) agent(project string) string {
	u.Helper()
	var slug string
	waittest.For(u, "the agent of "+project, func() bool {
		var list struct {
			Agents []struct{ Slug, Dir string }
		}
		u.call("GET", "/agents", nil, &list)
		for _, a := range list.Agents {
			if a.Dir == u.memoryDir(project) {
				slug = a.Slug
			}
		}
		return slug != ""
	})
	return slug
}

// stored is the part of a memory that the tests check.
type stored struct{ ID, Name, Type, Body, Path, State string }

// memories returns the memories of an agent by their file.
func (u *user) memories(slug string) map[string]stored {
	u.Helper()
	var list struct{ Memories []stored }
	u.call("GET", "/agents/"+slug+"/memories", nil, &list)
	found := map[string]stored{}
	for _, m := range list.Memories {
		found[filepath.Base(m.Path)] = m
	}
	return found
}
