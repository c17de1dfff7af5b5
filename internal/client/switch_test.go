package client_test

import (
	"strings"
	"testing"
)

func TestClient_MemoryIsOff(t *testing.T) {
	for name, switchOff := range map[string]func(*user){
		"by settings": func(u *user) {
			u.writeSettings(`{"autoMemoryEnabled": false}`)
		},
		"by a variable in settings": func(u *user) {
			u.writeSettings(`{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}`)
		},
		"by a variable": func(u *user) { u.variables = append(u.variables, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1") },
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
			u.ask(u.project, "Hello there.")
			switchOff(u)
			u.start()
			u.installHooks()
			const prompt = "Which command installs packages with pnpm?"
			u.ask(u.project, prompt)
			got := u.last(prompt)
			if strings.Contains(got.loaded(), "use-pnpm") {
				t.Fatalf("Claude Code's memory is on: %q", got.loaded())
			}
			if strings.Contains(got.hookContext(), "pnpm only") || strings.Contains(got.hookContext(), pnpm) {
				t.Errorf("the hooks gave %q", got.hookContext())
			}
		})
	}
}
