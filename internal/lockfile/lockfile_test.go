package lockfile_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/lockfile"
)

type realDisk struct{}

func (realDisk) Write(root *os.Root, path string, data []byte, options files.Options) error {
	return files.Write(root, path, data, options)
}

func (realDisk) RemoveIf(root *os.Root, path, hash string) error {
	return files.NewGuard().RemoveIf(root, path, hash)
}

// racing is the environment variable that makes the test binary a racer, with the directory as
// value.
const racing = "MEMOIR_TEST_RACES_FOR_LOCK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(racing); dir != "" {
		race(dir)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func setup(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root
}

func put(t *testing.T, dir, body string, at time.Time) {
	t.Helper()
	path := filepath.Join(dir, lockfile.Name)
	if err := errors.Join(os.WriteFile(path, []byte(body), 0o644), os.Chtimes(path, at, at)); err != nil {
		t.Fatal(err)
	}
}

// sleeper starts a process that runs until the test ends, and one that has already ended.
func processes(t *testing.T) (alive, dead int) {
	t.Helper()
	living := exec.Command("sleep", "600")
	gone := exec.Command("true")
	if err := errors.Join(living.Start(), gone.Run()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = living.Process.Kill()
		_ = living.Wait()
	})
	return living.Process.Pid, gone.Process.Pid
}

func TestRead_Held(t *testing.T) {
	t.Parallel()
	alive, dead := processes(t)
	started := time.Now()
	// The times are in the future, so that the running process was started before each lock.
	now := started.Add(3 * time.Hour)
	for name, test := range map[string]struct {
		body string
		age  time.Duration
		held bool
	}{
		"taken just now":                   {strconv.Itoa(alive), 0, true},
		"with a line end":                  {strconv.Itoa(alive) + "\n", time.Minute, true},
		"59 minutes old":                   {strconv.Itoa(alive), 59 * time.Minute, true},
		"a second before an hour":          {strconv.Itoa(alive), time.Hour - time.Second, true},
		"60 minutes old":                   {strconv.Itoa(alive), 60 * time.Minute, false},
		"of a process that is dead":        {strconv.Itoa(dead), time.Minute, false},
		"of the first process of all":      {"1", time.Minute, true},
		"a process id that was given anew": {strconv.Itoa(alive), now.Sub(started) + 30*time.Minute, false},
		"empty":                            {"", time.Minute, false},
		"without a number":                 {"garbage", time.Minute, false},
		"with a number and more, as JavaScript reads it": {strconv.Itoa(alive) + " {}", time.Minute, true},
		"below zero, which would be a whole group":       {"-" + strconv.Itoa(alive), time.Minute, false},
		"zero":                              {"0", time.Minute, false},
		"with a number that no process has": {strings.Repeat("9", 40), time.Minute, false},
		"as long as a book":                 {strings.Repeat("x", 1<<20), time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, root := setup(t)
			at, when := now.Add(-test.age), now
			if strings.Contains(name, "anew") {
				at, when = started.Add(-30*time.Minute), started // before the process was started
			}
			put(t, dir, test.body, at)
			state, err := lockfile.Read(root, ".", when)
			if err != nil || !state.Exists || state.Held != test.held || !state.Last.Equal(at) {
				t.Fatalf("it stands as %+v (%v), want held %t since %s", state, err, test.held, at)
			}
			taken, err := lockfile.Take(realDisk{}, root, ".", when)
			var held *lockfile.HeldError
			switch {
			case test.held && (!errors.As(err, &held) || held.PID != state.PID):
				t.Errorf("it could be taken: %+v, %v", taken, err)
			case test.held:
				if after, _ := os.ReadFile(filepath.Join(dir, lockfile.Name)); string(after) != test.body {
					t.Errorf("it says %q now", after)
				}
			case err != nil:
				t.Errorf("it could not be taken: %v", err)
			default:
				if after, _ := os.ReadFile(filepath.Join(dir, lockfile.Name)); string(after) != strconv.Itoa(os.Getpid()) {
					t.Errorf("it says %q in place of this process", after)
				}
			}
		})
	}
}

func TestTaken_Release(t *testing.T) {
	t.Parallel()
	before := time.Now().Add(-30 * time.Hour).Truncate(time.Second)
	for _, was := range []time.Time{{}, before} {
		dir, root := setup(t)
		if !was.IsZero() {
			put(t, dir, "garbage", was)
		}
		taken, err := lockfile.Take(realDisk{}, root, ".", time.Now())
		if err != nil || !taken.Last.Equal(was) {
			t.Fatalf("it was taken as %+v (%v)", taken, err)
		}
		if err := errors.Join(taken.Holds(root, "."), taken.PutBack(realDisk{}, root, ".")); err != nil {
			t.Fatal(err)
		}
		state, err := lockfile.Read(root, ".", time.Now())
		if err != nil || state.Exists == was.IsZero() || !state.Last.Equal(was) || state.Held {
			t.Errorf("it was put back as %+v (%v), it had been of %s", state, err, was)
		}
		if taken, err = lockfile.Take(realDisk{}, root, ".", time.Now()); err != nil {
			t.Fatal(err)
		}
		done := time.Now().Truncate(time.Second)
		if err := taken.Done(realDisk{}, root, ".", done); err != nil {
			t.Fatal(err)
		}
		// The server continues to run without counting as a holder.
		if body, _ := os.ReadFile(filepath.Join(dir, lockfile.Name)); len(body) != 0 {
			t.Errorf("it says %q when all is over", body)
		}
		if state, err = lockfile.Read(root, ".", time.Now()); err != nil || !state.Last.Equal(done) || state.Held {
			t.Errorf("it was left as %+v (%v)", state, err)
		}
		if err := taken.Holds(root, "."); !errors.Is(err, lockfile.ErrLost) {
			t.Errorf("it is still held: %v", err)
		}
	}
}

// After Claude Code takes the lock, Memoir does not release or restore it.
func TestTaken_LostLock(t *testing.T) {
	t.Parallel()
	alive, _ := processes(t)
	dir, root := setup(t)
	taken, err := lockfile.Take(realDisk{}, root, ".", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, strconv.Itoa(alive), time.Now())
	if err := taken.Holds(root, "."); !errors.Is(err, lockfile.ErrLost) {
		t.Errorf("it is still held: %v", err)
	}
	if err := errors.Join(taken.PutBack(realDisk{}, root, "."), taken.Done(realDisk{}, root, ".", time.Now())); err != nil {
		t.Fatal(err)
	}
	if body, _ := os.ReadFile(filepath.Join(dir, lockfile.Name)); string(body) != strconv.Itoa(alive) {
		t.Errorf("it says %q", body)
	}
}

func TestRead_NotRegular(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("keep"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string]func(at string) error{
		"a directory":             func(at string) error { return os.Mkdir(at, 0o755) },
		"a link that leaves":      func(at string) error { return os.Symlink(outside, at) },
		"a link to nothing":       func(at string) error { return os.Symlink("nothing", at) },
		"a link to nothing, away": func(at string) error { return os.Symlink(outside+"-not", at) },
	} {
		dir, root := setup(t)
		if err := place(filepath.Join(dir, lockfile.Name)); err != nil {
			t.Fatal(err)
		}
		if state, err := lockfile.Read(root, ".", time.Now()); err == nil {
			t.Errorf("%s is read as %+v", name, state)
		}
		if taken, err := lockfile.Take(realDisk{}, root, ".", time.Now()); err == nil {
			t.Errorf("%s is taken as %+v", name, taken)
		}
	}
	if kept, _ := os.ReadFile(outside); string(kept) != "keep" {
		t.Errorf("what is outside says %q", kept)
	}
	if _, err := os.Stat(outside + "-not"); err == nil {
		t.Error("something was made outside")
	}
}

// race takes the lock at each request and reports whether it got it.
func race(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	for told := bufio.NewScanner(os.Stdin); told.Scan(); {
		_, err := lockfile.Take(realDisk{}, root, ".", time.Now())
		var held *lockfile.HeldError
		switch {
		case err == nil:
			fmt.Println("won")
		case errors.As(err, &held):
			fmt.Println("lost")
		default:
			fmt.Println(err)
		}
	}
}

// racer is another process that takes the lock on request.
type racer struct {
	in  io.Writer
	out *bufio.Scanner
}

func startRacer(t *testing.T, dir string) racer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), racing+"="+dir)
	in, inErr := child.StdinPipe()
	out, outErr := child.StdoutPipe()
	if err := errors.Join(inErr, outErr, child.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(in.Close(), child.Wait()) })
	return racer{in, bufio.NewScanner(out)}
}

func TestTake_Race(t *testing.T) {
	t.Parallel()
	// In memory if possible: the test does not simulate power cuts.
	dir, err := os.MkdirTemp("/dev/shm", "memoir-race-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	racers := []racer{startRacer(t, dir), startRacer(t, dir)}
	wins := [2]int{}
	for round := range 1000 {
		// In turn there is no lock, a released one, and an invalid one.
		switch round % 3 {
		case 0:
			if err := os.Remove(filepath.Join(dir, lockfile.Name)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		case 1:
			put(t, dir, "", time.Now().Add(-25*time.Hour))
		case 2:
			put(t, dir, "garbage", time.Now())
		}
		order := []int{round & 1, 1 - round&1}
		for _, i := range order {
			if _, err := io.WriteString(racers[i].in, "go\n"); err != nil {
				t.Fatal(err)
			}
		}
		won := 0
		for i, r := range racers {
			if !r.out.Scan() {
				t.Fatal("a racer has gone")
			}
			switch said := r.out.Text(); said {
			case "won":
				won++
				wins[i]++
			case "lost":
			default:
				t.Fatalf("a racer says %s", said)
			}
		}
		if won != 1 {
			t.Fatalf("in round %d %d have won", round, won)
		}
	}
	t.Logf("they won %d and %d times", wins[0], wins[1])
}
