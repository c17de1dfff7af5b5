package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"memoir/internal/gate"
)

func TestAnswer_UnencodableIsProblem(t *testing.T) {
	t.Parallel()
	router := chi.NewRouter()
	router.Use(delayStatus)
	described := humachi.New(router, description())
	type told struct {
		At time.Time `json:"at"`
	}
	for path, at := range map[string]time.Time{"/tellable": time.Unix(0, 0), "/untellable": time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		huma.Register(described, get(path, path[1:], "Tell a time"), func(context.Context, *struct{}) (*answer[told], error) { return ok(told{at}), nil })
	}
	around, err := gate.New(gate.Options{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(around.Around(router))
	t.Cleanup(server.Close)
	for path, status := range map[string]int{"/tellable": http.StatusOK, "/untellable": http.StatusInternalServerError} {
		answer, err := http.Get(server.URL + "/api/v1" + path)
		if err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		answer.Body.Close() //nolint:errcheck // it has been read
		id := answer.Header.Get("X-Request-Id")
		said, _ := body["detail"].(string)
		if answer.StatusCode != status || status != http.StatusOK && (id == "" || !strings.Contains(said, id)) {
			t.Errorf("%s: status %d, %v", path, answer.StatusCode, body)
		}
	}
}
