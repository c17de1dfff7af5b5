package normtext

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled at its first use. Detectors have many, and most
// texts need few. It is safe for concurrent use.
type Pattern struct{ get func() *regexp.Regexp }

// NewPattern returns a pattern. Its first use panics if the expression is invalid.
func NewPattern(expression string) *Pattern {
	return &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString is that of regexp.Regexp.
func (p *Pattern) MatchString(text string) bool { return p.get().MatchString(text) }

// FindString is that of regexp.Regexp.
func (p *Pattern) FindString(text string) string { return p.get().FindString(text) }

// FindStringIndex is that of regexp.Regexp.
func (p *Pattern) FindStringIndex(text string) []int { return p.get().FindStringIndex(text) }

// FindStringSubmatchIndex is that of regexp.Regexp.
func (p *Pattern) FindStringSubmatchIndex(text string) []int {
	return p.get().FindStringSubmatchIndex(text)
}

// FindAllStringIndex is that of regexp.Regexp.
func (p *Pattern) FindAllStringIndex(text string, n int) [][]int {
	return p.get().FindAllStringIndex(text, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (p *Pattern) FindAllStringSubmatchIndex(text string, n int) [][]int {
	return p.get().FindAllStringSubmatchIndex(text, n)
}
