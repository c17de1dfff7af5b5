package memorytool_test

import (
	"strings"
	"testing"

	"memoir/internal/memorytool"
)

// escapes are paths that must be refused.
var escapes = []string{
	"", "/", ".", "..", "memories", "memories/a.md", "a.md", "/etc/passwd", "/a.md", "//memories/a.md", "file:///memories/a.md", "~/a.md", "C:/a.md",
	"/memories/", "/memories//a.md", "/memories/sub/", "/memoriesX", "/memoriesX/a.md", "/Memories/a.md", "/memories.md", " /memories/a.md", "/memories /a.md",
	"/memories/..", "/memories/../a.md", "/memories/../memories/a.md", "/memories/sub/../a.md", "/memories/sub/..", "/memories/./a.md", "/memories/.",
	"/memories/%2e%2e/a.md", "/memories/%2e%2e%2fa.md", "/memories/%2E%2E%2Fa.md", "/memories/.%2e/a.md", "/memories/..%2fa.md", "/memories%2f..%2fa.md",
	"/memories/%252e%252e%252fa.md", "/memories/%25252e%25252e/a.md", "/memories/%2525252e%2525252e%2525252fa.md", "/memories/%" + strings.Repeat("25", 20) + ".md", "/memories/%2%65%2e/a.md",
	"/memories/%u002e%u002e/a.md", "/memories/%c0%ae%c0%ae/a.md", "/memories/%e0%80%ae%e0%80%ae/a.md", "/memories/%ff.md",
	"/memories/．．/a.md", "/memories/．．／a.md", "/memories／．．／a.md", "/memories/‥/a.md", "/memories/․․/a.md", "/memories/﹒﹒/a.md", "/memories/%ef%bc%8e%ef%bc%8e/a.md", "/memories/％2e％2e/a.md",
	"/memories/a\x00.md", "/memories/a.md\x00", "/memories/%00a.md", "/memories/%2500a.md", "/memories/a\nb.md", "/memories/a\rb.md", "/memories/%0aa.md",
	`/memories/..\a.md`, `/memories\a.md`, `\memories\a.md`, `/memories/a\b.md`, "/memories/a%5cb.md", "/memories/a＼b.md", "/memories/a﹨b.md",
	"/memories/.hidden.md", "/memories/.git/config", "/memories/sub/.git/hooks", "/memories/%2egit/config", "/memories/.memoir-tmp-x", "/memories/．git/config",
	"/memories/team/../a.md", "/memories/team/%2e%2e%2fa.md", "/memories/team/．．／a.md", "/memories/team%2f..%2fa.md", `/memories/team/..\a.md`, "/memories/team/\x00a.md",
	"/memories/\xff.md", "/memories/" + strings.Repeat("a/", 2100) + "a.md",
}

func TestInside_RefusesOutside(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.write("a.md", "one\n")
	d.write("sub/a.md", "one\n")
	d.write(".hidden.md", "hidden\n")
	d.write(".git/config", "hidden\n")
	shown := func(escape string) string { return strings.ToValidUTF8(escape, "\uFFFD") }
	for _, escape := range escapes {
		path := shown(escape)
		d.answers(viewOf(escape), "The path "+path+" does not exist. Please provide a valid path.", true)
		d.answers(createOf(escape, "x"), "Error: The path "+path+" does not exist. Please provide a valid path.", true)
		d.answers(replaceOf(escape, "one", "x"), "Error: The path "+path+" does not exist. Please provide a valid path.", true)
		d.answers(insertOf(escape, 0, "x"), "Error: The path "+path+" does not exist", true)
		d.answers(deleteOf(escape), "Error: The path "+path+" does not exist", true)
		d.answers(renameOf(escape, "/memories/x.md"), "Error: The path "+path+" does not exist", true)
		d.answers(renameOf("/memories/a.md", escape), "Error: The path "+path+" does not exist. Please provide a valid path.", true)
	}
	d.says("a.md", "one\n")
	d.says("sub/a.md", "one\n")
	d.says(".hidden.md", "hidden\n")
	d.answers(viewOf("/memories"), "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n8B\t/memories\n4B\t/memories/a.md\n4B\t/memories/sub\n4B\t/memories/sub/a.md", false)
}

func TestInside_KeepsSpelling(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for _, name := range []string{"100%.md", "50%25.md", "a%20b.md", "a b.md", "日本語.md", "Ｆｕｌｌ.md", "e\u0301.md", "a..b.md", "a...md", "%.md", "memories/a.md", "~.md"} {
		path := "/memories/" + name
		d.answers(createOf(path, "one\n"), "File created successfully at: "+path, false)
		d.says(name, "one\n")
		d.answers(deleteOf(path), "Successfully deleted "+path, false)
	}
}

func FuzzNoPathLeadsOutOfTheMemoryDirectory(f *testing.F) {
	for _, escape := range escapes {
		f.Add(escape)
	}
	f.Fuzz(func(t *testing.T, path string) {
		d := setup(t)
		result := d.run(memorytool.Input{Command: "create", Path: &path, FileText: &path})
		if !result.IsError && (!strings.HasPrefix(path, "/memories/") || strings.Contains(path, "..") && strings.Contains(path+"/", "/../")) {
			t.Errorf("created at %q", path)
		}
	})
}
