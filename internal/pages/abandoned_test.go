package pages_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// TestCost_AbandonedRequestsEnd must run alone, because it measures the CPU time of the process.
// Its agent's files are expensive to read, so most pages about them are slow.
func TestCost_AbandonedRequestsEnd(t *testing.T) {
	const limit = time.Second // half a second, and as much again for slow machines
	worst := []string{
		"front alone pairs within", "front closed", "front flow", "front aliases", "TOML dots", "many blank lines", "body deep list", "body indented lists",
		"body growing ticks", "text markers", "body one line", "body index lines", "body paths", "body sentences", "body CJK",
	}
	all := memoirtest.NastyFiles()
	files := memoirtest.Files{"ada/memory/MEMORY.md": ""}
	for i, name := range worst {
		for n := range 2 {
			files[fmt.Sprintf("ada/memory/user_%d_%d.md", i, n)] = variant(all[name], n)
		}
	}
	var links strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&links, "- [a%d](b%d.md)\n", i, i)
	}
	files["ada/memory/MEMORY.md"] = links.String()
	m := memoirtest.StartWith(t, files, func(o *engine.Options) { o.ClaudeMDLimit = 1 << 30 })
	s := serveMemoir(t, m, setting{})
	const call = "/api/v1/agents/ada"
	addresses := []string{
		ada + "/memory", ada + "/memory?q=word", ada + "/memory?q=wrod", ada + "/review", ada + "/context", ada + "/timeline", ada + "/context?file=memory-md", ada + "/context/index",
		ada + "/context?q=which+word+is+in+the+sentences", ada + "/review?kind=plan", "/search?q=word", "/search?q=wrod", "/", "/sync",
		call + "/memories?limit=500", call + "/memories?limit=500&q=word", call + "/claude-md", call + "/claude-md/parts", call + "/claude-md/costs", call + "/index/lint",
		"/api/v1/search?q=word",
	}
	for _, id := range s.idsOf(t, "ada") {
		page, one := adaList+"/"+id, call+"/memories/"+id
		addresses = append(addresses, page, page+"/history", page+"/fix", page+"/delete", one+"/fixes", one+"/deletion", call+"/claude-md?without="+id)
	}
	running := 0
	for _, address := range addresses {
		took, wasRunning := s.abandon(t, address)
		if took > limit {
			t.Errorf("%s took %v of CPU time after the client had left", address, took)
		}
		if wasRunning {
			running++
		}
	}
	if running == 0 {
		t.Error("all requests were answered before the client left")
	}
}

// variant returns a text with another name and ending.
func variant(text string, n int) string {
	text = strings.Replace(text, "\nname: ", fmt.Sprintf("\nname: %d ", n), 1)
	return text[:min(len(text), 1_040_000)] + fmt.Sprintf("\nend %d\n", n)
}

// abandon requests a page and disconnects while it is being made. It returns the CPU time that the
// server used afterwards, and whether it was still working.
func (s *site) abandon(t *testing.T, address string) (took time.Duration, wasRunning bool) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	begun := memoirtest.CPUTimeOfProcess(t)
	go func() {
		defer close(answered)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return // the client has left
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}()
	waittest.For(s, address+" to be worked on", func() bool {
		select {
		case <-answered:
			return true
		default:
			return memoirtest.CPUTimeOfProcess(t)-begun > 30*time.Millisecond
		}
	})
	wasRunning = s.running.Load() > 0
	return memoirtest.CPUTime(t, func() {
		leave()
		<-answered
		waittest.For(s, address+" to end", func() bool { return s.running.Load() == 0 })
	}), wasRunning
}
