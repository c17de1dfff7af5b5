package templates

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// maxTargets is the number of agents up to which the form of a copy lists all (arbitrary). With more,
// the user types the agent's slug.
const maxTargets = 50

// Memory is the view of one memory in the pane.
type Memory struct {
	Agent Agent
	View  address.View // of the list that it was opened from
	MemoryRow
	Tab      address.PaneTab
	CanWrite bool
	// Revealed reports whether the texts are shown without masks.
	Revealed  bool
	Revisions int // number of them
	Notes     []MemoryNote
	// Next is the row that opens after a decision: the one below, else the one above. It is nil if
	// the list has no other row, or is unknown.
	Next *MemoryRow

	Body       markdown.HTML
	Asked      memories.AskedAs // who wrote the phrases; these are in MemoryRow
	Asks       bool             // the phrases are in a form
	LinkedFrom []ui.Link        // memories that link to it
	Recalls    RecallsOfMemory
	// Twins are the memories of the same name that the agent has in the other scope or receives.
	Twins []Twin
	// SharedWithAll reports whether the memory can be moved to a shared directory. MoveTargets are
	// the agents that it can be copied to, and a shared one moved.
	SharedWithAll bool
	MoveTargets   []string
	// Citations is the result of the last check. It is nil if there was no check.
	Citations *Citations

	History *History      // only on its tab
	Entry   IndexEntry    // only on the tab of costs
	Given   []RecallWith  // newest first; only on the tab of costs
	Fixes   *BrokenMemory // only on the tab of the file, if the memory has a problem
}

// MemoryNote is a note above a memory's text about something that waits for a decision.
type MemoryNote struct {
	Kind      string    // of the review's item, or one of the constants below
	Others    []ui.Link // the other memories that it is about
	Reason    string
	Href      string // of the item; empty for a problem
	IsProblem bool   // leads to the tab of the file
}

// NoteWarning is the kind of a note about a memory that is used although its file has a problem.
const NoteWarning = "warning"

// NoteNoDescription is the kind of a note about a memory without a description. It leads to the form.
const NoteNoDescription = "no_description"

// NotePending is the kind of a note about a change that the agent's client has yet to take over.
const NotePending = "pending"

// ConflictNote returns the note about files of one memory with different contents.
func ConflictNote(r DisagreementRow) MemoryNote {
	return MemoryNote{Kind: "conflict", Reason: r.parties() + ", " + wording.Count(r.Versions, "text", "different texts"), Href: r.path()}
}

func (n MemoryNote) tone() ui.Tone {
	switch n.Kind {
	case "secret", "injection":
		return ui.Danger
	case NoteNoDescription:
		return ui.Quiet
	default:
		return ui.Warning
	}
}

func (n MemoryNote) icon() string {
	switch n.Kind {
	case "secret", "injection", "contradiction", "conflict", "broken", "expired", "link":
		return n.Kind
	case NoteNoDescription:
		return "edit"
	case "duplicate":
		return "copy"
	case "unchecked", NotePending:
		return "clock"
	}
	return "attention"
}

// label returns the words before the reason. With other memories, they name them.
func (n MemoryNote) label() string {
	switch {
	case n.Kind == NoteWarning:
		return "Warning"
	case n.Kind == NoteNoDescription:
		return "No description"
	case n.Kind == NotePending:
		return "Pending"
	case len(n.Others) == 0:
		return ReviewWord(n.Kind)
	case n.Kind == "contradiction":
		return "Contradicts"
	case n.Kind == "duplicate":
		return "Same as"
	default:
		return ReviewWord(n.Kind) + " with"
	}
}

// link returns the way to the decision. It is the zero Link for a reader who cannot add what lacks.
func (n MemoryNote) link(v Memory) ui.Link {
	switch {
	case n.Kind == NoteNoDescription && v.canEdit():
		return ui.Link{Label: "Add", Href: v.form()}
	case n.Kind == NoteNoDescription:
		return ui.Link{}
	case n.Kind == NotePending:
		return ui.Link{Label: "File", Href: v.tab(address.FileTab)}
	case n.IsProblem:
		return ui.Link{Label: "Fix", Href: v.tab(address.FileTab)}
	case len(n.Others) > 0 || n.Kind == "conflict":
		return ui.Link{Label: "Compare", Href: n.Href}
	default:
		return ui.Link{Label: "Review", Href: n.Href}
	}
}

// IndexEntry is the line of a MEMORY.md that leads to a memory. The zero value means that none does.
type IndexEntry struct {
	Path   string
	Line   int // counted from 1
	Text   string
	Loaded bool // an agent loads the line
}

// RecallWith is a recall that delivered the memory, or that chose it and did not deliver it.
type RecallWith struct {
	At      time.Time
	Session string // empty: none
	AskedBy string
	Query   string
	Given   bool
}

// Twin is the view of a memory of the same name: private, team or shared.
type Twin struct {
	memories.Memory
	Shared bool // shared with all agents
	Same   bool // whether the content is the same
	Body   markdown.HTML
}

func (v Memory) at(rest ...string) string { return address.MemoryPath(v.Agent.Slug, v.ID, rest...) }

func (v Memory) back() string { return v.View.Memory(v.ID) }

func (v Memory) restore() ui.Action {
	return ui.Action{Label: "Restore", Path: v.at("restore"), Back: v.back(), Does: "restore", Style: ui.Primary}
}

// ownerText returns in words whose memory the twin is: one that all agents share, the team's, or
// the agent's private one.
func (t Twin) ownerText() string {
	switch {
	case t.Shared:
		return "Shared memory of this name"
	case t.Team:
		return "Team memory of this name"
	}
	return "Private memory of this name"
}

func (t Twin) side() string {
	if t.Shared {
		return "Shared"
	}
	return side(t.Team)
}

func side(team bool) string {
	if team {
		return "Team"
	}
	return "Private"
}

// page returns the address of a twin's page. If the twin belongs to the same agent, the address
// keeps the filter of the list.
func (v Memory) page(t Twin) string {
	if t.Shared {
		return address.MemoryPath(t.Agent, t.ID)
	}
	return v.View.Memory(t.ID)
}

// transfers returns the actions that move or copy the memory: to the agent's other scope (private
// or team), and to all agents. It omits a destination with a memory of this name, and the second
// one without a shared directory. It returns nil for a memory that all agents share.
func (v Memory) transfers() []ui.Action {
	if v.Agent.shares() {
		return nil // the page has a form with the agents to choose from
	}
	own, shared := false, !v.SharedWithAll
	for _, t := range v.Twins {
		own, shared = own || !t.Shared, shared || t.Shared
	}
	var all []ui.Action
	switch {
	case own, v.Agent.takesNotes():
	case v.Team:
		all = append(all, v.transfer("Make private", "move", memories.PrivateScope, ""), v.transfer("Copy as private", "copy", memories.PrivateScope, ""))
	default:
		all = append(all, v.transfer("Move to team", "move", memories.TeamScope, ""), v.transfer("Copy to team", "copy", memories.TeamScope, ""))
	}
	if !shared {
		all = append(all, v.transfer("For all projects", "move", memories.SharedScope, ""), v.transfer("Copy for all", "copy", memories.SharedScope, ""))
	}
	return all
}

// transfer returns the action that moves or copies the memory to a scope. what is "move" or "copy".
// agent is the target's slug, or empty for the same agent.
func (v Memory) transfer(label, what string, to memories.Scope, agent string) ui.Action {
	path := address.WithQuery(v.at(what), map[string]string{address.FieldTo: string(to), address.FieldAgent: agent})
	return ui.Action{Label: label, About: v.Name, Path: path, ETag: v.ETag, Back: v.back(), Does: what, Style: ui.Subtle}
}

// afterwards returns the page that opens after a decision, and the HTML id of its row.
func (v Memory) afterwards() (page, row string) {
	if v.Next == nil {
		return v.View.List(), ""
	}
	return v.View.Memory(v.Next.ID), address.RowID(v.Next.ID)
}

func (v Memory) purge() ui.Action {
	return ui.Action{
		Label: "Delete permanently", About: v.Name, Path: v.at("purge"), ETag: v.ETag, Back: v.View.List(), Style: ui.Destructive,
		Confirm: "History is deleted too. This cannot be undone.",
	}
}

func (v Memory) remove() ui.Action {
	remove := v.Delete("")
	remove.Back, remove.Focus = v.afterwards()
	remove.Style = ui.Destructive
	return remove
}

func (v Memory) verify() ui.Action {
	verify := ui.Action{Label: "Still true", About: v.Name, Path: v.at("verify"), ETag: v.ETag, Does: "verify"}
	verify.Back, verify.Focus = v.afterwards()
	return verify
}

// tab returns the address of a tab, which keeps the filter of the list.
func (v Memory) tab(t address.PaneTab) string {
	return address.WithQuery(v.View.Memory(v.ID), map[string]string{address.FieldTab: string(t)})
}

// form returns the address of the form for the memory, which keeps the filter of the list.
func (v Memory) form() string {
	form := v.View.At(v.at("edit"))
	if v.Revealed {
		form = address.WithQuery(form, map[string]string{address.FieldShowSecret: "true"})
	}
	return form
}

func (v Memory) masked() bool { return v.IsQuarantined() && !v.Revealed }

func (v Memory) canEdit() bool {
	return v.CanWrite && v.Readable && v.State != memories.Deleted && !v.masked()
}

// askForm returns the address of the memory with the form for its phrases.
func (v Memory) askForm() string {
	return address.WithQuery(v.back(), map[string]string{address.FieldAsk: "true"})
}

// phrasesBy returns who wrote the phrases as which the memory is asked, or "" if there are none.
func (v Memory) phrasesBy() string {
	if len(v.AskedAs) == 0 {
		return ""
	}
	by := map[memories.PhraseWriter]string{memories.ByModel: "by the model", memories.ByAgent: "by an agent", memories.ByPerson: "by a person"}[v.Asked.By]
	if v.Asked.IsStale {
		by += ", for an earlier text"
	}
	return by
}

// ageWords returns the age in words: "today", "5 days old".
func (v Memory) ageWords() string {
	if days, ok := strings.CutSuffix(v.Age.Text, " ago"); ok {
		return days + " old"
	}
	return v.Age.Text
}

// tokenWords returns about how many tokens an agent reads for the memory: its part of CLAUDE.md, else
// its text.
func (v Memory) tokenWords() string {
	chars := v.ClaudeMDChars
	if chars == 0 {
		chars = len(v.Description) + len(v.Memory.Body)
	}
	return wording.Count(claudemd.ApproximateTokens(chars), "token", "tokens")
}

// claudeMDWords returns how much of CLAUDE.md the memory takes.
func (v Memory) claudeMDWords() string {
	switch {
	case v.ClaudeMDChars == 0 || v.State == memories.Deleted:
		return "Not included"
	case v.ClaudeMDListed:
		return "One line, " + v.claudeMDSize()
	case !v.Agent.published():
		return "Would be " + v.claudeMDSize()
	default:
		return v.claudeMDSize()
	}
}

func (v Memory) claudeMDSize() string {
	return wording.Count(v.ClaudeMDChars, "character", "characters") + ", " + wording.Count(claudemd.ApproximateTokens(v.ClaudeMDChars), "token", "tokens")
}

// useWords returns how often and how recently an agent has read the memory's file, or "" if the hooks
// have reported neither a read nor a loaded index.
func (r MemoryRow) useWords() string {
	switch u := r.Use; {
	case u == nil || u.Reads == 0 && u.Loads == 0:
		return ""
	case u.Reads == 0:
		return "never, in " + wording.Count(u.Loads, "conversation", "conversations") + " that loaded its line"
	default:
		return wording.Count(u.Reads, "time", "times") + ", last " + memories.AgeOf(*u.LastReadAt, time.Now()).String()
	}
}

// indexWords returns whether MEMORY.md leads an agent to the memory, or "" if that is unknown or the
// memory is deleted.
func (r MemoryRow) indexWords() string {
	switch {
	case r.State == memories.Deleted:
		return ""
	case r.Index == memories.Unlisted:
		return "Not listed"
	case r.Index == memories.Listed:
		return "Listed, not loaded"
	case r.Index == memories.LoadedByLine:
		return "Listed and loaded"
	}
	return ""
}

// otherFiles returns the memory's files besides the one with its content.
func (v Memory) otherFiles() []memories.MemoryFile {
	return slices.DeleteFunc(slices.Clone(v.Files), func(f memories.MemoryFile) bool { return f.Path == v.Memory.Path })
}

// showsPane reports whether a narrow window shows the pane instead of the list.
func (v Memories) showsPane() bool { return v.opened() || v.Form != nil }

// Neighbour returns the row below the open memory in the list, across groups, else the one above. It
// is nil if no memory is open, or the list has no other row or does not have it.
func (v Memories) Neighbour() *MemoryRow {
	if v.Open == nil {
		return nil
	}
	var rows []MemoryRow
	for _, g := range v.Groups {
		rows = append(rows, g.Rows...)
	}
	at := slices.IndexFunc(rows, v.isOpen)
	switch {
	case at >= 0 && at+1 < len(rows):
		return &rows[at+1]
	case at > 0:
		return &rows[at-1]
	}
	return nil
}
