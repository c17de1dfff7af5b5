package templates

import (
	"net/url"
	"strings"
)

// The paths of pages and actions. Package pages uses the same patterns for its routes.
const (
	AgentsPath   = "/"
	SearchPath   = "/search"
	ActivityPath = "/activity"
	SyncPath     = "/sync"
	ScanPath     = "/scan"
	SamplesPath  = "/samples"
	SignInPath   = "/sign-in"
	ThemePath    = "/theme"
	KeysPath     = "/keys"
	EventsPath   = "/api/v1/events" // the API's event stream; ?agent= restricts it to one agent
)

// AgentPath returns the path of a page or action of an agent: AgentPath("hive-1", "trash") is
// /agents/hive-1/trash.
func AgentPath(slug string, rest ...string) string {
	path := "/agents/" + url.PathEscape(slug)
	for _, part := range rest {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// MemoriesPath returns the path of an agent's Memory tab.
func MemoriesPath(slug string) string { return AgentPath(slug, "memory") }

// NewMemoryPath returns the path of the form for a new memory.
func NewMemoryPath(slug string) string { return AgentPath(slug, "memory", "new") }

// MemoryPath returns the path of a memory, or of a page or action below it: raw, edit, delete,
// history, restore, verify, purge, type.
func MemoryPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{"memory", id}, rest...)...)
}

// apiMemoryPath returns the address of a memory in the JSON API.
func apiMemoryPath(slug, id string) string {
	return "/api/v1/agents/" + url.PathEscape(slug) + "/memories/" + url.PathEscape(id)
}

// RowID returns the HTML id of a memory's row in any list.
func RowID(id string) string { return "memory-" + id }

func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
