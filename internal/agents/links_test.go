package agents_test

import (
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
)

func TestWalk_LinksToFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target string
		want   []string // in addition to memory/real.md
	}{
		"to a memory file are passed over":                  {"real.md", nil},
		"to a session's memory file are passed over":        {"../sessions/s/memory/s.md", nil},
		"by an absolute path inside are passed over":        {"{dir}/memory/real.md", nil},
		"to an index are passed over":                       {"MEMORY.md", nil},
		"to another file inside are read":                   {"../notes/n.md", []string{"memory/link.md"}},
		"to a file that is no Markdown are passed over":     {"../notes/plain.txt", nil},
		"to a hidden file are passed over":                  {".hidden.md", nil},
		"to a file in a hidden directory are passed over":   {"../.git/x.md", nil},
		"to a log are passed over":                          {"logs/l.md", nil},
		"to a log outside of the memory are passed over":    {"../logs/l.md", nil},
		"to CLAUDE.md are passed over":                      {"../CLAUDE.md", nil},
		"to what CLAUDE.md leads to are passed over":        {"../notes/guide.md", nil},
		"to a MEMORY.md outside are passed over":            {"../notes/memory.md", nil},
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
			d.putAll("memory/real.md", "memory/MEMORY.md", "memory/.hidden.md", "notes/n.md", "notes/plain.txt", "sessions/s/memory/s.md", "notes/guide.md",
				"notes/memory.md", "logs/l.md", "memory/logs/l.md", ".git/x.md")
			d.link("notes/guide.md", "CLAUDE.md")
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

func TestWalk_LinkedIndex(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("notes/MEMORY.md", "notes/index.txt", "memory/real.md")
	d.link("../notes/MEMORY.md", "memory/MEMORY.md")
	d.mkdir("memory/sub")
	d.link("../../notes/index.txt", "memory/sub/MEMORY.md")
	l := d.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory/real.md")
	if !slices.Equal(l.Indexes, []string{"memory/MEMORY.md", "memory/sub/MEMORY.md"}) {
		t.Errorf("indexes %v", l.Indexes)
	}
}

func TestClaudeMDIsMemory_Links(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target string
		want   bool
	}{
		"to a memory file":                        {"memory/a.md", true},
		"to one that is not there yet":            {"memory/new.md", true},
		"to one of a session":                     {"sessions/s/memory/s.md", true},
		"to an index":                             {"memory/MEMORY.md", true},
		"by an absolute path":                     {"{dir}/memory/a.md", true},
		"by way of another link":                  {"notes/hop.md", true},
		"to a file that a linked directory has":   {"shelf/b.md", true},
		"to a file that is no memory":             {"notes/n.md", false},
		"to a log":                                {"memory/logs/l.md", false},
		"to a hidden file":                        {"memory/.hidden.md", false},
		"to a file in memory that is no Markdown": {"memory/plain.txt", false},
		"to nothing":                              {"notes/nothing.md", false},
		"out of the directory":                    {"/etc/passwd", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.putAll("memory/a.md", "memory/MEMORY.md", "memory/.hidden.md", "memory/plain.txt", "memory/logs/l.md", "notes/n.md", "shelf/b.md", "sessions/s/memory/s.md")
			d.link("../memory/a.md", "notes/hop.md")
			d.link("../shelf", "memory/linked")
			d.link(strings.ReplaceAll(c.target, "{dir}", d.dir), "CLAUDE.md")
			hive := agents.Agent{Slug: "ada", Layout: agents.Hive, Dir: d.dir}
			links := d.walk(agents.Hive, nil).Links
			if got := agents.ClaudeMDIsMemory(d.open(), hive, "CLAUDE.md", slices.Values(links)); got != c.want {
				t.Errorf("it is a memory: %v, want %v", got, c.want)
			}
		})
	}
}

func TestWalk_LinksToDirectories(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at, target string
		want       []string // in addition to memory/a.md and the session's s.md
	}{
		"to another directory inside are followed": {"memory/link", "../notes", []string{"memory/link/n.md"}},
		"named like a file are followed":           {"memory/link.md", "../notes", []string{"memory/link.md/n.md"}},
		"to a walked directory are passed over":    {"memory/link", "../sessions/s/memory", nil},
		"to the agent itself are passed over":      {"memory/link", "..", nil},
		"to all sessions are passed over":          {"memory/link", "../sessions", nil},
		"to a session are passed over":             {"sessions/latest", "s", nil},
		"to where they are are passed over":        {"memory/link", ".", nil},
		"of a session to the primary directory":    {"sessions/t/memory", "../../memory", nil},
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

func TestWalk_LinkCycleEnds(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("notes/n.md", "more/m.md")
	d.link("../more", "notes/more")
	d.link("../notes", "more/notes")
	d.link(".", "notes/self")
	d.link("../notes", "memory/notes")
	wantsFiles(t, d.walk(agents.Hive, nil), "memory/notes/more ! link_nested", "memory/notes/n.md")
}

func TestWalk_PrimaryIsLink(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("data/a.md")
	d.link("data", "memory")
	l := d.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory/a.md")
	if !l.HasPrimary || !l.Covers("memory/gone.md") {
		t.Error("a primary directory reached by a link inside does not count as there")
	}

	leaving := setup(t)
	leaving.mkdir("sessions")
	leaving.link("/etc", "memory")
	l = leaving.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory ! link_leaves")
	if l.HasPrimary || l.Covers("memory/gone.md") || l.Covers("memory") {
		t.Error("a primary directory that is a link out counts as there")
	}
}
