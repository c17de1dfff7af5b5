// Package reviewcards makes the view models of items of the review: it reads the texts that items
// are about, marks the evidence in them, and says in words what can be decided. Package pages shows
// them.
package reviewcards

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"memoir/internal/findings"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

const (
	// maxSides is the maximum number of memories of an item that are shown. Only an item about
	// missing files has more.
	maxSides = 4
	// maxPage is the intended size of a page in bytes. The frame, each item and each of its memories
	// take about so many without texts (measured).
	maxPage, frameSize, itemSize, sideSize = 145_000, 12_000, 1_200, 430
	// recallDays is the number of days whose recalls are counted, as the order of the queue does.
	recallDays = 30
	// minText and maxText limit the size of one text on a list, in bytes (arbitrary).
	minText, maxText = 160, 1500
)

// Store reads the texts of items, with masks. Revealed reads a memory without them.
type Store interface {
	ReviewTexts(ctx context.Context, agentID int64, since time.Time, ids []string) ([]records.ReviewText, error)
	Revealed(ctx context.Context, agent records.Agent, id string) (memories.Memory, error)
	Versions(ctx context.Context, m memories.Memory) ([]records.Version, error)
	BlockedPage(ctx context.Context, agentID int64, limit int, cursor string) (records.BlockedPage, error)
	Proposals(ctx context.Context, agentID int64, state records.ProposalState, limit int, cursor string) (records.ProposalPage, error)
}

// Options says what a reader may do, and how much is shown.
type Options struct {
	CanDecide bool
	CanReveal bool // offers a page with the secret
	Reveal    bool // shows the secret
	Whole     bool // shows whole texts; for one item
}

// maker makes the cards of one page.
type maker struct {
	Options
	ctx    context.Context
	store  Store
	most   int // length of a text in bytes
	agents map[int64]records.Agent
	texts  map[string]records.ReviewText
	others map[string]templates.ReviewSide // texts that are no memories, by the item's subject
}

// Of returns the cards of the items, in the same order, without Back. all are all agents. A memory
// that is deleted since has a side without a text.
func Of(ctx context.Context, store Store, items []records.ReviewItem, all []records.Agent, o Options) ([]templates.ReviewCard, error) {
	v := &maker{
		Options: o, ctx: ctx, store: store,
		agents: map[int64]records.Agent{}, texts: map[string]records.ReviewText{}, others: map[string]templates.ReviewSide{},
	}
	for _, a := range all {
		v.agents[a.ID] = a
	}
	wanted, kinds, sides := map[int64][]string{}, map[int64]map[findings.Kind]bool{}, 1
	room := maxPage - frameSize - itemSize*len(items)
	for _, item := range items {
		for _, m := range item.Memories[:min(len(item.Memories), maxSides)] {
			wanted[item.AgentID] = append(wanted[item.AgentID], m.ID)
			sides, room = sides+1, room-sideSize-2*len(m.Name)
		}
		if kinds[item.AgentID] == nil {
			kinds[item.AgentID] = map[findings.Kind]bool{}
		}
		kinds[item.AgentID][item.Kind] = true
	}
	v.most = min(max(room/sides*2/3, minText), maxText) // the description gets half of it
	if o.Whole {
		v.most = memories.MaxFileSize
	}
	for id := range kinds {
		if err := v.read(v.agents[id], wanted[id], kinds[id]); err != nil {
			return nil, err
		}
	}
	cards := make([]templates.ReviewCard, len(items))
	for i, item := range items {
		cards[i] = v.card(item)
		if item.Kind == findings.Conflict {
			if err := v.addVersions(item, &cards[i]); err != nil {
				return nil, err
			}
		}
	}
	return cards, nil
}

// read reads the memories with the ids, and other texts that items of the kinds are about.
func (v *maker) read(agent records.Agent, ids []string, kinds map[findings.Kind]bool) error {
	found, err := v.store.ReviewTexts(v.ctx, agent.ID, time.Now().AddDate(0, 0, -recallDays), ids)
	if err != nil {
		return err
	}
	for _, t := range found {
		if v.Reveal && t.IsQuarantined() {
			m, err := v.store.Revealed(v.ctx, agent, t.ID)
			if err != nil {
				return err
			}
			t.Name, t.Description, t.Body = m.Name, m.Description, m.Body
		}
		v.texts[t.ID] = t
	}
	if kinds[findings.Blocked] {
		page, err := v.store.BlockedPage(v.ctx, agent.ID, records.MaxLimit, "")
		if err != nil {
			return err
		}
		for _, b := range page.Blocked {
			v.addOther(b.ID, templates.ReviewSide{Name: b.Name, Path: b.Path, Type: b.Type, HasType: true}, b.Description, b.Body)
		}
	}
	if kinds[findings.Suggestion] {
		page, err := v.store.Proposals(v.ctx, agent.ID, records.ProposalWaiting, records.MaxLimit, "")
		if err != nil {
			return err
		}
		for _, p := range page.Proposals {
			v.addOther(p.ID.String(), templates.ReviewSide{Name: p.Name, Type: p.Type, HasType: true}, p.Description, p.Body)
		}
	}
	return nil
}

// addOther adds a text that is no memory. Secrets in it are masked.
func (v *maker) addOther(subject string, side templates.ReviewSide, description, body string) {
	side.Name = quarantine.MaskSecrets(side.Name)
	side.Description, _ = templates.MarkSpans(quarantine.MaskSecrets(description), nil, maxText)
	side.Body, side.IsCut = templates.MarkSpans(quarantine.MaskSecrets(body), nil, v.most)
	v.others[subject] = side
}

func (v *maker) card(item records.ReviewItem) templates.ReviewCard {
	agent := v.agents[item.AgentID]
	c := templates.ReviewCard{
		ID: item.ID, Kind: templates.ReviewWord(string(item.Kind)), Agent: item.Agent, Name: cmp.Or(agent.DisplayName, item.Agent), Reason: item.Reason, FoundAt: item.CreatedAt.Local(),
		More: max(0, len(item.Memories)-maxSides), Links: linksOf(item), Whole: v.Whole,
	}
	if review.GroupOf(item.Kind) == review.Safety {
		c.Tone = templates.Danger
	}
	for _, m := range item.Memories[:min(len(item.Memories), maxSides)] {
		c.Sides = append(c.Sides, v.side(item, m))
		if len(item.Memories) <= maxSides {
			c.ETags = append(c.ETags, m.ETag)
		}
	}
	if other, ok := v.others[item.Subject]; ok {
		c.Sides = append(c.Sides, other)
	}
	if v.CanDecide {
		c.Choices = choicesOn(item)
		if len(item.Memories) == 1 && !c.Sides[0].Masked && editable[item.Kind] {
			c.Links = append(c.Links, templates.Link{Label: "Edit", Href: templates.MemoryPath(item.Agent, item.Memories[0].ID, "edit")})
		}
	}
	if v.Whole && slices.ContainsFunc(c.Choices, func(choice templates.ReviewChoice) bool { return choice.Value == review.Merge }) {
		c.Merging = mergeOf(c)
	}
	return c
}

// addVersions replaces the only side of a conflict by the contents of the memory's files, in the
// order of the item's Subject.
func (v *maker) addVersions(item records.ReviewItem, c *templates.ReviewCard) error {
	t, ok := v.texts[item.Memories[0].ID]
	if !ok {
		return nil
	}
	versions, err := v.store.Versions(v.ctx, t.Memory)
	if err != nil || len(versions) < 2 {
		return err
	}
	place := func(of records.Version) int {
		return strings.Index(item.Subject, hex.EncodeToString(of.Fingerprint[:]))
	}
	slices.SortStableFunc(versions, func(a, b records.Version) int { return cmp.Compare(place(a), place(b)) })
	c.More, c.Sides = max(0, len(versions)-maxSides), nil
	for _, version := range versions[:min(len(versions), maxSides)] {
		side := templates.ReviewSide{Name: t.Name, Href: templates.MemoryPath(item.Agent, t.ID, "versions"), Type: version.Type, HasType: true}
		for _, f := range version.Files {
			age := memories.AgeOf(f.ContentAt, time.Now())
			side.Path, side.Age = f.Path, templates.Age{Text: age.String()}
		}
		side.Description, _ = templates.MarkSpans(version.Description, nil, v.most/2)
		side.Body, side.IsCut = templates.MarkSpans(version.Body, nil, v.most)
		c.Sides = append(c.Sides, side)
	}
	return nil
}

// side returns a memory of an item, with evidence marked. It marks nothing in masked texts, and in
// a memory that has changed since.
func (v *maker) side(item records.ReviewItem, of records.ReviewMemory) templates.ReviewSide {
	side := templates.ReviewSide{Name: of.Name, Href: templates.MemoryPath(item.Agent, of.ID), Recommended: item.Keep == of.ID}
	m, ok := v.texts[of.ID]
	if !ok {
		return side
	}
	age := m.Age(time.Now())
	side.Name, side.Type, side.HasType, side.Recalls = m.Name, m.Type, true, m.Recalls
	side.Age = templates.Age{Text: age.String(), Stale: age.Stale, Warning: age.Warning()}
	side.Masked = m.IsQuarantined() && !v.Reveal
	if side.Masked && v.CanReveal {
		side.RevealHref = templates.WithQuery(templates.ReviewItemPath(item.ID), map[string]string{templates.FieldReveal: "true"})
	}
	spans := map[findings.Field][]templates.TextSpan{}
	if !side.Masked && engine.ETag(m.Memory) == of.ETag {
		for _, e := range item.Evidence {
			if e.Memory == of.ID {
				spans[e.Field] = append(spans[e.Field], templates.TextSpan{Start: e.Start, End: e.End})
			}
		}
	}
	side.NameParts, _ = templates.MarkSpans(m.Name, spans[findings.Name], maxText)
	side.Description, _ = templates.MarkSpans(m.Description, spans[findings.Description], v.most/2)
	side.Body, side.IsCut = templates.MarkSpans(m.Body, spans[findings.Body], v.most)
	return side
}

// KeepDecision returns the decision that keeps the memory at an index.
func KeepDecision(n int) string { return fmt.Sprintf("keep_%d", n+1) }

// editable are the kinds that an edit of the memory can settle.
var editable = map[findings.Kind]bool{
	findings.Injection: true, findings.Broken: true, findings.Expired: true, findings.Junk: true, findings.Link: true, findings.Unchecked: true,
}

// choicesOn returns the decisions about an item.
func choicesOn(item records.ReviewItem) (all []templates.ReviewChoice) {
	recommended := review.Recommended(item)
	for _, d := range review.Decisions(item) {
		c := templates.ReviewChoice{Value: d, Label: templates.DecisionLabel(string(item.Kind), d), Recommended: d == recommended, Destroys: d == review.Delete}
		switch d {
		case review.RemoveValue:
			c.Destroys, c.Confirm = true, "The value becomes [removed] in all files and revisions. This cannot be undone."
		case review.Merge:
			c.Href = templates.ReviewItemPath(item.ID) + "#merge"
		}
		all = append(all, c)
	}
	return all
}

// linksOf returns the links to the page that shows more about an item of its kind.
func linksOf(item records.ReviewItem) []templates.Link {
	slug := item.Agent
	switch {
	case item.Kind == findings.Conflict:
		return []templates.Link{{Label: "Compare files", Href: templates.MemoryPath(slug, item.Memories[0].ID, "versions")}}
	case item.Kind == findings.Broken:
		return []templates.Link{{Label: "Show fixes", Href: templates.MemoryPath(slug, item.Memories[0].ID, "fix")}}
	case item.Kind == findings.Missing:
		return []templates.Link{{Label: "All missing files", Href: templates.AttentionPath(slug) + "#missing"}}
	case item.Kind == findings.Blocked:
		return []templates.Link{{Label: "Blocked contents", Href: templates.AttentionPath(slug) + "#blocked"}}
	case item.Kind == findings.Suggestion:
		return []templates.Link{{Label: "Suggestion", Href: templates.ProposalPath(slug, item.Subject)}}
	case item.Kind == findings.Plan:
		return []templates.Link{{Label: "Plan", Href: templates.ConsolidationPath(slug)}}
	case len(item.Memories) == 0:
		return []templates.Link{{Label: item.Subject, Href: templates.IndexPath(slug)}}
	}
	return nil
}

// mergeOf returns the form to merge the memories of a card, with all their texts.
func mergeOf(c templates.ReviewCard) *templates.ReviewMerge {
	var texts []string
	for _, side := range c.Sides {
		texts = append(texts, templates.PlainText(side.Body))
	}
	return &templates.ReviewMerge{Name: c.Sides[0].Name, Description: templates.PlainText(c.Sides[0].Description), Body: strings.Join(slices.Compact(texts), "\n\n")}
}
