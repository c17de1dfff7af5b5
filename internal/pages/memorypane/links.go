package memorypane

import (
	"context"
	"errors"
	"path"
	"regexp"
	"strings"

	"memoir/internal/markdown"
	"memoir/internal/marked"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// maxLinks is the maximum number of different links looked up for one text. It is far more than
// usual and limits the cost of a hostile text.
const maxLinks = 50

// Links resolves the link targets of a text to the pages of memories.
type Links struct {
	ctx   context.Context
	store records.Memories
	agent records.Agent
	// Href returns the page of a memory.
	Href  func(id string) string
	known map[string]string // by target; "" means that no memory has that name
	err   error             // the first failed look-up
}

// LinksOf returns a resolver whose links lead to the pages of the agent's memories. It looks
// memories up with ctx. The caller may replace its Href.
func LinksOf(ctx context.Context, store records.Memories, agent records.Agent) *Links {
	return &Links{
		ctx: ctx, store: store, agent: agent, known: map[string]string{},
		Href: func(id string) string { return address.MemoryPath(agent.Slug, id) },
	}
}

// Render returns the Markdown text as HTML. A link that names one of the agent's memories leads to
// its page. Render returns the error of the first failed look-up, also of an earlier text.
func (l *Links) Render(text string) (markdown.HTML, error) {
	body, err := markdown.Render(text, l.resolve)
	return body, errors.Join(err, l.err)
}

// RenderMarked is Render for a passage, with its spans marked.
func (l *Links) RenderMarked(p marked.Passage) (markdown.HTML, error) {
	body, err := markdown.RenderMarked(p, l.resolve)
	return body, errors.Join(err, l.err)
}

// resolve returns the page of the agent's memory named target, or named like the file target
// without its extension. ok is false if no memory has such a name. After an error, or after
// maxLinks different targets, it looks up no other target, and ok is false for those.
func (l *Links) resolve(target string) (href string, ok bool) {
	if href, ok := l.known[target]; ok {
		return href, href != ""
	}
	if len(l.known) >= maxLinks || l.err != nil {
		return "", false
	}
	l.known[target] = ""
	for _, name := range []string{target, strings.TrimSuffix(path.Base(target), path.Ext(target))} {
		if name == "" || !memories.CanBeText(name) {
			continue
		}
		page, err := l.store.Memories(l.ctx, l.agent, memories.Filter{Name: name}, memories.PageRequest{Limit: 1})
		if err != nil {
			l.err = err
			return "", false
		}
		if len(page.Memories) > 0 {
			l.known[target] = l.Href(page.Memories[0].ID)
			break
		}
	}
	return l.known[target], l.known[target] != ""
}

// maxLinkedFrom is the maximum number of memories searched for links to one memory (arbitrary).
// They are the best matches for its name.
const maxLinkedFrom = 50

// LinkedFrom returns links to the agent's memories whose bodies link to m by name or by file. The
// links keep the filter of view. It considers only the best maxLinkedFrom matches for m's name. It
// returns nil if m is deleted or unreadable.
func LinkedFrom(ctx context.Context, store records.Memories, agent records.Agent, m memories.Memory, view address.View) ([]ui.Link, error) {
	if !m.Readable || m.State == memories.Deleted {
		return nil, nil
	}
	page, err := store.Memories(ctx, agent, memories.Filter{Query: m.Name}, memories.PageRequest{Limit: maxLinkedFrom})
	if err != nil {
		return nil, err
	}
	pattern := linksTo(m)
	var from []ui.Link
	for _, other := range page.Memories {
		if other.ID != m.ID && pattern.MatchString(other.Body) {
			from = append(from, ui.Link{Label: other.Name, Href: view.Memory(other.ID)})
		}
	}
	return from, nil
}

// linksTo returns a pattern for links to a memory in Markdown: [[name]], a link to its file, or one
// to a file with its name.
func linksTo(m memories.Memory) *regexp.Regexp {
	name := regexp.QuoteMeta(m.Name)
	file := regexp.QuoteMeta(strings.TrimSuffix(path.Base(m.Path), path.Ext(m.Path)))
	return regexp.MustCompile(`\[\[\s*` + name + `\s*\]\]|\]\(\s*<?(?:[^()\s<>]*/)?(?:` + name + `|` + file + `)\.(?i:md)\b`)
}
