package agents_test

import (
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
)

func TestLinksToFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target string
		want   []string // besides memory/real.md
	}{
		"to a memory file are passed over":                  {"real.md", nil},
		"to a session's memory file are passed over":        {"../sessions/s/memory/s.md", nil},
		"by an absolute path inside are passed over":        {"{dir}/memory/real.md", nil},
		"to an index are passed over":                       {"MEMORY.md", nil},
		"to another file inside are read":                   {"../notes/n.md", []string{"memory/link.md"}},
		"to a file that is no Markdown are read":            {"../notes/plain.txt", []string{"memory/link.md"}},
		"to a hidden file are read":                         {".hidden.md", []string{"memory/link.md"}},
		"to another file by an absolute path are read":      {"{dir}/notes/n.md", []string{"memory/link.md"}},
		"out of the agent's directory are flagged":          {"../../outside.md", []string{"memory/link.md ! link_leaves"}},
		"out of the directory by absolute path are flagged": {"/etc/passwd", []string{"memory/link.md ! link_leaves"}},
		"to nothing are flagged":                            {"nothing.md", []string{"memory/link.md ! link_broken"}},
		"to themselves are flagged":                         {"link.md", []string{"memory/link.md ! link_broken"}},
		"by way of a file are flagged":                      {"real.md/x.md", []string{"memory/link.md ! link_broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.putAll("memory/real.md", "memory/MEMORY.md", "memory/.hidden.md", "notes/n.md", "notes/plain.txt", "sessions/s/memory/s.md")
			d.link(strings.ReplaceAll(c.target, "{dir}", d.dir), "memory/link.md")
			l := d.walk(agents.Hive, nil)
			want := append(c.want, "memory/real.md", "s: sessions/s/memory/s.md")
			wantsFiles(t, l, want...)
			if !slices.Equal(l.Indexes, []string{"memory/MEMORY.md"}) {
				t.Errorf("indexes %v", l.Indexes)
			}
			for _, entry := range l.Files {
				if entry.Problem != nil {
					continue
				}
				if data, err := agents.ReadFile(d.open(), entry.Path, 1000); err != nil || int64(len(data)) != entry.Size {
					t.Errorf("reading %s gives %d bytes (error %v), %d are listed", entry.Path, len(data), err, entry.Size)
				}
			}
		})
	}
}

func TestLinksToDirectories(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at, target string
		want       []string // besides memory/a.md and the session's s.md
	}{
		"to another directory inside are followed": {"memory/link", "../notes", []string{"memory/link/n.md"}},
		"named like a file are followed":           {"memory/link.md", "../notes", []string{"memory/link.md/n.md"}},
		"to a walked directory are passed over":    {"memory/link", "../sessions/s/memory", nil},
		"to the agent itself are passed over":      {"memory/link", "..", nil},
		"to all sessions are passed over":          {"memory/link", "../sessions", nil},
		"to a session are passed over":             {"sessions/latest", "s", nil},
		"to where they are are passed over":        {"memory/link", ".", nil},
		"of a session to the durable directory":    {"sessions/t/memory", "../../memory", nil},
		"of a session to another directory inside": {"sessions/t/memory", "../../notes", []string{"t: sessions/t/memory/n.md"}},
		"to a session kept elsewhere":              {"sessions/t", "../archive/t", []string{"t: sessions/t/memory/t.md"}},
		"that leave are flagged":                   {"memory/link", "../../elsewhere", []string{"memory/link ! link_leaves"}},
		"of a session that leave are flagged":      {"sessions/t", "/etc", []string{"t: sessions/t ! link_leaves"}},
		"of a session's memory, leaving":           {"sessions/t/memory", "/etc", []string{"t: sessions/t/memory ! link_leaves"}},
		"to nothing are flagged":                   {"memory/link", "nothing", []string{"memory/link ! link_broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.putAll("memory/a.md", "notes/n.md", "archive/t/memory/t.md", "sessions/s/memory/s.md")
			d.link(c.target, c.at)
			l := d.walk(agents.Hive, nil)
			want := append(c.want, "memory/a.md", "s: sessions/s/memory/s.md")
			slices.SortFunc(want, func(a, b string) int { return strings.Compare(pathOf(a), pathOf(b)) })
			wantsFiles(t, l, want...)
			flagged := len(c.want) > 0 && strings.Contains(c.want[0], "!")
			if l.Covers(c.at+"/was-there.md") == flagged {
				t.Errorf("beneath the link is covered: %v", !flagged)
			}
		})
	}
}

func pathOf(line string) string {
	if _, after, found := strings.Cut(line, ": "); found {
		return after
	}
	return line
}

func TestLinkedDirectoriesThatLeadToEachOtherEnd(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("notes/n.md", "more/m.md")
	d.link("../more", "notes/more")
	d.link("../notes", "more/notes")
	d.link(".", "notes/self")
	d.link("../notes", "memory/notes")
	wantsFiles(t, d.walk(agents.Hive, nil), "memory/notes/more ! link_nested", "memory/notes/n.md")
}

func TestADurableDirectoryThatIsALink(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("data/a.md")
	d.link("data", "memory")
	l := d.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory/a.md")
	if !l.DurableThere || !l.Covers("memory/gone.md") {
		t.Error("a durable directory reached by a link inside does not count as there")
	}

	leaving := setup(t)
	leaving.mkdir("sessions")
	leaving.link("/etc", "memory")
	l = leaving.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory ! link_leaves")
	if l.DurableThere || l.Covers("memory/gone.md") || l.Covers("memory") {
		t.Error("a durable directory that is a link out counts as there")
	}
}
