package memoirtest

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// maxBytes is the size of the largest memory file that is read: memories.MaxFileSize.
const maxBytes = 1 << 20

// NastyFiles returns texts of memory files that are expensive to parse, at most 1 MiB each. The
// keys are descriptions, not file names.
func NastyFiles() map[string]string {
	files := map[string]string{}
	for name, front := range nastyFronts() {
		files["front "+name] = "---\nname: n " + name + "\ntype: user\n" + front + "\n---\nBody\n"
		files["front alone "+name] = "---\n" + front + "\n---\n"
		files["front below a blank line, "+name] = "\n---\nname: b " + name + "\ntype: user\n" + front + "\n---\nBody\n"
	}
	for name, body := range NastyBodies() {
		files["body "+name] = "---\nname: body " + name + "\ntype: user\n---\n" + body
		files["text "+name] = body
	}
	files["never closed"] = "---\n" + filled("a: b\n")
	files["many dots"] = "---\nname: a\n" + filled("...\n")
	files["many blank lines"] = filled("\n")
	files["many comments"] = filled("<!-- x -->\n")
	files["a comment that never ends"] = "<!--" + filled("<!-- ")
	files["many blocks"] = filled("---\nx: 1\n---\n")
	files["TOML"] = "+++\nname = \"a\"\ntype = \"user\"\n" + filledTo(60<<10, "[[a.b.c.d]]\nx = 1\n") + "+++\nBody\n"
	files["TOML dots"] = "+++\nname = \"a\"\ntype = \"user\"\n" + strings.Repeat("a.", 30<<10) + "a = 1\n+++\nBody\n"
	files["TOML keys"] = "+++\nname = \"a\"\ntype = \"user\"\n" + numbered(60<<10, "a%d = 1\n") + "+++\nBody\n"
	files["TOML arrays"] = "+++\nname = \"a\"\ntype = \"user\"\nx = " + strings.Repeat("[", 30<<10) + strings.Repeat("]", 30<<10) + "\n+++\nBody\n"
	files["JSON"] = "{\"name\": \"a\", \"type\": \"user\", \"x\": " + strings.Repeat("[", 400<<10)
	files["JSON objects"] = strings.Repeat("{\"name\":", 120<<10)
	files["invalid UTF-8"] = "---\nname: a\ntype: user\n---\n" + filled("\xff")
	files["NUL"] = "---\nname: nul\ntype: user\n---\n" + filled("\x00")
	files["carriage returns"] = "---\rname: cr\rtype: user\r---\r" + filled("x\r")
	for name, text := range files {
		files[name] = text[:min(len(text), maxBytes)]
	}
	return files
}

// nastyFronts returns blocks of frontmatter lines that are expensive to parse, without the lines
// around a block. The keys are descriptions. Some blocks are within the parser's limits, some far
// beyond.
func nastyFronts() map[string]string {
	return map[string]string{
		"pairs":          strings.Repeat("a: b\n", 200_000),
		"pairs within":   strings.Repeat("a: b\n", 12_000),
		"other keys":     numbered(60<<10, "k%d: b # c\n"),
		"slips":          numbered(60<<10, "k%d: b: c\n"),
		"900 slips":      numbered(12<<10, "k%d: b: c\n"),
		"brackets":       "x: " + strings.Repeat("[", 60<<10),
		"closed":         "x: " + strings.Repeat("[", 9_990) + strings.Repeat("]", 9_990),
		"braces":         "x: " + strings.Repeat("{a: ", 15<<10),
		"closed braces":  "x: " + strings.Repeat("{a: ", 9_990) + strings.Repeat("}", 9_990),
		"items":          strings.Repeat("- ", 30<<10) + "x",
		"indents":        deepIndents(340),
		"questions":      strings.Repeat("? ", 30<<10) + "x",
		"flow":           "x: [" + strings.Repeat("a,", 30<<10) + "]",
		"flow pairs":     "x: [" + strings.Repeat("a: b,", 12<<10) + "]",
		"anchors":        numbered(60<<10, "- &a%d x\n"),
		"aliases":        "b: &b " + strings.Repeat("y", 30<<10) + "\nc: [" + strings.Repeat("*b,", 9_000) + "]",
		"merges":         merges(800),
		"quotes":         "x: \"" + strings.Repeat("\\n", 30<<10) + "\"",
		"open quote":     "x: \"" + strings.Repeat("a b\n", 15<<10),
		"quoted lines":   strings.Repeat("\"a\": 'b\n", 7<<10),
		"comments":       strings.Repeat("# c\n", 15<<10),
		"indented notes": "x:\n" + strings.Repeat("   # c\n", 8<<10) + "  y: 1",
		"block":          "x: |\n" + strings.Repeat(" \n", 30<<10) + "  y",
		"long line":      "x: " + strings.Repeat("word ", 12<<10),
		"long key":       strings.Repeat("k", 60<<10) + ": x",
		"tabs":           strings.Repeat("\t", 60<<10) + "x: 1",
		"spaces":         "x:" + strings.Repeat(" ", 60<<10) + "1",
		"tags":           strings.Repeat("!", 60<<10) + ": 1",
		"loose lines":    "x: a: b\n" + strings.Repeat("loose\n", 10<<10),
		"one key":        "y: a: b\n" + strings.Repeat("x: 1\n", 12<<10),
	}
}

// NastyBodies returns Markdown texts of up to 1 MiB that are expensive to parse. The keys are
// descriptions.
func NastyBodies() map[string]string {
	return map[string]string{
		"one line":       filled("word "),
		"one word":       filled("x"),
		"lines":          filled("a\n"),
		"blank":          filled("\n"),
		"paragraphs":     filled("a b *c* `d`\n\n"),
		"stars":          filled("*"),
		"spaced stars":   filled("* a *b "),
		"underscores":    filled("_a_ "),
		"backticks":      filled("`"),
		"growing ticks":  growing('`'),
		"tick pairs":     filled("` `` "),
		"tildes":         filled("~"),
		"open brackets":  filled("["),
		"brackets":       filled("[a]"),
		"links":          filled("[a](b) "),
		"open links":     filled("[a]("),
		"images":         filled("![a](<b "),
		"references":     filled("[a]: /b\n"),
		"reference uses": numbered(300<<10, "[r%d]: /b\n") + filledTo(700<<10, "[r1] "),
		"wiki links":     filled("[[a]] "),
		"open wiki":      filled("[["),
		"wiki names":     numbered(maxBytes, "[[n%d]] "),
		"autolinks":      filled("<http://a.b> "),
		"addresses":      filled("http://a.b/c "),
		"open autolinks": filled("<a"),
		"mail":           filled("a@b.c "),
		"dots":           filled("a."),
		"www":            filled("www."),
		"quotes":         filled("> "),
		"quoted lines":   filled(strings.Repeat("> ", 49) + "a\n"),
		"list":           filled("- a\n"),
		"deep list":      filled(strings.Repeat("- ", 49) + "a\n"),
		"indented lists": deepLists(1400),
		"numbers":        filled("1. a\n"),
		"tasks":          filled("- [ ] a\n"),
		"headings":       filled("# a\n"),
		"setext":         filled("a\n-\n"),
		"rules":          filled("---\n"),
		"table":          "|a|b|\n|-|-|\n" + filled("|a|b|\n"),
		"wide table":     strings.Repeat("|a", 30_000) + "|\n" + strings.Repeat("|-", 30_000) + "|\n" + filledTo(500<<10, "|a\n"),
		"many tables":    filled("|a|\n|-|\n\n"),
		"table rows":     filled("|"),
		"code":           filled("    a\n"),
		"fences":         filled("```\na\n```\n"),
		"open fences":    filled("```a\n"),
		"tags":           filled("<b>"),
		"open tags":      filled("<a b=\""),
		"html blocks":    filled("<div>\n\n"),
		"comments":       filled("<!-- a -->\n"),
		"open comments":  filled("<!-- "),
		"instructions":   filled("<? "),
		"CDATA":          filled("<![CDATA["),
		"entities":       filled("&amp;"),
		"open entities":  filled("&#"),
		"backslashes":    filled("\\"),
		"marks":          "a" + filled("\u0301"),
		"CJK":            filled("東京"),
		"emoji":          filled("👩\u200d"),
		"bidi":           filled("\u202e"),
		"index lines":    numbered(maxBytes, "- [a%d](b%d.md) — c\n"),
		"paths":          numbered(maxBytes, "`src/a%d.go:12` "),
		"functions":      numbered(maxBytes, "`f%d()` "),
		"quoted ticks":   filled("`a b` `--c` "),
		"sentences":      filled("It is gone. "),
		"keys":           numbered(maxBytes, "api_key = \"k%dAKIAIOSFODNN7EXAMPLE\"\n"),
		"secret":         filled("secret=\""),
		"password":       filled("password: aB3$xYz9 "),
		"base64":         filled("eyJhbGciOiJIUzI1NiJ9."),
		"markers":        filled("<!-- memoir:begin -->\n<!-- memoir:end -->\n"),
		"imports":        filled("@a/b "),
		"conflict":       filled("<<<<<<< a\n=======\n>>>>>>> b\n"),
		"frontmatters":   filled("---\nname: x\ntype: user\n---\n"),
	}
}

func filled(part string) string { return filledTo(maxBytes-4096, part) }

func filledTo(size int, part string) string { return strings.Repeat(part, max(1, size/len(part))) }

// numbered repeats a format as often as fits into size-4096 bytes. In each repetition, its number
// from 0 on replaces every %d.
func numbered(size int, format string) string {
	var out strings.Builder
	for i := 0; ; i++ {
		part := strings.ReplaceAll(format, "%d", fmt.Sprint(i))
		if out.Len()+len(part) > size-4096 {
			return out.String()
		}
		out.WriteString(part)
	}
}

func deepIndents(levels int) string {
	var out strings.Builder
	for i := range levels {
		out.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return out.String()
}

func deepLists(levels int) string {
	var out strings.Builder
	for i := range levels {
		if out.Len() > maxBytes-8192 {
			break
		}
		out.WriteString(strings.Repeat(" ", i) + "- a\n")
	}
	return out.String()
}

func merges(levels int) string {
	var out strings.Builder
	out.WriteString("a0: &a0 {x: 1}\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&out, "a%d: &a%d {<<: *a%d}\n", i, i, i-1)
	}
	fmt.Fprintf(&out, "<<: *a%d", levels-1)
	return out.String()
}

func growing(mark byte) string {
	var out strings.Builder
	for i := 1; out.Len() < maxBytes-8192; i++ {
		out.WriteString(strings.Repeat(string(mark), i) + " ")
	}
	return out.String()
}

// CPUTime runs f and returns the CPU time that the whole process has used during the run. The test
// must not run in parallel.
func CPUTime(tb testing.TB, f func()) time.Duration {
	tb.Helper()
	before := CPUTimeOfProcess(tb)
	f()
	return CPUTimeOfProcess(tb) - before
}

// CPUTimeOfProcess returns the CPU time that this process has used so far, in user and kernel mode.
// An error ends the test.
func CPUTimeOfProcess(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
