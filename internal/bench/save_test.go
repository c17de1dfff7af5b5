package bench

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// savesOf is how many saves are measured: at the largest enough for the slowest hundredth.
func savesOf(files int) int {
	if files == largest {
		return 200
	}
	return 30
}

// slowSaveGoal is the goal for the p99 of a save, above the debounce.
const slowSaveGoal = 30 * time.Millisecond

// saveOneByOne saves memories as agents do, by renaming a written file into place, half of them new and half known. Each
// takes from the rename until an event stream, as browsers have one, has told of it and the API answers with it.
func saveOneByOne(p *process, files int, conn *pgx.Conn, dir string) {
	p.Helper()
	events := listen(p)
	random := rand.New(rand.NewPCG(3, 4))
	f := calmest(slowSaveGoal/2, func(round int) figure {
		if files == largest {
			untilUsual()
		}
		f := figure{Files: files}
		for i := range savesOf(files) {
			p.untilQuiet()
			name, description := fmt.Sprintf("saved-%d-%d", round, i/2), fmt.Sprintf("The save number %d", i)
			path := filepath.Join(dir, "agent-00", "memory", name+".md")
			text := fmt.Sprintf("---\nname: %s\ndescription: %s\ntype: project\n---\n\n%s\n", name, description, sentence(random))
			save(p.B, path+".tmp", text)
			f.Took = append(f.Took, timed(func() {
				if err := os.Rename(path+".tmp", path); err != nil {
					p.Fatal(err)
				}
				events.until(`"kind":"saved","name":"` + name + `"`)
				if found := p.list("?limit=1&name=" + name); len(found.Memories) != 1 || found.Memories[0].Description != description {
					p.Fatalf("no row of %s: %v", name, found)
				}
			}))
			f.Floor = append(f.Floor, savePlainly(p.B, conn, filepath.Join(dir, "plain.txt"), text))
		}
		return f
	})
	report.Saves = append(report.Saves, f)
	report.Growth.add("a save, above the debounce", files, f.Median()-debounce)
}

// stream is an open event stream.
type stream struct {
	*testing.B
	lines chan string
}

func listen(p *process) *stream {
	p.Helper()
	response, err := p.client.Get(p.url + "/api/v1/events")
	if err != nil || response.StatusCode != http.StatusOK {
		p.Fatalf("the event stream: %v", err)
	}
	s := &stream{B: p.B, lines: make(chan string, 1<<16)}
	go func() {
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			s.lines <- lines.Text()
		}
	}()
	return s
}

// until reads on to the event whose data has the text.
func (s *stream) until(text string) {
	s.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line := <-s.lines:
			if strings.HasPrefix(line, "data:") && strings.Contains(line, text) {
				return
			}
		case <-timeout:
			s.Fatalf("no event with %s", text)
		}
	}
}

// burstFiles is how many files another process writes at once.
const burstFiles = 10_000

// burstDirectory tells this program, started once more, to write a burst there and nothing else; burstSessions, over how
// many sessions.
const (
	burstDirectory = "MEMOIR_BENCH_BURST"
	burstSessions  = "MEMOIR_BENCH_SESSIONS"
)

// arrived is how long a burst of files took.
type arrived struct {
	Where          string
	Written, After time.Duration // from the first write to the last, and from the last until all are there
}

// burst has another process write files into an agent's durable directory or into new sessions, and returns how long after
// the last one all are listed.
func burst(p *process, where, dir, agent string, sessions int) arrived {
	p.Helper()
	p.untilQuiet()
	writer := exec.Command(os.Args[0])
	writer.Env = []string{burstDirectory + "=" + filepath.Join(dir, agent), burstSessions + "=" + strconv.Itoa(sessions)}
	writer.Stderr = os.Stderr
	before := p.total(agent)
	started := time.Now()
	if err := writer.Run(); err != nil {
		p.Fatal(err)
	}
	written := time.Now()
	until(p.B, "the burst", func() bool {
		if p.total(agent) == before+burstFiles {
			return true
		}
		time.Sleep(25 * time.Millisecond) // to count costs the server something
		return false
	})
	return arrived{Where: where, Written: written.Sub(started), After: time.Since(written)}
}

func (p *process) total(agent string) int {
	p.Helper()
	var counts struct{ Counts struct{ Total int } }
	decode(p, p.get("/api/v1/agents/"+agent), &counts)
	return counts.Counts.Total
}

// writeBurst is the other process.
func writeBurst(agent string) {
	sessions, err := strconv.Atoi(os.Getenv(burstSessions))
	if err != nil {
		panic(err)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for i := range burstFiles {
		memory := filepath.Join(agent, "memory")
		if sessions > 0 {
			memory = filepath.Join(agent, "sessions", fmt.Sprintf("UBURST-C0-%d.0", i*sessions/burstFiles), "memory")
			if err := os.MkdirAll(memory, 0o755); err != nil {
				panic(err)
			}
		}
		name, text := note(random, 1_000_000+i)
		if err := os.WriteFile(filepath.Join(memory, name), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
}
