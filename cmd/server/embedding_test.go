package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"memoir/internal/embedding/embeddingtest"
)

func TestServer_EmbedsMemories(t *testing.T) {
	t.Parallel()
	endpoint := embeddingtest.New(t)
	s := startServerIn(t, map[string]string{embeddingKey: "key-of-the-endpoint"}, "--token=all", "--embedding-url="+endpoint.URL+"/v1/", "--embedding-model=words")
	var state struct {
		Enabled                        bool
		Model                          string
		Dimensions, Memories, Embedded int
	}
	s.until("vectors", func() string {
		_, body := s.as("all", http.MethodGet, "/api/v1/agents/ada/embedding", "")
		if err := json.Unmarshal([]byte(body), &state); err != nil || state.Embedded < 3 {
			return body
		}
		return ""
	})
	if !state.Enabled || state.Model != "words" || state.Dimensions != embeddingtest.Dimensions || state.Memories != 3 {
		t.Errorf("%+v", state)
	}
	for _, request := range endpoint.Requests() {
		if request.Key != "key-of-the-endpoint" || request.Model != "words" {
			t.Errorf("a request for %q with the key %q", request.Model, request.Key)
		}
	}
	if !slices.ContainsFunc(endpoint.Sent(), func(text string) bool { return strings.Contains(text, "Use tabs.") }) {
		t.Errorf("sent: %q", endpoint.Sent())
	}
	if _, page := s.as("all", http.MethodGet, "/agents/ada/settings", ""); !strings.Contains(page, "3 of 3") || strings.Contains(page, "key-of-the-endpoint") {
		t.Errorf("settings: %.3000s", page)
	}
}

func TestServer_WithoutEndpoint(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all")
	if _, body := s.as("all", http.MethodGet, "/api/v1/agents/ada/embedding", ""); !strings.Contains(body, `"enabled":false`) {
		t.Error(body)
	}
	if _, page := s.as("all", http.MethodGet, "/agents/ada/settings", ""); !strings.Contains(page, "--embedding-url") {
		t.Errorf("settings: %.3000s", page)
	}
}
