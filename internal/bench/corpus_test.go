package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/memories"
)

// fileSize is the size of each memory file, in bytes.
const fileSize = 1024

// layout is how the files of a corpus are spread.
type layout struct {
	name                    string
	agents, sessions, files int // files per session; without sessions, per durable directory
}

func (l layout) total() int { return l.agents * max(1, l.sessions) * l.files }

// Describe says in words how the files are spread.
func (l layout) Describe() string {
	if l.sessions == 0 {
		return fmt.Sprintf("%d agent, %d files in its durable directory", l.agents, l.files)
	}
	return fmt.Sprintf("%d agents, %d sessions each, %d files per session", l.agents, l.sessions, l.files)
}

// The layouts of ten thousand files: a team's many conversations, and the worst case of one agent that holds it all.
var (
	manySessions = layout{"many sessions", 20, 25, 20}
	oneAgent     = layout{"one agent", 1, 0, 10_000}
)

// write puts the corpus below dir. The same layout gives the same files each time.
func (l layout) write(b *testing.B, dir string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	n := 0
	for agent := range l.agents {
		home := filepath.Join(dir, fmt.Sprintf("agent-%02d", agent))
		if err := os.MkdirAll(filepath.Join(home, "memory"), 0o755); err != nil {
			b.Fatal(err)
		}
		for session := range max(1, l.sessions) {
			memory := filepath.Join(home, "memory")
			if l.sessions > 0 {
				memory = filepath.Join(home, "sessions", fmt.Sprintf("U%07d-C0GENERAL-17%08d.%06d", session%7, session, session), "memory")
				if err := os.MkdirAll(memory, 0o755); err != nil {
					b.Fatal(err)
				}
			}
			for range l.files {
				name, text := note(random, n)
				save(b, filepath.Join(memory, name), text)
				n++
			}
		}
	}
}

func save(b *testing.B, path, text string) {
	b.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

// note returns the n-th memory file as an agent writes it, in one of the two spellings of frontmatter that are about.
func note(random *rand.Rand, n int) (file, text string) {
	kind := memories.Types()[n%len(memories.Types())]
	subject := fmt.Sprintf("%s %s %d", pick(random, subjects), pick(random, subjects), n)
	var s strings.Builder
	fmt.Fprintf(&s, "---\nname: %s\ndescription: \"How the %s is handled, as agreed with %s\"\n", subject, subject, pick(random, people))
	if n%2 == 0 {
		fmt.Fprintf(&s, "type: %s\n---\n\n", kind)
	} else {
		fmt.Fprintf(&s, "metadata:\n  node_type: memory\n  type: %s\n  originSessionId: 8c6f3f0e-51c2-4d9b-9d3e-%012d\n---\n\n", kind, n)
	}
	for i, heading := range []string{"", "**Why:** ", "**How to apply:** "} {
		s.WriteString(heading)
		for s.Len() < fileSize*(i+1)/3 {
			s.WriteString(sentence(random))
		}
		s.WriteString("\n\n")
	}
	return fmt.Sprintf("%s_%d.md", kind, n), s.String()[:fileSize-1] + "\n"
}

func sentence(random *rand.Rand) string {
	return fmt.Sprintf("%s asked for the %s to be %s before the %s, see `internal/%s/%s.go:%d`. ",
		pick(random, people), pick(random, subjects), pick(random, deeds), pick(random, subjects),
		pick(random, subjects), pick(random, deeds), random.IntN(900))
}

func pick(random *rand.Rand, words []string) string { return words[random.IntN(len(words))] }

var (
	people   = []string{"Mira", "Jonas", "Inés", "Tomáš", "the finance team", "support", "whoever is on call"}
	subjects = []string{
		"release", "invoice", "ferry", "timetable", "migration", "dashboard", "payment", "cache", "export", "ticket",
		"harbour", "backup", "review", "refund", "queue", "report", "alert", "certificate", "search", "login",
	}
	deeds = []string{
		"checked", "rounded", "announced", "postponed", "measured", "rolled back", "documented", "translated", "archived",
		"retried", "signed", "merged", "split", "renamed", "tested",
	}
)
