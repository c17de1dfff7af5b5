package agents_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"memoir/internal/agents"
)

// Another user's link to a directory of root is not an agent. It is listed as unreadable.
func TestDiscover_LinkOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can make links of other users")
	}
	dir := t.TempDir()
	private := filepath.Join(dir, "private")
	hive := filepath.Join(dir, "agents")
	for _, path := range []string{filepath.Join(private, "memory"), hive} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const bob = 64002
	for name, uid := range map[string]int{"bobs": bob, "own": 0} {
		link := filepath.Join(hive, name)
		if err := os.Symlink(private, link); err != nil {
			t.Fatal(err)
		}
		if err := os.Lchown(link, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	found, unreadable := agents.Discover(agents.Settings{AgentsDir: hive}, func(string) {})
	if len(found) != 1 || found[0].Slug != "own" {
		t.Errorf("found = %+v, want own alone", found)
	}
	if !slices.Contains(unreadable, filepath.Join(hive, "bobs")) {
		t.Errorf("unreadable = %q", unreadable)
	}
}
