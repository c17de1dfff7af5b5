package memorytool_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestNumbered_Width(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.write("long.md", strings.Repeat("x\n", 999_999))
	const head = "Here's the content of /memories/long.md with line numbers:"
	d.answers(viewOf("/memories/long.md", 9, 11), head+"\n     9\tx\n    10\tx\n    11\tx", false)
	d.answers(viewOf("/memories/long.md", 999_999, -1), head+"\n999999\tx", false)
	d.write("long.md", strings.Repeat("\n", 1_000_000))
	d.answers(viewOf("/memories/long.md", 1, 2), "File /memories/long.md exceeds maximum line limit of 999,999 lines.", true)
}

func TestView_Range(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.write("a.md", "one\ntwo\nthree")
	d.write("empty.md", "")
	d.write("odd.md", "\xff\r\n\n")
	const head = "Here's the content of /memories/a.md with line numbers:"
	for lines, want := range map[[2]int]string{
		{1, 1}: "\n     1\tone", {2, 3}: "\n     2\ttwo\n     3\tthree", {2, -1}: "\n     2\ttwo\n     3\tthree", {3, 100}: "\n     3\tthree",
	} {
		d.answers(viewOf("/memories/a.md", lines[0], lines[1]), head+want, false)
	}
	for _, lines := range [][2]int{{0, 1}, {-1, 2}, {4, 5}, {4, -1}, {3, 2}, {1, 0}, {2, -2}} {
		d.answers(viewOf("/memories/a.md", lines[0], lines[1]), fmt.Sprintf("Error: Invalid `view_range` parameter: [%d, %d]. It should be within the range of lines of the file: [1, 3]", lines[0], lines[1]), true)
	}
	for _, lines := range [][]int{nil, {1, -1}, {1, 10}} {
		d.answers(viewOf("/memories/empty.md", lines...), "Here's the content of /memories/empty.md with line numbers:", false)
	}
	d.answers(viewOf("/memories/odd.md"), "Here's the content of /memories/odd.md with line numbers:\n     1\t\uFFFD\r\n     2\t", false)
	if d.run(viewOf("/memories", 7, 8)).IsError {
		t.Error("lines of a directory are an error")
	}
}

func TestListing_DepthAndHidden(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for name, size := range map[string]int{
		"a.md": 0, "b.md": 1023, "c.md": 1024, "d.md": 5632, "e.md": 1 << 20, "f.md": 1<<20 - 1, "sub/g.md": 10, "sub/deep/h.md": 2048, "sub/deep/deeper/i.md": 2048,
		".hidden": 99, "sub/.hidden/j.md": 99, "node_modules/k.md": 99, "sub/node_modules/l.md": 99, "sub-way.md": 1,
	} {
		d.write(name, strings.Repeat("x", size))
	}
	const head = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:"
	d.answers(viewOf("/memories"), head+strings.Join([]string{
		"", "2.0M\t/memories", "0B\t/memories/a.md", "1023B\t/memories/b.md", "1.0K\t/memories/c.md", "5.5K\t/memories/d.md", "1.0M\t/memories/e.md", "1.0M\t/memories/f.md",
		"4.0K\t/memories/sub", "4.0K\t/memories/sub/deep", "10B\t/memories/sub/g.md", "1B\t/memories/sub-way.md",
	}, "\n"), false)
}

func TestStrReplace_Snippet(t *testing.T) {
	t.Parallel()
	d := setup(t)
	text := ""
	for n := range 20 {
		text += fmt.Sprintf("line %d\n", n+1)
	}
	d.write("a.md", text)
	d.answers(replaceOf("/memories/a.md", "line 10\n", "ten\nand a half\n"), "The memory file has been edited."+
		"\n     6\tline 6\n     7\tline 7\n     8\tline 8\n     9\tline 9\n    10\tten\n    11\tand a half\n    12\tline 11\n    13\tline 12\n    14\tline 13\n    15\tline 14\n    16\tline 15", false)
	d.answers(replaceOf("/memories/a.md", "line 20\n", ""), "The memory file has been edited.\n    17\tline 16\n    18\tline 17\n    19\tline 18\n    20\tline 19", false)
	d.write("b.md", "all")
	d.answers(replaceOf("/memories/b.md", "all", ""), "The memory file has been edited.", false)
	d.says("b.md", "")
}

func TestStrReplace_SeveralOccurrences(t *testing.T) {
	t.Parallel()
	d := setup(t)
	const text = "aaa\nb b\nc\nb\n"
	d.write("a.md", text)
	for old, lines := range map[string]string{"aa": "1", "b": "2, 4", "b\n": "2, 4", "\n": "1, 2, 3, 4"} {
		d.answers(replaceOf("/memories/a.md", old, "x"), "No replacement was performed. Multiple occurrences of old_str `"+old+"` in lines: "+lines+". Please ensure it is unique", true)
	}
	d.says("a.md", text)
	d.answers(replaceOf("/memories/a.md", "b\nc\nb", "x"), "The memory file has been edited.\n     1\taaa\n     2\tb x", false)
	d.says("a.md", "aaa\nb x\n")
}

func TestInsert_WholeLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		line int
		add  string
		want string
	}{
		{"a\nb\n", 0, "x", "x\na\nb\n"},
		{"a\nb\n", 1, "x\n", "a\nx\nb\n"},
		{"a\nb\n", 1, "x\ny", "a\nx\ny\nb\n"},
		{"a\nb\n", 2, "x", "a\nb\nx\n"},
		{"a\nb", 2, "x", "a\nb\nx\n"},
		{"a\nb", 1, "x", "a\nx\nb"},
		{"a\n\n", 2, "x", "a\n\nx\n"},
		{"a\n", 1, "", "a\n\n"},
		{"a\n", 1, "x\n\n", "a\nx\n\n"},
		{"", 0, "x", "x\n"},
		{"a\r\nb\r\n", 1, "x\r\n", "a\r\nx\r\nb\r\n"},
	} {
		d := setup(t)
		d.write("a.md", c.text)
		d.answers(insertOf("/memories/a.md", c.line, c.add), "The file /memories/a.md has been edited.", false)
		d.says("a.md", c.want)
	}
}

func TestEdited_ConcurrentWrite(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.write("a.md", "one\n")
	interrupted := 0
	d.before = func(path string) {
		if interrupted++; interrupted == 1 {
			d.write(path, "zero\none\n")
		}
	}
	d.answers(insertOf("/memories/a.md", 1, "two"), "The file /memories/a.md has been edited.", false)
	d.says("a.md", "zero\ntwo\none\n")

	d.before = func(path string) { interrupted++; d.write(path, fmt.Sprintf("one %d\n", interrupted)) }
	d.answers(replaceOf("/memories/a.md", "one", "1"), "Error: Another program keeps writing /memories/a.md. Nothing was changed. View it and try again.", true)
	d.before = func(path string) { _ = d.root.Remove(path) }
	d.answers(insertOf("/memories/a.md", 0, "two"), "Error: The path /memories/a.md does not exist", true)
}
