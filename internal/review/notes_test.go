package review_test

import (
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
)

func TestDecide_PendingDeletion(t *testing.T) {
	t.Parallel()
	codex := &memoirtest.Memoir{TB: t, Dir: t.TempDir()}
	const text = "Releases of the shop are cut on Tuesday, from the release branch, after the smoke tests."
	codex.Write("memories/MEMORY.md", "# Task Group: shop\n\n"+text+"\n\n# Task Group: store\n\n"+text+"\n")
	s := &server{log: &record{}, model: modeltest.New(t, modeltest.SaysJSON(map[string]any{}))}
	s.Memoir = memoirtest.StartIn(t, agents.Settings{CodexDir: codex.Dir})
	s.start(t)
	item := s.open("duplicate", "store")
	kept, other := item.Memories[0].Name, item.Memories[1].Name
	for _, choice := range []body{{"decision": "keep_1"}, {"decision": "merge", "body": "Releases of the shop are cut on Tuesday."}} {
		s.decide(item, choice)
		if m := s.Memory("codex", other); m.Pending() != memories.PendingDeletion {
			t.Fatalf("%v: %s is %+v", choice, other, m)
		}
		if m := s.Memory("codex", kept); choice["decision"] == "merge" && m.Pending() != memories.PendingSave {
			t.Fatalf("merged into %+v", m)
		}
		s.examine("codex")
		if again := s.find("duplicate", other); again != nil {
			t.Errorf("%v: it asks again: %+v", choice, again)
		}
		s.undo(item)
		for _, name := range []string{kept, other} {
			if m := s.Memory("codex", name); m.Pending() != "" || m.Body != text {
				t.Errorf("after the undo of %v, %s is %+v", choice, name, m)
			}
		}
		item = s.open("duplicate", other)
	}
}
