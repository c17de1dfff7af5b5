package sync_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/exchange"
	"memoir/internal/files"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

// long is how old the files are that are there before an operation.
const long = 30 * 24 * time.Hour

func (s *stage) put(name, text string) {
	s.Helper()
	s.writeAged(s.slug+"/"+name, text, long)
}

func (s *stage) putNote(name, of, body string) { s.put(name, note(of, memories.Feedback, body)) }

// tabs is a memory in the primary directory and in three sessions, with two indexes, and another
// one beside it.
func tabs(s *stage) {
	s.Helper()
	s.putNote("memory/other.md", "Other", "Stays.")
	s.putNote("memory/tabs.md", "Tabs", "Use tabs.")
	s.put("memory/MEMORY.md", "# Index\n- [Tabs](tabs.md) — how to indent\n- [Other](other.md) — stays\n")
	s.put("sessions/u-c-1/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	s.put("sessions/u-c-1/memory/MEMORY.md", "- [Tabs](tabs.md)\n")
	for i, body := range []string{"Use spaces.", "Use nothing."} {
		name := fmt.Sprintf("%s/sessions/u-c-%d/memory/tabs.md", s.slug, i+2)
		s.writeAged(name, note("Tabs", memories.Feedback, body), long+time.Duration(i+1)*time.Hour)
	}
	s.scanAll()
}

// withTargets is tabs, also published into a new file, an existing file, and one in new directories.
func withTargets(s *stage) {
	s.Helper()
	s.put("GEMINI.md", "# Mine")
	tabs(s)
	s.mustDo(targetsOf("agents", "gemini", "copilot")(s))
}

// targetsOf chooses targets.
func targetsOf(names ...string) func(*stage) []error {
	return func(s *stage) []error {
		_, err := s.engine.SetTargets(byScript, s.slug, names)
		return []error{err}
	}
}

// inTrash is tabs, deleted.
func inTrash(s *stage) {
	s.Helper()
	tabs(s)
	s.mustDo(deleteOf("Tabs")(s))
}

// onlyInSessions is a memory without a primary file.
func onlyInSessions(s *stage) {
	s.Helper()
	s.putNote("memory/other.md", "Other", "Stays.")
	s.putNote("sessions/u-c-1/memory/tabs.md", "Tabs", "Use tabs.")
	s.scanAll()
}

// three are memories to be dealt with at once. No name is part of anything else.
var three = []string{"Quince", "Rhubarb", "Sorrel"}

func threeMemories(s *stage) {
	s.Helper()
	index := ""
	for _, name := range three {
		s.putNote("memory/"+name+".md", name, name+" says something.")
		index += "- [" + name + "](" + name + ".md)\n"
	}
	s.putNote("sessions/u-c-1/memory/Rhubarb.md", "Rhubarb", "Rhubarb said something else.")
	s.put("memory/MEMORY.md", index)
	s.scanAll()
}

// garden is a directory with memories, and another memory beside it.
func garden(s *stage) {
	s.Helper()
	s.putNote("memory/other.md", "Other", "Stays.")
	for i, name := range three {
		s.putNote(fmt.Sprintf("memory/garden/%s%s.md", strings.Repeat("bed/", i%2), name), name, name+" says something.")
	}
	s.scanAll()
}

// byScript is the context of a request to the API.
var byScript = engine.As(context.Background(), memories.ByScript)

// journalBlocked is a content that came back after its deletion.
func keptOut(s *stage) {
	s.Helper()
	inTrash(s)
	s.putNote("sessions/u-c-4/memory/tabs.md", "Tabs", "Use tabs.")
	s.scanAll()
}

// missing are memories that went all at once.
func missing(s *stage) {
	s.Helper()
	for i := range 12 {
		s.putNote(fmt.Sprintf("memory/m%d.md", i), fmt.Sprintf("Number %d", i), fmt.Sprintf("Says %d.", i))
	}
	for _, name := range three {
		s.putNote("memory/"+name+".md", name, name+" says something.")
	}
	s.scanAll()
	for i := range 12 {
		s.remove(fmt.Sprintf("%s/memory/m%d.md", s.slug, i))
	}
	for _, name := range three {
		s.remove(s.slug + "/memory/" + name + ".md")
	}
	s.scanAll()
}

// lenient is a file that YAML refuses.
const lenient = "---\nname: Tabs\ndescription: indent: how\ntype: feedback\n---\n\nUse tabs.\n"

// leniently is a memory with a file that YAML refuses, and one that says something newer.
func leniently(s *stage) {
	s.Helper()
	s.put("memory/tabs.md", lenient)
	s.put("sessions/u-c-1/memory/tabs.md", note("Tabs", memories.Feedback, "Use spaces."))
	s.scanAll()
}

func operations() []operation {
	return []operation{
		{name: "delete", before: tabs, do: deleteOf("Tabs")},
		{name: "delete of agent with targets", before: withTargets, do: deleteOf("Tabs")},
		{name: "publish to targets", before: tabs, do: targetsOf("agents", "copilot")},
		{name: "stop targets", before: withTargets, do: targetsOf()},
		{name: "purge", before: tabs, do: purgeOf("Tabs"), partly: func(s *stage) { s.mustDo(deleteOf("Tabs")(s)) }},
		{name: "purge what is in the trash", before: inTrash, do: purgeOf("Tabs")},
		{name: "restore", before: inTrash, do: restoreOf("Tabs")},
		{name: "restore what only sessions had", before: func(s *stage) { onlyInSessions(s); s.mustDo(deleteOf("Tabs")(s)) }, do: restoreOf("Tabs")},
		{name: "save a new one", before: tabs, do: saveOf("New", "Learned.")},
		{name: "save over one", before: tabs, do: saveOf("Tabs", "Use both.")},
		{name: "save what only sessions have", before: onlyInSessions, do: saveOf("Tabs", "Use both.")},
		{name: "save a deleted one", before: inTrash, do: saveOf("Tabs", "Use tabs."), partly: withoutTombstone("Use tabs."),
			entry: "memory/MEMORY.md has the line - [Tabs](tabs.md) — About Tabs"}, // where the removed line cannot come back
		{name: "edit", before: tabs, do: patchOf("Tabs", func(p *engine.Patch) { body := "Use both."; p.Body = &body })},
		{name: "rename", before: tabs, do: patchOf("Tabs", func(p *engine.Patch) { name := "Spaces"; p.Name = &name })},
		{name: "move to team", before: tabs, do: asked("Tabs", func(s *stage, ctx context.Context, id string) error {
			_, err := s.engine.Move(ctx, s.slug, id, "", engine.Destination{Scope: memories.TeamScope})
			return err
		})},
		{name: "copy to team", before: tabs, do: asked("Tabs", func(s *stage, ctx context.Context, id string) error {
			_, err := s.engine.Copy(ctx, s.slug, id, "", engine.Destination{Scope: memories.TeamScope})
			return err
		})},
		{name: "mend", before: leniently, do: mend, partly: edited(mended)},
		{name: "undo mending", before: func(s *stage) { leniently(s); s.mustDo(mend(s)) }, do: undoMending, partly: edited(func(*stage) string { return lenient })},
		{name: "still true", before: func(s *stage) {
			tabs(s)
			s.put("sessions/u-c-1/memory/tabs.md", "---\nname: Tabs\ndescription: About Tabs\ntype: feedback\nmetadata:\n  modified: 2020-01-02T03:04:05Z\n---\n\nUse tabs.\n")
			s.put("sessions/u-c-2/memory/tabs.md", "---\nname: Tabs\ndescription: About Tabs\ntype: feedback\nmetadata:\n  modified: 2020-01-02T03:04:05Z\n---\n\nUse spaces.\n")
			s.scanAll()
		}, do: verifyOf("Tabs")},
		{name: "delete several", before: threeMemories, items: three, do: severally((*engine.Engine).DeleteMany, three...)},
		{name: "restore several", items: three, do: severally((*engine.Engine).RestoreMany, three...), before: func(s *stage) {
			threeMemories(s)
			s.mustDo(severally((*engine.Engine).DeleteMany, three...)(s))
		}},
		{name: "delete missing ones", before: missing, items: three, do: severally((*engine.Engine).DeleteMany, three...)},
		{name: "write back missing ones", before: missing, items: three, do: severally((*engine.Engine).RestoreMany, three...)},
		{name: "rebuild the index", before: func(s *stage) { tabs(s); s.putNote("memory/new.md", "New", "Unlisted."); s.scanAll() }, do: one(func(s *stage) error {
			_, err := s.engine.RepairIndex(context.Background(), s.slug, "")
			return err
		})},
		{name: "an agent creates a file", before: tabs, do: one(func(s *stage) error {
			return s.engine.CreateFile(byScript, s.slug, "sub/new.md", []byte(note("New", memories.Feedback, "Learned.")))
		})},
		{name: "an agent edits a file", before: tabs, do: one(func(s *stage) error {
			raw, err := s.engine.ReadFile(byScript, s.slug, "tabs.md")
			if err != nil {
				return err
			}
			return s.engine.ReplaceFile(byScript, s.slug, "tabs.md", files.Hash(raw), []byte(note("Tabs", memories.Feedback, "Use both.")))
		})},
		{name: "an agent renames a file", before: tabs, do: one(func(s *stage) error {
			return s.engine.RenameFile(byScript, s.slug, "tabs.md", "style/tabs.md")
		})},
		{name: "an agent renames a directory", before: garden, do: one(func(s *stage) error {
			return s.engine.RenameFile(byScript, s.slug, "garden", "plot/garden")
		})},
		{name: "an agent removes a file", before: tabs, do: one(func(s *stage) error {
			return s.engine.RemoveFile(byScript, s.slug, "other.md")
		})},
		{name: "an agent removes a directory", before: garden, items: three, do: func(s *stage) []error {
			err := s.engine.RemoveFile(byScript, s.slug, "garden")
			return []error{err, err, err}
		}},
		{name: "let in", before: keptOut, do: one(func(s *stage) error {
			id, err := s.blockedID()
			if err == nil {
				_, err = s.engine.Allow(context.Background(), s.slug, id)
			}
			return err
		})},
		{name: "remove what is kept out", before: keptOut, do: one(func(s *stage) error {
			id, err := s.blockedID()
			if err == nil {
				_, err = s.engine.RemoveBlocked(context.Background(), s.slug, id)
			}
			return err
		})},
		{name: "ask about one that is deleted here", before: inTrash, do: askDeletedHere},
		{name: "ask about one that is purged here", before: func(s *stage) { inTrash(s); s.mustDo(purgeOf("Tabs")(s)) }, do: askDeletedHere},
		{name: "ask about one that is deleted elsewhere", before: tabs, do: askDeletedElsewhere},
		{name: "keep one that is deleted elsewhere", before: func(s *stage) { tabs(s); s.mustDo(askDeletedElsewhere(s)) },
			do: asked("Tabs", func(s *stage, ctx context.Context, id string) error {
				_, err := s.engine.RefuseDeletion(ctx, s.slug, id, "")
				return err
			})},
		{name: "keep one that is deleted here", before: func(s *stage) { inTrash(s); s.mustDo(askDeletedHere(s)) }, do: restoreOf("Tabs")},
		{name: "delete one that is changed elsewhere", before: func(s *stage) { inTrash(s); s.mustDo(askDeletedHere(s)) }, do: deleteOf("Tabs")},
		{name: "look", before: tabs, always: true, do: one(func(s *stage) error {
			s.putNote("memory/new.md", "New", "Learned.")
			s.putNote("memory/tabs.md", "Tabs", "Use both.")
			s.remove(s.slug + "/memory/other.md")
			s.remove(s.slug + "/sessions/u-c-2")
			s.putNote("sessions/u-c-5/memory/more.md", "More", "Learned in a session.")
			_, err := s.engine.Scan(context.Background(), s.slug)
			return err
		})},
		{name: "look at what was renamed", before: tabs, always: true, do: one(func(s *stage) error {
			s.putNote("memory/other.md", "Another", "Stays.")
			s.put("memory/tabs.md", "no memory any more")
			_, err := s.engine.Scan(context.Background(), s.slug)
			return err
		})},
		{name: "look at another directory in the place of the one", before: tabs, always: true, do: one(func(s *stage) error {
			s.rename(s.slug+"/memory", s.slug+"/aside")
			s.putNote("memory/new.md", "New", "Learned.")
			_, err := s.engine.Scan(context.Background(), s.slug)
			return err
		})},
		{name: "publish over an edit by hand", before: tabs, always: true, do: one(func(s *stage) error {
			s.write(s.slug+"/CLAUDE.md", "# Mine\n")
			_, err := s.engine.Scan(context.Background(), s.slug)
			return err
		})},
		{name: "a new agent", before: func(*stage) {}, always: true, do: one(func(s *stage) error {
			s.putNote("memory/tabs.md", "Tabs", "Use tabs.")
			_, err := s.engine.ScanAll(context.Background())
			return err
		})},
	}
}

// one is an operation on one thing.
func one(do func(*stage) error) func(*stage) []error {
	return func(s *stage) []error { return []error{do(s)} }
}

func (s *stage) mustDo(errs []error) {
	s.Helper()
	if err := errors.Join(errs...); err != nil {
		s.Fatal(err)
	}
}

// id returns the id of the memory of a name, also one in the trash. It works although other steps
// fail.
func (s *stage) id(name string) (id string, err error) {
	err = s.direct.QueryRow(context.Background(), `SELECT m.id::text FROM memories m JOIN agents a ON a.id = m.agent_id
		WHERE a.slug = $1 AND m.name = $2 ORDER BY m.team LIMIT 1`, s.slug, name).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", memories.ErrNotFound
	}
	return id, err
}

func (s *stage) blockedID() (id string, err error) {
	err = s.direct.QueryRow(context.Background(), `SELECT b.id::text FROM blocked_contents b JOIN agents a ON a.id = b.agent_id WHERE a.slug = $1`, s.slug).Scan(&id)
	return id, err
}

// asked is an operation on the memory of a name.
func asked(name string, do func(s *stage, ctx context.Context, id string) error) func(*stage) []error {
	return one(func(s *stage) error {
		id, err := s.id(name)
		if err != nil {
			return err
		}
		return do(s, engine.As(context.Background(), memories.ByScript), id)
	})
}

func deleteOf(name string) func(*stage) []error {
	return asked(name, func(s *stage, ctx context.Context, id string) error {
		_, err := s.engine.Delete(ctx, s.slug, id, "")
		return err
	})
}

func purgeOf(name string) func(*stage) []error {
	return asked(name, func(s *stage, ctx context.Context, id string) error {
		_, err := s.engine.Purge(ctx, s.slug, id, "")
		return err
	})
}

func restoreOf(name string) func(*stage) []error {
	return asked(name, func(s *stage, ctx context.Context, id string) error {
		_, err := s.engine.Restore(ctx, s.slug, id, "")
		return err
	})
}

func verifyOf(name string) func(*stage) []error {
	return asked(name, func(s *stage, ctx context.Context, id string) error {
		_, err := s.engine.Verify(ctx, s.slug, id, "")
		return err
	})
}

func patchOf(name string, change func(*engine.Patch)) func(*stage) []error {
	return asked(name, func(s *stage, ctx context.Context, id string) error {
		var patch engine.Patch
		change(&patch)
		_, err := s.engine.Patch(ctx, s.slug, id, "", patch)
		return err
	})
}

// withoutTombstone is the state after saving a deleted content, if the operation ends before the
// file is written: the content is not blocked.
func withoutTombstone(body string) func(*stage) {
	return func(s *stage) {
		s.Helper()
		f := memories.FingerprintOf(memories.Feedback, "About Tabs", body)
		if _, err := s.direct.Exec(context.Background(), "DELETE FROM tombstones WHERE fingerprint = $1", f[:]); err != nil {
			s.Fatal(err)
		}
	}
}

func saveOf(name, body string) func(*stage) []error {
	return one(func(s *stage) error {
		_, err := s.engine.Save(engine.As(context.Background(), memories.ByScript), s.slug, engine.Draft{Name: name, Type: memories.Feedback, Description: "About " + name, Body: body})
		return err
	})
}

func mend(s *stage) []error {
	return asked("Tabs", func(s *stage, ctx context.Context, id string) error {
		_, err := s.engine.Fix(ctx, s.slug, id, "", "memory/tabs.md", "yaml")
		return err
	})(s)
}

// edited is the state after a fix, or its undoing, that stops between the file and its row: Memoir
// finds an edited file with a new content.
func edited(text func(*stage) string) func(*stage) {
	return func(s *stage) {
		s.Helper()
		s.put("memory/tabs.md", text(s))
		s.scanAll()
	}
}

func mended(s *stage) string {
	s.Helper()
	id, err := s.id("Tabs")
	if err != nil {
		s.Fatal(err)
	}
	flawed, err := s.engine.ProposeFixes(context.Background(), s.slug, id)
	if err != nil {
		s.Fatal(err)
	}
	return string(flawed[0].Fixes[0].After)
}

func undoMending(s *stage) []error {
	return asked("Tabs", func(s *stage, ctx context.Context, id string) error {
		var hash string
		err := s.direct.QueryRow(ctx, `SELECT hash FROM revisions WHERE memory_id = $1 ORDER BY sequence LIMIT 1`, id).Scan(&hash)
		if err == nil {
			_, err = s.engine.UndoFix(ctx, s.slug, id, "", "memory/tabs.md", hash)
		}
		return err
	})(s)
}

// askDeletedElsewhere makes the deletion of Tabs on another machine wait for a decision.
func askDeletedElsewhere(s *stage) []error {
	return asked("Tabs", func(s *stage, ctx context.Context, id string) error {
		return s.engine.AddDeletionConflict(ctx, s.slug, engine.ConflictOp{ID: uuid.MustParse(id), At: time.Now()})
	})(s)
}

// askDeletedHere makes the change of the deleted Tabs on another machine wait for a decision.
func askDeletedHere(s *stage) []error {
	id, err := s.id("Tabs")
	if err != nil && !errors.Is(err, memories.ErrNotFound) {
		return []error{err}
	}
	raw := []byte(note("Tabs", memories.Feedback, "Use spaces, always."))
	content := exchange.Fingerprint(memories.FingerprintOf(memories.Feedback, "About Tabs", "Use spaces, always."))
	changed := exchange.Memory{
		ID: uuid.New(), Name: "Tabs", Readable: true, Type: memories.Feedback, Current: content, CreatedAt: s.began, UpdatedAt: s.began, ModifiedAt: s.began, ContentAt: s.began,
		Revisions: []exchange.Revision{{
			Content: content, Hash: files.Hash(raw), Type: memories.Feedback, Description: "About Tabs", Body: "Use spaces, always.", Raw: raw, Path: "memory/tabs.md", SeenAt: s.began,
		}},
	}
	parsed, _ := uuid.Parse(id) // none after a purge
	return []error{s.engine.AddDeletionConflict(byScript, s.slug, engine.ConflictOp{ID: parsed, Changed: &changed, At: s.began})}
}

// severally is an operation on several memories at once.
func severally(do func(*engine.Engine, context.Context, string, []engine.MemoryRef) []error, names ...string) func(*stage) []error {
	return func(s *stage) []error {
		var all []engine.MemoryRef
		for _, name := range names {
			id, err := s.id(name)
			if err != nil {
				s.Fatal(err)
			}
			all = append(all, engine.MemoryRef{ID: id})
		}
		return do(s.engine, engine.As(context.Background(), memories.ByScript), s.slug, all)
	}
}
