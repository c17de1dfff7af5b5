package linetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// setup returns a line to a database with an empty table.
func setup(t *testing.T, fate func(string) linetest.Fate) (l *linetest.Line, direct *pgx.Conn) {
	t.Helper()
	url := pgtest.Empty(t)
	direct = connect(t, url)
	if _, err := direct.Exec(t.Context(), "CREATE TABLE notes (note text)"); err != nil {
		t.Fatal(err)
	}
	return linetest.New(t, url, fate), direct
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // the test may have lost it
	return conn
}

func notes(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM notes").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestLine_Intact(t *testing.T) {
	t.Parallel()
	var asked []string
	l, direct := setup(t, func(request string) linetest.Fate {
		asked = append(asked, request)
		return linetest.Answered
	})
	conn := connect(t, l.URL)
	if _, err := conn.CopyFrom(t.Context(), pgx.Identifier{"notes"}, []string{"note"}, pgx.CopyFromRows([][]any{{"a"}, {"b"}})); err != nil {
		t.Fatal(err)
	}
	var batch pgx.Batch
	batch.Queue("INSERT INTO notes VALUES ($1)", "c")
	batch.Queue("-- name: Forget :exec\nDELETE FROM notes WHERE note = $1", "a")
	if err := conn.SendBatch(t.Context(), &batch).Close(); err != nil {
		t.Fatal(err)
	}
	if got := notes(t, conn); got != 2 || notes(t, direct) != 2 {
		t.Errorf("%d notes, want 2", got)
	}
	if want := []string{`copy "notes"`, "insert, Forget", "select count(*)"}; len(asked) != 3 || asked[0] != want[0] || asked[1] != want[1] || asked[2] != want[2] {
		t.Errorf("asked about %q, want %q", asked, want)
	}
}

func TestLine_LostRequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fate linetest.Fate
		do   func(*pgx.Conn) error
		lose string
		want int // number of rows after the test
	}{
		"a statement, before": {linetest.NotSent, insert, "insert", 0},
		"a statement, after":  {linetest.Unanswered, insert, "insert", 1},
		"a commit, before":    {linetest.NotSent, inTransaction, "commit", 0},
		"a commit, after":     {linetest.Unanswered, inTransaction, "commit", 1},
		"a copy, before":      {linetest.NotSent, copyIn, `copy "notes"`, 0},
		"a copy, after":       {linetest.Unanswered, copyIn, `copy "notes"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, direct := setup(t, func(request string) linetest.Fate {
				if request == test.lose {
					return test.fate
				}
				return linetest.Answered
			})
			conn := connect(t, l.URL)
			if err := test.do(conn); err == nil || !conn.IsClosed() {
				t.Errorf("error %v, connection closed: %t", err, conn.IsClosed())
			}
			if got := notes(t, direct); got != test.want {
				t.Errorf("%d notes, want %d", got, test.want)
			}
		})
	}
}

func insert(conn *pgx.Conn) error {
	_, err := conn.Exec(context.Background(), "INSERT INTO notes VALUES ($1)", "a")
	return err
}

func inTransaction(conn *pgx.Conn) error {
	return pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error { return insert(tx.Conn()) })
}

func copyIn(conn *pgx.Conn) error {
	_, err := conn.CopyFrom(context.Background(), pgx.Identifier{"notes"}, []string{"note"}, pgx.CopyFromRows([][]any{{"a"}}))
	return err
}

func TestLine_CutAndResume(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, nil)
	conn := connect(t, l.URL)
	l.Cut()
	if err := conn.Ping(t.Context()); err == nil {
		t.Error("a connection outlived the cut")
	}
	if _, err := pgx.Connect(t.Context(), l.URL); err == nil {
		t.Error("a connection was made over a cut line")
	}
	l.Resume()
	if notes(t, connect(t, l.URL)) != 0 {
		t.Error("the mended line does not lead to the database")
	}
}

func TestLine_Silence(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, nil)
	conn := connect(t, l.URL)
	end := l.Silence()
	limited, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := conn.Ping(limited); err == nil {
		t.Error("an answer over a silent line")
	}
	end()
	if notes(t, connect(t, l.URL)) != 0 {
		t.Error("the line does not lead to the database any more")
	}
}
