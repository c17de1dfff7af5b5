package pages

import (
	"errors"
	"fmt"
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/pages/accesspages"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
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
	donePublished = "published"
	doneStopped   = "stopped"
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
	doneAsked     = "asked"
	doneTakenBack = "taken-back" // by an undo of an event
	doneAlready   = "already"
)

// pageLinks returns the links of a list at path that is shown in pages. more is path with the
// cursor next, or "" if next is empty, which means that there are no further pages. first is path,
// or "" if cursor, the one of this page, is empty.
func pageLinks(path, cursor, next string) (more, first string) {
	if next != "" {
		more = address.WithQuery(path, map[string]string{address.FieldCursor: next})
	}
	if cursor != "" {
		first = path
	}
	return more, first
}

// notices are the texts of the notices that name no memory, by action.
var notices = map[string]string{
	donePurged:              "Deleted permanently",
	accesspages.DoneRevoked: "Token revoked",
	doneNothing:             "Select a memory first",
	donePlanned:             "Plan ready. Nothing changed yet.",
	doneApplied:             "Applied.",
	doneUndone:              "Undone.",
	doneDiscarded:           "Plan discarded. Applied steps stay.",
	doneNoSteps:             "Select a memory first",
	doneRefused:             "Dismissed",
	doneDecided:             "Already decided",
	doneLogged:              "Entry added.",
	doneRepaired:            "MEMORY.md updated",
	doneWritten:             "Written back.",
	doneUnblocked:           "File removed.",
}

// memoryNotices are the texts of the notices about a memory that is not deleted, by action. %s is
// its name.
var memoryNotices = map[string]string{
	doneRestored: "Restored %s",
	doneReverted: "Restored an earlier text of %s",
	doneAccepted: "Accepted %s",
	doneSaved:    "Saved %s",
	doneAsked:    "Saved %s",
	doneVerified: "Still true: %s",
	doneChecked:  "Checked the citations of %s",
	doneUnfixed:  "Undone: %s",
	doneKept:     "Kept this text of %s",
	doneAllowed:  "Allowed %s",
}

// noticeOf returns the notice about the action that led to this page. It returns nil without an
// error if no action did, the memory does not exist, or its state contradicts the notice. path is the page's own address, to return to after an undo.
func (s *site) noticeOf(r *http.Request, agent records.Agent, path string) (*ui.Notice, error) {
	if notice, err := s.undoNotice(r); notice != nil || err != nil {
		return notice, err
	}
	query := kit.LastAction(r)
	if query.Has(kit.FieldMany) {
		return s.noticeOfBatch(r.Context(), agent, query.Get(kit.FieldMany), query.Get(kit.FieldEvent), path)
	}
	done := query.Get(kit.FieldDone)
	if done == "" {
		return nil, nil
	}
	if notice := formNotice(query, agent, path); notice != nil {
		return notice, nil
	}
	if notice := s.kit.Notice(r); notice != nil {
		return notice, nil
	}
	m, err := s.store.Memory(r.Context(), agent, query.Get(kit.FieldID))
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
			notice.Text += ". Some files remain; see the trash."
		}
		return s.undoable(r, agent, m, notice, path)
	case done == doneDeleted && m.Pending() == memories.PendingDeletion:
		notice := newNotice("Deletion pending: " + m.Name)
		notice.Actions = []ui.Action{{
			Label: "Undo", About: "the deletion of " + m.Name, Path: address.MemoryPath(m.Agent, m.ID, "restore"), Back: path, Style: ui.Primary, Does: "undo",
		}}
		return notice, nil
	case deleted:
		return nil, nil
	case done == doneFixed:
		return s.fixedNotice(r, agent, m, path)
	case done == doneMoved, done == doneCopied:
		return s.undoable(r, agent, m, newNotice(movedWords(agent, m, done)), path)
	case done == doneTyped && m.Type != "":
		return s.undoable(r, agent, m, newNotice(m.Name+": "+string(m.Type)), path)
	case done == doneAsked:
		return withFormer(newNotice(fmt.Sprintf(memoryNotices[done], m.Name)), query,
			inverse(address.MemoryPath(agent.Slug, m.ID, "asked-as"), "the questions of "+m.Name, path, map[string]string{address.FieldAskedAs: query.Get(fieldFormer)})), nil
	case memoryNotices[done] != "":
		return s.undoable(r, agent, m, newNotice(fmt.Sprintf(memoryNotices[done], m.Name)), path)
	default:
		return nil, nil
	}
}

// fixedNotice returns the notice that a file of m was fixed. It offers an undo if the action names
// the file and its old hash, and canUndo returns true. path is the page to return to after it.
func (s *site) fixedNotice(r *http.Request, agent records.Agent, m memories.Memory, path string) (*ui.Notice, error) {
	notice := newNotice("Fixed " + m.Name)
	file, hash := kit.LastAction(r).Get(address.FieldPath), kit.LastAction(r).Get(address.FieldHash)
	undo, err := s.canUndo(r.Context(), agent, m, file, hash)
	if err != nil {
		return nil, err
	}
	if undo {
		notice.Actions = []ui.Action{{
			Label: "Undo", About: "the fix of " + m.Name, ETag: engine.ETag(m), Back: path, Style: ui.Primary, Does: "undo",
			Path: undoPath(address.MemoryPath(m.Agent, m.ID, "fix", "undo"), file, hash),
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

func newNotice(text string) *ui.Notice { return &ui.Notice{Text: text} }
