package address

import "strings"

// The fields of the review's forms and addresses.
const (
	FieldItem     = "item"     // id of an item; can be repeated
	FieldDecision = "decision" // as the API spells it
	FieldDays     = "days"     // length of a snooze
	FieldReveal   = "reveal"   // shows a secret
	FieldGroup    = "group"    // of kinds
	FieldPage     = "page"     // number of a page, from 1
	FieldMerge    = "merge"
)

// ViewSnoozed is the value of FieldView for items that a person has hidden.
const ViewSnoozed = "snoozed"

// ReviewPath is the path of the queue of all agents.
const ReviewPath = "/review"

// AgentReviewPath returns the path of an agent's queue, or of an item or action below it that rest
// names.
func AgentReviewPath(slug string, rest ...string) string {
	return AgentPath(slug, append([]string{"review"}, rest...)...)
}

// ReviewItemPath returns the path of an item's page, or of an action below it that rest names.
func ReviewItemPath(id string, rest ...string) string {
	return strings.Join(append([]string{ReviewPath, id}, rest...), "/")
}

// The paths of the end card in other formats.
const (
	ReviewPicturePath  = ReviewPath + "/summary.svg"
	ReviewMarkdownPath = ReviewPath + "/summary.md"
	ReviewBatchPath    = ReviewPath + "/batch"
)

// ReviewKindPath returns the path of the items of a kind in an agent's queue.
func ReviewKindPath(slug, kind string) string {
	return WithQuery(AgentReviewPath(slug), map[string]string{FieldKind: kind})
}

// ProposalPath returns the path of the form for one suggestion, or of an action on it that rest
// names.
func ProposalPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{"proposals", id}, rest...)...)
}

// StepUndoPath returns the path that undoes an applied step of a plan.
func StepUndoPath(slug, step string) string {
	return AgentPath(slug, "consolidation", "steps", step, "undo")
}

// ReviewItemAnchor returns the HTML id of an item's row.
func ReviewItemAnchor(id string) string { return "item-" + id }
