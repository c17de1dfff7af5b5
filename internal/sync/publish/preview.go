package publish

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
)

// Preview is a compiled CLAUDE.md that is not written.
type Preview struct {
	Text []byte // the whole file
	// Before and After are the text around Memoir's block, and Parts the pieces of the block. Joined
	// in order, they are Text.
	Before, After string
	Parts         []claudemd.Part
	// OnDisk is the present file if its markers are damaged or its code is not closed. Otherwise it is
	// nil.
	OnDisk []byte
	// Published reports whether Memoir writes the file. It is false for an agent without a CLAUDE.md;
	// the preview is then what Memoir would compile.
	Published bool
	Costs     []claudemd.Cost // sizes of the memories, in the order of the block
	// MemoryOff reports whether the agent's memory is off. The text then does not ask it to save.
	MemoryOff bool
	Problem   string // why the file cannot be written; empty if it can
	Chars     int    // length of Text in Unicode characters
	Limit     int    // Publisher.Limit
	// nextStaleAt is the time at which the next memory gets an age note. It is zero if none will.
	nextStaleAt time.Time
	// shared is the stamp of the memories that are shared with the agent. It is empty if none are.
	shared string
}

// PreviewOp configures Preview.
type PreviewOp struct {
	Without string     // id of a memory to leave out; empty for none
	AsOf    *time.Time // nil means now; otherwise Without is ignored
}

// Preview compiles the agent's CLAUDE.md and does not write it. op can leave out a memory, own or
// shared, or ask for a past time. A memory that was purged after that time is missing. If CLAUDE.md
// could not be written, Problem of the result is the reason, without an error. Preview returns
// memories.ErrNotFound for an unknown slug or memory.
func (p *Publisher) Preview(ctx context.Context, slug string, op PreviewOp) (Preview, error) {
	row, err := p.Store.Agent(ctx, slug)
	if err != nil {
		return Preview{}, err
	}
	if op.AsOf != nil {
		preview, _, err := p.previews(ctx, row, *op.AsOf, nil)
		return preview, err
	}
	if op.Without == "" {
		preview, _, err := p.previews(ctx, row, time.Time{}, nil)
		return preview, err
	}
	deletion, err := p.PreviewDeletion(ctx, slug, PreviewDeletionOp{[]string{op.Without}})
	if !errors.Is(err, memories.ErrNotFound) {
		return deletion.ClaudeMDAfter, err
	}
	// The memory may be one that the shared agent has.
	with, after, err := p.previews(ctx, row, time.Time{}, map[string]bool{op.Without: true})
	if err == nil && !slices.ContainsFunc(with.Costs, func(c claudemd.Cost) bool { return c.ID == op.Without }) {
		err = memories.ErrNotFound
	}
	return after, err
}

// DeletionPreview is the effect that a deletion of memories would have.
type DeletionPreview struct {
	// Memories are the memories that would go to the trash, without their bodies. Deleted ones are
	// left out, and those that a note asks a client to forget.
	Memories []memories.Memory
	// Files are the files that would be removed, by path.
	Files []memories.MemoryFile
	// Indexes are the MEMORY.md files that would lose entries, by path.
	Indexes []indexfile.IndexChange
	// ClaudeMDBefore and ClaudeMDAfter are CLAUDE.md before and after the deletion.
	ClaudeMDBefore, ClaudeMDAfter Preview
}

// PreviewDeletionOp configures PreviewDeletion. IDs are the memories to delete.
type PreviewDeletionOp struct{ IDs []string }

// PreviewDeletion returns the effect that a deletion of memories would have. It changes nothing. It
// leaves out memories in the trash. If the agent's directory cannot be opened, Indexes is nil. It
// returns memories.ErrNotFound if the agent or one of the memories is unknown.
func (p *Publisher) PreviewDeletion(ctx context.Context, slug string, op PreviewDeletionOp) (DeletionPreview, error) {
	row, err := p.Store.Agent(ctx, slug)
	if err != nil {
		return DeletionPreview{}, err
	}
	found, err := p.Store.MemoriesByID(ctx, row, op.IDs)
	if err != nil {
		return DeletionPreview{}, err
	}
	var preview DeletionPreview
	deleted := map[string]bool{}
	var paths []string
	var removed []memorymd.IndexedFile
	agent := agenttx.AgentOf(row)
	isKept := func(f memories.MemoryFile) bool { return agent.Rules().TakesNotes() && !agent.IsNote(f.Path) }
	for _, m := range found {
		if m.State == memories.Deleted {
			continue
		}
		if slices.ContainsFunc(m.Files, isKept) { // a note asks the client to forget it
			preview.Files = append(preview.Files, slices.DeleteFunc(m.Files, isKept)...)
			continue
		}
		deleted[m.ID] = true
		preview.Memories = append(preview.Memories, m)
		for _, f := range m.Files {
			preview.Files = append(preview.Files, f)
			paths = append(paths, f.Path)
			removed = append(removed, memorymd.IndexedFile{Path: f.Path, Name: m.Name})
		}
	}
	slices.SortFunc(preview.Files, func(a, b memories.MemoryFile) int { return strings.Compare(a.Path, b.Path) })
	if root, err := files.OpenRoot(row.Dir); err == nil {
		defer root.Close() //nolint:errcheck // only read through
		absent, err := p.Store.RemovedPaths(ctx, preview.Memories)
		if err != nil {
			return DeletionPreview{}, err
		}
		for _, file := range absent {
			if agenttx.IsFree(root, file) {
				paths = append(paths, file)
				removed = append(removed, memorymd.IndexedFile{Path: file})
			}
		}
		preview.Indexes, _ = indexfile.IndexChanges(root, agent, indexfile.IndexesFor(root, agent, paths), removed)
	}
	preview.ClaudeMDBefore, preview.ClaudeMDAfter, err = p.previews(ctx, row, time.Time{}, deleted)
	return preview, err
}

// previews compiles the agent's CLAUDE.md with all memories, and without those whose ids are in
// deleted. It writes nothing. A zero time means the present memories; another time, those of that
// moment. If deleted is empty, both results are equal.
func (p *Publisher) previews(ctx context.Context, row records.Agent, at time.Time, deleted map[string]bool) (with, without Preview, err error) {
	path, raw, readErr := claudeMDOf(row)
	err = p.Store.ReadSections(ctx, row, at, func(sections postgres.Sections) error {
		empty := p.emptyPreview(sections, path, raw, readErr)
		empty.Published = agenttx.AgentOf(row).Published()
		texts := p.sectionText(ctx, sections, &Sources{})
		if with, err = empty.fill(sections.Summaries, texts); err != nil {
			return err
		}
		without = with
		if len(deleted) == 0 {
			return nil
		}
		rest := slices.DeleteFunc(sections.Summaries, func(m claudemd.Summary) bool { return deleted[m.ID] })
		without, err = empty.fill(rest, texts)
		return err
	})
	return with, without, err
}

// claudeMDOf returns the path and the bytes of the agent's CLAUDE.md, or the error of reading it.
// The path is "" for an agent without a CLAUDE.md. The bytes are nil if the file does not exist or
// the agent's directory cannot be opened, without an error.
func claudeMDOf(row records.Agent) (path string, raw []byte, readErr error) {
	a := agenttx.AgentOf(row)
	if !a.Published() {
		return "", nil, nil
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return a.ClaudeMDPath(nil), nil, nil // without a directory there is no file
	}
	defer root.Close() //nolint:errcheck // only read through
	path = a.ClaudeMDPath(root)
	raw, readErr = readClaudeMD(root, a, path, nil)
	return path, raw, readErr
}

// compile returns the text of the CLAUDE.md at path with the memories of sections. It writes
// nothing. raw are the file's present bytes, and readErr is the error of reading them. If the file
// cannot be read or is damaged, Problem is the reason, without an error, and Text is only the
// block.
func (p *Publisher) compile(ctx context.Context, sections postgres.Sections, sources *Sources, path string, raw []byte, readErr error) (Preview, error) {
	return p.emptyPreview(sections, path, raw, readErr).fill(sections.Summaries, p.sectionText(ctx, sections, sources))
}

// sectionText returns the function that claudemd.CompileParts calls for the full section of a
// memory. That function takes the section from sources, and adds a note to a stale memory if
// AgeNotes is set.
func (p *Publisher) sectionText(ctx context.Context, sections postgres.Sections, sources *Sources) claudemd.SectionText {
	now := time.Now()
	return func(next []claudemd.Summary) (string, error) {
		text, err := sources.Text(ctx, next, sections.Bodies)
		if err != nil || !p.AgeNotes {
			return text, err
		}
		return claudemd.WithAgeNote(text, next[0].ModifiedAt, now), nil
	}
}

// emptyPreview is a CLAUDE.md without memories. Callers that compile it with several sets of
// memories share one, because finding the markers takes as long as compiling.
type emptyPreview struct {
	Preview
	path       string // relative to the agent's directory
	document   claudemd.Document
	ageNotes   bool
	sharedDirs []string
}

// emptyPreview returns the CLAUDE.md at path without memories. raw are its present bytes, and
// readErr is the error of reading them. If it cannot be read or is damaged, Problem is the reason
// and the text around the block is empty.
func (p *Publisher) emptyPreview(sections postgres.Sections, path string, raw []byte, readErr error) emptyPreview {
	preview := emptyPreview{
		path: path, ageNotes: p.AgeNotes, sharedDirs: sections.SharedDirs,
		Preview: Preview{Limit: p.Limit, MemoryOff: sections.MemoryOff, shared: sections.Shared},
	}
	document, err := claudemd.ReadDocument(raw)
	if readErr != nil {
		err = readErr
	}
	if err != nil {
		preview.Problem, preview.OnDisk = claudeMDProblem(path, err), raw
		document, err = claudemd.ReadDocument(nil)
		if err != nil {
			panic(err) // an empty document has no error
		}
	}
	preview.document = document
	preview.Before, preview.After = document.Around()
	return preview
}

// fill returns a copy of the preview with the memories ms, whose full sections texts returns. It
// fails only with the errors of texts. If the file is larger than maxClaudeMD, Problem is the
// reason, without an error.
func (p emptyPreview) fill(ms []claudemd.Summary, texts claudemd.SectionText) (Preview, error) {
	outside := p.document.Outside()
	p.Chars = outside
	p.Text = []byte(p.Before)
	intro := claudemd.Intro{LearnedAlone: p.MemoryOff, SharedDirs: p.sharedDirs}
	err := claudemd.CompileParts(ms, intro, p.Limit, outside, texts, func(part claudemd.Part) {
		p.Text = append(p.Text, part.Text...)
		p.Chars += part.Chars
		p.Parts = append(p.Parts, part)
		if part.Memory != "" {
			p.Costs = append(p.Costs, part.Cost())
		}
	})
	if err != nil {
		return Preview{}, err
	}
	p.Text = append(p.Text, p.After...)
	if p.ageNotes {
		p.nextStaleAt = nextStale(ms, time.Now())
	}
	if p.Problem == "" && len(p.Text) > maxClaudeMD {
		p.Problem = claudeMDProblem(p.path, agenttx.ErrTooLarge)
	}
	return p.Preview, nil
}
