package extraction

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/words"
)

const (
	// maxDecided is the maximum number of earlier proposals and deleted memories to compare with
	// (arbitrary).
	maxDecided = 500
	// maxCompared is the maximum number of memories compared word by word, and maxTerms the maximum
	// number of words in the search for them (arbitrary).
	maxCompared = 20
	maxTerms    = 12
)

// duplicateFilter rejects a finding that equals a memory, another finding, an earlier proposal or a
// deleted memory.
type duplicateFilter struct {
	x     *Extractor
	agent records.Agent
	names []memories.Memory // the newest memories, without bodies
	// against are the earlier proposals and deleted memories.
	against []decided
}

type decided struct {
	words map[string]bool
	why   string
}

// newDuplicateFilter returns a filter for the agent. It reads the newest maxNames memories without
// bodies, the undecided and refused ones of the last maxDecided proposals, and the last maxDecided
// deleted contents.
func (x *Extractor) newDuplicateFilter(ctx context.Context, agent records.Agent) (*duplicateFilter, error) {
	s := &duplicateFilter{x: x, agent: agent}
	var err error
	if s.names, err = x.store.Newest(ctx, records.RecallSources{agent}, nil, maxNames); err != nil {
		return nil, err
	}
	earlier, err := x.store.Proposals(ctx, agent.ID, "", maxDecided, "")
	if err != nil {
		return nil, err
	}
	for _, p := range earlier.Proposals {
		switch p.State {
		case records.ProposalRefused:
			s.against = append(s.against, decided{wordsOf(p.Content), "dismissed before"})
		case records.ProposalWaiting:
			s.against = append(s.against, decided{wordsOf(p.Content), "already suggested"})
		}
	}
	deleted, err := x.store.DeletedContents(ctx, agent.ID, maxDecided)
	for _, c := range deleted {
		s.against = append(s.against, decided{wordsOf(c), "deleted before"})
	}
	return s, err
}

// existing returns the findings so far and the agent's newest memories, for the model.
func (s *duplicateFilter) existing(findings []finding) []known {
	var all []known
	for _, f := range findings {
		all = append(all, known{f.Name, string(f.Type), f.Description})
	}
	for _, m := range s.names {
		all = append(all, known{m.Name, string(m.Type), m.Description})
	}
	return all
}

// reject returns why a finding is not proposed, as a few words for users, or "". It rejects a
// finding with the name of an earlier finding. It also rejects one with nearly the words of an
// earlier finding, a memory, a proposal or a deleted content. It may change the name of f to the
// name of a memory that differs only in case and separators.
func (s *duplicateFilter) reject(ctx context.Context, f *finding, earlier []finding) (why string, err error) {
	for _, m := range s.names {
		if strings.EqualFold(m.Name, f.Name) || memories.Slug(m.Name) == memories.Slug(f.Name) {
			f.Name = m.Name
		}
	}
	for _, e := range earlier {
		if e.Name == f.Name || isSimilar(wordsOf(e.Content), wordsOf(f.Content)) {
			return "found twice", nil
		}
	}
	buried, err := s.x.store.HasTombstone(ctx, s.agent.ID, memories.FingerprintOf(f.Type, f.Description, f.Body))
	if err != nil || buried {
		return "deleted before", err
	}
	present, err := s.x.memoryNamed(ctx, s.agent, f.Name)
	if err != nil {
		return "", err
	}
	if present != nil && sameText(contentOf(*present), f.Content) {
		return "the memory has it already", nil
	}
	mine := wordsOf(f.Content)
	for _, d := range s.against {
		if isSimilar(mine, d.words) {
			return d.why, nil
		}
	}
	similar, err := s.similar(ctx, mine)
	for _, m := range similar {
		if m.Name != f.Name && isSimilar(mine, wordsOf(contentOf(m))) {
			return "another memory has it already", nil
		}
	}
	return "", err
}

// similar returns the agent's memories with most of the maxTerms longest words of mine, at most
// maxCompared. It returns nil if mine is empty.
func (s *duplicateFilter) similar(ctx context.Context, mine map[string]bool) ([]memories.Memory, error) {
	longestWords := slices.SortedFunc(maps.Keys(mine), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	var terms []records.RecallTerm
	for _, word := range longestWords[:min(len(longestWords), maxTerms)] {
		if words.SetsNoSpaces(word) {
			terms = append(terms, records.RecallTerm{Runs: []string{word}})
		} else {
			terms = append(terms, records.RecallTerm{Words: []string{word}})
		}
	}
	if len(terms) == 0 {
		return nil, nil
	}
	hits, err := s.x.store.Hits(ctx, records.RecallSources{s.agent}, terms, maxNames)
	if err != nil {
		return nil, err
	}
	shared := map[uuid.UUID]int{}
	for _, of := range hits {
		for _, id := range of {
			shared[id]++
		}
	}
	best := slices.SortedFunc(maps.Keys(shared), func(a, b uuid.UUID) int {
		return cmp.Or(cmp.Compare(shared[b], shared[a]), strings.Compare(a.String(), b.String()))
	})
	return s.x.store.Texts(ctx, records.RecallSources{s.agent}, best[:min(len(best), maxCompared)], memories.MaxFileSize)
}

func contentOf(m memories.Memory) memories.Content {
	return memories.Content{Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body}
}

// minLikeness is the minimum share of common words of two equal memories (arbitrary). Two rules
// that differ in one word of ten are different.
const minLikeness = 0.85

// labels removes the labels that many memories contain.
var labels = strings.NewReplacer("**Why:**", "", "**How to apply:**", "")

// wordsOf returns the set of folded words (words.Spaced) of a memory's body. It leaves out the
// labels **Why:** and **How to apply:**.
func wordsOf(c memories.Content) map[string]bool {
	all := map[string]bool{}
	for word := range words.Spaced(labels.Replace(c.Body)) {
		all[word] = true
	}
	return all
}

// sameText reports whether two contents have the same type and the same words, apart from case and
// punctuation, in descriptions and bodies. Names do not count.
func sameText(a, b memories.Content) bool {
	return a.Type == b.Type && sequence(a.Description) == sequence(b.Description) && sequence(a.Body) == sequence(b.Body)
}

func sequence(text string) string { return strings.Join(slices.Collect(words.All(text)), " ") }

// isSimilar reports whether the common words of two sets are at least minLikeness of all their
// words. It is false if one is empty.
func isSimilar(a, b map[string]bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return float64(both) >= minLikeness*float64(len(a)+len(b)-both)
}
