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
	// mostDecided is with how many earlier proposals and deleted memories something new is compared.
	mostDecided = 500
	// mostCompared is with how many memories something new is compared word by word, those that share the most words with it, and
	// mostSought by how many words they are looked for.
	mostCompared = 20
	mostSought   = 12
)

// duplicateFilter rejects proposals that a memory, another proposal or a refused one already has.
type duplicateFilter struct {
	x     *Extractor
	agent records.Agent
	names []memories.Memory // the newest, without what they say
	// against are the words of what was proposed or deleted before, by what to say of it.
	against []decided
}

type decided struct {
	words map[string]bool
	why   string
}

func (x *Extractor) newSieve(ctx context.Context, agent records.Agent) (*duplicateFilter, error) {
	s := &duplicateFilter{x: x, agent: agent}
	var err error
	if s.names, err = x.store.Newest(ctx, records.RecallSources{agent}, nil, mostNames); err != nil {
		return nil, err
	}
	earlier, err := x.store.Proposals(ctx, agent.ID, "", mostDecided, "")
	if err != nil {
		return nil, err
	}
	for _, p := range earlier.Proposals {
		switch p.State {
		case records.ProposalRefused:
			s.against = append(s.against, decided{wordsOf(p.Content), "the same was refused before"})
		case records.ProposalWaiting:
			s.against = append(s.against, decided{wordsOf(p.Content), "the same waits to be decided about"})
		}
	}
	deleted, err := x.store.Deleted(ctx, agent.ID, mostDecided)
	for _, c := range deleted {
		s.against = append(s.against, decided{wordsOf(c), "the same was deleted before"})
	}
	return s, err
}

// existing is what a model is told of what there is, with what was just found.
func (s *duplicateFilter) existing(kept []found) []known {
	all := make([]known, 0, len(s.names)+len(kept))
	for _, f := range kept {
		all = append(all, known{f.Name, string(f.Type), f.Description})
	}
	for _, m := range s.names {
		all = append(all, known{m.Name, string(m.Type), m.Description})
	}
	return all
}

// refuses says why something is not to be proposed; empty: it is. What is about an existing memory gets its exact name.
func (s *duplicateFilter) refuses(ctx context.Context, f *found, kept []found) (why string, err error) {
	for _, m := range s.names {
		if strings.EqualFold(m.Name, f.Name) || memories.Slug(m.Name) == memories.Slug(f.Name) {
			f.Name = m.Name
		}
	}
	for _, k := range kept {
		if k.Name == f.Name || nearlyTheSame(wordsOf(k.Content), wordsOf(f.Content)) {
			return "the same was found twice", nil
		}
	}
	buried, err := s.x.store.IsBuried(ctx, s.agent.ID, memories.FingerprintOf(f.Type, f.Description, f.Body))
	if err != nil || buried {
		return "the same was deleted before", err
	}
	present, err := s.x.present(ctx, s.agent, f.Name)
	if err != nil {
		return "", err
	}
	if present != nil && sameText(contentOf(*present), f.Content) {
		return "the memory says so already", nil
	}
	mine := wordsOf(f.Content)
	for _, d := range s.against {
		if nearlyTheSame(mine, d.words) {
			return d.why, nil
		}
	}
	near, err := s.near(ctx, mine)
	for _, m := range near {
		if m.Name != f.Name && nearlyTheSame(mine, wordsOf(contentOf(m))) {
			return "another memory says so already", nil
		}
	}
	return "", err
}

// near returns the memories that share the most of the longest words with something new.
func (s *duplicateFilter) near(ctx context.Context, mine map[string]bool) ([]memories.Memory, error) {
	longest := slices.SortedFunc(maps.Keys(mine), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	var sought []records.RecallTerm
	for _, word := range longest[:min(len(longest), mostSought)] {
		if words.SetsNoSpaces(word) { // it is one of Hangul, or a single character
			sought = append(sought, records.RecallTerm{Runs: []string{word}})
		} else {
			sought = append(sought, records.RecallTerm{Words: []string{word}})
		}
	}
	if len(sought) == 0 {
		return nil, nil
	}
	hits, err := s.x.store.Hits(ctx, records.RecallSources{s.agent}, sought, mostNames)
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
	return s.x.store.Texts(ctx, records.RecallSources{s.agent}, best[:min(len(best), mostCompared)], memories.MaxFileSize)
}

func contentOf(m memories.Memory) memories.Content {
	return memories.Content{Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body}
}

// identity is what a proposal is known by: its name and all that it says.
func (f found) identity() memories.Fingerprint {
	return memories.FingerprintOf(f.Type, f.Name+"\x00"+f.Description, f.Body)
}
