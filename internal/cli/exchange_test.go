package cli_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/cli/sshtest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
	"memoir/internal/wire"
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

// purge removes a deleted memory with its history.
func (m *machine) purge(name string) {
	m.Helper()
	var list struct{ Memories []struct{ ID, Name string } }
	r := m.memoir("memory", "list", "--agent", "ada", "--state", "deleted", "--json")
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
		m.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	for _, one := range list.Memories {
		if one.Name != name {
			continue
		}
		request, err := http.NewRequestWithContext(m.Context(), http.MethodDelete, m.url+"/api/v1/agents/ada/memories/"+one.ID+"?purge=true", nil)
		if err != nil {
			m.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			m.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			m.Errorf("purge %q: %s", name, response.Status)
		}
	}
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

// item returns the id of the item of a kind about a memory, and waits for it.
func (m *machine) item(kind, name string) (id string) {
	m.Helper()
	waittest.For(m, "an item of the kind "+kind+" about "+name, func() bool {
		for _, item := range m.items(kind) {
			if item.Memories[0].Name == name {
				id = item.ID
			}
		}
		return id != ""
	})
	return id
}

// items returns the items of a kind in the review.
func (m *machine) items(kind string) []wire.ReviewItem {
	m.Helper()
	var list wire.ReviewList
	r := m.memoir("review", "list", "--kind", kind, "--json")
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
		m.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	return list.Items
}

func (m *machine) decide(item, decision string) {
	m.Helper()
	m.memoir("review", "decide", item, decision).wants(0, "", "")
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
		a.decide(a.item("deletion", "a deletes, b edits"), "delete")
		a.decide(a.item("deletion", "b deletes, a edits"), "keep")
		conflict, keep := a.item("conflict", "both edit"), "keep_1"
		shown := a.memoir("review", "show", conflict).stdout
		if strings.Index(shown, "theirs") < strings.Index(shown, "mine") {
			keep = "keep_2"
		}
		a.decide(conflict, keep)
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

// A memory that one machine has deleted and the other one has changed. The machine that merges asks,
// the other one does not, and the decision holds on both.
func TestPushPull_DeletionConflicts(t *testing.T) {
	t.Parallel()
	two := startTwo(t)
	a, b := two.a, two.b
	// deleter and changer are what the machines do, purged is how the memory is deleted.
	type history struct {
		name     string
		aDeletes bool
		purge    bool
		decision string
	}
	var all []history
	for _, aDeletes := range []bool{true, false} {
		for _, purge := range []bool{true, false} {
			for _, decision := range []string{"keep", "delete"} {
				all = append(all, history{fmt.Sprintf("a deletes %t, purges %t, %ss", aDeletes, purge, decision), aDeletes, purge, decision})
			}
		}
	}
	for _, h := range all {
		a.save(h.name, "old")
	}
	two.push().wants(0, "9 new", "")
	for _, h := range all {
		deleter, changer := a, b
		if !h.aDeletes {
			deleter, changer = b, a
		}
		changer.save(h.name, "new")
		deleter.delete(h.name)
		if h.purge {
			deleter.purge(h.name)
		}
	}
	two.pull("--dry-run").wants(0, "8 conflict", "Nothing was changed")
	two.pull().wants(0, "8 conflict", "")
	merged := map[string]string{"both": "Shared fact."}
	for _, h := range all {
		if !h.aDeletes {
			merged[h.name] = "new"
		}
	}
	a.wantsBodies(merged)
	// The question is open: nothing changes on either side, and nothing is asked twice.
	before := b.has()
	two.pull().wants(0, "8 pending", "")
	two.push().wants(0, "8 pending", "")
	b.wantsBodies(before)
	if items := b.items("deletion"); len(items) > 0 {
		t.Errorf("the other machine asks too: %+v", items)
	}

	want := map[string]string{"both": "Shared fact."}
	for _, h := range all {
		item := a.item("deletion", h.name)
		if shown := a.memoir("review", "show", item).stdout; !strings.Contains(shown, "new") {
			t.Errorf("%s: the changed text is missing:\n%s", h.name, shown)
		}
		// Decided the other way first, and taken back.
		other := map[string]string{"keep": "delete", "delete": "keep"}[h.decision]
		a.decide(item, other)
		a.memoir("review", "undo", item).wants(0, "", "")
		a.decide(a.item("deletion", h.name), h.decision)
		if h.decision == "keep" {
			want[h.name] = "new"
		}
	}
	a.wantsBodies(want)
	for n := range 2 {
		two.push().wants(0, "", "")
		a.wantsBodies(want)
		b.wantsBodies(want)
		two.pull().wants(0, "", "")
		a.wantsBodies(want)
		for _, m := range []*machine{a, b} {
			if items := m.items("deletion"); len(items) > 0 {
				t.Errorf("asked again after exchange %d: %+v", n+1, items)
			}
		}
	}
	t.Run("kept memories go on", func(t *testing.T) {
		for name := range want {
			a.save(name, "newer")
			want[name] = "newer"
		}
		two.push().wants(0, "5 changed", "")
		b.wantsBodies(want)
		for name := range want {
			b.delete(name)
		}
		two.pull().wants(0, "5 deleted", "")
		a.wantsBodies(nil)
	})
}

// A person who has kept a memory can change it before the next exchange.
func TestPushPull_KeptThenChanged(t *testing.T) {
	t.Parallel()
	two := startTwo(t)
	a, b := two.a, two.b
	two.push().wants(0, "1 new", "")
	a.save("both", "new")
	b.delete("both")
	two.pull().wants(0, "1 conflict", "")
	a.decide(a.item("deletion", "both"), "keep")
	a.save("both", "newer")
	two.pull().wants(0, "1 newer", "")
	two.push().wants(0, "1 new", "")
	b.wantsBodies(map[string]string{"both": "newer"})
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
