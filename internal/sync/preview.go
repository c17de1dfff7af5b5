package sync

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/publish"
)

// Preview is an agent's CLAUDE.md as it is compiled.
type Preview struct {
	Text []byte // of the whole file
	// Before and After are what stands around Memoir's block, and Parts what the block consists of: together, the Text.
	Before, After string
	Parts         []claudemd.Part
	// OnDisk is the file as it is while it cannot be written; nil: there is none, or it cannot be read.
	OnDisk []byte
	// Published says that Memoir writes it; otherwise the agent's layout has none, and this is what would be compiled.
	Published bool
	Costs     []claudemd.Cost // what each memory takes, in the order of the file
	// MemoryOff says that the agent's memory is switched off, and it is not asked to save anything.
	MemoryOff bool
	Problem   string // why it is not written; empty: all is well
	Chars     int
	Limit     int
	// nextStaleAt is when a memory becomes stale next, and the text says so; zero: it does not.
	nextStaleAt time.Time
	// shared is the stamp of what is shared with the agent; empty: nothing is, or it was read for nobody to rely on.
	shared string
}

// Preview compiles the agent's CLAUDE.md without writing it, as it would be without the memory of that id where one is
// given: one of its own, or of what all agents share. It fails with memories.ErrNotFound.
func (e *Engine) Preview(ctx context.Context, slug, without string) (Preview, error) {
	return callPreview.read(ctx, e, slug, previewOp{Without: without})
}

func (e *Engine) previewLocal(ctx context.Context, slug string, op previewOp) (Preview, error) {
	if op.AsOf != nil {
		return e.previewAsOf(ctx, slug, *op.AsOf)
	}
	if op.Without == "" {
		row, err := e.store.Agent(ctx, slug)
		if err != nil {
			return Preview{}, err
		}
		with, _, err := e.previews(ctx, row, nil)
		return with, err
	}
	deletion, err := e.previewDeletionLocal(ctx, slug, previewDeletionOp{[]string{op.Without}})
	if errors.Is(err, memories.ErrNotFound) {
		return e.previewWithoutShared(ctx, slug, op.Without)
	}
	return deletion.ClaudeMDAfter, err
}

// previewWithoutShared compiles the agent's CLAUDE.md as it would be without a memory that another shares with it.
func (e *Engine) previewWithoutShared(ctx context.Context, slug, without string) (Preview, error) {
	row, err := e.store.Agent(ctx, slug)
	if err != nil {
		return Preview{}, err
	}
	with, after, err := e.previews(ctx, row, map[string]bool{without: true})
	if err == nil && !slices.ContainsFunc(with.Costs, func(c claudemd.Cost) bool { return c.ID == without }) {
		err = memories.ErrNotFound
	}
	return after, err
}

// DeletionPreview is what the deletion of memories changes, while nothing has changed yet.
type DeletionPreview struct {
	// Memories are those that would go to the trash, without their text; what is there already is not among them.
	Memories []memories.Memory
	// Files are those that are removed, by path.
	Files []memories.MemoryFile
	// Indexes are the MEMORY.md files that lose entries, by path.
	Indexes []IndexChange
	// ClaudeMDBefore and ClaudeMDAfter are what is compiled now and then.
	ClaudeMDBefore, ClaudeMDAfter Preview
}

// PreviewDeletion says what the deletion of these memories of an agent would change. It fails with memories.ErrNotFound
// when one of them is not known.
func (e *Engine) PreviewDeletion(ctx context.Context, slug string, ids ...string) (DeletionPreview, error) {
	return callPreviewDeletion.read(ctx, e, slug, previewDeletionOp{ids})
}

func (e *Engine) previewDeletionLocal(ctx context.Context, slug string, op previewDeletionOp) (DeletionPreview, error) {
	row, err := e.store.Agent(ctx, slug)
	if err != nil {
		return DeletionPreview{}, err
	}
	found, err := e.store.MemoriesByID(ctx, row, op.IDs)
	if err != nil {
		return DeletionPreview{}, err
	}
	var p DeletionPreview
	excluded := map[string]bool{}
	var paths []string
	for _, m := range found {
		if m.State == memories.Deleted {
			continue
		}
		excluded[m.ID] = true
		p.Memories = append(p.Memories, m)
		for _, f := range m.Files {
			p.Files = append(p.Files, f)
			paths = append(paths, f.Path)
		}
	}
	slices.SortFunc(p.Files, func(a, b memories.MemoryFile) int { return strings.Compare(a.Path, b.Path) })
	if root, err := files.OpenRoot(row.Dir); err == nil {
		defer root.Close() //nolint:errcheck // only read through
		gone, err := e.store.GoneFilesOf(ctx, p.Memories)
		if err != nil {
			return DeletionPreview{}, err
		}
		for _, file := range gone {
			if isFree(root, file) {
				paths = append(paths, file)
			}
		}
		p.Indexes, _ = indexChanges(root, onDisk(row), indexesFor(root, onDisk(row), paths), paths)
	}
	p.ClaudeMDBefore, p.ClaudeMDAfter, err = e.previews(ctx, row, excluded)
	return p, err
}

// previews compiles the agent's CLAUDE.md with all memories, and without some of them.
func (e *Engine) previews(ctx context.Context, row records.Agent, excluded map[string]bool) (with, without Preview, err error) {
	empty := e.emptyPreview(claudeMDOf(row))
	empty.MemoryOff = row.MemoryOff
	empty.Published = onDisk(row).Published()
	empty.withParts = true
	err = e.store.ReadSections(ctx, row, time.Time{}, func(sections postgres.Sections) error {
		texts := e.sectionText(ctx, sections, &publish.Sources{})
		empty.sharedDirs = sections.SharedDirs
		if with, err = empty.fill(sections.Headings, texts); err != nil {
			return err
		}
		without = with
		if len(excluded) == 0 {
			return nil
		}
		staying := slices.DeleteFunc(sections.Headings, func(m claudemd.Summary) bool { return excluded[m.ID] })
		without, err = empty.fill(staying, texts)
		return err
	})
	return with, without, err
}

// PreviewAsOf compiles what Memoir would have put into the agent's CLAUDE.md at a moment, as far as the contents of that
// time are still kept: a memory that has been purged since is not in it. What stands outside of Memoir's markers is not
// Memoir's, and is as it is now. It fails with memories.ErrNotFound.
func (e *Engine) PreviewAsOf(ctx context.Context, slug string, at time.Time) (Preview, error) {
	return callPreview.read(ctx, e, slug, previewOp{AsOf: &at})
}

func (e *Engine) previewAsOf(ctx context.Context, slug string, at time.Time) (Preview, error) {
	row, err := e.store.Agent(ctx, slug)
	if err != nil {
		return Preview{}, err
	}
	path, raw, unread := claudeMDOf(row)
	var p Preview
	err = e.store.ReadSections(ctx, row, at, func(sections postgres.Sections) error {
		empty := e.emptyFor(sections, path, raw, unread)
		empty.Published = onDisk(row).Published()
		empty.withParts = true
		p, err = empty.fill(sections.Headings, e.sectionText(ctx, sections, &publish.Sources{}))
		return err
	})
	return p, err
}

// claudeMDOf returns the path and the text of the agent's CLAUDE.md; an agent without one has an empty one.
func claudeMDOf(row records.Agent) (path string, raw []byte, unread error) {
	a := onDisk(row)
	if !a.Published() {
		return "", nil, nil
	}
	root, err := files.OpenRoot(row.Dir)
	if err != nil {
		return a.ClaudeMDPath(nil), nil, nil // its directory is gone, and the file with it
	}
	defer root.Close() //nolint:errcheck // only read through
	path = a.ClaudeMDPath(root)
	raw, unread = readClaudeMD(root, a, path, nil)
	return path, raw, unread
}

// compile puts the memories into the text of a CLAUDE.md, which is not returned in parts. Where that cannot be read or is damaged, the
// compiled part stands alone and the problem says why.
func (e *Engine) compile(ctx context.Context, sections postgres.Sections, sources *publish.Sources, path string, raw []byte, unread error) (Preview, error) {
	return e.emptyFor(sections, path, raw, unread).fill(sections.Headings, e.sectionText(ctx, sections, sources))
}

// sectionText gives the memories in full, those that are stale with a note if the options ask for it.
func (e *Engine) sectionText(ctx context.Context, sections postgres.Sections, sources *publish.Sources) claudemd.SectionText {
	now := time.Now()
	return func(next []claudemd.Summary) (string, error) {
		text, err := sources.Text(ctx, next, sections.Bodies)
		if err != nil || !e.options.AgeNotes {
			return text, err
		}
		return claudemd.WithAgeNote(text, next[0].ModifiedAt, now), nil
	}
}

// emptyPreview is a CLAUDE.md before any memory is in it. To find the markers costs as much as to compile, so that who
// fills it more than once reads it once.
type emptyPreview struct {
	Preview
	path       string // relative to the agent's directory
	document   claudemd.Document
	ageNotes   bool
	sharedDirs []string
	// withParts says that the parts are wanted too: of a thousand memories they take as long to put down as all of the text.
	withParts bool
}

// emptyFor is emptyPreview for what is not the memories of these sections.
func (e *Engine) emptyFor(sections postgres.Sections, path string, raw []byte, unread error) emptyPreview {
	p := e.emptyPreview(path, raw, unread)
	p.MemoryOff, p.sharedDirs, p.shared = sections.MemoryOff, sections.SharedDirs, sections.Shared
	return p
}

func (e *Engine) emptyPreview(path string, raw []byte, unread error) emptyPreview {
	p := emptyPreview{path: path, Preview: Preview{Limit: e.options.ClaudeMDLimit}, ageNotes: e.options.AgeNotes}
	document, err := claudemd.ReadDocument(raw)
	if unread != nil {
		err = unread
	}
	if err != nil {
		p.Problem, p.OnDisk = claudeMDProblem(path, err), raw
		document, err = claudemd.ReadDocument(nil)
		if err != nil {
			panic(err) // nothing is a sound document
		}
	}
	p.document = document
	p.Before, p.After = document.Around()
	return p
}

// intro is what the block begins with.
func (p emptyPreview) intro() claudemd.Intro {
	return claudemd.Intro{LearnedAlone: p.MemoryOff, SharedDirs: p.sharedDirs}
}

// textSlack is for how many bytes more than a CLAUDE.md has there is room at once: most become about as long as they were.
const textSlack = 4 << 10

// fill is the preview with these memories in it.
func (p emptyPreview) fill(ms []claudemd.Summary, texts claudemd.SectionText) (Preview, error) {
	outside := p.document.Outside()
	p.Chars = outside
	p.Text = append(make([]byte, 0, p.document.Size()+textSlack), p.Before...)
	p.Costs = make([]claudemd.Cost, 0, len(ms))
	if p.withParts {
		p.Parts = make([]claudemd.Part, 0, len(ms)+2+3*len(memories.Types()))
	}
	err := claudemd.CompileParts(ms, p.intro(), p.Limit, outside, texts, func(part claudemd.Part) {
		p.Text = append(p.Text, part.Text...)
		p.Chars += part.Chars
		if part.Memory != "" {
			p.Costs = append(p.Costs, part.Cost())
		}
		if p.withParts {
			p.Parts = append(p.Parts, part)
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
		p.Problem = claudeMDProblem(p.path, errTooLarge)
	}
	return p.Preview, nil
}
