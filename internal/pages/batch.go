package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// operations maps the last path segment of a bulk action's address to the action.
var operations = map[string]operation{
	"delete":  {act: (*engine.Engine).DeleteMany, done: doneDeleted, verb: "deleted"},
	"purge":   {act: (*engine.Engine).PurgeMany, done: donePurged, verb: "deleted for good", inTrash: true},
	"restore": {act: (*engine.Engine).RestoreMany, done: doneRestored, verb: "restored", inTrash: true},
	"verify":  {act: (*engine.Engine).VerifyMany, done: doneVerified, verb: "marked as still true"},
}

// headerBatch is the response header with the batch's token. The script that sends a batch in parts
// sends the token with the next part.
const headerBatch = "Memoir-Batch"

type operation struct {
	act     func(e *engine.Engine, ctx context.Context, slug string, all []engine.MemoryRef) []error
	done    string
	verb    string // participle, for messages
	inTrash bool   // whether the trash offers the action
}

// batch runs the action in the address on the selected memories. A failure does not stop the
// others. It redirects to the list, or answers 409 with the failed memories, still selected. A form
// with FieldMore is one part of a batch: it gets a 204 with the batch's token, and the last part
// reports all. Without a selection the list shows a notice. batch returns memories.ErrNotFound for
// an unknown action or agent.
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
	result, ok := s.batches.of(token)
	switch {
	case !ok:
		return redirect(w, r, back(r, listOf(agent, op)), doneNothing, "")
	case len(result.refused) > 0:
		return s.showRefused(w, r, agent, op, result)
	default:
		return redirectWith(w, r, back(r, listOf(agent, op)), url.Values{templates.FieldBatch: {token}})
	}
}

// selectedIn returns the memories that the form of r names, each with the ETag that the user saw,
// or "" if the form has none. It keeps the first of several entries with the same id.
func selectedIn(r *http.Request) []engine.MemoryRef {
	var all []engine.MemoryRef
	known := map[string]bool{}
	for _, field := range r.PostForm[templates.FieldMemory] {
		id, etag, _ := strings.Cut(field, " ")
		if !known[id] {
			known[id] = true
			all = append(all, engine.MemoryRef{ID: id, ETag: etag})
		}
	}
	return all
}

// listOf returns the path of the tab that offers the action: the trash, or the Memory tab.
func listOf(agent records.Agent, op operation) string {
	if op.inTrash {
		return templates.AgentPath(agent.Slug, "trash")
	}
	return templates.MemoriesPath(agent.Slug)
}

// partOf returns the result of one part of a batch. A memory succeeded if its error is nil or
// isDone returns true. The others are refused, with the reason. errs has one entry for each of
// selected, in the same order. After a deletion, left counts the memories with a file that could
// not be removed.
func (s *site) partOf(r *http.Request, agent records.Agent, op operation, selected []engine.MemoryRef, errs []error) batchResult {
	part := batchResult{slug: agent.Slug, done: op.done}
	for i, seen := range selected {
		if errs[i] == nil || s.isDone(r.Context(), agent, op.done, seen.ID) {
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

// isDone reports whether a memory already has the state that the action done leads to, for example
// after a second click. It is false for an action other than doneDeleted, doneRestored and
// donePurged, and if the database fails.
func (s *site) isDone(ctx context.Context, agent records.Agent, done, id string) bool {
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

// reason returns the text that explains err to the user. It also logs err, unless it is
// *memories.ConflictError, memories.ErrChanged or memories.ErrNotFound.
func (s *site) reason(r *http.Request, err error) string {
	if told, ok := reasonOf(err); ok {
		return told
	}
	f, p := failureOf(r, err)
	s.options.Log.Log(r.Context(), p.Level, "batch action failed", "request", gate.RequestID(r.Context()), "error", err)
	return f.Title + ". " + f.Text
}

// notRemovedOf returns how many of the deleted memories ids still have a file that could not be
// removed. It considers the first records.MaxLimit such memories of the agent. It returns 0 if the
// database fails, because the trash shows those files too.
func (s *site) notRemovedOf(ctx context.Context, agent records.Agent, ids []string) int {
	deleted := map[string]bool{}
	for _, id := range ids {
		deleted[id] = true
	}
	page, err := s.store.Memories(ctx, agent, memories.Filter{State: memories.Deleted, NotRemoved: true}, memories.PageRequest{Limit: records.MaxLimit})
	if err != nil {
		return 0
	}
	n := 0
	for _, m := range page.Memories {
		if deleted[m.ID] {
			n++
		}
	}
	return n
}

// showRefused scans the agent and answers 409 with the memories that the action refused, as they
// are now and still selected. A memory that no longer exists is shown by its id. A notice reports
// the memories for which the action succeeded, if any.
func (s *site) showRefused(w http.ResponseWriter, r *http.Request, agent records.Agent, op operation, o batchResult) error {
	s.rescan(r, "scan after refused batch failed")
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
			row.ETag, row.Name, row.Type, row.Path = engine.ETag(m), m.Name, m.Type, templates.MemoryPath(agent.Slug, m.ID)
		}
		v.Rows = append(v.Rows, row)
	}
	return show(w, r, http.StatusConflict, templates.RefusedPage(v))
}

func selectionOf(agent records.Agent, inTrash bool, list string) templates.Selection {
	return templates.Selection{Agent: agent.Slug, InTrash: inTrash, Back: list}
}
