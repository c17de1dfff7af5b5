package templates

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"github.com/a-h/templ"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// The fields of the review's forms and addresses.
const (
	FieldItem     = "item"     // id of the item that a notice is about
	FieldDecision = "decision" // as the API spells it
	FieldDays     = "days"     // length of a snooze
	FieldReveal   = "reveal"   // shows a secret
)

// Review is the view of the queue of all agents, or of one.
type Review struct {
	Frame
	// Agent is the agent whose queue it is. It is nil for the queue of all agents.
	Agent *Agent
	Query string
	// Kinds is the value of FieldKind, so that a search keeps it. It is empty for all kinds.
	Kinds string
	// Total is the number of items that the filters select, on all pages.
	Total int
	// Groups are the filters by group, with the one for all kinds first.
	Groups []ReviewFilter
	// Each is a filter by one kind. Kinds without an item are left out.
	Each []ReviewFilter
	// Agents are links to the queue of each agent with items. The first leads to all agents.
	Agents   []ReviewFilter
	Sections []ReviewSection
	// MoreHref is the address of the next page, or empty at the end. FirstHref is the address of
	// the first page, or empty on that page.
	MoreHref, FirstHref string
}

// ReviewFilter is a link that narrows the queue.
type ReviewFilter struct {
	Label   string
	Href    string
	Count   int
	Current bool
}

// ReviewSection holds the items of one group on a page.
type ReviewSection struct {
	ID    string
	Label string
	Count int // on all pages
	Items []ReviewCard
}

// ReviewCard is the view of one item.
type ReviewCard struct {
	ID      string
	Kind    string // in words
	Tone    Tone
	Agent   string // slug
	Name    string // of the agent
	Reason  string
	FoundAt time.Time
	Sides   []ReviewSide
	// More is the number of memories that are left out.
	More int
	// Links lead to the pages that show more about the item.
	Links []Link
	// Choices are the decisions. It is empty if the reader may not decide.
	Choices []ReviewChoice
	// ETags are those of the memories that the item is about.
	ETags []string
	Back  string // the page to return to
	// Whole reports whether the card is alone on its page.
	Whole bool
	// Merging is the form for a merged text. It is nil if the item allows no merge, and on a list.
	Merging *ReviewMerge
}

// ReviewSide is the view of one memory or other text of an item.
type ReviewSide struct {
	Name        string
	NameParts   []words.Part // the name with evidence marked; nil without evidence
	Href        string
	Type        memories.Type
	HasType     bool // false for a text that is no memory
	Age         Age
	Recalls     int // in the last 30 days
	Path        string
	Description []words.Part // with evidence marked
	Body        []words.Part // with evidence marked
	IsCut       bool         // Body is only a part
	Recommended bool
	RevealHref  string // page without masks; empty if there is nothing to reveal or the reader may not
	Masked      bool
}

// ReviewChoice is one decision.
type ReviewChoice struct {
	Value       string // as the API spells it
	Label       string
	Recommended bool
	Destroys    bool   // the button is red
	Confirm     string // question of a second step; empty without one
	Href        string // page of the decision, for one that needs a text
}

// ReviewMerge is the form in which several texts become one.
type ReviewMerge struct {
	Name        string
	Description string
	Body        string
}

// ReviewOne is the view of the page of one item.
type ReviewOne struct {
	Frame
	Card ReviewCard
}

// ReviewPath is the path of the queue of all agents.
const ReviewPath = "/review"

// AgentReviewPath returns the path of an agent's queue.
func AgentReviewPath(slug string) string { return AgentPath(slug, reviewTab) }

// ReviewItemPath returns the path of an item's page, or of an action below it that rest names.
func ReviewItemPath(id string, rest ...string) string {
	return strings.Join(append([]string{ReviewPath, id}, rest...), "/")
}

// ReviewItemAnchor returns the HTML id of an item's card.
func ReviewItemAnchor(id string) string { return "item-" + id }

// PlainText returns the text of parts without their marks.
func PlainText(parts []words.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// names returns the name with evidence marked.
func (s ReviewSide) names() []words.Part {
	if s.NameParts != nil {
		return s.NameParts
	}
	return []words.Part{{Text: s.Name}}
}

func (v Review) path() string {
	if v.Agent != nil {
		return AgentReviewPath(v.Agent.Slug)
	}
	return ReviewPath
}

// reviewWords are the groups, kinds and decisions in words. A decision with other words for a kind
// has a key of its own: kind/decision.
var reviewWords = map[string]string{
	"safety": "Safety", "wrong": "Wrong", "tidy_up": "Tidy up", "suggestions": "Suggestions",

	"secret": "Secret", "injection": "Injection", "missing": "Missing", "contradiction": "Contradiction", "conflict": "Conflict", "unfinished": "Unfinished",
	"broken": "Broken", "blocked": "Blocked", "expired": "Expired", "duplicate": "Duplicate", "junk": "Junk", "link": "Dead link", "index": "Index",
	"unchecked": "Unchecked", "suggestion": "Suggestion", "plan": "Plan",

	"remove_value": "Remove the value…", "allow": "Allow", "delete": "Delete", "keep_1": "Keep 1", "keep_2": "Keep 2", "keep_3": "Keep 3", "keep_4": "Keep 4",
	"merge": "Merge…", "keep_both": "Keep both", "still_true": "Still true", "keep": "Keep", "write_back": "Write back", "use_file": "Use the file",
	"fix": "Fix", "accept": "Accept", "dismiss": "Dismiss", "apply": "Apply", "skip": "Skip", "snooze": "Snooze 30 days", "never": "Never ask again",

	"secret/allow": "Not a secret", "unfinished/write_back": "Write last good back", "broken/delete": "Delete file", "blocked/delete": "Remove file",
	"index/fix": "Shorten",
}

// ReviewWord returns a group, kind or decision of the review in words. An unknown one is returned
// as it is.
func ReviewWord(of string) string { return cmp.Or(reviewWords[of], of) }

// DecisionLabel returns the label of a decision's button. kind and decision are as the API spells
// them.
func DecisionLabel(kind, decision string) string {
	return cmp.Or(reviewWords[kind+"/"+decision], ReviewWord(decision))
}

// doneWords begin the notices about decisions that are made.
var doneWords = map[string]string{
	"remove_value": "Removed the value", "allow": "Allowed", "delete": "Deleted", "keep_1": "Kept", "keep_2": "Kept", "keep_3": "Kept", "keep_4": "Kept",
	"merge": "Merged", "keep_both": "Kept both", "still_true": "Still true", "keep": "Kept", "write_back": "Wrote back", "use_file": "Used the file",
	"fix": "Fixed", "accept": "Accepted", "dismiss": "Dismissed", "apply": "Applied", "skip": "Skipped", "snooze": "Snoozed", "never": "Not asked again",
}

// Decided returns the notice that an item was decided, with an undo if it can be undone. name is
// the memory's, or "" to name none. back is the page to return to after the undo.
func Decided(id, decision, name, back string, undo bool) Notice {
	n := Notice{Text: strings.TrimSpace(cmp.Or(doneWords[decision], "Decided") + " " + name)}
	if undo {
		n.Actions = []Action{{Label: "Undo", About: "the decision", Path: ReviewItemPath(id, "undo"), Back: back, Does: "undo", Focus: ReviewItemAnchor(id), Style: Primary}}
	}
	return n
}

// isNarrowed reports whether a filter or a search may hide items.
func (v Review) isNarrowed() bool { return v.Query != "" || v.Kinds != "" }

func (v Review) found() string { return counted(v.Total, "item", "items") }

// title returns the title of the browser's tab, with the number of items.
func (v Review) title() string {
	if v.Total > 0 {
		return "(" + number(v.Total) + ") Review"
	}
	return "Review"
}

// about names the item for screen readers.
func (c ReviewCard) about() string {
	if len(c.Sides) == 0 {
		return c.Reason
	}
	return visible(c.Sides[0].Name)
}

// buttons returns the choices that act at once or lead to a page.
func (c ReviewCard) buttons() (all []ReviewChoice) {
	for _, choice := range c.Choices {
		if choice.Confirm == "" {
			all = append(all, choice)
		}
	}
	return all
}

// others returns the choices with a second step.
func (c ReviewCard) others() (all []ReviewChoice) {
	for _, choice := range c.Choices {
		if choice.Confirm != "" {
			all = append(all, choice)
		}
	}
	return all
}

func (c ReviewChoice) style() Style {
	if c.Destroys {
		return Destructive
	}
	return Plain
}

// confirmed returns the label of the second step.
func (c ReviewChoice) confirmed() string {
	return strings.TrimSuffix(Action{Label: c.Label}.confirmed().Label, "…")
}

// reviewText returns a component that writes a text with its evidence marked. A template would add
// white space, which the page shows.
func reviewText(text []words.Part) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, `<p class="review-text" dir="auto">`); err != nil {
			return err
		}
		if err := parts(text).Render(ctx, w); err != nil {
			return err
		}
		_, err := io.WriteString(w, `</p>`)
		return err
	})
}
