package formats

import (
	"strings"
	"testing"
	"time"

	"memoir/internal/exchange"
	"memoir/internal/memories"
)

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// want is the expected part of a memory.
type want struct {
	agent, name string
	kind        memories.Type
	body        string // a part
	at          time.Time
	team        bool
}

func check(t *testing.T, agents []exchange.Agent, wants ...want) {
	t.Helper()
	n := 0
	for _, a := range agents {
		n += len(a.Memories)
		for _, m := range a.Memories {
			if m.Content() == nil || m.ID.String() == "" || len(m.Content().Raw) == 0 {
				t.Errorf("%q has no content", m.Name)
			}
		}
	}
	if n != len(wants) {
		t.Errorf("%d memories, want %d", n, len(wants))
	}
	for _, w := range wants {
		found := false
		for _, a := range agents {
			for _, m := range a.Memories {
				found = found || a.Slug == w.agent && m.Name == w.name && m.Type == w.kind && m.Team == w.team && strings.Contains(m.Content().Body, w.body) &&
					(w.at.IsZero() || m.ModifiedAt.Equal(w.at))
			}
		}
		if !found {
			t.Errorf("no memory %+v in %+v", w, agents)
		}
	}
}

func TestTree_Layouts(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []want
	}{
		{"notes with and without frontmatter", map[string]string{
			"plain.md": "# Deploys\n\nRun make.\n", "typed.md": "---\nname: Typed\ntype: user\n---\n\nText.\n", "empty.md": "\n",
		}, []want{{"", "plain", memories.Reference, "Run make.", day, false}, {"", "Typed", memories.User, "Text.", day, false}}},
		{"basic-memory", map[string]string{
			"notes/Coffee.md": "---\ntitle: Coffee Brewing\ntype: note\npermalink: notes/coffee\ntags:\n- coffee\n---\n\n# Coffee\n\n## Observations\n- [method] Pour over #hot\n",
		}, []want{{"", "Coffee Brewing", memories.Reference, "Pour over", day, false}}},
		{"projects of Claude Code", map[string]string{
			"-src-shop/memory/MEMORY.md": "- [A](a.md)\n", "-src-shop/memory/a.md": "---\nname: a\nmetadata:\n  type: feedback\n---\n\nA.\n", "README.md": "no memory\n",
			"-src-shop/memory/team/b.md": "---\nname: b\ntype: project\n---\n\nB.\n",
		}, []want{{"-src-shop", "a", memories.Feedback, "A.", day, false}, {"-src-shop", "b", memories.Project, "B.", day, true}}},
		{"two files of one name", map[string]string{
			"a.md": "---\nname: x\ntype: user\n---\n\nOne.\n", "b.md": "---\nname: x\ntype: user\n---\n\nOne.\n",
		}, []want{{"", "x", memories.User, "One.", day, false}}},
		{"open knowledge format", map[string]string{
			"index.md":     "---\nokf_version: \"0.2\"\n---\n\n# Agents\n",
			"ada/index.md": "# feedback\n", "ada/a.md": "---\ntype: feedback\ntitle: Use pnpm\ndescription: d\ngenerated: {by: x/1, at: 2026-02-01T00:00:00Z}\nagent: ada\nscope: team\n---\n\nPnpm.\n",
			"other/note.md": "---\ntype: Metric\ntitle: Sales\n---\n\nA metric.\n",
		}, []want{{"ada", "Use pnpm", memories.Feedback, "Pnpm.", time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), true}, {"", "Sales", memories.Reference, "A metric.", day, false}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var files []File
			for p, text := range tt.files {
				files = append(files, File{p, []byte(text), day})
			}
			found, _, err := Tree(files, Options{Now: now})
			if err != nil {
				t.Fatal(err)
			}
			check(t, found, tt.want...)
		})
	}
}

func TestJSON_Programs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []want
	}{
		{"mem0", `{"results":[{"id":"1","memory":"Prefers tea.","categories":["food"],"created_at":"2026-01-02T03:04:05Z","updated_at":null}]}`,
			[]want{{"", "Prefers tea.", memories.User, "Categories: food", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), false}}},
		{"openmemory lines", "{\"id\":\"1\",\"content\":\"Lives in Bern.\",\"state\":\"active\",\"metadata\":{},\"app\":null,\"categories\":[]}\n{\"id\":\"2\",\"content\":\"Gone.\",\"state\":\"deleted\"}\n",
			[]want{{"", "Lives in Bern.", memories.User, "Lives in Bern.", now, false}}},
		{"openmemory backup", `{"user":{},"memories":[{"id":"1","content":"Runs.","state":"active","category_ids":[]}],"export_meta":{}}`,
			[]want{{"", "Runs.", memories.User, "Runs.", now, false}}},
		{"claude-mem", `{"exportedAt":"x","observations":[{"id":1,"memory_session_id":"s","type":"decision","title":"Chose pgx","narrative":"It is faster.","facts":"[\"no ORM\"]","created_at_epoch":1767323045000}],"summaries":[{"memory_session_id":"s","request":"Add search","learned":"GIN works","completed":"Done"}],"sessions":[],"prompts":[]}`,
			[]want{{"", "Chose pgx", memories.Project, "- no ORM", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), false}, {"", "Add search", memories.Project, "GIN works", now, false}}},
		{"memoir lines", `{"id":"i","agent":"ada","name":"tabs","scope":"team","type":"feedback","description":"d","body":"Use tabs.","state":"active","problems":[],"updated_at":"2026-01-02T03:04:05Z"}`,
			[]want{{"ada", "tabs", memories.Feedback, "Use tabs.", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, _, err := JSON([]byte(tt.text), Options{Now: now})
			if err != nil {
				t.Fatal(err)
			}
			check(t, found, tt.want...)
			again, _, err := JSON([]byte(tt.text), Options{Now: now})
			if err != nil || again[0].Memories[0].ID != found[0].Memories[0].ID {
				t.Errorf("the second reading gives another id: %v", err)
			}
		})
	}
	for _, text := range []string{"", "{}", `[1,2]`, `{"a":`, `{"results":[]}`} {
		if found, _, err := JSON([]byte(text), Options{Now: now}); err == nil {
			t.Errorf("JSON(%q) = %v, want an error", text, found)
		}
	}
}

func TestNormalRemote_Ways(t *testing.T) {
	t.Parallel()
	for _, remote := range []string{
		"git@github.com:owner/name.git", "https://github.com/owner/name", "https://user:secret@GitHub.com/owner/name.git/", "ssh://git@github.com:22/owner/name.git",
	} {
		if got := exchange.NormalRemote(remote); got != "github.com/owner/name" {
			t.Errorf("NormalRemote(%q) = %q", remote, got)
		}
	}
}
