package reconcile_test

import (
	"fmt"
	"slices"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/reconcile"
)

// runCase is one scan with its effect. Fields that want omits must be empty.
type runCase struct {
	name  string
	known []step // rows before the scan
	scan  []step // what the scan has found
	want  want
}

func runCases(t *testing.T, cases []runCase) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(tt.known, tt.scan)
			got := effectOf(f, reconcile.Run(f.observed, f.known))
			compareLines(t, "memories", got.memories, tt.want.memories)
			compareLines(t, "revisions", got.revisions, tt.want.revisions)
			compareLines(t, "files", got.files, tt.want.files)
			compareLines(t, "journal", got.journal, tt.want.journal)
			compareLines(t, "events", got.events, tt.want.events)
			if got.added != tt.want.added || got.updated != tt.want.updated || got.removed != tt.want.removed {
				t.Errorf("added, updated, removed = %d, %d, %d, want %d, %d, %d",
					got.added, got.updated, got.removed, tt.want.added, tt.want.updated, tt.want.removed)
			}
		})
	}
}

const (
	tabs  = "memory/tabs.md"
	other = "memory/other.md"
	s1    = "sessions/s1/memory/tabs.md"
	s2    = "sessions/s2/memory/tabs.md"
)

func TestRun_NewestContent(t *testing.T) {
	t.Parallel()
	runCases(t, []runCase{
		{
			name: "first file makes memory",
			scan: []step{reads(tabs, "tabs", "one", 5)},
			want: want{
				memories: list{"tabs active one@5 memory/tabs.md"}, revisions: list{"current one"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name: "newest of new files",
			scan: []step{reads(s1, "tabs", "two", 20), reads(tabs, "tabs", "one", 5)},
			want: want{
				memories: list{"tabs active two@20 " + s1 + " [session_conflict]"}, revisions: list{"current one", "current two"},
				journal: list{"learned tabs by disk", "changed tabs by session"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name:  "newer session file wins",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads(s1, "tabs", "two", 20)},
			want: want{
				memories: list{"tabs active two@20 " + s1 + " [session_conflict]"}, revisions: list{"current two"},
				journal: list{"changed tabs by session"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "older session file loses",
			known: []step{memory(tabs, "tabs", "one", 20)},
			scan:  []step{reads(s1, "tabs", "two", 5)},
			want:  want{memories: list{"tabs active one@20 memory/tabs.md"}, revisions: list{"past two"}},
		},
		{
			name:  "changed bytes count as now",
			known: []step{memory(s1, "tabs", "two", 20), file(tabs, "tabs", "one", 5)},
			scan:  []step{reads(tabs, "tabs", "three", 1)},
			want: want{
				memories: list{"tabs active three@60 memory/tabs.md"}, revisions: list{"current three"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name: "future time counts as now",
			scan: []step{reads(tabs, "tabs", "one", 600)},
			want: want{
				memories: list{"tabs active one@60 memory/tabs.md"}, revisions: list{"current one"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name:  "touched file never wins",
			known: []step{memory(tabs, "tabs", "one", 5), file(s1, "tabs", "two", 20)},
			scan:  []step{reads(s1, "tabs", "two", 30)},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md [session_conflict]"}},
		},
		{
			name:  "same bytes change nothing",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads(tabs, "tabs", "one", 30)},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md"}},
		},
		{
			name:  "saved file always wins",
			known: []step{memory(s1, "tabs", "two", 20), file(tabs, "tabs", "one", 5)},
			scan:  []step{saves(tabs, "tabs", "one")},
			want: want{
				memories: list{"tabs active one@60 memory/tabs.md"}, revisions: list{"current one"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "clock set back",
			known: []step{memory(tabs, "tabs", "one", 90)},
			scan:  []step{reads(tabs, "tabs", "two", 30)},
			want: want{
				memories: list{"tabs active two@90 memory/tabs.md"}, revisions: list{"current two"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "team memory is another",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads("memory/team/tabs.md", "tabs", "two", 20)},
			want: want{
				memories: list{"tabs active one@5 memory/tabs.md", "tabs(team) active two@20 memory/team/tabs.md"}, revisions: list{"current two"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
	})
}

func TestRun_Copies(t *testing.T) {
	t.Parallel()
	const copied = "memory/tabs.sync-conflict-20261103-101112-ABCDEFG.md"
	runCases(t, []runCase{
		{
			name:  "copy never wins",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads(copied, "tabs", "two", 20)},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md [duplicate_name primary_conflict]"}, revisions: list{"past two"}},
		},
		{
			name: "copy in same scan loses",
			scan: []step{reads(copied, "tabs", "two", 20), reads(tabs, "tabs", "one", 5)},
			want: want{
				memories: list{"tabs active one@5 memory/tabs.md [duplicate_name primary_conflict]"}, revisions: list{"current one", "past two"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name:  "changed copy never wins",
			known: []step{memory(tabs, "tabs", "one", 5), file("memory/archive/tabs.md", "tabs", "old", 1)},
			scan:  []step{reads("memory/archive/tabs.md", "tabs", "two", 30)},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md [primary_conflict]"}, revisions: list{"past two"}},
		},
		{
			name:  "numbered copy of original loses",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads("memory/tabs 2.md", "tabs", "two", 20)},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md [duplicate_name primary_conflict]"}, revisions: list{"past two"}},
		},
		{
			name:  "numbered file without original",
			known: []step{memory(other, "tabs", "one", 5)},
			scan:  []step{reads("memory/tabs 2.md", "tabs", "two", 20)},
			want: want{
				memories: list{"tabs active two@20 memory/tabs 2.md [duplicate_name primary_conflict]"}, revisions: list{"current two"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "copy is no source after its session",
			known: []step{memory(s1, "tabs", "two", 20), file(tabs, "tabs", "one", 5), file("memory/archive/tabs.md", "tabs", "two", 20)},
			scan:  []step{removes(s1)},
			want:  want{memories: list{"tabs active two@20 " + s1 + " [primary_conflict]"}},
		},
		{
			name: "copy alone makes memory",
			scan: []step{reads(copied, "tabs", "two", 20)},
			want: want{
				memories: list{"tabs active two@20 " + copied}, revisions: list{"current two"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name:  "original replaces its copy",
			known: []step{memory(copied, "tabs", "two", 20)},
			scan:  []step{reads(tabs, "tabs", "one", 5)},
			want: want{
				memories: list{"tabs active one@5 memory/tabs.md [duplicate_name primary_conflict]"}, revisions: list{"current one"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
	})
}

func TestRun_SeveralFiles(t *testing.T) {
	t.Parallel()
	runCases(t, []runCase{
		{
			name:  "two primary files conflict",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads(other, "tabs", "two", 20)},
			want: want{
				memories: list{"tabs active two@20 memory/other.md [duplicate_name primary_conflict]"}, revisions: list{"current two"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "two equal primary files",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads(other, "tabs", "one", 20)},
			want:  want{memories: list{"tabs active one@20 memory/tabs.md [duplicate_name]"}},
		},
		{
			name: "source removed, newest replaces it",
			known: []step{
				memory(tabs, "tabs", "three", 20), file("memory/a.md", "tabs", "one", 5), file("memory/b.md", "tabs", "two", 10),
			},
			scan: []step{removes(tabs)},
			want: want{
				memories: list{"tabs active two@10 memory/b.md [duplicate_name primary_conflict]"}, revisions: list{"current two"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "source renamed, other replaces it",
			known: []step{memory(tabs, "tabs", "two", 20), file(other, "tabs", "one", 5)},
			scan:  []step{reads(tabs, "spaces", "two", 30)},
			want: want{
				memories:  list{"spaces active two@60 memory/tabs.md", "tabs active one@5 memory/other.md"},
				revisions: list{"current two", "current one"},
				journal:   list{"learned spaces by disk", "changed tabs by disk"},
				events:    list{"saved spaces", "saved tabs"}, added: 1, updated: 1,
			},
		},
		{
			name:  "session source removed, content stays",
			known: []step{memory(s1, "tabs", "two", 20), file(tabs, "tabs", "one", 5)},
			scan:  []step{removes(s1)},
			want:  want{memories: list{"tabs active two@20 " + s1}},
		},
		{
			name:  "path of an equal file",
			known: []step{memory(s1, "tabs", "one", 20), file(s2, "tabs", "one", 10), file(tabs, "tabs", "one", 5)},
			scan:  []step{removes(s1)},
			want:  want{memories: list{"tabs active one@20 memory/tabs.md"}},
		},
	})
}

func TestRun_Removal(t *testing.T) {
	t.Parallel()
	runCases(t, []runCase{
		{
			name:  "last primary file removed",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{removes(tabs)},
			want: want{
				memories: list{"tabs deleted one@5 memory/tabs.md"},
				journal:  list{"deleted tabs by disk"}, events: list{"deleted tabs"}, removed: 1,
			},
		},
		{
			name:  "session's copy keeps memory",
			known: []step{memory(tabs, "tabs", "one", 5), file(s1, "tabs", "one", 3)},
			scan:  []step{removes(tabs)},
			want:  want{memories: list{"tabs active one@5 " + s1}},
		},
		{
			name:  "session's memory stays",
			known: []step{memory(s1, "tabs", "one", 5)},
			scan:  []step{removes(s1)},
			want:  want{memories: list{"tabs active one@5 " + s1}},
		},
		{
			name:  "file moved",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{removes(tabs), reads(other, "tabs", "one", 5)},
			want:  want{memories: list{"tabs active one@5 memory/other.md"}},
		},
		{
			name:  "removed file is back",
			known: []step{lost(memories.Deleted, tabs, "tabs", "one", 5)},
			scan:  []step{reads(tabs, "tabs", "one", 5)},
			want: want{
				memories: list{"tabs active one@5 memory/tabs.md"},
				journal:  list{"restored tabs by disk"}, events: list{"restored tabs"}, added: 1,
			},
		},
		{
			name:  "removed, and back unreadable",
			known: []step{lost(memories.Deleted, tabs, "tabs", "one", 5)},
			scan:  []step{cannotRead(tabs)},
			want: want{
				memories: list{"tabs deleted one@5 memory/tabs.md", "tabs needs_attention unknown@60 memory/tabs.md [unreadable]"}, revisions: list{"current"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name:  "primary directory away",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{removes(tabs), primaryAway},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md"}},
		},
		{
			name:  "away, other file stays unused",
			known: []step{memory(tabs, "tabs", "two", 20), file(other, "tabs", "one", 5)},
			scan:  []step{removes(tabs), primaryAway},
			want:  want{memories: list{"tabs active two@20 memory/tabs.md"}},
		},
		{
			name:  "primary directory replaced",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{removes(tabs), primaryReplaced},
			want: want{
				memories: list{"tabs missing one@5 memory/tabs.md"},
				journal:  list{"missing tabs by disk"}, events: list{"missing tabs"}, removed: 1,
			},
		},
		{
			name:  "replaced, session's copy remains",
			known: []step{memory(tabs, "tabs", "one", 5), file(s1, "tabs", "one", 3)},
			scan:  []step{removes(tabs), primaryReplaced},
			want:  want{memories: list{"tabs active one@5 " + s1}},
		},
		{
			name:  "back after missing",
			known: []step{lost(memories.Missing, tabs, "tabs", "one", 5)},
			scan:  []step{reads(tabs, "tabs", "one", 5)},
			want: want{
				memories: list{"tabs active one@5 memory/tabs.md"},
				journal:  list{"returned tabs by disk"}, events: list{"restored tabs"}, added: 1,
			},
		},
		{
			name:  "back with new content",
			known: []step{lost(memories.Missing, tabs, "tabs", "one", 5)},
			scan:  []step{reads(tabs, "tabs", "two", 20)},
			want: want{
				memories: list{"tabs active two@60 memory/tabs.md"}, revisions: list{"current two"},
				journal: list{"returned tabs by disk"}, events: list{"restored tabs"}, added: 1,
			},
		},
	})
}

func TestRun_MassRemoval(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		removed, total int
		want           memories.State
	}{
		{"one of one", 1, 1, memories.Deleted},
		{"ten of ten", 10, 10, memories.Deleted},
		{"eleven of eleven", 11, 11, memories.Missing},
		{"eleven of twenty-one", 11, 21, memories.Missing},
		{"eleven of twenty-two", 11, 22, memories.Deleted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var known, scan []step
			for i := range tt.removed {
				path, name := fmt.Sprintf("memory/m%d.md", i), fmt.Sprintf("m%d", i)
				known, scan = append(known, memory(path, name, "one", 5)), append(scan, removes(path))
			}
			f := newFixture(known, scan)
			f.observed.PrimaryCount = tt.total
			result := reconcile.Run(f.observed, f.known)
			states := map[memories.State]int{}
			for _, row := range result.ChangeSet.Heads {
				states[row.State]++
			}
			if states[tt.want] != tt.removed || len(states) != 1 || result.Removed != tt.removed {
				t.Errorf("states = %v, removed = %d, want %d %s", states, result.Removed, tt.removed, tt.want)
			}
			if kind := memories.ActivityKind(tt.want); slices.ContainsFunc(result.ChangeSet.Activity, func(e records.JournalEntry) bool { return e.Kind != kind }) {
				t.Errorf("journal = %v, want only %q", result.ChangeSet.Activity, kind)
			}
		})
	}
}

func TestRun_Renames(t *testing.T) {
	t.Parallel()
	const flat = "memory/flat.md"
	runCases(t, []runCase{
		{
			name:  "other name, other memory",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads(tabs, "spaces", "one", 30)},
			want: want{
				memories: list{"spaces active one@60 memory/tabs.md", "tabs deleted one@5 memory/tabs.md"}, revisions: list{"current one"},
				journal: list{"learned spaces by disk (tabs)", "deleted tabs by disk (spaces)"},
				events:  list{"saved spaces", "deleted tabs"}, added: 1, removed: 1,
			},
		},
		{
			name:  "other name, session's is older",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{reads("sessions/s1/memory/x.md", "spaces", "other", 30), reads(tabs, "spaces", "one", 40)},
			want: want{
				memories:  list{"spaces active one@60 memory/tabs.md", "tabs deleted one@5 memory/tabs.md"},
				revisions: list{"current other", "current one"},
				journal:   list{"learned spaces by session (tabs)", "changed spaces by disk", "deleted tabs by disk (spaces)"},
				events:    list{"saved spaces", "deleted tabs"}, added: 1, removed: 1,
			},
		},
		{
			name:  "slug keeps the memory",
			known: []step{memory(flat, "Flat One", "one", 5)},
			scan:  []step{reads(flat, "flat-one", "one", 30)},
			want: want{
				memories: list{"flat-one active one@60 memory/flat.md"}, revisions: list{"current one"},
				files: list{"renames Flat One to flat-one"}, journal: list{"renamed flat-one by disk (Flat One)"},
				events: list{"deleted Flat One", "saved flat-one"}, updated: 1,
			},
		},
		{
			name:  "slug with new content",
			known: []step{memory(flat, "Flat One", "one", 5)},
			scan:  []step{reads(flat, "flat-one", "two", 30)},
			want: want{
				memories: list{"flat-one active two@60 memory/flat.md"}, revisions: list{"current two"},
				files: list{"renames Flat One to flat-one"}, journal: list{"renamed flat-one by disk (Flat One)"},
				events: list{"deleted Flat One", "saved flat-one"}, updated: 1,
			},
		},
		{
			name:  "new session states slug too",
			known: []step{memory(flat, "Flat One", "one", 5)},
			scan:  []step{reads("sessions/s1/memory/flat.md", "flat-one", "other", 30), reads(flat, "flat-one", "two", 40)},
			want: want{
				memories: list{"flat-one active two@60 memory/flat.md"}, revisions: list{"current other", "current two"},
				files: list{"renames Flat One to flat-one"}, journal: list{"renamed flat-one by disk (Flat One)"},
				events: list{"deleted Flat One", "saved flat-one"}, updated: 1,
			},
		},
		{
			name:  "own content deleted under slug",
			known: []step{memory(flat, "Flat One", "one", 5), tombstone("flat-one", "one")},
			scan:  []step{reads(flat, "flat-one", "one", 30)},
			want: want{
				memories: list{"flat-one active one@60 memory/flat.md"}, revisions: list{"current one"},
				files: list{"renames Flat One to flat-one"}, journal: list{"renamed flat-one by disk (Flat One)"},
				events: list{"deleted Flat One", "saved flat-one"}, updated: 1,
			},
		},
		{
			name: "other content deleted under slug",
			known: []step{
				memory(flat, "Flat One", "one", 5), file("memory/flat_2.md", "Flat One", "other", 4), tombstone("flat-one", "two"),
			},
			scan: []step{reads(flat, "flat-one", "one", 30), reads("memory/flat_2.md", "flat-one", "two", 31)},
			want: want{
				memories: list{"flat-one active one@60 memory/flat.md"}, revisions: list{"current one"},
				files:   list{"renames Flat One to flat-one", "blocks memory/flat_2.md"},
				journal: list{"blocked flat-one by disk", "renamed flat-one by disk (Flat One)"},
				events:  list{"deleted Flat One", "saved flat-one"}, updated: 1,
			},
		},
		{
			name:  "slug in one file only",
			known: []step{memory(flat, "Flat One", "one", 5), file("sessions/s1/memory/flat.md", "Flat One", "one", 5)},
			scan:  []step{reads(flat, "flat-one", "two", 30)},
			want: want{
				memories:  list{"Flat One active one@5 sessions/s1/memory/flat.md", "flat-one active two@60 memory/flat.md"},
				revisions: list{"current two"},
				journal:   list{"learned flat-one by disk"}, events: list{"saved flat-one"}, added: 1,
			},
		},
		{
			name:  "slug is taken",
			known: []step{memory(flat, "Flat One", "one", 5), memory(other, "flat-one", "other", 20)},
			scan:  []step{reads(flat, "flat-one", "one", 30)},
			want: want{
				memories:  list{"Flat One deleted one@5 memory/flat.md", "flat-one active one@60 memory/flat.md [duplicate_name primary_conflict]"},
				revisions: list{"current one"},
				journal:   list{"deleted Flat One by disk", "changed flat-one by disk"},
				events:    list{"deleted Flat One", "saved flat-one"}, updated: 1, removed: 1,
			},
		},
		{
			name:  "requested rename",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{saves(other, "spaces", "one"), renames("tabs", "spaces", "one")},
			want: want{
				memories: list{"spaces active one@60 memory/other.md"}, revisions: list{"current one"},
				files: list{"renames tabs to spaces"}, journal: list{"renamed spaces by browser (tabs)"},
				events: list{"saved spaces", "deleted tabs"}, updated: 1,
			},
		},
		{
			name:  "requested rename, name taken",
			known: []step{memory(tabs, "tabs", "one", 5), memory("memory/spaces.md", "spaces", "other", 5)},
			scan:  []step{saves(other, "spaces", "one"), renames("tabs", "spaces", "one")},
			want: want{
				memories:  list{"spaces active one@60 memory/other.md [duplicate_name primary_conflict]", "tabs active one@5 memory/tabs.md"},
				revisions: list{"current one"},
				journal:   list{"changed spaces by browser"}, events: list{"saved spaces"}, updated: 1,
			},
		},
		{
			name:  "requested rename over deleted",
			known: []step{memory(tabs, "tabs", "one", 5), lost(memories.Deleted, "memory/spaces.md", "spaces", "old", 5)},
			scan:  []step{saves(other, "spaces", "one"), renames("tabs", "spaces", "one")},
			want: want{
				memories: list{"spaces active one@60 memory/other.md"}, revisions: list{"current one"},
				files:   list{"renames tabs to spaces"},
				journal: list{"cleared spaces by browser", "renamed spaces by browser (tabs)"},
				events:  list{"saved spaces", "deleted tabs"}, updated: 1,
			},
		},
		{
			name:  "moved to the team",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{removes(tabs), reads("memory/team/tabs.md", "tabs", "one", 5)},
			want: want{
				memories:  list{"tabs deleted one@5 memory/tabs.md", "tabs(team) active one@5 memory/team/tabs.md"},
				revisions: list{"current one"},
				journal:   list{"learned tabs by disk (tabs)", "deleted tabs by disk (tabs)"},
				events:    list{"deleted tabs", "saved tabs"}, added: 1, removed: 1,
			},
		},
	})
}

func TestRun_Tombstones(t *testing.T) {
	t.Parallel()
	deleted := lost(memories.Deleted, tabs, "tabs", "one", 5)
	runCases(t, []runCase{
		{
			name:  "deleted content is blocked",
			known: []step{deleted, tombstone("tabs", "one")},
			scan:  []step{reads(tabs, "tabs", "one", 30)},
			want: want{
				memories: list{"tabs deleted one@5 memory/tabs.md"}, files: list{"blocks memory/tabs.md"},
				journal: list{"blocked tabs by disk"},
			},
		},
		{
			name:  "blocked in a session",
			known: []step{deleted, tombstone("tabs", "one")},
			scan:  []step{reads(s1, "tabs", "one", 30)},
			want: want{
				memories: list{"tabs deleted one@5 memory/tabs.md"}, files: list{"blocks " + s1},
				journal: list{"blocked tabs by session"},
			},
		},
		{
			name:  "past content is blocked",
			known: []step{memory(tabs, "tabs", "two", 20), tombstone("tabs", "one")},
			scan:  []step{reads(other, "tabs", "one", 30)},
			want: want{
				memories: list{"tabs active two@20 memory/tabs.md"}, files: list{"blocks memory/other.md"},
				journal: list{"blocked tabs by disk"},
			},
		},
		{
			name:  "new content revives",
			known: []step{deleted, tombstone("tabs", "one")},
			scan:  []step{reads(tabs, "tabs", "two", 30)},
			want: want{
				memories: list{"tabs active two@60 memory/tabs.md"}, revisions: list{"current two"},
				journal: list{"restored tabs by disk"}, events: list{"restored tabs"}, added: 1,
			},
		},
		{
			name:  "purged content is blocked",
			known: []step{tombstone("tabs", "one")},
			scan:  []step{reads(tabs, "tabs", "one", 30)},
			want:  want{files: list{"blocks memory/tabs.md"}, journal: list{"blocked tabs by disk"}},
		},
		{
			name:  "other name is free",
			known: []step{deleted, tombstone("tabs", "one")},
			scan:  []step{reads(other, "spaces", "one", 30)},
			want: want{
				memories:  list{"spaces active one@30 memory/other.md", "tabs deleted one@5 memory/tabs.md"},
				revisions: list{"current one"},
				journal:   list{"learned spaces by disk"}, events: list{"saved spaces"}, added: 1,
			},
		},
		{
			name:  "blocked again without entry",
			known: []step{memory(tabs, "tabs", "two", 20), file(other, "tabs", "one", 5), status(other, records.Blocked), tombstone("tabs", "one")},
			scan:  []step{reads(other, "tabs", "one", 30)},
			want:  want{memories: list{"tabs active two@20 memory/tabs.md"}, files: list{"blocks memory/other.md"}},
		},
		{
			name:  "blocked file gets new content",
			known: []step{memory(tabs, "tabs", "two", 20), file(other, "tabs", "one", 5), status(other, records.Blocked), tombstone("tabs", "one")},
			scan:  []step{reads(other, "tabs", "three", 30)},
			want: want{
				memories: list{"tabs active three@60 memory/other.md [duplicate_name primary_conflict]"}, revisions: list{"current three"},
				files: list{"unblocks memory/other.md"}, journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "blocked file removed",
			known: []step{memory(tabs, "tabs", "two", 20), file(other, "tabs", "one", 5), status(other, records.Blocked), tombstone("tabs", "one")},
			scan:  []step{removes(other)},
			want:  want{memories: list{"tabs active two@20 memory/tabs.md"}, files: list{"unblocks memory/other.md"}},
		},
		{
			name:  "blocked file keeps no memory",
			known: []step{memory(tabs, "tabs", "two", 20), file(other, "tabs", "one", 5), status(other, records.Blocked), tombstone("tabs", "one")},
			scan:  []step{removes(tabs)},
			want: want{
				memories: list{"tabs deleted two@20 memory/tabs.md"},
				journal:  list{"deleted tabs by disk"}, events: list{"deleted tabs"}, removed: 1,
			},
		},
		{
			name:  "file awaits its removal",
			known: []step{deleted, file(other, "tabs", "one", 5), status(other, records.Removing)},
			scan:  []step{reads(other, "tabs", "one", 30)},
			want:  want{memories: list{"tabs deleted one@5 memory/tabs.md"}},
		},
		{
			name:  "file changed before its removal",
			known: []step{deleted, file(other, "tabs", "one", 5), status(other, records.Removing), tombstone("tabs", "one")},
			scan:  []step{reads(other, "tabs", "two", 30)},
			want: want{
				memories: list{"tabs active two@60 memory/other.md"}, revisions: list{"current two"},
				journal: list{"restored tabs by disk"}, events: list{"restored tabs"}, added: 1,
			},
		},
	})
}

func TestRun_BrokenFiles(t *testing.T) {
	t.Parallel()
	runCases(t, []runCase{
		{
			name:  "empty file keeps last content",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{empties(tabs)},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md (hash empty) [last_good]"}},
		},
		{
			name:  "empty file finished again",
			known: []step{memory(tabs, "tabs", "one", 5), unfinished(tabs)},
			scan:  []step{reads(tabs, "tabs", "one", 30)},
			want:  want{memories: list{"tabs active one@5 memory/tabs.md"}, revisions: list{"current one"}},
		},
		{
			name:  "empty file gets new content",
			known: []step{memory(tabs, "tabs", "one", 5), unfinished(tabs)},
			scan:  []step{reads(tabs, "tabs", "two", 30)},
			want: want{
				memories: list{"tabs active two@60 memory/tabs.md"}, revisions: list{"current two"},
				journal: list{"changed tabs by disk"}, events: list{"saved tabs"}, updated: 1,
			},
		},
		{
			name:  "empty file removed",
			known: []step{memory(tabs, "tabs", "one", 5), unfinished(tabs)},
			scan:  []step{removes(tabs)},
			want: want{
				memories: list{"tabs deleted one@5 memory/tabs.md (hash empty)"},
				journal:  list{"deleted tabs by disk"}, events: list{"deleted tabs"}, removed: 1,
			},
		},
		{
			name: "file without type",
			scan: []step{readsTypeless(tabs, "tabs", 5)},
			want: want{
				memories: list{"tabs needs_attention unknown@5 memory/tabs.md [no_description type_missing]"}, revisions: list{"current"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name: "unreadable file is listed",
			scan: []step{cannotRead(tabs)},
			want: want{
				memories: list{"tabs needs_attention unknown@60 memory/tabs.md [unreadable]"}, revisions: list{"current"},
				journal: list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name:  "unreadable file keeps its memory",
			known: []step{memory(tabs, "tabs", "one", 5)},
			scan:  []step{cannotRead(tabs)},
			want: want{
				memories:  list{"tabs active one@5 memory/tabs.md", "tabs needs_attention unknown@60 memory/tabs.md [unreadable]"},
				revisions: list{"current"},
				journal:   list{"learned tabs by disk"}, events: list{"saved tabs"}, added: 1,
			},
		},
		{
			name:  "readable again",
			known: []step{memory(tabs, "tabs", "one", 5), status(tabs, records.Unreadable), unreadableEntry(tabs)},
			scan:  []step{reads(tabs, "tabs", "one", 30)},
			want: want{
				memories: list{"tabs active one@5 memory/tabs.md"}, files: list{"drops memory/tabs.md"},
				journal: list{"cleared tabs by disk"},
			},
		},
		{
			name:  "unreadable file removed",
			known: []step{memory(tabs, "indent", "one", 5), status(tabs, records.Unreadable), unreadableEntry(tabs)},
			scan:  []step{removes(tabs)},
			want: want{
				memories: list{"indent deleted one@5 memory/tabs.md"}, files: list{"drops memory/tabs.md"},
				journal: list{"deleted indent by disk", "cleared tabs by disk"}, events: list{"deleted indent"}, removed: 1,
			},
		},
	})
}

func TestRun_BlockedFileOfNewMemory(t *testing.T) {
	t.Parallel()
	for _, modified := range []int{10, 40} { // before and after the file that creates the memory
		f := newFixture([]step{tombstone("tabs", "one")}, []step{reads(tabs, "tabs", "one", modified), reads(s1, "tabs", "two", 30)})
		b := reconcile.Run(f.observed, f.known).ChangeSet
		for _, file := range b.NewFiles {
			if len(b.NewHeads) != 1 || file.MemoryID != b.NewHeads[0].UUID {
				t.Errorf("%s, modified at %d, belongs to memory %s of %d", file.Path, modified, file.MemoryID, len(b.NewHeads))
			}
		}
	}
}
