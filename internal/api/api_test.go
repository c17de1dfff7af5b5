package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"memoir/internal/api"
	"memoir/internal/gate"
	"memoir/internal/memoirtest"
	"memoir/internal/postgres/masked"
	"memoir/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// server is a running Memoir whose API is served behind package gate.
type server struct {
	*memoirtest.Memoir
	url string
}

func setup(t *testing.T, files memoirtest.Files) *server {
	t.Helper()
	return serve(t, memoirtest.Start(t, files), api.Options{})
}

func serve(t *testing.T, m *memoirtest.Memoir, options api.Options) *server {
	t.Helper()
	s := &server{Memoir: m}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if options.Log == nil {
		options.Log = log
	}
	options.ClaudeMDLimit = memoirtest.ClaudeMDLimit
	g, err := gate.New(gate.Options{Addr: "127.0.0.1:8080", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	running := httptest.NewServer(g.Around(api.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, options)))
	t.Cleanup(func() {
		m.Engine.Hub().Close() // otherwise open event streams would delay the shutdown
		running.Close()
	})
	s.url = running.URL
	return s
}

// reply is the response to a call.
type reply struct {
	status int
	header http.Header
	raw    []byte
}

// call sends a request and returns the response. A string body is sent unchanged, any other as
// JSON. headers alternates names and values.
func (s *server) call(method, path string, body any, headers ...string) reply {
	s.Helper()
	var sent io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		sent = strings.NewReader(body)
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			s.Fatal(err)
		}
		sent = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, sent)
	if err != nil {
		s.Fatal(err)
	}
	if sent != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(request.Header, headerOf(headers))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, raw}
}

func headerOf(pairs []string) http.Header {
	header := http.Header{}
	for pair := range slices.Chunk(pairs, 2) {
		header.Add(pair[0], pair[1])
	}
	return header
}

// ok sends a request with call and returns the JSON body. It fails the test if the response has
// another status.
func (s *server) ok(status int, method, path string, body any, headers ...string) object {
	s.Helper()
	r := s.call(method, path, body, headers...)
	if r.status != status {
		s.Fatalf("%s %s: status %d, want %d: %s", method, path, r.status, status, r.raw)
	}
	return s.object(r)
}

// object is a decoded JSON object.
type object map[string]any

func (s *server) object(r reply) object {
	s.Helper()
	if got := r.header.Get("Content-Type"); got != "application/json" && got != "application/problem+json" {
		s.Errorf("media type %q", got)
	}
	var o object
	if err := json.Unmarshal(r.raw, &o); err != nil {
		s.Fatalf("%v in %s", err, r.raw)
	}
	return o
}

func (o object) list(key string) []object {
	var found []object
	for _, item := range o[key].([]any) {
		found = append(found, object(item.(map[string]any)))
	}
	return found
}

func (o object) object(key string) object { return object(o[key].(map[string]any)) }

func (o object) string(key string) string { text, _ := o[key].(string); return text }

func (o object) keys() string { return strings.Join(slices.Sorted(maps.Keys(o)), " ") }

func sorted(words string) string {
	list := strings.Fields(words)
	slices.Sort(list)
	return strings.Join(list, " ")
}

// problem returns the problem document in r. It fails the test if r is not one with this status.
func (s *server) problem(r reply, status int) object {
	s.Helper()
	if r.status != status || r.header.Get("Content-Type") != "application/problem+json" {
		s.Fatalf("status %d, media type %q, want a problem of %d: %s", r.status, r.header.Get("Content-Type"), status, r.raw)
	}
	p := s.object(r)
	if p["status"] != float64(status) || p.string("title") != http.StatusText(status) || p.string("detail") == "" || p.string("type") != "about:blank" {
		s.Errorf("problem document: %s", r.raw)
	}
	if p.string("request_id") == "" || p.string("request_id") != r.header.Get("X-Request-Id") {
		s.Errorf("the problem does not name its request: %s", r.raw)
	}
	return p
}

// names returns the field of each object, in order, separated by spaces.
func names(list []object, field string) string {
	var found []string
	for _, o := range list {
		found = append(found, o.string(field))
	}
	return strings.Join(found, " ")
}
