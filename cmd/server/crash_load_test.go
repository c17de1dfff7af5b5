package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// crashAgent is the one agent that everything happens to, with what can be known of it although answers get lost.
type crashAgent struct {
	v       *victim
	dir     string
	files   *rand.Rand // draws for the writer of files
	calls   *rand.Rand // draws for the caller of the API
	counter int
	written []string // texts of files, to be written once more

	// said is what each memory of the API alone may be: bodies, and "" for one that is deleted or was never there. After
	// an answer it is one of them; after a lost one, it may be what it was or what it was to be.
	said map[string][]string
	// ended are bodies that were deleted, with an answer, and that nobody has asked back since.
	ended map[string]map[string]bool
	// unlinked are files whose memory was deleted, with or without an answer: their lines may be gone from the index.
	unlinked map[string]bool
}

const (
	filesOfTheAgent   = 8 // memory/m0.md is M0, and so on: written by the agent
	memoriesOfTheAPI  = 5 // S0, and so on: saved by a person
	crashIndexHeading = "# What I know\n\nm0.md is a file, and this is no link to it.\n\n"
)

func newCrashAgent(v *victim, files, calls *rand.Rand) *crashAgent {
	a := &crashAgent{
		v: v, dir: filepath.Join(v.agents, "ada"), files: files, calls: calls,
		said: map[string][]string{}, ended: map[string]map[string]bool{}, unlinked: map[string]bool{},
	}
	if err := os.MkdirAll(filepath.Join(a.dir, "memory"), 0o755); err != nil {
		v.Fatal(err)
	}
	index := crashIndexHeading
	for i := range filesOfTheAgent {
		index += indexLine(i)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "memory", "MEMORY.md"), []byte(index), 0o644); err != nil {
		v.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "CLAUDE.md"), []byte("# Mine\n"), 0o644); err != nil {
		v.Fatal(err)
	}
	for i := range memoriesOfTheAPI {
		a.said[fmt.Sprintf("S%d", i)] = []string{""}
	}
	return a
}

func indexLine(i int) string { return fmt.Sprintf("- [M%d](m%d.md) — number %d\n", i, i, i) }

// writeFiles is the agent at work: it overwrites, saves by renaming, removes, and sometimes writes what it once wrote.
func (a *crashAgent) writeFiles(ctx context.Context) {
	for ctx.Err() == nil {
		i := a.files.IntN(filesOfTheAgent)
		path := filepath.Join(a.dir, "memory", fmt.Sprintf("m%d.md", i))
		a.counter++
		text := fmt.Sprintf("---\nname: M%d\ntype: project\n---\n\nfrom the agent, %d\n", i, a.counter)
		if len(a.written) > 0 && a.files.IntN(4) == 0 {
			text = a.written[a.files.IntN(len(a.written))]
			path = filepath.Join(a.dir, "memory", "m"+text[len("---\nname: M"):][:1]+".md")
		}
		var err error
		switch a.files.IntN(5) {
		case 0:
			err = os.Remove(path)
			if os.IsNotExist(err) {
				err = nil
			}
		case 1, 2:
			a.written = append(a.written, text)
			err = os.WriteFile(path, []byte(text), 0o644)
		default:
			a.written = append(a.written, text)
			if err = os.WriteFile(path+".tmp", []byte(text), 0o644); err == nil {
				err = os.Rename(path+".tmp", path)
			}
		}
		if err != nil {
			a.v.Error(err)
			return
		}
		time.Sleep(time.Duration(a.files.IntN(20)) * time.Millisecond) // an agent's pace
	}
}

// useTheAPI is a person at work, one call after the other.
func (a *crashAgent) useTheAPI(ctx context.Context) {
	for ctx.Err() == nil {
		switch a.calls.IntN(4) {
		case 0, 1:
			a.save()
		case 2:
			a.delete()
		default:
			a.restore()
		}
	}
}

func (a *crashAgent) save() {
	name := fmt.Sprintf("S%d", a.calls.IntN(memoriesOfTheAPI))
	body := fmt.Sprintf("from a person, %d", a.calls.Uint64())
	status, _ := a.v.call("POST", "/api/v1/agents/ada/memories", map[string]string{"name": name, "type": "user", "description": "d", "body": body}, nil)
	a.becomes(name, body, status == 200 || status == 201, refused(status))
}

// refused says that nothing has happened. Of an answer in the 500s, as of none at all, nobody knows.
func refused(status int) bool { return status >= 400 && status < 500 }

// becomes notes what a memory is after a call: what was asked for, what it was before, or, without an answer, either.
func (a *crashAgent) becomes(name, body string, done, refused bool) {
	if _, mine := a.said[name]; !mine || refused {
		return
	}
	if done {
		a.said[name] = nil
	}
	a.said[name] = append(a.said[name], body)
}

// crashMemory is what is needed of a Memory.
type crashMemory struct {
	ID, Name, Type, Body, State, Path, Hash string
	Files                                   []struct{ Path, Hash string }
}

// list asks for the memories of a state; without an answer, there are none.
func (v *victim) list(state string) []crashMemory {
	var answer struct{ Memories []crashMemory }
	v.call("GET", "/api/v1/agents/ada/memories?sort=name&limit=500&state="+state, nil, &answer) //nolint:errcheck // the server may be gone
	return answer.Memories
}

func (a *crashAgent) delete() {
	list := a.v.list("active")
	if len(list) == 0 {
		return
	}
	m := list[a.calls.IntN(len(list))]
	for _, f := range m.Files {
		a.unlinked[f.Path] = true
	}
	var deleted crashMemory
	status, _ := a.v.call("DELETE", "/api/v1/agents/ada/memories/"+m.ID, nil, &deleted)
	a.becomes(m.Name, "", status == 200, refused(status))
	if status == 200 {
		if a.ended[m.Name] == nil {
			a.ended[m.Name] = map[string]bool{}
		}
		a.ended[m.Name][deleted.Body] = true
	}
}

func (a *crashAgent) restore() {
	list := a.v.list("deleted")
	if len(list) == 0 {
		return
	}
	m := list[a.calls.IntN(len(list))]
	status, _ := a.v.call("POST", "/api/v1/agents/ada/memories/"+m.ID+"/restore", nil, nil)
	a.becomes(m.Name, m.Body, status == 200, refused(status))
	if !refused(status) { // without an answer it may have happened
		delete(a.ended, m.Name)
	}
}

// call asks the server; the status is 0 when there is no answer.
func (v *victim) call(method, path string, body, answer any) (status int, problem error) {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		sent = bytes.NewReader(raw)
	}
	ctx, cancel := context.WithTimeout(context.Background(), crashPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, v.url+path, sent)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	if answer != nil && response.StatusCode < 300 {
		if err := json.Unmarshal(raw, answer); err != nil {
			return 0, err
		}
	}
	return response.StatusCode, nil
}

// check holds what there is after a crash against what is known.
func (v *victim) check() {
	v.Helper()
	if status, err := v.call("POST", "/api/v1/scan", nil, nil); status != 200 {
		v.Fatalf("the scan answered %d, %v\n%s", status, err, v.log())
	}
	alive := map[string]crashMemory{}
	for _, m := range v.list("active") {
		alive[m.Name] = m
	}
	blocked := v.blocked()
	v.checkFiles(alive, blocked)
	v.checkMemories(alive, blocked)
	v.checkClaudeMD(alive)
	v.checkIndex()
	v.checkJournal()
	if v.Failed() {
		v.Fatalf("the server's log:\n%s", v.log())
	}
}

// crashBlocked is what is needed of a content that is kept out.
type crashBlocked struct{ Name, Path, Body string }

// blocked gives what is kept out, by path.
func (v *victim) blocked() map[string]crashBlocked {
	v.Helper()
	var answer struct{ Blocked []crashBlocked }
	if status, err := v.call("GET", "/api/v1/agents/ada/blocked", nil, &answer); status != 200 {
		v.Fatal(status, err)
	}
	blocked := map[string]crashBlocked{}
	for _, b := range answer.Blocked {
		blocked[b.Path] = b
	}
	return blocked
}

// checkFiles: every file is what its memory says, or is kept out; nothing is left over.
func (v *victim) checkFiles(alive map[string]crashMemory, blocked map[string]crashBlocked) {
	v.Helper()
	entries, err := os.ReadDir(filepath.Join(v.agent.dir, "memory"))
	if err != nil {
		v.Fatal(err)
	}
	for _, entry := range append(entries, dirEntries(v, v.agent.dir)...) {
		if strings.HasPrefix(entry.Name(), ".memoir-") {
			v.Errorf("%s is left over", entry.Name())
		}
	}
	for i := range filesOfTheAgent {
		place := fmt.Sprintf("memory/m%d.md", i)
		raw, err := os.ReadFile(filepath.Join(v.agent.dir, place))
		m, lives := alive[fmt.Sprintf("M%d", i)]
		_, body, _ := strings.Cut(string(raw), "---\n\n")
		body = strings.TrimSpace(body)
		switch {
		case err != nil && lives && len(m.Files) == 0:
			v.Errorf("%s is gone, and its memory lives with %q in %v", place, m.Body, m.Files)
		case err == nil && blocked[place].Body != body && (!lives || m.Body != body):
			v.Errorf("%s says %q, and its memory (alive: %t) says %q; kept out: %q", place, body, lives, m.Body, blocked[place].Body)
		}
	}
}

func dirEntries(v *victim, dir string) []os.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil {
		v.Fatal(err)
	}
	return entries
}

// checkMemories: an answered save holds, an answered deletion too, and each memory is what its files say.
func (v *victim) checkMemories(alive map[string]crashMemory, blocked map[string]crashBlocked) {
	v.Helper()
	named := map[string]bool{} // by a file that is kept out: the memory lives on as long as a file carries its name
	for _, b := range blocked {
		named[b.Name] = true
	}
	for name, may := range v.agent.said {
		m := alive[name]
		if !slices.Contains(may, m.Body) {
			v.Errorf("%s says %q, and may be one of %q", name, m.Body, may)
		}
		v.agent.said[name] = []string{m.Body}
	}
	for name, m := range alive {
		if v.agent.ended[name][m.Body] {
			v.Errorf("%s says %q again, which was deleted", name, m.Body)
		}
		if len(m.Files) == 0 && !named[name] {
			v.Errorf("%s is carried by no file", name)
		}
		for _, f := range m.Files {
			raw, err := os.ReadFile(filepath.Join(v.agent.dir, f.Path))
			if err != nil || f.Hash != hashOf(raw) {
				v.Errorf("%s is not what the file %s of %s was, but %q (%v)", f.Hash, f.Path, name, raw, err)
			}
			if f.Path == m.Path && f.Hash == m.Hash && !strings.Contains(string(raw), m.Body) {
				v.Errorf("%s says %q, and its file %s says %q", name, m.Body, f.Path, raw)
			}
		}
	}
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// checkClaudeMD: what a person wrote is there, and then each living memory and no other.
func (v *victim) checkClaudeMD(alive map[string]crashMemory) {
	v.Helper()
	raw, err := os.ReadFile(filepath.Join(v.agent.dir, "CLAUDE.md"))
	if err != nil {
		v.Fatal(err)
	}
	text := string(raw)
	if !strings.HasPrefix(text, "# Mine\n\n<!-- memoir:begin -->\n") || !strings.HasSuffix(text, "\n<!-- memoir:end -->\n") {
		v.Errorf("CLAUDE.md begins or ends with something else: %q", text)
	}
	if sections := strings.Count(text, "\n### "); sections != len(alive) {
		v.Errorf("CLAUDE.md has %d memories, and %d live", sections, len(alive))
	}
	for name, m := range alive {
		if !strings.Contains(text, "\n### "+name+"\n\n"+m.Body+"\n") {
			v.Errorf("CLAUDE.md does not say that %s is %q", name, m.Body)
		}
	}
}

// checkIndex: no line is changed or lost, but those that link to a file whose memory was deleted.
func (v *victim) checkIndex() {
	v.Helper()
	raw, err := os.ReadFile(filepath.Join(v.agent.dir, "memory", "MEMORY.md"))
	if err != nil {
		v.Fatal(err)
	}
	rest, found := strings.CutPrefix(string(raw), crashIndexHeading)
	if !found {
		v.Errorf("the index begins with something else: %q", raw)
	}
	for i := range filesOfTheAgent {
		before := len(rest)
		rest = strings.Replace(rest, indexLine(i), "", 1)
		if before == len(rest) && !v.agent.unlinked[fmt.Sprintf("memory/m%d.md", i)] {
			v.Errorf("the index has lost its line for m%d.md, whose memory was never deleted: %q", i, raw)
		}
	}
	if rest != "" {
		v.Errorf("the index has more than was written into it: %q", raw)
	}
}
