package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
)

// others is a settings file with other programs' hooks for the same events.
const others = `{
    "model": "opus",
    "hooks": {
        "Stop": [ { "hooks": [ { "type": "command", "command": "notify-send done" } ] } ],
        "SessionStart": [ { "matcher": "startup", "hooks": [ { "type": "command", "command": "cat notes" } ] } ]
    },
    "cleanupPeriodDays": 1e3
}
`

func TestHooks_InstallAndUninstall(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"others":  others,
		"windows": strings.ReplaceAll(others, "\n", "\r\n"),
		"comments": `// the team's
{
  "model": "opus", // for now
  /* none yet */
}
`,
		"empty object": "{}\n",
		"empty":        "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := setup(t)
			at := term.at(".claude/settings.json")
			term.put(".claude/settings.json", file)
			if err := os.Chmod(at, 0o640); err != nil {
				t.Fatal(err)
			}

			term.answering(http.StatusOK, "application/json", `{"model":false}`)
			url := term.env["MEMOIR_URL"]
			dry := term.memoir("hooks", "install", "--dry-run").wants(0, "+++ "+at, "").stdout
			if !strings.Contains(dry, "+") || !strings.Contains(dry, " hook user-prompt-submit") {
				t.Errorf("a dry run says\n%s", dry)
			}
			if got := term.read(".claude/settings.json"); got != file {
				t.Fatalf("after a dry run the file is\n%s", got)
			}

			term.memoir("hooks", "install").wantsAll("Memoir's hooks are in " + at + ". New sessions use them.\n")
			with := term.read(".claude/settings.json")
			for part, count := range map[string]int{
				"/memoir hook session-start --url " + url + `"`: 1, " hook user-prompt-submit ": 1, " hook post-tool-use ": 3, " hook stop ": 1,
				" hook pre-compact ": 1, " hook session-end ": 1, `"if": "Write(//**/*.md)"`: 1, `"if": "Edit(//**/*.md)"`: 1, `"type": "http"`: 0,
			} {
				if strings.Count(with, part) != count {
					t.Errorf("there is not %d times %s in\n%s", count, part, with)
				}
			}
			if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("the file's mode is %v (%v)", info.Mode(), err)
			}
			term.memoir("hooks", "install").wantsAll("Nothing to do in " + at + ".\n")

			// The server has another address.
			term.answering(http.StatusOK, "application/json", `{"model":false}`)
			term.memoir("hooks", "install").wants(0, "Memoir's hooks are in", "")
			if moved := term.read(".claude/settings.json"); moved != strings.ReplaceAll(with, url, term.env["MEMOIR_URL"]) {
				t.Errorf("moved, it is\n%s\nafter\n%s", moved, with)
			}

			term.memoir("hooks", "uninstall", "--dry-run").wants(0, "-    ", "")
			term.memoir("hooks", "uninstall").wantsAll("Memoir's hooks are no longer in " + at + ".\n")
			got := term.read(".claude/settings.json")
			if strings.Contains(got, "memoir") || file != others && strings.Contains(got, "[") && name != "windows" {
				t.Errorf("in the end it is\n%s", got)
			}
			if (name == "others" || name == "windows") && got != file {
				t.Errorf("in the end it is\n%s\nand not\n%s", got, file)
			}
			term.memoir("hooks", "uninstall").wantsAll("Nothing to do in " + at + ".\n")
		})
	}
}

func TestHooks_SettingsPaths(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("code/shop/.git/HEAD", "ref: refs/heads/main\n")
	term.put("code/shop/cmd/main.go", "")
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	term.env["PATH"] = filepath.Dir(path)
	term.cwd = "code/shop/cmd"
	for file, flags := range map[string][]string{
		".claude/settings.json":                 nil,
		"code/shop/.claude/settings.json":       {"--project"},
		"code/shop/.claude/settings.local.json": {"--local"},
		"code/shop/cmd/mine.json":               {"--settings", "mine.json"},
	} {
		term.memoir(append([]string{"hooks", "uninstall"}, flags...)...).wantsAll("Nothing to do in " + term.at(file) + ".\n")
		if got := term.read(file); got != "(none)" {
			t.Errorf("nothing to do made %s:\n%s", file, got)
		}
		term.memoir(append([]string{"hooks", "install", "--with-model=false"}, flags...)...).wants(0, term.at(file), "")
		print := []string{"hooks", "print", "--with-model=false"}
		if slices.Contains(flags, "--project") {
			print = append(print, "--project")
		}
		if got, want := term.read(file), term.memoir(print...).stdout; got != want {
			t.Errorf("%s is\n%s\nand not what print writes,\n%s", file, got, want)
		}
	}
	term.env["CLAUDE_CONFIG_DIR"] = term.at("elsewhere")
	term.memoir("hooks", "install", "--user", "--with-model=false").wants(0, term.at("elsewhere/settings.json"), "")
	delete(term.env, "CLAUDE_CONFIG_DIR")
	delete(term.env, "HOME")
	term.memoir("hooks", "install").wants(1, "", "no home directory found")
}

// settings is a settings file with hooks.
type settings struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, If, Command string
			Async             bool
			Timeout           int
		}
	}
}

// settingsIn returns the hooks in the text of a settings file.
func (t *terminal) settingsIn(text string) (found settings) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return found
}

// commands returns the commands of all hooks.
func (s settings) commands() (all []string) {
	for _, groups := range s.Hooks {
		for _, group := range groups {
			for _, hook := range group.Hooks {
				all = append(all, hook.Command)
			}
		}
	}
	return all
}

func TestHooksPrint_Settings(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.env["MEMOIR_TOKEN"] = "s3cret"
	text := term.memoir("hooks", "print", "--with-model=false", "--agent", "ada", "--url", "http://127.0.0.1:9090/").wants(0, "", "").stdout
	if strings.Contains(text, "s3cret") {
		t.Errorf("the token is in\n%s", text)
	}
	found := term.settingsIn(text)
	if len(found.Hooks) != 6 || len(found.commands()) != 8 {
		t.Errorf("there are %d events with %d commands", len(found.Hooks), len(found.commands()))
	}
	for event, groups := range found.Hooks {
		for _, group := range groups {
			hook := group.Hooks[0]
			program, rest, _ := strings.Cut(hook.Command, " hook ")
			if hook.Type != "command" || !filepath.IsAbs(program) || !strings.HasSuffix(rest, " --url http://127.0.0.1:9090 --agent ada") || hook.Timeout < 1 {
				t.Errorf("%s: %+v", event, hook)
			}
		}
	}
}

func TestHooksInstall_Model(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		serve     func(*terminal)
		flags     []string
		withModel bool
		note      string
	}{
		"a server with a model": {func(t *terminal) {
			t.env["ANTHROPIC_API_KEY"] = "none"
			t.serveMemoir()
		}, nil, true, ""},
		"a server without": {func(t *terminal) { t.serveMemoir() }, nil, false, ""},
		"no server":        {func(*terminal) {}, nil, false, "was not asked: no server answers at http://" + noServer},
		"another server": {func(t *terminal) { t.answering(http.StatusNotFound, "text/plain", "") }, nil, false,
			"was not asked: another program answers"},
		"a refusal": {func(t *terminal) { t.answering(http.StatusUnauthorized, "application/problem+json", "{}") }, nil, false,
			"was not asked: the server needs a token"},
		"the flag":         {func(*terminal) {}, []string{"--with-model"}, true, ""},
		"a shared project": {func(t *terminal) { t.answering(http.StatusOK, "application/json", `{"model":true}`) }, []string{"--project"}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := setup(t)
			c.serve(term)
			text := term.memoir(append([]string{"hooks", "print"}, c.flags...)...).wants(0, "{", c.note).stdout
			for _, group := range term.settingsIn(text).Hooks["PostToolUse"] {
				if hook := group.Hooks[0]; hook.Async == c.withModel || (group.Matcher == "") != c.withModel || (hook.If == "") != c.withModel {
					t.Errorf("PostToolUse is\n%+v", group)
				}
			}
		})
	}
}

func TestHooksInstall_Project(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("code/shop/.git/HEAD", "ref: refs/heads/main\n")
	project := regexp.MustCompile("[^a-zA-Z0-9]").ReplaceAllString(term.at("code/shop"), "-")
	term.put(".claude/projects/"+project+"/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	term.cwd = "code/shop"
	term.serveMemoir()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	term.put("empty/file", "")
	term.env["PATH"] = term.at("empty")
	term.memoir("hooks", "install", "--project", "--dry-run").wants(0, "+", "no memoir in PATH")
	term.env["PATH"] = filepath.Dir(path)
	term.memoir("hooks", "install", "--project").wants(0, "hooks are in", "")
	text := term.read("code/shop/.claude/settings.json")
	for _, private := range []string{term.home, "http", "127.0.0.1", filepath.Dir(built)} {
		if strings.Contains(text, private) {
			t.Errorf("%s is in\n%s", private, text)
		}
	}
	shells := []string{"/bin/sh"}
	if bash, err := exec.LookPath("bash"); err == nil {
		shells = append(shells, bash)
	}
	commands := term.settingsIn(text).commands()
	if len(commands) != 8 {
		t.Fatalf("there are %d commands in\n%s", len(commands), text)
	}
	event := `{"session_id":"s","cwd":"` + term.at("code/shop") + `"}`
	for _, shell := range shells {
		for _, command := range commands {
			term.env["PATH"] = term.at("empty")
			term.run(shell, event, "-c", command).wantsAll("")
			term.env["PATH"] = filepath.Dir(path)
			context := ""
			if strings.Contains(command, "session-start") {
				context = "additionalContext"
			}
			term.run(shell, event, "-c", command).wants(0, context, "")
		}
	}
	term.memoir("hooks", "uninstall", "--project").wants(0, "no longer in", "")
	if got := term.read("code/shop/.claude/settings.json"); got != "{}\n" {
		t.Errorf("in the end it is\n%s", got)
	}
}

// former has the hooks of an earlier version, next to those of other programs.
const former = `{
    "hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/memoir hook session-start --url http://127.0.0.1:8080", "timeout": 5}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:8080/hooks/user-prompt-submit", "timeout": 5}]}],
        "PostToolUse": [
            {"matcher": "Write|Edit", "hooks": [{"type": "command",  "command": "gofmt"},
                {"type": "http", "url": "http://127.0.0.1:8080/hooks/post-tool-use", "timeout": 5}]}
        ],
        "Stop": [ {"hooks": [ {"type": "http", "url": "http://other:1/hooks/stop"} ]},
            {"hooks": [{"type": "http", "url": "http://127.0.0.1:8080/hooks/stop", "timeout": 5}]}],
        "SessionEnd": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:8080/hooks/session-end", "timeout": 5}]}]
    }
}
`

func TestHooksInstall_FormerEntries(t *testing.T) {
	t.Parallel()
	term := setup(t)
	mine := []string{`{"matcher": "Write|Edit", "hooks": [{"type": "command",  "command": "gofmt"}`, `[ {"hooks": [ {"type": "http", "url": "http://other:1/hooks/stop"} ]}`}
	check := func(what string) string {
		t.Helper()
		text := term.read(".claude/settings.json")
		for _, entry := range mine {
			if !strings.Contains(text, entry) {
				t.Errorf("after %s, %s is gone from\n%s", what, entry, text)
			}
		}
		if strings.Contains(text, "127.0.0.1:8080") || strings.Count(text, `"http"`) != 1 {
			t.Errorf("after %s it is\n%s", what, text)
		}
		return text
	}
	term.put(".claude/settings.json", former)
	term.memoir("hooks", "install", "--with-model=false").wants(0, "hooks are in", "")
	if n := len(term.settingsIn(check("install")).commands()); n != 8+2 {
		t.Errorf("there are %d hooks", n)
	}
	term.memoir("hooks", "install", "--with-model=false").wants(0, "Nothing to do", "")
	term.memoir("hooks", "uninstall").wants(0, "no longer in", "")
	alone := check("uninstall")

	term.put(".claude/settings.json", former)
	term.memoir("hooks", "uninstall").wants(0, "no longer in", "")
	if got := check("uninstall alone"); got != alone {
		t.Errorf("uninstalled it is\n%s\nand after an upgrade\n%s", got, alone)
	}
}

func TestHooksInstall_CommandRuns(t *testing.T) {
	t.Parallel()
	term := setup(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	term.put("it's/my $HOME/memoir", string(binary))
	strange := term.at("it's/my $HOME/memoir")
	if err := os.Chmod(strange, 0o755); err != nil {
		t.Fatal(err)
	}
	found := term.settingsIn(term.run(strange, "", "hooks", "print", "--with-model=false").wants(0, "", "").stdout)
	term.run("/bin/sh", "{}", "-c", found.Hooks["SessionStart"][0].Hooks[0].Command+" --debug").wants(0, "", "memoir: hook session-start: ")
}

func TestHooksInstall_LinkedFile(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("dotfiles/claude.json", others)
	term.put(".claude/other", "")
	if err := os.Symlink("../dotfiles/claude.json", term.at(".claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	term.memoir("hooks", "install", "--with-model=false").wants(0, "hooks are in "+term.at(".claude/settings.json"), "")
	if target, err := os.Readlink(term.at(".claude/settings.json")); err != nil || target != "../dotfiles/claude.json" {
		t.Errorf("the link is %q (%v)", target, err)
	}
	if got := term.read("dotfiles/claude.json"); !strings.Contains(got, " hook stop ") {
		t.Errorf("the file is\n%s", got)
	}
	if err := os.Remove(term.at("dotfiles/claude.json")); err != nil {
		t.Fatal(err)
	}
	term.memoir("hooks", "install").wants(1, "", "is a broken link")
}

func TestHooksInstall_UnwritableFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, why string }{
		"half a file":   {"{\"model\": ", "was not changed: it is not JSON (line 1"},
		"no settings":   {"[1]", "was not changed: it is not a JSON object"},
		"another shape": {`{"hooks": {"Stop": "x"}}`, `was not changed: "hooks.Stop" is not an array`},
		"read-only":     {others, "is read-only and was not changed"},
		"very large":    {`{"a": "` + strings.Repeat("x", 5<<20) + `"}`, "larger than 4 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := setup(t)
			term.put(".claude/settings.json", c.text)
			if name == "read-only" {
				if err := os.Chmod(term.at(".claude/settings.json"), 0o444); err != nil {
					t.Fatal(err)
				}
			}
			term.memoir("hooks", "install").wants(1, "", c.why)
			if got := term.read(".claude/settings.json"); got != c.text {
				t.Errorf("it is\n%s", got)
			}
		})
	}
	term := setup(t)
	term.put(".claude/settings.json/file", "")
	term.memoir("hooks", "install").wants(1, "", "not a regular file")
}
