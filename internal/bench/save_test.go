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

// savesOf returns the number of saves to measure. The largest corpus has enough for a p99.
func savesOf(files int) int {
	if files == largest {
		return 200
	}
	return 30
}

// slowSaveGoal is the goal for the p99 of a save, without the debounce.
const slowSaveGoal = 30 * time.Millisecond

// saveOneByOne measures saves by renaming, half of them of new memories. A save takes from the
// rename until an event stream has announced it and the API returns it.
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
			text := fmt.Sprintf("---\nname: %s\ndescription: %s\ntype: project\n---\n\n%s\n", name, description, sentence(random))
			f.Took = append(f.Took, saveFile(p, events, dir, name, description, text))
			f.Floor = append(f.Floor, savePlainly(p.B, conn, filepath.Join(dir, "plain.txt"), text))
		}
		return f
	})
	report.Saves = append(report.Saves, f)
	report.Growth.add("a save, above the debounce", files, f.Median()-debounce)
}

// saveFile renames a file with the text into the directory of agent-00, and returns the time until
// the stream has announced it and the API returns it.
func saveFile(p *process, events *stream, dir, name, description, text string) time.Duration {
	p.Helper()
	path := filepath.Join(dir, "agent-00", "memory", name+".md")
	save(p.B, path+".tmp", text)
	return timed(func() {
		if err := os.Rename(path+".tmp", path); err != nil {
			p.Fatal(err)
		}
		events.until(`"kind":"saved","name":"` + name + `"`)
		if found := p.list("?limit=1&name=" + name); len(found.Memories) != 1 || found.Memories[0].Description != description {
			p.Fatalf("no row of %s: %v", name, found)
		}
	})
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

// until reads until an event whose data contains the text.
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

// burstFiles is the number of files that another process writes at once.
const burstFiles = 10_000

// burstDirectory is the variable that makes this program only write a burst into that directory.
// burstSessions is the number of sessions for it.
const (
	burstDirectory = "MEMOIR_BENCH_BURST"
	burstSessions  = "MEMOIR_BENCH_SESSIONS"
)

// arrived contains the times of a burst of files.
type arrived struct {
	Where          string
	Written, After time.Duration // first write to last write, and last write until all are listed
}

// burst makes another process write files into an agent's primary directory or into new sessions.
// It returns the delay from the last file until all are listed.
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
		time.Sleep(25 * time.Millisecond) // a count costs the server some time
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

// writeBurst writes the files of a burst. It runs in the other process.
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
		name, text := note(random, 1_000_000+i, fileSize)
		if err := os.WriteFile(filepath.Join(memory, name), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
}
