package pages

import (
	"context"
	"path"
	"regexp"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// maxLinkedFrom is the maximum number of memories searched for links to one memory (arbitrary).
// They are the best matches for its name.
const maxLinkedFrom = 50

// linkedFrom returns the memories that link to m by name or by file. It searches for the words of
// the name, so it misses a link whose file name has other words.
func (s *site) linkedFrom(ctx context.Context, agent records.Agent, m memories.Memory, view templates.View) ([]templates.Link, error) {
	if !m.Readable || m.State == memories.Deleted {
		return nil, nil
	}
	page, err := s.store.Memories(ctx, agent, records.MemoryList{Search: m.Name, Limit: maxLinkedFrom})
	if err != nil {
		return nil, err
	}
	leads := linksTo(m)
	var from []templates.Link
	for _, other := range page.Memories {
		if other.ID != m.ID && leads.MatchString(other.Body) {
			from = append(from, templates.Link{Label: other.Name, Href: view.Memory(other.ID)})
		}
	}
	return from, nil
}

// linksTo returns a pattern for the links to a memory: [[name]], a link to its file, or a link to a
// file named like the memory.
func linksTo(m memories.Memory) *regexp.Regexp {
	name := regexp.QuoteMeta(m.Name)
	file := regexp.QuoteMeta(strings.TrimSuffix(path.Base(m.Path), path.Ext(m.Path)))
	return regexp.MustCompile(`\[\[\s*` + name + `\s*\]\]|\]\(\s*<?(?:[^()\s<>]*/)?(?:` + name + `|` + file + `)\.(?i:md)\b`)
}
