package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
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

			dry := term.memoir("hooks", "install", "--dry-run").wants(0, "+++ "+at, "").stdout
			if !strings.Contains(dry, "+") || !strings.Contains(dry, "/hooks/user-prompt-submit") {
				t.Errorf("a dry run says\n%s", dry)
			}
			if got := term.read(".claude/settings.json"); got != file {
				t.Fatalf("after a dry run the file is\n%s", got)
			}

			term.memoir("hooks", "install").wantsAll("Memoir's hooks are in " + at + ". Sessions that begin from now on have them.\n")
			with := term.read(".claude/settings.json")
			for _, part := range []string{
				`"url": "http://` + noServer + `/hooks/user-prompt-submit"`, `/hooks/post-tool-use"`, `/hooks/stop"`, `/hooks/pre-compact"`,
				`/hooks/session-end"`, `/memoir hook session-start --url http://` + noServer + `"`, `"matcher": "Write|Edit"`,
			} {
				if strings.Count(with, part) != 1 {
					t.Errorf("there is not one %s in\n%s", part, with)
				}
			}
			if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("the file's mode is %v (%v)", info.Mode(), err)
			}
			term.memoir("hooks", "install").wantsAll("Nothing to do in " + at + ".\n")

			// The server has another address.
			term.env["MEMOIR_ADDR"] = "127.0.0.1:2"
			term.memoir("hooks", "install").wants(0, "Memoir's hooks are in", "")
			if moved := term.read(".claude/settings.json"); moved != strings.ReplaceAll(with, noServer, "127.0.0.1:2") {
				t.Errorf("moved, it is\n%s\nafter\n%s", moved, with)
			}

			term.memoir("hooks", "uninstall", "--dry-run").wants(0, "-    ", "")
			term.memoir("hooks", "uninstall").wantsAll("Memoir's hooks are no longer in " + at + ".\n")
			got := term.read(".claude/settings.json")
			if strings.Contains(got, "hooks/") || strings.Contains(got, "memoir") || file != others && strings.Contains(got, "[") && name != "windows" {
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
		term.memoir(append([]string{"hooks", "install"}, flags...)...).wants(0, term.at(file), "")
		if got, want := term.read(file), term.memoir("hooks", "print").stdout; got != want {
			t.Errorf("%s is\n%s\nand not what print writes,\n%s", file, got, want)
		}
	}
	term.env["CLAUDE_CONFIG_DIR"] = term.at("elsewhere")
	term.memoir("hooks", "install", "--user").wants(0, term.at("elsewhere/settings.json"), "")
	delete(term.env, "CLAUDE_CONFIG_DIR")
	delete(term.env, "HOME")
	term.memoir("hooks", "install").wants(1, "", "there is no home directory")
}

func TestHooksPrint_Settings(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.env["MEMOIR_TOKEN"] = "s3cret"
	text := term.memoir("hooks", "print", "--url", "http://127.0.0.1:9090/").wants(0, "", "").stdout
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command, URL string
				Timeout            int
				Headers            map[string]string
				AllowedEnvVars     []string
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "s3cret") {
		t.Errorf("the token is in\n%s", text)
	}
	if len(settings.Hooks) != 6 {
		t.Errorf("there are %d events", len(settings.Hooks))
	}
	for event, groups := range settings.Hooks {
		hook := groups[0].Hooks[0]
		switch {
		case event == "SessionStart":
			if hook.Type != "command" || !filepath.IsAbs(strings.Fields(hook.Command)[0]) || !strings.HasSuffix(hook.Command, " hook session-start --url http://127.0.0.1:9090") {
				t.Errorf("%s: %+v", event, hook)
			}
		case hook.Type != "http" || !strings.HasPrefix(hook.URL, "http://127.0.0.1:9090/hooks/") || hook.Timeout != 5 ||
			!reflect.DeepEqual(hook.Headers, map[string]string{"Authorization": "Bearer $MEMOIR_TOKEN"}) || !reflect.DeepEqual(hook.AllowedEnvVars, []string{"MEMOIR_TOKEN"}):
			t.Errorf("%s: %+v", event, hook)
		}
	}
}

func TestHooksPrint_Agent(t *testing.T) {
	t.Parallel()
	text := setup(t).memoir("hooks", "print", "--agent", "ada").wants(0, " --agent ada\"", "").stdout
	if strings.Count(text, "?agent=ada\"") != 5 {
		t.Errorf("printed is\n%s", text)
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
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal([]byte(term.run(strange, "", "hooks", "print").wants(0, "", "").stdout), &settings); err != nil {
		t.Fatal(err)
	}
	term.run("/bin/sh", "{}", "-c", settings.Hooks["SessionStart"][0].Hooks[0].Command+" --debug").wants(0, "", "memoir: hook session-start: ")
}

func TestHooksInstall_LinkedFile(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("dotfiles/claude.json", others)
	term.put(".claude/other", "")
	if err := os.Symlink("../dotfiles/claude.json", term.at(".claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	term.memoir("hooks", "install").wants(0, "hooks are in "+term.at(".claude/settings.json"), "")
	if target, err := os.Readlink(term.at(".claude/settings.json")); err != nil || target != "../dotfiles/claude.json" {
		t.Errorf("the link is %q (%v)", target, err)
	}
	if got := term.read("dotfiles/claude.json"); !strings.Contains(got, "/hooks/stop") {
		t.Errorf("the file is\n%s", got)
	}
	if err := os.Remove(term.at("dotfiles/claude.json")); err != nil {
		t.Fatal(err)
	}
	term.memoir("hooks", "install").wants(1, "", "is a link that leads to no file")
}

func TestHooksInstall_UnwritableFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, why string }{
		"half a file":   {"{\"model\": ", "was left as it is: it is no JSON (line 1"},
		"no settings":   {"[1]", "was left as it is: it is JSON, but no object"},
		"another shape": {`{"hooks": {"Stop": "x"}}`, `was left as it is: "hooks.Stop" is no array`},
		"read-only":     {others, "is read-only, and was left as it is"},
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
