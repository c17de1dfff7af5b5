package memoirtest

import (
	"crypto/sha256"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// Section is a memory with its body.
type Section struct {
	ID, Name    string
	Team        bool // in team memory
	Type        memories.Type
	Description string
	Body        string
}

// Compile compiles memories with claudemd.CompileParts and the zero Intro. limit is the maximum of
// the whole file in Unicode characters, or 0 without one, and outside the length of the text
// outside the block. It returns the block of CLAUDE.md and the characters that each memory takes in
// it. Memories of an unknown type are left out.
func Compile(ms []Section, limit, outside int) (block []byte, costs []claudemd.Cost) {
	summaries := make([]claudemd.Summary, len(ms))
	bodies := map[[16]byte]string{}
	for i, m := range ms {
		sum := sha256.Sum256([]byte(m.Body))
		summaries[i] = claudemd.Summary{ID: m.ID, Name: m.Name, Team: m.Team, Type: m.Type, Description: m.Description, Revision: [16]byte(sum[:16]), Size: len(m.Body)}
		bodies[summaries[i].Revision] = m.Body
	}
	err := claudemd.CompileParts(summaries, claudemd.Intro{}, limit, outside, func(next []claudemd.Summary) (string, error) {
		return claudemd.FullSection(next[0], bodies[next[0].Revision]), nil
	}, func(p claudemd.Part) {
		block = append(block, p.Text...)
		if p.Memory != "" {
			costs = append(costs, p.Cost())
		}
	})
	if err != nil {
		panic(err) // the function above returns no error
	}
	return block, costs
}
