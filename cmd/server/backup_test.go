package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"memoir/internal/backup/archive"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

// json makes a request and decodes the answer. A status of 400 or more ends the test.
func (s *started) json(method, path string, body, into any) {
	s.Helper()
	if status, answer := s.try(method, path, body, into); status >= 400 || status == 0 {
		s.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
}

// try makes a request and decodes the answer. It returns status 0 if there is none.
func (s *started) try(method, path string, body, into any) (status int, answer []byte) {
	text, err := json.Marshal(body)
	if err != nil {
		s.Error(err)
		return 0, nil
	}
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(text))
	if err != nil {
		s.Error(err)
		return 0, nil
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err == nil && into != nil && response.StatusCode < 300 {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		s.Error(err)
	}
	return response.StatusCode, answer
}

// command runs a command of the program and returns its output.
func (s *started) runs(env []string, args ...string) (said string, err error) {
	s.Helper()
	path, err := program()
	if err != nil {
		s.Fatal(err)
	}
	command := exec.Command(path, args...)
	command.Env = append(slices.DeleteFunc(os.Environ(), isSetting), env...)
	out, err := command.CombinedOutput()
	return string(out), err
}

type memoryJSON struct{ ID, Name, Body, State string }

// stateOf returns everything that the API tells of an agent, as indented JSON by what it is.
func (s *started) stateOf(slug string) map[string]string {
	s.Helper()
	all := map[string]string{}
	get := func(path string) []byte {
		var raw json.RawMessage
		s.json(http.MethodGet, path, nil, &raw)
		var out bytes.Buffer
		if err := json.Indent(&out, raw, "", " "); err != nil {
			s.Fatal(err)
		}
		all[path] = out.String()
		return raw
	}
	at := "/api/v1/agents/" + slug
	for _, path := range []string{at, at + "/activity?limit=500", at + "/blocked", at + "/review", at + "/logs", at + "/claude-md/costs"} {
		get(path)
	}
	for _, path := range []string{at + "/memories?limit=500", at + "/memories?limit=500&state=deleted"} {
		var list struct{ Memories []memoryJSON }
		if err := json.Unmarshal(get(path), &list); err != nil {
			s.Fatal(err)
		}
		for _, m := range list.Memories {
			get(at + "/memories/" + m.ID + "/revisions")
			get(at + "/memories/" + m.ID + "/activity")
		}
	}
	return all
}

// seenAgain matches when an agent's directory or a blocked file was last seen.
var seenAgain = regexp.MustCompile(`"(updated|seen)_at": "[^"]*"`)

// filesIn returns the bytes of all files in a directory, by their relative paths.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(at)
		name, _ := filepath.Rel(dir, at)
		all[name] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *started) put(name, text string) {
	s.Helper()
	at := filepath.Join(s.agents, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

// quiet fills the agent bob with everything that a backup has to keep.
func (s *started) quiet() {
	s.Helper()
	const at = "/api/v1/agents/bob"
	save := func(name, body string) (m memoryJSON) {
		s.json(http.MethodPost, at+"/memories", map[string]string{"name": name, "type": "user", "description": "About " + name, "body": body}, &m)
		return m
	}
	save("Deploys", "First.")
	save("Deploys", "Second: deploys are on `staging` first.")
	gone := save("Gone", "Deleted by a person.")
	s.json(http.MethodDelete, at+"/memories/"+gone.ID, nil, nil)
	// Its content comes back, and is blocked.
	s.put("bob/memory/back.md", memoirtest.Note("Gone", memories.User, "Deleted by a person."))
	purged := save("Purged", "Without a trace.")
	s.json(http.MethodDelete, at+"/memories/"+purged.ID+"?purge=true", nil, nil)
	s.put("bob/memory/removed.md", memoirtest.Note("Removed", memories.Project, "Removed on disk."))
	s.put("bob/memory/notes.txt", "Not Markdown.")
	s.put("bob/memory/untyped.md", "No frontmatter.\n")
	s.put("bob/memory/logs/2026/11/2026-11-20.md", "- A log entry.\n")
	s.put("bob/sessions/U1-C1-1/memory/learned.md", memoirtest.Note("Learned", memories.Feedback, "In a session."))
	s.json(http.MethodPost, at+"/scan", nil, nil)
	if err := os.Remove(filepath.Join(s.agents, "bob/memory/removed.md")); err != nil {
		s.Fatal(err)
	}
	s.json(http.MethodPost, at+"/scan", nil, nil)
	var review struct {
		Items []struct {
			ID      string
			Kind    string
			Actions []struct{ Decision string }
		}
	}
	waittest.For(s, "review items", func() bool {
		s.json(http.MethodGet, at+"/review", nil, &review)
		return len(review.Items) > 1
	})
	s.json(http.MethodPost, "/api/v1/review/"+review.Items[0].ID, map[string]any{"decision": "snooze", "days": 9}, nil)
}

// load saves, changes and deletes memories of the agent ada until it is stopped.
type load struct {
	sync.Mutex
	bodies  map[string]string // the last acknowledged body of each memory
	deleted map[string]bool   // acknowledged deletions
	ops     int
}

func (l *load) acknowledged() (bodies map[string]string, deleted map[string]bool) {
	l.Lock()
	defer l.Unlock()
	return maps.Clone(l.bodies), maps.Clone(l.deleted)
}

func (l *load) writer(s *started, number int, stop <-chan struct{}) {
	const at = "/api/v1/agents/ada/memories"
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		save := func(name, body string) (m memoryJSON) {
			status, answer := s.try(http.MethodPost, at, map[string]string{"name": name, "type": "user", "body": body}, &m)
			if status >= 400 || status == 0 {
				s.Errorf("save %s: %d %s", name, status, answer)
				return m
			}
			l.Lock()
			defer l.Unlock()
			l.bodies[name] = body
			l.ops++
			return m
		}
		save(fmt.Sprintf("Memory %d of %d", i, number), fmt.Sprintf("Body %d.", i))
		save(fmt.Sprintf("Counter %d", number), fmt.Sprintf("%08d", i))
		short := save(fmt.Sprintf("Short %d of %d", i, number), "Deleted soon.")
		if status, answer := s.try(http.MethodDelete, at+"/"+short.ID, nil, nil); status != http.StatusOK {
			s.Errorf("delete %s: %d %s", short.Name, status, answer)
		}
		l.Lock()
		l.deleted[short.Name] = true
		l.ops++
		l.Unlock()
	}
}

func TestBackup_UnderLoad(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := start(t, nil, "--data-dir="+data)
	s.put("ada/memory/first.md", memoirtest.Note("First", memories.User, "One."))
	s.put("bob/memory/first.md", memoirtest.Note("First", memories.User, "One."))
	s.serves()
	s.quiet()
	l := &load{bodies: map[string]string{}, deleted: map[string]bool{}}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for number := range 4 {
		writers.Go(func() { l.writer(s, number, stop) })
	}
	busy := func(ops int) {
		waittest.For(s, "writers", func() bool { l.Lock(); defer l.Unlock(); return l.ops > ops })
	}
	busy(200)
	waittest.For(s, "the review of bob", func() bool {
		before := s.stateOf("bob")
		return maps.Equal(before, s.stateOf("bob"))
	})
	want, wantFiles := s.stateOf("bob"), filesIn(t, filepath.Join(s.agents, "bob"))
	bodies, deleted := l.acknowledged()
	file := filepath.Join(t.TempDir(), "backup")
	said, err := s.runs(nil, "backup", file, "--url="+s.url)
	if err != nil {
		t.Fatal(said)
	}
	l.Lock()
	after := l.ops
	l.Unlock()
	busy(after + 20) // the backup stops nobody
	close(stop)
	writers.Wait()
	if !strings.Contains(said, "2 agents") {
		t.Errorf("backup: %s", said)
	}

	env := []string{"HOME=" + t.TempDir()}
	// A restore next to a running server, and into its data afterwards, is refused.
	if said, err := s.runs(env, "restore", file, "--data-dir="+data); err == nil || !strings.Contains(said, "in use") {
		t.Errorf("restore next to a server: %v: %s", err, said)
	}
	s.endsWell()
	if said, err := s.runs(env, "restore", file, "--data-dir="+data); err == nil || !strings.Contains(said, "has data of Memoir") {
		t.Errorf("restore over data: %v: %s", err, said)
	}
	if err := os.Rename(s.agents, s.agents+".away"); err != nil {
		t.Fatal(err)
	}

	check := func(r *started, dir string) {
		t.Helper()
		r.serves()
		for path, want := range want {
			var raw json.RawMessage
			r.json(http.MethodGet, path, nil, &raw)
			var got bytes.Buffer
			if err := json.Indent(&got, raw, "", " "); err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(got.String(), dir, s.agents)
			if path == "/api/v1/agents/bob" || strings.HasSuffix(path, "/blocked") {
				// The directory is new, and its files are seen again.
				text, want = seenAgain.ReplaceAllString(text, ""), seenAgain.ReplaceAllString(want, "")
			}
			if text != want {
				t.Errorf("%s: %s\nwant %s", path, text, want)
			}
		}
		if got := filesIn(t, filepath.Join(dir, "bob")); !maps.Equal(got, wantFiles) {
			t.Errorf("files: %q, want %q", got, wantFiles)
		}
		found := map[string]memoryJSON{}
		for _, state := range []string{"active", "deleted"} {
			for cursor := ""; ; {
				var list struct {
					Memories []memoryJSON
					Next     string `json:"next_cursor"`
				}
				r.json(http.MethodGet, "/api/v1/agents/ada/memories?limit=500&state="+state+cursor, nil, &list)
				for _, m := range list.Memories {
					found[m.Name] = m
				}
				if list.Next == "" {
					break
				}
				cursor = "&cursor=" + list.Next
			}
		}
		for name, body := range bodies {
			m := found[name]
			switch {
			case strings.HasPrefix(name, "Counter"):
				if m.State != "active" || m.Body < body {
					t.Errorf("%s: %+v, want at least %s", name, m, body)
				}
			case strings.HasPrefix(name, "Short"):
				if deleted[name] && m.State != "deleted" {
					t.Errorf("%s: %+v, want it deleted", name, m)
				}
			case m.Body != body || m.State != "active":
				t.Errorf("%s: %+v, want %q", name, m, body)
			}
		}
	}

	t.Run("another directory", func(t *testing.T) {
		dir, data := filepath.Join(t.TempDir(), "agents"), filepath.Join(t.TempDir(), "data")
		r := &started{T: t, agents: dir}
		args := []string{"restore", file, "--data-dir=" + data, "--map=" + s.agents + "=" + dir}
		if said, err := r.runs(env, append(args, "--dry-run")...); err != nil || !strings.Contains(said, "Nothing was changed") {
			t.Fatalf("dry run: %v: %s", err, said)
		}
		if _, err := os.Stat(data); err == nil {
			t.Error("the dry run makes a data directory")
		}
		if said, err := r.runs(env, args...); err != nil {
			t.Fatal(said)
		}
		if said, err := r.runs(env, args...); err == nil {
			t.Errorf("a second restore: %s", said)
		}
		path, err := program()
		if err != nil {
			t.Fatal(err)
		}
		r.launch(exec.Command(path, "--agents-dir="+dir, "--data-dir="+data), env)
		check(r, dir)
		r.endsWell()
	})
	t.Run("own Postgres, some files", func(t *testing.T) {
		url := pgtest.Empty(t)
		r := &started{T: t, agents: s.agents}
		r.put("bob/memory/user_deploys.md", "Other bytes, which must stay.\n")
		said, err := r.runs(env, "restore", file, "--database-url="+url)
		if err != nil || !strings.Contains(said, "have other contents") || !strings.Contains(said, "user_deploys.md") {
			t.Fatalf("%v: %s", err, said)
		}
		at := filepath.Join(r.agents, "bob/memory/user_deploys.md")
		if raw, err := os.ReadFile(at); err != nil || string(raw) != "Other bytes, which must stay.\n" {
			t.Errorf("the file is %q (%v)", raw, err)
		}
		// Once more, with all other files there already.
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		url = pgtest.Empty(t)
		if said, err := r.runs(env, "restore", file, "--database-url="+url); err != nil || !strings.Contains(said, "Files: 1 written") {
			t.Fatalf("%v: %s", err, said)
		}
		path, err := program()
		if err != nil {
			t.Fatal(err)
		}
		r.launch(exec.Command(path, "--agents-dir="+r.agents, "--database-url="+url), env)
		check(r, r.agents)
		r.endsWell()
	})
}

// A damaged archive is refused before anything is written.
func TestRestore_Damaged(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--database-url="+pgtest.New(t))
	s.write("one")
	s.serves()
	file := filepath.Join(t.TempDir(), "backup")
	if said, err := s.runs(nil, "backup", file, "--url="+s.url); err != nil {
		t.Fatal(said)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.endsWell()
	if err := os.Rename(s.agents, s.agents+".away"); err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(whole)
	changed[len(whole)/2] ^= 1
	for what, raw := range map[string][]byte{"torn": whole[:len(whole)-20], "changed": changed, "empty": nil} {
		at, data := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(at, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := s.runs([]string{"HOME=" + t.TempDir()}, "restore", at, "--data-dir="+data)
		if err == nil || !strings.Contains(said, "Nothing was changed") {
			t.Errorf("%s: %v: %s", what, err, said)
		}
		for _, dir := range []string{data, s.agents} {
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("%s: %s was made", what, dir)
			}
		}
	}
}

func TestBackup_NotForReaders(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all", "--read-token=look-only")
	if status, answer := s.as("look-only", http.MethodGet, "/api/v1/backup", ""); status != http.StatusForbidden {
		t.Errorf("a reader: %d %.200s", status, answer)
	}
	status, answer := s.as("all", http.MethodGet, "/api/v1/backup", "")
	if m, err := archive.Verify(strings.NewReader(answer)); status != http.StatusOK || err != nil || m.Files() < 4 {
		t.Errorf("with the token: %d %v %+v", status, err, m)
	}
	if status, _ := s.as("all", http.MethodHead, "/api/v1/backup", ""); status != http.StatusOK {
		t.Errorf("HEAD: %d", status)
	}
	if status, _ := s.as("all", http.MethodGet, "/api/v1/backup", ""); status != http.StatusOK {
		t.Errorf("after HEAD: %d", status)
	}
}

func TestBackup_Schedule(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "backups")
	s := start(t, nil, "--database-url="+pgtest.New(t), "--backup-dir="+dir, "--backup-every=1s", "--backup-keep=2")
	s.write("one")
	s.serves()
	var seen []string
	waittest.For(s, "four backups, two kept", func() bool {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if _, ok := archive.TimeOf(e.Name()); ok && !slices.Contains(seen, e.Name()) {
				seen = append(seen, e.Name())
			}
		}
		return len(seen) >= 4 && len(entries) <= 3
	})
	type status struct {
		Backup struct {
			LastFile string `json:"last_file"`
			Problem  string
			Overdue  bool
		}
	}
	var now status
	s.json(http.MethodGet, "/api/v1/sync", nil, &now)
	if _, err := os.Stat(now.Backup.LastFile); now.Backup.Problem != "" || now.Backup.Overdue || err != nil && !os.IsNotExist(err) {
		t.Errorf("sync: %+v (%v)", now, err)
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waittest.For(s, "the failure", func() bool {
		now = status{}
		s.json(http.MethodGet, "/api/v1/sync", nil, &now)
		return now.Backup.Problem != "" && now.Backup.Overdue
	})
	s.endsWell()
	kept := filesIn(t, dir+".away")
	for name, raw := range kept {
		if _, err := archive.Verify(strings.NewReader(raw)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(kept) == 0 || len(kept) > 3 {
		t.Errorf("there are %d backups, want 2", len(kept))
	}
}
