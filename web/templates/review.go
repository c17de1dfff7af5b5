package templates

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/internal/words"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Review is the view of the queue of all agents or of one, with one open item.
type Review struct {
	ui.Frame
	// Agent is the agent whose queue it is. It is nil for the queue of all agents.
	Agent     *Agent
	CanDecide bool
	// Left is the number of items that the filters select. Minutes is the expected time for them.
	Left, Minutes int
	Pace          time.Duration // of a decision
	// Done is the number of items that were decided today.
	Done int
	// Last is the last decision in words, and Undo takes it back. Undo is nil without such a decision.
	Last string
	Undo *ui.Action
	// Query is a part of names and reasons. Keep are the fields that a search keeps.
	Query string
	Keep  []ReviewField
	// Groups are the filters by group, with the one for all kinds first.
	Groups []ReviewFilter
	// Kinds is a filter by one kind. Kinds without an item are left out.
	Kinds []ReviewFilter
	// Agents are links to the queue of each agent with items. The first leads to all agents.
	Agents   []ReviewFilter
	Snoozed  ReviewFilter
	Sections []ReviewSection
	// PrevHref and NextHref are the addresses of the pages of the list around this one, or empty.
	PrevHref, NextHref string
	// Back is the address of the list, with its filters.
	Back     string
	HasPlans bool // plans can be made for the agent
	// Plan is the state of the agent's plan. It is nil if the page does not show it.
	Plan *ReviewPlan

	// One of these is shown. All are nil if there is nothing to review.
	Card  *ReviewCard
	Batch *ReviewBatch
	Held  []ReviewHeld // of the view ViewSnoozed
	End   *ReviewEnd

	IsSnoozed bool
	CheckedAt time.Time // zero if nothing was examined yet
}

// ReviewField is a hidden field of a form.
type ReviewField struct{ Name, Value string }

// ReviewFilter is a link that narrows the queue.
type ReviewFilter struct {
	Label   string
	Href    string
	Count   int
	Current bool
}

// ReviewSection holds the rows of one group on a page.
type ReviewSection struct {
	ID    string
	Label string
	Href  string // opens the group, if it has no rows on this page
	Count int    // on all pages
	Rows  []ReviewRow
}

// ReviewRow is the view of one item in the list.
type ReviewRow struct {
	ID      string
	Href    string
	Kind    string // in words
	KindID  string // as the API spells it
	Title   string // the names
	Reason  string
	Agent   string // name of the agent; empty in the queue of one
	Tone    ui.Tone
	Current bool
	CanPick bool // it can be part of a batch
	ETags   []string
}

// ReviewCard is the view of the open item.
type ReviewCard struct {
	ID      string
	Kind    string // in words
	KindID  string // as the API spells it
	Tone    ui.Tone
	Agent   string // slug
	Name    string // of the agent
	Reason  string
	Lead    string // what to do, in one sentence
	FoundAt time.Time
	// Place is the number of the item in the list, of Total.
	Place, Total       int
	PrevHref, NextHref string
	Sides              []ReviewSide
	// Members are memories without their texts.
	Members []ReviewMember
	// More is the number of memories that are left out.
	More int
	// Facts are more lines about the item, such as where a secret is.
	Facts   []ReviewFact
	Quote   *ReviewQuote
	Changes []ReviewChange
	Fixes   []ReviewFix
	Effect  string // of the decision that is shown first
	Undoes  bool   // the effect can be undone
	Related []ReviewRelated
	// Links lead to the pages that show more about the item.
	Links []ui.Link
	// Choices are the decisions. It is empty if the reader may not decide.
	Choices []ReviewChoice
	// ETags are those of the memories that the item is about.
	ETags []string
	// Keep are the fields of the filters, so that the next item is of the same list.
	Keep []ReviewField
	// Batch leads to a decision about all items of the kind. Its label is empty without one.
	Batch ui.Link
	// Merging is the form for a merged text. It is nil if the page shows none.
	Merging *ReviewMerge
}

// ReviewMember is one of many memories of an item.
type ReviewMember struct{ Name, Href, Path string }

// ReviewFact is a line of facts.
type ReviewFact struct{ Label, Text string }

// ReviewQuote is a part of a conversation.
type ReviewQuote struct {
	Text string
	From string
	At   time.Time
}

// ReviewChange is the change of one file or memory by a decision.
type ReviewChange struct {
	Title string
	Href  string // page of the memory; empty without one
	Path  bool   // Title is a path
	Note  string
	Diff  diff.Diff
}

// ReviewFix is one of several other fixes of a file.
type ReviewFix struct {
	Action  ui.Action
	Fields  []ReviewField
	Type    memories.Type
	HasType bool
}

// ReviewRelated is another memory about the same.
type ReviewRelated struct {
	Name, Href, Description, Why string
	Type                         memories.Type
}

// ReviewSide is the view of one memory or other text of an item.
type ReviewSide struct {
	Name        string
	NameParts   []words.Part // the name with evidence marked; nil without evidence
	Href        string
	Type        memories.Type
	HasType     bool // false for a text that is no memory
	Label       string
	Facts       []ReviewFact
	Description []words.Part // with evidence marked
	// Body is the text with evidence marked, and Source the same as it is in the file. One of them is
	// empty: how a text is written matters where it may deceive or is broken.
	Body        markdown.HTML
	Source      []words.Part
	IsCut       bool // only a part is shown
	Recommended bool
	Why         string // one word, of a recommended side
	RevealHref  string // page without masks; empty if there is nothing to reveal or the reader may not
	HideHref    string // page with masks, of a text that is shown without
	Masked      bool
}

// ReviewChoice is one decision.
type ReviewChoice struct {
	Value       string // as the API spells it
	Label       string
	Key         string // one character; empty without a key
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
	Diff        diff.Diff // of the first two texts
	CancelHref  string
}

// ReviewBatch is the view of a decision about several items.
type ReviewBatch struct {
	Title   string
	Rows    []ReviewRow
	Left    int // items that are not listed
	Choices []ReviewBatchChoice
	Back    string
	Keep    []ReviewField
}

// ReviewBatchChoice is one decision about all items of a batch.
type ReviewBatchChoice struct {
	Value       string
	Label       string
	Effect      string
	Recommended bool
	Destroys    bool
}

// ReviewHeld is the view of an item that a person has hidden.
type ReviewHeld struct {
	ID     string
	Title  string
	Kind   string
	Tone   ui.Tone
	Reason string
	Agent  string    // name
	Until  time.Time // zero if it is hidden for an unknown time
	Never  bool      // it is hidden whatever its contents are
	Show   ui.Action
}

// ReviewEnd is the view of the end card.
type ReviewEnd struct {
	Decisions, Minutes, Agents    int
	MemoriesBefore, MemoriesAfter int
	Before, After                 ReviewBar
	Counts                        []ReviewFact
}

// ReviewBar is the size of a conversation's context in tokens, by its parts.
type ReviewBar struct {
	Total int
	Parts []ReviewBarPart
}

// ReviewBarPart is one part of a bar. Kind is a memory type, or hand.
type ReviewBarPart struct {
	Kind   string
	Label  string
	Tokens int
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
		return address.AgentReviewPath(v.Agent.Slug)
	}
	return address.ReviewPath
}

// reviewWords are the groups, kinds and decisions in words. A decision with other words for a kind
// has a key of its own: kind/decision.
var reviewWords = map[string]string{
	"safety": "Safety", "wrong": "Wrong", "tidy_up": "Tidy up", "suggestions": "Suggestions",

	"secret": "Secret", "injection": "Injection", "missing": "Missing", "contradiction": "Contradiction", "conflict": "Conflict", "unfinished": "Unfinished",
	"broken": "Broken file", "blocked": "Blocked", "deletion": "Deletion", "expired": "Expired", "duplicate": "Duplicate", "junk": "Junk", "link": "Dead link", "index": "Index",
	"unchecked": "Unchecked", "suggestion": "Suggestion", "plan": "Plan",

	"remove_value": "Remove the value…", "allow": "Allow", "delete": "Delete", "keep_1": "Keep 1", "keep_2": "Keep 2", "keep_3": "Keep 3", "keep_4": "Keep 4",
	"merge": "Merge…", "keep_both": "Keep both", "still_true": "Still true", "keep": "Keep", "write_back": "Write back", "use_file": "Use the file",
	"fix": "Fix", "accept": "Accept", "dismiss": "Dismiss", "apply": "Apply", "skip": "Skip", "snooze": "Snooze", "never": "Until it changes", "hide": "Never show",

	"secret/allow": "Not a secret", "unfinished/write_back": "Write last good back", "broken/delete": "Delete file", "blocked/delete": "Remove file",
	"index/fix": "Shorten…",

	// What they are about never changes.
	"blocked/never": "Never show", "deletion/never": "Never show", "suggestion/never": "Never show", "plan/never": "Never show",
}

// ReviewWord returns a group, kind or decision of the review in words. An unknown one is returned
// as it is.
func ReviewWord(of string) string { return cmp.Or(reviewWords[of], of) }

// ReviewHeading returns the heading of a group in the list.
func ReviewHeading(group string) string {
	if group == "wrong" {
		return "Wrong or unclear"
	}
	return ReviewWord(group)
}

// DecisionLabel returns the label of a decision's button. kind and decision are as the API spells
// them.
func DecisionLabel(kind, decision string) string {
	return cmp.Or(reviewWords[kind+"/"+decision], ReviewWord(decision))
}

// doneWords are the decisions that are made, in words.
var doneWords = map[string]string{
	"remove_value": "Removed the value from", "allow": "Allowed", "delete": "Deleted", "merge": "Merged", "keep_both": "Kept both:",
	"still_true": "Confirmed", "keep": "Kept", "write_back": "Wrote back", "use_file": "Used the file of",
	"fix": "Fixed", "accept": "Accepted", "dismiss": "Dismissed", "apply": "Applied", "skip": "Skipped", "snooze": "Snoozed", "never": "Hidden until it changes:", "hide": "Never shown:",
}

// Decided returns a decision about an item in words. name is the memory's, or what else the item is
// about.
func Decided(decision, name string) string {
	done := doneWords[decision]
	if done == "" && strings.HasPrefix(decision, "keep_") {
		done = "Kept"
	}
	return cmp.Or(done, "Decided:") + " " + name
}

// DecidedNotice returns the notice that an item was decided, with an undo of the event if it can be
// undone. back is the page to return to after the undo.
func DecidedNotice(event, words, back string, undo bool) ui.Notice {
	n := ui.Notice{Text: words}
	if undo {
		n.Actions = []ui.Action{ui.Undo(event, "the decision", back)}
	}
	return n
}

// ReviewTitle returns the names of an item's memories as its title, or other if it has none.
func ReviewTitle(names []string, other string) string {
	switch {
	case len(names) == 0:
		return other
	case len(names) <= 2:
		return strings.Join(names, " ↔ ")
	}
	return names[0] + " and " + strconv.Itoa(len(names)-1) + " more"
}

// isNarrowed reports whether a filter or a search may hide items.
func (v Review) isNarrowed() bool { return v.Query != "" || len(v.Keep) > 0 }

// title returns the title of the browser's tab, with the number of items.
func (v Review) title() string {
	if v.Left > 0 && !v.IsSnoozed {
		return "(" + wording.Number(v.Left) + ") Review"
	}
	return "Review"
}

// left returns the number of items and the time for them in words.
func (v Review) left() string {
	switch {
	case v.IsSnoozed:
		return wording.Count(len(v.Held), "snoozed item", "snoozed items")
	case v.Left == 0:
		return "Nothing left"
	}
	return wording.Number(v.Left) + " left · about " + wording.Duration(v.Minutes)
}

// progress returns the share of today's items that are decided, of a bar of 100.
func (v Review) progress() string {
	if v.Done == 0 {
		return "0"
	}
	return strconv.Itoa(max(1, 100*v.Done/(v.Done+v.Left)))
}

// menu returns the label of a menu: the current filter, else other.
func menuLabel(filters []ReviewFilter, other string) string {
	for _, f := range filters {
		if f.Current {
			return f.Label
		}
	}
	return other
}

// about names the item for screen readers.
func (c ReviewCard) about() string {
	if len(c.Sides) == 0 {
		return c.Reason
	}
	return wording.Visible(c.Sides[0].Name)
}

// main returns the choices that decide, without the snoozes.
func (c ReviewCard) main() (all []ReviewChoice) {
	for _, choice := range c.Choices {
		if !slices.Contains(snoozes, choice.Value) {
			all = append(all, choice)
		}
	}
	return all
}

// snoozes are the decisions that only hide an item.
var snoozes = []string{"snooze", "never", "hide"}

// hiding returns the choices that hide the item for an unknown time.
func (c ReviewCard) hiding() (all []ReviewChoice) {
	for _, choice := range c.Choices {
		if slices.Contains(snoozes[1:], choice.Value) {
			all = append(all, choice)
		}
	}
	return all
}

func (c ReviewChoice) style() string {
	switch {
	case c.Recommended:
		return "primary"
	case c.Destroys:
		return string(ui.Destructive)
	}
	return ""
}

// confirmed returns the label of the second step.
func (c ReviewChoice) confirmed() string {
	return strings.TrimSuffix(ui.ConfirmLabel(c.Label), "…")
}

// kindIcons are the icons of the kinds whose icon has another name than the kind.
var kindIcons = map[string]string{
	"missing": "attention", "unfinished": "broken", "blocked": "undo", "duplicate": "copy", "junk": "delete", "index": "page", "unchecked": "clock", "plan": "fix",
}

// kindIcon returns the icon of a kind.
func kindIcon(kind string) string { return cmp.Or(kindIcons[kind], kind) }

// reviewSource returns a component that writes a text as it is in the file, with its evidence marked. A
// template would add white space, which the page shows.
func reviewSource(text []words.Part) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, `<p class="review-text source-text" dir="auto">`); err != nil {
			return err
		}
		if err := ui.MarkedText(text).Render(ctx, w); err != nil {
			return err
		}
		_, err := io.WriteString(w, `</p>`)
		return err
	})
}
