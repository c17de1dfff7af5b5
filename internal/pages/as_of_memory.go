package pages

import (
	"errors"
	"net/http"
	"time"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/web/templates"
)

// memoryAsOf shows a memory as it was at a past moment, and its changes since.
func (s *site) memoryAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, now, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	v := templates.MemoryThen{
		Agent: agentView(agent), AsOf: templates.AsOf{At: at, Here: templates.MemoryPath(agent.Slug, now.ID)}, MemoryRow: rowOf(now, at),
	}
	then, err := s.store.MemoryAsOf(r.Context(), agent, now.ID, at)
	if errors.Is(err, memories.ErrNotFound) {
		return show(w, r, http.StatusOK, templates.MemoryThenPage(v))
	}
	if err != nil {
		return err
	}
	v.Known, v.MemoryRow, v.Readable, v.File = true, rowOf(then, at), then.Readable, then.Path
	links := links{ctx: r.Context(), store: s.store, agent: agent, view: templates.View{Agent: agent.Slug}}
	v.Body, err = markdown.Render(then.Body, func(target string) (string, bool) {
		href, ok := links.resolve(target)
		return templates.AsOfHref(href, at), ok
	})
	if err == nil {
		err = links.err
	}
	if err != nil {
		return err
	}
	v.Now = templates.MemoryNow{
		Deleted: now.State == memories.Deleted, Type: now.Type, TypeThen: then.Type,
		Description: diff.Texts(then.Description, now.Description, revisionLines),
		Body:        diff.Texts(then.Body, now.Body, revisionLines),
	}
	return show(w, r, http.StatusOK, templates.MemoryThenPage(v))
}
