package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"memoir/internal/waittest"
)

// pseudoTerminal returns the two ends of a terminal.
func pseudoTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// screen is what a program has written to a terminal.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) read(from *os.File) {
	part := make([]byte, 4096)
	for {
		n, err := from.Read(part)
		s.mu.Lock()
		s.text.Write(part[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestReview_Walk(t *testing.T) {
	t.Parallel()
	term := setup(t)
	q := &queueServer{terminal: term}
	term.serve(q)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	master, slave := pseudoTerminal(t)
	command := exec.Command(path, "review")
	command.Dir, command.Env = t.TempDir(), term.environment()
	command.Stdin, command.Stdout, command.Stderr = slave, slave, slave
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	shown := &screen{}
	go shown.read(master)
	seen := 0
	// presses types a key after a text has appeared, which counts from the last key on.
	presses := func(text, key string) {
		t.Helper()
		waittest.For(t, fmt.Sprintf("%q before the key %q", text, key), func() bool {
			at := strings.Index(shown.String()[seen:], text)
			if at >= 0 {
				seen += at + len(text)
			}
			return at >= 0
		})
		if _, err := master.WriteString(key); err != nil {
			t.Fatal(err)
		}
	}
	presses("[1 of 2] expired: Date passed: 3 March 2025 (ada)", "")
	presses("No deploys until 3 March 2025.", "")
	presses("d delete (recommended) · v still true · z snooze · u undo · n next · q quit", "u")
	presses("nothing to undo", "v")
	presses("A memory has changed. Nothing was changed. n: next item", "\x1b[A") // an arrow does nothing
	presses("", "d")
	presses("[2 of 2]", "")
	presses("q quit", "u")
	presses("undone: delete", "q")
	presses("0 decided", "")
	if err := command.Wait(); err != nil {
		t.Errorf("it ended with %v:\n%s", err, shown)
	}
	want := []string{`/review/expired-1 {"decision":"still_true","etags":["\"e\""]}`, `/review/expired-1 {"decision":"delete","etags":["\"e\""]}`, "/review/expired-1/undo "}
	if got := q.made(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the calls are %q, want %q", got, want)
	}
}
