package address

// The names of the form fields and parameters that handlers read.
const (
	FieldETag   = "etag"
	FieldBack   = "back"
	FieldType   = "type"
	FieldName   = "name"
	FieldBody   = "body"
	FieldToken  = "token"
	FieldNext   = "next"
	FieldQuery  = "q"
	FieldState  = "state"
	FieldCursor = "cursor"
	FieldOpen   = "open" // id of the memory whose fixes a page shows
	FieldSort   = "sort"
	FieldView   = "view"
	FieldAfter  = "after"  // id of the memory before the first row
	FieldBefore = "before" // id of the memory after the last row

	FieldDescription = "description"
	FieldNewName     = "new_name" // with which the form for a new memory begins
	FieldTheme       = "theme"

	FieldFix  = "fix"
	FieldPath = "path"
	FieldHash = "hash"
	FieldWith = "with" // id of the version that an edit merges

	FieldKind    = "kind"
	FieldActor   = "actor"
	FieldSession = "session"
	FieldScope   = "scope"
	FieldTo      = "to"
	FieldAgent   = "agent" // slug of another agent
	FieldShown   = "shown" // number of entries on the page
	FieldAsOf    = "as_of" // a past moment: RFC 3339, or the value of a browser's date field

	// FieldMemory is a memory's id and, after a space, the ETag that the user saw. It can be
	// repeated.
	FieldMemory = "memory"
	// FieldAll is the number of memories of a list and their newest change, as All of a Selection.
	// It selects all of them.
	FieldAll = "all"
	// FieldConfirmed is set if the confirmation of a large batch was shown.
	FieldConfirmed = "confirmed"
)

// The fields of the form for a new token.
const (
	FieldTokenName    = "name"
	FieldTokenScope   = "scope"
	FieldTokenAgents  = "agents"
	FieldTokenDays    = "days"
	FieldTokenByLogin = "login"
)

// The fields of the forms of an import.
const (
	FieldUpload = "upload"
	FieldInto   = "into" // slug, or empty for the agents of the same slugs
	FieldHeld   = "held" // id of a file that was sent before
)

// FieldTarget is the parameter of TargetPath.
const FieldTarget = "target"
