package bench

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
)

// Sizes of memory files, in bytes.
const (
	fileSize = 1024
	longSize = 5 * 1024
)

// layout describes the distribution of a corpus' files.
type layout struct {
	agents, sessions, files int // files per session; without sessions, per primary directory
	size                    int // of a file, in bytes; 0 means fileSize
}

func (l layout) total() int { return l.agents * max(1, l.sessions) * l.files }

// sizes are the corpus sizes, in files, for the growth of each cost.
var sizes = []int{1_000, 3_000, 10_000, 30_000, 100_000}

// manySessions spreads files over 20 agents, at most 100 in each session, like a team's
// conversations.
func manySessions(files int) layout {
	sessions := max(1, files/2_000)
	return layout{agents: 20, sessions: sessions, files: files / (20 * sessions)}
}

// oneAgent is the worst case: one agent holds it all in its primary directory.
func oneAgent(files int) layout { return layout{agents: 1, files: files} }

// write writes the corpus below dir. The same layout gives the same files each time.
func (l layout) write(b *testing.B, dir string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	n := 0
	for agent := range l.agents {
		home := filepath.Join(dir, fmt.Sprintf("agent-%02d", agent))
		makeDirectory(b, filepath.Join(home, "memory"))
		for session := range max(1, l.sessions) {
			memory := filepath.Join(home, "memory")
			if l.sessions > 0 {
				memory = filepath.Join(home, "sessions", sessionName(session), "memory")
				makeDirectory(b, memory)
			}
			for range l.files {
				name, text := note(random, n, cmp.Or(l.size, fileSize))
				save(b, filepath.Join(memory, name), text)
				n++
			}
		}
	}
}

func sessionName(n int) string { return fmt.Sprintf("U%07d-C0GENERAL-17%08d.%06d", n%7, n, n) }

func makeDirectory(b *testing.B, dir string) {
	b.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
}

func save(b *testing.B, path, text string) {
	b.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

// note returns the n-th memory file, of a size in bytes. The files alternate between the two common
// forms of frontmatter.
func note(random *rand.Rand, n, size int) (file, text string) {
	kind := memories.Types()[n%len(memories.Types())]
	subject := fmt.Sprintf("%s %s %d", word(random), word(random), n)
	var s strings.Builder
	fmt.Fprintf(&s, "---\nname: %s\ndescription: \"How the %s is handled, as agreed with %s\"\n", subject, subject, pick(random, people))
	if n%2 == 0 {
		fmt.Fprintf(&s, "type: %s\n---\n\n", kind)
	} else {
		fmt.Fprintf(&s, "metadata:\n  node_type: memory\n  type: %s\n  originSessionId: 8c6f3f0e-51c2-4d9b-9d3e-%012d\n---\n\n", kind, n)
	}
	for i, heading := range []string{"", "**Why:** ", "**How to apply:** "} {
		s.WriteString(heading)
		for s.Len() < size*(i+1)/3 {
			s.WriteString(sentence(random))
		}
		s.WriteString("\n\n")
	}
	return fmt.Sprintf("%s_%d.md", kind, n), s.String()[:size-1] + "\n"
}

func sentence(random *rand.Rand) string {
	return fmt.Sprintf("%s asked for the %s to be %s before the %s, see `internal/%s/%s.go:%d`. ",
		pick(random, people), word(random), word(random), word(random), word(random), word(random), random.IntN(900))
}

func pick(random *rand.Rand, words []string) string { return words[random.IntN(len(words))] }

var people = []string{"Mira", "Jonas", "Inés", "Tomáš", "the finance team", "support", "whoever is on call"}

// vocabulary contains the 5,000 words of the corpus, the most frequent first.
var vocabulary = func() []string {
	const syllables = "ba be bi bo bu da de di do du fa fe fi fo ga ge go ha he hi ka ke ki ko la le li lo lu ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve vi wa we"
	random := rand.New(rand.NewPCG(5, 6))
	parts := strings.Fields(syllables)
	known := map[string]bool{}
	words := make([]string, 0, 5_000)
	for len(words) < cap(words) {
		var s strings.Builder
		for range 2 + random.IntN(3) {
			s.WriteString(pick(random, parts))
		}
		if w := s.String(); !known[w] {
			known[w] = true
			words = append(words, w)
		}
	}
	return words
}()

// frequencies are the running sums of 1/rank. Words drawn by them follow Zipf's law, as in a
// language.
var frequencies = func() []float64 {
	sums := make([]float64, len(vocabulary))
	sum := 0.0
	for i := range sums {
		sum += 1 / float64(i+1)
		sums[i] = sum
	}
	return sums
}()

func word(random *rand.Rand) string {
	at, _ := slices.BinarySearch(frequencies, random.Float64()*frequencies[len(frequencies)-1])
	return vocabulary[min(at, len(vocabulary)-1)]
}

// exponent returns the power of the number of files with which a cost grows: 1 is linear. It is the
// slope of the least-squares line through the points on two logarithmic scales.
func exponent(points []point) float64 {
	var n, x, y, xx, xy float64
	for _, p := range points {
		a, c := math.Log(float64(p.Files)), math.Log(p.Cost.Seconds())
		n, x, y, xx, xy = n+1, x+a, y+c, xx+a*a, xy+a*c
	}
	return (n*xy - x*y) / (n*xx - x*x)
}
