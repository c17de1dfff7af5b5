package files_test

import (
	"errors"
	"slices"
	"testing"

	"memoir/internal/files"
)

func TestRecover_Leftovers(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("CLAUDE.md", "kept")
	p.put(".memoir-tmp-ABC", "half")
	p.put("memory/.memoir-tmp-DEF", "half")
	p.put("memory/.memoir-removing-a.md", "on its way out")
	p.put("memory/.memoir-removing-b.md", "replaced")
	p.put("memory/b.md", "newer")
	p.put("elsewhere/.memoir-tmp-GHI", "not asked for")

	p.put(".memoir-CLAUDE.md.123", "of an earlier version")
	p.put("memory/.memoir-abc", "of an earlier version")
	p.put("memory/.memoirs.md", "somebody's own")
	p.put("memory/.memoir-directory/a.md", "somebody's own")
	p.link("b.md", "memory/.memoir-link")

	back, err := files.NewGuard().Recover(p.root, []string{".", "memory", "not/there"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back, []string{"memory/a.md"}) {
		t.Errorf("put back %v, want memory/a.md", back)
	}
	p.wants("CLAUDE.md", "kept")
	p.wants("memory/a.md", "on its way out")
	p.wants("memory/b.md", "newer")
	p.wants("elsewhere/.memoir-tmp-GHI", "not asked for")
	p.wants("memory/.memoirs.md", "somebody's own")
	p.wants("memory/.memoir-directory/a.md", "somebody's own")
	p.wants("memory/.memoir-link", "newer")
	for _, gone := range []string{
		".memoir-tmp-ABC", "memory/.memoir-tmp-DEF", "memory/.memoir-removing-a.md", "memory/.memoir-removing-b.md",
		".memoir-CLAUDE.md.123", "memory/.memoir-abc",
	} {
		p.wantsNothing(gone)
	}
}

func TestRemoveIf_AfterCrash(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put(".memoir-removing-a.md", "stale")
	if err := files.NewGuard().RemoveIf(p.root, "a.md", hashOf("stale")); err != nil {
		t.Fatal(err)
	}
	p.wantsNothing("a.md")
	p.wantsNoLeftovers()
}

func TestRecover_Uncleared(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("a/.memoir-removing-x.md", "x")
	p.put("file", "no directory")
	back, err := files.NewGuard().Recover(p.root, []string{"a", "file", "none"})
	var uncleared *files.UnclearedError
	if !errors.As(err, &uncleared) || !slices.Equal(uncleared.Dirs, []string{"file"}) {
		t.Errorf("it fails with %v", err)
	}
	if !slices.Equal(back, []string{"a/x.md"}) {
		t.Errorf("%q is back", back)
	}
}
