package sync_test

import (
	"io/fs"
	"os"
	"testing"
	"time"

	"memoir/db"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
)

// asBefore brings the schema back to what it was when a file of team/ was one like any other.
const asBefore = `
DROP INDEX memories_in_team; DROP INDEX memories_by_name;
ALTER TABLE memories DROP COLUMN team;
CREATE UNIQUE INDEX memories_by_name ON memories (agent_id, name) WHERE readable;
ALTER TABLE tombstones DROP CONSTRAINT tombstones_pkey;
ALTER TABLE tombstones DROP COLUMN team;
ALTER TABLE tombstones ADD PRIMARY KEY (agent_id, name, fingerprint);
ALTER TABLE blocked DROP COLUMN team;
UPDATE files SET path = replace(path, 'memory/shared/', 'memory/team/');
UPDATE blocked SET path = replace(path, 'memory/shared/', 'memory/team/');
UPDATE memories SET path = replace(path, 'memory/shared/', 'memory/team/');
UPDATE revisions SET path = replace(path, 'memory/shared/', 'memory/team/');
UPDATE activity SET path = replace(path, 'memory/shared/', 'memory/team/');`

func TestADatabaseWithFilesOfTeamMemoryLosesNothingAndNothingComesBack(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."), time.Hour)
	b.write("ada/memory/shared/a.md", note("Tabs", memories.Feedback, "Use spaces."))
	b.write("ada/memory/shared/wiki.md", note("Wiki", memories.Reference, "wiki.example"))
	b.write("ada/memory/shared/gone.md", note("Gone", memories.Project, "Old news."))
	b.write("ada/memory/shared/odd.md", "No frontmatter.\n")
	b.write("ada/memory/own.md", note("Own", memories.User, "Mine."))
	b.scan("ada")
	gone, wiki, tabs := b.delete("ada", "Gone"), b.memory("ada", "Wiki"), b.memory("ada", "Tabs")
	b.write("ada/memory/shared/back.md", note("Gone", memories.Project, "Old news."))
	b.scan("ada")
	b.stop()
	if err := os.Rename(b.path("ada/memory/shared"), b.path("ada/memory/team")); err != nil {
		t.Fatal(err)
	}
	b.execute(asBefore)
	migration, err := fs.ReadFile(db.Migrations, "migrations/0016_team.sql")
	if err != nil {
		t.Fatal(err)
	}
	b.execute(string(migration))
	b.start()
	b.scan("ada")
	if m := b.of(memories.PrivateScope, "Tabs"); m == nil || m.ID != tabs.ID || m.Body != "Use tabs." || m.Path != "memory/a.md" {
		t.Errorf("the private memory is %+v", m)
	}
	if m := b.of(memories.TeamScope, "Tabs"); m == nil || m.Body != "Use spaces." || m.Path != "memory/team/a.md" || m.State != memories.Active {
		t.Errorf("the team's memory of that name is %+v", m)
	}
	if m := b.of(memories.TeamScope, "Wiki"); m == nil || m.ID != wiki.ID || m.State != memories.Active {
		t.Errorf("what only team files had is %+v", m)
	}
	if m := b.of(memories.TeamScope, "Gone"); m == nil || m.ID != gone.ID || m.State != memories.Deleted || b.of(memories.PrivateScope, "Gone") != nil {
		t.Errorf("what was deleted is %+v", m)
	}
	if blocked, err := b.store.Blocked(t.Context(), b.agent("ada").ID); err != nil || len(blocked) != 1 || !blocked[0].Team {
		t.Errorf("kept out is %+v, %v", blocked, err)
	}
	if m := b.of(memories.PrivateScope, "Own"); m == nil || m.State != memories.Active || b.of(memories.TeamScope, "odd") == nil {
		t.Errorf("the rest is %+v", m)
	}
	if want := "\n## Feedback Memory\n\n### Tabs\n\nUse tabs.\n\n### Tabs (team)\n\nUse spaces.\n\n## User Memory\n\n### Own\n\nMine.\n\n## Reference Memory\n\n### Wiki (team)\n\nwiki.example\n"; b.learned() != want {
		t.Errorf("CLAUDE.md has %q", b.learned())
	}
	if gaps := append(pgtest.Journal(t, b.url)(), pgtest.Tallies(t, b.url)()...); len(gaps) > 0 {
		t.Errorf("the journal and the counts: %q", gaps)
	}
}
