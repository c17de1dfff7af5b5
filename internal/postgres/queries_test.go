package postgres_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"memoir/internal/postgres/pgtest"
)

// Postgres prepares every generated query. sqlc does not find a misspelled column in all places.
func TestQueries_Prepare(t *testing.T) {
	t.Parallel()
	conn := pgtest.Connect(t, pgtest.New(t))
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
