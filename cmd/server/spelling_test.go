package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestRoute_PercentEncoded checks that escaped addresses work, and that an escaped
// slash is part of a name.
func TestRoute_PercentEncoded(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all", "--read-token=look-only")
	const api = "/api/v1/agents/"
	_, listed := s.as("all", http.MethodGet, api+"ada/memories?name=Tabs", "")
	var list struct{ Memories []struct{ ID string } }
	if err := json.Unmarshal([]byte(listed), &list); err != nil || len(list.Memories) != 1 {
		t.Fatalf("%s, %v", listed, err)
	}
	id := list.Memories[0].ID
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodGet, api + "%61da", "", 200},
		{http.MethodGet, "/%61pi/v1/agents", "", 200},
		{http.MethodGet, "/%68ealthz", "", 200},
		{http.MethodGet, api + "ada/%6Demories?q=tabs", "", 200},
		{http.MethodGet, api + "ada/memories/" + fmt.Sprintf("%%%02X", id[0]) + id[1:], "", 200},
		{http.MethodPost, api + "ada/memories%3Abatch", `{"verify":["` + id + `"]}`, 200},
		{http.MethodPost, api + "ada/memories%3adeletion", `{"delete":["` + id + `"]}`, 200},
		{http.MethodPut, api + "ada/memories%3Abatch", "", 405},
		{http.MethodGet, "/%61gents/ada/memory", "", 200},
		{http.MethodGet, "/agents/%61da/m%65mory", "", 200},
		{http.MethodGet, "/%73earch?q=tabs", "", 200},

		{http.MethodGet, api + "ada%2Fmemories", "", 404},
		{http.MethodGet, api + "ada%2fmemories/" + id, "", 404},
		{http.MethodDelete, api + "ada/memories%2F" + id, "", 404},
		{http.MethodDelete, api + "ada%2Fmemories%2F" + id, "", 404},
		{http.MethodGet, api + "%61da%2Fmemories", "", 404},
		{http.MethodGet, api + "ada%252Fmemories", "", 404},
		{http.MethodGet, "/api%2Fv1/agents", "", 404},
		{http.MethodGet, "/api%2Fv1%2Fagents", "", 404},
		{http.MethodGet, "/agents%2Fada", "", 404},
		{http.MethodGet, "/agents/ada%2Fmemory", "", 404},
		{http.MethodDelete, api + "ada/memories/%2e%2e", "", 404},
		{http.MethodGet, api + "bob/%2e%2e/ada", "", 404},
	} {
		status, answer := s.as("all", c.method, c.path, c.body)
		if status != c.status || status == 404 && strings.HasPrefix(c.path, "/api") && !strings.Contains(answer, `"status":404`) {
			t.Errorf("%s %s: %d %.300s", c.method, c.path, status, answer)
		}
	}
	// Read-only posts are recognised in their exact spelling only.
	for _, path := range []string{api + "ada/memories%3Abatch", api + "ada%2Fmemories:batch%3F/recall", api + "ada/recal%6C", api + "ada/memories%2Frecall"} {
		if status, answer := s.as("look-only", http.MethodPost, path, `{"delete":["`+id+`"]}`); status < 400 {
			t.Errorf("%s is answered %d to a reader: %.200s", path, status, answer)
		}
	}
	if status, answer := s.as("all", http.MethodGet, api+"ada/memories/"+id, ""); status != 200 || !strings.Contains(answer, `"state":"active"`) {
		t.Errorf("afterwards the memory is answered %d %s", status, answer)
	}
}
