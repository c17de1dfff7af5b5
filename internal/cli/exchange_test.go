package cli_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/cli/sshtest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// machine is a running server of the real program, with a terminal.
type machine struct {
	*terminal
	url string
}

// startMachine runs a server with a database of its own over the files, which are relative to its
// agents directory.
func startMachine(t *testing.T, files memoirtest.Files) *machine {
	t.Helper()
	m := &machine{terminal: setup(t)}
	if err := os.MkdirAll(m.at("agents"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		m.put("agents/"+path, text)
	}
	m.serveMemoir("--claude-dir=", "--data-dir="+m.at("data"))
	m.url = m.env["MEMOIR_URL"]
	return m
}

// save saves a memory of ada.
func (m *machine) save(name, body string) {
	m.Helper()
	m.memoir("memory", "save", name, "--type", "project", "--body", body, "--agent", "ada").wants(0, "", "")
}

func (m *machine) delete(name string) {
	m.Helper()
	m.memoir("memory", "delete", name, "--agent", "ada").wants(0, "", "")
}

// has returns the bodies of ada's living memories, by name.
func (m *machine) has() map[string]string {
	m.Helper()
	var list struct {
		Memories []struct{ Name, Body string }
	}
	r := m.memoir("memory", "list", "--agent", "ada", "--json")
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
		m.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	all := map[string]string{}
	for _, one := range list.Memories {
		all[one.Name] = one.Body
	}
	return all
}

func (m *machine) wantsBodies(want map[string]string) {
	m.Helper()
	got := m.has()
	for name, body := range want {
		if got[name] != body {
			m.Errorf("%q is %q, want %q", name, got[name], body)
		}
	}
	for name, body := range got {
		if _, ok := want[name]; !ok {
			m.Errorf("%q lives: %q", name, body)
		}
	}
}

// item returns the id of the only item of a kind in the review, and waits for it.
func (m *machine) item(kind string) (id string) {
	m.Helper()
	waittest.For(m, "an item of the kind "+kind, func() bool {
		var list struct{ Items []struct{ ID string } }
		r := m.memoir("review", "list", "--kind", kind, "--json")
		if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
			m.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
		}
		if len(list.Items) == 1 {
			id = list.Items[0].ID
		}
		return id != ""
	})
	return id
}

// twoMachines are machines that reach each other over ssh.
type twoMachines struct {
	a, b *machine
	ssh  sshtest.Server
}

func (two twoMachines) peer(m *machine) string {
	path, err := program()
	if err != nil {
		m.Fatal(err)
	}
	return two.ssh.URL + "?" + url.Values{"memoir": {path}, "url": {m.url}}.Encode()
}

// pull pulls from the second machine to the first.
func (two twoMachines) pull(flags ...string) ended {
	two.a.Helper()
	return two.a.memoir(append([]string{"pull", two.peer(two.b)}, flags...)...)
}

// push pushes from the first machine to the second.
func (two twoMachines) push(flags ...string) ended {
	two.a.Helper()
	return two.a.memoir(append([]string{"push", two.peer(two.b)}, flags...)...)
}

func startTwo(t *testing.T) twoMachines {
	t.Helper()
	two := twoMachines{ssh: sshtest.Start(t)}
	two.a = startMachine(t, memoirtest.Files{"ada/memory/both.md": memoirtest.Note("both", memories.Project, "Shared fact.")})
	two.b = startMachine(t, nil)
	two.a.env["MEMOIR_SSH_COMMAND"] = two.ssh.Command
	return two
}

func TestPushPull_Merge(t *testing.T) {
	t.Parallel()
	two := startTwo(t)
	a, b := two.a, two.b
	for name, body := range map[string]string{"deleted by a": "x1", "deleted by b": "x2", "a edits": "old", "b edits": "old", "both edit": "old", "a deletes, b edits": "old", "b deletes, a edits": "old"} {
		a.save(name, body)
	}
	two.push("--dry-run").wants(0, "ada (new): 8 new", "Nothing was changed")
	two.push().wants(0, "8 new", "")
	if index := b.read("agents/ada/memory/MEMORY.md"); !strings.Contains(index, "(project_a_edits.md)") || !strings.Contains(index, "(both.md)") {
		t.Errorf("MEMORY.md after the push:\n%s", index)
	}
	start := map[string]string{
		"both": "Shared fact.", "deleted by a": "x1", "deleted by b": "x2", "a edits": "old", "b edits": "old", "both edit": "old", "a deletes, b edits": "old", "b deletes, a edits": "old",
	}
	b.wantsBodies(start)
	two.pull().wants(0, "8 same", "")

	a.delete("deleted by a")
	b.delete("deleted by b")
	a.save("a edits", "new of a")
	b.save("b edits", "new of b")
	a.save("both edit", "mine")
	b.save("both edit", "theirs")
	a.delete("a deletes, b edits")
	b.save("a deletes, b edits", "edited by b")
	a.save("b deletes, a edits", "edited by a")
	b.delete("b deletes, a edits")
	a.save("only a", "one")
	b.save("only b", "two")

	two.pull().wants(0, "conflict", "")
	merged := map[string]string{
		"both": "Shared fact.", "a edits": "new of a", "b edits": "new of b", "both edit": "mine", "b deletes, a edits": "edited by a", "only a": "one", "only b": "two",
	}
	a.wantsBodies(merged)
	two.push().wants(0, "", "")
	b.wantsBodies(map[string]string{
		"both": "Shared fact.", "a edits": "new of a", "b edits": "new of b", "both edit": "theirs", "a deletes, b edits": "edited by b", "only a": "one", "only b": "two",
	})
	two.pull().wants(0, "", "")
	a.wantsBodies(merged) // nothing changes before a person decides

	t.Run("decisions travel", func(t *testing.T) {
		a.memoir("review", "decide", a.item("blocked"), "delete").wants(0, "", "")
		b.memoir("review", "decide", b.item("blocked"), "allow").wants(0, "", "")
		conflict, keep := a.item("conflict"), "keep_1"
		shown := a.memoir("review", "show", conflict).stdout
		if strings.Index(shown, "theirs") < strings.Index(shown, "mine") {
			keep = "keep_2"
		}
		a.memoir("review", "decide", conflict, keep).wants(0, "", "")
		two.push().wants(0, "1 changed", "")
		want := map[string]string{
			"both": "Shared fact.", "a edits": "new of a", "b edits": "new of b", "both edit": "mine", "b deletes, a edits": "edited by a", "only a": "one", "only b": "two",
		}
		a.wantsBodies(want)
		b.wantsBodies(want)
		two.pull().wants(0, "", "")
		a.wantsBodies(want)
	})
	t.Run("nothing deleted returns", func(t *testing.T) {
		for range 2 {
			two.pull().wants(0, "", "")
			two.push().wants(0, "", "")
		}
		for _, m := range []*machine{a, b} {
			has := m.has()
			for _, name := range []string{"deleted by a", "deleted by b", "a deletes, b edits"} {
				if body, lives := has[name]; lives {
					t.Errorf("%q lives again: %q", name, body)
				}
			}
		}
	})
}

func TestPushPull_Interrupted(t *testing.T) {
	t.Parallel()
	two := startTwo(t)
	two.push().wants(0, "1 new", "")
	// Large enough that ssh is killed in the middle.
	for i := range 4 {
		var text strings.Builder
		for text.Len() < 600<<10 {
			text.WriteString(rand.Text() + "\n")
		}
		for m, name := range map[*machine]string{two.a: "a", two.b: "b"} {
			m.given(text.String(), "memory", "save", fmt.Sprintf("large %s %d", name, i), "--type", "project", "--agent", "ada").wants(0, "", "")
		}
	}
	whole := two.a.env["MEMOIR_SSH_COMMAND"]
	killing := filepath.Join(two.a.home, "killing")
	script := "#!/bin/sh\nout=$(mktemp)\n" + whole + " \"$@\" >$out & pid=$!\n" +
		"while [ $(stat -c %s $out) -lt 300000 ] && kill -0 $pid 2>/dev/null; do :; done\nkill -9 $pid\ncat $out\nrm $out\nexit 255\n"
	if err := os.WriteFile(killing, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cutting := filepath.Join(two.a.home, "cutting")
	if err := os.WriteFile(cutting, []byte("#!/bin/sh\nhead -c 300000 | "+whole+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	before, beforeB := two.a.has(), two.b.has()
	two.a.env["MEMOIR_SSH_COMMAND"] = killing
	two.pull().wants(1, "", "nothing was changed")
	two.a.wantsBodies(before)
	two.a.env["MEMOIR_SSH_COMMAND"] = cutting
	two.push().wants(1, "", "did not confirm")
	two.b.wantsBodies(beforeB)
	two.a.env["MEMOIR_SSH_COMMAND"] = whole
	two.pull().wants(0, "4 new", "")
	two.push().wants(0, "4 new", "")
	all := two.a.has()
	if len(all) != 9 {
		t.Errorf("%d memories after repeated transfers, want 9", len(all))
	}
	two.b.wantsBodies(all)
}
