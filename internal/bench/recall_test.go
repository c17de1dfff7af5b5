package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// recallFiles is the number of memories in the goals of recall.
const recallFiles = 10_000

// recalls is the number of measured prompts, each in a session of its own.
const recalls = 300

// plainRecalls is the number of floor measurements in each round.
const plainRecalls = 100

// prompted is the result of the prompt hook with many sessions at once.
type prompted struct {
	Figure figure
	// InTime is the percentage of those prompts whose answer had memories.
	InTime float64
}

// The load of prompts: sessions, prompts per session, and the pause between two prompts.
const (
	promptSessions = 20
	promptsEach    = 20
	thinking       = time.Second
)

// recallAmong measures recall by words in rounds. For the goals' size it also measures the floor
// and the prompt hook.
func recallAmong(p *process, files int, conn *pgx.Conn, dir string) {
	p.Helper()
	warmUp(p)
	if files != recallFiles {
		report.Growth.add("a recall", files, recallRound(p, files, 0).sorted().Median())
		return
	}
	random := rand.New(rand.NewPCG(13, 14))
	f := calmestOfFew(func(round int) figure {
		untilUsual()
		f := recallRound(p, files, round)
		// Not in turns: the floor reads so much that it would empty the caches of the next recall.
		for range plainRecalls {
			f.Floor = append(f.Floor, recallPlainly(p.B, conn, prompt(random)))
		}
		return f
	})
	report.Growth.add("a recall", files, f.Median())
	report.Recall = f
	report.Prompts = promptTogether(p, filepath.Join(dir, "agent-00"))
	p.Logf("recall: %v at the median, %v at p99, its floor %v and %v; its hook %v and %v, %.0f %% in time", f.Median(), f.P99(),
		f.FloorMedian(), f.FloorP99(), report.Prompts.Figure.Median(), report.Prompts.Figure.P99(), report.Prompts.InTime)
}

// warmUp recalls some memories, as in a server in use.
func warmUp(p *process) {
	p.Helper()
	random := rand.New(rand.NewPCG(13, 14))
	for i := range 20 {
		recall(p, fmt.Sprintf("before-%d", i), prompt(random))
	}
}

// recallRound measures recalls, each in a session of its own.
func recallRound(p *process, files, round int) figure {
	p.Helper()
	random := rand.New(rand.NewPCG(16, uint64(round)))
	f := figure{Files: files}
	for i := range recalls {
		query := prompt(random)
		f.Took = append(f.Took, timed(func() { recall(p, fmt.Sprintf("session-%d-%d", round, i), query) }))
	}
	return f
}

func recall(p *process, session, query string) {
	p.Helper()
	p.post("/api/v1/agents/agent-00/recall", map[string]any{"query": query, "session": session})
}

// prompt returns one sentence, as a person types it, with some words of memories.
func prompt(random *rand.Rand) string {
	return fmt.Sprintf("Please check whether the %s of the %s is %s before we change the %s in %s.", word(random), word(random), word(random), word(random), word(random))
}

// promptTogether runs many sessions that prompt at their own pace.
func promptTogether(p *process, cwd string) prompted {
	p.Helper()
	var mu sync.Mutex
	var out prompted
	given := 0
	var running sync.WaitGroup
	for session := range promptSessions {
		random := rand.New(rand.NewPCG(15, uint64(session)))
		running.Go(func() {
			for range promptsEach {
				time.Sleep(time.Duration(random.Float64() * 2 * float64(thinking)))
				body := map[string]any{"session_id": fmt.Sprintf("hook-%d", session), "cwd": cwd, "prompt": prompt(random)}
				var answer []byte
				took := timed(func() { answer = p.post("/hooks/user-prompt-submit", body) })
				mu.Lock()
				out.Figure.Took = append(out.Figure.Took, took)
				if bytes.Contains(answer, []byte("additionalContext")) {
					given++
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	out.Figure = out.Figure.sorted()
	out.InTime = 100 * float64(given) / float64(promptSessions*promptsEach)
	return out
}

// post sends JSON and returns the answer.
func (p *process) post(path string, body any) []byte {
	p.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.Fatal(err)
	}
	response, err := p.client.Post(p.url+path, "application/json", bytes.NewReader(raw))
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.Fatalf("POST %s answered %s: %v\n%s", path, response.Status, err, answer)
	}
	return answer
}
