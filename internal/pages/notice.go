package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// A redirect carries the action, its event and the memory's id to the next page in a cookie, and that
// page shows a notice once. The page makes the text from the current state, so a forged cookie cannot
// show a false notice. Addresses carry none, so a reload and Back show nothing.
const (
	fieldDone  = "done"
	fieldID    = "id"
	fieldEvent = "event" // that the notice offers to undo
	fieldMany  = "many"  // the operation of a batch
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
	doneNamed     = "named"
	doneTakenBack = "taken-back" // by an undo of an event
	doneAlready   = "already"
)

const (
	// cookieNotice is the name of the cookie with the action that the next page is about.
	cookieNotice = "memoir_notice"
	// noticeMaxAge is how long the next page may take to load (arbitrary).
	noticeMaxAge = 30 * time.Second
	// maxNotice is the length of the longest value of the cookie. Browsers keep 4,096 bytes with its
	// name and attributes (RFC 6265).
	maxNotice = 3_500
	// headerRefresh marks the request of a page that refreshes itself. It leaves the notice to the
	// answer of the action.
	headerRefresh = "Memoir-Refresh"
)

// redirect redirects with 303 to path, which then shows a notice about the action done. id is the
// id of the memory that the notice names, or "" if it names none. It always returns nil.
func redirect(w http.ResponseWriter, r *http.Request, path, done, id string) error {
	return redirectWith(w, r, path, url.Values{fieldDone: {done}, fieldID: {id}})
}

// redirectWith redirects with 303 to path, which then shows the notice that the values describe, by
// default about the event of this request. If they are too long for a cookie, the page shows none. It
// always returns nil.
func redirectWith(w http.ResponseWriter, r *http.Request, path string, notice url.Values) error {
	if !notice.Has(fieldEvent) {
		notice.Set(fieldEvent, records.ActionOf(r.Context()).ID)
	}
	if value := notice.Encode(); len(value) <= maxNotice {
		http.SetCookie(w, noticeCookie(r, value))
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}

// noticeCookie returns the cookie with the value, or the one that deletes it for an empty value.
func noticeCookie(r *http.Request, value string) *http.Cookie {
	c := &http.Cookie{Name: cookieNotice, Value: value, Path: "/", MaxAge: int(noticeMaxAge / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: isSecure(r)}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

type noticeKey struct{}

// takeNotice returns r with the last action for lastAction, and deletes its cookie. A refresh and a
// request for a part of a page leave the cookie to the next document.
func takeNotice(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Header.Get(headerRefresh) != "" || r.Header.Get("HX-Request-Type") == "partial" {
		return r
	}
	cookie, err := r.Cookie(cookieNotice)
	if err != nil {
		return r
	}
	http.SetCookie(w, noticeCookie(r, ""))
	values, err := url.ParseQuery(cookie.Value)
	if err != nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), noticeKey{}, values))
}

// lastAction returns the values of the action that led to the page of r. It returns nil without one.
func lastAction(r *http.Request) url.Values {
	values, _ := r.Context().Value(noticeKey{}).(url.Values)
	return values
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
	donePurged:    "Deleted permanently",
	doneNothing:   "Select a memory first",
	doneSwitched:  "Memory on",
	donePlanned:   "Plan ready. Nothing changed yet.",
	doneApplied:   "Applied.",
	doneUndone:    "Undone.",
	doneDiscarded: "Plan discarded. Applied steps stay.",
	doneNoSteps:   "Select a memory first",
	doneRefused:   "Dismissed",
	doneDecided:   "Already decided",
	doneLogged:    "Entry added.",
	doneRepaired:  "MEMORY.md updated",
	doneNamed:     "Name saved.",
	doneWritten:   "Written back.",
	doneRemoved:   "Moved to the trash.",
	doneUnblocked: "File removed.",
}

// memoryNotices are the texts of the notices about a memory that is not deleted, by action. %s is
// its name.
var memoryNotices = map[string]string{
	doneRestored: "Restored %s",
	doneReverted: "Restored an earlier text of %s",
	doneAccepted: "Accepted %s",
	doneSaved:    "Saved %s",
	doneVerified: "Still true: %s",
	doneChecked:  "Checked the citations of %s",
	doneUnfixed:  "Undone: %s",
	doneKept:     "Kept this text of %s",
	doneAllowed:  "Allowed %s",
}

// noticeOf returns the notice about the action that led to this page. It returns nil without an
// error if no action did, the memory does not exist, or its state contradicts the notice. path is the page's own address, to return to after an undo.
func (s *site) noticeOf(r *http.Request, agent records.Agent, path string) (*templates.Notice, error) {
	if notice, err := s.undoNotice(r); notice != nil || err != nil {
		return notice, err
	}
	query := lastAction(r)
	if query.Has(fieldMany) {
		return s.noticeOfBatch(r.Context(), agent, query.Get(fieldMany), query.Get(fieldEvent), path)
	}
	done := query.Get(fieldDone)
	switch {
	case done == "":
		return nil, nil
	case done == doneSwitched && agent.MemoryOff:
		return newNotice("Memory off. Existing memories stay."), nil
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
		notice := newNotice("Deleted " + m.Name)
		if len(notRemoved(m)) > 0 {
			notice.Text += " Some files remain; see the trash."
		}
		return s.undoable(r, agent, m, notice, path)
	case deleted:
		return nil, nil
	case done == doneFixed:
		return s.fixedNotice(r, agent, m, path)
	case done == doneMoved, done == doneCopied:
		return s.undoable(r, agent, m, newNotice(movedWords(agent, m, done)), path)
	case done == doneTyped && m.Type != "":
		return s.undoable(r, agent, m, newNotice(m.Name+": "+string(m.Type)), path)
	case memoryNotices[done] != "":
		return s.undoable(r, agent, m, newNotice(fmt.Sprintf(memoryNotices[done], m.Name)), path)
	default:
		return nil, nil
	}
}

// fixedNotice returns the notice that a file of m was fixed. It offers an undo if the action names
// the file and its old hash, and canUndo returns true. path is the page to return to after it.
func (s *site) fixedNotice(r *http.Request, agent records.Agent, m memories.Memory, path string) (*templates.Notice, error) {
	notice := newNotice("Fixed " + m.Name)
	file, hash := lastAction(r).Get(templates.FieldPath), lastAction(r).Get(templates.FieldHash)
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
