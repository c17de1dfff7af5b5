package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestRoute_PathAsWritten(t *testing.T) {
	t.Parallel()
	answering := func(room string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, room+" "+r.URL.Path) })
	}
	handler := route(answering("api"), answering("hooks"), answering("mcp"), answering("metrics"), answering("pages"))
	for path, want := range map[string]string{
		"/":                              "pages /",
		"/apix":                          "pages /apix",
		"/agents/ada/../bob":             "pages /agents/ada/../bob",
		"//agents":                       "pages //agents",
		"/static/../api/v1/agents":       "pages /static/../api/v1/agents",
		"/hooks":                         "pages /hooks",
		"/hooks/stop":                    "hooks /hooks/stop",
		"/mcp":                           "mcp /mcp",
		"/mcp/":                          "pages /mcp/",
		"/metrics":                       "metrics /metrics",
		"/metrics/x":                     "pages /metrics/x",
		"/healthz":                       "api /healthz",
		"/readyz":                        "api /readyz",
		"/api":                           "api /api",
		"/api/v1/agents/ada/memories/..": "api /api/v1/agents/ada/memories/..",
		"/api/v1//agents":                "api /api/v1//agents",
	} {
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
			if got := answer.Body.String(); answer.Code != http.StatusOK || got != want {
				t.Errorf("%s %s: status %d, %q; want %q", method, path, answer.Code, got, want)
			}
		}
	}
}
