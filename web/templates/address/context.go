package address

// FileKind is one of the files that an agent loads.
type FileKind string

// The files.
const (
	ClaudeMDFile FileKind = "claude-md"
	MemoryMDFile FileKind = "memory-md"
)

// FieldFile names the file that the Context tab shows, FieldFrom its first line, FieldFind the memory
// that gets the phrase FieldPhrase.
const (
	FieldFile   = "file"
	FieldFrom   = "from"
	FieldFind   = "find"
	FieldPhrase = "phrase"
)

// ContextPath returns the path of an agent's Context tab.
func ContextPath(slug string) string { return AgentPath(slug, "context") }

// FilePath returns the address of a file on an agent's Context tab.
func FilePath(slug string, kind FileKind) string {
	return WithQuery(ContextPath(slug), map[string]string{FieldFile: string(kind)})
}

// IndexPath returns the address of an agent's MEMORY.md.
func IndexPath(slug string) string { return FilePath(slug, MemoryMDFile) }

// FactPath returns the path of the page of a fact, or of an action on it that rest names, for
// example preview. A fact is a text of MEMORY.md that belongs to no memory file.
func FactPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{"context", "facts", id}, rest...)...)
}

// IndexRepairPath returns the path of the preview of a repair of MEMORY.md. A POST to it writes the
// file.
func IndexRepairPath(slug string) string { return AgentPath(slug, "context", "index") }

// FindPath returns the path that saves a phrase of a memory, so that a prompt finds it.
func FindPath(slug, id string) string { return AgentPath(slug, "context", "find", id) }

// PromptPath returns the address that tries a prompt with an agent.
func PromptPath(slug, prompt string) string {
	return WithQuery(AgentPath(slug, "recall"), map[string]string{FieldQuery: prompt})
}

// PicturePath returns the path of the picture of an agent's X-ray.
func PicturePath(slug string) string { return AgentPath(slug, "context.svg") }

// APIFilePath returns the address of a file as plain text in the JSON API.
func APIFilePath(slug string, kind FileKind) string {
	name := "claude-md"
	if kind == MemoryMDFile {
		name = "index"
	}
	return "/api/v1" + AgentPath(slug, name)
}
