package records

import (
	"time"

	"memoir/internal/memories"
)

// ChangeCounts are the numbers of memories that were learned, changed and deleted in a time.
type ChangeCounts struct {
	Learned, Changed, Deleted int
}

// Total returns the sum of the three numbers.
func (c ChangeCounts) Total() int { return c.Learned + c.Changed + c.Deleted }

// News is a memory that an agent has learned or changed.
type News struct {
	Agent       string // slug
	ID          string // of the memory
	Name        string
	Type        memories.Type // empty for none
	Description string
	At          time.Time // of the last change
}

// DayGrowth is the change of the number of memories of all agents on a day.
type DayGrowth struct {
	Day   time.Time // its beginning, in UTC
	Delta int
}
