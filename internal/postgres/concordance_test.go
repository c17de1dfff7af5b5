package postgres_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// changes is what happens to some hundred of the library's memories: trash, removal, other words, new ones.
var changes = []string{
	`UPDATE memories SET state = 'deleted', deleted_at = now() WHERE id IN (SELECT id FROM memories ORDER BY id DESC OFFSET 20 LIMIT 80)`,
	`DELETE FROM memories WHERE id IN (SELECT id FROM memories ORDER BY id DESC OFFSET 120 LIMIT 80)`,
	`UPDATE memory_search SET words = ('@' || (SELECT id FROM agents) || ' note:1A 2:2 ^note')::tsvector
		WHERE memory_id IN (SELECT id FROM memories ORDER BY id DESC OFFSET 250 LIMIT 80)`,
	`WITH came AS (INSERT INTO memories (id, agent_id, name, readable, state, type, revision_id, fingerprint, hash, description, size,
			path, modified_at, content_at, created_at, updated_at)
		SELECT gen_random_uuid(), agents.id, 'Came ' || n, true, 'active', 'user', gen_random_uuid(), sha256(n::text::bytea), '', 'For all', 1,
			'came/' || n, now(), now(), now(), now() FROM agents, generate_series(1, 60) n RETURNING *),
	revised AS (INSERT INTO revisions (id, memory_id, fingerprint, hash, description, body, path, seen_at)
		SELECT revision_id, id, fingerprint, '', 'For all', 'After the release', path, now() FROM came)
	INSERT INTO memory_search (memory_id, revision_id, words)
	SELECT id, revision_id, ('@' || agent_id || ' note:1 release:2A ^release 20:3')::tsvector FROM came`,
}

// TestAConcordanceFindsWhatTheIndexFinds asks the same with a concordance and without one, before and after memories change.
func TestAConcordanceFindsWhatTheIndexFinds(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 11_000)
	execute(t, l.conn, `UPDATE memories SET type = 'project' WHERE name LIKE '%7'`)
	execute(t, l.conn, `UPDATE memory_search SET words = (words::text || ' #project')::tsvector FROM memories m WHERE m.id = memory_id AND m.type = 'project'`)

	without := l.searches()
	first := l.concordance()
	if first == 0 {
		t.Fatal("there is no concordance")
	}
	l.same("made", l.searches(), without)

	for _, change := range changes {
		execute(t, l.conn, change)
	}
	with := l.searches()
	if l.concordance() != first {
		t.Error("few changes make another concordance")
	}
	execute(t, l.conn, "UPDATE concordances SET state = 'void'")
	l.same("after changes", with, l.searches())
	second := l.concordance()
	if second == first {
		t.Error("what is void is kept")
	}
	l.same("made again", l.searches(), with)

	// Memories that change while one is made.
	execute(t, l.conn, "UPDATE concordances SET state = 'void'")
	made := make(chan error)
	go func() { made <- l.store.MakeConcordances(t.Context(), func() {}) }()
	for n, making := 0, true; making; n++ {
		select {
		case err := <-made:
			if making = false; err != nil {
				t.Fatal(err)
			}
		default:
			_, err := l.conn.Exec(t.Context(), `UPDATE memory_search SET words = ('@' || (SELECT id FROM agents) || ' release:1A note:2A ^note')::tsvector
				WHERE memory_id = (SELECT id FROM memories ORDER BY id OFFSET $1 * 97 % 10000 LIMIT 1)`, n)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	with = l.searches()
	execute(t, l.conn, "UPDATE concordances SET state = 'void'")
	l.same("made while memories change", with, l.searches())
	l.concordance()

	l.purge("Note 4321")
	if l.count("SELECT count(*) FROM concordance_words WHERE word = '4321'") == 0 {
		t.Error("the concordance did not have the word that is to go")
	}
	second = l.concordance()
	if n := l.count("SELECT count(*) FROM concordance_words WHERE word = '4321'"); n > 0 {
		t.Error("a word that was purged stays")
	}

	execute(t, l.conn, "UPDATE memory_search SET revision_id = gen_random_uuid()")
	if l.concordance() == second {
		t.Error("many changes make no other concordance")
	}
	execute(t, l.conn, "DELETE FROM agents")
	l.concordance()
	for _, table := range []string{"concordances", "concordance_parts", "concordance_words", "concordance_since"} {
		if n := l.count("SELECT count(*) FROM " + table); n > 0 {
			t.Errorf("of an agent that is forgotten %d rows stay in %s", n, table)
		}
	}
}

// concordance makes those that are due and returns the one of the library; 0: none.
func (l *library) concordance() int {
	l.Helper()
	if err := l.store.MakeConcordances(l.Context(), func() {}); err != nil {
		l.Fatal(err)
	}
	return l.count("SELECT coalesce(max(id), 0) FROM concordances WHERE state = 'complete'")
}

func (l *library) purge(name string) {
	l.Helper()
	page, err := l.store.Memories(l.Context(), l.agent, postgres.List{Name: name, Limit: 1})
	if err != nil || len(page.Memories) == 0 {
		l.Fatalf("%s is not there: %v", name, err)
	}
	err = l.store.WithAgent(l.Context(), l.agent.ID, func(w *postgres.Writer) error {
		head, err := w.Head(l.Context(), page.Memories[0].ID)
		if err != nil {
			return err
		}
		return w.Purge(l.Context(), head, memories.ByScript)
	})
	if err != nil {
		l.Fatal(err)
	}
}

func (l *library) count(query string) (n int) {
	l.Helper()
	if err := l.conn.QueryRow(l.Context(), query).Scan(&n); err != nil {
		l.Fatal(err)
	}
	return n
}

type asked struct {
	words string
	of    memories.Type
}

// searches reads the first pages of different searches, past what is ranked.
func (l *library) searches() map[asked][]postgres.Page {
	l.Helper()
	all := map[asked][]postgres.Page{}
	for _, words := range []string{"note", "rele", "releases", "release 2", "note 20", "all the", "12", "note 10500", "noet", "releaze 30", "zzzz", "1 2"} {
		for _, of := range []memories.Type{"", memories.Project} {
			for cursor, more := "", true; more && len(all[asked{words, of}]) < 3; more = cursor != "" {
				page, err := l.store.Memories(l.Context(), l.agent, postgres.List{Search: words, Near: true, Type: of, Limit: 350, Cursor: cursor})
				if err != nil {
					l.Fatal(err)
				}
				cursor = page.NextCursor
				all[asked{words, of}] = append(all[asked{words, of}], page)
			}
		}
	}
	return all
}

func (l *library) same(when string, with, without map[asked][]postgres.Page) {
	l.Helper()
	for what, pages := range with {
		if !reflect.DeepEqual(pages, without[what]) {
			l.Errorf("%s, a search for %q of type %q has %q by a concordance, and without %q", when, what.words, what.of,
				described(pages), described(without[what]))
		}
	}
}

func described(pages []postgres.Page) (all []string) {
	for _, page := range pages {
		first := ""
		if len(page.Memories) > 0 {
			first = page.Memories[0].Name
		}
		all = append(all, fmt.Sprintf("%d of %d from %q, near %v", len(page.Memories), page.Total, first, page.Near))
	}
	return all
}

// TestASearchByTheSlugIsOneOfTheAgent asks by the slug alone, by a concordance, by the index, and in other orders.
func TestASearchByTheSlugIsOneOfTheAgent(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 6_000)
	execute(t, l.conn, "UPDATE agents SET claude_md_problem = 'read-only'")
	lists := []postgres.List{
		{Search: "release"}, {Search: "release", Type: memories.Project}, {Search: "relaese"}, {Search: "relaese", Near: true}, {Search: "zzzz", Near: true},
		{Search: "release", Sort: postgres.ByName}, {Search: "release", Flagged: true},
	}
	for _, when := range []string{"without a concordance", "with one"} {
		for _, list := range lists {
			list.Limit = 60
			want, err := l.store.Memories(t.Context(), l.agent, list)
			if err != nil {
				t.Fatal(err)
			}
			page, problem, err := l.store.MemoriesOf(t.Context(), l.agent.Slug, list)
			if err != nil || problem != "read-only" {
				t.Errorf("%s, %+v of the slug says %q of CLAUDE.md, and %v", when, list, problem, err)
			}
			if !reflect.DeepEqual(page.Memories, want.Memories) || page.Total != want.Total || page.Near != want.Near || page.NextCursor != want.NextCursor {
				t.Errorf("%s, %+v of the slug has %q, of the agent %q", when, list, described([]postgres.Page{page}), described([]postgres.Page{want}))
			}
			if _, _, err := l.store.MemoriesOf(t.Context(), "nobody", list); !errors.Is(err, memories.ErrNotFound) {
				t.Errorf("%s, %+v of an agent that there is none of has %v", when, list, err)
			}
		}
		if l.concordance() == 0 {
			t.Fatal("there is no concordance")
		}
	}
	if n := l.count("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()"); n > 0 {
		t.Errorf("%d searches have not ended their transaction", n)
	}
}
