package review

// Choice is what a person decides about an item.
type Choice struct {
	Decision string // one of Decisions
	// ETags are those of the item's memories that the person saw, in their order. Empty means those
	// that the item has.
	ETags []string
	// Agent is the slug of the agent that the item must be about. Empty means any.
	Agent string
	// Body is the text that Merge saves under the first memory. A nil Name or Description keeps it.
	Name, Body, Description *string
	Days                    int // of a Snooze; 0 means 30
}
