package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"
)

const recallsPath = "/api/v1/agents/ada/recalls"

// asked returns the queries of a page of recalls, newest first.
func asked(page object) []string {
	var all []string
	for _, r := range page.list("recalls") {
		all = append(all, r.string("query"))
	}
	return all
}

func TestListRecalls_Memories(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	given := s.ok(200, "POST", recallPath, object{"query": "when do we deploy?", "session": "one"})
	s.ok(200, "POST", recallPath, object{"query": "deploy"})
	page := s.ok(200, "GET", recallsPath, nil)
	if got := asked(page); !slices.Equal(got, []string{"deploy", "when do we deploy?"}) || page["next_cursor"] != nil {
		t.Fatalf("the list is %v", page)
	}
	skipped, first := page.list("recalls")[0], page.list("recalls")[1]
	if skipped["skipped"] != "short_query" || skipped["selected_by"] != nil || skipped["session"] != nil || len(skipped.list("memories")) != 0 {
		t.Errorf("one word is listed as %v", skipped)
	}
	if first["id"] != given["id"] || first["session"] != "one" || first["asked_by"] != "script" || first["state"] != "handed_out" ||
		first["selected_by"] != "keyword" || first["skipped"] != nil || first["note"] != nil || first["candidates"] != 1.0 || first["took_ms"] != given["took_ms"] {
		t.Errorf("the recall is listed as %v", first)
	}
	if at, err := time.Parse(time.RFC3339, first.string("at")); err != nil || time.Since(at) > time.Hour {
		t.Errorf("it was at %v", first["at"])
	}
	want, got := given.list("memories")[0], first.list("memories")[0]
	if got["id"] != want["id"] || got["name"] != want["name"] || got["bytes"] != want["bytes"] || fmt.Sprint(got["why"]) != fmt.Sprint(want["why"]) {
		t.Errorf("the memory is listed as %v, and was given as %v", got, want)
	}
}

func TestListRecalls_Pages(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	for i := range 7 {
		s.ok(200, "POST", recallPath, object{"query": fmt.Sprintf("when do we deploy %d", i), "session": fmt.Sprint(i % 2)})
	}
	for query, want := range map[string][]string{"": {"6", "5", "4", "3", "2", "1", "0"}, "&session=1": {"5", "3", "1"}, "&session=nobody": nil} {
		var got []string
		for cursor := ""; ; {
			page := s.ok(200, "GET", recallsPath+"?limit=2"+query+"&cursor="+url.QueryEscape(cursor), nil)
			for _, q := range asked(page) {
				got = append(got, q[len("when do we deploy "):])
			}
			if page["next_cursor"] == nil {
				break
			}
			cursor = page.string("next_cursor")
			if query == "" {
				s.ok(422, "GET", recallsPath+"?session=1&cursor="+url.QueryEscape(cursor), nil)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	for path, status := range map[string]int{
		recallsPath + "?limit=0": 422, recallsPath + "?limit=501": 422, recallsPath + "?session=%00": 422, recallsPath + "?cursor=x": 422,
		"/api/v1/agents/nobody/recalls": 404, "/api/v1/agents/nobody/recall-statistics": 404,
		"/api/v1/agents/ada/recall-statistics?days=0": 422, "/api/v1/agents/ada/recall-statistics?days=91": 422, "/api/v1/agents/ada/recall-statistics?limit=501": 422,
	} {
		s.ok(status, "GET", path, nil)
	}
}

func TestRecallStatistics_Counts(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	const path = "/api/v1/agents/ada/recall-statistics"
	none := s.ok(200, "GET", path, nil)
	if none["recalls"] != 0.0 || none["rate"] != nil || len(none.list("days")) != 30 || none["never_total"] != 2.0 || len(none.list("always")) != 0 {
		t.Errorf("without recalls they are %v", none)
	}
	for _, query := range []string{"when do we deploy?", "deploy", "when is it that we deploy?", "what is the capital of mongolia"} {
		s.ok(200, "POST", recallPath, object{"query": query})
	}
	got := s.ok(200, "GET", path+"?days=7&limit=1", nil)
	if got["recalls"] != 4.0 || got["given"] != 2.0 || got["rate"] != 0.5 {
		t.Errorf("in all they are %v", got)
	}
	days := got.list("days")
	if today := days[len(days)-1]; len(days) != 7 || today["day"] != time.Now().UTC().Format(time.DateOnly) || today["recalls"] != 4.0 || today["given"] != 2.0 || days[0]["rate"] != nil {
		t.Errorf("the days are %v", days)
	}
	ways := got["selected_by"].(map[string]any)
	keyword, nothing := object(ways["keyword"].(map[string]any)), object(ways["nothing"].(map[string]any))
	if keyword["recalls"] != 3.0 || keyword["given"] != 2.0 || keyword["none_of_many"] != 0.0 || keyword["median_ms"] == nil || nothing["recalls"] != 1.0 || nothing["median_ms"] != nil {
		t.Errorf("the ways are %v", ways)
	}
	if by := object(got["asked_by"].(map[string]any)["script"].(map[string]any)); by["recalls"] != 4.0 {
		t.Errorf("those who asked are %v", got["asked_by"])
	}
	if never := got.list("never"); len(never) != 1 || never[0]["name"] != "untyped" || never[0]["chances"] != 3.0 || got["never_total"] != 1.0 {
		t.Errorf("never given are %v", never)
	}
	if always := got.list("always"); len(always) != 1 || always[0]["name"] != "deploy on tuesdays" || always[0]["recalls"] != 2.0 || always[0]["share"].(float64) < 0.66 || got["always_total"] != 1.0 {
		t.Errorf("always given are %v", always)
	}
}
