// Package address owns the addresses of pages and actions, and the names of their parameters and
// form fields. Handlers read fields by these names and redirect to these addresses; templates link to
// them. It is pure and does not know what a page shows.
//
//	address.WithQuery(address.MemoriesPath("hive-1"), map[string]string{address.FieldQuery: "tabs"})
package address

import (
	"net/url"
	"time"
)

// The paths of pages and actions. Package pages uses the same patterns for its routes.
const (
	HomePath     = "/"
	SearchPath   = "/search"
	TimelinePath = "/timeline"
	SyncPath     = "/sync"
	ScanPath     = "/scan"
	SamplesPath  = "/samples"
	SignInPath   = "/sign-in"
	SignOutPath  = "/sign-out"
	ThemePath    = "/theme"
	KeysPath     = "/keys"
	EventsPath   = "/api/v1/events" // the API's event stream; ?agent= restricts it to one agent
)

// AllMemoriesPath is the path of the list of all agents' memories. FieldLayout is its field for the
// layout of the agents.
const (
	AllMemoriesPath = "/memories"
	FieldLayout     = "layout"
)

// PalettePath is the path of the palette's results, a part of a page. FieldHere and FieldRecent are
// the addresses of the current page and of the pages that were open before.
const (
	PalettePath = "/palette"
	FieldHere   = "here"
	FieldRecent = "recent"
)

// FieldOpener is the field with the list that opened a memory. FromSearch is a search, whose query
// FieldQuery then is.
const (
	FieldOpener = "from"
	FromSearch  = "search"
)

// FieldShow is the field with what a list shows besides its first rows.
const FieldShow = "show"

// ShowAll is the value of FieldShow for all rows.
const ShowAll = "all"

// NewsPath is the path of the news of a week as Markdown.
const NewsPath = "/news.md"

// ExchangePath is the page that exports and imports memories. Forms send a file to it.
const ExchangePath = "/exchange"

// ExchangeApplyPath is where a form confirms an import.
const ExchangeApplyPath = "/exchange/apply"

// AccessPath is the address of the page with the tokens.
const AccessPath = "/access"

// RevokePath returns the address that revokes a token.
func RevokePath(id string) string { return AccessPath + "/" + id + "/revoke" }

// UndoPath returns the path that takes an event back. undo.js knows it.
func UndoPath(event string) string { return "/undo/" + event }

// AgentPath returns the path of a page or action of an agent: AgentPath("hive-1", "trash") is
// /agents/hive-1/trash. It escapes each part.
func AgentPath(slug string, rest ...string) string {
	path := "/agents/" + url.PathEscape(slug)
	for _, part := range rest {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// SettingsPath returns the path of an agent's Settings tab.
func SettingsPath(slug string) string { return AgentPath(slug, "settings") }

// TargetPath returns the path of the action that switches a target on or off.
func TargetPath(slug, name string, on bool) string {
	verb := "off"
	if on {
		verb = "on"
	}
	return AgentPath(slug, "settings", "targets", name, verb)
}

// AsOfHref returns the address of the page at path with the moment at as parameter, in UTC.
func AsOfHref(path string, at time.Time) string {
	return WithQuery(path, map[string]string{FieldAsOf: at.UTC().Format(time.RFC3339Nano)})
}

// WithQuery returns path with the query parameters set to values. An empty value removes its
// parameter; other parameters of path stay. If path is not a valid address, WithQuery returns it
// unchanged.
func WithQuery(path string, values map[string]string) string {
	target, err := url.Parse(path)
	if err != nil {
		return path
	}
	query := target.Query()
	for name, value := range values {
		query.Del(name)
		if value != "" {
			query.Set(name, value)
		}
	}
	target.RawQuery = query.Encode()
	return target.String()
}
