package api_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memoir/internal/api"
	"memoir/internal/fence"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/masked"
	"memoir/internal/waittest"
)

func recalling(t *testing.T) *server {
	t.Helper()
	return setup(t, memoirtest.Files{
		"ada/memory/feedback_deploy.md": memoirtest.Note("deploy on tuesdays", memories.Feedback, "Deployments go out on Tuesdays only."),
		"ada/memory/untyped.md":         "The coffee machine is on the third floor.\n",
		"grace/memory/deploy.md":        memoirtest.Note("grace deploys on fridays", memories.Feedback, "On Fridays."),
	})
}

const recallPath = "/api/v1/agents/ada/recall"

func given(answer object) string {
	var all []string
	for _, m := range answer.list("memories") {
		all = append(all, m.string("name"))
	}
	return strings.Join(all, ", ")
}

// broken is a client's connection that fails.
type broken struct{ *httptest.ResponseRecorder }

func (broken) FlushError() error { return errors.New("connection reset by peer") }

// TestRecall_NotDelivered shows that a memory is given again if its response did not reach the
// client.
func TestRecall_NotDelivered(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	handler := api.New(s.Engine, masked.Store{Store: s.Store}, s.Recaller, api.Options{Log: slog.New(slog.DiscardHandler)})
	for i, c := range []struct{ breaks, isGiven bool }{{true, true}, {false, true}, {false, false}} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, recallPath, strings.NewReader(`{"query":"when do we deploy?","session":"one"}`))
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		if c.breaks {
			handler.ServeHTTP(broken{recorder}, request)
		} else {
			handler.ServeHTTP(recorder, request)
		}
		if got := recorder.Body.String(); recorder.Code != http.StatusOK || strings.Contains(got, "Tuesdays only") != c.isGiven {
			t.Errorf("call %d is answered %d %s", i, recorder.Code, got)
		}
	}
}

func TestRecall_GivesReasons(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	got := s.ok(200, "POST", recallPath, object{"query": "when do we deploy?", "session": "one", "limit": 5})
	if given(got) != "deploy on tuesdays" || got["selected_by"] != "keyword" || got["skipped"] != nil || got["note"] != nil || got["state"] != "settled" || got["candidates"] != 1.0 {
		t.Errorf("it answers %v", got)
	}
	m := got.list("memories")[0]
	text := strings.TrimRight(s.Read("ada/memory/feedback_deploy.md"), "\n")
	if m["type"] != "feedback" || m["path"] != "memory/feedback_deploy.md" || m["age_days"] != 0.0 || m["stale"] != false || m["text"] != text || m["bytes"] != float64(len(text)) {
		t.Errorf("it gives %v", m)
	}
	if why, ok := m["why"].([]any); !ok || len(why) == 0 || why[0] != "“deploy” is in its name" {
		t.Errorf("it gives %v for %v", m["name"], m["why"])
	}
	if got["budget_left"] != float64(61_440-len(text)) {
		t.Errorf("%v bytes are left", got["budget_left"])
	}
	want := regexp.MustCompile(`^<system-reminder>\n` + regexp.QuoteMeta(fence.Notice) + `\n<memoir [0-9a-f]{16}>\n` +
		regexp.QuoteMeta("Memory (saved today): "+s.Path("ada/memory/feedback_deploy.md")+":\n\n"+text) + `\n</memoir [0-9a-f]{16}>\n</system-reminder>$`)
	if reminder, _ := got["reminder"].(string); !want.MatchString(reminder) {
		t.Errorf("it reminds of\n%s\nnot of\n%s", reminder, want)
	}
	again := s.ok(200, "POST", recallPath, object{"query": "when do we deploy?", "session": "one"})
	if given(again) != "" || again["reminder"] != "" || again["budget_left"] != got["budget_left"] {
		t.Errorf("asked again it answers %v", again)
	}
	if short := s.ok(200, "POST", recallPath, object{"query": "deploy"}); short["skipped"] != "short_query" || short["selected_by"] != nil || given(short) != "" {
		t.Errorf("one word is answered with %v", short)
	}
}

func TestRecall_AsyncOnce(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	begun := s.ok(202, "POST", recallPath+"?async=true", object{"query": "when do we deploy?", "session": nil, "limit": nil})
	if begun["state"] != "pending" || given(begun) != "" {
		t.Errorf("it begins with %v", begun)
	}
	var got object
	waittest.For(s, "the recall to settle", func() bool {
		got = s.ok(200, "GET", recallPath+"/"+begun.string("id"), nil)
		return got["state"] == "settled"
	})
	if given(got) != "deploy on tuesdays" || got["id"] != begun["id"] {
		t.Errorf("it gives %v", got)
	}
	if again := s.ok(200, "GET", recallPath+"/"+begun.string("id"), nil); given(again) != "" || again["state"] != "settled" {
		t.Errorf("fetched again it gives %v", again)
	}
	for _, path := range []string{recallPath + "/0", "/api/v1/agents/grace/recall/" + begun.string("id"), "/api/v1/agents/nobody/recall/" + begun.string("id")} {
		s.ok(404, "GET", path, nil)
	}
}

func TestRecall_DryRun(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	for _, path := range []string{"?dry_run=true", "?dry_run=true", "?dry_run=true&async=true"} {
		got := s.ok(200, "POST", recallPath+path, object{"query": "when do we deploy?", "session": "one"})
		if given(got) != "deploy on tuesdays" || got["state"] != "settled" {
			t.Errorf("%s answers %v", path, got)
		}
		s.ok(404, "GET", recallPath+"/"+got.string("id"), nil)
	}
	if past := s.ok(200, "GET", "/api/v1/agents/ada/recalls", nil).list("recalls"); len(past) != 0 {
		t.Errorf("it recorded %v", past)
	}
	if got := s.ok(200, "POST", recallPath, object{"query": "when do we deploy?", "session": "one"}); given(got) != "deploy on tuesdays" {
		t.Errorf("after the dry runs the session gets %v", got)
	}
}

func TestRecall_Invalid(t *testing.T) {
	t.Parallel()
	s := recalling(t)
	for _, c := range []struct {
		body   any
		status int
	}{
		{`{`, 400}, {object{}, 422}, {object{"query": 1}, 422}, {object{"query": "a b", "limit": 0}, 422}, {object{"query": "a b", "limit": -1}, 422},
		{object{"query": "a b", "limit": "5"}, 422}, {object{"query": "a b", "session": 7}, 422}, {object{"query": "a b", "session": strings.Repeat("x", 257)}, 422},
		{object{"query": "a b", "session": "a\x00b"}, 422}, {object{"query": "a b", "more": true}, 422}, {object{"query": strings.Repeat("a ", 1<<20)}, 413},
		{object{"query": "a\x00b c"}, 200}, {object{"query": ""}, 200}, {object{"query": strings.Repeat("deploy ", 100_000)}, 200}, {object{"query": "when do we deploy", "limit": 500}, 200},
	} {
		if got := s.call("POST", recallPath, c.body); got.status != c.status {
			t.Errorf("%.60v: status %d: %.200s", c.body, got.status, got.raw)
		}
	}
	s.ok(404, "POST", "/api/v1/agents/nobody/recall", object{"query": "when do we deploy"})
	if got := s.ok(200, "POST", recallPath, object{"query": "where is the coffee machine", "limit": 1}); !slices.Equal([]string{given(got)}, []string{"untyped"}) {
		t.Errorf("a memory without a type is not given: %v", got)
	}
}
