package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/recall/recalltest"
)

// way is one configuration of recall: a server with these environment variables.
type way struct {
	name   string
	env    []string
	choose func(p *process, query string) []string
}

// judged is a way with its results.
type judged struct {
	Name string
	recalltest.Verdict
}

// BenchmarkQualityOfRecall compares the memories that recall chooses with those of plain Postgres.
func BenchmarkQualityOfRecall(b *testing.B) {
	questions := recalltest.Quality.Questions(b, recalltest.HeldOut)
	dir := b.TempDir()
	memory := filepath.Join(dir, "agent-00", "memory")
	makeDirectory(b, memory)
	for name, text := range recalltest.Quality.Files(b) {
		save(b, filepath.Join(memory, name), text)
	}
	withDatabase(b, func(url string, conn *pgx.Conn) {
		ways := []way{
			{"recall by keywords", nil, recalled},
			{"plain full text", nil, func(_ *process, query string) []string { return plainly(b, conn, plainFullText, query) }},
			{"plain trigrams", nil, func(_ *process, query string) []string { return plainly(b, conn, plainTrigrams, query) }},
		}
		if key := os.Getenv("ANTHROPIC_API_KEY"); key != "" {
			ways = append(ways, way{"recall by a model", []string{"ANTHROPIC_API_KEY=" + key, "ANTHROPIC_BASE_URL=" + os.Getenv("ANTHROPIC_BASE_URL")}, recalled})
		}
		for _, way := range ways {
			p := launch(b, url, dir, way.env...)
			p.untilReady()
			untilSearchable(b, conn, count(b, conn, "SELECT count(*) FROM memories"))
			v := recalltest.Judge(questions, func(q recalltest.Question) []string { return way.choose(p, q.Query) })
			report.Quality = append(report.Quality, judged{way.name, v})
			b.Logf("%s: recall@5 %.0f %%, precision %.0f %%, silent %.0f %%", way.name, v.Recall, v.Precision, v.Silent)
			p.stop()
		}
	})
	b.ReportMetric(0, "ns/op")
}

func recalled(p *process, query string) []string {
	var answer struct{ Memories []struct{ Name string } }
	if err := json.Unmarshal(p.post("/api/v1/agents/agent-00/recall", map[string]any{"query": query}), &answer); err != nil {
		p.Fatal(err)
	}
	var names []string
	for _, m := range answer.Memories {
		names = append(names, m.Name)
	}
	return names
}

// The simplest queries that Postgres offers: any of the words, in English; or similar text.
const (
	plainFullText = `SELECT m.name
		FROM memories m JOIN revisions r ON r.id = m.revision_id,
		     to_tsvector('english', m.name || ' ' || m.description || ' ' || r.body) AS words,
		     CAST(replace(plainto_tsquery('english', $1)::text, '&', '|') AS tsquery) AS query
		WHERE words @@ query
		ORDER BY ts_rank(words, query) DESC, m.modified_at DESC LIMIT $2`
	plainTrigrams = `SELECT m.name
		FROM memories m JOIN revisions r ON r.id = m.revision_id,
		     word_similarity($1, m.name || ' ' || m.description || ' ' || r.body) AS alike
		WHERE alike > 0.3
		ORDER BY alike DESC, m.modified_at DESC LIMIT $2`
)

func plainly(b *testing.B, conn *pgx.Conn, query, asked string) []string {
	b.Helper()
	rows, err := conn.Query(b.Context(), query, asked, recalltest.Most)
	if err != nil {
		b.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		b.Fatal(err)
	}
	return names
}
