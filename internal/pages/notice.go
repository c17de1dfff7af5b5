package pages

import (
	"context"
	"errors"
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
	doneRebuilt   = "rebuilt"
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

// redirect redirects to path, which then shows a notice about the action. id is the memory's id, or
// empty.
func redirect(w http.ResponseWriter, r *http.Request, path, done, id string) error {
	target, err := url.Parse(path)
	if err != nil {
		return &badRequest{http.StatusBadRequest, "The page to go back to is no address."}
	}
	query := target.Query()
	query.Set(fieldDone, done)
	query.Del(fieldID)
	if id != "" {
		query.Set(fieldID, id)
	}
	target.RawQuery = query.Encode()
	http.Redirect(w, r, target.String(), http.StatusSeeOther)
	return nil
}

// back returns the page that the form came from if it is a local path, else otherwise. Browsers
// read a backslash as a slash and ignore control characters, so those are refused.
func back(r *http.Request, otherwise string) string {
	path := r.PostFormValue(templates.FieldBack)
	parsed, err := url.Parse(path)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.Contains(path, `\`) || strings.ContainsFunc(path, unicode.IsControl) {
		return otherwise
	}
	return path
}

// noticeOf returns the notice about the action that led to this page. It returns nil if there is
// none or it is no longer true. path is the page's own address, to return to after an undo.
func (s *site) noticeOf(ctx context.Context, r *http.Request, agent records.Agent, path string) (*templates.Notice, error) {
	if batch := r.URL.Query().Get(templates.FieldBatch); batch != "" {
		return s.noticeOfBatch(ctx, agent, batch, path), nil
	}
	done := r.URL.Query().Get(fieldDone)
	switch done {
	case "":
		return nil, nil
	case donePurged:
		return newNotice("It is gone for good, with its history."), nil
	case doneNothing:
		return newNotice("Nothing was selected, so nothing was done. Tick the memories first."), nil
	case doneSwitched:
		if agent.MemoryOff {
			return newNotice("Memory is off. What the agent remembers stays."), nil
		}
		return newNotice("Memory is on."), nil
	case donePlanned:
		return newNotice("The plan is made. Nothing has been changed yet."), nil
	case doneApplied:
		return newNotice("The selected steps are applied. Each can be undone, here and on the Activity tab."), nil
	case doneUndone:
		return newNotice("The step is undone: everything says again what it said."), nil
	case doneDiscarded:
		return newNotice("The plan is discarded. What was applied of it stays, and can still be undone."), nil
	case doneNoSteps:
		return newNotice("Nothing was selected, so nothing was done. Tick the steps first."), nil
	case doneRefused:
		return newNotice("It is refused, and is not proposed again."), nil
	case doneDecided:
		return newNotice("Somebody has decided about it already."), nil
	case doneLogged:
		return newNotice("The entry is in the log."), nil
	case doneRebuilt:
		return newNotice("The index is in step with the memory files."), nil
	case doneWritten:
		return newNotice("The missing memories are written back."), nil
	case doneRemoved:
		return newNotice("The missing memories are in the trash."), nil
	case doneUnblocked:
		return newNotice("The file is removed from the disk."), nil
	}
	m, err := s.store.Memory(ctx, agent, r.URL.Query().Get(fieldID))
	if errors.Is(err, memories.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if done == doneFixed && m.State != memories.Deleted {
		return s.fixedNotice(ctx, r, agent, m, path)
	}
	if (done == doneMoved || done == doneCopied) && m.State != memories.Deleted {
		return s.noticeOfMove(ctx, r, agent, m, path)
	}
	return noticeAbout(m, done, path), nil
}

// fixedNotice returns the notice about a fixed file. It offers an undo if the history has the old
// bytes.
func (s *site) fixedNotice(ctx context.Context, r *http.Request, agent records.Agent, m memories.Memory, path string) (*templates.Notice, error) {
	notice := newNotice("“" + m.Name + "” is mended.")
	file, hash := r.URL.Query().Get(templates.FieldPath), r.URL.Query().Get(templates.FieldHash)
	undo, err := s.canUndo(ctx, agent, m, file, hash)
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

func noticeAbout(m memories.Memory, done, path string) *templates.Notice {
	deleted := m.State == memories.Deleted
	switch {
	case done == doneDeleted && deleted:
		notice := templates.Deleted(m.Agent, m.ID, m.Name, path)
		if len(notRemoved(m)) > 0 {
			notice.Text += " Not all of it could be removed from the disk; the trash says why."
		}
		return &notice
	case deleted:
		return nil
	case done == doneRestored:
		return newNotice("“" + m.Name + "” is back.")
	case done == doneReverted:
		return newNotice("“" + m.Name + "” says again what it said then. What it said until now stays in its history.")
	case done == doneAccepted:
		return newNotice("“" + m.Name + "” is a memory now.")
	case done == doneSaved:
		return newNotice("“" + m.Name + "” is saved.")
	case done == doneVerified:
		return newNotice("“" + m.Name + "” is still true. Its age starts anew.")
	case done == doneChecked:
		return newNotice("It was looked again for what “" + m.Name + "” cites.")
	case done == doneUnfixed:
		return newNotice("“" + m.Name + "” is as it was before.")
	case done == doneKept:
		return newNotice("“" + m.Name + "” says this from now on. The other files stay as they are.")
	case done == doneAllowed:
		return newNotice("“" + m.Name + "” lives again.")
	case done == doneTyped && m.Type != "":
		return newNotice("“" + m.Name + "” is a " + string(m.Type) + " memory now.")
	default:
		return nil
	}
}

// notRemoved returns one message for each file that the deletion could not remove.
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
