// Package reviewcards makes the view models of the review. It reads the texts of items, marks the
// words that differ, and describes decisions in words. Package pages shows them.
package reviewcards

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/extraction"
	"memoir/internal/findings"
	"memoir/internal/findings/quarantine"
	"memoir/internal/markdown"
	"memoir/internal/marked"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

const (
	// maxSides is the maximum number of memories of an item that are shown. Only an item about
	// missing files has more.
	maxSides = 4
	// maxTexts is the maximum size of all texts of a card in bytes, so that a page stays below 150 KB.
	maxTexts = 40_000
	// recallDays is the number of days whose recalls are counted, as the order of the queue does.
	recallDays = 30
	// maxLines is the maximum number of lines of a diff (arbitrary).
	maxLines = 60
	// maxMembers is the maximum number of missing memories that are listed (arbitrary).
	maxMembers = 100
	// maxRelated is the maximum number of other memories about the same (arbitrary).
	maxRelated = 3
)

// Store reads the texts of items, with masks. Revealed reads a memory without them, and AddReveal
// records that.
type Store interface {
	ReviewTexts(ctx context.Context, agentID int64, since time.Time, ids []string) ([]records.ReviewText, error)
	Revealed(ctx context.Context, agent records.Agent, id string) (memories.Memory, error)
	AddReveal(ctx context.Context, agentID int64, id string, actor memories.Actor) error
	Versions(ctx context.Context, m memories.Memory) ([]records.Version, error)
	BlockedPage(ctx context.Context, agentID int64, limit int, cursor string) (records.BlockedPage, error)
	RecallsOf(ctx context.Context, m memories.Memory) (records.RecallsOfMemory, error)
	Revisions(ctx context.Context, agent records.Agent, id string, list records.RevisionList) (records.RevisionPage, error)
	MemoriesWithLink(ctx context.Context, agentID int64, links, besides []string, most int) ([]records.ReviewLink, error)
	ConsolidationStep(ctx context.Context, agentID int64, id string) (records.Step, error)
	DeadCitations(ctx context.Context, agent records.Agent, ids []string) (map[string][]memories.CheckedCitation, error)
}

// Engine proposes fixes of files. It changes nothing.
type Engine interface {
	ProposeFixes(ctx context.Context, slug, id string) ([]engine.Flawed, error)
	PreviewIndex(ctx context.Context, slug string) (engine.IndexChange, error)
}

// Proposals reads suggestions from conversations.
type Proposals interface {
	Proposal(ctx context.Context, slug, id string) (extraction.Proposed, error)
}

// Options says what a reader may do, and how much is shown.
type Options struct {
	CanDecide bool
	CanReveal bool // offers a page with the secret
	Reveal    bool // shows the secret
	Merge     bool // shows the form for a merged text
	Here      string
}

// Maker makes cards.
type Maker struct {
	Store     Store
	Engine    Engine
	Proposals Proposals
	// Render returns a passage of the agent's Markdown as HTML.
	Render func(marked.Passage) (markdown.HTML, error)
	Options
}

// card collects the parts of a ReviewCard.
type card struct {
	Maker
	ctx   context.Context
	agent records.Agent
	item  records.ReviewItem
	texts map[string]records.ReviewText
	most  int // length of a text in bytes
	// mergeHref is the form that merges the contents of a memory's files. It is empty without one.
	mergeHref string
	templates.ReviewCard
}

// Card returns the card of an item of the agent, without its place in a list. A memory that is
// deleted since has a side without a text.
func (m Maker) Card(ctx context.Context, agent records.Agent, item records.ReviewItem) (templates.ReviewCard, error) {
	c := &card{Maker: m, ctx: ctx, agent: agent, item: item, texts: map[string]records.ReviewText{}, most: maxTexts}
	c.ReviewCard = templates.ReviewCard{
		ID: item.ID, Kind: templates.ReviewWord(string(item.Kind)), KindID: string(item.Kind), Tone: ToneOf(item.Kind), Agent: item.Agent,
		Name: cmp.Or(agent.DisplayName, item.Agent), Reason: item.Reason, Lead: leadOf(item), FoundAt: item.CreatedAt.Local(), Links: linksOf(item),
	}
	for _, f := range []func() error{c.addMemories, c.addOther, c.addFixes, c.addRelated} {
		if err := f(); err != nil {
			return templates.ReviewCard{}, err
		}
	}
	c.addEffect()
	if m.CanDecide {
		c.addChoices()
	}
	return c.ReviewCard, nil
}

// leads say what to do about an item of a kind, in one sentence.
var leads = map[findings.Kind]string{
	findings.Secret: "Agents do not receive this memory until you decide.", findings.Injection: "Agents do not receive this memory until you decide.",
	findings.Missing: "Many files disappeared together. The memories stay active until you decide.", findings.Contradiction: "Both are in use. Keep the one that is true.",
	findings.Conflict: "Same name; the newest is used.", findings.Unfinished: "The last good content stays in use.",
	findings.Broken: "Fix the file, or delete it.", findings.Blocked: "Deleted content that returns is blocked.",
	findings.Deletion: "You decide for both machines.",
	findings.Expired:  "Delete it, or confirm that it is still true.", findings.Duplicate: "One of them is enough.",
	findings.Junk: "Says nothing that a later conversation can use.", findings.Link: "A link or path leads nowhere.",
	findings.Index: "The agent does not see the lines past its limit.", findings.Unchecked: "Confirm it, or delete it.",
	findings.Suggestion: "From a conversation. Accept, edit or dismiss.", findings.Plan: "One step of a plan. Nothing has changed yet.",
}

// leadOf returns what to do about an item, in one sentence.
func leadOf(item records.ReviewItem) string {
	switch n := len(item.Memories); {
	case item.Kind == findings.Contradiction && n == 1:
		return "Delete it, or keep it if it is still true."
	case item.Kind == findings.Contradiction && n > 2:
		return "All are in use. Keep the one that is true."
	}
	return leads[item.Kind]
}

// ToneOf returns the tone of a kind: danger for safety, warning for what is wrong, good for
// suggestions.
func ToneOf(kind findings.Kind) ui.Tone {
	switch review.GroupOf(kind) {
	case review.Safety:
		return ui.Danger
	case review.Wrong:
		return ui.Warning
	case review.Suggestions:
		return ui.Good
	}
	return ui.Quiet
}

// addMemories adds the memories of the item as sides, with the words that differ or the evidence
// marked.
func (c *card) addMemories() error {
	item := c.item
	shown := item.Memories[:min(len(item.Memories), maxSides)]
	if item.Kind == findings.Missing {
		shown = nil
		for _, m := range item.Memories[:min(len(item.Memories), maxMembers)] {
			c.Members = append(c.Members, templates.ReviewMember{Name: m.Name, Href: address.MemoryPath(item.Agent, m.ID), Path: m.Path})
		}
		c.More = max(0, len(item.Memories)-maxMembers)
	}
	if len(item.Memories) <= 500 {
		for _, m := range item.Memories {
			c.ETags = append(c.ETags, m.ETag)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	ids := make([]string, len(shown))
	for i, m := range shown {
		ids[i] = m.ID
	}
	found, err := c.Store.ReviewTexts(c.ctx, c.agent.ID, time.Now().AddDate(0, 0, -recallDays), ids)
	if err != nil {
		return err
	}
	for _, t := range found {
		if c.Reveal && t.IsQuarantined() {
			if err := c.Store.AddReveal(c.ctx, c.agent.ID, t.ID, memories.ByBrowser); err != nil {
				return err
			}
			m, err := c.Store.Revealed(c.ctx, c.agent, t.ID)
			if err != nil {
				return err
			}
			t.Name, t.Description, t.Body = m.Name, m.Description, m.Body
		}
		c.texts[t.ID] = t
	}
	if item.Kind == findings.Conflict {
		return c.addVersions()
	}
	c.most = maxTexts / len(shown)
	bodies, descriptions := make([]string, len(shown)), make([]string, len(shown))
	for i, m := range shown {
		bodies[i], descriptions[i] = c.texts[m.ID].Body, c.texts[m.ID].Description
	}
	var inBody, inDescription [][]marked.Span
	if len(shown) > 1 {
		inBody, inDescription = Differing(bodies), Differing(descriptions)
	}
	for i, m := range shown {
		var more [2][]marked.Span
		if inBody != nil {
			more[0] = inBody[i]
		}
		if inDescription != nil {
			more[1] = inDescription[i]
		}
		side, err := c.side(m, more[0], more[1])
		if err != nil {
			return err
		}
		c.Sides = append(c.Sides, side)
	}
	c.explainKeep()
	return nil
}

// side returns a memory of an item. It marks the given spans, or the evidence without them. It marks
// nothing in masked texts, and in a memory that has changed since.
func (c *card) side(of records.ReviewMemory, body, description []marked.Span) (templates.ReviewSide, error) {
	side := templates.ReviewSide{Name: of.Name, Href: address.MemoryPath(c.item.Agent, of.ID), Recommended: c.item.Keep == of.ID}
	m, ok := c.texts[of.ID]
	if !ok {
		side.Label = "Deleted"
		return side, nil
	}
	side.Name, side.Type, side.HasType = m.Name, m.Type, true
	side.Masked = m.IsQuarantined() && !c.Reveal
	item := address.ReviewItemPath(c.item.ID)
	switch {
	case side.Masked && c.CanReveal:
		side.RevealHref = address.WithQuery(item, map[string]string{address.FieldReveal: "true"})
	case m.IsQuarantined() && c.Reveal:
		side.HideHref = item
	}
	spans := map[findings.Field][]marked.Span{}
	if !side.Masked && engine.ETag(m.Memory) == of.ETag {
		for _, e := range c.item.Evidence {
			if e.Memory == of.ID {
				spans[e.Field] = append(spans[e.Field], marked.Span{Start: e.Start, End: e.End})
			}
		}
		if body != nil || description != nil {
			spans[findings.Body], spans[findings.Description] = body, description
		}
	}
	side.NameParts = marked.PassageOf(m.Name, spans[findings.Name], c.most).Parts()
	if !repeats(m.Body, m.Description) {
		side.Description = marked.PassageOf(m.Description, spans[findings.Description], c.most/2).Parts()
	}
	if err := c.show(&side, m.Body, spans[findings.Body], c.most); err != nil {
		return side, err
	}
	var err error
	side.Facts, err = c.facts(m)
	return side, err
}

// show sets the text of a side, as a passage of about most bytes with the spans marked. It shows the
// source of what may deceive, which includes invisible characters, of a broken file, and of a link.
func (c *card) show(side *templates.ReviewSide, body string, spans []marked.Span, most int) (err error) {
	passage := marked.PassageOf(body, spans, most)
	side.IsCut = passage.IsCut()
	if review.GroupOf(c.item.Kind) == review.Safety || wording.Visible(passage.Text) != passage.Text || c.item.Kind == findings.Broken || c.item.Kind == findings.Link {
		side.Source = passage.Parts()
		return nil
	}
	side.Body, err = c.Render(passage)
	return err
}

// repeats reports whether a body begins with the description, so that the latter says nothing new.
func repeats(body, description string) bool {
	return strings.HasPrefix(strings.TrimSpace(body), strings.TrimRight(strings.TrimSpace(description), ".…"))
}

// facts returns the time, the recalls, the source and the cost of a memory.
func (c *card) facts(m records.ReviewText) ([]templates.ReviewFact, error) {
	var facts []templates.ReviewFact
	add := func(label, text string) { facts = append(facts, templates.ReviewFact{Label: label, Text: text}) }
	if !m.ModifiedAt.Before(memories.KnownSince) {
		add("Written", m.ModifiedAt.Local().Format("2 Jan 2006")+", "+memories.AgeOf(m.ModifiedAt, time.Now()).String())
	}
	used, err := c.Store.RecallsOf(c.ctx, m.Memory)
	if err != nil {
		return nil, err
	}
	switch {
	case used.Recalls == 1:
		add("Recalled", "Once, "+used.Last.Local().Format("2 Jan"))
	case used.Recalls > 0:
		add("Recalled", fmt.Sprintf("%d times, last %s", used.Recalls, used.Last.Local().Format("2 Jan")))
	default:
		add("Recalled", "Never")
	}
	add("From", wording.OriginOf(m.Session, m.Path))
	if len(m.Files) > 1 {
		var paths []string
		for _, f := range m.Files[:min(len(m.Files), 6)] {
			if f.Path != m.Path {
				paths = append(paths, f.Path)
			}
		}
		add("Also in", strings.Join(paths, ", "))
	}
	if c.item.Kind == findings.Secret {
		page, err := c.Store.Revisions(c.ctx, c.agent, m.ID, records.RevisionList{Limit: 1})
		if err != nil {
			return nil, err
		}
		add("History", wording.Count(page.Total, "revision", "revisions"))
	}
	if m.ClaudeMDChars > 0 && agents.Layout(c.agent.Layout).Published() {
		add("Cost", wording.Count(tokens(m.ClaudeMDChars), "token", "tokens"))
	}
	return facts, nil
}

// explainKeep gives the recommended side a word of reason.
func (c *card) explainKeep() {
	at := slices.IndexFunc(c.Sides, func(s templates.ReviewSide) bool { return s.Recommended })
	if at < 0 || len(c.Sides) < 2 {
		return
	}
	best := c.texts[c.item.Keep]
	isNewest, isUsed, isLongest := true, true, true
	for id, t := range c.texts {
		if id != c.item.Keep {
			isNewest = isNewest && best.ContentAt.After(t.ContentAt)
			isUsed = isUsed && best.Recalls > t.Recalls
			isLongest = isLongest && len(best.Body) > len(t.Body)
		}
	}
	switch {
	case c.item.Kind == findings.Contradiction && isNewest, isNewest && !isUsed && !isLongest:
		c.Sides[at].Why = "Newer"
	case isUsed:
		c.Sides[at].Why = "Recalled more"
	case isLongest:
		c.Sides[at].Why = "Complete"
	default:
		c.Sides[at].Why = "Better"
	}
}

// addVersions adds the contents of a memory's files as sides, in the order of the item's Subject.
func (c *card) addVersions() error {
	t, ok := c.texts[c.item.Memories[0].ID]
	if !ok {
		return nil
	}
	versions, err := c.Store.Versions(c.ctx, t.Memory)
	if err != nil {
		return err
	}
	place := func(of records.Version) int {
		return strings.Index(c.item.Subject, hex.EncodeToString(of.Fingerprint[:]))
	}
	slices.SortStableFunc(versions, func(a, b records.Version) int { return cmp.Compare(place(a), place(b)) })
	c.More = max(0, len(versions)-maxSides)
	versions = versions[:min(len(versions), maxSides)]
	bodies := make([]string, len(versions))
	for i, v := range versions {
		bodies[i] = v.Body
	}
	marks := Differing(bodies)
	for i, version := range versions {
		side := templates.ReviewSide{Name: t.Name, Href: address.MemoryPath(c.item.Agent, t.ID), Type: version.Type, HasType: true}
		if version.Current {
			side.Label = "In use"
		}
		for _, f := range version.Files {
			side.Facts = append(side.Facts,
				templates.ReviewFact{Label: "From", Text: wording.OriginOf(f.Session, f.Path)},
				templates.ReviewFact{Label: "Written", Text: f.ContentAt.Local().Format("2 Jan 2006, 15:04")})
		}
		var spans []marked.Span
		if marks != nil {
			spans = marks[i]
		}
		side.Description = marked.PassageOf(version.Description, nil, maxTexts/8).Parts()
		if err := c.show(&side, version.Body, spans, maxTexts/len(versions)); err != nil {
			return err
		}
		c.Sides = append(c.Sides, side)
		if !version.Current {
			c.mergeHref = cmp.Or(c.mergeHref, address.WithQuery(address.MemoryPath(c.item.Agent, t.ID, "edit"), map[string]string{
				address.FieldWith: hex.EncodeToString(version.Fingerprint[:]),
			}))
		}
	}
	return nil
}

// addOther adds what an item without memories is about: a blocked content, a suggestion or a step of
// a plan. It adds nothing if that is gone.
func (c *card) addOther() error {
	var err error
	switch c.item.Kind {
	case findings.Blocked:
		err = c.addBlocked()
	case findings.Suggestion:
		err = c.addSuggestion()
	case findings.Plan:
		err = c.addStep()
	}
	if errors.Is(err, memories.ErrNotFound) {
		return nil
	}
	return err
}

func (c *card) addBlocked() error {
	for cursor := ""; ; {
		page, err := c.Store.BlockedPage(c.ctx, c.agent.ID, records.MaxLimit, cursor)
		if err != nil {
			return err
		}
		for _, b := range page.Blocked {
			if b.ID == c.item.Subject {
				return c.addText(templates.ReviewSide{Name: b.Name, Type: b.Type, HasType: true, Facts: []templates.ReviewFact{
					{Label: "Seen", Text: b.SeenAt.Local().Format("2 Jan 2006, 15:04")}, {Label: "From", Text: wording.OriginOf(b.Session, b.Path)},
				}}, b.Description, b.Body)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			return nil
		}
	}
}

func (c *card) addSuggestion() error {
	p, err := c.Proposals.Proposal(c.ctx, c.item.Agent, c.item.Subject)
	if err != nil {
		return err
	}
	c.ETags = []string{p.ETag()}
	c.Quote = &templates.ReviewQuote{Text: quarantine.MaskSecrets(p.Quote), From: wording.OriginOf(p.Session, ""), At: shown.Local(p.QuotedAt)}
	if doubt := p.Doubt(); doubt != "" {
		c.Facts = append(c.Facts, templates.ReviewFact{Label: "Check", Text: doubt})
	}
	if m := p.Present; m != nil {
		c.Changes = append(c.Changes, textChange(c.item.Agent, m.ID, m.Name,
			records.StepText{Type: m.Type, Description: m.Description, Body: m.Body}, &records.StepText{Type: p.Type, Description: p.Description, Body: p.Body}))
		return nil
	}
	return c.addText(templates.ReviewSide{Name: p.Name, Type: p.Type, HasType: true, Label: "New"}, p.Description, p.Body)
}

func (c *card) addStep() error {
	step, err := c.Store.ConsolidationStep(c.ctx, c.agent.ID, c.item.Subject)
	if err != nil {
		return err
	}
	c.Reason, c.Lead = step.Title, step.Reason
	if step.Problem != "" {
		c.Facts = append(c.Facts, templates.ReviewFact{Label: "Problem", Text: step.Problem})
	}
	for _, change := range step.Changes {
		before := records.StepText{}
		if change.Before != nil {
			before = *change.Before
		}
		c.Changes = append(c.Changes, textChange(c.item.Agent, change.Memory, change.Name, before, change.After))
	}
	c.Effect = sizeEffect(step.CharsAfter - step.CharsBefore)
	return nil
}

// addText adds a text that is no memory. Secrets in it are masked.
func (c *card) addText(side templates.ReviewSide, description, body string) error {
	side.Name = quarantine.MaskSecrets(side.Name)
	side.Description = marked.PassageOf(quarantine.MaskSecrets(description), nil, maxTexts/8).Parts()
	err := c.show(&side, quarantine.MaskSecrets(body), nil, maxTexts/2)
	c.Sides = append(c.Sides, side)
	return err
}

// textChange returns the change of a memory's text. A nil after deletes it. id is empty for an index.
func textChange(slug, id, name string, before records.StepText, after *records.StepText) templates.ReviewChange {
	v := templates.ReviewChange{Title: quarantine.MaskSecrets(name), Path: id == ""}
	if id != "" {
		v.Href = address.MemoryPath(slug, id)
	}
	now := records.StepText{Type: before.Type, Description: before.Description}
	if after == nil {
		v.Note = "Goes to the trash."
	} else {
		now = *after
	}
	var notes []string
	if now.Type != before.Type {
		notes = append(notes, fmt.Sprintf("Type: %s → %s.", cmp.Or(string(before.Type), "none"), now.Type))
	}
	if now.Description != before.Description {
		notes = append(notes, fmt.Sprintf("Description: “%s” → “%s”.", quarantine.MaskSecrets(before.Description), quarantine.MaskSecrets(now.Description)))
	}
	v.Note = strings.Join(append([]string{v.Note}, notes...), " ")
	v.Diff = shown.Diff(before.Body, now.Body, maxLines)
	return v
}

// addRelated adds other memories that link to those of the item.
func (c *card) addRelated() error {
	switch c.item.Kind {
	case findings.Contradiction, findings.Duplicate, findings.Expired, findings.Conflict, findings.Unchecked:
	default:
		return nil
	}
	var links, ids []string
	var of []int // the side of each link
	for n, m := range c.item.Memories[:min(len(c.item.Memories), maxSides)] {
		ids = append(ids, m.ID)
		base := path.Base(m.Path)
		for _, link := range []string{"[[" + m.Name + "]]", "[[" + strings.TrimSuffix(base, ".md") + "]]", "](" + base + ")"} {
			links, of = append(links, link), append(of, n)
		}
	}
	found, err := c.Store.MemoriesWithLink(c.ctx, c.agent.ID, links, ids, maxRelated)
	if err != nil || len(found) == 0 {
		return err
	}
	var linking []string
	for _, l := range found {
		linking = append(linking, l.ID)
	}
	texts, err := c.Store.ReviewTexts(c.ctx, c.agent.ID, time.Now(), linking)
	if err != nil {
		return err
	}
	for _, l := range found {
		at := slices.IndexFunc(texts, func(t records.ReviewText) bool { return t.ID == l.ID })
		if at < 0 {
			continue
		}
		why := "links here"
		if len(ids) > 1 {
			why = fmt.Sprintf("links to %d", of[l.Link]+1)
		}
		c.Related = append(c.Related, templates.ReviewRelated{
			Name: texts[at].Name, Type: texts[at].Type, Description: texts[at].Description, Href: address.MemoryPath(c.item.Agent, l.ID), Why: why,
		})
	}
	return nil
}

// addEffect adds the effect of the recommended decision in words.
func (c *card) addEffect() {
	if c.Effect != "" {
		c.Undoes = true
		return
	}
	chars, effect := 0, ""
	switch recommended := review.Recommended(c.item); {
	case c.item.Kind == findings.Conflict:
		c.Effect, c.Undoes = "The other files of this name are removed.", true
		return
	case c.item.Kind == findings.Blocked || c.item.Kind == findings.Suggestion || len(c.item.Memories) == 0 || c.item.Kind == findings.Missing:
		return
	case len(c.item.Memories) > 1:
		effect = "The others go to the trash"
		if len(c.item.Memories) == 2 {
			effect = "The other goes to the trash"
		}
		for n, m := range c.item.Memories {
			if m.ID != c.item.Keep && (c.item.Keep != "" || n > 0) {
				chars += c.texts[m.ID].ClaudeMDChars
			}
		}
	case recommended == review.Delete:
		effect, chars = "It goes to the trash", c.texts[c.item.Memories[0].ID].ClaudeMDChars
	default:
		return
	}
	c.Effect, c.Undoes = effect+".", true
	if chars > 0 && agents.Layout(c.agent.Layout).Published() {
		n := tokens(chars)
		leave := " leave each conversation."
		if n == 1 {
			leave = " leaves each conversation."
		}
		c.Effect = effect + ", and " + wording.Count(n, "token", "tokens") + leave
	}
}

// tokens returns about how many tokens a text of so many Unicode characters takes. A negative number
// gives a negative result.
func tokens(chars int) int {
	if chars < 0 {
		return -tokens(-chars)
	}
	return claudemd.ApproximateTokens(chars)
}

// sizeEffect returns a change of CLAUDE.md in words.
func sizeEffect(chars int) string {
	switch n := tokens(chars); {
	case n < 0:
		return wording.Count(-n, "token", "tokens") + " less in each conversation."
	case n > 0:
		return wording.Count(n, "token", "tokens") + " more in each conversation."
	}
	return "No change in each conversation."
}

// linksOf returns the links to the page that shows more about an item of its kind.
func linksOf(item records.ReviewItem) []ui.Link {
	switch {
	case item.Kind == findings.Index, item.Kind == findings.Link && len(item.Memories) == 0:
		return []ui.Link{{Label: item.Subject, Href: address.IndexPath(item.Agent)}}
	case item.Kind == findings.Secret:
		return []ui.Link{{Label: "History", Href: address.MemoryPath(item.Agent, item.Memories[0].ID, "history")}}
	case item.Kind == findings.Conflict:
		return []ui.Link{{Label: "Files", Href: address.MemoryFilePath(item.Agent, item.Memories[0].ID)}}
	}
	return nil
}
