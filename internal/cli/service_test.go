package cli_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

// onSystemd skips the test on a system whose services systemd does not start.
func onSystemd(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this system has no systemd")
	}
}

func TestService_Refusals(t *testing.T) {
	t.Parallel()
	onSystemd(t)
	for _, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"unknown flag":     {[]string{"install", "--", "--adr=x"}, 2, "unknown flag --adr"},
		"no token":         {[]string{"install", "--", "--addr=0.0.0.0:80"}, 2, "a token is required"},
		"relative path":    {[]string{"install", "--", "--agents-dir=agents"}, 2, "must be absolute"},
		"no server":        {[]string{"install", "--", "--version"}, 2, "only print a text"},
		"no verb":          {nil, 2, "takes install"},
		"flags for status": {[]string{"status", "--", "--addr=x"}, 2, "takes neither"},
		"not installed":    {[]string{"status"}, 1, "not installed"},
	} {
		setup(t).memoir(append([]string{"service"}, tt.args...)...).wants(tt.code, "", tt.says)
	}
	term := setup(t)
	term.put(".config/systemd/user/memoir.service", "[Unit]\n")
	term.memoir("service", "install", "--root").wants(1, "", "was not made by this command")
	if raw, err := os.ReadFile(term.at(".config/systemd/user/memoir.service")); err != nil || string(raw) != "[Unit]\n" {
		t.Errorf("another unit is now %q (%v)", raw, err)
	}
	term.memoir("service", "uninstall", "--root").wants(1, "", "was not made by this command")
}

// The command in the unit must start a server with the environment in the unit alone.
func TestService_StartsServer(t *testing.T) {
	t.Parallel()
	onSystemd(t)
	term := setup(t)
	term.put("my agents/ada/memory/tabs.md", "---\nname: Tabs\ntype: user\n---\nUse tabs.\n")
	unit := term.memoir("service", "install", "--print", "--", "MEMOIR_TOKEN=a-token-of-many-characters", "MEMOIR_DATABASE_URL="+pgtest.New(t),
		"--addr=127.0.0.1:0", "--claude-dir=", "--agents-dir="+term.at("my agents")).wants(0, "ExecStart=", "").stdout
	var script strings.Builder
	for line := range strings.Lines(unit) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		// What these tests write means the same to a shell.
		switch name {
		case "Environment":
			script.WriteString("export " + value + "\n")
		case "ExecStart":
			script.WriteString("exec " + value + "\n")
		}
	}
	server := exec.Command("sh", "-c", script.String())
	server.Env, server.Dir = []string{"HOME=" + term.home}, "/"
	server.Stderr = t.Output()
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(os.Interrupt) //nolint:errcheck // it may have ended
		server.Wait()                       //nolint:errcheck // the result does not matter
	})
	line := make([]byte, 200)
	n, err := out.Read(line)
	url, found := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "memoir: listening on ")
	if err != nil || !found {
		t.Fatalf("it says %q (%v)", line[:n], err)
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // until it ends
	waittest.For(t, "the server", func() bool {
		answer, err := http.Get(url + "/readyz")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusOK
	})
	term.memoir("memory", "list", "--agent=ada", "--url="+url, "--token=a-token-of-many-characters").wants(0, "Tabs", "")
}

// A recorder in place of systemctl shows the order of its calls. systemd itself is not run.
func TestService_Calls(t *testing.T) {
	t.Parallel()
	onSystemd(t)
	term := setup(t)
	log := term.at("calls")
	for name, script := range map[string]string{
		"systemctl": "echo \"systemctl $*\" >> '" + log + "'\ncase \"$*\" in *is-active*) echo active;; *is-enabled*) echo enabled;; esac\n",
		"loginctl":  "echo no\n",
	} {
		term.put("bin/"+name, "#!/bin/sh\n"+script)
		if err := os.Chmod(term.at("bin/"+name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	term.env["PATH"] = term.at("bin") + ":/usr/bin:/bin"
	calls := func(want ...string) {
		t.Helper()
		raw, err := os.ReadFile(log)
		if got := strings.Split(strings.TrimSpace(string(raw)), "\n"); err != nil || strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("calls: %q (%v), want %q", got, err, want)
		}
		os.Remove(log) //nolint:errcheck // the next calls are read alone
	}
	at := term.at(".config/systemd/user/memoir.service")
	term.memoir("service", "install", "--root", "--", "--age-notes").wants(0, "loginctl enable-linger", "")
	calls("systemctl --user show-environment", "systemctl --user daemon-reload", "systemctl --user enable memoir.service", "systemctl --user restart memoir.service")
	info, err := os.Stat(at)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the unit: %v, %v", info, err)
	}
	term.memoir("service", "status").wants(0, "now: active", "")
	calls("systemctl --user is-enabled memoir.service", "systemctl --user is-active memoir.service")
	term.memoir("service", "install", "--root").wants(0, "was started", "")
	if raw, _ := os.ReadFile(at); strings.Contains(string(raw), "--age-notes") {
		t.Errorf("the second install keeps the flags of the first: %s", raw)
	}
	os.Remove(log) //nolint:errcheck // the calls are those of the first
	term.memoir("service", "uninstall", "--root").wants(0, "no longer starts", "")
	calls("systemctl --user disable --now memoir.service", "systemctl --user daemon-reload")
	if entries, _ := os.ReadDir(filepath.Dir(at)); len(entries) > 0 {
		t.Errorf("left over: %v", entries)
	}
	term.memoir("service", "uninstall", "--root").wants(0, "Nothing to do", "")
	if os.Getuid() == 0 {
		term.memoir("service", "install").wants(1, "", "for root")
	}
}
