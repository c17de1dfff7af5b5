package pages

import (
	"context"
	"path"
	"strings"

	"memoir/internal/records"
	"memoir/web/templates"
)

// maxLinks is how many different links of one memory are looked up: far more than one has, and few enough that a text
// made of nothing else costs little.
const maxLinks = 50

// links finds the memories that a memory's text names.
type links struct {
	ctx   context.Context
	store records.Memories
	agent records.Agent
	view  templates.View    // that the pages of the memories keep
	known map[string]string // by target; empty: no memory has that name
	err   error             // the first look-up that failed
}

// resolve returns the page of the memory of that name, or of the one that a file is named after.
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
