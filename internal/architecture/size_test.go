package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Limits of size. A package or a type above them has more than one job.
const (
	maxSyncLines = 3000 // of a package below internal/sync, in lines of Go
	maxLines     = 5500 // of any other package
	maxMethods   = 40   // of a type
)

// largeTypes are the types that have more methods: a list of statements, a face of one line each,
// and handlers.
var largeTypes = map[string]bool{
	"internal/postgres.Store":                    true,
	"internal/postgres/internal/queries.Queries": true,
	"internal/sync.Engine":                       true,
	"internal/api.api":                           true,
	"internal/pages.site":                        true,
}

func TestSize(t *testing.T) {
	t.Parallel()
	lines, methods := map[string]int{}, map[string]int{}
	err := filepath.WalkDir("../..", func(p string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && name != "." && name != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || strings.HasSuffix(p, "_templ.go") {
			return nil
		}
		raw, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel("../..", filepath.Dir(p))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		file, err := parser.ParseFile(token.NewFileSet(), p, raw, 0)
		if err != nil {
			return err
		}
		if dir != "internal/postgres/internal/queries" {
			lines[dir] += strings.Count(string(raw), "\n")
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[dir+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range lines {
		limit := maxLines
		if strings.HasPrefix(dir, "internal/sync") {
			limit = maxSyncLines
		}
		if n > limit {
			t.Errorf("package %s has %d lines of Go, want at most %d", dir, n, limit)
		}
	}
	for name, n := range methods {
		if n > maxMethods && !largeTypes[name] {
			t.Errorf("type %s has %d methods, want at most %d: split it, or add it to largeTypes with a reason", name, n, maxMethods)
		}
	}
	if len(lines) < 40 {
		t.Errorf("%d packages found, want all", len(lines))
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
