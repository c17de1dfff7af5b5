package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// operations are what can be done with all selected memories, by the last part of their addresses.
var operations = map[string]operation{
	"delete":  {act: (*sync.Engine).DeleteMany, done: doneDeleted, verb: "deleted"},
	"purge":   {act: (*sync.Engine).PurgeMany, done: donePurged, verb: "deleted for good", inTrash: true},
	"restore": {act: (*sync.Engine).RestoreMany, done: doneRestored, verb: "restored", inTrash: true},
	"verify":  {act: (*sync.Engine).VerifyMany, done: doneVerified, verb: "marked as still true"},
}

// headerBatch tells the script that sends a batch in parts what to name it in the next part.
const headerBatch = "Memoir-Batch"

type operation struct {
	act     func(e *sync.Engine, ctx context.Context, slug string, all []sync.Seen) []error
	done    string
	verb    string // what has become of the memories
	inTrash bool   // it is done where the deleted ones are listed
}

// batch does one thing with all selected memories. What stands against some does not stop the others: the answer says
// which and why, and keeps those selected. A script sends many in parts, of which only the last gets a page.
func (s *site) batch(w http.ResponseWriter, r *http.Request) error {
	op, ok := operations[chi.URLParam(r, "operation")]
	if !ok {
		return memories.ErrNotFound
	}
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	token := s.batches.token(agent.Slug, op.done, r.PostFormValue(templates.FieldBatch))
	if selected := selectedIn(r); len(selected) > 0 {
		errs := op.act(s.engine, r.Context(), agent.Slug, selected)
		s.batches.add(token, s.partOf(r, agent, op, selected, errs))
	}
	if r.PostFormValue(templates.FieldMore) != "" {
		w.Header().Set(headerBatch, token)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	outcome, ok := s.batches.of(token)
	switch {
	case !ok:
		return redirect(w, r, back(r, listOf(agent, op)), doneNothing, "")
	case len(outcome.refused) > 0:
		return s.showRefused(w, r, agent, op, outcome)
	default:
		return redirectBatch(w, r, back(r, listOf(agent, op)), token)
	}
}

// selectedIn returns the memories that a form names, each once.
func selectedIn(r *http.Request) []sync.Seen {
	var all []sync.Seen
	known := map[string]bool{}
	for _, field := range r.PostForm[templates.FieldMemory] {
		id, etag, _ := strings.Cut(field, " ")
		if !known[id] {
			known[id] = true
			all = append(all, sync.Seen{ID: id, Match: etag})
		}
	}
	return all
}

// listOf is the tab where the operation is offered.
func listOf(agent records.Agent, op operation) string {
	if op.inTrash {
		return templates.AgentPath(agent.Slug, "trash")
	}
	return templates.MemoriesPath(agent.Slug)
}

// partOf sorts what was done from what was not.
func (s *site) partOf(r *http.Request, agent records.Agent, op operation, selected []sync.Seen, errs []error) outcome {
	part := outcome{slug: agent.Slug, done: op.done}
	for i, seen := range selected {
		if errs[i] == nil || s.isSo(r.Context(), agent, op.done, seen.ID) {
			part.ids = append(part.ids, seen.ID)
			continue
		}
		part.refused = append(part.refused, refusal{id: seen.ID, reason: s.reason(r, errs[i])})
	}
	if op.done == doneDeleted {
		part.left = s.notRemovedOf(r.Context(), agent, part.ids)
	}
	return part
}

// isSo reports whether a memory is already what it was to become: somebody was faster, or it is a second click.
func (s *site) isSo(ctx context.Context, agent records.Agent, done, id string) bool {
	m, err := s.store.Memory(ctx, agent, id)
	switch done {
	case doneDeleted:
		return err == nil && m.State == memories.Deleted
	case doneRestored:
		return err == nil && m.State != memories.Deleted && m.State != memories.Missing
	case donePurged:
		return errors.Is(err, memories.ErrNotFound)
	default:
		return false
	}
}

// reason puts into words why one memory of many was left as it was.
func (s *site) reason(r *http.Request, err error) string {
	if told, ok := reasonOf(err); ok {
		return told
	}
	f, known := failureOf(r, err)
	if !known {
		s.options.Log.ErrorContext(r.Context(), "a memory of a batch failed", "request", gate.RequestID(r.Context()), "error", err)
	}
	return f.Title + ". " + f.Text
}

// notRemovedOf returns how many of the deleted memories have something left on disk that could not be removed.
func (s *site) notRemovedOf(ctx context.Context, agent records.Agent, ids []string) int {
	deleted := map[string]bool{}
	for _, id := range ids {
		deleted[id] = true
	}
	page, err := s.store.Memories(ctx, agent, records.MemoryList{State: memories.Deleted, NotRemoved: true, Limit: records.MaxLimit})
	if err != nil {
		return 0 // the trash says it all the same
	}
	left := 0
	for _, m := range page.Memories {
		if deleted[m.ID] {
			left++
		}
	}
	return left
}

// showRefused answers with the memories with which it could not be done, as they are now, still selected.
func (s *site) showRefused(w http.ResponseWriter, r *http.Request, agent records.Agent, op operation, o outcome) error {
	// A file that changed is not yet read anew: without a look, the selection would be of what the user saw before.
	if _, err := s.engine.Scan(r.Context(), agent.Slug); err != nil {
		s.options.Log.WarnContext(r.Context(), "the look after a refused batch failed", "request", gate.RequestID(r.Context()), "error", err)
	}
	list := back(r, listOf(agent, op))
	v := templates.Refused{
		Agent: agentView(agent), Done: len(o.ids), Verb: op.verb, Selection: selectionOf(agent, op.inTrash, list),
	}
	if len(o.ids) > 0 {
		v.Notice = noticeAboutBatch(o, list)
	}
	for _, refused := range o.refused {
		row := templates.RefusedRow{ID: refused.id, Name: refused.id, Reason: refused.reason}
		if m, err := s.store.Memory(r.Context(), agent, refused.id); err == nil {
			row.ETag, row.Name, row.Type, row.Path = sync.ETag(m), m.Name, m.Type, templates.MemoryPath(agent.Slug, m.ID)
		}
		v.Rows = append(v.Rows, row)
	}
	return show(w, r, http.StatusConflict, templates.RefusedPage(v))
}

// selectionOf is the form with which a list is selected from; list is the page to come back to.
func selectionOf(agent records.Agent, inTrash bool, list string) templates.Selection {
	return templates.Selection{Agent: agent.Slug, InTrash: inTrash, Back: list}
}
