package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/waittest"
)

func TestClient_Extraction(t *testing.T) {
	for name, signIn := range map[string]func(*user){
		"signed in by a variable": func(u *user) { u.variables = []string{"CLAUDE_CODE_OAUTH_TOKEN=a-token"} },
		"signed in by settings": func(u *user) {
			u.variables = nil
			u.writeSettings(`{"apiKeyHelper": "echo a-key", "outputStyle": "Explanatory"}`)
			if err := os.WriteFile(filepath.Join(u.home, ".claude", "CLAUDE.md"), []byte("Answer in French.\n"), 0o600); err != nil {
				u.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			signIn(u)
			u.startWith(u.variables, "--extract=propose", "--extract-quiet=1s", "--claude-command="+u.claude)
			u.installHooks() // they must not run for Memoir's own question
			u.ask(u.project, "Hello there.")
			slug := u.agent(u.project)
			const quote = "From now on install packages with pnpm, never with npm."
			u.model.structured(map[string]any{"memories": []any{map[string]any{
				"name": "Use pnpm", "type": "feedback", "description": "pnpm only", "text": pnpm,
				"why": "The lock file of npm breaks the build.", "how_to_apply": "Run pnpm install.", "quote": quote,
			}}})
			waittest.For(t, "the end of the conversation", func() bool { return u.heard("session-end") })
			before := u.countSessions()
			var told []any
			for _, text := range []string{quote, "The lock file of npm breaks our build.", "We lost a whole day to it last month."} {
				told = append(told, map[string]any{"role": "user", "content": text}, map[string]any{"role": "assistant", "content": "Done."})
			}
			u.call("POST", "/agents/"+slug+"/extract?wait=60", map[string]any{"session": "s1", "messages": told}, nil)
			var list struct {
				Proposals []struct{ Name, Quote string }
			}
			waittest.For(t, "the proposal", func() bool {
				u.call("GET", "/agents/"+slug+"/proposals?state=waiting", nil, &list)
				return len(list.Proposals) == 1
			})
			if p := list.Proposals[0]; p.Name != "Use pnpm" || p.Quote != quote {
				t.Errorf("the proposal is %+v", p)
			}
			asked := u.model.structuredRequests()
			if len(asked) == 0 {
				t.Error("the model was not asked by Claude Code")
			}
			for _, r := range asked {
				for _, word := range []string{"Answer in French.", "Explanatory", "hook additional context"} {
					if strings.Contains(r.text(), word) {
						t.Errorf("the question has the user's own %q: %q", word, r.text())
					}
				}
			}
			if u.countSessions() != before {
				t.Errorf("hooks ran for %d of Memoir's own questions", u.countSessions()-before)
			}
		})
	}
}

// countSessions returns the number of sessions whose start Memoir has heard.
func (u *user) countSessions() int {
	u.Helper()
	return strings.Count(u.readLog(), "/hooks/session-start")
}
