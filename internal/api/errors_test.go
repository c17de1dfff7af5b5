package api_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/local"
	"memoir/internal/postgres/migrate"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/waittest"
)

func TestBody_NotJSON(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	for _, body := range []string{"", "{", "{} {}", "name=Tabs", `{"name":"Tabs","type":}`, "{\"name\":\"\xff\",\"type\":\"user\"}"} {
		s.problem(s.call("POST", "/api/v1/agents/ada/memories", body), 400)
		s.problem(s.call("PATCH", at, body), 400)
	}
	s.ok(200, "GET", at, nil)
}

func TestBody_LoneSurrogate(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	for _, half := range []string{`\ud800`, `\udfff`, `\ud83d \ude00`, `\ude00\ud83d`, `\ud83d\ud83d\ude00`, `\ud83d\n`, `\ud83dé`} {
		s.problem(s.call("POST", "/api/v1/agents/ada/memories", `{"name":"Tabs","type":"feedback","body":"a`+half+`"}`), 400)
		s.problem(s.call("PATCH", at, `{"body":"a`+half+`"}`), 400)
	}
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("a refused write changed the file: %q", got)
	}
	if got := s.ok(200, "PATCH", at, `{"body":"\ud83d\uDE00\ud83d\ude00 \\ud800 \u00e9"}`).string("body"); got != `😀😀 \ud800 é` {
		t.Errorf("whole characters are saved as %q", got)
	}
}

func TestBody_ContentTypes(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	for _, mediaType := range []string{"application/json", "Application/JSON ; charset=UTF-8", "application/merge-patch+json"} {
		s.ok(200, "POST", "/api/v1/agents/ada/memories", object{"name": "Tabs", "type": "feedback", "body": mediaType}, "Content-Type", mediaType)
	}
	for _, mediaType := range []string{"text/plain", "application/xml", "multipart/form-data; boundary=x"} {
		s.problem(s.call("POST", "/api/v1/agents/ada/memories", object{"name": "Tabs", "type": "feedback"}, "Content-Type", mediaType), 415)
	}
}

func TestBody_InvalidField(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	long := strings.Repeat("a", 1<<20+1)
	for _, c := range []struct{ body, location string }{
		{`[]`, "body"}, {`null`, "body"}, {`"text"`, "body"},
		{`{"name":"A","type":"user","extra":1}`, "body.extra"},
		{`{"name":"A","type":"user","Body":"x"}`, "body.Body"},
		{`{"name":1,"type":"user"}`, "body.name"}, {`{"name":["A"],"type":"user"}`, "body.name"},
		{`{"name":"A","type":true}`, "body.type"}, {`{"name":"A","type":"fact"}`, "body.type"}, {`{"name":"A","type":""}`, "body.type"},
		{`{"name":"A","type":"user","description":{}}`, "body.description"}, {`{"name":"A","type":"user","body":5}`, "body.body"},
		{`{"name":"A\u0000","type":"user"}`, "body.name"}, {`{"name":"A","type":"user","description":"\u0000"}`, "body.description"},
		{`{"name":"A","type":"user","body":"\u0000"}`, "body.body"},
		{`{"name":"","type":"user"}`, "body.name"}, {`{"name":"  ","type":"user"}`, "body.name"}, {`{"name":"a\nb","type":"user"}`, "body.name"},
		{`{"name":"` + strings.Repeat("n", 257) + `","type":"user"}`, "body.name"},
		{`{"name":"A","type":"user","body":"` + long + `"}`, "body.body"},
		{`{"name":null,"type":"user"}`, "body.name"}, {`{"name":"A","type":null}`, "body.type"},
	} {
		for _, call := range []struct{ method, path string }{{"POST", "/api/v1/agents/ada/memories"}, {"PATCH", at}} {
			p := s.problem(s.call(call.method, call.path, c.body), 422)
			if fields := p.list("errors"); len(fields) != 1 || fields[0]["location"] != c.location || fields[0].keys() != "location message" {
				t.Errorf("%s with %.80s: %.300v", call.method, c.body, p)
			}
		}
	}
	for body, location := range map[string]string{`{"type":"user"}`: "body.name", `{"name":"A"}`: "body.type"} {
		p := s.problem(s.call("POST", "/api/v1/agents/ada/memories", body), 422)
		if fields := p.list("errors"); len(fields) != 1 || fields[0]["location"] != location {
			t.Errorf("%s: %v", body, p)
		}
	}
	if s.problem(s.call("DELETE", at+"?purge=perhaps", nil), 422).list("errors")[0]["location"] != "query.purge" {
		t.Error("the parameter is not named")
	}
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("a refused write changed the file: %q", got)
	}
}

func TestBody_TooLarge(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	fill := func(size int) string {
		head, tail := `{"name":"A","type":"user","body":"`, `"}`
		return head + strings.Repeat("a", size-len(head)-len(tail)) + tail
	}
	s.problem(s.call("POST", "/api/v1/agents/ada/memories", fill(2<<20)), 422) // within the body limit, but too large for a memory
	for _, call := range []struct{ method, path string }{
		{"POST", "/api/v1/agents/ada/memories"}, {"PATCH", s.at("ada", "Tabs")}, {"POST", "/api/v1/scan"},
	} {
		s.problem(s.call(call.method, call.path, fill(2<<20+1)), 413)
	}
}

func TestPaths_Unknown(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"bob/memory/b.md":    memoirtest.Note("B", memories.Feedback, "Bee."),
	})
	id := s.Memory("ada", "Tabs").ID
	for _, base := range []string{
		"/api/v1/agents/nobody/memories/" + id, "/api/v1/agents/bob/memories/" + id, "/api/v1/agents/ada/memories/42",
		"/api/v1/agents/ada/memories/" + strings.ToUpper(id), "/api/v1/agents/ada/memories/00000000-0000-0000-0000-000000000000",
		"/api/v1/agents/ada/memories/..", "/api/v1/agents/ada/memories/.", "/api/v1/agents/ada/memories//" + id, "/api/v1/agents/ada/memories/%00", "/api/v1/agents/%00/memories/" + id, "/api/v1/agents/%ff/memories/" + id, "/api/v1/agents/a%2Fb/memories/" + id,
	} {
		s.problem(s.call("GET", base, nil), 404)
		s.problem(s.call("PATCH", base, object{"body": "x"}), 404)
		s.problem(s.call("DELETE", base, nil), 404)
		s.problem(s.call("DELETE", base, nil, "If-Match", `"a", "b"`), 404)
		s.problem(s.call("DELETE", base+"?purge=true", nil), 404)
		s.problem(s.call("POST", base+"/restore", nil), 404)
		s.problem(s.call("GET", base+"/revisions", nil), 404)
		s.problem(s.call("GET", base+"/activity", nil), 404)
		s.problem(s.call("GET", base+"?as_of=2026-01-01T00:00:00Z", nil), 404)
	}
	for _, c := range []struct{ method, path string }{
		{"GET", ""}, {"DELETE", ""}, {"GET", "/memories"}, {"GET", "/claude-md"}, {"GET", "/index"}, {"POST", "/scan"}, {"GET", "/blocked"}, {"GET", "/activity"}, {"GET", "/statistics"},
		{"POST", "/blocked/" + id + "/allow"},
	} {
		for _, slug := range []string{"nobody", "%00", "%ff"} {
			s.problem(s.call(c.method, "/api/v1/agents/"+slug+c.path, nil), 404)
		}
	}
	s.problem(s.call("POST", "/api/v1/agents/nobody/memories", object{"name": "A", "type": "user"}), 404)
	s.problem(s.call("POST", "/api/v1/agents/ada/blocked/"+id+"/allow", nil), 404)
	s.problem(s.call("GET", "/api/v1/agents/ada/claude-md?without=42", nil), 404)
	s.problem(s.call("GET", "/api/v1/agents/ada/claude-md?without="+s.Memory("bob", "B").ID, nil), 404)
	for _, path := range []string{"/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/agents", "/api/v1/agents/", "/api/docs", "/api/openapi.yaml", "/api/schemas/Memory.json"} {
		s.problem(s.call("GET", path, nil), 404)
	}
}

func TestMethods_NotAllowed(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	for _, c := range []struct{ method, path, allow string }{
		{"POST", "/api/v1/agents", "GET, HEAD"}, {"PUT", at, "GET, HEAD, PATCH, DELETE"}, {"GET", "/api/v1/scan", "POST"},
		{"DELETE", "/api/v1/agents/ada/memories", "GET, HEAD, POST"}, {"OPTIONS", "/api/v1/sync", "GET, HEAD"}, {"POST", "/api/openapi.json", "GET, HEAD"},
	} {
		r := s.call(c.method, c.path, nil)
		s.problem(r, 405)
		if got := r.header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow %q, want %q", c.method, c.path, got, c.allow)
		}
	}
	if r := s.call("HEAD", at, nil); r.status != 200 || len(r.raw) != 0 || r.header.Get("ETag") == "" {
		t.Errorf("HEAD: status %d, %d bytes", r.status, len(r.raw))
	}
}

// ownPostgres starts a Postgres that no other test uses, with the schema of Memoir.
func ownPostgres(t *testing.T) *local.Server {
	t.Helper()
	own, err := local.Start(t.Context(), local.Options{DataDir: t.TempDir(), Log: slog.New(slog.DiscardHandler), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Stop(context.Background()) }) // fails if the test has stopped it
	if err := migrate.Run(t.Context(), own.URL()); err != nil {
		t.Fatal(err)
	}
	return own
}

func TestCalls_DatabaseAway(t *testing.T) {
	t.Parallel()
	own := ownPostgres(t)
	s := serve(t, memoirtest.StartAt(t, own.URL(), tabs), api.Options{})
	at := s.at("ada", "Tabs")
	if r := s.call("GET", "/readyz", nil); r.status != 200 {
		t.Errorf("readyz with Postgres: %d", r.status)
	}
	if err := own.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range []reply{
		s.call("GET", "/api/v1/agents", nil), s.call("GET", at, nil), s.call("DELETE", at, nil), s.call("POST", "/api/v1/scan", nil),
		s.call("POST", "/api/v1/agents/ada/memories", object{"name": "Tabs", "type": "user"}), s.call("GET", "/readyz", nil),
	} {
		s.problem(r, 503)
		if r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if r := s.call("GET", "/healthz", nil); r.status != 200 {
		t.Errorf("healthz without Postgres: %d", r.status)
	}
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("without Postgres the file became %q", got)
	}
}

func TestCalls_DatabaseSilent(t *testing.T) {
	t.Parallel()
	line := linetest.New(t, pgtest.New(t), nil)
	s := serve(t, memoirtest.StartAt(t, line.URL, tabs), api.Options{DatabaseTime: 100 * time.Millisecond})
	at := s.at("ada", "Tabs")
	speak := line.Silence()
	for _, r := range []reply{
		s.call("GET", "/api/v1/agents", nil), s.call("GET", at, nil), s.call("DELETE", at, nil), s.call("POST", "/api/v1/scan", nil),
		s.call("POST", "/api/v1/agents/ada/memories", object{"name": "Tabs", "type": "user"}), s.call("GET", "/readyz", nil),
	} {
		s.problem(r, 503)
		if r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	speak()
	waittest.For(s, "the call to go through", func() bool { return s.call("GET", at, nil).status == 200 })
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("while Postgres was silent the file became %q", got)
	}
}

// The test renames a column, because no request can cause an internal error.
func TestCalls_InternalError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := serve(t, memoirtest.Start(t, tabs), api.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	execute(t, s.URL, "ALTER TABLE blocked_contents RENAME COLUMN seen_at TO seen_when")
	r := s.call("GET", "/api/v1/agents/ada/blocked", nil)
	p := s.problem(r, 500)
	if id := p.string("request_id"); !strings.Contains(p.string("detail"), id) || !strings.Contains(log.String(), id) {
		t.Errorf("the request %q is not in the answer %s and the log %s", id, r.raw, log.String())
	}
	if strings.Contains(string(r.raw), "seen_at") || !strings.Contains(log.String(), "seen_at") {
		t.Errorf("the detail belongs into the log alone: %s", r.raw)
	}
}

func TestBody_Incomplete(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /api/v1/agents/ada/memories HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n")
	answer := make([]byte, 12)
	if _, err := conn.Read(answer); err != nil || string(answer) != "HTTP/1.1 400" {
		t.Errorf("answer %q, %v", answer, err)
	}
	if r := s.call("GET", "/api/v1/agents", nil); r.status != http.StatusOK {
		t.Errorf("the server afterwards: %d", r.status)
	}
}
