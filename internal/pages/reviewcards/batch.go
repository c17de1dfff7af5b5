package reviewcards

import (
	"fmt"
	"slices"
	"strings"

	"memoir/internal/findings"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
	"memoir/web/templates/wording"
)

// Row returns the row of an item, without its address and its agent.
func Row(item records.ReviewItem) templates.ReviewRow {
	var names []string
	for _, m := range item.Memories[:min(len(item.Memories), maxSides)] {
		names = append(names, m.Name)
	}
	other := item.Subject
	switch item.Kind {
	case findings.Blocked:
		other = "Blocked file"
	case findings.Suggestion:
		other = "Suggestion"
	case findings.Plan:
		other = "Plan step"
	case findings.Missing:
		names = []string{wording.Count(len(item.Memories), "memory", "memories")}
	}
	return templates.ReviewRow{
		ID: item.ID, Kind: templates.ReviewWord(string(item.Kind)), KindID: string(item.Kind), Title: templates.ReviewTitle(names, other), Reason: item.Reason,
		Tone: ToneOf(item.Kind), CanPick: IsOneSided(item),
	}
}

// sameText is the reason of duplicates that are equal word for word.
const sameText = "Same text"

// IsOneSided reports whether the item can be decided together with others of its kind, without
// reading each.
func IsOneSided(item records.ReviewItem) bool {
	switch item.Kind {
	case findings.Expired, findings.Unchecked, findings.Link, findings.Broken, findings.Blocked, findings.Plan:
		return true
	case findings.Duplicate:
		return item.Reason == sameText && len(item.Memories) > 1
	}
	return false
}

// kindsInWords are the kinds of items that can be decided together, in words for several.
var kindsInWords = map[findings.Kind]string{
	findings.Expired: "expired", findings.Unchecked: "unchecked", findings.Link: "dead links", findings.Broken: "broken files", findings.Blocked: "blocked",
	findings.Plan: "steps", findings.Duplicate: "duplicates",
}

// BatchLabel returns the label of the link that leads to a decision about n items of a kind.
func BatchLabel(kind findings.Kind, n int) string {
	return "Decide all " + wording.Number(n) + " " + kindsInWords[kind] + "…"
}

// KeepRecommended is the decision of a batch that keeps one side of each item: the recommended one,
// else the first.
const KeepRecommended = "keep_recommended"

// BatchDecision returns the decision about one item of a batch.
func BatchDecision(item records.ReviewItem, decision string) string {
	if decision != KeepRecommended {
		return decision
	}
	if recommended := review.Recommended(item); strings.HasPrefix(recommended, "keep_") {
		return recommended
	}
	return review.KeepFirst
}

// batchLabels are the labels of decisions about several items; %s is their number.
var batchLabels = map[string]string{
	review.Delete: "Delete %s", review.StillTrue: "Confirm %s", review.Fix: "Fix %s", review.Keep: "Keep %s", review.Allow: "Allow %s", review.Apply: "Apply %s",
	review.Skip: "Skip %s", KeepRecommended: "Keep one of each of %s",
}

// BatchChoices returns the decisions that all items allow. chars are the sizes in CLAUDE.md of the
// memories, by id.
func BatchChoices(items []records.ReviewItem, chars map[string]int) (all []templates.ReviewBatchChoice) {
	if len(items) == 0 {
		return nil
	}
	allowed := func(decision string) bool {
		return !slices.ContainsFunc(items, func(item records.ReviewItem) bool {
			return !slices.Contains(review.Decisions(item), BatchDecision(item, decision))
		})
	}
	number := wording.Number(len(items))
	for _, d := range append([]string{KeepRecommended}, review.Decisions(items[0])...) {
		label := batchLabels[d]
		if label == "" || !allowed(d) || d == KeepRecommended && len(items[0].Memories) < 2 {
			continue
		}
		choice := templates.ReviewBatchChoice{Value: d, Label: fmt.Sprintf(label, number), Destroys: d == review.Delete, Recommended: d == KeepRecommended || d == review.Recommended(items[0])}
		if freed := freedBy(items, d, chars); freed > 0 {
			choice.Effect = wording.Count(tokens(freed), "token", "tokens") + " leave each conversation."
		}
		all = append(all, choice)
	}
	return all
}

// freedBy returns the size of the memories that a decision moves to the trash.
func freedBy(items []records.ReviewItem, decision string, chars map[string]int) (freed int) {
	for _, item := range items {
		d := BatchDecision(item, decision)
		for n, m := range item.Memories {
			if d == review.Delete || strings.HasPrefix(d, "keep_") && d != KeepDecision(n) {
				freed += chars[m.ID]
			}
		}
	}
	return freed
}
