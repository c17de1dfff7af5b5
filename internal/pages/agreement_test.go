package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// messy returns a site whose agent ada has a memory in each state, and whose agent lost has just
// lost most memories. deleted maps the names of deleted memories to the words for their deletion.
func messy(t *testing.T) (s *site, deleted map[string]string) {
	t.Helper()
	const session = "U01-C0-1741512345.123456"
	files := memoirtest.Files{
		"ada/memory/MEMORY.md":                        "- [Tabs](tabs.md) — About Tabs\n- [Gone](gone.md)\n",
		"ada/memory/no_type.md":                       "---\nname: No type\n---\n\nA body.\n",
		"ada/memory/unreadable.md":                    "---\nname: Unreadable\ntype: user\n---\n\nNo text: \xff\xfe\x81\n",
		"ada/memory/lenient.md":                       "---\nname: Lenient\ntype: user\ndescription: a: b: c\n---\n\nA body.\n",
		"ada/memory/last_good.md":                     memoirtest.Note("Last good", memories.Reference, "Whole."),
		"ada/memory/twin.md":                          memoirtest.Note("Twin", memories.User, "Likes tea."),
		"ada/memory/twin_too.md":                      memoirtest.Note("Twin", memories.User, "Likes coffee."),
		"ada/memory/README.md":                        "# For people\n",
		"ada/memory/notes.txt":                        "A text.\n",
		"ada/memory/old.md":                           "---\nname: Old\ntype: project\nmetadata:\n  modified: 2021-03-04T05:06:07Z\n---\n\nA body.\n",
		"ada/sessions/" + session + "/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use spaces."),
		"ada/sessions/" + session + "/memory/seen.md": memoirtest.Note("Seen", memories.Reference, "At staging."),
	}
	for name, file := range map[string]string{
		"Tabs": "tabs", "Kept": "kept", "By API": "api", "By page": "page", "On disk": "disk", "Purged": "purged", "Renamed": "renamed", "Returns": "returns", "Flat One": "flat",
	} {
		files["ada/memory/"+file+".md"] = memoirtest.Note(name, memories.Feedback, "About "+file+".")
	}
	for i := range 14 {
		files[fmt.Sprintf("lost/memory/n%d.md", i)] = memoirtest.Note(fmt.Sprintf("Note %d", i), []memories.Type{memories.Project, memories.User}[i%2], strings.Repeat("long ", 2000))
	}
	files["lost/memory/untyped.md"] = "---\nname: Untyped\n---\n\nA body.\n"
	s = serve(t, files)

	const call = "/agents/ada/memories/"
	s.asScript(t, http.MethodDelete, call+s.Memory("ada", "By API").ID)
	s.submit(t, s.get(t, pageOf(s.Memory("ada", "By page"))+"/delete"), "Delete By page")
	s.Remove("ada/memory/disk.md")
	s.asScript(t, http.MethodDelete, call+s.Memory("ada", "Purged").ID+"?purge=true")
	s.asScript(t, http.MethodDelete, call+s.Memory("ada", "Returns").ID)
	s.Write("ada/memory/returns.md", files["ada/memory/returns.md"])
	s.Write("ada/memory/flat.md", strings.Replace(files["ada/memory/flat.md"], "Flat One", "flat-one", 1))
	s.Write("ada/memory/last_good.md", "")
	s.Scan("ada")
	status, answer := s.patch(t, "/api/v1"+call+s.Memory("ada", "Renamed").ID, `{"name":"New name"}`)
	if status != http.StatusOK {
		t.Fatal(answer)
	}
	for i := range 13 {
		s.Remove(fmt.Sprintf("lost/memory/n%d.md", i))
	}
	s.scanAll()
	return s, map[string]string{"By API": "deleted by a script", "By page": "deleted by you", "On disk": "deleted by the agent", "Returns": "deleted by a script"}
}

// patch sends a PATCH request to the API.
func (s *site) patch(t *testing.T, path, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	got := s.send(t, request)
	return got.StatusCode, got.raw
}

// agentOfAPI is the API's representation of an agent.
type agentOfAPI struct {
	Slug     string
	Counts   map[string]int
	Sessions int
	ClaudeMD struct {
		Chars, Limit int
		Problem      *string
	} `json:"claude_md"`
}

// said returns the decoded answer of the API.
func said[T any](s *site, t *testing.T, path string) (value T) {
	t.Helper()
	page := s.get(t, "/api/v1"+path)
	if err := json.Unmarshal([]byte(page.raw), &value); err != nil || page.StatusCode != http.StatusOK {
		t.Fatalf("%s is %d, %v: %s", path, page.StatusCode, err, page.raw)
	}
	return value
}

// total returns the number of memories that the API lists.
func (s *site) total(t *testing.T, slug string, query url.Values) int {
	t.Helper()
	return said[struct{ Total int }](s, t, "/agents/"+slug+"/memories?"+query.Encode()).Total
}

var digits = regexp.MustCompile(`[0-9][0-9,]*`)

// figure returns the first number in a text, or -1.
func figure(text string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(digits.FindString(text), ",", ""))
	if err != nil {
		return -1
	}
	return n
}

// figures returns the numbers of elements by their labels.
func figures(found *goquery.Selection) map[string]int {
	all := map[string]int{}
	found.Each(func(_ int, each *goquery.Selection) {
		text := words(each)
		label := strings.Trim(strings.Join(strings.Fields(strings.ToLower(digits.ReplaceAllString(text, ""))), " "), " ◷")
		all[label] = max(figure(text), 0)
	})
	return all
}

func TestPages_AgreeWithTheAPI(t *testing.T) {
	t.Parallel()
	s, _ := messy(t)
	rows := s.get(t, "/")
	for _, slug := range []string{"ada", "lost"} {
		agent := said[agentOfAPI](s, t, "/agents/"+slug)
		counts := agent.Counts
		list, trash := s.get(t, "/agents/"+slug+"/memory"), s.get(t, "/agents/"+slug+"/trash")
		agree := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %s is %d, want %d (counts %v)", slug, what, got, want, counts)
			}
		}
		sum := counts["needs_attention"] + counts["missing"]
		row := rows.Find("#agent-" + slug)
		tabs, views := figures(list.Find(".tabs a")), figures(list.Find(".views a"))
		for _, kind := range memories.Types() {
			kind := string(kind)
			sum += counts[kind]
			agree("the API's list of active "+kind, s.total(t, slug, url.Values{"type": {kind}, "state": {"active"}}), counts[kind])
			listed := s.total(t, slug, url.Values{"type": {kind}})
			agree("the group "+kind, max(figure(words(list.Find("#group-"+kind+" summary .count"))), 0), listed)
		}
		agree("the sum", sum, counts["total"])
		agree("the tab Memory", tabs["memory"], counts["total"])
		agree("the view All", views["all"], counts["total"])
		agree("the row's memories", figure(words(row.Find("td").Eq(1))), counts["total"])
		for _, state := range []string{"active", "needs_attention", "missing", "deleted"} {
			want := counts[state]
			if state == "active" {
				want = counts["total"] - counts["needs_attention"] - counts["missing"]
			}
			agree("the API's list of "+state, s.total(t, slug, url.Values{"state": {state}}), want)
		}
		agree("the view Trash", views["trash"], counts["deleted"])
		agree("the rows of the trash", trash.Find("#list .row").Length(), counts["deleted"])
		agree("the API's sessions", len(said[struct{ Sessions []any }](s, t, "/agents/"+slug+"/sessions").Sessions), agent.Sessions)

		s.claudeMDAgrees(t, agent)
		agree("the row's tokens", figure(words(row.Find("td").Eq(3))), figure(words(s.get(t, "/agents/"+slug+"/context").Find("#xray-title strong"))))
		s.changedAgrees(t, slug, row.Find("time").AttrOr("datetime", ""))
		growth := said[struct {
			Growth []struct{ Alive struct{ Total int } }
		}](s, t, "/agents/"+slug+"/statistics").Growth
		agree("the end of the growth", growth[len(growth)-1].Alive.Total, counts["total"])
	}
	s.syncAgrees(t)
}

// claudeMDAgrees compares pages and API about a CLAUDE.md.
func (s *site) claudeMDAgrees(t *testing.T, agent agentOfAPI) {
	t.Helper()
	costs := said[struct {
		Chars    int
		Memories []struct {
			Chars  int
			Listed bool
		}
	}](s, t, "/agents/"+agent.Slug+"/claude-md/costs")
	lines, counted := 0, 0
	for _, m := range costs.Memories {
		switch {
		case m.Listed && m.Chars == 0:
			counted++
		case m.Listed:
			lines++
		}
	}
	page := s.get(t, "/agents/"+agent.Slug+"/context?file=claude-md")
	full, inLines := 0, 0
	page.Find("#xray-numbers tbody tr").Each(func(_ int, row *goquery.Selection) {
		n := max(figure(words(row.Find("td").First())), 0) // other parts have no memories
		if words(row.Find("th")) == "One-line entries" {
			inLines = n
		} else {
			full += n
		}
	})
	if inLines != lines || full != len(costs.Memories)-lines-counted {
		t.Errorf("%s: the page has %d memories in full and %d in one line, the API %d and %d", agent.Slug, full, inLines, len(costs.Memories)-lines-counted, lines)
	}
	whole := len([]rune(s.get(t, "/api/v1/agents/"+agent.Slug+"/claude-md").raw))
	onDisk, err := os.ReadFile(s.Path(agent.Slug + "/CLAUDE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string]int{
		"the API's costs": costs.Chars, "the compiled text": whole, "the file": len([]rune(string(onDisk))),
	} {
		if n != agent.ClaudeMD.Chars {
			t.Errorf("%s: %s has %d characters, want %d", agent.Slug, what, n, agent.ClaudeMD.Chars)
		}
	}
	if got, want := figure(words(page.Find(`.file-tabs a:contains("CLAUDE.md") .count`))), claudemd.ApproximateTokens(agent.ClaudeMD.Chars); got != want {
		t.Errorf("%s: the page has %d tokens, want %d", agent.Slug, got, want)
	}
}

// changedAgrees compares a row's time of change with the age of the agent's newest memory.
func (s *site) changedAgrees(t *testing.T, slug, changed string) {
	t.Helper()
	type memory struct {
		AgeDays *int `json:"age_days"`
	}
	var ages []int
	for _, m := range said[struct{ Memories []memory }](s, t, "/agents/"+slug+"/memories?limit=500").Memories {
		if m.AgeDays != nil {
			ages = append(ages, *m.AgeDays)
		}
	}
	at, err := time.Parse(time.RFC3339, changed)
	if age := memories.AgeOf(at, time.Now()); err != nil || age.Days != slices.Min(ages) {
		t.Errorf("%s: the row says %q, and the newest memory is %d days old", slug, changed, slices.Min(ages))
	}
}

// syncAgrees compares the sync page with the API, and its agents with their counts.
func (s *site) syncAgrees(t *testing.T) {
	t.Helper()
	page := s.get(t, "/sync")
	sync := said[map[string]any](s, t, "/sync")
	tiles := map[string]string{}
	page.Find(".facts-list dt").Each(func(_ int, dt *goquery.Selection) { tiles[words(dt)] = words(dt.Next().Find("strong")) })
	for tile, field := range map[string]string{"Files on disk": "files_on_disk", "Mirrored": "mirrored", "Needs attention": "needs_attention", "Pending": "pending", "Lost events": "overflows"} {
		if got, want := figure(tiles[tile]), int(sync[field].(float64)); got != want {
			t.Errorf("sync: %s is %d, and the API says %d", tile, got, want)
		}
	}
	attention := 0
	for _, a := range said[struct {
		Agents []struct {
			Slug                  string
			FilesOnDisk, Mirrored int
			NeedsAttention        int `json:"needs_attention"`
			Missing               int
		}
	}](s, t, "/sync/agents").Agents {
		counts := said[agentOfAPI](s, t, "/agents/"+a.Slug).Counts
		if a.NeedsAttention != counts["needs_attention"] || a.Missing != counts["missing"] {
			t.Errorf("sync: %+v, counts %v", a, counts)
		}
		row := figures(page.Find("#all-" + a.Slug + " .badge"))
		if got := row["needs attention"] + row["need attention"]; got != a.NeedsAttention || row["missing"] != a.Missing {
			t.Errorf("sync: the row of %s says %v, the API %+v", a.Slug, row, a)
		}
		attention += a.NeedsAttention
	}
	if attention != int(sync["needs_attention"].(float64)) {
		t.Errorf("sync: %d need attention in all, and %v are counted", attention, sync["needs_attention"])
	}
}

func TestPages_AgreeOnDeletion(t *testing.T) {
	t.Parallel()
	s, deleted := messy(t)
	trash := s.get(t, ada+"/trash")
	for name, by := range deleted {
		m := s.Memory("ada", name)
		if got := m.DeletedActor.Deleted("", true); got != by {
			t.Errorf("%s was %q, want %q", name, got, by)
		}
		if api := said[struct {
			DeletedBy *string `json:"deleted_by"`
		}](s, t, "/agents/ada/memories/"+m.ID).DeletedBy; api == nil || memories.Actor(*api).Deleted("", true) != by {
			t.Errorf("the API says that %s was deleted by %v", name, api)
		}
		if row := words(trash.Find("#memory-" + m.ID)); !strings.Contains(row, by) {
			t.Errorf("the trash says %q", row)
		}
		who := strings.TrimPrefix(by, "deleted by ")
		page := s.get(t, ada+"/timeline?kind=deleted&q="+url.QueryEscape(name))
		entry := page.Find(".event").FilterFunction(func(_ int, e *goquery.Selection) bool { return words(e.Find(".what > :first-child")) == name })
		if got := words(entry.Find(".who")); entry.Length() != 1 || got != who {
			t.Errorf("the timeline says %q of %s, want %q", got, name, who)
		}
		for _, page := range []string{pageOf(m), pageOf(m) + "?tab=history"} {
			if text := words(s.get(t, page).Find("main")); !strings.Contains(text, by) {
				t.Errorf("%s does not say %q", page, by)
			}
		}
	}
	for _, name := range []string{"Renamed", "Flat One", "Purged"} {
		if strings.Contains(words(trash.Find("main")), name) {
			t.Errorf("%q is in the trash", name)
		}
	}
}
