//go:build linux

package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"memoir/internal/waittest"
)

// starved is the real server, whose limit of open files a test changes.
type starved struct {
	*confined
	claude string
	usual  unix.Rlimit
	is     map[string]string // bodies of memories by name
	was    map[string]bool   // names of removed memories
	known  []knownAgent      // agents that must not change
}

// knownAgent is the data of an agent that the server needs files to read.
type knownAgent struct {
	Slug, Name, Dir string
	Present         bool
}

func startStarved(t *testing.T) *starved {
	t.Helper()
	claude := filepath.Join(t.TempDir(), "claude")
	s := &starved{confined: startAs(t, "", &syscall.SysProcAttr{}, nil, "--claude-dir="+claude), claude: claude, is: map[string]string{}, was: map[string]bool{}}
	if err := unix.Prlimit(s.server.Process.Pid, unix.RLIMIT_NOFILE, nil, &s.usual); err != nil {
		t.Fatal(err)
	}
	return s
}

// notInProjectName matches the characters that Claude Code replaces in the name of a project.
var notInProjectName = regexp.MustCompile(`[^A-Za-z0-9]`)

// claudeCode creates a project of Claude Code with a transcript, a custom agent with memory, one
// without, and a custom agent for all projects.
func (s *starved) claudeCode() {
	s.Helper()
	project := filepath.Join(filepath.Dir(s.claude), "app")
	name := notInProjectName.ReplaceAllString(project, "-")
	for path, text := range map[string]string{
		filepath.Join(s.claude, "projects", name, "session.jsonl"): fmt.Sprintf(`{"type":"user","cwd":%q}`+"\n", project),
		filepath.Join(s.claude, "agents", "everywhere.md"):         "---\nname: everywhere\nmemory: user\n---\n",
		filepath.Join(project, ".claude", "agents", "reviewer.md"): "---\nname: reviewer\nmemory: project\n---\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	below, err := filepath.Rel(s.agents, filepath.Dir(s.claude))
	if err != nil {
		s.Fatal(err)
	}
	s.says(below+"/claude/projects/"+name+"/memory/p.md", "stays")
	s.says(below+"/app/.claude/agent-memory/reviewer/r.md", "stays")
}

// mayOpen sets the limit so that the server can open that many more files. The limit applies to
// descriptor numbers, which have gaps.
func (s *starved) mayOpen(room int) {
	s.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.server.Process.Pid))
	if err != nil {
		s.Fatal(err)
	}
	open := map[int]bool{}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			s.Fatal(err)
		}
		open[fd] = true
	}
	limit := 0
	for free := 0; ; limit++ {
		if open[limit] {
			continue
		}
		if free == room {
			break
		}
		free++
	}
	s.limit(unix.Rlimit{Cur: uint64(limit), Max: s.usual.Max})
}

func (s *starved) limit(to unix.Rlimit) {
	s.Helper()
	if err := unix.Prlimit(s.server.Process.Pid, unix.RLIMIT_NOFILE, &to, nil); err != nil {
		s.Fatal(err)
	}
}

func (s *starved) says(path, body string) {
	s.Helper()
	s.write(path, body)
	s.is[path] = body
}

func (s *starved) goes(path string) {
	s.Helper()
	if err := os.Remove(filepath.Join(s.agents, path)); err != nil {
		s.Fatal(err)
	}
	delete(s.is, path)
	s.was[path] = true
}

// agentsNow returns the agents of the API. ok is false if the server cannot open enough files.
func (s *starved) agentsNow() (all []knownAgent, ok bool) {
	s.Helper()
	var list struct{ Agents []knownAgent }
	ok = s.get("/api/v1/agents", &list) == http.StatusOK
	return list.Agents, ok
}

// names returns the bodies of memories in a state by name; an empty state means living ones. ok is
// false if the server cannot open enough files.
func (s *starved) names(state string) (says map[string]string, ok bool) {
	s.Helper()
	says = map[string]string{}
	filter := ""
	if state != "" {
		filter = "&state=" + state
	}
	agents, ok := s.agentsNow()
	if !ok {
		return nil, false
	}
	for _, a := range agents {
		var list struct {
			Memories []struct{ Name, Body string }
		}
		if s.get("/api/v1/agents/"+a.Slug+"/memories?limit=500"+filter, &list) != http.StatusOK {
			return nil, false
		}
		for _, m := range list.Memories {
			says[m.Name] = m.Body
		}
	}
	return says, true
}

// concludesNothing checks that the trash has only removed memories, that no file has a problem, and
// that the agents are unchanged.
func (s *starved) concludesNothing(when string) {
	s.Helper()
	waittest.For(s, "an answer "+when, func() bool {
		trash, told := s.names("deleted")
		odd, toldOdd := s.names("needs_attention")
		agents, toldAgents := s.agentsNow()
		if !told || !toldOdd || !toldAgents {
			return false
		}
		for _, known := range s.known {
			if !slices.Contains(agents, known) {
				s.Errorf("%s: %+v is not among %+v any more", when, known, agents)
			}
		}
		for name := range trash {
			if !s.was[name] {
				s.Errorf("%s: %s is in the trash, and nobody has removed it", when, name)
			}
		}
		for name := range odd {
			s.Errorf("%s: %s needs attention, and nothing is the matter with it", when, name)
		}
		return true
	})
}

// answersAScan checks that a requested scan is complete or returns an error with a reason.
func (s *starved) answersAScan(when string) {
	s.Helper()
	answer, err := http.Post(s.url+"/api/v1/agents/ada/scan", "application/json", nil)
	if err != nil {
		return // the server cannot accept the connection
	}
	defer answer.Body.Close() //nolint:errcheck // the result is not needed
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK && (answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "") {
		s.Errorf("%s a scan is answered %d: %s", when, answer.StatusCode, said)
	}
}

// isWhole waits until all files are mirrored, all removed ones are in the trash, and no file has a
// problem.
func (s *starved) isWhole() {
	s.Helper()
	waittest.For(s, "everything to have arrived", func() bool {
		alive, told := s.names("")
		trash, toldTrash := s.names("deleted")
		return told && toldTrash && maps.Equal(alive, s.is) && slices.Equal(slices.Sorted(maps.Keys(trash)), slices.Sorted(maps.Keys(s.was)))
	})
	waittest.For(s, "the figures to agree, without a problem", func() bool {
		var sync struct {
			Files     int     `json:"files_on_disk"`
			Mirrored  int     `json:"mirrored"`
			Attention int     `json:"needs_attention"`
			Pending   int     `json:"pending"`
			Mode      string  `json:"watch_mode"`
			Note      *string `json:"watch_note"`
		}
		var each struct {
			Agents []struct {
				Slug        string
				Present     bool
				Problem     *string
				ScanProblem *string `json:"scan_problem"`
			}
		}
		if s.get("/api/v1/sync", &sync) != http.StatusOK || s.get("/api/v1/sync/agents", &each) != http.StatusOK {
			return false
		}
		for _, a := range each.Agents {
			if !a.Present || a.Problem != nil || a.ScanProblem != nil {
				return false
			}
		}
		return sync.Files == len(s.is) && sync.Mirrored == len(s.is) && sync.Attention == 0 && sync.Pending == 0 && sync.Mode == "watch" && sync.Note == nil
	})
	for agent := range s.agentsOnDisk() {
		// those of Claude Code have none
		raw, err := os.ReadFile(filepath.Join(s.agents, agent, "CLAUDE.md"))
		for path := range s.is {
			if of, _, _ := strings.Cut(path, "/"); agent != ".." && of == agent && !strings.Contains(string(raw), path) {
				s.Errorf("%s is not in the CLAUDE.md of %s (%v)", path, agent, err)
			}
		}
	}
}

func (s *starved) agentsOnDisk() map[string]bool {
	found := map[string]bool{}
	for path := range s.is {
		agent, _, _ := strings.Cut(path, "/")
		found[agent] = true
	}
	return found
}

// noFalseHistory checks that the activity contains only real changes.
func (s *starved) noFalseHistory() {
	s.Helper()
	var page struct {
		Activity []struct{ Name, Kind, Path string }
	}
	if status := s.get("/api/v1/activity?limit=500", &page); status != http.StatusOK {
		s.Fatalf("the history answers %d", status)
	}
	for _, a := range page.Activity {
		if a.Kind == "deleted" && s.was[a.Name] || a.Kind == "learned" || a.Kind == "changed" {
			continue
		}
		s.Errorf("%s (%s) is said to have been %s", a.Name, a.Path, a.Kind)
	}
}

func TestServer_FewDescriptors(t *testing.T) {
	t.Parallel()
	s := startStarved(t)
	const rooms = 7 // from zero to enough for most of a scan
	for i := range rooms {
		s.says(fmt.Sprintf("ada/memory/goes%d.md", i), "goes")
		s.says(fmt.Sprintf("ada/memory/sub/stays%d.md", i), "stays")
		s.says(fmt.Sprintf("ada/sessions/U%d-C-1712345678.0001/memory/s.md", i), "stays")
	}
	s.says("bob/memory/a.md", "bob's")
	s.claudeCode()
	s.isWhole()
	waittest.For(s, "all agents", func() (ok bool) {
		s.known, ok = s.agentsNow()
		return ok && len(s.known) == 5
	})
	for room := range rooms {
		when := fmt.Sprintf("with room for %d descriptors", room)
		said := len(s.said())
		s.mayOpen(room)
		s.says("ada/memory/changes.md", fmt.Sprint("round ", room))
		s.goes(fmt.Sprintf("ada/memory/goes%d.md", room))
		s.says(fmt.Sprintf("ada/memory/new%d/sub/n.md", room), "new")
		s.says(fmt.Sprintf("ada/sessions/U9-C-17123456%d0.0001/memory/s.md", room), "new")
		s.says(fmt.Sprintf("new%d/memory/a.md", room), "new")
		s.says("bob/memory/a.md", fmt.Sprint("round ", room))
		waittest.For(s, "the server to have looked "+when, func() bool {
			alive, told := s.names("")
			return told && maps.Equal(alive, s.is) || strings.Contains(s.said()[said:], "too many open files")
		})
		s.answersAScan(when)
		s.concludesNothing(when)
		s.limit(s.usual)
		s.isWhole()
		s.concludesNothing("after that")
	}
	s.noFalseHistory()
}
