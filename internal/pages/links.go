package pages

import (
	"context"
	"path"
	"strings"

	"memoir/internal/records"
	"memoir/web/templates"
)

// maxLinks is the maximum number of different links looked up for one text. It is far more than
// usual and limits the cost of a hostile text.
const maxLinks = 50

// links resolves the link targets of a text to the pages of memories.
type links struct {
	ctx   context.Context
	store records.Memories
	agent records.Agent
	view  templates.View    // the view that the memories' pages keep
	known map[string]string // by target; "" means that no memory has that name
	err   error             // the first failed look-up
}

// resolve returns the page of the memory named target, or of the memory that the target's file is
// named after. ok is false if there is none, or after an error or maxLinks targets.
func (l *links) resolve(target string) (href string, ok bool) {
	if href, ok := l.known[target]; ok {
		return href, href != ""
	}
	if len(l.known) >= maxLinks || l.err != nil {
		return "", false
	}
	if l.known == nil {
		l.known = map[string]string{}
	}
	l.known[target] = ""
	for _, name := range []string{target, strings.TrimSuffix(path.Base(target), path.Ext(target))} {
		if !isText(name) {
			continue
		}
		page, err := l.store.Memories(l.ctx, l.agent, records.MemoryList{Name: name, Limit: 1})
		if err != nil {
			l.err = err
			return "", false
		}
		if len(page.Memories) > 0 {
			l.known[target] = l.view.Memory(page.Memories[0].ID)
			break
		}
	}
	return l.known[target], l.known[target] != ""
}
