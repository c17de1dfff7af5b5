package pages_test

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	engine "memoir/internal/sync"
)

// TestCost_OfEveryPageIsBounded must run alone, because it measures the CPU time of the process.
func TestCost_OfEveryPageIsBounded(t *testing.T) {
	worst := []string{
		"front alone pairs within", "front closed", "many blank lines", "body deep list", "body indented lists", "body growing ticks", "text markers",
		"never closed", "carriage returns", "invalid UTF-8", "body mail", "body addresses", "body CJK", "body index lines",
	}
	const limit = 2 * time.Second // a second, and one more for slow machines
	all := memoirtest.NastyFiles()
	slugOf := func(i int) string { return "n" + string(rune('a'+i)) }
	files := memoirtest.Files{}
	for i := range worst {
		files[slugOf(i)+"/memory/MEMORY.md"] = ""
	}
	// Without a limit, whole bodies are compiled.
	s := serveMemoir(t, memoirtest.StartWith(t, files, func(o *engine.Options) { o.ClaudeMDLimit = 1 << 30 }), setting{})
	for i, name := range worst {
		slug := slugOf(i)
		took := memoirtest.CPUTime(t, func() {
			s.Write(slug+"/memory/user_x.md", all[name])
			s.Scan(slug)
		})
		if took > limit {
			t.Errorf("the scan of %s took %v", name, took)
		}
		// A second version with changes in its middle and at its end, and more files with the same
		// text.
		other := slices.Replace([]byte(all[name]), len(all[name])/2, len(all[name])/2+7, []byte("changed")...)
		other = append(other[:len(other)-20], "another ending now\n"...)
		const session = "U01-C0-1741512345.123456"
		for _, path := range []string{"/memory/user_x.md", "/memory/MEMORY.md", "/memory/logs/2026/03/2026-03-02.md", "/session-memory/" + session + "/memory.md", "/CLAUDE.md"} {
			took := memoirtest.CPUTime(t, func() {
				s.Write(slug+path, string(other))
				s.Scan(slug)
			})
			if took > limit {
				t.Errorf("the scan of %s as %s took %v", name, path, took)
			}
		}
		page, call := "/agents/"+slug, "/api/v1/agents/"+slug
		addresses := []string{
			page + "/memory", page + "/memory?q=word", page + "/memory?q=wrod", page + "/review", page + "/context", page + "/timeline", page + "/context?file=memory-md", page + "/context/index",
			page + "/timeline?show=sessions", page + "/timeline?show=sessions&session=" + session, page + "/timeline?show=logs", page + "/timeline?show=logs&q=word", page + "/timeline?show=logs&day=2026-03-02", page + "/review?kind=plan", page + "/about",
			page + "/context?q=which+words+are+in+the+sentences", "/search?q=word", "/search?q=wrod", "/timeline", "/sync", "/",
			call + "/memories", call + "/memories?q=wrod&near=true", call + "/claude-md", call + "/claude-md/parts", call + "/claude-md/costs", call + "/index", call + "/index/lint",
			call + "/activity", call + "/statistics", call + "/logs/2026-03-02", call + "/session-memories", call + "/sessions/" + session + "/memory", "/api/v1/search?q=word",
		}
		for _, id := range s.idsOf(t, slug) {
			one, single := page+"/memory/"+id, call+"/memories/"+id
			addresses = append(addresses, one, one+"?q=word", one+"/history", one+"/fix", one+"/raw", one+"/edit", one+"/delete", single, single+"/fixes",
				single+"/citations", single+"/revisions", single+"/versions", single+"/deletion", call+"/claude-md?without="+id)
		}
		if len(addresses) < 10 {
			t.Fatalf("%s is not listed", name)
		}
		for _, address := range addresses {
			status := 0
			took := memoirtest.CPUTime(t, func() { status = s.statusOf(t, address) })
			if took > limit {
				t.Errorf("%s of %s took %v", address, name, took)
			}
			if !slices.Contains([]int{http.StatusOK, http.StatusNotFound, http.StatusConflict}, status) {
				t.Errorf("%s of %s is %d", address, name, status)
			}
		}
	}
}

// statusOf reads a whole page and returns its status. It does not parse it, because the tests' HTML
// parser refuses more than 512 levels.
func (s *site) statusOf(t *testing.T, path string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}
