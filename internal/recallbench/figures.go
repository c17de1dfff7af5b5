package recallbench

import (
	"math"
	"slices"
)

// Count adds up what a group of questions was given. The zero value has no questions.
type Count struct {
	questions, silent, given int
	answerable               int // questions that expect a memory
	found, first, right      int
	share                    float64
}

// Add counts one question and the memories that it was given.
func (c *Count) Add(expected []string, given Given) {
	c.questions++
	c.given += len(given)
	if len(given) == 0 {
		c.silent++
	}
	if len(expected) == 0 {
		return
	}
	c.answerable++
	if IsHit(expected, given) {
		c.found++
	}
	if len(given) > 0 && slices.Contains(expected, given[0]) {
		c.first++
	}
	distinct := 0
	for i, answer := range expected {
		if slices.Contains(given, answer) && !slices.Contains(expected[:i], answer) {
			distinct++
		}
	}
	c.share += float64(distinct) / float64(len(expected))
	for _, answer := range given {
		if slices.Contains(expected, answer) {
			c.right++
		}
	}
}

// IsHit reports whether at least one expected memory was given.
func IsHit(expected []string, given Given) bool {
	return slices.ContainsFunc(given, func(answer string) bool { return slices.Contains(expected, answer) })
}

// IsMiss reports whether a question went wrong: no expected memory was given, or something was
// given although silence was right.
func IsMiss(expected []string, given Given) bool {
	if len(expected) == 0 {
		return len(given) > 0
	}
	return !IsHit(expected, given)
}

// Figures are the results of a group of questions. Shares are percentages. A nil figure is
// undefined: no question expects a memory, or no memory was given.
type Figures struct {
	Any       *float64 `json:"any_at_5"`   // questions that were given at least one expected memory
	Share     *float64 `json:"share_at_5"` // expected memories that were given, on average
	First     *float64 `json:"first_hit"`  // questions whose first memory is expected
	Given     *float64 `json:"given"`      // memories given to a question, on average
	Precision *float64 `json:"precision"`  // expected memories among all given ones
	Silent    *float64 `json:"silent"`     // questions that were given nothing
}

// Questions returns the number of counted questions.
func (c *Count) Questions() int { return c.questions }

// Figures returns the results so far.
func (c *Count) Figures() Figures {
	f := Figures{
		Any: percent(float64(c.found), c.answerable), Share: percent(c.share, c.answerable), First: percent(float64(c.first), c.answerable),
		Silent: percent(float64(c.silent), c.questions),
	}
	if c.questions > 0 {
		f.Given = rounded(float64(c.given) / float64(c.questions))
	}
	if c.answerable > 0 {
		f.Precision = percent(float64(c.right), c.given)
	}
	return f
}

// percent returns part of whole in percent, or nil if whole is 0.
func percent(part float64, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return rounded(100 * part / float64(whole))
}

// rounded returns x with two decimals.
func rounded(x float64) *float64 {
	x = math.Round(100*x) / 100
	return &x
}
