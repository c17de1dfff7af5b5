package hooksettings_test

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tailscale/hujson"

	"memoir/internal/hooksettings"
)

var memoir = hooksettings.Hooks{URL: "http://127.0.0.1:8080", Program: "/usr/local/bin/memoir"}

// installed is the result for an empty file.
const installed = `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/memoir hook session-start --url http://127.0.0.1:8080",
            "timeout": 3
          }
        ]
      }
    ],
    "UserPromptSubmit": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/memoir hook user-prompt-submit --url http://127.0.0.1:8080",
            "timeout": 3
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "Write",
        "hooks": [
          {
            "type": "command",
            "if": "Write(//**/*.md)",
            "command": "/usr/local/bin/memoir hook post-tool-use --url http://127.0.0.1:8080",
            "async": true,
            "timeout": 2
          }
        ]
      },
      {
        "matcher": "Edit",
        "hooks": [
          {
            "type": "command",
            "if": "Edit(//**/*.md)",
            "command": "/usr/local/bin/memoir hook post-tool-use --url http://127.0.0.1:8080",
            "async": true,
            "timeout": 2
          }
        ]
      },
      {
        "matcher": "Read",
        "hooks": [
          {
            "type": "command",
            "if": "Read(//**/*.md)",
            "command": "/usr/local/bin/memoir hook post-tool-use --url http://127.0.0.1:8080",
            "async": true,
            "timeout": 2
          }
        ]
      }
    ],
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/memoir hook stop --url http://127.0.0.1:8080",
            "async": true,
            "timeout": 3
          }
        ]
      }
    ],
    "PreCompact": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/memoir hook pre-compact --url http://127.0.0.1:8080",
            "async": true,
            "timeout": 3
          }
        ]
      }
    ],
    "SessionEnd": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/memoir hook session-end --url http://127.0.0.1:8080",
            "async": true,
            "timeout": 3
          }
        ]
      }
    ]
  }
}
`

func install(t *testing.T, h hooksettings.Hooks, file string) string {
	t.Helper()
	out, err := h.Install([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func uninstall(t *testing.T, h hooksettings.Hooks, file string) string {
	t.Helper()
	out, err := h.Uninstall([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// meaning returns the JSON value of a file.
func meaning(t *testing.T, file string) any {
	t.Helper()
	plain, err := hujson.Standardize([]byte(strings.TrimPrefix(file, "\uFEFF")))
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	var v any
	if err := json.Unmarshal(plain, &v); err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	return v
}

func TestInstall_EmptyFile(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "  \n\n", "{}\n", "{}", "{\n}\n"} {
		if got := install(t, memoir, file); strings.TrimSpace(got) != strings.TrimSpace(installed) {
			t.Errorf("%q becomes\n%s", file, got)
		}
	}
	if got := install(t, memoir, ""); got != installed {
		t.Errorf("a new file is\n%s", got)
	}
}

// other is a user's settings file.
const other = `{
	"model": "opus",
	"permissions": {"allow": ["Bash(ls:*)"],
		"deny": []},
	"hooks": {
		"Stop": [
			{"hooks": [{"type": "command", "command": "notify-send done"}]}
		],
		"PreToolUse": [],
		"PostToolUse": [
			{"matcher": "Write|Edit", "hooks": [
				{"type": "command", "command": "gofmt -w \"$FILE\"", "timeout": 9},
				{"type": "http", "url": "http://127.0.0.1:9999/hooks/post-tool-use"}
			]}
		]
	},
	"zed": 1.50
}
`

func TestInstall_KeepsOtherEntries(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"tabs":                 other,
		"windows":              strings.ReplaceAll(other, "\n", "\r\n"),
		"byte order mark":      "\uFEFF" + other,
		"no line end":          strings.TrimSpace(other),
		"four spaces":          strings.ReplaceAll(other, "\t", "    "),
		"no hooks":             "{\n  \"a\": 1\n}\n",
		"trailing commas":      "{\n  \"a\": [1,],\n}\n",
		"comments":             "// mine\n{\n  // why\n  \"a\": 1, // so\n  /* and */ \"b\": 2 // last\n\n  // nothing more\n}\n// end\n",
		"hooks with comments":  "{\n  \"hooks\": {\n    // at the end\n    \"Stop\": [ // of mine\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]} // that one\n    ]\n  }\n}\n",
		"on one line, and odd": "{\"hooks\": {\"Other\": [], \"Stop\": [1, null, {}, {\"hooks\": 5}, {\"hooks\": []}, {\"hooks\": [null, 7]}]}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := install(t, memoir, file)
			// A comma may have been added after the last entry.
			commaless := strings.NewReplacer(",", "").Replace
			for line := range strings.Lines(file) {
				if line = strings.TrimRight(commaless(line), "\r\n "); !strings.Contains(commaless(with), line) && name != "on one line, and odd" {
					t.Errorf("the line %q is gone:\n%s", line, with)
				}
			}
			if strings.Contains(file, "\r\n") && strings.Count(with, "\n") != strings.Count(with, "\r\n") {
				t.Errorf("there are two kinds of line ends in\n%q", with)
			}
			if strings.Contains(file, "\t\"") && strings.Contains(with, "\n  ") {
				t.Errorf("there are two kinds of indents in\n%s", with)
			}
			if again := install(t, memoir, with); again != with {
				t.Errorf("a second time it becomes\n%s\nafter\n%s", again, with)
			}
			without := uninstall(t, memoir, with)
			if !reflect.DeepEqual(meaning(t, without), meaning(t, file)) {
				t.Errorf("taken out again, it is\n%s\nand not\n%s", without, file)
			}
			if without != file {
				t.Errorf("taken out again, it is\n%q\nand not\n%q", without, file)
			}
			if untouched := uninstall(t, memoir, file); untouched != file {
				t.Errorf("a file without hooks of Memoir's becomes\n%s", untouched)
			}
		})
	}
}

func TestInstall_Order(t *testing.T) {
	t.Parallel()
	hooks := meaning(t, install(t, memoir, other)).(map[string]any)["hooks"].(map[string]any)
	for event, want := range map[string]int{"SessionStart": 1, "Stop": 2, "PostToolUse": 4, "PreToolUse": 0} {
		if got := len(hooks[event].([]any)); got != want {
			t.Errorf("%s has %d groups, want %d", event, got, want)
		}
	}
}

func TestInstall_ReplacesOlder(t *testing.T) {
	t.Parallel()
	for name, older := range map[string]hooksettings.Hooks{
		"another address": {URL: "http://127.0.0.1:9090", Program: memoir.Program},
		"another program": {URL: memoir.URL, Program: "/home/ada lovelace's/bin/memoir"},
		"with a model":    {URL: memoir.URL, Program: memoir.Program, Model: true},
		"shared":          {},
		"shared address":  {URL: "http://memoir.example:1", Agent: "ada & bob"},
		"of one agent":    {URL: memoir.URL, Program: memoir.Program, Agent: "a?b&c=/hooks/stop"},
		"behind a proxy":  {URL: "https://Memoir.Example.org/team", Program: "/opt/memoir"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := install(t, memoir, install(t, older, "")); got != installed {
				t.Errorf("it becomes\n%s", got)
			}
			if got := uninstall(t, memoir, install(t, older, other)); got != other {
				t.Errorf("taken out, it is\n%s", got)
			}
		})
	}
}

func TestUninstall_OnlyMemoir(t *testing.T) {
	t.Parallel()
	for entry, isMemoirs := range map[string]bool{
		`{"type":"http","url":"http://127.0.0.1:8080/hooks/stop"}`:                               true,
		`{"type":"http","url":"HTTP://127.0.0.1:8080/hooks/stop","timeout":60}`:                  true,
		`{"type":"http","url":"http://127.0.0.1:9999/hooks/stop"}`:                               false,
		`{"type":"http","url":"http://127.0.0.1:8080/hooks/pre-compact"}`:                        false,
		`{"type":"http","url":"http://127.0.0.1:8080/other/hooks/stop"}`:                         false,
		`{"type":"http","url":"http://127.0.0.1:8080/hooks/stop?agent=ada"}`:                     true,
		`{"type":"http","url":"http://127.0.0.1:8080/hooks/stop?mine"}`:                          false,
		`{"type":"http","url":"http://evil/?http://127.0.0.1:8080/hooks/stop"}`:                  false,
		`{"type":"http","url":"%zz"}`:                                                            false,
		`{"type":"http","url":7}`:                                                                false,
		`{"type":"command","command":"memoir hook stop"}`:                                        true,
		`{"type":"command","command":"'/x y/memoir' hook stop --url=http://h:1 --debug"}`:        true,
		`{"type":"command","command":"/x/memoir hook session-start"}`:                            false,
		`{"type":"command","command":"/x/other hook stop"}`:                                      false,
		`{"type":"command","command":"memoir memory list"}`:                                      false,
		`{"type":"command","command":"memoir hook 'stop"}`:                                       false,
		`{"type":"command","command":"memoir hook stop 2>/dev/null"}`:                            true,
		`{"type":"command","command":"memoir hook stop && notify-send done"}`:                    false,
		`{"type":"command","command":"memoir hook stop --debug; notify-send done"}`:              false,
		`{"type":"command","command":"notify-send done && memoir hook stop"}`:                    false,
		`{"type":"command","command":"memoir hook stop 2>/dev/null; exit 0"}`:                    true,
		`{"type":"command","command":"memoir hook stop; say x 2>/dev/null; exit 0"}`:             false,
		`{"type":"prompt","prompt":"memoir hook stop","url":"http://127.0.0.1:8080/hooks/stop"}`: false,
	} {
		file := `{"hooks":{"Stop":[{"hooks":[` + entry + `,{"type":"command","command":"mine"}]}]}}`
		got := uninstall(t, memoir, file)
		if taken := got != file; taken != isMemoirs {
			t.Errorf("%s: it becomes\n%s", entry, got)
		}
		if !strings.Contains(got, `"command":"mine"`) {
			t.Errorf("%s: the other entry is gone", entry)
		}
	}
}

func TestUninstall_OldAddress(t *testing.T) {
	t.Parallel()
	const file = `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"memoir hook session-start --url http://old:1"}]}],` +
		`"Stop":[{"hooks":[{"type":"http","url":"http://old:1/hooks/stop"},{"type":"http","url":"http://older:1/hooks/stop"}]}]}}`
	got := uninstall(t, memoir, file)
	if strings.Contains(got, "http://old:1") || !strings.Contains(got, "http://older:1/hooks/stop") {
		t.Errorf("it becomes\n%s", got)
	}
}

// former has the hooks of an earlier version.
const former = `{
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/memoir hook session-start --url http://old:1", "timeout": 5}]}],
    "UserPromptSubmit": [{"hooks": [{"type": "http", "url": "http://old:1/hooks/user-prompt-submit", "timeout": 5}]}],
    "PostToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "http", "url": "http://old:1/hooks/post-tool-use?agent=ada", "timeout": 5,
      "headers": {"Authorization": "Bearer $MEMOIR_TOKEN"}, "allowedEnvVars": ["MEMOIR_TOKEN"]}]}],
    "Stop": [MINE{"hooks": [{"type": "http", "url": "http://old:1/hooks/stop", "timeout": 5}]}],
    "PreCompact": [{"hooks": [{"type": "http", "url": "http://old:1/hooks/pre-compact", "timeout": 5}]}],
    "SessionEnd": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:8080/hooks/session-end", "timeout": 5}]}]
  }
}
`

func TestInstall_FormerEntries(t *testing.T) {
	t.Parallel()
	alone := strings.Replace(former, "MINE", "", 1)
	if got := install(t, memoir, alone); strings.TrimSpace(got) != strings.TrimSpace(installed) {
		t.Errorf("installed, it is\n%s", got)
	}
	if got := uninstall(t, memoir, alone); strings.TrimSpace(got) != "{}" {
		t.Errorf("uninstalled, it is\n%s", got)
	}
	const mine = `{"hooks": [{"type": "http",   "url": "http://other:1/hooks/stop"}, {"type": "command", "command": "say   done"}]}`
	for what, change := range map[string]func(*testing.T, hooksettings.Hooks, string) string{"install": install, "uninstall": uninstall} {
		got := change(t, memoir, strings.Replace(former, "MINE", mine+", ", 1))
		if !strings.Contains(got, mine) || strings.Contains(got, "old:1") {
			t.Errorf("after %s it is\n%s", what, got)
		}
	}
	// A shared file has entries without a URL; Former then tells the old ones.
	shared := hooksettings.Hooks{Former: memoir.URL}
	if got := uninstall(t, shared, `{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1:8080/hooks/stop"}]}]}}`); got != "{}" {
		t.Errorf("uninstalled by a shared installation, it is\n%s", got)
	}
}

func TestInstall_WithModel(t *testing.T) {
	t.Parallel()
	h := memoir
	h.Model = true
	got := install(t, h, installed)
	for _, absent := range []string{`"if"`, `"matcher"`} {
		if strings.Contains(got, absent) {
			t.Errorf("%s is in\n%s", absent, got)
		}
	}
	hook := entries(t, got)["PostToolUse"]
	if len(hook) != 1 || hook[0]["async"] != nil || hook[0]["timeout"] != 2.0 {
		t.Errorf("PostToolUse is %v", hook)
	}
}

func TestInstall_Agent(t *testing.T) {
	t.Parallel()
	h := memoir
	h.Agent = "ada & bob"
	got := install(t, h, "")
	if strings.Count(got, ` --agent 'ada & bob'"`) != 8 {
		t.Errorf("it is\n%s", got)
	}
}

// entries returns the hooks of each event in a settings file.
func entries(t *testing.T, file string) map[string][]map[string]any {
	t.Helper()
	all := map[string][]map[string]any{}
	for event, groups := range meaning(t, file).(map[string]any)["hooks"].(map[string]any) {
		for _, group := range groups.([]any) {
			for _, entry := range group.(map[string]any)["hooks"].([]any) {
				all[event] = append(all[event], entry.(map[string]any))
			}
		}
	}
	return all
}

// TestEvents_Waiting holds the promises about a server that hangs: a person waits at most 1.5 s,
// and never for an event that gives no context.
func TestEvents_Waiting(t *testing.T) {
	t.Parallel()
	const promise, start = 1500 * time.Millisecond, 250 * time.Millisecond // a process starts in 50 ms
	installed := entries(t, install(t, memoir, ""))
	for _, event := range hooksettings.Events() {
		if event.Timeout <= 0 || event.Timeout+start > promise {
			t.Errorf("%s may take %v", event.Name, event.Timeout)
		}
		gives := event.Name == "SessionStart" || event.Name == "UserPromptSubmit"
		for _, entry := range installed[event.Name] {
			if isAsync := entry["async"] == true; isAsync == gives {
				t.Errorf("%s: async is %v", event.Name, isAsync)
			}
			if seconds, _ := entry["timeout"].(float64); seconds <= event.Timeout.Seconds() || seconds != math.Trunc(seconds) {
				t.Errorf("%s: Claude Code waits %v s for a program that takes up to %v", event.Name, entry["timeout"], event.Timeout)
			}
		}
	}
}

func TestInstall_Shared(t *testing.T) {
	t.Parallel()
	got := install(t, hooksettings.Hooks{Former: memoir.URL}, "")
	for event, hooks := range entries(t, got) {
		for _, hook := range hooks {
			command, _ := hook["command"].(string)
			if strings.Contains(strings.ReplaceAll(command, "/dev/null", ""), "/") || !strings.HasPrefix(command, "memoir hook ") || !strings.HasSuffix(command, "; exit 0") {
				t.Errorf("%s runs %q", event, command)
			}
		}
	}
	if again := install(t, hooksettings.Hooks{Former: "http://elsewhere:1"}, got); again != got {
		t.Errorf("from another machine it becomes\n%s", again)
	}
}

// TestPlugin_Hooks holds the plugin's file equal to the one definition of the hooks.
func TestPlugin_Hooks(t *testing.T) {
	t.Parallel()
	const file = "../../plugin/hooks/hooks.json"
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := install(t, hooksettings.Hooks{}, ""); string(got) != want {
		t.Errorf("plugin/hooks/hooks.json is out of date; run: memoir hooks print --project > plugin/hooks/hooks.json\nIt should be\n%s", want)
	}
}

func TestInstall_InvalidFile(t *testing.T) {
	t.Parallel()
	for file, why := range map[string]string{
		"{":                                   "not JSON (line 1, column 2",
		"{}{}":                                "not JSON",
		"{'a': 1}":                            "not JSON",
		"[]":                                  "not a JSON object",
		`"text"`:                              "not a JSON object",
		"null":                                "not a JSON object",
		`{"hooks": []}`:                       `"hooks" is not an object`,
		`{"hooks": null}`:                     `"hooks" is not an object`,
		`{"hooks": {"Stop": {}}}`:             `"hooks.Stop" is not an array`,
		`{"hooks": {}, "hooks": 1}`:           `it has "hooks" twice`,
		`{"hooks": {"Stop": [], "Stop": []}}`: `it has "Stop" twice`,
		"{\"a\": \"\x00\"}":                   "not JSON",
		"\xff\xfe{\x00}\x00":                  "not JSON",
	} {
		for what, change := range map[string]func([]byte) ([]byte, error){"install": memoir.Install, "uninstall": memoir.Uninstall} {
			out, err := change([]byte(file))
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s into %q: %q, error %v; want one with %q", what, file, out, err, why)
			}
		}
	}
}

func FuzzInstall(f *testing.F) {
	for _, file := range []string{"", "{}", other, installed, former, "// c\n{\"hooks\":{\"Stop\":[],},}", "{\"a\":1/*x*/}", strings.ReplaceAll(other, "\n", "\r\n")} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		with, err := memoir.Install(file)
		if err != nil {
			return
		}
		again, err := memoir.Install(with)
		if err != nil || string(again) != string(with) {
			t.Fatalf("%q becomes\n%s\nand, a second time (error %v),\n%s", file, with, err, again)
		}
		without, err := memoir.Uninstall(with)
		if err != nil {
			t.Fatalf("%q becomes\n%s\nwhich is refused: %v", file, with, err)
		}
		before, err := memoir.Uninstall(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(before)) == "" {
			before = []byte("{}")
		}
		is, was := meaning(t, string(without)), meaning(t, string(before))
		if hooks, _ := was.(map[string]any)["hooks"].(map[string]any); hooks != nil {
			for _, event := range hooksettings.Events() {
				// An empty event without other hooks may have been removed.
				if groups, _ := hooks[event.Name].([]any); len(groups) == 0 {
					delete(hooks, event.Name)
				}
			}
			if len(hooks) == 0 {
				delete(was.(map[string]any), "hooks")
			}
		}
		if !reflect.DeepEqual(is, was) {
			t.Fatalf("%q has come to mean\n%s", file, without)
		}
	})
}
