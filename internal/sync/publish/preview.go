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
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
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

func (p *Publisher) Preview(ctx context.Context, slug string, op PreviewOp) (Preview, error) {
	if op.AsOf != nil {
		return p.previewAsOf(ctx, slug, *op.AsOf)
	}
	if op.Without == "" {
		row, err := p.Store.Agent(ctx, slug)
		if err != nil {
			return Preview{}, err
		}
		with, _, err := p.previews(ctx, row, nil)
		return with, err
	}
	deletion, err := p.PreviewDeletion(ctx, slug, PreviewDeletionOp{[]string{op.Without}})
	if errors.Is(err, memories.ErrNotFound) {
		return p.previewWithoutShared(ctx, slug, op.Without)
	}
	return deletion.ClaudeMDAfter, err
}

// previewWithoutShared compiles the agent's CLAUDE.md as it would be without a memory that another shares with it.
func (p *Publisher) previewWithoutShared(ctx context.Context, slug, without string) (Preview, error) {
	row, err := p.Store.Agent(ctx, slug)
	if err != nil {
		return Preview{}, err
	}
	with, after, err := p.previews(ctx, row, map[string]bool{without: true})
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
	Indexes []indexfile.IndexChange
	// ClaudeMDBefore and ClaudeMDAfter are what is compiled now and then.
	ClaudeMDBefore, ClaudeMDAfter Preview
}

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
	going := map[string]bool{}
	var paths []string
	for _, m := range found {
		if m.State == memories.Deleted {
			continue
		}
		going[m.ID] = true
		preview.Memories = append(preview.Memories, m)
		for _, f := range m.Files {
			preview.Files = append(preview.Files, f)
			paths = append(paths, f.Path)
		}
	}
	slices.SortFunc(preview.Files, func(a, b memories.MemoryFile) int { return strings.Compare(a.Path, b.Path) })
	if root, err := files.OpenRoot(row.Dir); err == nil {
		defer root.Close() //nolint:errcheck // only read through
		gone, err := p.Store.GoneFilesOf(ctx, preview.Memories)
		if err != nil {
			return DeletionPreview{}, err
		}
		for _, file := range gone {
			if agenttx.IsFree(root, file) {
				paths = append(paths, file)
			}
		}
		preview.Indexes, _ = indexfile.IndexChanges(root, agenttx.OnDisk(row), indexfile.IndexesFor(root, agenttx.OnDisk(row), paths), paths)
	}
	preview.ClaudeMDBefore, preview.ClaudeMDAfter, err = p.previews(ctx, row, going)
	return preview, err
}

// previews compiles the agent's CLAUDE.md with all memories, and without some of them.
func (p *Publisher) previews(ctx context.Context, row records.Agent, going map[string]bool) (with, without Preview, err error) {
	empty := p.emptyPreview(claudeMDOf(row))
	empty.MemoryOff = row.MemoryOff
	empty.Published = agenttx.OnDisk(row).Published()
	empty.withParts = true
	err = p.Store.ReadSections(ctx, row, time.Time{}, func(sections postgres.Sections) error {
		texts := p.sectionText(ctx, sections, &Sources{})
		empty.sharedDirs = sections.SharedDirs
		if with, err = empty.fill(sections.Headings, texts); err != nil {
			return err
		}
		without = with
		if len(going) == 0 {
			return nil
		}
		staying := slices.DeleteFunc(sections.Headings, func(m claudemd.Summary) bool { return going[m.ID] })
		without, err = empty.fill(staying, texts)
		return err
	})
	return with, without, err
}

func (p *Publisher) previewAsOf(ctx context.Context, slug string, at time.Time) (Preview, error) {
	row, err := p.Store.Agent(ctx, slug)
	if err != nil {
		return Preview{}, err
	}
	path, raw, unread := claudeMDOf(row)
	var preview Preview
	err = p.Store.ReadSections(ctx, row, at, func(sections postgres.Sections) error {
		empty := p.emptyFor(sections, path, raw, unread)
		empty.Published = agenttx.OnDisk(row).Published()
		empty.withParts = true
		preview, err = empty.fill(sections.Headings, p.sectionText(ctx, sections, &Sources{}))
		return err
	})
	return preview, err
}

// claudeMDOf returns the path and the text of the agent's CLAUDE.md; an agent without one has an empty one.
func claudeMDOf(row records.Agent) (path string, raw []byte, unread error) {
	a := agenttx.OnDisk(row)
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
func (p *Publisher) compile(ctx context.Context, sections postgres.Sections, sources *Sources, path string, raw []byte, unread error) (Preview, error) {
	return p.emptyFor(sections, path, raw, unread).fill(sections.Headings, p.sectionText(ctx, sections, sources))
}

// sectionText gives the memories in full, those that are stale with a note if the options ask for it.
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
func (p *Publisher) emptyFor(sections postgres.Sections, path string, raw []byte, unread error) emptyPreview {
	preview := p.emptyPreview(path, raw, unread)
	preview.MemoryOff, preview.sharedDirs, preview.shared = sections.MemoryOff, sections.SharedDirs, sections.Shared
	return preview
}

func (p *Publisher) emptyPreview(path string, raw []byte, unread error) emptyPreview {
	preview := emptyPreview{path: path, Preview: Preview{Limit: p.Limit}, ageNotes: p.AgeNotes}
	document, err := claudemd.ReadDocument(raw)
	if unread != nil {
		err = unread
	}
	if err != nil {
		preview.Problem, preview.OnDisk = claudeMDProblem(path, err), raw
		document, err = claudemd.ReadDocument(nil)
		if err != nil {
			panic(err) // nothing is a sound document
		}
	}
	preview.document = document
	preview.Before, preview.After = document.Around()
	return preview
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
		p.Problem = claudeMDProblem(p.path, agenttx.ErrTooLarge)
	}
	return p.Preview, nil
}

type PreviewOp struct {
	Without string     // the id of a memory to leave out
	AsOf    *time.Time // nil: now
}

type PreviewDeletionOp struct{ IDs []string }
