package architecture_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importNames are the names under which two packages of the same name are imported: sync is always
// the standard library's.
var importNames = map[string]string{`"sync"`: "", `"memoir/internal/sync"`: "engine"}

func TestImportNames(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir("../..", func(p string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			want, ok := importNames[i.Path.Value]
			if !ok {
				continue
			}
			found++
			name := ""
			if i.Name != nil {
				name = i.Name.Name
			}
			if name != want {
				t.Errorf("%s imports %s as %q, want %q", p, i.Path.Value, name, want)
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("found %d imports of the two packages: %v", found, err)
	}
}
