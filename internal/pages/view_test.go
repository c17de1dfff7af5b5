package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const habitSession = "U1-C1-1741512345.123456"

// ofManyKinds returns a site with memories for every view.
func ofManyKinds(t *testing.T) *site {
	t.Helper()
	session := "ada/sessions/" + habitSession + "/memory/"
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md":    memoirtest.Note("Tabs", memories.Feedback, "Use tabs, out of habit."),
		"ada/memory/b.md":       memoirtest.Note("Habit B", memories.Project, "Of habit B. "+strings.Repeat("Long. ", 40)),
		"ada/memory/printer.md": "---\nname: Printer\n---\n\nIt has a habit.\n",
		session + "a.md":        memoirtest.Note("Habit A", memories.Project, "Of habit A."),
		session + "new.md":      memoirtest.Note("Habit C", memories.Project, "Of habit C."),
	})
	age(t, s, "ada/memory/b.md", 40)
	age(t, s, session+"a.md", 12)
	return s
}

func TestView_Lists(t *testing.T) {
	t.Parallel()
	s := ofManyKinds(t)
	for query, want := range map[string][]string{
		"":                         {"Tabs", "Habit C", "Habit A", "Habit B", "Printer"},
		"view=new":                 {"Tabs", "Habit C", "Printer"},
		"view=unchecked":           {"Habit B"},
		"view=never-recalled":      {"Habit B"},
		"view=team":                nil,
		"view=trash":               nil,
		"type=project":             {"Habit C", "Habit A", "Habit B"},
		"type=project&view=new":    {"Habit C"},
		"state=needs_attention":    {"Printer"},
		"session=" + habitSession:  {"Habit C", "Habit A"},
		"sort=name":                {"Habit A", "Habit B", "Habit C", "Printer", "Tabs"},
		"sort=oldest&type=project": {"Habit B", "Habit A", "Habit C"},
		"sort=newest&type=project": {"Habit C", "Habit A", "Habit B"},
		"sort=cost&type=project":   {"Habit B", "Habit C", "Habit A"},
		"q=is:unchecked":           {"Habit B"},
		"q=type:project+habit+c":   {"Habit C"},
		"q=is:broken":              {"Printer"},
		"q=agent:ada+tabs":         {"Tabs"},
		"q=is:nonsense":            nil,
	} {
		page := s.get(t, adaList+"?"+query)
		page.expect(http.StatusOK)
		if got := page.names(); !slices.Equal(got, want) {
			t.Errorf("?%s lists %q, want %q", query, got, want)
		}
		view, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		page.Find(".list .row a[data-open]").Each(func(_ int, link *selection) {
			if to, err := url.Parse(link.AttrOr("href", "")); err != nil || to.Query().Encode() != view.Encode() {
				t.Errorf("of ?%s a row leads to %s", query, to)
			}
		})
	}
	page := s.get(t, adaList)
	if got := page.each(".views a"); !slices.Equal(got, []string{"All 5", "New 3", "Unchecked 1", "Never recalled 1", "Trash 0"}) {
		t.Errorf("views: %q", got)
	}
	s.get(t, adaList+"?view=trash").expect(http.StatusOK, "Trash is empty")
	s.get(t, adaList+"?q=zebra").expect(http.StatusOK, "No results for “zebra”", "Show all 5")
}

func TestView_Unknown(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	for _, query := range []string{
		"view=stale", "type=opinion", "sort=updated", "state=asleep", "state=needs_attention&type=user", "type=user&type=project",
		"stale=true", "scope=team", "after=x", "after=x&type=user",
	} {
		s.get(t, adaList+"?"+query).expect(http.StatusNotFound, "Page not found")
	}
}

func TestTrash_Redirects(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(s.address + ada + "/trash")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusMovedPermanently || response.Header.Get("Location") != adaList+"?view=trash" {
		t.Errorf("%d to %s", response.StatusCode, response.Header.Get("Location"))
	}
}

func TestRow_Chips(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/login.md":   memoirtest.Note("Login", memories.Reference, "The production database password is "+secretPassword+"."),
		"ada/memory/old.md":     memoirtest.Note("Old", memories.Project, "Of long ago."),
		"ada/memory/printer.md": "---\nname: Printer\n---\n\nNo type.\n",
		"ada/memory/tabs.md":    memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
	})
	age(t, s, "ada/memory/old.md", 40)
	page := s.get(t, adaList)
	chips := map[string]string{}
	page.Find(".list .row").Each(func(_ int, row *selection) { chips[words(row.Find("h3"))] = words(row.Find(".chip")) })
	if want := fmt.Sprint(map[string]string{"Login": "Secret", "Old": "Unchecked", "Printer": "No type", "Tabs": "New"}); fmt.Sprint(chips) != want {
		t.Errorf("chips: %v, want %v", chips, want)
	}
	if strings.Contains(page.raw, secretPassword) {
		t.Error("the list shows the secret")
	}
}

func TestList_AroundOpenMemory(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	now := time.Now().Add(-time.Hour)
	for i := range 474 {
		note := memoirtest.Note(fmt.Sprintf("Place %03d", i), memories.Reference, "There.")
		files[fmt.Sprintf("ada/memory/p%03d.md", i)] = strings.Replace(note, "---\n\n", fmt.Sprintf("metadata:\n  modified: %s\n---\n\n", now.Add(-time.Duration(i)*time.Minute).UTC().Format(time.RFC3339)), 1)
	}
	s := serve(t, files)
	page := s.get(t, adaList)
	if got := page.Find(".list .row").Length(); got != 25 {
		t.Errorf("%d rows, want 25", got)
	}
	page.expect(http.StatusOK, "Show all 474")

	m := s.Memory("ada", "Place 300")
	page = s.get(t, pageOf(m))
	names := page.names()
	if at := slices.Index(names, "Place 300"); len(names) != 25 || at != 12 {
		t.Errorf("%d rows, and the open one is number %d", len(names), at)
	}
	page.expect(http.StatusOK, "Load earlier")

	// The pages of the group have each memory once.
	seen := map[string]int{}
	for path := adaList + "?type=reference"; path != ""; {
		page = s.get(t, path)
		for _, name := range page.names() {
			seen[name]++
		}
		path = page.Find("#more-reference a[rel=next]").AttrOr("href", "")
	}
	if len(seen) != 474 || seen["Place 473"] != 1 {
		t.Errorf("the pages list %d memories", len(seen))
	}
	before := page.Find("#earlier-reference a").AttrOr("href", "")
	if got := s.get(t, before).names(); len(got) != 100 || got[99] != "Place 399" {
		t.Errorf("before the last page: %d rows to %q", len(got), got[len(got)-1])
	}
}
