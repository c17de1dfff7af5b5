package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/waittest"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestReceive_Invalid(t *testing.T) {
	t.Parallel()
	d := setup(t, oneAgent())
	for _, c := range []struct {
		body, token string
		status      int
		says        string
		headers     []string
	}{
		{listTools, writer, http.StatusOK, `"delete_memory"`, nil},
		{listTools, "", http.StatusUnauthorized, "Token required", nil},
		{listTools, "wrong", http.StatusUnauthorized, "Token required", nil},
		{listTools, writer, http.StatusMisdirectedRequest, "Unknown host name", []string{"Host", "evil.example"}},
		{listTools, writer, http.StatusForbidden, "but Memoir was reached as", []string{"Origin", "https://evil.example"}},
		{"[" + listTools + "]", writer, http.StatusBadRequest, "one by one", nil},
		{" \n[]", writer, http.StatusBadRequest, "one by one", nil},
		{"{\"a\":\"\xff\"}", writer, http.StatusBadRequest, "UTF-8", nil},
		{"", writer, http.StatusBadRequest, "", nil},
		{"{", writer, http.StatusBadRequest, "", nil},
		{strings.Repeat("[", 100_000), writer, http.StatusBadRequest, "", nil},
		{strings.Repeat(`{"a":`, 100_000), writer, http.StatusBadRequest, "", nil},
		{strings.Repeat(" ", 2<<20) + listTools, writer, http.StatusRequestEntityTooLarge, "2 MiB", nil},
		{listTools, writer, http.StatusUnsupportedMediaType, "", []string{"Content-Type", "text/plain"}},
	} {
		if status, answer := d.post(c.body, c.token, c.headers...); status != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%.60q with token %q is answered %d %.300s; want %d with %q", c.body, c.token, status, answer, c.status, c.says)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		request, err := http.NewRequestWithContext(t.Context(), method, d.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+writer)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d", method, response.StatusCode)
		}
	}
}

func TestCalls_Concurrent(t *testing.T) {
	t.Parallel()
	d := setup(t, oneAgent())
	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_memory","arguments":{"name":"green tea"}}}`, i)
			if status, answer := d.post(body, reader); status != http.StatusOK || !strings.Contains(answer, fmt.Sprintf(`"id":%d,`, i)) || !strings.Contains(answer, "Ada drinks green tea.") {
				t.Errorf("call %d is answered %d %s", i, status, answer)
			}
		})
	}
	calls.Wait()
}

func TestCalls_DatabaseAway(t *testing.T) {
	t.Parallel()
	line := linetest.New(t, pgtest.New(t), nil)
	d := serve(t, memoirtest.StartAt(t, line.URL, oneAgent()))
	c := d.connect(t, writer, "")
	line.Cut()
	for tool, in := range map[string]arguments{
		"list_memories": {}, "search_memories": {"query": "tea"}, "get_memory": {"name": "green tea"}, "recall": {"query": "which tea do I like"},
		"save_memory": {"name": "a", "type": "user", "body": "x"}, "delete_memory": {"name": "green tea"},
		"append_log": {"text": "x"},
	} {
		c.fails(tool, in, "Database unavailable", "on disk are safe")
	}
	if _, err := c.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "Database unavailable") {
		t.Errorf("the resources: %v", err)
	}
	line.Resume()
	waittest.For(d, "a memory", func() bool {
		result, _ := c.ask("get_memory", arguments{"name": "green tea"})
		return !result.IsError
	})
}
