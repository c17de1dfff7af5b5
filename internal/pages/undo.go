package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	"memoir/internal/undo"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

var eventID = regexp.MustCompile(`^[\w.-]{1,200}$`)

// isEvent reports whether a text can be the id of an event.
func isEvent(id string) bool { return eventID.MatchString(id) }

// undo takes the event in the address back: a decision of the review with all that it has changed, or
// an event of the journal. It redirects to the page of the form, which shows a notice, also if the event
// was undone before. If a later change prevents it, it answers 409 with that change.
func (s *site) undo(w http.ResponseWriter, r *http.Request) error {
	event := chi.URLParam(r, "event")
	if !isEvent(event) {
		return memories.ErrNotFound
	}
	if item, ok := records.ReviewedItem(event); ok {
		return s.undoReview(w, r, item)
	}
	result, err := s.undoer.Undo(r.Context(), event)
	switch {
	case errors.Is(err, undo.ErrDone):
		return kit.Redirect(w, r, kit.Back(r, address.TimelinePath), doneAlready, "")
	case err != nil:
		return err
	case len(result.Refused) > 0:
		return s.refuseUndo(w, r, event, result)
	}
	return kit.RedirectWith(w, r, afterUndo(r, result.Done), url.Values{kit.FieldDone: {doneTakenBack}, kit.FieldEvent: {event}})
}

// afterUndo returns the page of the form. If that is about a memory that was deleted by the undo, or
// the form has no page, it returns the page of a memory that lives, else the Memory tab.
func afterUndo(r *http.Request, done []records.EventChange) string {
	page := kit.Back(r, "")
	isGone := func(c records.EventChange) bool { return !c.Before.Lives() && strings.Contains(page, c.MemoryID) }
	if page != "" && !slices.ContainsFunc(done, isGone) {
		return page
	}
	if i := slices.IndexFunc(done, func(c records.EventChange) bool { return c.Before.Lives() }); i >= 0 {
		return address.MemoryPath(done[i].Agent, done[i].MemoryID)
	}
	return address.MemoriesPath(done[0].Agent)
}

// refuseUndo answers 409 with the memories of an event that stay as they are, and why. A single one is
// shown.
func (s *site) refuseUndo(w http.ResponseWriter, r *http.Request, event string, result undo.Result) error {
	first := result.Refused[0]
	isOfAgent := func(c undo.Refusal) bool { return c.Agent == first.Agent }
	if len(result.Done)+len(result.Refused) == 1 || !isOfAgent(result.Refused[len(result.Refused)-1]) {
		return s.refuseAbout(w, r, first.Agent, first.MemoryID, first.Err)
	}
	s.rescan(r, first.Agent, "scan after refused undo failed")
	agent, err := s.store.Agent(r.Context(), first.Agent)
	if err != nil {
		return err
	}
	inTrash := !first.Now.Lives()
	list := address.View{Agent: agent.Slug}.List()
	if inTrash {
		list = address.TrashPath(agent.Slug)
	}
	v := templates.Refused{
		Agent: agentView(agent), Done: len(result.Done), Verb: "undone",
		Selection: templates.Selection{Agent: agent.Slug, InTrash: inTrash, Back: list},
	}
	if v.Notice, err = s.noticeOfUndo(r.Context(), event); err != nil {
		return err
	}
	refused := make([]refusal, len(result.Refused))
	for i, one := range result.Refused {
		refused[i] = refusal{id: one.MemoryID, reason: s.reason(r, one.Err)}
	}
	return s.showRefused(w, r, agent, v, refused)
}

// undoNotice returns the notice about an undo that led to the page of r, or nil.
func (s *site) undoNotice(r *http.Request) (*ui.Notice, error) {
	switch kit.LastAction(r).Get(kit.FieldDone) {
	case doneTakenBack:
		return s.noticeOfUndo(r.Context(), kit.LastAction(r).Get(kit.FieldEvent))
	case doneUnreviewed, doneUndone:
		return newNotice("Undone."), nil
	case doneAlready:
		return newNotice("Already undone"), nil
	}
	return nil, nil
}

// noticeOfUndo returns the notice that an event was undone, or nil if the memories are not as before it.
func (s *site) noticeOfUndo(ctx context.Context, event string) (*ui.Notice, error) {
	if !isEvent(event) {
		return nil, nil
	}
	changes, err := s.store.EventChanges(ctx, event)
	changes = slices.DeleteFunc(changes, func(c records.EventChange) bool { return !c.IsBefore() })
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	var living []records.EventChange
	restored := true
	for _, c := range changes {
		restored = restored && !c.After.Lives()
		if c.Before.Lives() {
			living = append(living, c)
		}
	}
	isMove := len(living) == 1 && len(changes) > 1 // to another agent
	switch {
	case len(changes) > 1 && !isMove && restored:
		return newNotice(templates.Many(len(changes), "restored")), nil
	case len(changes) > 1 && !isMove:
		return newNotice("Undone: " + wording.Count(len(changes), "memory", "memories")), nil
	case len(living) == 0:
		living = changes
	}
	c := living[0]
	agent, err := s.store.AgentUncounted(ctx, c.Agent)
	if err != nil {
		return nil, err
	}
	m, err := s.store.Memory(ctx, agent, c.MemoryID)
	switch {
	case err != nil:
		return nil, err
	case isMove, c.After.Lives() && c.Before.Lives() && c.Before.Team != c.After.Team:
		return newNotice(movedWords(agent, m, doneMoved)), nil
	case restored:
		return newNotice("Restored " + m.Name), nil
	}
	return newNotice("Undone: " + m.Name), nil
}

// undoAbout are the words before the memory's name that say what an undo takes back, by action.
// Notices about other actions have no undo of an event.
var undoAbout = map[string]string{
	doneDeleted: "the deletion of ", doneRestored: "the restore of ", doneReverted: "the change of ", doneSaved: "the change of ",
	doneTyped: "the change of ", doneAccepted: "the suggestion ", doneVerified: "the check of ", doneMoved: "the move of ", doneCopied: "the copy of ",
}

// undoable returns the notice about m with an undo, if the last action has led to the present state of m.
// path is the page to return to after it.
func (s *site) undoable(r *http.Request, agent records.Agent, m memories.Memory, notice *ui.Notice, path string) (*ui.Notice, error) {
	done, event := kit.LastAction(r).Get(kit.FieldDone), kit.LastAction(r).Get(kit.FieldEvent)
	about, ok := undoAbout[done]
	if !ok {
		return notice, nil
	}
	canUndo, err := s.canUndoEvent(r.Context(), event, m.ID)
	if err == nil && !canUndo && done == doneDeleted { // it was deleted before, for example by another program
		last, found, failed := s.lastDeletion(r.Context(), m.ID)
		if failed != nil || !found {
			return notice, failed
		}
		event = records.TimelineEvent{AgentID: agent.ID, At: last.At, ID: last.ID, Action: last.Action}.Event()
		canUndo, err = s.canUndoEvent(r.Context(), event, m.ID)
	}
	if err != nil || !canUndo {
		return notice, err
	}
	back := ui.Undo(event, about+m.Name, path)
	if done == doneDeleted {
		back.Focus = address.RowID(m.ID)
	}
	notice.Actions = []ui.Action{back}
	return notice, nil
}

// canUndoEvent reports whether an event has led to the present state of a memory, and can be undone.
func (s *site) canUndoEvent(ctx context.Context, event, id string) (bool, error) {
	if !isEvent(event) {
		return false, nil
	}
	changes, err := s.store.EventChanges(ctx, event)
	return slices.ContainsFunc(changes, func(c records.EventChange) bool { return c.MemoryID == id && c.IsAfter() && c.CanUndo() }), err
}

// lastDeletion returns the entry about the last deletion of a memory.
func (s *site) lastDeletion(ctx context.Context, id string) (last memories.Activity, found bool, err error) {
	page, err := s.store.Activity(ctx, records.ActivityList{MemoryID: id, Kind: memories.ActivityDeleted, Limit: 1})
	if errors.Is(err, memories.ErrNotFound) || err == nil && len(page.Activity) == 0 {
		return memories.Activity{}, false, nil
	}
	if err != nil {
		return memories.Activity{}, false, err
	}
	return page.Activity[0], true, nil
}
