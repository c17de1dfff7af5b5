package records

import (
	"time"

	"memoir/internal/memories"
)

// Alive is the number of living memories by type. The empty type stands for no type.
type Alive map[memories.Type]int

// Total returns the sum of the numbers of all types, including the memories without a type.
func (a Alive) Total() int {
	total := 0
	for _, n := range a {
		total += n
	}
	return total
}

// GrowthPoint is the number of living memories at the end of a day.
type GrowthPoint struct {
	Day   time.Time // its beginning, in UTC
	Alive Alive
}

// AgeBounds are the ages in days at which the buckets of Ages begin: today, 1–2, 3–7, 8–30, 31–90
// days, older.
var AgeBounds = []int{0, 1, 3, 8, 31, 91}
