package pages

import (
	"net/http"
	"net/url"

	"memoir/internal/pages/kit"
	"memoir/internal/records"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// Some actions change nothing that the journal has. Their undo is the same form, or the one that does
// the opposite, with the former value in its address.
const (
	// fieldFormer is the value of a notice that its action has replaced. It is absent if it is too long.
	fieldFormer = "former"
	// fieldUndo marks the address of a form that is an undo.
	fieldUndo = "undo"
	// maxFormer is the maximum length of fieldFormer in bytes, with which a cookie has room for the
	// rest (arbitrary).
	maxFormer = 2_000
)

// inverse returns the undo of an action, which is the form at path with values. about says what it
// undoes. back is the page to return to after it.
func inverse(path, about, back string, values map[string]string) ui.Action {
	all := map[string]string{fieldUndo: "true"}
	for name, value := range values {
		all[name] = value
	}
	undo := ui.Undo("", about, back)
	undo.Path = address.WithQuery(path, all)
	return undo
}

// redirectFormer redirects as kit.Redirect does, to a notice with an undo that needs the former value.
// The action of an undo leads to a notice without one.
func redirectFormer(w http.ResponseWriter, r *http.Request, path, done, id, former string) error {
	notice := url.Values{kit.FieldDone: {doneOf(r, done)}, kit.FieldID: {id}}
	if len(former) <= maxFormer {
		notice.Set(fieldFormer, former)
	}
	return kit.RedirectWith(w, r, path, notice)
}

// doneOf returns the action of a notice: done, or that something was undone.
func doneOf(r *http.Request, done string) string {
	if r.URL.Query().Has(fieldUndo) {
		return doneUndone
	}
	return done
}

// withFormer adds the undo to a notice, if the action has kept the former value.
func withFormer(notice *ui.Notice, action url.Values, undo ui.Action) *ui.Notice {
	if action.Has(fieldFormer) {
		notice.Actions = []ui.Action{undo}
	}
	return notice
}

// formNotice returns the notice about an action on an agent's settings or session names, with its
// undo. It returns nil for another action. path is the page to return to after the undo.
func formNotice(action url.Values, agent records.Agent, path string) *ui.Notice {
	id := action.Get(kit.FieldID)
	switch done := action.Get(kit.FieldDone); done {
	case doneSwitched:
		notice, verb := newNotice("Memory on"), "off"
		if agent.MemoryOff {
			notice, verb = newNotice("Memory off. Existing memories stay."), "on"
		}
		notice.Actions = []ui.Action{inverse(address.AgentPath(agent.Slug, "settings", "memory", verb), "the switch", path, nil)}
		return notice
	case donePublished, doneStopped:
		notice := newNotice("Published")
		if done == doneStopped {
			notice = newNotice("Memoir’s text removed")
		}
		notice.Actions = []ui.Action{inverse(address.TargetPath(agent.Slug, id, done == doneStopped), "the switch", path, nil)}
		return notice
	case doneNamed:
		values := map[string]string{address.FieldID: id, address.FieldName: action.Get(fieldFormer)}
		return withFormer(newNotice("Name saved."), action, inverse(address.SessionNamesPath(agent.Slug), "the name", path, values))
	}
	return nil
}
