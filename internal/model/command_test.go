package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"memoir/internal/model"
)

// program builds the fake claude program once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "memoir-fake-claude-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "claude")
	out, err := exec.Command("go", "build", "-o", path, "./testdata/claude").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// played is a fake claude and the file that records its input.
type played struct {
	model.Model
	record string
}

// seen is the input of a fake claude.
type seen struct {
	Args, Files, Env   []string
	Asked, Dir, System string
}

func playing(t *testing.T, part string) played {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "record")
	env := append(os.Environ(), "CLAUDE_PLAYS="+part, "CLAUDE_RECORD="+record, "MEMOIR_TOKEN=opensesame", "DATABASE_URL=postgres://opensesame", "CLAUDECODE=1")
	return played{model.Command(path, "claude-sonnet-5", env), record}
}

func (p played) seen(t *testing.T) seen {
	t.Helper()
	raw, err := os.ReadFile(p.record)
	if err != nil {
		t.Fatal(err)
	}
	var s seen
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCommand_Answers(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"well", "a list", "old", "old prose"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			p := playing(t, part)
			answer, err := p.Ask(t.Context(), question)
			if err != nil || string(answer.JSON) != `{"word":"blue"}` || answer.Model != "claude-sonnet-5" || answer.InputTokens != 123 || answer.OutputTokens != 7 {
				t.Errorf("it answered %+v, %v", answer, err)
			}
		})
	}
}

func TestCommand_Arguments(t *testing.T) {
	t.Parallel()
	p := playing(t, "well")
	if _, err := p.Ask(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	s := p.seen(t)
	if s.Asked != question.Text || s.System != question.System || !slices.Equal(s.Files, []string{"instructions"}) {
		t.Errorf("it was given %+v", s)
	}
	args := strings.Join(s.Args, "\x00") + "\x00"
	for _, part := range []string{"-p\x00", "--tools\x00\x00", "--setting-sources\x00user\x00--settings\x00{\"disableAllHooks\":true,\"claudeMdExcludes\":[\"**\"],\"outputStyle\":\"default\"}\x00", "--strict-mcp-config\x00", "--no-session-persistence\x00", "--output-format\x00json\x00", `"word"`} {
		if !strings.Contains(args, part) {
			t.Errorf("its arguments have no %q: %q", part, s.Args)
		}
	}
	if strings.Contains(args, question.Text) {
		t.Errorf("everybody can read the question: %q", s.Args)
	}
	env := strings.Join(s.Env, "\n")
	if strings.Contains(env, "opensesame") || strings.Contains(env, "CLAUDECODE=") || !strings.Contains(env, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1") {
		t.Errorf("its environment is %q", s.Env)
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its directory %s is still there: %v", s.Dir, err)
	}
}

func TestCommand_Failures(t *testing.T) {
	t.Parallel()
	for part, c := range map[string]struct {
		why   string
		again bool
	}{
		"prose":         {"not JSON", true},
		"another shape": {"did not answer", true},
		"broken":        {"did not answer", true},
		"nothing":       {"did not answer", true},
		"a flood":       {"more than an answer can be", true},
		"exit":          {"command line failed", true},
		"overloaded":    {"was not answered", true},
		"signed out":    {"signed in", false},
		"refusal":       {`"refusal"`, false},
		"ancient":       {"too old: it has no --tools", false},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			_, err := playing(t, part).Ask(t.Context(), question)
			var failed *model.Error
			if !errors.As(err, &failed) {
				t.Fatalf("it failed with %v", err)
			}
			if again, _ := failed.Again(); again != c.again || !strings.Contains(failed.Plain(), c.why) || strings.Contains(failed.Plain(), "secret") || len(failed.Error()) > 1000 {
				t.Errorf("it failed with %q (again: %t): %s", failed.Plain(), again, failed.Error())
			}
		})
	}
	_, err := model.Command(filepath.Join(t.TempDir(), "claude"), "", nil).Ask(t.Context(), question)
	var failed *model.Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Plain(), "cannot be run") {
		t.Errorf("without a program: %v", err)
	}
}

func TestCommand_Cancelled(t *testing.T) {
	t.Parallel()
	p := playing(t, "slow with a child")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Ask(ctx, question)
		ended <- err
	}()
	var child int
	for deadline := time.Now().Add(time.Minute); child == 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		raw, _ := os.ReadFile(p.record + ".child")
		child, _ = strconv.Atoi(string(raw))
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || child == 0 {
		t.Fatalf("it ended with %v; its child is %d", err, child)
	}
	for deadline := time.Now().Add(time.Minute); lives(child); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("its child %d lives on", child)
		}
	}
}

// lives reports whether a process runs. A zombie does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(raw), ") Z ")
}
