package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/files"
)

func TestAppend_NewLine(t *testing.T) {
	t.Parallel()
	p := setup(t)
	dir, root := p.dir, p.root
	for before, want := range map[string]string{"": "b\n", "a\n": "a\nb\n", "a": "a\nb\n"} {
		name := filepath.Join(dir, "log.md")
		if err := os.WriteFile(name, []byte(before), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := files.NewGuard().Append(root, "log.md", []byte("b\n")); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%q becomes %q, want %q (%v)", before, got, want, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "leaves")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"none": fs.ErrNotExist, "directory": syscall.EISDIR, "pipe": files.ErrNotRegular, "leaves": files.ErrLeaves} {
		if err := files.NewGuard().Append(root, name, []byte("b\n")); !errors.Is(err, want) {
			t.Errorf("appending to %s: %v, want %v", name, err, want)
		}
	}
	if info, err := os.Stat(outside); err != nil || info.Size() != 0 {
		t.Errorf("something was written outside: %v, %v", info, err)
	}
}

const (
	appenderDir  = "MEMOIR_TEST_APPENDER_DIR"
	appenderName = "MEMOIR_TEST_APPENDER_NAME"
	appended     = 500
)

func TestAppend_Concurrent(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(appenderDir); dir != "" {
		appendAgainAndAgain(t, dir, os.Getenv(appenderName))
		return
	}
	dir := t.TempDir()
	var processes []*exec.Cmd
	for _, name := range []string{"a", "b"} {
		process := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		process.Env = append(os.Environ(), appenderDir+"="+dir, appenderName+"="+name)
		process.Stderr = os.Stderr
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, process)
	}
	for _, process := range processes {
		if err := process.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "log.md"))
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" { // the previous line was seen before its end was written
			continue
		}
		name, number, _ := strings.Cut(line, " ")
		if number != fmt.Sprint(next[name]) {
			t.Fatalf("%q where %d of %s comes next", line, next[name], name)
		}
		next[name]++
	}
	if next["a"] != appended || next["b"] != appended {
		t.Errorf("%v of %d each are there", next, appended)
	}
}

// appendAgainAndAgain appends lines in one of two processes. Either may create the file.
func appendAgainAndAgain(t *testing.T, dir, name string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for i := range appended {
		line := fmt.Appendf(nil, "%s %d\n", name, i)
		for {
			err = files.NewGuard().Append(root, "log.md", line)
			if errors.Is(err, fs.ErrNotExist) {
				err = files.Write(root, "log.md", line, files.Options{New: true})
			}
			if !errors.Is(err, files.ErrExists) {
				break
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
