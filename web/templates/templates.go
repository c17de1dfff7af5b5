// Package templates owns the pages' content: templ components and their view models. View models
// are plain structs that the handlers in package pages fill. A component never calls a store, reads
// a clock or decides what is allowed. Below it are ui, the components of all pages; address, the
// paths and field names; and wording, numbers and times in words.
//
// Every page is complete, with or without JavaScript. If htmx runs, it loads the same page and
// takes the main region and the notices from it, so handlers need not distinguish. An action is a
// form whose response redirects (303) to a page with the result.
package templates

import "memoir/internal/memories"

// Age is a memory's age in words.
type Age struct {
	Text    string // "today", "yesterday", "12 days ago"
	Stale   bool
	Warning string // warning of a stale memory; empty for others
}

// Counts are the numbers of an agent's memories. Its fields are those of records.Counts.
type Counts struct {
	ByType         map[memories.Type]int // active ones
	MissingByType  map[memories.Type]int // of Missing
	NeedsAttention int
	Missing        int
	Deleted        int
	Total          int // that are not deleted
	Team           int // of Total, those in team memory

	Blocked       int
	NotRemoved    int
	Disagreements int
	CitesGone     int // memories with dead references
	Proposals     int // waiting for a decision; Waiting does not count them
	Review        int // items of the review
}

// Listed returns the number of active and missing memories of a type, which the Memory tab lists.
func (c Counts) Listed(t memories.Type) int { return c.ByType[t] + c.MissingByType[t] }

// Waiting returns the number of decisions that a user has to make about memories and blocked
// contents. Proposals do not count.
func (c Counts) Waiting() int {
	return c.NeedsAttention + c.Missing + c.Blocked + c.NotRemoved + c.Disagreements + c.CitesGone
}
