package verification

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// batch is a set of memories of one agent that are checked in one walk.
type batch struct {
	memories  []records.UnverifiedMemory // without bodies
	citations []Citation                 // of all memories
	ends      []int                      // the end of each memory's citations
	more      bool                       // more memories need a check
}

// gather returns the agent's memories that must be checked, with their citations. These are the
// memories changed since their check, checked before since, or checked in another project. A
// non-empty id selects this memory only. It stops after the memory that reaches maxTogether
// citations or records.MaxUnverified memories, and then sets more. An unknown id gives an empty
// batch.
func (c *Checker) gather(
	ctx context.Context, agent records.Agent, project, id string, since time.Time,
) (batch, error) {
	var b batch
	err := c.store.Unverified(ctx, agent, project, id, since, func(u records.UnverifiedMemory) bool {
		for _, cited := range Citations(u.Body) {
			cited.FoundBefore = slices.ContainsFunc(u.Before, func(before memories.CheckedCitation) bool {
				return before.FoundOnce && before.Kind == cited.Kind && before.Text == cited.Text
			})
			b.citations = append(b.citations, cited.detached())
		}
		u.Body = ""
		b.memories = append(b.memories, u)
		b.ends = append(b.ends, len(b.citations))
		b.more = len(b.citations) >= maxTogether || len(b.memories) >= records.MaxUnverified
		return len(b.citations) < maxTogether
	})
	return b, err
}

// detached returns a copy of the citation with copied texts, so that it does not keep the body in
// the process's memory.
func (c Citation) detached() Citation {
	c.Text, c.Path, c.Name, c.Qualifier = strings.Clone(c.Text), strings.Clone(c.Path), strings.Clone(c.Name), strings.Clone(c.Qualifier)
	return c
}

// verified returns an element for each memory of the batch, also for one without citations.
// checked has the results of all the batch's citations, in order. It leaves out results without a
// status, which are of paths outside the project.
func (b batch) verified(checked []memories.CheckedCitation) []records.VerifiedMemory {
	all := make([]records.VerifiedMemory, len(b.memories))
	start := 0
	for i, m := range b.memories {
		all[i] = records.VerifiedMemory{ID: m.ID, RevisionID: m.RevisionID}
		for _, one := range checked[start:b.ends[i]] {
			if one.Status != "" {
				all[i].Citations = append(all[i].Citations, one)
			}
		}
		start = b.ends[i]
	}
	return all
}

// differs reports whether a memory has other dead citations in verified than at its last check.
func (b batch) differs(verified []records.VerifiedMemory) bool {
	for i, v := range verified {
		if !slices.Equal(memories.GoneCitations(b.memories[i].Before), memories.GoneCitations(v.Citations)) {
			return true
		}
	}
	return false
}

// memoriesOf returns two functions: whether the agent has an undeleted memory with a name, and
// whether it had one, both apart from case and separators. The name of a file counts too, with or
// without the type at its start. If none of the citations is a link to a memory, it does not query
// the database and the functions always return false.
func (c *Checker) memoriesOf(ctx context.Context, agent records.Agent, cited []Citation) (has, had func(name string) bool, err error) {
	live, former := map[string]bool{}, map[string]bool{}
	if slices.ContainsFunc(cited, func(one Citation) bool { return one.Kind == memories.CitesMemory }) {
		err := c.store.NamesOf(ctx, agent, func(name, file string) {
			stem := linkKey(strings.TrimSuffix(path.Base(file), path.Ext(file)))
			live[linkKey(name)], live[stem] = true, true
			for _, t := range memories.Types() {
				if slug, typed := strings.CutPrefix(stem, string(t)+"-"); typed {
					live[slug] = true // file names are {type}_{slug}.md
				}
			}
		})
		if err != nil {
			return nil, nil, err
		}
		forgotten, err := c.store.ForgottenNames(ctx, agent.ID)
		if err != nil {
			return nil, nil, err
		}
		for name := range forgotten {
			former[linkKey(name)] = true
		}
	}
	has = func(name string) bool { return live[linkKey(name)] }
	had = func(name string) bool { return former[linkKey(name)] }
	return has, had, nil
}

// linkKey returns the words of name in lower case, joined by dashes. Small diffs, small-diffs and
// small_diffs have the same key.
func linkKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(memories.NormalizeName(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), "-")
}
