//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/waittest"
)

// limitsOf is the directory of the limits of a user namespace.
const limitsOf = "/proc/sys/user/"

// confined is the real server with limits set by the test.
type confined struct {
	*testing.T
	agents string
	url    string
	server *exec.Cmd
	log    string    // path of its log
	raise  io.Writer // receives shell commands to run within the limits
}

// startConfined starts the server in a user namespace with these limits, named as in
// /proc/sys/user.
func startConfined(t *testing.T, limits map[string]int) *confined {
	t.Helper()
	// A shell stays in the server's namespace and runs commands from a pipe, because the limits
	// belong to the process that opens their files.
	script := ""
	for name, limit := range limits {
		script += setLimit(name, limit) + " && "
	}
	script += "{ sh <&3 >/dev/null & } && exec 3<&- && "
	everybody := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1 << 31}}
	namespace := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: everybody, GidMappings: everybody, GidMappingsEnableSetgroups: true}
	if os.Getuid() != 0 { // only the own user can be mapped
		namespace.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		namespace.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		namespace.GidMappingsEnableSetgroups = false
	}
	told, raise, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()                  //nolint:errcheck // the shell has its copy
	t.Cleanup(func() { raise.Close() }) //nolint:errcheck // ends the shell
	c := startAs(t, script, namespace, []*os.File{told})
	c.raise = raise
	return c
}

func setLimit(name string, limit int) string {
	return fmt.Sprintf("echo %d > %s%s", limit, limitsOf, name)
}

// startAs starts the server after a script, with the given process attributes and open files, and
// waits for its first scan.
func startAs(t *testing.T, script string, as *syscall.SysProcAttr, open []*os.File, flags ...string) *confined {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "memoir")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	c := &confined{T: t, agents: filepath.Join(t.TempDir(), "agents"), log: filepath.Join(t.TempDir(), "log")}
	data := filepath.Join(t.TempDir(), "data")
	command := []string{"-c", script + `exec "$@"`, "sh", binary, "--addr=127.0.0.1:0", "--agents-dir=" + c.agents, "--claude-dir=",
		"--data-dir=" + data, "--database-url=", "--debounce=20ms", "--rescan=1h"}
	c.server = exec.Command("sh", append(command, flags...)...)
	c.server.Env = append(slices.DeleteFunc(os.Environ(), isSetting), "HOME="+data)
	c.server.SysProcAttr, c.server.ExtraFiles = as, open
	log, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	c.server.Stderr = log
	t.Cleanup(func() {
		if said := c.said(); t.Failed() {
			t.Logf("the server said:\n%s", said)
		}
		log.Close() //nolint:errcheck // only read from here on
	})
	out, err := c.server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.server.Start(); err != nil {
		t.Skipf("this machine lets nobody make a user namespace: %v", err)
	}
	t.Cleanup(func() {
		c.server.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
		c.server.Wait()                          //nolint:errcheck // the result does not matter
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, displayAddress := strings.CutPrefix(strings.TrimSpace(line), "memoir: listening on ")
	if said := c.said(); !displayAddress && strings.Contains(said, limitsOf) {
		t.Skipf("this machine lets nobody set the limits of a user namespace: %s", said)
	}
	if !displayAddress {
		t.Fatalf("the server said %q (%v)", line, err)
	}
	c.url = url
	waittest.For(c, "the first scan", func() bool { return c.get("/readyz", nil) == http.StatusOK })
	return c
}

// said returns the server's log without the lines about requests.
func (c *confined) said() string {
	raw, err := os.ReadFile(c.log)
	if err != nil {
		c.Error(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(raw)) {
		if !strings.Contains(line, " msg=request ") { // there are thousands
			b.WriteString(line)
		}
	}
	return b.String()
}

func (c *confined) get(path string, into any) (status int) {
	answer, err := http.Get(c.url + path)
	if err != nil {
		return 0
	}
	defer answer.Body.Close() //nolint:errcheck // the result is not needed
	// Reading to the end lets the next request use the same connection.
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0
	}
	if into != nil && answer.StatusCode == http.StatusOK {
		if err := json.Unmarshal(raw, into); err != nil {
			c.Errorf("%s: %v", path, err)
		}
	}
	return answer.StatusCode
}

func (c *confined) write(path, body string) {
	c.Helper()
	file := filepath.Join(c.agents, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("---\nname: "+path+"\ntype: user\n---\n"+body+"\n"), 0o644); err != nil {
		c.Fatal(err)
	}
}

func (c *confined) arrives(path, body string) {
	c.Helper()
	slug, _, _ := strings.Cut(path, "/")
	waittest.For(c, path+" to be "+body, func() bool {
		var list struct {
			Memories []struct{ Name, Body string } `json:"memories"`
		}
		c.get("/api/v1/agents/"+slug+"/memories?limit=500", &list)
		for _, m := range list.Memories {
			if m.Name == path && m.Body == body {
				return true
			}
		}
		return false
	})
}

func (c *confined) mode() (mode, note string) {
	c.Helper()
	var figures struct {
		Mode string  `json:"watch_mode"`
		Note *string `json:"watch_note"`
	}
	if status := c.get("/api/v1/sync", &figures); status != http.StatusOK {
		c.Fatalf("/sync answered %d", status)
	}
	if figures.Note != nil {
		note = *figures.Note
	}
	return figures.Mode, note
}

// grant raises the limits.
func (c *confined) grant(limits map[string]int) {
	c.Helper()
	for name := range limits {
		if _, err := fmt.Fprintln(c.raise, setLimit(name, 1<<16)); err != nil {
			c.Fatal(err)
		}
	}
}

func TestServer_WatchLimits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits map[string]int
		says   string
	}{
		"no notifier at all": {map[string]int{"max_inotify_instances": 0}, "fs.inotify.max_user_instances"},
		"five watches":       {map[string]int{"max_inotify_watches": 5}, "fs.inotify.max_user_watches"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startConfined(t, test.limits)
			files := []string{"ada/memory/a.md", "ada/memory/sub/b.md", "bob/memory/a.md"}
			for i := range 5 {
				files = append(files, fmt.Sprintf("ada/sessions/U%d-C-1712345678.0001/memory/s.md", i))
			}
			for round := range 2 {
				for _, file := range files {
					c.write(file, fmt.Sprint("round ", round))
				}
				for _, file := range files {
					c.arrives(file, fmt.Sprint("round ", round))
				}
			}
			if mode, note := c.mode(); mode != "poll" || !strings.Contains(note, test.says) {
				t.Errorf("the mode is %s (%s), want poll because of %s", mode, note, test.says)
			}
			c.grant(test.limits)
			waittest.For(c, "everything to be watched", func() bool {
				mode, note := c.mode()
				return mode == "watch" && note == ""
			})
			for _, file := range files {
				c.write(file, "is told of")
			}
			for _, file := range files {
				c.arrives(file, "is told of")
			}
			if mode, note := c.mode(); mode != "watch" {
				t.Errorf("with watches to be had again the mode is %s (%s)", mode, note)
			}
		})
	}
}
