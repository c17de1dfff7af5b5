package postgres_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/visible"
)

// Postgres prepares every generated query. sqlc does not find a misspelled column in all places. It
// also does so for a request that sees some agents, which reads views instead of tables.
func TestQueries_Prepare(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	restricted := pgtest.Connect(t, url)
	if err := visible.Restrict(t.Context(), restricted); err != nil {
		t.Fatal(err)
	}
	for name, conn := range map[string]*pgx.Conn{"tables": pgtest.Connect(t, url), "views": restricted} {
		t.Run(name, func(t *testing.T) { prepareQueries(t, conn) })
	}
}

func prepareQueries(t *testing.T, conn *pgx.Conn) {
	paths, err := filepath.Glob("internal/queries/*.go")
	if err != nil {
		t.Fatal(err)
	}
	prepared := 0
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			query, err := strconv.Unquote(literal.Value)
			if err != nil || !strings.HasPrefix(query, "-- name: ") {
				return true
			}
			prepared++
			if _, err := conn.Prepare(t.Context(), "", query); err != nil {
				name, _, _ := strings.Cut(strings.TrimPrefix(query, "-- name: "), " ")
				t.Errorf("query %s: %v", name, err)
			}
			return true
		})
	}
	if prepared < 100 {
		t.Errorf("found %d queries in %d files", prepared, len(paths))
	}
}
