package client_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/waittest"
)

const pnpm = "Install packages with pnpm, never with npm."

// hookEvent is the end of a hook, as Claude Code reports it.
type hookEvent struct {
	Event   string `json:"hook_event"`
	Outcome string `json:"outcome"`
	Output  string `json:"stdout"`
	Session string `json:"session_id"`
}

// askWithEvents is ask, and returns the hooks that Claude Code has waited for.
func (u *user) askWithEvents(project, prompt string, args ...string) []hookEvent {
	u.Helper()
	r := u.ask(project, prompt, append(args, "--output-format", "stream-json", "--verbose", "--include-hook-events")...)
	var events []hookEvent
	for line := range strings.Lines(r.out) {
		var event struct {
			Subtype string `json:"subtype"`
			hookEvent
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			u.Fatalf("Claude Code printed %q: %v", line, err)
		}
		if event.Subtype == "hook_response" {
			events = append(events, event.hookEvent)
		}
	}
	return events
}

// outputOf returns the output of the hooks of an event.
func outputOf(events []hookEvent, name string) (output string, has bool) {
	for _, e := range events {
		if e.Event == name {
			output, has = output+e.Output, true
		}
	}
	return output, has
}

// heard reports whether the hook has called Memoir, with success.
func (u *user) heard(hook string) bool {
	u.Helper()
	for line := range strings.Lines(u.readLog()) {
		if strings.Contains(line, "/hooks/"+hook) && strings.Contains(line, "status=200") {
			return true
		}
	}
	return false
}

func TestClient_Hooks(t *testing.T) {
	u := newUser(t)
	u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
	u.remember(u.project, "release-day", "deployments", "Deployments go out on Tuesdays.")
	u.start()
	u.installHooks()
	const prompt = "Which command installs packages with pnpm?"
	u.model.script(prompt, step{tool: "Write", input: map[string]any{
		"file_path": filepath.Join(u.memoryDir(u.project), "lint.md"), "content": "---\nname: lint\ndescription: run it first\ntype: feedback\n---\n\nLint before each commit.\n",
	}}, step{text: "Done.", after: func() bool { return u.heard("post-tool-use") }})
	events := u.askWithEvents(u.project, prompt)
	asked := u.last(prompt)

	t.Run("no hook fails", func(t *testing.T) {
		if len(events) == 0 {
			t.Error("no hook has run")
		}
		for _, e := range events {
			// At its end, claude -p cancels the asynchronous hooks, which give no context.
			isLate := e.Outcome == "cancelled" && e.Event != "SessionStart" && e.Event != "UserPromptSubmit"
			if e.Outcome != "success" && !isLate {
				t.Errorf("%s ends with %q: %s", e.Event, e.Outcome, e.Output)
			}
		}
	})
	t.Run("the prompt gets its memory", func(t *testing.T) {
		if got := asked.hookContext(); strings.Count(got, pnpm) != 1 || strings.Contains(got, "Tuesdays.") {
			t.Errorf("the hooks gave %q", got)
		}
	})
	t.Run("the answers reach the model", func(t *testing.T) {
		given := 0
		for _, e := range events {
			var output struct {
				Specific struct {
					Context string `json:"additionalContext"`
				} `json:"hookSpecificOutput"`
			}
			if json.Unmarshal([]byte(e.Output), &output) != nil || output.Specific.Context == "" {
				continue
			}
			given++
			if context := strings.TrimSpace(output.Specific.Context); !strings.Contains(asked.text(), context) {
				t.Errorf("%s gave %q, and the request has %q", e.Event, context, asked.hookContext())
			}
		}
		if given == 0 {
			t.Error("no hook gave context")
		}
	})
	for _, hook := range []string{"session-start", "user-prompt-submit", "post-tool-use"} {
		t.Run("Memoir hears "+hook, func(t *testing.T) {
			u := u.in(t)
			waittest.For(t, hook, func() bool { return u.heard(hook) })
		})
	}
	t.Run("Memoir hears of the end", func(t *testing.T) {
		u := u.in(t)
		// An asynchronous stop can be lost when claude -p ends.
		waittest.For(t, "stop or session-end", func() bool { return u.heard("stop") || u.heard("session-end") })
	})
	t.Run("nothing twice when resumed", func(t *testing.T) {
		u := u.in(t)
		if len(events) == 0 {
			t.Fatal("no hook has run")
		}
		const again = "Once more, how do I install packages with pnpm?"
		resumed := u.askWithEvents(u.project, again, "--resume", events[0].Session)
		output, has := outputOf(resumed, "UserPromptSubmit")
		if !has || strings.Contains(output, pnpm) {
			t.Errorf("the hook ran: %v, and gave %q", has, output)
		}
	})
	t.Run("nothing on the terminal", func(t *testing.T) {
		u := u.in(t)
		if r := u.ask(u.project, "Hello there."); r.out != "Done.\n" || r.errors != "" {
			t.Errorf("%q and %q", r.out, r.errors)
		}
	})
}

func TestClient_HooksFindTheProject(t *testing.T) {
	u := newUser(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", u.project, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = u.env()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "Begin")
	worktree := filepath.Join(filepath.Dir(u.project), "worktree")
	git("worktree", "add", "-q", worktree)
	u.mkdir(filepath.Join(u.project, "web"))
	u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
	// Memoir reads the project's path from a transcript.
	u.ask(u.project, "Hello there.")
	u.start()
	u.installHooks()
	ask := func(t *testing.T, dir, prompt string) {
		t.Helper()
		u := u.in(t)
		u.ask(dir, prompt)
		if got := u.last(prompt).hookContext(); strings.Count(got, pnpm) != 1 {
			t.Errorf("the hooks gave %q", got)
		}
	}
	t.Run("at the root", func(t *testing.T) { ask(t, u.project, "Does pnpm install packages at the root?") })
	t.Run("in a subdirectory", func(t *testing.T) {
		u := u.in(t)
		ask(t, filepath.Join(u.project, "web"), "Does pnpm install packages in web?")
	})
	t.Run("in a worktree", func(t *testing.T) { ask(t, worktree, "Does pnpm install packages in a worktree?") })
	t.Run("after cd", func(t *testing.T) {
		u := u.in(t)
		const first, second = "Please change the directory.", "After cd, does pnpm install packages?"
		u.model.script(first, step{tool: "Bash", input: map[string]any{"command": "cd web && pwd", "description": "Change the directory"}})
		u.converse(u.project, []string{first, second}, "--allowedTools", "Bash")
		asked := u.last(second)
		if !strings.Contains(asked.hookContext(), "directory: "+filepath.Join(u.project, "web")) {
			t.Fatalf("the directory did not change: %s", asked.text())
		}
		if got := asked.hookContext(); strings.Count(got, pnpm) != 1 {
			t.Errorf("the hooks gave %q", got)
		}
	})
}

func TestClient_Compaction(t *testing.T) {
	u := newUser(t)
	u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
	u.start()
	u.installHooks()
	const first, summary, next = "Which command installs packages with pnpm?", "Your task is to create a detailed summary", "Again, which command installs packages with pnpm?"
	u.model.script(summary, step{text: "<analysis>Short.</analysis>\n<summary>The user asked how to install packages.</summary>"})
	events := u.askWithEvents(u.project, first)
	if len(events) == 0 {
		t.Fatal("no hook has run")
	}
	session := events[0].Session
	compacted := u.ask(u.project, "/compact", "--resume", session)
	u.ask(u.project, next, "--resume", session)
	t.Run("Memoir hears pre-compact", func(t *testing.T) {
		waittest.For(t, "pre-compact", func() bool { return u.heard("pre-compact") })
	})
	t.Run("the summary gets no instruction", func(t *testing.T) {
		u := u.in(t)
		if got := u.last(summary).loaded(); strings.Contains(got, "Additional Instructions") {
			t.Errorf("the request for a summary has %q", got[strings.Index(got, "Additional Instructions"):])
		}
	})
	t.Run("nothing on the terminal", func(t *testing.T) {
		if strings.Contains(compacted.out, "{}") || compacted.errors != "" {
			t.Errorf("%q and %q", compacted.out, compacted.errors)
		}
	})
	t.Run("the memory is given again", func(t *testing.T) {
		u := u.in(t)
		asked := u.last(next)
		if strings.Contains(asked.loaded(), first) {
			t.Fatalf("the conversation was not compacted: %q", asked.loaded())
		}
		if got := asked.hookContext(); strings.Count(got, pnpm) != 1 {
			t.Errorf("the hooks gave %q", got)
		}
	})
}

// slowTurn is a prompt whose answer calls four tools.
const slowTurn = "Please write four files."

func (u *user) scriptSlowTurn() {
	var steps []step
	for _, name := range []string{"a", "b", "c", "d"} {
		steps = append(steps, step{tool: "Write", input: map[string]any{"file_path": filepath.Join(u.memoryDir(u.project), name+".md"), "content": "Text.\n"}})
	}
	u.model.script(slowTurn, steps...)
}

func TestClient_MemoirIsDown(t *testing.T) {
	u := newUser(t)
	u.scriptSlowTurn()
	u.start()
	without := u.ask(u.project, slowTurn)
	u.installHooks()
	u.stop()
	with := u.ask(u.project, slowTurn)
	t.Run("the turn goes on", func(t *testing.T) {
		u := u.in(t)
		if requests := u.model.about(slowTurn); len(requests) != 10 || !strings.Contains(with.out, "Done.") {
			t.Errorf("%d requests in two turns, want 10; the answer is %q", len(requests), with.out)
		}
	})
	t.Run("nothing on the terminal", func(t *testing.T) {
		if with.out != without.out || with.errors != without.errors {
			t.Errorf("%q and %q, without hooks %q and %q", with.out, with.errors, without.out, without.errors)
		}
	})
	t.Run("nothing in the request", func(t *testing.T) {
		u := u.in(t)
		requests := u.model.about(slowTurn)
		without, with := requests[4].hookContext(), requests[len(requests)-1].hookContext()
		if with != without {
			t.Errorf("the model reads %q, without hooks %q", with, without)
		}
	})
}

func TestClient_MemoirHangs(t *testing.T) {
	u := newUser(t)
	u.scriptSlowTurn()
	u.start()
	var without time.Duration
	for range 3 {
		without = max(without, u.ask(u.project, slowTurn).took)
	}
	u.installHooks()
	u.signal(syscall.SIGSTOP)
	with := u.ask(u.project, slowTurn)
	u.signal(syscall.SIGCONT)
	t.Logf("a turn takes %v, and %v without hooks", with.took.Round(time.Millisecond), without.Round(time.Millisecond))
	t.Run("the turn goes on", func(t *testing.T) {
		if !strings.Contains(with.out, "Done.") {
			t.Errorf("the answer is %q", with.out)
		}
	})
	t.Run("nothing on the terminal", func(t *testing.T) {
		if with.errors != "" || with.out != "Done.\n" {
			t.Errorf("%q and %q", with.out, with.errors)
		}
	})
	t.Run("the turn is hardly late", func(t *testing.T) {
		// Session start, prompt and session end may take 1.5 s each, and tools and stop nothing. The
		// rest is for a busy machine; four tools that wait would exceed it.
		const limit = 3*1500*time.Millisecond + 3*time.Second
		if late := with.took - without; late > limit {
			t.Errorf("a turn is %v late, want at most %v", late, limit)
		}
	})
	t.Run("it works again", func(t *testing.T) {
		u := u.in(t)
		u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
		slug := u.agent(u.project)
		waittest.For(t, "the memory", func() bool { return len(u.memories(slug)) > 0 && u.memories(slug)["use-pnpm.md"].Name != "" })
		const prompt = "Which command installs packages with pnpm?"
		u.ask(u.project, prompt)
		if got := u.last(prompt).hookContext(); !strings.Contains(got, pnpm) {
			t.Errorf("the hooks gave %q", got)
		}
	})
}

func TestClient_HooksUninstalled(t *testing.T) {
	u := newUser(t)
	u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
	u.start()
	u.installHooks()
	if r := u.run(u.project, u.memoir, "hooks", "uninstall", "--url", u.url); r.code != 0 {
		t.Fatalf("memoir hooks uninstall: %s%s", r.out, r.errors)
	}
	if raw, err := os.ReadFile(filepath.Join(u.home, ".claude", "settings.json")); err == nil && strings.Contains(string(raw), "hook") {
		t.Errorf("the settings are %s", raw)
	}
	const prompt = "Which command installs packages with pnpm?"
	u.ask(u.project, prompt)
	if got := u.last(prompt).text(); strings.Contains(got, pnpm) {
		t.Errorf("the request has %q", got)
	}
}

func TestClient_ProjectHooks(t *testing.T) {
	u := newUser(t)
	u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
	u.ask(u.project, "Hello there.")
	u.start()
	if r := u.run(u.project, u.memoir, "hooks", "install", "--project"); r.code != 0 {
		t.Fatalf("memoir hooks install --project: %s%s", r.out, r.errors)
	}
	raw, err := os.ReadFile(filepath.Join(u.project, ".claude", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("no path of this machine", func(t *testing.T) {
		if strings.Contains(string(raw), filepath.Dir(u.memoir)) || strings.Contains(string(raw), u.home) {
			t.Errorf("the settings are %s", raw)
		}
	})
	t.Run("silent without memoir", func(t *testing.T) {
		u := u.in(t)
		if r := u.ask(u.project, "Hello again."); r.out != "Done.\n" || r.errors != "" {
			t.Errorf("%q and %q", r.out, r.errors)
		}
	})
	t.Run("memories with memoir", func(t *testing.T) {
		u := u.in(t)
		u.findMemoir()
		const prompt = "Which command installs packages with pnpm?"
		u.ask(u.project, prompt)
		if got := u.last(prompt).hookContext(); strings.Count(got, pnpm) != 1 {
			t.Errorf("the hooks gave %q", got)
		}
	})
}
