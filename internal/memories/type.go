package memories

// Type says what kind of knowledge a memory holds. The empty Type means that it has none.
type Type string

// The closed list of types.
const (
	Feedback  Type = "feedback"
	User      Type = "user"
	Project   Type = "project"
	Reference Type = "reference"
)

// Types returns every type in the order in which they are always shown and compiled.
func Types() []Type { return []Type{Feedback, User, Project, Reference} }
