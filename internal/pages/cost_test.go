package pages_test

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"memoir/internal/memoirtest"
)

// TestCost_OfEveryPageIsBounded runs alone: it measures the CPU time of the process.
func TestCost_OfEveryPageIsBounded(t *testing.T) {
	worst := []string{
		"front pairs", "front alone pairs within", "front closed", "front flow", "front aliases", "TOML dots", "many blank lines",
		"body deep list", "body indented lists", "body growing ticks", "text markers",
	}
	const limit = 2 * time.Second // a second, and one more for slow machines
	all := memoirtest.NastyFiles()
	slugOf := func(i int) string { return "n" + string(rune('a'+i)) }
	files := memoirtest.Files{}
	for i := range worst {
		files[slugOf(i)+"/memory/MEMORY.md"] = ""
	}
	s := serve(t, files)
	for i, name := range worst {
		slug := slugOf(i)
		took := memoirtest.CPUTime(t, func() {
			s.Write(slug+"/memory/user_x.md", all[name])
			s.Scan(slug)
		})
		if took > limit {
			t.Errorf("the scan of %s took %v", name, took)
		}
		addresses := []string{"/agents/" + slug + "/memory", "/agents/" + slug + "/attention", "/agents/" + slug + "/claude-md", "/api/v1/agents/" + slug + "/claude-md"}
		for _, id := range s.idsOf(t, slug) {
			page, call := "/agents/"+slug+"/memory/"+id, "/api/v1/agents/"+slug+"/memories/"+id
			addresses = append(addresses, page, page+"/history", page+"/versions", page+"/fix", page+"/raw", page+"/edit", call, call+"/fixes", call+"/citations",
				"/api/v1/agents/"+slug+"/claude-md?without="+id)
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

// statusOf reads a whole page and returns its status. It does not parse the page: the HTML parser of
// the tests refuses elements that are nested deeper than 512 levels.
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
