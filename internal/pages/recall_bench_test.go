package pages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres/masked"
)

// manyRecalls is SQL that creates 100,000 recalls of the last 90 days. Two thirds gave one or two
// memories. Half of the memories are never given, and a few very often.
const manyRecalls = `
WITH agent AS (SELECT id FROM agents WHERE slug = 'ada'),
known AS (SELECT id, name, row_number() OVER (ORDER BY id) - 1 AS n FROM memories),
made AS (
    INSERT INTO recalls (id, agent_id, at, session, asked_by, query, state, selected_by, skipped, candidates, took_us, delivered_count)
    SELECT gen_random_uuid(), agent.id, now() - i * interval '77 seconds', 'session-' || i / 20, (ARRAY['hook', 'hook', 'script', 'mcp'])[i % 4 + 1],
           'when do we ' || repeat('deploy the service ', i % 20), 'handed_out', CASE WHEN i % 7 > 0 THEN (ARRAY['keyword', 'model'])[i % 2 + 1] END,
           CASE WHEN i % 7 = 0 THEN 'short_query' END, i % 60, 500 + i % 9000, CASE WHEN i % 7 > 0 AND i % 3 > 0 THEN i % 3 ELSE 0 END
    FROM agent, generate_series(1, 100000) AS i
    RETURNING *
)
INSERT INTO recall_items (recall_id, position, agent_id, session, at, memory_id, name, bytes, why)
SELECT made.id, place, made.agent_id, made.session, made.at, known.id, known.name, 900, '["“deploy” is in its name", "“service” is in its text"]'
FROM made
CROSS JOIN LATERAL generate_series(1, made.delivered_count) AS place
JOIN known ON known.n = 2 * (pow(made.took_us % 1000 / 1000.0, 3) * 5000)::integer + 3 * place
`

// BenchmarkRecallTab renders the tab of an agent with 10,000 memories and 100,000 recalls.
func BenchmarkRecallTab(b *testing.B) {
	files := memoirtest.Files{}
	text := strings.Repeat("A sentence of what was learned, at some length. ", 5)
	for i := range 10_000 {
		t := memories.Types()[i%4]
		files[fmt.Sprintf("ada/memory/%s_%04d.md", t, i)] = memoirtest.Note(fmt.Sprintf("Fact %04d", i), t, fmt.Sprintf("%s deploy%d service%d", text, i%500, i%7))
	}
	m := memoirtest.Start(b, files)
	conn, err := pgx.Connect(b.Context(), m.URL)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context()) //nolint:errcheck // the benchmark is over
	if _, err := conn.Exec(b.Context(), manyRecalls); err != nil {
		b.Fatal(err)
	}
	// Autovacuum would do it later.
	if _, err := conn.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
	handler := pages.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, pages.Options{Places: agents.Settings{AgentsDir: m.Dir}})
	const tab = "/agents/ada/context"
	for _, c := range []struct{ name, path string }{
		{"whole", tab}, {"a query", tab + "?q=when+do+we+deploy42+the+service"}, {"a session", tab + "?session=session-4990"},
		{"a memory", pageOf(m.Memory("ada", "Fact 0001"))},
	} {
		b.Run(c.name, func(b *testing.B) {
			request := httptest.NewRequest(http.MethodGet, c.path, nil)
			for b.Loop() {
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				if recorder.Code != http.StatusOK {
					b.Fatalf("%s answers %d: %s", c.path, recorder.Code, recorder.Body)
				}
			}
		})
	}
}
