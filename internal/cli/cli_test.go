// Package cli_test runs the real program.
package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/servertest"
	"memoir/internal/waittest"
)

// built is the directory of the built program. It is empty until a test needs the program.
var built string

// program builds memoir once for all tests.
var program = sync.OnceValues(func() (path string, err error) {
	if built, err = os.MkdirTemp("", "memoir-cli-"); err != nil {
		return "", err
	}
	path = filepath.Join(built, "memoir")
	_, err = servertest.Build(path)
	return path, err
})

func TestMain(m *testing.M) {
	code := pgtest.Run(m)
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// noServer is a local address without a server.
const noServer = "127.0.0.1:1"

// terminal is the environment of the program: a home with the directories of agents.
type terminal struct {
	*testing.T
	home string
	cwd  string            // the working directory, relative to home
	env  map[string]string // the environment variables
}

func setup(t *testing.T) *terminal {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &terminal{T: t, home: home, env: map[string]string{
		"MEMOIR_ADDR": noServer, "MEMOIR_AGENTS_DIR": filepath.Join(home, "agents"), "HOME": home, "PATH": os.Getenv("PATH"),
	}}
}

func (t *terminal) at(path string) string { return filepath.Join(t.home, filepath.FromSlash(path)) }

func (t *terminal) put(path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(t.at(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(t.at(path), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read returns the content of a file, or "(none)" if it is missing.
func (t *terminal) read(path string) string {
	t.Helper()
	text, err := os.ReadFile(t.at(path))
	if os.IsNotExist(err) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (t *terminal) environment() (all []string) {
	for name, value := range t.env {
		all = append(all, name+"="+value)
	}
	return all
}

// ended is a finished run of the program.
type ended struct {
	*terminal
	said           string // the command line, for messages
	stdout, stderr string
	code           int
}

// memoir runs the program with an empty standard input.
func (t *terminal) memoir(args ...string) ended { t.Helper(); return t.given("", args...) }

// given runs the program with stdin as standard input.
func (t *terminal) given(stdin string, args ...string) ended {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return t.run(path, stdin, args...)
}

func (t *terminal) run(path, stdin string, args ...string) ended {
	t.Helper()
	command := exec.Command(path, args...)
	command.Dir, command.Env = t.at(t.cwd), t.environment()
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{t, "memoir " + strings.Join(args, " "), stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

// wants checks the exit code, and that each stream contains its text. An empty stderr means no
// output.
func (e ended) wants(code int, stdout, stderr string) ended {
	e.Helper()
	if e.code != code || !strings.Contains(e.stdout, stdout) || !strings.Contains(e.stderr, stderr) || stderr == "" && e.stderr != "" {
		e.Errorf("%s: code %d, want %d\n--- stdout, want %q\n%s--- stderr, want %q\n%s", e.said, e.code, code, stdout, e.stdout, stderr, e.stderr)
	}
	return e
}

// wantsAll checks that the run succeeded, wrote exactly stdout, and wrote nothing to standard
// error.
func (e ended) wantsAll(stdout string) {
	e.Helper()
	if e.code != 0 || e.stdout != stdout || e.stderr != "" {
		e.Errorf("%s: code %d\n--- stdout\n%s--- want\n%s--- stderr\n%s", e.said, e.code, e.stdout, stdout, e.stderr)
	}
}

func TestRun_WrongUsage(t *testing.T) {
	t.Parallel()
	term := setup(t)
	for line, why := range map[string]string{
		"serve":                                "unknown command \"serve\" (see memoir help)",
		"help serve":                           "no help about \"serve\"",
		"version now":                          "unexpected argument \"now\"",
		"memory":                               "memory needs list, show, save, delete or recall (see memoir help memory)",
		"memory lst":                           "unknown command memory \"lst\"",
		"memory list all":                      "takes no further words, such as \"all\"",
		"memory list --body x":                 "memory list takes no --body",
		"memory show":                          "memory show takes a NAME",
		"memory show Small diffs":              "one with spaces is put in quotes: \"Small diffs\"",
		"memory recall":                        "memory recall takes a QUERY",
		"memory recall x --limit 0":            "--limit must be at least 1",
		"memory recall x --limit many":         "for --limit",
		"memory save x --type fact":            "unknown type \"fact\"",
		"memory list --colour":                 "unknown flag --colour",
		"memory list --agent":                  "a value is missing after --agent",
		"memory list --url localhost":          "--url localhost must be an address",
		"memory list --dir . --agent a":        "--dir works without a server",
		"review lst":                           "unknown command review \"lst\"",
		"review list all":                      "review list takes no further words, such as \"all\"",
		"review show":                          "review show takes ID",
		"review show x --kind junk":            "review show takes no --kind",
		"review decide x":                      "review decide takes ID and DECISION",
		"review decide x snooze --days 366":    "--days must be 1 to 365",
		"review decide x delete --days 3":      "--days is only for snooze",
		"review decide x merge":                "merge needs --body-file",
		"review decide x delete --body-file f": "--body-file is only for merge",
		"review list --url localhost":          "must be an address such as",
		"bench":                                "bench takes a FILE with questions (see memoir help bench)",
		"bench x.yaml --unit days":             "unknown unit \"days\": use sessions or facts",
		"bench x.yaml --limit 3":               "unknown flag --limit",
		"hooks":                                "hooks needs print, install or uninstall",
		"hooks remove":                         "unknown command hooks \"remove\"",
		"hooks install --user --project":       "only one of",
		"hooks print --settings x":             "takes no settings file",
		"hooks print --url http://a:b@host":    "must be an address such as",
		"hooks print --url http://host?q":      "must be an address such as",
		"hooks print --url file:///etc/passwd": "must be an address such as",
		"--nope":                               "unknown flag --nope",
		"--debounce soon":                      "duration above zero",
	} {
		term.memoir(strings.Fields(line)...).wants(2, "", "memoir: ").wants(2, "", why)
	}
}

func TestHelp_Commands(t *testing.T) {
	t.Parallel()
	term := setup(t)
	program := term.memoir("--help").wants(0, "hooks print|install|uninstall", "")
	term.memoir("help").wantsAll(program.stdout)
	for _, command := range []string{"hooks", "hook", "memory", "review", "bench"} {
		help := term.memoir("help", command).wants(0, "Usage: memoir "+command, "")
		term.memoir(command, "--help").wantsAll(help.stdout)
		term.memoir(command, "-h").wantsAll(help.stdout)
	}
}

// ways are the two stores of the agent ada: a server, and the files alone.
var ways = []string{"server", "files"}

// start writes files into ada's directory, and starts a server over it if way is "server".
func start(t *testing.T, way string, files memoirtest.Files) *terminal {
	t.Helper()
	term := setup(t)
	term.put("agents/ada/memory/MEMORY.md", "")
	for path, text := range files {
		term.put("agents/"+path, text)
	}
	term.cwd = "agents/ada"
	if way == "server" {
		term.serveMemoir()
	}
	return term
}

// serveMemoir starts the program as a server over the terminal's agents. When the server has found
// all of them, it returns the server's process.
func (t *terminal) serveMemoir(flags ...string) *os.Process {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(path, append([]string{"--addr=127.0.0.1:0", "--rescan=1h", "--database-url=" + pgtest.New(t)}, flags...)...)
	server.Env = t.environment()
	server.Stderr = t.Output()
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended already
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, announced := strings.CutPrefix(strings.TrimSpace(line), "memoir: listening on ")
	if err != nil || !announced {
		t.Fatalf("the server said %q (%v)", line, err)
	}
	t.env["MEMOIR_URL"] = url
	waittest.NoError(t, "the server to be ready", func() error {
		answer, err := http.Get(url + "/readyz")
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	})
	return server.Process
}

// serve starts a server with handler, and sets MEMOIR_URL to its address.
func (t *terminal) serve(handler http.Handler) {
	running := httptest.NewServer(handler)
	t.Cleanup(running.Close)
	t.env["MEMOIR_URL"] = running.URL
}

// quiet returns the expected text on standard error: the note that the files are used, or "".
func (t *terminal) quiet(way string) string {
	if way == "files" {
		return "memoir: no server answers at http://" + noServer + "; using the files in "
	}
	return ""
}

func note(name string, kind memories.Type, body string) string {
	return memoirtest.Note(name, kind, body)
}

func bothWays(t *testing.T, test func(t *testing.T, way string)) {
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			test(t, way)
		})
	}
}

func TestMemoryList_Table(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way string) {
		term := start(t, way, memoirtest.Files{
			"ada/memory/tabs.md":  "---\nname: Tabs\ndescription: about indentation\ntype: feedback\nmetadata:\n  modified: 2026-01-02T03:04:05.000Z\n---\n\nUse tabs.\n",
			"ada/memory/who.md":   note("愛子さん", memories.User, "She asks."),
			"ada/memory/plain.md": "No type.\n",
		})
		list := term.memoir("memory", "list").wants(0, "NAME      TYPE      AGE", term.quiet(way)).stdout
		for _, row := range []string{"愛子さん  user      today", "plain     none      today", "Tabs      feedback  ", "days ago  about indentation"} {
			if !strings.Contains(list, row) {
				t.Errorf("there is no %q in\n%s", row, list)
			}
		}
		term.memoir("memory", "list", "--updated-since", "2100-01-01T00:00:00Z").wants(0, "no memories\n", term.quiet(way))
		term.memoir("memory", "list", "--updated-since", "soon").wants(2, "", "--updated-since must be a time")
		only := term.memoir("memory", "--type", "user", "list").wants(0, "愛子さん", term.quiet(way)).stdout
		if strings.Contains(only, "Tabs") || strings.Contains(only, "plain") {
			t.Errorf("of one type there are\n%s", only)
		}
	})
}

func TestMemory_SaveShowDelete(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way string) {
		term := start(t, way, memoirtest.Files{
			"ada/memory/tabs.md":   "---\nname: Tabs\ncolour: blue # mine\ntype: feedback\n---\n\nUse tabs.\n",
			"ada/memory/MEMORY.md": "# Index\n- [Tabs](tabs.md) — tabs\n- [Other](other.md)\n",
		})
		quiet := term.quiet(way)
		term.memoir("memory", "save", "Small diffs", "--type", "Feedback", "--description", "one concern", "--body", "Ask for a split.").
			wants(0, "saved Small diffs in memory/feedback_small_diffs.md\n", quiet)
		if got, want := term.read("agents/ada/memory/feedback_small_diffs.md"), "---\nname: Small diffs\ndescription: one concern\ntype: feedback\n---\n\nAsk for a split.\n"; got != want {
			t.Errorf("the new file is %q, want %q", got, want)
		}
		shown := term.memoir("memory", "show", "Small diffs").wants(0, "", quiet).stdout
		if want := "name         Small diffs\ntype         feedback\ndescription  one concern\nage          today\nfile         memory/feedback_small_diffs.md\n\nAsk for a split.\n"; shown != want {
			t.Errorf("shown is\n%s\nwant\n%s", shown, want)
		}

		term.given("Use spaces.\n", "memory", "save", " Tabs ").wants(0, "saved Tabs in memory/tabs.md\n", quiet)
		term.memoir("memory", "save", "Tabs", "--description", "about indentation").wants(0, "saved Tabs", quiet)
		if got := term.read("agents/ada/memory/tabs.md"); !strings.Contains(got, "colour: blue # mine\n") || !strings.Contains(got, "Use spaces.") || !strings.Contains(got, "description: about indentation") {
			t.Errorf("the changed file is\n%s", got)
		}
		term.memoir("memory", "save", "Tabs", "--body", "", "--type", "user").wants(0, "saved Tabs in memory/tabs.md", quiet)
		if got := term.read("agents/ada/memory/tabs.md"); strings.Contains(got, "Use") || !strings.Contains(got, "type: user") {
			t.Errorf("the emptied file is\n%s", got)
		}

		gone := term.memoir("memory", "delete", "Tabs").wants(0, "deleted Tabs; ", quiet).wants(0, "  removed memory/tabs.md\n", quiet)
		if inTrash := strings.Contains(gone.stdout, "in the trash"); inTrash != (way == "server") {
			t.Errorf("said is\n%s", gone.stdout)
		}
		if got := term.read("agents/ada/memory/tabs.md"); got != "(none)" {
			t.Errorf("the deleted file says\n%s", got)
		}
		if got := term.read("agents/ada/memory/MEMORY.md"); got != "# Index\n- [Small diffs](feedback_small_diffs.md) — one concern\n- [Other](other.md)\n" {
			t.Errorf("the index is\n%s", got)
		}
		term.memoir("memory", "show", "Tabs").wants(1, "", "memory \"Tabs\" not found")
		term.memoir("memory", "delete", "small").wants(1, "", "memory \"small\" not found; similar: \"Small diffs\"")
	})
}

func TestMemorySave_AskedAs(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way string) {
		term := start(t, way, memoirtest.Files{"ada/memory/tabs.md": note("Tabs", memories.Feedback, "Use tabs.")})
		before := term.read("agents/ada/memory/tabs.md")
		ask := []string{"memory", "save", "Tabs", "--asked-as", "how do I indent", "--asked-as", "white space", "--json"}
		if way != "server" {
			term.memoir(ask...).wants(1, "", "--asked-as needs a running Memoir")
		} else if said := term.memoir(ask...).wants(0, "", "").stdout; !strings.Contains(said, `"asked_as":["how do I indent","white space"]`) {
			t.Errorf("saved is %s", said)
		}
		if got := term.read("agents/ada/memory/tabs.md"); got != before {
			t.Errorf("the file says\n%s", got)
		}
		term.memoir("memory", "list", "--asked-as", "x").wants(2, "", "memory list takes no --asked-as")
	})
}

func TestMemory_JSONFields(t *testing.T) {
	t.Parallel()
	fields := map[string][]string{}
	for _, way := range ways {
		term := start(t, way, memoirtest.Files{"ada/memory/tabs.md": note("Tabs", memories.Feedback, "Use tabs.")})
		for name, args := range map[string][]string{
			"list":   {"list"},
			"show":   {"show", "Tabs"},
			"save":   {"save", "New", "--type", "user", "--description", "y", "--body", "x"},
			"delete": {"delete", "New"},
		} {
			if name == "delete" {
				continue // after what it deletes was saved
			}
			fields[name] = append(fields[name], keysOf(t, term.memoir(append([]string{"memory", "--json"}, args...)...).wants(0, "{", term.quiet(way)).stdout))
		}
		fields["delete"] = append(fields["delete"], keysOf(t, term.memoir("memory", "delete", "New", "--json").wants(0, "{", term.quiet(way)).stdout))
	}
	for name, ofBoth := range fields {
		if ofBoth[0] != ofBoth[1] {
			t.Errorf("%s: the server has\n%s\nand the files have\n%s", name, ofBoth[0], ofBoth[1])
		}
	}
}

// keysOf lists the keys of a JSON text at every depth.
func keysOf(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	var list func(at string, value any) []string
	list = func(at string, value any) (found []string) {
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				found = append(found, at+key)
				if key != "use" { // only the database knows it, so it is null for files
					found = append(found, list(at+key+".", v[key])...)
				}
			}
		case []any:
			if len(v) > 0 {
				found = list(at+"0.", v[0])
			}
		}
		return found
	}
	return strings.Join(list("", value), "\n")
}

func TestMemoryList_ManyPages(t *testing.T) {
	t.Parallel()
	const many = 230
	files := memoirtest.Files{}
	for i := range many {
		files[fmt.Sprintf("ada/memory/m%d.md", i)] = note(fmt.Sprintf("Memory %d", i), memories.Project, "x")
	}
	bothWays(t, func(t *testing.T, way string) {
		term := start(t, way, files)
		var list struct {
			Memories   []struct{ Name string }
			Total      int
			NextCursor *string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(term.memoir("memory", "list", "--json").wants(0, "", term.quiet(way)).stdout), &list); err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, m := range list.Memories {
			names[m.Name] = true
		}
		if len(names) != many || list.Total != many || list.NextCursor != nil {
			t.Errorf("listed are %d of %d memories, and then %v", len(names), list.Total, list.NextCursor)
		}
	})
}

func TestMemorySave_Refused(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way string) {
		term := start(t, way, memoirtest.Files{"ada/memory/tabs.md": note("Tabs", memories.Feedback, "Use tabs.")})
		before := term.read("agents/ada/memory/tabs.md")
		term.memoir("memory", "save", "New", "--body", "x").wants(2, "", "a new memory needs a type")
		term.memoir("memory", "save", "Tabs").wants(2, "", "nothing to save")
		term.given(" \n", "memory", "save", "Tabs").wants(2, "", "nothing to save")
		term.given("a\x00b", "memory", "save", "Tabs").wants(1, "", "NUL")
		term.given(strings.Repeat("x", 2<<20), "memory", "save", "Tabs").wants(1, "", "1 MiB")
		term.memoir("memory", "save", "two\nlines", "--type", "user", "--body", "x").wants(1, "", "one line")
		if got := term.read("agents/ada/memory/tabs.md"); got != before {
			t.Errorf("the file says\n%s", got)
		}
	})
}

func TestMemorySave_EntryInTopic(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way string) {
		const index, others = "- [Reference](reference/MEMORY.md)\n- [Kept](kept.md) — old\n", "- [Wiki](../wiki.md) — old\n"
		term := start(t, way, memoirtest.Files{
			"ada/memory/wiki.md":             "---\nname: Wiki\ndescription: old\ntype: reference\n---\n\nx\n",
			"ada/memory/kept.md":             "---\nname: Kept\ndescription: old\ntype: reference\n---\n\nx\n",
			"ada/memory/MEMORY.md":           index,
			"ada/memory/reference/MEMORY.md": others,
		})
		quiet := term.quiet(way)
		term.memoir("memory", "save", "Board", "--type", "reference", "--description", "tickets", "--body", "x").wants(0, "saved Board", quiet)
		term.memoir("memory", "save", "Wiki", "--description", "new").wants(0, "saved Wiki", quiet)
		if got, want := term.read("agents/ada/memory/reference/MEMORY.md"), "- [Wiki](../wiki.md) — new\n- [Board](../reference_board.md) — tickets\n"; got != want {
			t.Errorf("reference/MEMORY.md is %q, want %q", got, want)
		}
		if got := term.read("agents/ada/memory/MEMORY.md"); got != index {
			t.Errorf("MEMORY.md is %q, want %q", got, index)
		}
		term.memoir("memory", "save", "Kept", "--description", "new").wants(0, "saved Kept", quiet)
		term.memoir("memory", "save", "Me", "--type", "user", "--body", "x").wants(0, "saved Me", quiet)
		if got, want := term.read("agents/ada/memory/MEMORY.md"), strings.Replace(index, "old", "new", 1)+"- [Me](user_me.md)\n"; got != want {
			t.Errorf("MEMORY.md is %q, want %q", got, want)
		}
	})
}

func TestMemorySave_OffInClaude(t *testing.T) {
	t.Parallel()
	for way, where := range map[string][]string{"directory": {"--dir"}, "files": nil, "link": {"--dir"}} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			term := setup(t)
			term.put("code/shop/.git/HEAD", "ref: refs/heads/main\n")
			term.cwd = "code/shop"
			dir := ".claude/projects/" + strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(term.at("code/shop")) + "/memory"
			term.put(dir+"/a.md", note("Tabs", memories.Feedback, "Use tabs."))
			term.put(dir+"/MEMORY.md", "- [Tabs](a.md)\n")
			if way == "link" {
				if err := os.Symlink(term.at(dir), term.at("link")); err != nil {
					t.Fatal(err)
				}
				dir = "link"
			}
			if len(where) > 0 {
				where = append(where, term.at(dir))
			}
			memory := func(words ...string) ended {
				t.Helper()
				got := term.memoir(append(append([]string{"memory"}, words...), where...)...)
				if rest, found := strings.CutPrefix(got.stderr, term.quiet("files")); found {
					_, got.stderr, _ = strings.Cut(rest, "\n") // without the line about the files
				}
				return got
			}
			save := []string{"save", "Small Diffs", "--type", "feedback", "--body", "x"}
			for name, value := range map[string]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1", "": `{"autoMemoryEnabled": false}`} {
				if name == "" {
					term.put(".claude/settings.json", value)
				} else {
					term.env[name] = value
				}
				memory(save...).wants(1, "", "memory is off for this agent")
				memory("list").wants(0, "Tabs", "")
				delete(term.env, name)
			}
			if got := term.read(dir + "/MEMORY.md"); got != "- [Tabs](a.md)\n" {
				t.Errorf("MEMORY.md is %q", got)
			}
			memory("delete", "Tabs").wants(0, "deleted Tabs", "")
			term.put(".claude/settings.json", "{}")
			memory(save...).wants(0, "saved small-diffs in small-diffs.md", "")
			if got := term.read(dir + "/MEMORY.md"); got != "- [Small Diffs](small-diffs.md)\n" {
				t.Errorf("MEMORY.md is %q after the save", got)
			}
		})
	}
}

func TestMemoryDelete_WikiLinkWithName(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way string) {
		term := start(t, way, memoirtest.Files{
			"ada/memory/project_deploy.md": note("Deploy days", memories.Project, "Tuesdays."),
			"ada/memory/file.md":           note("Name", memories.Project, "x"),
			"ada/memory/Name.md":           note("Other", memories.Project, "x"),
			"ada/memory/MEMORY.md":         "- [[Deploy days]]\n- [[Name]]\n- [Dead](Deploy%20days.md)\n",
		})
		term.memoir("memory", "delete", "Deploy days").wants(0, "deleted Deploy days", term.quiet(way))
		term.memoir("memory", "delete", "Name").wants(0, "deleted Name", term.quiet(way))
		if got, want := term.read("agents/ada/memory/MEMORY.md"), "- [[Name]]\n- [Dead](Deploy%20days.md)\n"; got != want {
			t.Errorf("MEMORY.md is %q, want %q", got, want)
		}
	})
}

func TestMemoryDelete_ManyFiles(t *testing.T) {
	t.Parallel()
	term := start(t, "files", memoirtest.Files{
		"ada/memory/tabs.md":                     note("Tabs", memories.Feedback, "Use tabs."),
		"ada/sessions/u-c-1/memory/tabs.md":      note("Tabs", memories.Feedback, "Use spaces."),
		"ada/sessions/u-c-1/memory/MEMORY.md":    "- [Tabs](tabs.md)\n",
		"ada/sessions/u-c-2/memory/alone.md":     note("Alone", memories.User, "x"),
		"ada/memory/user_alone.md":               note("Another", memories.User, "x"),
		"ada/memory/deep/down/project_far.md":    note("Far", memories.Project, "x"),
		"ada/memory/deep/down/and/more/lost.md":  note("Lost", memories.Project, "x"),
		"ada/memory/deep/MEMORY.md":              "- [Far](down/project_far.md)\n",
		"ada/memory/large.md":                    strings.Repeat("x", 2<<20),
		"elsewhere/out.md":                       "not of the agent\n",
		"ada/memory/logs/today.md":               "no memory\n",
		"ada/sessions/u-c-1/notes.md":            "no memory\n",
		"ada/sessions/u-c-1/memory/unrelated.md": note("Unrelated", memories.User, "x"),
	})
	if err := os.Symlink("../../elsewhere/out.md", term.at("agents/ada/memory/link.md")); err != nil {
		t.Fatal(err)
	}
	quiet := term.quiet("files")
	later := term.memoir("memory", "show", "Tabs").stdout
	if !strings.Contains(later, "file         memory/tabs.md") || !strings.Contains(later, "file         sessions/u-c-1/memory/tabs.md") {
		t.Errorf("its files are\n%s", later)
	}
	list := term.memoir("memory", "list").wants(0, "large", quiet).stdout
	if strings.Contains(list, "not of the agent") || strings.Contains(list, "today.md") || strings.Contains(list, "notes") {
		t.Errorf("listed are\n%s", list)
	}
	// A memory of a session gets a primary file, with a number if its name is taken.
	term.memoir("memory", "save", "Alone", "--body", "y").wants(0, "saved Alone in memory/user_alone_2.md", quiet)

	term.memoir("memory", "delete", "Tabs").
		wants(0, "removed memory/tabs.md", quiet).wants(0, "removed sessions/u-c-1/memory/tabs.md", quiet).
		wants(0, "removed its lines from sessions/u-c-1/memory/MEMORY.md", quiet)
	term.memoir("memory", "delete", "Far").wants(0, "removed its lines from memory/deep/MEMORY.md", quiet)
	term.memoir("memory", "delete", "large").wants(1, "", "cannot be read")
	term.memoir("memory", "save", "large", "--type", "user", "--body", "x").wants(0, "saved large in memory/user_large.md", quiet)
	term.memoir("memory", "delete", "large").wants(0, "removed memory/user_large.md", quiet)
	if got := term.read("agents/ada/memory/large.md"); len(got) != 2<<20 {
		t.Errorf("the file that cannot be read has come to have %d bytes", len(got))
	}
	term.memoir("memory", "delete", "link").wants(1, "", "cannot be read")
	if got := term.read("agents/elsewhere/out.md"); got != "not of the agent\n" {
		t.Errorf("outside, it says %q", got)
	}
}

func TestMemory_DirectoryOnly(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("notes/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	term.put("hive/memory/spaces.md", note("Spaces", memories.Feedback, "Use spaces."))
	term.env["MEMOIR_URL"] = "http://memoir.invalid"
	term.memoir("memory", "list", "--dir", "notes").wants(0, "Tabs", "")
	term.memoir("memory", "show", "Spaces", "--dir", "hive").wants(0, "memory/spaces.md", "")
	term.memoir("memory", "save", "New", "--type", "user", "--body", "x", "--dir", "notes").wants(0, "saved New in user_new.md", "")
	term.memoir("memory", "list", "--dir", "nowhere").wants(1, "", "nowhere not found")
	term.memoir("memory", "list", "--dir", "notes/tabs.md").wants(1, "", "is not a directory")
}

func TestMemory_FilesWithoutServer(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("agents/ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	list := []string{"memory", "list", "--agent", "ada"}
	term.memoir(list...).wants(0, "Tabs", "no server answers at http://"+noServer+"; using the files in "+term.at("agents/ada"))
	term.memoir(append(list, "--url", "http://0.0.0.0:1")...).wants(1, "", "no server answers at http://0.0.0.0:1. It is on another machine")

	term.serve(http.NotFoundHandler())
	term.memoir(list...).wants(0, "Tabs", "another program answers at")
	term.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"title":"Service Unavailable","status":503,"detail":"The database is away."}`)
	}))
	term.memoir(list...).wants(1, "", "memoir: The database is away")
	term.serve(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	term.memoir(list...).wants(1, "", "the server did not answer")
}

func TestMemory_Token(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("agents/ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	term.serveMemoir("--token=secret")
	list := []string{"memory", "list", "--agent", "ada"}
	term.memoir(list...).wants(1, "", "the server needs a token: set MEMOIR_TOKEN")
	term.memoir(append(list, "--token", "secret")...).wants(0, "Tabs", "")
	term.env["MEMOIR_TOKEN"] = "secret"
	term.memoir(list...).wants(0, "Tabs", "")
}

func TestMemory_AgentOfWorkingDirectory(t *testing.T) {
	t.Parallel()
	term := setup(t)
	claude := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(term.at("code/shop"))
	term.put(".claude/projects/"+claude+"/memory/a.md", note("Of the project", memories.Project, "x"))
	term.put("agents/ada/memory/a.md", note("Of Ada", memories.User, "x"))
	term.put("code/shop/.git/HEAD", "ref: refs/heads/main\n")
	term.put("code/shop/.git/worktrees/feature/commondir", "../..\n")
	term.put("code/shop/.git/worktrees/feature/gitdir", term.at("code/feature/.git\n"))
	term.put("code/feature/.git", "gitdir: "+term.at("code/shop/.git/worktrees/feature\n"))
	term.put("code/two/.git/HEAD", "")
	term.put("code/two/a/x.md", "x")
	term.put("code/two/b/x.md", "x")
	term.put("code/shop/cmd/main.go", "")
	term.put("agents/ada/sessions/u-c-1/work.txt", "")
	term.env["MEMOIR_MEMORY_DIR"] = "first=" + term.at("code/two/a") + ",second=" + term.at("code/two/b")
	for cwd, want := range map[string]string{
		"code/shop/cmd":             "Of the project",
		"code/feature":              "Of the project",
		"agents/ada/sessions/u-c-1": "Of Ada",
	} {
		term.cwd = cwd
		term.memoir("memory", "list").wants(0, want, term.quiet("files"))
	}
	term.cwd = "code/two"
	term.memoir("memory", "list").wants(1, "", "several agents belong to "+term.at("code/two")+". Name one with --agent: first, second")
	term.cwd = "code"
	term.memoir("memory", "list").wants(1, "", "no agent belongs to "+term.at("code")+". Name one with --agent: ada, ")
	term.memoir("memory", "list", "--agent", "second").wants(0, "x", term.quiet("files"))
	term.memoir("memory", "list", "--agent", "nobody").wants(1, "", "unknown agent \"nobody\"; known: ada, ")
}

func TestMemory_AgentMovedAway(t *testing.T) {
	// A setting made one directory the memory of all projects, and does so no more. That agent is left
	// out, and can be forgotten although its directory is still there.
	t.Parallel()
	term := setup(t)
	claude := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(term.at("code/shop"))
	term.put(".claude/projects/"+claude+"/memory/a.md", note("Of the project", memories.Project, "x"))
	term.put("everything/b.md", note("Of all projects", memories.User, "x"))
	term.put("code/shop/.git/HEAD", "ref: refs/heads/main\n")
	term.put(".claude/settings.json", `{"autoMemoryDirectory": "`+term.at("everything")+`"}`)
	term.serveMemoir()
	term.cwd = "code/shop"
	term.memoir("memory", "list").wants(0, "Of all projects", "")
	const agent = "/api/v1/agents/everything"
	if status := term.status(http.MethodDelete, agent); status != http.StatusConflict {
		t.Errorf("forgetting a present agent: status %d", status)
	}
	term.put(".claude/settings.json", `{}`)
	if status := term.status(http.MethodPost, "/api/v1/scan"); status != http.StatusOK {
		t.Fatalf("the scan: status %d", status)
	}
	term.memoir("memory", "list").wants(0, "Of the project", "")
	term.memoir("memory", "list", "--agent", "everything").wants(0, "Of all projects", "")
	if status := term.status(http.MethodDelete, agent); status != http.StatusOK && status != http.StatusNoContent {
		t.Errorf("forgetting an agent that is moved away: status %d", status)
	}
	if status := term.status(http.MethodGet, agent); status != http.StatusNotFound {
		t.Errorf("the forgotten agent: status %d", status)
	}
	if term.read("everything/b.md") == "(none)" {
		t.Error("its file is gone")
	}
}

// status makes a request to the server and returns the status of the answer.
func (t *terminal) status(method, path string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, t.env["MEMOIR_URL"]+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestMemoryShow_ControlCharacters(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("notes/evil.md", "---\nname: \"Ev\\e]0;title\\ail\"\ndescription: \"the calendar \\e[2J of Mira\"\ntype: user\n---\n\nbo\x1b[31mdy\r\n\x07\u009b1m\tend\n")
	for _, args := range [][]string{{"list"}, {"show", "Ev]0;titleil"}, {"recall", "where is the calendar"}} {
		said := term.memoir(append([]string{"memory", "--dir", "notes"}, args...)...).wants(0, "Ev", "").stdout
		if i := strings.IndexFunc(said, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
			t.Errorf("%v writes a control character: %q", args, said)
		}
	}
}

func TestMemoryRecall_Files(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("notes/a.md", note("Release day", memories.Project, "Tuesday. Never on a Friday."))
	term.put("notes/b.md", note("Fridays", memories.User, "Mira does not work then."))
	term.put("notes/c.md", note("Deploying", memories.Project, "A release takes an hour."))
	term.put("notes/d.md", note("発売日", memories.Project, "火曜日"))
	term.put("notes/e.md", "release, release, release\n")
	recall := func(args ...string) ended {
		return term.memoir(append([]string{"memory", "recall", "--dir", "notes"}, args...)...)
	}
	all := recall("which", "day", "is", "the", "release?").wants(0, "Release day (project)\n  why: “", "").stdout
	if !strings.HasPrefix(all, "Release day (") || strings.Contains(all, "Fridays") {
		t.Errorf("recalled are\n%s", all)
	}
	if one := recall("the release", "--limit", "1").stdout; strings.Contains(one, "Deploying") {
		t.Errorf("one is\n%s", one)
	}
	recall("発売").wants(0, "発売日 (project)", "")
	recall("nothing like it").wants(0, "no matching memory\n", "")
	recall("release").wants(0, "query too short", "")
	recall("the release", "--json").wants(0, `{"id":null,"state":"settled","selected_by":"keyword","skipped":null,"note":null,"memories":[{"id":null,"name":"Release day","type":"project","description":"About Release day","path":"a.md","line":null,"age_days":0,"stale":false,"why":["“release” is in its name"],"weak":false,"bytes":`, "")
}

func TestMemoryRecall_Server(t *testing.T) {
	t.Parallel()
	term := setup(t)
	const said = `{"id":"r1","state":"settled","selected_by":"model","skipped":null,"note":null,"memories":[{"id":"m1","name":"Tabs","type":"feedback",` +
		`"description":"","path":"memory/tabs.md","line":null,"age_days":0,"stale":false,"why":["its name says so"],"bytes":9,"text":"---\nname: Tabs\n---\n\nUse tabs."}],` +
		`"reminder":"<system-reminder>","candidates":1,"budget_left":61431,"took_ms":1.5}`
	routes := http.NewServeMux()
	answer := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, text)
	}
	routes.HandleFunc("GET /api/v1/agents", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, `{"agents":[{"slug":"ada","layout":"hive","dir":"/nowhere/ada"},{"slug":"short"}]}`)
	})
	routes.HandleFunc("POST /api/v1/agents/short/recall", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, `{"id":"r2","state":"settled","selected_by":null,"skipped":"short_query","memories":[],"reminder":""}`+"\n")
	})
	asked := make(chan string, 2)
	routes.HandleFunc("POST /api/v1/agents/ada/recall", func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		body.ReadFrom(r.Body) //nolint:errcheck // what is missing shows
		asked <- body.String()
		answer(w, said+"\n")
	})
	term.serve(routes)
	term.memoir("memory", "recall", "tabs", "or spaces?", "--agent", "ada", "--limit", "3").wantsAll("Tabs (feedback)\n  why: its name says so\n\nUse tabs.\n")
	term.memoir("memory", "recall", "tabs", "--agent", "short").wants(0, "query too short", "")
	if got, want := <-asked, `{"limit":3,"query":"tabs or spaces?","session":null}`; got != want {
		t.Errorf("asked is %s, want %s", got, want)
	}
	term.memoir("memory", "recall", "tabs", "--agent", "ada", "--json").wantsAll(said + "\n")
}
