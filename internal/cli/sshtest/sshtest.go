// Package sshtest runs an sshd of its own on loopback, with throw-away keys. Only tests use it.
package sshtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/waittest"
)

// Server is a running sshd.
type Server struct {
	// URL is ssh://user@127.0.0.1:port.
	URL string
	// Command is the ssh that reaches it, with its options, for a shell.
	Command string
}

// Start runs an sshd until the test ends. It skips the test if no sshd is installed.
func Start(t testing.TB) Server {
	t.Helper()
	program, err := exec.LookPath("sshd")
	if err != nil {
		if program = "/usr/sbin/sshd"; !isFile(program) {
			t.Skip("no sshd is installed: scripts/setup sshd")
		}
	}
	dir, me := t.TempDir(), current(t)
	host, key := filepath.Join(dir, "host"), filepath.Join(dir, "key")
	for _, name := range []string{host, key} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // sshd as root needs it
			t.Fatal(err)
		}
	}
	port := freePort(t)
	config := filepath.Join(dir, "sshd_config")
	write(t, config, strings.Join([]string{
		"ListenAddress 127.0.0.1", "Port " + port, "HostKey " + host, "AuthorizedKeysFile " + key + ".pub", "StrictModes no", "UsePAM no",
		"PidFile none", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin prohibit-password",
	}, "\n")+"\n")
	public, err := os.ReadFile(host + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	known := filepath.Join(dir, "known_hosts")
	write(t, known, fmt.Sprintf("[127.0.0.1]:%s %s", port, public))
	daemon := exec.Command(program, "-D", "-e", "-f", config)
	daemon.Stderr = t.Output()
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		daemon.Process.Kill() //nolint:errcheck // it may have ended
		daemon.Wait()         //nolint:errcheck // it was killed
	})
	waittest.For(t, "sshd to listen", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close() //nolint:errcheck // only a test of the port
		}
		return err == nil
	})
	return Server{
		URL:     "ssh://" + me + "@127.0.0.1:" + port,
		Command: fmt.Sprintf("ssh -F none -i %s -o UserKnownHostsFile=%s -o IdentitiesOnly=yes -o BatchMode=yes -o LogLevel=ERROR", key, known),
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func current(t testing.TB) string {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return me.Username
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // sshd takes the port
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
