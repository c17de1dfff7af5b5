package mcp_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"memoir/internal/mcp"
	"memoir/internal/memoirtest"
	"memoir/internal/postgres/masked"
)

// broken is a client's connection that fails.
type broken struct{ *httptest.ResponseRecorder }

func (broken) FlushError() error { return errors.New("connection reset by peer") }

// TestRecall_NotDelivered shows that a memory is given again if its response did not reach the
// client.
func TestRecall_NotDelivered(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, oneAgent())
	handler := mcp.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, mcp.Options{Version: "v1", Log: slog.New(slog.DiscardHandler)})
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"when do we deploy?","session":"one","limit":1}}}`
	for i, c := range []struct {
		breaks, isGiven bool
	}{{true, true}, {false, true}, {false, false}} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		recorder := httptest.NewRecorder()
		if c.breaks {
			handler.ServeHTTP(broken{recorder}, request)
		} else {
			handler.ServeHTTP(recorder, request)
		}
		if got := recorder.Body.String(); !strings.Contains(got, `"budget_left"`) || strings.Contains(got, "Tuesdays only") != c.isGiven {
			t.Errorf("call %d is answered %d %s", i, recorder.Code, got)
		}
	}
}
