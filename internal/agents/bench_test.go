package agents_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"memoir/internal/agents"
)

// BenchmarkWalk walks 100,000 memory files. It compares Walk with filepath.WalkDir plus an lstat
// per file.
func BenchmarkWalk(b *testing.B) {
	const directories, each = 100, 1000
	dir := b.TempDir()
	for i := range directories {
		memory := filepath.Join(dir, "sessions", fmt.Sprintf("u-c-%010d", i), "memory")
		if i == 0 {
			memory = filepath.Join(dir, "memory")
		}
		if err := os.MkdirAll(memory, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range each {
			if err := os.WriteFile(filepath.Join(memory, fmt.Sprintf("feedback_%d.md", j)), []byte("x"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}

	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			count := 0
			err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				count++
				_, err = os.Lstat(path)
				return err
			})
			if err != nil || count != directories*each {
				b.Fatal(count, err)
			}
		}
	})
	b.Run("walk", func(b *testing.B) {
		agent := agents.Agent{Slug: "ada", Layout: agents.Hive, Dir: dir}
		for b.Loop() {
			root, err := os.OpenRoot(dir)
			if err != nil {
				b.Fatal(err)
			}
			listing := agents.Walk(root, agent, []string{"."}, func(string) {})
			root.Close()
			if len(listing.Files) != directories*each {
				b.Fatal(len(listing.Files))
			}
		}
	})
}
