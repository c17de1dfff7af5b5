package postgres_test

import (
	"errors"
	"reflect"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// withFiles gives each memory the file that it says, and another one.
const withFiles = `INSERT INTO files (agent_id, path, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
	SELECT agent_id, path || suffix, id, 'carries', true, fingerprint, hash, size, 0, modified_at, content_at
	FROM memories, unnest('{"", .bak}'::text[]) suffix`

// TestAnOutlineIsOfTheSamePageAsTheList turns the pages of several lists.
func TestAnOutlineIsOfTheSamePageAsTheList(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 40)
	for _, statement := range []string{
		"UPDATE agents SET claude_md_problem = 'read-only'",
		"UPDATE memories SET type = 'project', problems = '[{}]' WHERE split_part(path, '/', 2)::int % 3 = 0",
		"UPDATE memories SET state = 'deleted', deleted_at = now() WHERE split_part(path, '/', 2)::int % 5 = 0",
		withFiles,
	} {
		execute(t, l.conn, statement)
	}
	for _, list := range []postgres.List{
		{}, {Sort: postgres.ByName}, {Sort: postgres.ByAge}, {Type: memories.Project}, {Flagged: true}, {State: memories.Deleted}, {Scope: memories.PrivateScope},
	} {
		for list.Limit = 7; ; {
			page, problem, err := l.store.MemoriesOf(t.Context(), l.agent.Slug, list)
			if err != nil {
				t.Fatal(err)
			}
			outline, err := l.store.OutlineOf(t.Context(), l.agent.Slug, list)
			if err != nil {
				t.Fatal(err)
			}
			said, err := l.store.MemoriesIn(t.Context(), l.agent.Slug, outline.Memories)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]memories.Memory, len(outline.Memories))
			for i, m := range outline.Memories {
				got[i] = said[m]
			}
			if !reflect.DeepEqual(got, page.Memories) || outline.NextCursor != page.NextCursor {
				t.Errorf("by its outline %+v has\n%+v\nby its page\n%+v", list, got, page.Memories)
			}
			if len(got) > 0 && (outline.Total != page.Total || outline.ClaudeMDProblem != problem) {
				t.Errorf("the outline of %+v tells of %d memories and %q, the page of %d and %q", list, outline.Total, outline.ClaudeMDProblem, page.Total, problem)
			}
			if list.Cursor = page.NextCursor; list.Cursor == "" {
				break
			}
		}
	}
}

func TestWhatChangesAfterItsOutlineIsNotTakenForWhatWasOutlined(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 3)
	execute(t, l.conn, withFiles)
	before, err := l.store.OutlineOf(t.Context(), l.agent.Slug, postgres.List{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"UPDATE memories SET size = size + 1", "UPDATE files SET problem = 'odd' WHERE present", "DELETE FROM files",
	} {
		execute(t, l.conn, change)
		if _, err := l.store.MemoriesIn(t.Context(), l.agent.Slug, before.Memories); !errors.Is(err, postgres.ErrOvertaken) {
			t.Errorf("after %q the memories of the outline are read with %v", change, err)
		}
		after, err := l.store.OutlineOf(t.Context(), l.agent.Slug, postgres.List{Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i := range after.Memories {
			if after.Memories[i] == before.Memories[i] {
				t.Errorf("%q leaves the stamp of a memory as it is", change)
			}
		}
		before = after
	}
}
