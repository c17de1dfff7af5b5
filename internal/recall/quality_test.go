package recall_test

import (
	"flag"
	"slices"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/recall"
	"memoir/internal/recall/recalltest"
)

// shown lists the questions with poor answers: go test -run Level -v ./internal/recall -wrong
var shown = flag.Bool("wrong", false, "tell which questions of the tuning half are not answered well")

// The minimum for both halves is below the measured quality, so that it only finds mistakes.
func TestRecall_Quality(t *testing.T) {
	t.Parallel()
	files, texts := memoirtest.Files{}, []memories.Memory{}
	for name, text := range recalltest.Quality.Files(t) {
		files["ada/memory/"+name] = text
		parsed := frontmatter.Parse([]byte(text), name)
		texts = append(texts, memories.Memory{ID: name, Name: parsed.Name, Type: parsed.Type, Description: parsed.Description, Body: parsed.Body})
	}
	m := memoirtest.Start(t, files)
	byServer := func(q recalltest.Question) []string { return names(ask(t, m.Recaller, recall.Request{Query: q.Query})) }
	alone := func(q recalltest.Question) []string {
		var all []string
		for _, c := range recall.RankTexts(q.Query, texts, m.Memory("ada", "answer-first").ModifiedAt) {
			if !c.Weak {
				all = append(all, c.Name)
			}
		}
		return all
	}
	for _, split := range []recalltest.Split{recalltest.Tune, recalltest.HeldOut} {
		questions := recalltest.Quality.Questions(t, split)
		for name, choose := range map[string]func(recalltest.Question) []string{"by a server": byServer, "without one": alone} {
			v := recalltest.Judge(questions, choose)
			t.Logf("%s, %s: recall %.1f, precision %.1f, silent %.1f", split, name, v.Recall, v.Precision, v.Silent)
			for _, k := range v.Kinds {
				t.Logf("    %-14s %3d: %.0f", k.Name, k.Questions, k.Right)
			}
			if v.Recall < 73 || v.Precision < 60 || v.Silent < 50 {
				t.Errorf("%s, %s: recall %.1f, precision %.1f, silent %.1f", split, name, v.Recall, v.Precision, v.Silent)
			}
		}
		if *shown && split == recalltest.Tune {
			for _, q := range questions {
				got := byServer(q)
				if len(got) != len(q.Relevant) || slices.ContainsFunc(q.Relevant, func(name string) bool { return !slices.Contains(got, name) }) {
					t.Logf("%s %.200q\n  is to give %q\n  gives      %q", q.ID, q.Query, q.Relevant, got)
				}
			}
		}
	}
}
