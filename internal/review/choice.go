package review

// Choice is what a person decides about an item.
type Choice struct {
	Decision string
	// ETags are those of the item's memories as the person saw them, in order. Without any, they are
	// not compared.
	ETags []string
	// Name, Description and Body are the merged memory, for Merge only. A nil field keeps that of the
	// first memory.
	Name, Description, Body *string
	Days                    int // length of a Snooze; 0 means 30
}
