package memorymd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

var fourFiles = []memorymd.IndexedFile{
	indexed("Release", memories.Project, "release.md", "how to release"),
	indexed("Tabs", memories.Feedback, "tabs.md", "how to indent"),
	indexed("Who", memories.User, "team/who.md", ""),
	indexed("Printer", "", "printer.md", "it jams"),
}

func TestRepair_KeepsText(t *testing.T) {
	t.Parallel()
	const (
		feedback = "- [Tabs](tabs.md) — how to indent\n"
		user     = "- [Who](team/who.md)\n"
		project  = "- [Release](release.md) — how to release\n"
		untyped  = "- [Printer](printer.md) — it jams\n"
		all      = feedback + user + project + untyped
	)
	for _, tt := range []struct{ name, index, want string }{
		{"there is none", "", all},
		{"all is well", "# Mine\n\n" + untyped + project + "\n* my own [Tabs](tabs.md)\n" + user + "\nBye.\n", "# Mine\n\n" + untyped + project + "\n* my own [Tabs](tabs.md)\n" + user + "\nBye.\n"},
		{"entries that lead to nothing", all + "- [X](x.md) — gone\n| [X](x.md) | gone |\n1. [X](x.md)\n- [Y](y.md), [X](x.md)\n", all},
		{"with text indented below them", all + "- [X](x.md)\n  more about X\n\tand more\n- [Tabs](tabs.md)\n  stays\n", all + "- [Tabs](tabs.md)\n  stays\n"},
		{"one of two links", "- [X](x.md), [Tabs](tabs.md) — hooks\n" + user + project + untyped, "- [Tabs](tabs.md) — hooks\n" + user + project + untyped},
		{"a link to the web beside it", all + "- [X](x.md), [docs](https://example.com)\n", all + "- [docs](https://example.com)\n"},
		{"prose with a dead link", "See [X](x.md) first.\n\n" + all, "See [X](x.md) first.\n\n" + all},
		{"two lines for one file", all + feedback, all + feedback},
		{"a list with text around it", "# Index\n\n" + feedback + "  by heart\n\nBye.\n", "# Index\n\n" + feedback + "  by heart\n" + user + project + untyped + "\nBye.\n"},
		{"no list at all", "# Index\n\nBye.\n\n\n", "# Index\n\nBye.\n\n" + all + "\n"},
		{"a table", "| [Tabs](tabs.md) | x |\n", "| [Tabs](tabs.md) | x |\n\n" + user + project + untyped},
		{"headings by type", "# Index\n## Feedback Memory\n- [B](b.md)\n\n## *Projects*\n\n## References:\n- [R](r.md)",
			"# Index\n## Feedback Memory\n- [B](b.md)\n" + feedback + "\n## *Projects*\n" + project + "\n## References:\n- [R](r.md)\n\n## User\n" + user + untyped},
		{"CRLF and a byte order mark", "\uFEFF# Index\r\n" + strings.ReplaceAll(feedback+user+project, "\n", "\r\n"),
			"\uFEFF# Index\r\n" + strings.ReplaceAll(feedback+user+project+untyped, "\n", "\r\n")},
		{"no line end at the end", "- [Tabs](tabs.md)", "- [Tabs](tabs.md)\n" + user + project + untyped},
		{"an entry that somebody commented out", feedback + user + project + "\n<!-- " + strings.TrimSuffix(untyped, "\n") + " -->\n", feedback + user + project + "\n<!-- " + strings.TrimSuffix(untyped, "\n") + " -->\n"},
		{"bytes that are no text", "\xff\x00 note\n" + all, "\xff\x00 note\n" + all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			leads := among("tabs.md", "team/who.md", "release.md", "printer.md", "b.md", "r.md")
			once := repaired([]byte(tt.index), fourFiles, leads)
			if string(once) != tt.want {
				t.Errorf("it became\n%q, not\n%q", once, tt.want)
			}
			if twice := repaired(once, fourFiles, leads); string(twice) != string(once) {
				t.Errorf("a second time it became\n%q", twice)
			}
		})
	}
}

// repaired returns the index after a repair that has no topics.
func repaired(index []byte, files []memorymd.IndexedFile, leads memorymd.LinkResolver) []byte {
	after, _ := memorymd.Repair(index, files, nil, leads)
	return after
}

func TestRepair_ShortensEntries(t *testing.T) {
	t.Parallel()
	long := "- [Tabs](tabs.md) — " + strings.Repeat("long ", 100) + "\n"
	prose := strings.Repeat("Handwritten. ", 40) + "\n"
	files := []memorymd.IndexedFile{fourFiles[1], indexed("Release", memories.Project, "release.md", strings.Repeat("é", 500))}
	out := string(repaired([]byte(long+prose+strings.Repeat("note\n", 100)), files, among("tabs.md", "release.md")))
	if !strings.HasPrefix(out, "- [Tabs](tabs.md) — long ") || !strings.Contains(out, "\n"+prose) || strings.Count(out, "note\n") != 100 {
		t.Errorf("the index became %q", out)
	}
	for line := range strings.Lines(out) {
		if n := len([]rune(strings.TrimSpace(line))); strings.Contains(line, ".md") && n > memories.MaxEntryLength {
			t.Errorf("an entry has %d characters: %s", n, line)
		}
	}
}

// manyFiles returns n files of each type.
func manyFiles(n int) (files []memorymd.IndexedFile) {
	for _, t := range memories.Types() {
		for i := range n {
			name := fmt.Sprintf("%s %03d", t, i)
			files = append(files, indexed(name, t, fmt.Sprintf("%s_%03d.md", t, i), "what "+name+" is about"))
		}
	}
	return files
}

// reachable returns the files that the index and its topics list.
func reachable(index []byte, topics []memorymd.Topic) map[string]bool {
	files := map[string]bool{}
	for _, file := range memorymd.Files(index) {
		files[file] = true
	}
	for _, topic := range topics {
		if !files[topic.Path] {
			continue // nothing links to it
		}
		for _, file := range topic.Files() {
			files[file] = true
		}
	}
	return files
}

func TestRepair_MovesToTopicsUntilAllIsLoaded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		perType int
		index   string
		want    []string // paths of the changed topics
	}{
		{"fits", 49, "# Index\n", nil},
		{"250 memories", 63, "# Index\n\nHandwritten.\n", []string{"reference/MEMORY.md"}},
		{"300 memories", 75, "", []string{"reference/MEMORY.md", "project/MEMORY.md"}},
		{"1,000 memories", 250, "", []string{"reference/MEMORY.md", "project/MEMORY.md", "user/MEMORY.md", "feedback/MEMORY.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := manyFiles(tt.perType)
			var paths []string
			for _, f := range files {
				paths = append(paths, f.Path)
			}
			leads := among(append(paths, "feedback/MEMORY.md", "user/MEMORY.md", "project/MEMORY.md", "reference/MEMORY.md")...)
			after, topics := memorymd.Repair([]byte(tt.index), files, nil, leads)
			var got []string
			for _, topic := range topics {
				got = append(got, topic.Path)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("changed topics = %q, want %q", got, tt.want)
			}
			if loaded := memorymd.Read(after); loaded.Warning != "" {
				t.Errorf("the index is still too long: %s", loaded.Warning)
			}
			if !strings.HasPrefix(string(after), tt.index) {
				t.Errorf("handwritten lines are not kept: %.80q", after)
			}
			all := reachable(after, topics)
			for _, file := range paths {
				if !all[file] {
					t.Fatalf("%s cannot be reached", file)
				}
			}
			again, more := memorymd.Repair(after, files, topics, leads)
			if string(again) != string(after) || len(more) > 0 {
				t.Errorf("a second repair changes the index, or %d topics", len(more))
			}
		})
	}
}

func TestRepair_ExtendsTopic(t *testing.T) {
	t.Parallel()
	files := manyFiles(60)
	var index strings.Builder
	for _, f := range files[:180] { // without references
		index.WriteString(memorymd.Entry(f.Name, f.Path, f.Description) + "\n")
	}
	index.WriteString("- [References](reference/MEMORY.md)\n" + strings.Repeat("note\n", 19))
	topic := memorymd.Topic{Path: "reference/MEMORY.md", Raw: []byte("# Mine\n- [One](../" + files[180].Path + ") — by hand\n")}
	after, topics := memorymd.Repair([]byte(index.String()), files, []memorymd.Topic{topic}, func(target string) (string, bool) { return target, true })
	if len(topics) != 1 || !strings.HasPrefix(string(topics[0].Raw), string(topic.Raw)) || len(topics[0].Files()) != 60 {
		t.Fatalf("topics = %q, want the topic with 59 further entries", topics)
	}
	if strings.Count(string(after), "reference/MEMORY.md") != 1 {
		t.Errorf("the index links to the topic more than once")
	}
}

// FuzzRepairIndex checks that a repaired index lists every file and has no dead entries. It must
// also keep lines without links and not change when it is repaired again.
func FuzzRepairIndex(f *testing.F) {
	for _, seed := range []string{
		"", "- [Tabs](tabs.md)\n- [X](x.md)\n  more\n", "\uFEFF# Feedback\r\n\r\n## User\r\n", "| [X](x.md) | [Who](team/who.md) |", "- [a[X](x.md)](y.md)\r- b",
		"<!--\n- [X](x.md)\n-->\n", "---\na: 1\n---\n- [[x.md]] [docs](http://x)\n", "* **[X](x.md)** and **[Tabs](tabs.md)**\n\t- y\n",
	} {
		f.Add([]byte(seed))
	}
	leads := among("tabs.md", "team/who.md", "release.md", "printer.md")
	f.Fuzz(func(t *testing.T, index []byte) {
		once := repaired(index, fourFiles, leads)
		if twice := repaired(once, fourFiles, leads); string(twice) != string(once) {
			t.Errorf("%q became\n%q and then\n%q", index, once, twice)
		}
		read := memorymd.Read(once)
		for _, finding := range memorymd.Lint(read, fourFiles, leads) {
			if finding.Code == memorymd.FindingUnlisted {
				t.Errorf("%q became\n%q, which does not list %s", index, once, finding.File)
			}
		}
		plain := func(text []byte) (lines []string) {
			for _, line := range strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
				if !strings.ContainsAny(line, "[]") && strings.TrimLeft(line, " \t\uFEFF") == line && line != "" {
					lines = append(lines, line)
				}
			}
			return lines
		}
		after := plain(once)
		for _, line := range plain(index) {
			at := -1
			for i := range after {
				if after[i] == line {
					at = i
					break
				}
			}
			if at < 0 {
				t.Fatalf("%q lost the line %q: %q", index, line, once)
			}
			after = after[at+1:]
		}
		total := 0
		for _, line := range read.Lines {
			if line.Number < total || line.Number > total+1 {
				t.Fatalf("line %d follows line %d", line.Number, total)
			}
			total = line.Number
		}
	})
}
