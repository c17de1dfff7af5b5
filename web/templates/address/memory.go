package address

// MemoriesPath returns the path of an agent's Memory tab.
func MemoriesPath(slug string) string { return AgentPath(slug, "memory") }

// TrashPath returns the address of an agent's deleted memories.
func TrashPath(slug string) string { return View{Agent: slug, Name: TrashView}.List() }

// NewMemoryPath returns the path of the form for a new memory.
func NewMemoryPath(slug string) string { return AgentPath(slug, "memory", "new") }

// BatchPath returns the path of an action on all selected memories.
func BatchPath(slug, operation string) string { return AgentPath(slug, "memory", "batch", operation) }

// MemoryPath returns the path of a memory's page, or of a page or action below it that rest names,
// for example "edit".
func MemoryPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{"memory", id}, rest...)...)
}

// PaneTab is a tab of an open memory. It is the value of the parameter FieldTab.
type PaneTab string

// The tabs. The zero PaneTab is TextTab.
const (
	TextTab    PaneTab = ""
	HistoryTab PaneTab = "history"
	CostTab    PaneTab = "cost"
	FileTab    PaneTab = "file"
)

// ParsePaneTab returns the tab with that name. ok is false for an unknown name.
func ParsePaneTab(name string) (tab PaneTab, ok bool) {
	switch tab = PaneTab(name); tab {
	case TextTab, HistoryTab, CostTab, FileTab:
		return tab, true
	}
	return TextTab, name == "text"
}

// Parameters of the address of a memory, and fields of its forms.
const (
	FieldTab      = "tab"
	FieldRevision = "revision" // the revision that the history begins with
	FieldAnyway   = "anyway"   // saves a text with a secret
	FieldAskedAs  = "asked_as" // phrases, one a line
	FieldAsk      = "ask"      // shows the form with these
	// FieldShowSecret shows the form with the text of a masked memory.
	FieldShowSecret = "reveal"
)

// HistoryPath returns the address of the tab with a memory's revisions.
func HistoryPath(slug, id string) string { return tabPath(slug, id, HistoryTab) }

// MemoryFilePath returns the address of the tab with a memory's file.
func MemoryFilePath(slug, id string) string { return tabPath(slug, id, FileTab) }

func tabPath(slug, id string, tab PaneTab) string {
	return WithQuery(MemoryPath(slug, id), map[string]string{FieldTab: string(tab)})
}

// ChangePath returns the address of a memory's history, beginning with the content that has the hash.
func ChangePath(slug, id, hash string) string {
	return WithQuery(MemoryPath(slug, id, "history"), map[string]string{FieldCursor: hash})
}

// APIMemoryPath returns the address of a memory in the JSON API.
func APIMemoryPath(slug, id string) string { return "/api/v1" + AgentPath(slug, "memories", id) }

// RowID returns the HTML id of a memory's row, which is the same in all lists.
func RowID(id string) string { return "memory-" + id }
