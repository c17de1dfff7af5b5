package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"gopkg.in/yaml.v3"
)

// qualitySet is where the memories and the questions are by which recall is measured.
const qualitySet = "../recall/testdata/quality"

// most is how many memories a recall gives.
const most = 5

// question is one of the set.
type question struct {
	Query    string   `yaml:"query"`
	Relevant []string `yaml:"relevant"` // names
	Kind     string   `yaml:"kind"`
	Split    string   `yaml:"split"`
}

// held is the half of the set that nobody looked at while ranking was made.
const held = "held_out"

// A way is one to choose memories for a query.
type way struct {
	Name string
	// Recall is the share of what is relevant that was given, over the questions that have anything relevant; Precision the share of
	// what was given that is relevant; Silent the share of the other questions for which nothing was given. In percent.
	Recall, Precision, Silent float64
	Kinds                     []kindOfQuestion
}

type kindOfQuestion struct {
	Name      string
	Questions int
	Recall    float64 // as above; where nothing is relevant, Silent
}

// BenchmarkQualityOfRecall measures how well recall chooses, beside what plain Postgres would.
func BenchmarkQualityOfRecall(b *testing.B) {
	questions := heldOut(b)
	dir := b.TempDir()
	copyMemories(b, filepath.Join(dir, "agent-00", "memory"))
	withDatabase(b, func(url string, conn *pgx.Conn) {
		ways := []struct {
			name   string
			env    []string
			choose func(p *process, query string) []string
		}{
			{"recall by the words", nil, recalled},
			{"plain full text", nil, func(_ *process, query string) []string { return plainly(b, conn, plainFullText, query) }},
			{"plain trigrams", nil, func(_ *process, query string) []string { return plainly(b, conn, plainTrigrams, query) }},
		}
		if key := os.Getenv("ANTHROPIC_API_KEY"); key != "" {
			ways = append(ways, struct {
				name   string
				env    []string
				choose func(p *process, query string) []string
			}{"recall by a model", []string{"ANTHROPIC_API_KEY=" + key, "ANTHROPIC_BASE_URL=" + os.Getenv("ANTHROPIC_BASE_URL")}, recalled})
		}
		for _, way := range ways {
			p := launch(b, url, dir, way.env...)
			p.untilReady()
			untilSearchable(b, conn, count(b, conn, "SELECT count(*) FROM memories"))
			w := judge(questions, func(query string) []string { return way.choose(p, query) })
			w.Name = way.name
			report.Quality = append(report.Quality, w)
			b.Logf("%s: recall@5 %.0f %%, precision %.0f %%, silent %.0f %%", w.Name, w.Recall, w.Precision, w.Silent)
			p.stop()
		}
	})
	b.ReportMetric(0, "ns/op")
}

func heldOut(b *testing.B) []question {
	b.Helper()
	raw, err := os.ReadFile(filepath.Join(qualitySet, "queries.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	var all []question
	if err := yaml.Unmarshal(raw, &all); err != nil {
		b.Fatal(err)
	}
	return slices.DeleteFunc(all, func(q question) bool { return q.Split != held })
}

func copyMemories(b *testing.B, to string) {
	b.Helper()
	makeDirectory(b, to)
	files, err := filepath.Glob(filepath.Join(qualitySet, "memories", "*.md"))
	if err != nil || len(files) == 0 {
		b.Fatalf("the set has no memories: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		save(b, filepath.Join(to, filepath.Base(file)), string(raw))
	}
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

// What somebody would write who has a table and a quarter of an hour: any of the words, in English; or what looks alike.
const (
	plainFullText = `SELECT m.name
		FROM memories m JOIN revisions r ON r.id = m.revision_id,
		     to_tsvector('english', m.name || ' ' || m.description || ' ' || r.body) AS words,
		     replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery AS query
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
	rows, err := conn.Query(b.Context(), query, asked, most)
	if err != nil {
		b.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		b.Fatal(err)
	}
	return names
}

// judge asks all questions.
func judge(questions []question, choose func(query string) []string) way {
	var w way
	kinds := map[string]*kindOfQuestion{}
	given, right, answerable, silent := 0, 0, 0, 0
	for _, q := range questions {
		kind := kinds[q.Kind]
		if kind == nil {
			kind = &kindOfQuestion{Name: q.Kind}
			kinds[q.Kind] = kind
		}
		kind.Questions++
		got := choose(q.Query)
		hits := 0
		for _, name := range got {
			if slices.Contains(q.Relevant, name) {
				hits++
			}
		}
		given, right = given+len(got), right+hits
		if len(q.Relevant) > 0 {
			answerable++
			share := float64(hits) / float64(min(len(q.Relevant), most))
			w.Recall += share
			kind.Recall += share
		} else if len(got) == 0 {
			silent++
			kind.Recall++
		}
	}
	w.Recall *= 100 / float64(max(answerable, 1))
	w.Precision = 100 * float64(right) / float64(max(given, 1))
	w.Silent = 100 * float64(silent) / float64(max(len(questions)-answerable, 1))
	for _, kind := range kinds {
		kind.Recall *= 100 / float64(kind.Questions)
		w.Kinds = append(w.Kinds, *kind)
	}
	slices.SortFunc(w.Kinds, func(a, b kindOfQuestion) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) })
	return w
}

// Kind returns how a way did with one kind of question, in percent.
func (w way) Kind(name string) string {
	for _, k := range w.Kinds {
		if k.Name == name {
			return fmt.Sprintf("%.0f %%", k.Recall)
		}
	}
	return ""
}
