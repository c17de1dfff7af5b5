package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestReadOnly_WriteIsRefused(t *testing.T) {
	t.Parallel()
	s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the-token", readToken: "look-only"})
	as := func(token, method, path string) *answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return s.send(t, request)
	}
	path := pageOf(s.Memory("ada", "Tabs"))
	for _, page := range []string{"/", adaList, path, path + "/delete"} {
		if got := as("look-only", http.MethodGet, page); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", page, got.StatusCode)
		}
	}
	as("look-only", http.MethodPost, path+"/delete").expect(http.StatusForbidden, "Read-only access", "Nothing was changed.", "/sign-in")
	if s.Memory("ada", "Tabs").State != memories.Active {
		t.Error("it was deleted")
	}
}
