package memories

// CitationKind is the kind of thing to which a memory refers.
type CitationKind string

const (
	CitesPath     CitationKind = "path"     // a file or directory of the project
	CitesLine     CitationKind = "line"     // a line of a file, as in cache.go:42
	CitesFunction CitationKind = "function" // as in parseConfig()
	CitesFlag     CitationKind = "flag"     // as in --dry-run
	CitesMemory   CitationKind = "link"     // another memory of the agent, as in [[name]]
)

// CitationStatus is the result of checking a citation. CitationGone requires a complete search.
type CitationStatus string

const (
	CitationFound   CitationStatus = "found"
	CitationGone    CitationStatus = "gone"
	CitationUnknown CitationStatus = "unknown"
	// CitationWanted means a link to a memory that never existed. Agents write such links for what is
	// worth a memory later.
	CitationWanted CitationStatus = "wanted"
)

// CheckedCitation is a citation in a memory and the result of its check. The database stores its
// JSON.
type CheckedCitation struct {
	Kind    CitationKind   `json:"kind"`
	Text    string         `json:"text"` // as in the memory, on one line
	Status  CitationStatus `json:"status"`
	Message string         `json:"message,omitempty"` // why it was not found, or empty
	// FoundOnce means that a check has found it at some time, so it belongs to this project.
	FoundOnce bool `json:"found_once,omitempty"`
}

// WantedMemory is a memory that does not exist and to which others link.
type WantedMemory struct {
	Name  string // as in the links
	Links int    // memories with such a link
}

// GoneCitations returns the citations with status CitationGone, in order.
func GoneCitations(checked []CheckedCitation) []CheckedCitation {
	var gone []CheckedCitation
	for _, c := range checked {
		if c.Status == CitationGone {
			gone = append(gone, c)
		}
	}
	return gone
}
