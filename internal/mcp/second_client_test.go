package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// answered is a response that the second client received.
type answered struct {
	Failed     bool
	Text       string
	Structured json.RawMessage
}

func (a answered) says(t *testing.T, what string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(a.Text, word) {
			t.Errorf("%s is answered %q, without %q", what, a.Text, word)
		}
	}
}

func TestClient_OfOtherSDK(t *testing.T) {
	t.Parallel()
	here := filepath.Join("testdata", "client")
	if _, err := os.Stat(filepath.Join(here, "node_modules")); err != nil {
		t.Fatal("the client is not installed; scripts/setup mcp-client does that")
	}
	files := memoirtest.Files{}
	for i := range 120 {
		files[fmt.Sprintf("ada/memory/%d.md", i)] = memoirtest.Note(fmt.Sprintf("note %d", i), memories.User, "About nothing.")
	}
	d := setup(t, files)
	out, err := exec.CommandContext(t.Context(), "node", filepath.Join(here, "client.js"), d.url, writer, reader).Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			t.Fatalf("the client: %v\n%s", err, ended.Stderr)
		}
		t.Fatalf("node, which runs the client, is missing: %v; scripts/setup mcp-client installs it", err)
	}
	var said struct {
		Server                                                         struct{ Name, Title, Version string }
		Instructions                                                   string
		Tools, Prompts, Templates, Completed, ReaderTools              []string
		Saved, List, Found, Got, Recalled, Deleted, Unknown, Wrong     answered
		Refused                                                        answered
		Overview, Shown, Remember, File, ClaudeMD, ReadDeleted, Locked string
		Resources                                                      int
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if said.Server.Name != "memoir" || said.Server.Version != "v1" || !strings.Contains(said.Instructions, "recall") {
		t.Errorf("the server is %+v, %q", said.Server, said.Instructions)
	}
	all := []string{"append_log", "delete_memory", "get_memory", "list_memories", "move_memory", "recall", "save_memory", "search_memories"}
	if !slices.Equal(said.Tools, all) || !slices.Equal(said.ReaderTools, []string{"get_memory", "list_memories", "recall", "search_memories"}) ||
		!slices.Equal(said.Prompts, []string{"memory", "memory_save", "memory_show"}) || len(said.Templates) != 2 {
		t.Errorf("it has %v, for readers %v, %v, %v", said.Tools, said.ReaderTools, said.Prompts, said.Templates)
	}
	said.Saved.says(t, "a save", "Created the memory “Small diffs” of ada")
	said.List.says(t, "a list", "121 memories of ada", "More: ")
	said.Found.says(t, "a search", "1 memory of ada", "Ask for a split past 400 lines.")
	said.Got.says(t, "a memory", "Ask for a split past 400 lines.")
	said.Recalled.says(t, "a recall", "Memory (saved today): "+d.Path("ada/memory/feedback_small_diffs.md"))
	said.Deleted.says(t, "a deletion", "Deleted the memory “Small diffs” of ada, with memory/feedback_small_diffs.md")
	for what, failed := range map[string]answered{"an unknown name": said.Unknown, "a wrong type": said.Wrong, "a deletion by a reader": said.Refused} {
		if !failed.Failed {
			t.Errorf("%s is answered %q", what, failed.Text)
		}
	}
	said.Unknown.says(t, "an unknown name", `no memory named "zeppelin"`)
	said.Wrong.says(t, "a wrong type", "Nothing was changed")
	said.Refused.says(t, "a deletion by a reader", "Read-only token.")
	var got memory
	if err := json.Unmarshal(said.Got.Structured, &got); err != nil || got.Body != "Ask for a split past 400 lines." || got.Type != "feedback" {
		t.Errorf("a memory is %s, %v", said.Got.Structured, err)
	}
	for what, told := range map[string]struct{ text, word string }{
		"the overview": {said.Overview, "## User (120)"}, "a memory shown": {said.Shown, "Ask for a split"}, "what is to be saved": {said.Remember, "We deploy on Mondays."},
		"a resource": {said.File, "description: one concern per change"}, "the compiled file": {said.ClaudeMD, "### Small diffs"}, "a deleted resource": {said.ReadDeleted, "in the trash"},
		"a wrong token": {said.Locked, "Token required"},
	} {
		if !strings.Contains(told.text, told.word) {
			t.Errorf("%s is %.300q, without %q", what, told.text, told.word)
		}
	}
	if said.Resources != 122 || !slices.Equal(said.Completed, []string{"Small diffs"}) {
		t.Errorf("%d resources, completed %v", said.Resources, said.Completed)
	}
	if d.Memory("ada", "Small diffs").State != memories.Deleted {
		t.Error("it was not deleted")
	}
}
