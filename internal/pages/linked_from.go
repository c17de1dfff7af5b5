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

// maxLinkedFrom is how many memories are looked through for links to one: those that have all words of its name, the
// best first. A name that many others hold is no reason to read them all.
const maxLinkedFrom = 50

// linkedFrom returns the memories that link to one, by its name or by its file. It asks the search for those that have
// the name's words, so a link that names a file in other words than the memory's name is not found.
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

// linksTo matches the links that lead to a memory: [[name]], and one to its file or to a file that is named like it.
func linksTo(m memories.Memory) *regexp.Regexp {
	name := regexp.QuoteMeta(m.Name)
	file := regexp.QuoteMeta(strings.TrimSuffix(path.Base(m.Path), path.Ext(m.Path)))
	return regexp.MustCompile(`\[\[\s*` + name + `\s*\]\]|\]\(\s*<?(?:[^()\s<>]*/)?(?:` + name + `|` + file + `)\.(?i:md)\b`)
}
