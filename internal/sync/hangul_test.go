package sync_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/db"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// TestWhatWasIndexedWhenHangulWasWholeWordsIsFoundByPartsOfThem is about a database of a Memoir to which whatever stood between two
// spaces was one word, and in which no other words are indexed anew.
func TestWhatWasIndexedWhenHangulWasWholeWordsIsFoundByPartsOfThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/korean.md", note("Korean", memories.User, "한국어 문서"))
	b.write("ada/memory/harbour.md", note("Harbour", memories.User, "The harbour opens at six."))
	waittest.For(b, "the agent", func() bool { _, ok := b.list("ada", "")["Korean"]; return ok })
	b.write("ada/memory/logs/"+today(), "- 10:00 한국어 문서\n")
	b.untilLog("ada", "memory/logs/"+today(), "한국어")
	waittest.For(b, "the search index", func() bool { return b.found("문서") == 1 && b.found("harbour") == 1 })
	b.stop()

	conn, err := pgx.Connect(t.Context(), b.url)
	if err != nil {
		t.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	migration, err := db.Migrations.ReadFile("migrations/0028_words_in_hangul.sql")
	if err != nil {
		t.Fatal(err)
	}
	const asBefore = `
		UPDATE memory_search SET words = $$'@1' '#user' 'korean':1A '한국어':2C '문서':3C$$::tsvector WHERE words @@ 'korean'::tsquery;
		UPDATE logs SET words = $$'@1' '한국어':1C '문서':2C$$::tsvector, signature = 1;
		INSERT INTO search_words VALUES ('한국어'), ('문서')`
	for _, sql := range []string{asBefore, string(migration)} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var kept, known, unread int
	const left = "SELECT (SELECT count(*) FROM memory_search), (SELECT count(*) FROM search_words WHERE word IN ('한국어', '문서')), (SELECT count(*) FROM logs WHERE signature = 0)"
	if err := conn.QueryRow(t.Context(), left).Scan(&kept, &known, &unread); err != nil {
		t.Fatal(err)
	}
	if kept != 1 || known != 0 || unread != 1 {
		t.Errorf("%d memories stay in the index, %d words are still known as whole ones, and %d logs are to be read again", kept, known, unread)
	}

	b.start()
	waittest.For(b, "the search index", func() bool { return b.found("국어") == 1 && b.found("harbour") == 1 })
	waittest.For(b, "the log", func() bool {
		page, err := b.store.SearchLogs(b.Context(), b.agent("ada").ID, "국어", 10, "")
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Logs) == 1
	})
}
