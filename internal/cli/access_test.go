package cli_test

import (
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	"memoir/internal/memories"
)

func TestMemory_DirectoryOpenToAll(t *testing.T) {
	t.Parallel()
	term := setup(t)
	term.put("notes/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	if err := os.Chmod(term.at("notes"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := term.read("notes/tabs.md")
	term.memoir("memory", "list", "--dir", "notes").wants(0, "Tabs", "")
	term.memoir("memory", "save", "New", "--type", "user", "--body", "x", "--dir", "notes").wants(1, "", "all users may write")
	term.memoir("memory", "delete", "Tabs", "--dir", "notes").wants(1, "", "all users may write")
	if term.read("notes/tabs.md") != before {
		t.Error("the file has been changed")
	}
}

func TestMemory_OwnerToken(t *testing.T) {
	t.Parallel()
	term := setup(t)
	const file = ".local/share/memoir/owner-token"
	term.put(file, "the-owners\n")
	var shown atomic.Value
	term.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown.Store(r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"agents":[]}`)
	}))
	for name, c := range map[string]struct {
		mode os.FileMode
		env  string
		want string
	}{
		"readable by its owner": {0o600, "", "Bearer the-owners"},
		"readable by others":    {0o644, "", ""},
		"besides a token given": {0o600, "given", "Bearer given"},
	} {
		if err := os.Chmod(term.at(file), c.mode); err != nil {
			t.Fatal(err)
		}
		term.env["MEMOIR_TOKEN"] = c.env
		term.memoir("memory", "list", "--agent", "ada").wants(1, "", "unknown agent")
		if got := shown.Load(); got != c.want {
			t.Errorf("%s: Authorization = %q, want %q", name, got, c.want)
		}
	}
}
