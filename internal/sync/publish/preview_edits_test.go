package publish

import (
	"fmt"
	"slices"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

func TestApplyEdits(t *testing.T) {
	t.Parallel()
	draft := func(name, body string) memories.Draft {
		return memories.Draft{Name: name, Type: memories.User, Description: "d", Body: body}
	}
	for _, tt := range []struct {
		name  string
		edits []Edit
		want  []string // "id name body" of each memory; the body is empty if unchanged
	}{
		{"no edit", nil, []string{"1 one ", "2 two "}},
		{"deletion", []Edit{{ID: "1", Delete: true}}, []string{"2 two "}},
		{"unknown deletion", []Edit{{ID: "3", Delete: true}}, []string{"1 one ", "2 two "}},
		{"new content in place", []Edit{{ID: "1", Draft: draft("uno", "text")}}, []string{"1 uno text", "2 two "}},
		{"new memory is last", []Edit{{ID: "3", Draft: draft("three", "text")}}, []string{"1 one ", "2 two ", "3 three text"}},
		{"last edit counts", []Edit{{ID: "1", Draft: draft("uno", "text")}, {ID: "1", Delete: true}}, []string{"2 two "}},
		{"one body, two memories", []Edit{{ID: "1", Draft: draft("one", "same")}, {ID: "2", Draft: draft("two", "same")}}, []string{"1 one same", "2 two same"}},
		{"everything is deleted", []Edit{{ID: "1", Delete: true}, {ID: "2", Delete: true}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := []claudemd.Summary{
				{ID: "1", Name: "one", Revision: [16]byte{1}, Recorded: claudemd.Cost{ID: "1", Chars: 5}},
				{ID: "2", Name: "two", Revision: [16]byte{2}},
			}
			after, bodies := applyEdits(before, tt.edits)
			var got []string
			revisions := map[[16]byte]bool{}
			for _, m := range after {
				body, isNew := bodies[m.Revision]
				got = append(got, fmt.Sprintf("%s %s %s", m.ID, m.Name, body))
				if isNew && (m.Type != memories.User || m.Description != "d" || m.Size != len(body) || m.ModifiedAt.IsZero()) {
					t.Errorf("edited memory = %+v, want the draft's type, description, size and a date", m)
				}
				if revisions[m.Revision] {
					t.Errorf("two memories have the revision %x", m.Revision)
				}
				revisions[m.Revision] = true
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("applyEdits() = %q, want %q", got, tt.want)
			}
			if before[0].Name != "one" || before[1].Name != "two" {
				t.Errorf("applyEdits() changed its argument to %+v", before)
			}
		})
	}
}
