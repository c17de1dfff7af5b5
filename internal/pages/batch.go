package pages

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"memoir/internal/agents"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// operation is a bulk action.
type operation struct {
	name    string // last segment of its address
	act     func(e *engine.Engine, ctx context.Context, slug string, all []engine.MemoryRef) []error
	done    string
	verb    string // participle, for messages
	label   string // of the button that confirms it, without the number
	inTrash bool   // whether the trash offers the action
}

// operations maps the last path segment of a bulk action's address to the action.
var operations = func() map[string]operation {
	all := map[string]operation{
		"delete":  {act: (*engine.Engine).DeleteMany, done: doneDeleted, verb: "deleted", label: "Delete %s"},
		"purge":   {act: (*engine.Engine).PurgeMany, done: donePurged, verb: "deleted permanently", label: "Delete %s permanently", inTrash: true},
		"restore": {act: (*engine.Engine).RestoreMany, done: doneRestored, verb: "restored", label: "Restore %s", inTrash: true},
		"verify":  {act: (*engine.Engine).VerifyMany, done: doneVerified, verb: "marked as still true", label: "Mark %s as still true"},
	}
	for _, t := range memories.Types() {
		all["type-"+string(t)] = operation{act: oneByOne(func(e *engine.Engine, ctx context.Context, slug string, m engine.MemoryRef) error {
			_, err := e.Patch(ctx, slug, m.ID, m.ETag, engine.Patch{Type: &t})
			return err
		}), done: doneTyped, verb: "set to " + t.Title(), label: "Set %s to " + t.Title()}
	}
	for scope, verb := range map[memories.Scope]string{memories.TeamScope: "moved to team", memories.PrivateScope: "made private"} {
		all[string(scope)] = operation{act: oneByOne(func(e *engine.Engine, ctx context.Context, slug string, m engine.MemoryRef) error {
			_, err := e.Move(ctx, slug, m.ID, m.ETag, engine.Destination{Scope: scope})
			return err
		}), done: doneMoved, verb: verb, label: "Move %s to " + string(scope) + " memory"}
	}
	for name, op := range all {
		op.name = name
		all[name] = op
	}
	return all
}()

func oneByOne(act func(*engine.Engine, context.Context, string, engine.MemoryRef) error) func(*engine.Engine, context.Context, string, []engine.MemoryRef) []error {
	return func(e *engine.Engine, ctx context.Context, slug string, all []engine.MemoryRef) []error {
		errs := make([]error, len(all))
		for i, m := range all {
			errs[i] = act(e, ctx, slug, m)
		}
		return errs
	}
}

// confirmAbove is the number of memories above which a permanent deletion asks first. All other bulk
// actions can be undone.
const confirmAbove = 20

// batch runs the action in the address on the selected memories: the listed ones, or all of a list.
// A failure does not stop the others. It redirects to the list, or answers 409 with the failed
// memories, still selected. For more than confirmAbove memories, a permanent deletion asks first. If
// the list has changed since all of it was selected, it answers 409 with the changes. Without a
// selection the list shows a notice. batch returns memories.ErrNotFound for an unknown action or agent.
func (s *site) batch(w http.ResponseWriter, r *http.Request) error {
	op, ok := operations[chi.URLParam(r, "operation")]
	if !ok {
		return memories.ErrNotFound
	}
	agent, err := s.kit.Agent(r)
	if err != nil {
		return err
	}
	selected := selectedIn(r)
	asks := op.done == donePurged && r.PostFormValue(address.FieldConfirmed) == ""
	if seen := r.PostFormValue(address.FieldAll); seen != "" {
		all, err := s.allSelected(r, agent)
		if err != nil {
			return err
		}
		if now := listview.Mark(len(all.Rows), all.ChangedAt); now != seen {
			return s.showChanged(w, r, agent, op, all, seen)
		}
		if selected = selected[:0]; asks && len(all.Rows) > confirmAbove {
			return kit.Show(w, r, http.StatusOK, templates.ManyChangePage(manyChange(r, agent, op, all.Rows, seen)))
		}
		for _, m := range all.Rows {
			selected = append(selected, engine.MemoryRef{ID: m.ID, ETag: records.ETag(m.Memory)})
		}
	}
	switch {
	case len(selected) == 0:
		return kit.Redirect(w, r, kit.Back(r, listOf(agent, op)), doneNothing, "")
	case asks && len(selected) > confirmAbove:
		rows, err := s.selectedRows(r.Context(), agent, selected)
		if err != nil {
			return err
		}
		return kit.Show(w, r, http.StatusOK, templates.ManyChangePage(manyChange(r, agent, op, rows, "")))
	}
	return s.runBatch(w, r, agent, op, selected)
}

func (s *site) runBatch(w http.ResponseWriter, r *http.Request, agent records.Agent, op operation, selected []engine.MemoryRef) error {
	done, refused := s.resultOf(r, agent, op, selected, op.act(s.engine, r.Context(), agent.Slug, selected))
	event, err := s.eventOfBatch(r.Context(), agent, op, done)
	if err != nil {
		return err
	}
	list := kit.Back(r, listOf(agent, op))
	if len(refused) == 0 {
		return kit.RedirectWith(w, r, list, url.Values{kit.FieldMany: {op.name}, kit.FieldEvent: {event}})
	}
	s.rescan(r, agent.Slug, "scan after refused batch failed")
	v := templates.Refused{
		Agent: agentView(agent), Done: len(done), Verb: op.verb,
		Selection: templates.Selection{Agent: agent.Slug, InTrash: op.inTrash, Back: list},
	}
	if len(done) > 0 {
		if v.Notice, err = s.noticeOfBatch(r.Context(), agent, op.name, event, list); err != nil {
			return err
		}
	}
	return s.showRefused(w, r, agent, v, refused)
}

// eventOfBatch returns the event of this request. If it has changed nothing, because all memories were
// deleted before, it returns the event that has deleted the first one.
func (s *site) eventOfBatch(ctx context.Context, agent records.Agent, op operation, done []string) (string, error) {
	event := records.ActionOf(ctx).ID
	if op.done != doneDeleted || len(done) == 0 {
		return event, nil
	}
	changes, err := s.store.EventChanges(ctx, event)
	if err != nil || len(changes) > 0 {
		return event, err
	}
	last, found, err := s.lastDeletion(ctx, done[0])
	if found {
		event = cmp.Or(last.Action, records.EventKey(agent.ID, last.At, last.ID))
	}
	return event, err
}

// allSelected returns all memories of the list that the form is about.
func (s *site) allSelected(r *http.Request, agent records.Agent) (records.MemoryListPage, error) {
	_, list, err := viewOf(r, agent)
	if err != nil {
		return records.MemoryListPage{}, err
	}
	return s.store.MemoryList(r.Context(), agent, list, records.MemoryWindow{Default: math.MaxInt32})
}

// selectedRows returns the selected memories that exist, in the same order.
func (s *site) selectedRows(ctx context.Context, agent records.Agent, selected []engine.MemoryRef) ([]records.ListedMemory, error) {
	var rows []records.ListedMemory
	for _, ref := range selected {
		m, err := s.store.Memory(ctx, agent, ref.ID)
		switch {
		case err == nil:
			rows = append(rows, records.ListedMemory{Memory: m})
		case !errors.Is(err, memories.ErrNotFound):
			return nil, err
		}
	}
	return rows, nil
}

// showChanged answers 409 with the memories that have changed since a person selected the whole list,
// and offers the action on the list as it is now.
func (s *site) showChanged(w http.ResponseWriter, r *http.Request, agent records.Agent, op operation, now records.MemoryListPage, seen string) error {
	v := manyChange(r, agent, op, now.Rows, listview.Mark(len(now.Rows), now.ChangedAt))
	var since time.Time
	v.Before, since = listview.ParseMark(seen)
	v.Rows = nil
	for _, m := range now.Rows {
		if m.UpdatedAt.After(since) {
			v.Rows = append(v.Rows, listview.Row(m, time.Now()))
		}
	}
	v.Changed = true
	return kit.Show(w, r, http.StatusConflict, templates.ManyChangePage(v))
}

// manyChange returns the view of the question before op. all is the form's FieldAll, or empty if the
// form names each memory.
func manyChange(r *http.Request, agent records.Agent, op operation, rows []records.ListedMemory, all string) templates.ManyChange {
	v := templates.ManyChange{
		Agent: agentView(agent), Total: len(rows), All: all, List: listOf(agent, op), Back: kit.Back(r, listOf(agent, op)), Label: op.label,
		Path: r.URL.Path, Deletes: op.done == doneDeleted || op.done == donePurged, Final: op.done == donePurged,
	}
	for _, m := range rows {
		v.Rows = append(v.Rows, listview.Row(m, time.Now()))
	}
	return v
}

// selectedIn returns the memories that the form of r names, each with the ETag that the user saw,
// or "" if the form has none. It keeps the first of several entries with the same id.
func selectedIn(r *http.Request) []engine.MemoryRef {
	var all []engine.MemoryRef
	known := map[string]bool{}
	for _, field := range r.PostForm[address.FieldMemory] {
		id, etag, ok := strings.Cut(field, " ")
		if ok {
			etag = `"` + etag + `"`
		}
		if !known[id] {
			known[id] = true
			all = append(all, engine.MemoryRef{ID: id, ETag: etag})
		}
	}
	return all
}

// listOf returns the path of the list that offers the action: the trash, or all memories.
func listOf(agent records.Agent, op operation) string {
	if op.inTrash {
		return address.TrashPath(agent.Slug)
	}
	return address.MemoriesPath(agent.Slug)
}

// refusal is a memory for which an action failed.
type refusal struct{ id, reason string }

// resultOf returns the memories for which a batch succeeded, and the refused ones. A memory succeeded
// if its error is nil or isDone returns true. errs has one entry for each of selected, in the same
// order.
func (s *site) resultOf(r *http.Request, agent records.Agent, op operation, selected []engine.MemoryRef, errs []error) (done []string, refused []refusal) {
	for i, seen := range selected {
		if errs[i] == nil || s.isDone(r.Context(), agent, op.done, seen.ID) {
			done = append(done, seen.ID)
			continue
		}
		refused = append(refused, refusal{id: seen.ID, reason: s.reason(r, errs[i])})
	}
	return done, refused
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
	f, p := kit.FailureOf(r, err)
	s.options.Log.Log(r.Context(), p.Level, "batch action failed", "request", gate.RequestID(r.Context()), "error", err)
	return f.Title + ". " + f.Text
}

// notRemovedOf returns how many of the deleted memories still have a file that could not be removed. It
// considers the first records.MaxLimit such memories of the agent. It returns 0 if the database fails,
// because the trash shows those files too.
func (s *site) notRemovedOf(ctx context.Context, agent records.Agent, deleted []records.EventChange) int {
	page, err := s.store.Memories(ctx, agent, memories.Filter{State: memories.Deleted, NotRemoved: true}, memories.PageRequest{Limit: records.MaxLimit})
	if err != nil {
		return 0
	}
	n := 0
	for _, m := range page.Memories {
		if slices.ContainsFunc(deleted, func(c records.EventChange) bool { return c.MemoryID == m.ID }) {
			n++
		}
	}
	return n
}

// noticeOfBatch returns the notice about the memories that an event has changed, with an undo if that
// is possible. path is the page to return to after it. It returns nil for an unknown operation or
// event, and if the first memory no longer has the state that the operation led to.
func (s *site) noticeOfBatch(ctx context.Context, agent records.Agent, name, event, path string) (*ui.Notice, error) {
	op, ok := operations[name]
	if !ok || !isEvent(event) {
		return nil, nil
	}
	changes, err := s.store.EventChanges(ctx, event)
	changes = slices.DeleteFunc(changes, func(c records.EventChange) bool { return c.Agent != agent.Slug })
	if rules := agents.Layout(agent.Layout).Rules(); err == nil && len(changes) == 0 && op.done == doneDeleted && rules.TakesNotes() {
		return newNotice("Deletion pending until " + rules.Client + " has removed the text. Restore a memory to keep it."), nil
	}
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	first := changes[0]
	if op.done == donePurged && first.Now.State != "" || op.done != donePurged && !first.IsAfter() {
		return nil, nil
	}
	all := wording.Count(len(changes), "memory", "memories")
	notice := newNotice(all + " " + op.verb)
	what := "the change of "
	switch op.done {
	case doneVerified:
		notice.Text = all + " still true"
	case doneDeleted:
		what, notice.Text = "the deletion of ", "Deleted "+all
		if left := s.notRemovedOf(ctx, agent, changes); left > 0 {
			notice.Text += ". " + wording.Count(left, "memory", "memories") + " still on disk; see the trash."
		}
	}
	if first.CanUndo() {
		undo := ui.Undo(event, what+all, path)
		if op.done == doneDeleted {
			undo.Focus = address.RowID(first.MemoryID)
		}
		notice.Actions = []ui.Action{undo}
	}
	return notice, nil
}

// showRefused answers 409 with the refused memories, as they are now and still selected. A memory that
// no longer exists is shown by its id. v has the rest of the page.
func (s *site) showRefused(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.Refused, refused []refusal) error {
	for _, refused := range refused {
		row := templates.RefusedRow{ID: refused.id, Name: refused.id, Reason: refused.reason}
		if m, err := s.store.Memory(r.Context(), agent, refused.id); err == nil {
			row.ETag, row.Name, row.Type, row.Path = engine.ETag(m), m.Name, m.Type, address.MemoryPath(agent.Slug, m.ID)
		}
		v.Rows = append(v.Rows, row)
	}
	return kit.Show(w, r, http.StatusConflict, templates.RefusedPage(v))
}

func selectionOf(agent records.Agent, v address.View) templates.Selection {
	return templates.Selection{Agent: agent.Slug, InTrash: v.Trash(), Back: v.List(), Label: v.Label(), HasTeam: !agent.SharesMemories()}
}

// nothingSelected redirects to the Memory tab with a notice that nothing was selected. It always
// returns nil.
func (s *site) nothingSelected(w http.ResponseWriter, r *http.Request) error {
	return kit.Redirect(w, r, address.MemoriesPath(kit.Slug(r)), doneNothing, "")
}
