package api_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/embedding"
	"memoir/internal/embedding/embeddingtest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

func TestEmbedding_State(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/agents/ada/embedding"
	m := memoirtest.Start(t, memoirtest.Files{
		"ada/memory/tabs.md":  memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/token.md": memoirtest.Note("Token", memories.Reference, "It is ghp_016C7b4dEf8aB9cD0eF1a2B3c4D5e6F7a8B9."),
	})
	if off := serve(t, m, api.Options{}).ok(200, "GET", path, nil); off["enabled"] != false || off["model"] != nil || off["memories"] != 0.0 {
		t.Errorf("without an endpoint: %v", off)
	}

	endpoint := embeddingtest.New(t)
	endpoint.Set(embeddingtest.Status(http.StatusNotFound, "model not found"))
	service := embedding.Start(m.Engine, m.Store, embedding.Options{
		URL: endpoint.URL, Model: "words", DailyTokens: 1000, Settle: time.Millisecond, FirstRetry: 10 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(service.Close)
	s := serve(t, m, api.Options{Embedding: service})
	var state object
	waittest.For(t, "the failure", func() bool {
		state = s.ok(200, "GET", path, nil)
		return state["problem"] != nil
	})
	if state["problem"] != "it answered with status 404: model not found" || state["problem_at"] == nil || state["answered_at"] != nil || state["dimensions"] != nil {
		t.Errorf("without the model: %v", state)
	}
	endpoint.Set(nil)
	m.LetIn("ada")
	waittest.For(t, "the vectors", func() bool {
		state = s.ok(200, "GET", path, nil)
		return state["embedded"] == 1.0 && state["withheld"] == 1.0
	})
	if state["problem"] != nil || state["problem_at"] != nil || state["dimensions"] != 384.0 || state["memories"] != 2.0 || state["tokens_today"] != 10.0 ||
		state["daily_tokens"] != 1000.0 || state["endpoint"] != strings.TrimPrefix(endpoint.URL, "http://") {
		t.Errorf("with the model: %v", state)
	}
	s.ok(404, "GET", "/api/v1/agents/nobody/embedding", nil)
}
