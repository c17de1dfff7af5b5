package templates

import (
	"fmt"
	"strings"

	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// ReviewPlan is the state of an agent's plan.
type ReviewPlan struct {
	Text     string
	Actions  []ui.Action
	Findings []ReviewFinding
}

// ReviewFinding is a finding of a plan that only a person can decide about.
type ReviewFinding struct{ Name, Href, Text string }

// picked returns an item as a field of a form: its id and the ETags of its memories.
func (r ReviewRow) picked() string { return strings.Join(append([]string{r.ID}, r.ETags...), " ") }

func (c ReviewBatchChoice) style() string {
	return ReviewChoice{Recommended: c.Recommended, Destroys: c.Destroys}.style()
}

// showsKey reports whether the label does not say the key already, as in "Keep 1".
func (c ReviewChoice) showsKey() bool { return c.Key != "" && !strings.HasSuffix(c.Label, " "+c.Key) }

func (c ReviewChoice) shownKey() string { return strings.ToUpper(c.Key) }

// tokens returns the change of the context in tokens, with its sign.
func (e ReviewEnd) tokens() string {
	if e.After.Total == e.Before.Total {
		return "±0"
	}
	return wording.Signed(e.After.Total - e.Before.Total)
}

func (e ReviewEnd) tone() ui.Tone {
	if e.After.Total < e.Before.Total {
		return ui.Good
	}
	return ui.Quiet
}

// scale returns the length of both bars in tokens, or 0 if nothing is loaded.
func (e ReviewEnd) scale() int { return max(e.Before.Total, e.After.Total) * 105 / 100 }

// placedPart is a part of a bar of 1000 units.
type placedPart struct {
	kind     string
	x, width int
}

func (b ReviewBar) parts(scale int) (all []placedPart) {
	x := 0
	for _, p := range b.Parts {
		width := p.Tokens * 1000 / scale
		if width > 0 {
			gap := 0
			if width > 6 {
				gap = 1
			}
			all = append(all, placedPart{p.Kind, x, width - gap})
		}
		x += width
	}
	return all
}

// pictureColours are the colours of the picture, which has no stylesheet: those of the light theme.
var pictureColours = map[string]string{
	"hand": "#5f5a52", "feedback": "#c27512", "user": "#8b6bd0", "project": "#35905f", "reference": "#3a83bd",
}

// ReviewPicture returns the end card as an SVG.
func ReviewPicture(e ReviewEnd) string {
	var b strings.Builder
	text := func(x, y, size, weight int, colour, anchor, content string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="%d" font-weight="%d" fill="%s" text-anchor="%s">%s</text>`, x, y, size, weight, colour, anchor, content)
	}
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="688" height="420" viewBox="0 0 688 420" font-family="Inter, system-ui, sans-serif"><rect width="688" height="420" rx="16" fill="#ffffff"/>`)
	text(32, 56, 20, 600, "#1c1a17", "start", "All clear.")
	text(32, 78, 12, 400, "#6a655c", "start", fmt.Sprintf("%s in %s, %s", wording.Count(e.Decisions, "decision", "decisions"), wording.Count(e.Minutes, "minute", "minutes"), wording.Count(e.Agents, "agent", "agents")))
	text(32, 136, 36, 600, "#1c1a17", "start", wording.Number(e.MemoriesBefore)+" → "+wording.Number(e.MemoriesAfter))
	text(32, 158, 14, 400, "#6a655c", "start", "memories")
	text(360, 136, 36, 600, "#1f6b45", "start", e.tokens())
	text(360, 158, 14, 400, "#6a655c", "start", "tokens in each conversation")
	y := 196
	for _, bar := range []struct {
		label string
		of    ReviewBar
	}{{"Before", e.Before}, {"Now", e.After}} {
		text(32, y, 12, 400, "#6a655c", "start", bar.label)
		text(656, y, 12, 400, "#6a655c", "end", wording.Number(bar.of.Total))
		fmt.Fprintf(&b, `<rect x="32" y="%d" width="624" height="28" fill="#f1efe9"/>`, y+8)
		if scale := e.scale(); scale > 0 {
			for _, p := range bar.of.parts(scale) {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="28" fill="%s"/>`, 32+p.x*624/1000, y+8, max(1, p.width*624/1000), pictureColours[p.kind])
			}
		}
		y += 60
	}
	for i, p := range e.Before.Parts {
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="10" height="10" rx="2" fill="%s"/>`, 32+i*116, y-10, pictureColours[p.Kind])
		text(32+i*116+16, y, 12, 400, "#514d46", "start", p.Label)
	}
	for i, c := range e.Counts {
		text(32+i*160, y+52, 20, 600, "#1c1a17", "start", c.Text)
		text(32+i*160, y+72, 12, 400, "#6a655c", "start", c.Label)
	}
	b.WriteString(`</svg>`)
	return b.String()
}
