package pages

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// A redirect carries the action and the memory's id to the next page, which shows a notice. The
// page makes the text from the current state, so an old or forged address cannot show a false
// notice.
const (
	fieldDone = "done"
	fieldID   = "id"
)

const (
	doneDeleted   = "deleted"
	doneRestored  = "restored"
	doneReverted  = "reverted"
	donePurged    = "purged"
	doneTyped     = "typed"
	doneSaved     = "saved"
	doneAllowed   = "allowed"
	doneForgotten = "forgotten"
	doneScanned   = "scanned"
	doneSamples   = "samples"
	doneWritten   = "written-back"
	doneRemoved   = "removed"
	doneFixed     = "fixed"
	doneUnfixed   = "unfixed"
	doneUnblocked = "unblocked"
	doneKept      = "kept"
	doneRepaired  = "repaired"
	doneVerified  = "verified"
	doneMoved     = "moved"
	doneCopied    = "copied"
	doneChecked   = "checked"
	doneNothing   = "nothing"
	doneSwitched  = "switched"
	donePlanned   = "planned"
	doneApplied   = "applied"
	doneUndone    = "undone"
	doneDiscarded = "discarded"
	doneNoSteps   = "no-steps"
	doneAccepted  = "accepted"
	doneRefused   = "refused"
	doneDecided   = "decided"
	doneLogged    = "logged"
)

// redirect redirects with 303 to path, which then shows a notice about the action done. id is the
// id of the memory that the notice names, or "" if it names none. It always returns nil.
func redirect(w http.ResponseWriter, r *http.Request, path, done, id string) error {
	target := templates.WithQuery(path, map[string]string{fieldDone: done, fieldID: id})
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// pageLinks returns the links of a list at path that is shown in pages. more is path with the
// cursor next, or "" if next is empty, which means that there are no further pages. first is path,
// or "" if cursor, the one of this page, is empty.
func pageLinks(path, cursor, next string) (more, first string) {
	if next != "" {
		more = templates.WithQuery(path, map[string]string{templates.FieldCursor: next})
	}
	if cursor != "" {
		first = path
	}
	return more, first
}

// back returns the address of the page that the form was on, from the field FieldBack. If that is
// absent or not a path on this server, it returns otherwise. Browsers read a backslash as a slash
// and ignore control characters, so back refuses both.
func back(r *http.Request, otherwise string) string {
	path := r.PostFormValue(templates.FieldBack)
	parsed, err := url.Parse(path)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.Contains(path, `\`) || strings.ContainsFunc(path, unicode.IsControl) {
		return otherwise
	}
	return path
}

// notices are the texts of the notices that name no memory, by action.
var notices = map[string]string{
	donePurged:    "It is gone for good, with its history.",
	doneNothing:   "Nothing was selected, so nothing was done. Tick the memories first.",
	doneSwitched:  "Memory is on.",
	donePlanned:   "The plan is made. Nothing has been changed yet.",
	doneApplied:   "The selected steps are applied. Each can be undone, here and on the Activity tab.",
	doneUndone:    "The step is undone: everything says again what it said.",
	doneDiscarded: "The plan is discarded. What was applied of it stays, and can still be undone.",
	doneNoSteps:   "Nothing was selected, so nothing was done. Tick the steps first.",
	doneRefused:   "It is refused, and is not proposed again.",
	doneDecided:   "Somebody has decided about it already.",
	doneLogged:    "The entry is in the log.",
	doneRepaired:  "The index is in step with the memory files.",
	doneWritten:   "The missing memories are written back.",
	doneRemoved:   "The missing memories are in the trash.",
	doneUnblocked: "The file is removed from the disk.",
}

// memoryNotices are the texts of the notices about a memory that is not deleted, by action. %s is
// its name.
var memoryNotices = map[string]string{
	doneRestored: "“%s” is back.",
	doneReverted: "“%s” says again what it said then. What it said until now stays in its history.",
	doneAccepted: "“%s” is a memory now.",
	doneSaved:    "“%s” is saved.",
	doneVerified: "“%s” is still true. Its age starts anew.",
	doneChecked:  "It was looked again for what “%s” cites.",
	doneUnfixed:  "“%s” is as it was before.",
	doneKept:     "“%s” says this from now on. The other files stay as they are.",
	doneAllowed:  "“%s” lives again.",
}

// noticeOf returns the notice about the action that led to this page, as the address names it. It
// returns nil without an error if the address names no action, the memory does not exist, or its
// state contradicts the notice. path is the page's own address, to return to after an undo.
func (s *site) noticeOf(r *http.Request, agent records.Agent, path string) (*templates.Notice, error) {
	query := r.URL.Query()
	if batch := query.Get(templates.FieldBatch); batch != "" {
		return s.noticeOfBatch(r.Context(), agent, batch, path), nil
	}
	done := query.Get(fieldDone)
	switch {
	case done == "":
		return nil, nil
	case done == doneSwitched && agent.MemoryOff:
		return newNotice("Memory is off. What the agent remembers stays."), nil
	case notices[done] != "":
		return newNotice(notices[done]), nil
	}
	m, err := s.store.Memory(r.Context(), agent, query.Get(fieldID))
	if errors.Is(err, memories.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	deleted := m.State == memories.Deleted
	switch {
	case done == doneDeleted && deleted:
		notice := templates.Deleted(m.Agent, m.ID, m.Name, path)
		if len(notRemoved(m)) > 0 {
			notice.Text += " Not all of it could be removed from the disk; the trash says why."
		}
		return &notice, nil
	case deleted:
		return nil, nil
	case done == doneFixed:
		return s.fixedNotice(r, agent, m, path)
	case done == doneMoved, done == doneCopied:
		return s.noticeOfMove(r, agent, m, path)
	case done == doneTyped && m.Type != "":
		return newNotice("“" + m.Name + "” is a " + string(m.Type) + " memory now."), nil
	case memoryNotices[done] != "":
		return newNotice(fmt.Sprintf(memoryNotices[done], m.Name)), nil
	default:
		return nil, nil
	}
}

// fixedNotice returns the notice that a file of m was fixed. It offers an undo if the address names
// the file and its old hash, and canUndo returns true. path is the page to return to after it.
func (s *site) fixedNotice(r *http.Request, agent records.Agent, m memories.Memory, path string) (*templates.Notice, error) {
	notice := newNotice("“" + m.Name + "” is mended.")
	file, hash := r.URL.Query().Get(templates.FieldPath), r.URL.Query().Get(templates.FieldHash)
	undo, err := s.canUndo(r.Context(), agent, m, file, hash)
	if err != nil {
		return nil, err
	}
	if undo {
		notice.Actions = []templates.Action{{
			Label: "Undo", About: "the fix of " + m.Name, ETag: engine.ETag(m), Back: path, Style: templates.Primary, Does: "undo",
			Path: undoPath(templates.MemoryPath(m.Agent, m.ID, "fix", "undo"), file, hash),
		}}
	}
	return notice, nil
}

// notRemoved returns one message for each file that the memory's deletion could not remove, or nil.
func notRemoved(m memories.Memory) []string {
	var why []string
	for _, p := range m.Problems {
		if p.Code == memories.CodeNotRemoved {
			why = append(why, p.Message)
		}
	}
	return why
}

func newNotice(text string) *templates.Notice { return &templates.Notice{Text: text} }
