package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestStatistics_GrowthAndAges(t *testing.T) {
	t.Parallel()
	s := setup(t, nil)
	files, days := memoirtest.Files{}, map[string]int{}
	for i, age := range []int{0, 1, 2, 3, 7, 8, 30, 31, 90, 91, 300} {
		file := fmt.Sprintf("memory/%d.md", i)
		files[file], days[file] = memoirtest.Note(fmt.Sprint("M", i), memories.Types()[i%2], "One of many."), age
	}
	files["memory/untyped.md"] = "Without a type."
	s.appear("ada", files, days)
	s.ok(200, "DELETE", s.at("ada", "M10"), nil)

	stats := s.ok(200, "GET", "/api/v1/agents/ada/statistics?points=400", nil)
	var ages []string
	for _, b := range stats.list("ages") {
		alive := b.object("alive")
		ages = append(ages, fmt.Sprintf("%v-%v: %v+%v+%v", b["from_days"], b["to_days"], alive["feedback"], alive["user"], alive["untyped"]))
	}
	if got := strings.Join(ages, ", "); got != "0-0: 1+0+1, 1-2: 1+1+0, 3-7: 1+1+0, 8-30: 1+1+0, 31-90: 1+1+0, 91-<nil>: 0+1+0" {
		t.Errorf("ages: %s", got)
	}
	totals := map[string]any{}
	for _, p := range stats.list("growth") {
		totals[p.string("day")] = p.object("alive")["total"]
	}
	for daysAgo, want := range map[int]any{0: 11.0, 35: 3.0, 80: 3.0, 100: 1.0, 290: 1.0, 310: nil} {
		d := time.Now().UTC().AddDate(0, 0, -daysAgo).Format(time.DateOnly)
		if totals[d] != want {
			t.Errorf("%d days ago: %v, want %v", daysAgo, totals[d], want)
		}
	}

	week := s.ok(200, "GET", "/api/v1/agents/ada/statistics?days=7", nil).list("growth")
	if len(week) != 7 || week[6]["day"] != time.Now().UTC().Format(time.DateOnly) || week[6].object("alive")["total"] != 11.0 ||
		week[0].object("alive").keys() != sorted("feedback user project reference untyped total") {
		t.Errorf("a week: %v", week)
	}
	few := s.ok(200, "GET", "/api/v1/agents/ada/statistics?points=2", nil).list("growth")
	if len(few) != 2 || few[1]["day"] != week[6]["day"] || few[0].object("alive")["total"] != 1.0 {
		t.Errorf("two points: %v", few)
	}
	s.Write("bob/sessions/empty/note.txt", "No memory.")
	s.ok(200, "POST", "/api/v1/scan", nil)
	none := s.ok(200, "GET", "/api/v1/agents/bob/statistics", nil)
	if growth := none.list("growth"); len(growth) != 1 || growth[0].object("alive")["total"] != 0.0 || len(none.list("ages")) != 6 {
		t.Errorf("without memories: %v", none)
	}
	for _, query := range []string{"days=0", "points=0", "points=401", "days=x"} {
		s.problem(s.call("GET", "/api/v1/agents/ada/statistics?"+query, nil), 422)
	}
}
