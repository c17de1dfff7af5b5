package review

import (
	"fmt"
	"slices"
	"strings"

	"memoir/internal/findings"
	"memoir/internal/records"
)

// Group is a group of kinds in the queue.
type Group string

// The groups, in the order of the queue.
const (
	Safety      Group = "safety"
	Wrong       Group = "wrong"
	TidyUp      Group = "tidy_up"
	Suggestions Group = "suggestions"
)

// The decisions, as the API spells them.
const (
	Allow       = "allow"        // agents may receive the content; a blocked content may return
	RemoveValue = "remove_value" // replaces the secret in all files and revisions for good
	Delete      = "delete"       // moves the memory to the trash, or removes a file that is none
	KeepFirst   = "keep_1"       // keeps one side and moves the others to the trash; keep_2 to keep_4 too
	Merge       = "merge"        // saves a given text under the first name and trashes the others
	KeepBoth    = "keep_both"    // all are true
	StillTrue   = "still_true"   // restarts the age
	Keep        = "keep"         // it stays useful, or returns from the trash
	WriteBack   = "write_back"   // writes the last good content to the file
	UseFile     = "use_file"     // takes the file as it is
	Fix         = "fix"          // applies the offered fix
	Accept      = "accept"       // saves the suggestion
	Dismiss     = "dismiss"      // refuses the suggestion
	Apply       = "apply"        // applies the step
	Skip        = "skip"         // refuses the step
	Snooze      = "snooze"       // asks again after a time
	Never       = "never"        // never asks again about this content
	Hide        = "hide"         // never asks again about these memories, whatever their contents
)

// kind is what the queue knows about a kind.
type kind struct {
	name      findings.Kind
	group     Group
	decisions []string // the safe default first, where there is one; Snooze and Never always follow, and Hide where hides reports true
}

// kinds are the kinds in the order of the queue: what agents must not receive, what misleads them,
// then what costs.
var kinds = []kind{
	{findings.Secret, Safety, []string{RemoveValue, Delete, Allow}},
	{findings.Injection, Safety, []string{Delete, Allow}},
	{findings.Missing, Wrong, []string{WriteBack, Delete}},
	{findings.Unfinished, Wrong, []string{WriteBack, UseFile}},
	{findings.Contradiction, Wrong, []string{KeepFirst, Merge, KeepBoth}},
	{findings.Conflict, Wrong, []string{KeepFirst}},
	{findings.Broken, Wrong, []string{Fix, Delete}},
	{findings.Blocked, Wrong, []string{Delete, Allow}},
	{findings.Deletion, Wrong, []string{Keep, Delete}},
	{findings.Expired, Wrong, []string{Delete, StillTrue}},
	{findings.Duplicate, TidyUp, []string{KeepFirst, Merge, KeepBoth}},
	{findings.Junk, TidyUp, []string{Delete, Keep}},
	{findings.Link, TidyUp, []string{Keep}},
	{findings.Index, TidyUp, []string{Fix}},
	{findings.Unchecked, TidyUp, []string{StillTrue, Delete}},
	{findings.Suggestion, Suggestions, []string{Accept, Dismiss}},
	{findings.Plan, Suggestions, []string{Apply, Skip}},
}

// Kinds returns all kinds in the order of the queue.
func Kinds() []findings.Kind {
	all := make([]findings.Kind, len(kinds))
	for i, k := range kinds {
		all[i] = k.name
	}
	return all
}

// IsKind reports whether a kind exists.
func IsKind(name findings.Kind) bool { return rankOf(name) >= 0 }

// rankOf returns the place of a kind in the queue, or -1 for an unknown one.
func rankOf(name findings.Kind) int {
	return slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
}

// GroupOf returns the group of a kind, or "" for an unknown one.
func GroupOf(name findings.Kind) Group {
	if i := rankOf(name); i >= 0 {
		return kinds[i].group
	}
	return ""
}

// Decisions returns the decisions that an item allows, the safe default first, where there is one.
func Decisions(item records.ReviewItem) []string {
	i := rankOf(item.Kind)
	if i < 0 {
		return nil
	}
	decisions, sides := kinds[i].decisions, len(item.Memories)
	switch {
	case item.Kind == findings.Conflict:
		sides = strings.Count(item.Subject, ",") + 1
	case slices.Contains(decisions, Merge) && sides < 2: // a memory that says of itself that it is replaced
		decisions = []string{Delete, Keep}
	case item.Kind == findings.Link && sides == 0: // an entry of MEMORY.md
		decisions = []string{Fix, Keep}
	}
	var all []string
	for _, d := range decisions {
		if d != KeepFirst {
			all = append(all, d)
			continue
		}
		for n := range sides {
			all = append(all, fmt.Sprintf("keep_%d", n+1))
		}
	}
	if all = append(all, Snooze, Never); hides(item) {
		all = append(all, Hide)
	}
	return all
}

// hides reports whether items like this one can be hidden for all contents. An item about a secret or
// an order to the agent cannot, because the next content can have another one. Nor can one whose
// subject never has another content.
func hides(item records.ReviewItem) bool {
	if group := GroupOf(item.Kind); group != Wrong && group != TidyUp {
		return false
	}
	switch item.Kind {
	case findings.Missing, findings.Unfinished, findings.Blocked, findings.Deletion:
		return false
	}
	return true
}

// Recommended returns the decision that the evidence suggests, or "".
func Recommended(item records.ReviewItem) string {
	for n, m := range item.Memories {
		switch {
		case item.Keep != m.ID:
		case item.Kind == findings.Expired:
			return StillTrue
		default:
			return fmt.Sprintf("keep_%d", n+1)
		}
	}
	switch item.Kind {
	case findings.Injection, findings.Expired, findings.Junk, findings.Blocked:
		return Delete
	case findings.Broken, findings.Index:
		return Fix
	case findings.Link:
		if len(item.Memories) == 0 {
			return Fix
		}
	case findings.Contradiction:
		if len(item.Memories) == 1 {
			return Delete
		}
	}
	return ""
}
