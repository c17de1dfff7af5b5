package mcp_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"memoir/internal/access"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/gate"
	"memoir/internal/mcp"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// The tokens of all test servers.
const (
	writer = "correct-horse"
	reader = "battery-staple"
)

// desk is a Memoir with its MCP endpoint behind the gate.
type desk struct {
	*memoirtest.Memoir
	url string
}

func setup(t *testing.T, files memoirtest.Files) *desk {
	t.Helper()
	return serve(t, memoirtest.Start(t, files))
}

func serve(t *testing.T, m *memoirtest.Memoir) *desk {
	t.Helper()
	return serveStore(t, m, m.Store)
}

// serveStore is serve with a store that can fail.
func serveStore(t *testing.T, m *memoirtest.Memoir, store mcp.Store) *desk {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	around, err := gate.New(gate.Options{
		Addr: "127.0.0.1:8080", Token: writer, ReadToken: reader, Log: log,
		Needs: func(*http.Request) access.Scope { return access.Read },
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.New(m.Engine, store, m.Recaller, mcp.Options{Version: "v1", Log: log}))
	server := httptest.NewServer(around.Around(mux))
	t.Cleanup(server.Close)
	return &desk{m, server.URL + "/mcp"}
}

// twoAgents returns the files of ada with three memories and bob with one.
func twoAgents() memoirtest.Files {
	return memoirtest.Files{
		"ada/memory/feedback_deploy.md": memoirtest.Note("deploy on tuesdays", memories.Feedback, "Deployments go out on Tuesdays only."),
		"ada/memory/project_cache.md":   memoirtest.Note("redis holds nothing of value", memories.Project, "Redis may be flushed at any time."),
		"ada/memory/user_tea.md":        memoirtest.Note("green tea", memories.User, "Ada drinks green tea."),
		"bob/memory/feedback_deploy.md": memoirtest.Note("bob deploys on fridays", memories.Feedback, "Bob deploys on Fridays."),
	}
}

// oneAgent returns the files of ada only.
func oneAgent() memoirtest.Files {
	files := twoAgents()
	delete(files, "bob/memory/feedback_deploy.md")
	return files
}

// client is a connected client of the SDK.
type client struct {
	*testing.T
	*sdk.ClientSession
}

// connect connects a client with a token. query is appended to the URL.
func (d *desk) connect(t *testing.T, token, query string) *client {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "v1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: d.url + query, HTTPClient: &http.Client{Transport: showing(token)}, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may be closed
	return &client{t, session}
}

// showing is a transport that adds the token to every request.
type showing string

func (token showing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// arguments is a tool's arguments.
type arguments map[string]any

// call calls a tool that must succeed. It decodes the result into out and returns its text.
func (c *client) call(tool string, in arguments, out any) string {
	c.Helper()
	result, text := c.ask(tool, in)
	if result.IsError {
		c.Fatalf("%s fails: %s", tool, text)
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		c.Fatal(err)
	}
	if len(text)+len(raw) > 75_000 {
		c.Errorf("%s answers with %d bytes of text and %d of JSON", tool, len(text), len(raw))
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			c.Fatalf("%s answers %s: %v", tool, raw, err)
		}
	}
	return text
}

// fails calls a tool that must fail with an error that contains the words.
func (c *client) fails(tool string, in arguments, words ...string) {
	c.Helper()
	result, text := c.ask(tool, in)
	if !result.IsError {
		c.Errorf("%s with %.200v succeeds: %s", tool, in, text)
	}
	if len(text) > 4000 {
		c.Errorf("%s complains with %d bytes", tool, len(text))
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			c.Errorf("%s with %.200v says %q, without %q", tool, in, text, word)
		}
	}
}

func (c *client) ask(tool string, in arguments) (result *sdk.CallToolResult, text string) {
	c.Helper()
	result, err := c.CallTool(c.Context(), &sdk.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		c.Fatalf("%s: %v", tool, err)
	}
	for _, content := range result.Content {
		text += content.(*sdk.TextContent).Text
	}
	return result, text
}

// memory is the part of a memory that the tests check.
type memory struct {
	ID, Agent, Name, Type, Description, State, Saved, Body, Warning, File, URI, Excerpt, Text string
	Stale, Cut                                                                                bool
	AgeDays                                                                                   int `json:"age_days"`
	Problems                                                                                  []string
}

// page is the part of a list that the tests check.
type page struct {
	Agent      string
	Memories   []memory
	Total      int
	Near       bool
	NextCursor string `json:"next_cursor"`
}

func (p page) names() []string {
	var names []string
	for _, m := range p.Memories {
		names = append(names, m.Name)
	}
	return names
}

// post sends body without a protocol client.
func (d *desk) post(body, token string, headers ...string) (status int, answer string) {
	d.Helper()
	request, err := http.NewRequestWithContext(d.Context(), http.MethodPost, d.url, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		d.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		d.Fatal(err)
	}
	return response.StatusCode, string(raw)
}
