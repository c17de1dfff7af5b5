package memories

// CitationKind is what a memory refers to outside of itself, where that can be looked for.
type CitationKind string

// The kinds of citations.
const (
	CitesPath     CitationKind = "path"     // a file or a directory of the project
	CitesLine     CitationKind = "line"     // a line of a file, as in cache.go:42
	CitesFunction CitationKind = "function" // as in parseConfig()
	CitesFlag     CitationKind = "flag"     // as in --dry-run
	CitesMemory   CitationKind = "link"     // another memory of the agent, as in [[name]]
)

// CitationStatus is what came of looking for a citation.
type CitationStatus string

// The outcomes. Only what was looked for everywhere is gone; whatever could not be told for certain is unknown.
const (
	CitationFound   CitationStatus = "found"
	CitationGone    CitationStatus = "gone"
	CitationUnknown CitationStatus = "unknown"
)

// CheckedCitation is one thing that a memory cites, and what came of looking for it. The JSON is how the database keeps it.
type CheckedCitation struct {
	Kind    CitationKind   `json:"kind"`
	Text    string         `json:"text"` // as the memory has it, on one line
	Status  CitationStatus `json:"status"`
	Message string         `json:"message,omitempty"` // why it is not found, a sentence for people; empty: it is
	// FoundOnce says that this check or an earlier one has found it: it is of this project for certain.
	FoundOnce bool `json:"found_once,omitempty"`
}

// GoneCitations returns those that are gone, in their order.
func GoneCitations(checked []CheckedCitation) []CheckedCitation {
	var gone []CheckedCitation
	for _, c := range checked {
		if c.Status == CitationGone {
			gone = append(gone, c)
		}
	}
	return gone
}
