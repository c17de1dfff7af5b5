package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"memoir/internal/hooksettings"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// answering starts a server that sends the given response to each request.
func (t *terminal) answering(status int, contentType, body string) {
	t.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body) //nolint:errcheck // the client may have gone
	}))
}

func TestHook_PrintsContext(t *testing.T) {
	t.Parallel()
	term := setup(t)
	type call struct{ path, body, token, media string }
	calls := make(chan call, 1)
	term.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- call{r.URL.String(), string(body), r.Header.Get("Authorization"), r.Header.Get("Content-Type")}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, `{"decision":"block","continue":false,"hookSpecificOutput":{"hookEventName":"Other","additionalContext":"Mira <likes> tea.\n"}}`)
	}))
	term.env["MEMOIR_TOKEN"] = "secret"
	const event = `{"session_id":"s","cwd":"/srv/shop","hook_event_name":"SessionStart","source":"startup"}`
	for _, name := range []string{"session-start", "SessionStart"} {
		term.given(event, "hook", name).
			wantsAll(`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Mira <likes> tea.\n"}}` + "\n")
		if got, want := <-calls, (call{"/hooks/session-start", event, "Bearer secret", "application/json"}); got != want {
			t.Errorf("the server was told %+v, want %+v", got, want)
		}
	}
	term.given(event, "hook", "stop", "--agent", "ada & bob").wants(0, "Stop", "")
	if got, want := (<-calls).path, "/hooks/stop?agent=ada+%26+bob"; got != want {
		t.Errorf("the server was told %s, want %s", got, want)
	}
}

func TestHook_MemoryIsOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variable, value string
		isOff           bool
	}{
		"disabled":     {"CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1", true},
		"bare":         {"CLAUDE_CODE_SIMPLE", "true", true},
		"not disabled": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := setup(t)
			term.answering(http.StatusOK, "application/json", `{"hookSpecificOutput":{"additionalContext":"Mira likes tea."}}`)
			term.env[c.variable] = c.value
			if c.isOff {
				term.given("{}", "hook", "user-prompt-submit").wantsAll("")
				term.given("{}", "hook", "user-prompt-submit", "--debug").wants(0, "", "memory off")
			} else {
				term.given("{}", "hook", "user-prompt-submit").wants(0, "Mira likes tea.", "")
			}
		})
	}
}

func TestHook_Failures(t *testing.T) {
	t.Parallel()
	const context = `{"hookSpecificOutput":{"additionalContext":"x"}}`
	for name, c := range map[string]struct {
		serve func(t *terminal)
		why   string // the text of --debug; it is empty if there is no text
	}{
		"no answer":                  {func(t *terminal) {}, "connection refused"},
		"an answer without anything": {func(t *terminal) { t.answering(http.StatusOK, "application/json", " \n") }, ""},
		"an answer without context":  {func(t *terminal) { t.answering(http.StatusOK, "application/json", `{"decision":"block"}`) }, ""},
		"an empty context": {func(t *terminal) {
			t.answering(http.StatusOK, "application/json", `{"hookSpecificOutput":{"additionalContext":" "}}`)
		}, ""},
		"no content":    {func(t *terminal) { t.answering(http.StatusNoContent, "", "") }, ""},
		"a failure":     {func(t *terminal) { t.answering(http.StatusInternalServerError, "application/json", context) }, "500"},
		"no permission": {func(t *terminal) { t.answering(http.StatusUnauthorized, "application/json", context) }, "401"},
		"a page":        {func(t *terminal) { t.answering(http.StatusOK, "text/html", "<html>") }, "JSON"},
		"half an answer": {func(t *terminal) {
			t.answering(http.StatusOK, "application/json", `{"hookSpecificOutput":{"additionalContext":"x"`)
		}, "JSON"},
		"another kind of answer": {func(t *terminal) { t.answering(http.StatusOK, "application/json", `{"hookSpecificOutput":7}`) }, "JSON"},
		"an endless answer": {func(t *terminal) {
			t.answering(http.StatusOK, "application/json", `{"hookSpecificOutput":{"additionalContext":"`+strings.Repeat("x", 2<<20)+`"}}`)
		}, "more than"},
		"another place": {func(t *terminal) {
			t.serve(http.RedirectHandler("https://memoir.invalid/", http.StatusTemporaryRedirect))
		}, "307"},
		"a server that never answers": {func(t *terminal) {
			t.serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) //nolint:errcheck // the end shows a cancelled request
				<-r.Context().Done()
			}))
		}, "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := setup(t)
			c.serve(term)
			term.given("{}", "hook", "user-prompt-submit").wantsAll("")
			term.given("{}", "hook", "user-prompt-submit", "--debug").wants(0, "", c.why)
		})
	}
}

// runInstalled runs each command that hooks install writes, and checks that it says nothing.
func (t *terminal) runInstalled() {
	t.Helper()
	commands := t.settingsIn(t.memoir("hooks", "print", "--with-model=false").wants(0, "", "").stdout).commands()
	if len(commands) != 8 {
		t.Fatalf("there are %d commands", len(commands))
	}
	var all sync.WaitGroup
	for _, command := range commands {
		all.Go(func() { t.run("/bin/sh", hookEvent, "-c", command).wantsAll("") })
	}
	all.Wait()
}

const hookEvent = `{"session_id":"s","cwd":"/srv/shop","prompt":"how large may a diff be?"}`

func TestHook_ServerDown(t *testing.T) {
	t.Parallel()
	setup(t).runInstalled()
}

// TestHook_ServerStopped runs hooks while the server's process is stopped. The system still accepts
// connections for it. That a hook ends at all shows that it gives up; TestEvents_Waiting of package
// hooksettings holds how soon.
func TestHook_ServerStopped(t *testing.T) {
	t.Parallel()
	term := start(t, "files", memoirtest.Files{"ada/memory/diffs.md": note("Small diffs", memories.Feedback, "A diff has 400 lines at most.")})
	server := term.serveMemoir()
	term.given(`{"session_id":"s"}`, "hook", "session-start", "--agent", "ada").wants(0, "additionalContext", "")
	if err := server.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Signal(syscall.SIGCONT) }) //nolint:errcheck // it may have ended already
	term.runInstalled()
	for _, event := range hooksettings.Events() {
		term.given(hookEvent, "hook", event.Path, "--agent", "ada", "--debug").wants(0, "", "deadline exceeded")
	}
}

// TestHook_Terminated sends SIGTERM to hooks that wait for the server, as Claude Code does to
// asynchronous hooks when it exits.
func TestHook_Terminated(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{"stop": "deadline exceeded", "post-tool-use": "deadline exceeded", "user-prompt-submit": "signal received"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := setup(t)
			arrived := make(chan bool, 1)
			term.serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) //nolint:errcheck // the end shows a cancelled request
				arrived <- true
				<-r.Context().Done()
			}))
			path, err := program()
			if err != nil {
				t.Fatal(err)
			}
			hook := exec.Command(path, "hook", name, "--debug")
			hook.Env, hook.Stdin = term.environment(), strings.NewReader(hookEvent)
			var said strings.Builder
			hook.Stderr = &said
			if err := hook.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-arrived:
			case <-time.After(waittest.Patience()):
				t.Error("the event does not arrive")
			}
			hook.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended already
			if err := hook.Wait(); err != nil || !strings.Contains(said.String(), why) {
				t.Errorf("it ends with %v and says %q", err, said.String())
			}
		})
	}
}

func TestHook_EndlessInput(t *testing.T) {
	t.Parallel()
	term := setup(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	hook := exec.Command(path, "hook", "stop", "--debug")
	hook.Env = []string{"MEMOIR_ADDR=" + noServer}
	hook.WaitDelay = waittest.Patience()
	in, err := hook.StdinPipe() // held open
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ended := make(chan error, 1)
	var said strings.Builder
	hook.Stderr = &said
	if err := hook.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- hook.Wait() }()
	select {
	case err := <-ended:
		if err != nil || !strings.Contains(said.String(), "did not end") {
			t.Errorf("it ended with %v and said %q", err, said.String())
		}
	case <-time.After(waittest.Patience()):
		hook.Process.Kill() //nolint:errcheck // it may have ended already
		t.Fatal("it still waits")
	}
	term.given(strings.Repeat("x", 17<<20), "hook", "stop", "--debug").wants(0, "", "longer than")
}

func TestHook_WrongUsage(t *testing.T) {
	t.Parallel()
	term := setup(t)
	for _, args := range [][]string{{}, {"nothing"}, {"stop", "stop"}, {"stop", "--nope"}, {"stop", "--url", "nonsense"}} {
		term.memoir(append([]string{"hook"}, args...)...).wants(1, "", "memoir: ")
	}
}
