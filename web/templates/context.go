package templates

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/fileview"
	"memoir/internal/pages/xray"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Context is the view of an agent's Context tab: what enters its conversations.
type Context struct {
	ui.Frame
	Agent Agent
	Xray  xray.Xray
	// Price is the price of a million tokens in dollars; 0 shows none.
	Price float64
	File  File
	// Prompt is the trial of a prompt. It is nil for a past moment.
	Prompt *Prompt
	// AsOf is the past moment that the page shows; nil for now. Since is the change of CLAUDE.md
	// since then.
	AsOf  *AsOf
	Since diff.Diff
}

// File is the view of a file that an agent loads.
type File struct {
	Kind      address.FileKind
	Page      fileview.Page
	Published bool   // Memoir writes the CLAUDE.md
	Path      string // of the file
	WrittenAt time.Time
	// Problem is why a MEMORY.md cannot be read, or why CLAUDE.md is damaged. It is empty without a
	// problem.
	Problem string
	Damaged bool
	Index   IndexState
}

// IndexState is the view of a MEMORY.md as a whole.
type IndexState struct {
	Present         bool
	Seen, LineCount int
	Warning         string // what the agent reads in place of the lines past the caps
	Others          []string
	NeedsRepair     bool
	Findings        []memorymd.Finding
	Wanted          []memories.WantedMemory
}

func (s IndexState) isCut() bool { return s.Warning != "" }

// lines returns the number of lines that the agent sees, and of all if they are more.
func (s IndexState) lines() string {
	if s.isCut() {
		return wording.Number(s.Seen) + " of " + wording.Number(s.LineCount)
	}
	return wording.Number(s.LineCount)
}

// at returns the address of the page with a file and a first line, at the same moment.
func (v Context) at(kind address.FileKind, from int) string {
	path := address.FilePath(v.Agent.Slug, kind)
	if from > 0 {
		path = address.WithQuery(path, map[string]string{address.FieldFrom: strconv.Itoa(from)})
	}
	if v.Prompt != nil && v.Prompt.Query != "" {
		path = address.WithQuery(path, map[string]string{address.FieldQuery: v.Prompt.Query})
	}
	if v.AsOf != nil {
		path = v.AsOf.at(path)
	}
	return path + "#file"
}

func (v Context) title() string {
	if v.AsOf != nil {
		return "Context " + v.AsOf.when()
	}
	return "Context"
}

// isEmpty reports whether no memory has a part of what the agent carries.
func (v Context) isEmpty() bool {
	return !v.File.Damaged && !slices.ContainsFunc(v.Xray.Rows, func(r xray.Row) bool { return r.Memories > 0 || r.Kind == xray.Index })
}

// money returns the price of 1,000 conversations in dollars.
func (v Context) money() string {
	return "$" + wording.Fixed(float64(v.Xray.Tokens)*v.Price/1000, 2) + " per 1,000 conversations"
}

// limitLabel returns the words at the end of the bar, and their tone.
func (v Context) limitLabel() string {
	switch x := v.Xray; {
	case x.Times > 0:
		return wording.Number(x.Times) + " × the limit"
	case !x.Published:
		return "MEMORY.md cap"
	case x.Limit == 0:
		return ""
	case x.Percent > 100:
		return "Over the limit"
	default:
		return "CLAUDE.md limit"
	}
}

func (v Context) claudeMDSize() string {
	if v.Xray.Limit == 0 {
		return wording.Number(v.Xray.ClaudeMD)
	}
	return wording.Number(v.Xray.ClaudeMD) + " of " + wording.Number(v.Xray.Limit) + ", " + wording.Number(v.Xray.Percent) + " %"
}

func (v Context) indexSize() string {
	limit := claudemd.ApproximateTokens(memorymd.IndexUnitCap)
	return wording.Number(v.Xray.IndexTokens) + " of " + wording.Number(limit) + ", " + wording.Number(xray.Percent(v.Xray.IndexTokens, limit)) + " %"
}

// summary returns the X-ray in a sentence, for screen readers.
func (v Context) summary() string {
	var parts []string
	for _, r := range v.Xray.Rows {
		if !r.WouldBe {
			parts = append(parts, r.Kind.Name()+" "+wording.Number(r.Tokens))
		}
	}
	return "Tokens by part: " + strings.Join(parts, ", ") + "."
}

// rowPath returns the address of the memories or the file of a row.
func (v Context) rowPath(kind xray.Kind) string {
	switch kind {
	case xray.Hand, xray.System, xray.OneLine:
		return v.at(address.ClaudeMDFile, 0)
	case xray.Index:
		return v.at(address.MemoryMDFile, 0)
	case xray.Recalled:
		return "#prompt"
	}
	path := address.WithQuery(address.MemoriesPath(v.Agent.Slug), map[string]string{address.FieldType: string(kind)})
	if v.AsOf != nil {
		path = v.AsOf.at(path)
	}
	return path
}

// barParts returns a component that writes the parts of the bar. It is not a template because of its
// size: a bar has more than a hundred parts.
func (v Context) barParts() templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var out strings.Builder
		kind := xray.Kind("")
		for _, s := range v.Xray.Bar.Segments {
			if s.Kind != kind {
				if kind != "" {
					out.WriteString("</g>")
				}
				kind = s.Kind
				out.WriteString(`<g data-kind="` + string(kind) + `">`)
			}
			href, title := v.rowPath(s.Kind), s.Kind.Name()
			switch {
			case s.ID != "":
				href, title = address.MemoryPath(s.Owner, s.ID), s.Name
			case s.More > 0:
				title = "+" + wording.Count(s.More, "memory", "memories")
			}
			if v.AsOf != nil && s.ID != "" {
				href = v.AsOf.at(href)
			}
			if s.OneLine {
				title += ", one line"
			}
			class := ""
			switch {
			case s.WouldBe:
				class = ` class="would"`
			case s.OneLine:
				class = ` class="one-line"`
			case s.More > 0:
				class = ` class="rest"`
			case s.Alternate:
				class = ` class="alt"`
			}
			out.WriteString(`<a href="` + templ.EscapeString(href) + `" tabindex="-1"><title>` +
				templ.EscapeString(wording.Visible(title)+": "+wording.Count(s.Tokens, "token", "tokens")) + `</title><path` + class + ` d="` + s.Span.Path() + `"/></a>`)
		}
		if kind != "" {
			out.WriteString("</g>")
		}
		_, err := io.WriteString(w, out.String())
		return err
	})
}

// brackets returns the brackets below the bar as an SVG path.
func (v Context) brackets() string {
	var path strings.Builder
	b := v.Xray.Bar
	for _, s := range []xray.Span{b.ClaudeMD, b.Index, b.Recalled} {
		if s.To-s.From > 2 {
			path.WriteString(s.Bracket())
		}
	}
	return path.String()
}

// IndexRepair is the view of the preview of a repair.
type IndexRepair struct {
	ui.Frame
	Agent Agent
	Path  string
	New   bool   // whether the file does not exist
	ETag  string // of the change shown
	Diff  diff.Diff
	// Topics are the changes of further indexes to which entries move.
	Topics []TopicChange
}

// TopicChange is the change of a further index to which MEMORY.md links.
type TopicChange struct {
	Path string // relative to the agent's directory
	Diff diff.Diff
}

func (v IndexRepair) repair() ui.Action {
	label := "Save"
	if v.New {
		label = "Create"
	}
	return ui.Action{Label: label, Path: address.IndexRepairPath(v.Agent.Slug), ETag: v.ETag, Style: ui.Primary}
}

// changedLines returns the numbers of added and removed lines in words.
func (v IndexRepair) changedLines() string {
	var parts []string
	if n := v.Diff.Added; n > 0 {
		parts = append(parts, "Adds "+wording.Count(n, "line", "lines"))
	}
	if n := v.Diff.Removed; n > 0 {
		parts = append(parts, "Removes "+wording.Count(n, "line", "lines"))
	}
	return strings.Join(parts, " · ")
}

// maxFindings is the number of findings of a kind that are listed (arbitrary).
const maxFindings = 50

// unlisted returns the findings about memories that have no loaded line.
func (s IndexState) unlisted() []memorymd.Finding {
	var found []memorymd.Finding
	for _, f := range s.Findings {
		if f.Code == memorymd.FindingUnlisted || f.Code == memorymd.FindingNotLoaded {
			found = append(found, f)
		}
	}
	return found
}

// state returns the numbers of findings in words, by kind. It is empty if there are none.
func (s IndexState) state() string {
	count := map[memorymd.FindingCode]int{}
	for _, f := range s.Findings {
		count[f.Code]++
	}
	var parts []string
	if n := s.LineCount - s.Seen; s.isCut() {
		parts = append(parts, wording.Count(max(n, 1), "line not loaded", "lines not loaded"))
	}
	for _, kind := range []struct {
		code      memorymd.FindingCode
		one, many string
	}{
		{memorymd.FindingNotLoaded, "memory not loaded", "memories not loaded"},
		{memorymd.FindingUnlisted, "memory without a line", "memories without a line"},
		{memorymd.FindingDeadLink, "dead link", "dead links"},
		{memorymd.FindingRepeated, "repeated line", "repeated lines"},
		{memorymd.FindingLongEntry, "long line", "long lines"},
	} {
		if n := count[kind.code]; n > 0 {
			parts = append(parts, wording.Count(n, kind.one, kind.many))
		}
	}
	return strings.Join(parts, " · ")
}

// repairLabel returns the label of the link to the repair.
func (s IndexState) repairLabel() string {
	if s.isCut() {
		return "Shorten index…"
	}
	return "Update index…"
}

// mayWrite reports whether the reader may change the agent's files from this page.
func (v Context) mayWrite(r ui.Reader) bool {
	return v.AsOf == nil && r.CanWrite && v.Agent.canBeWritten()
}

// memory returns the address of the memory of a line, at the same moment.
func (v Context) memory(l fileview.Line) string {
	path := address.MemoryPath(l.Owner, l.Memory)
	if v.AsOf != nil {
		path = v.AsOf.at(path)
	}
	return path
}

// firstMarker returns the number of the first shown line with a damaged marker, or of the first line.
func (f File) firstMarker() int {
	for _, l := range f.Page.Lines {
		if l.Marker {
			return l.Number
		}
	}
	return f.Page.Lines[0].Number
}

// lineKind returns the class of a line: own, marker, cut or left-out. It is empty for other lines.
func lineKind(l fileview.Line) string {
	switch {
	case l.Marker:
		return "marker"
	case l.Fate == memorymd.LineCut:
		return "cut"
	case l.Fate == memorymd.LineLeftOut:
		return "left-out"
	case l.Owned:
		return "own"
	default:
		return ""
	}
}

// sourceText returns a component that writes the text of a line and what can be done with it. It is
// not a template because a template would add spaces.
func sourceText(v Context, l fileview.Line) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		text := func(s string) string { return templ.EscapeString(wording.Visible(s)) }
		html := text(l.Text)
		if l.Memory != "" {
			html = text(l.Before) + `<a href="` + templ.EscapeString(v.memory(l)) + `">` + text(l.Title) + `</a>`
			if l.File != "" {
				html += ` <i>` + text(l.File) + `</i>` + text(l.After)
			}
		}
		if l.LeftOut > 0 {
			html += ` <i>… ` + wording.Count(l.LeftOut, "character", "characters") + `</i>`
		}
		html = `<span dir="auto">` + html + `</span>`
		if l.Fate == memorymd.LineCut {
			html += `<span class="unseen">(not seen)</span>`
		}
		if l.Fact != "" && v.mayWrite(ui.ReaderOf(ctx)) {
			html += `<a class="do" href="` + templ.EscapeString(address.FactPath(v.Agent.Slug, l.Fact)) + `">Make a memory of it<span class="unseen">: line ` + strconv.Itoa(l.Number) + `</span></a>`
		}
		for _, f := range l.Findings {
			html += `<span class="finding">` + text(f) + `</span>`
		}
		_, err := io.WriteString(w, html)
		return err
	})
}
